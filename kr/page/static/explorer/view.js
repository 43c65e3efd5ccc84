// Elements of the explorer, from what it knows.

import {scoreWords} from "../analysis/words.js";
import {button, el} from "../dom.js";
import {formatted, inUnit, many, said, t} from "../texts.js";
import {
  archiveWords,
  atLeast,
  bookTitle,
  bookWords,
  gameFacts,
  gameName,
  markWords,
  ownWords,
  percents,
  playersOf,
  resultName,
  resultWords,
  scoreTitle,
  years,
} from "./state.js";

/** @typedef {import("./state.js").Archive} Archive */
/** @typedef {import("./state.js").Game} Game */
/** @typedef {import("./state.js").Move} Move */
/** @typedef {import("./state.js").Results} Results */
/** @typedef {import("./state.js").Score} Score */

const NAMES = ["black", "draw", "white"];
const ROOM_FOR_NUMBER = 12; // per cent of a bar in which its number fits

/**
 * Results as a bar with the per cents in it.
 * @param {Pick<Results, "black" | "draws" | "white">} results
 * @param {string} [words] what the bar says
 */
function resultBar(results, words = resultWords(results)) {
  const shares = percents(results);
  if (!shares) return el("span", {class: "results muted"}, t("no results"));
  const parts = shares.map((share, i) => {
    const part = el("span", {class: NAMES[i]}, share >= ROOM_FOR_NUMBER ? inUnit(share, "percent") : "");
    part.style.width = `${share}%`;
    return part;
  });
  return el("span", {class: "results", role: "img", "aria-label": words, title: words}, parts);
}

/**
 * Where a move stands. facts: what is told of it but for its scores.
 * @typedef {{move: Move, button: HTMLButtonElement, score: HTMLElement, book: HTMLElement, facts: string[]}} Place
 */

/**
 * What the table has columns for; own: kr's games against itself, in place of those of archives.
 * @typedef {{games: boolean, own: boolean, book: boolean, scores: boolean}} Columns
 */

/** True for a move with a row of its own. @param {Move} move */
const isKnown = move => move.games > 0 || move.book !== null || move.own !== null;

/**
 * The rows of the table of moves: one for each that was played or that the book has, and one for all others.
 * `tellScore` fills in the scores.
 * @param {Move[]} moves
 * @param {Columns} columns
 * @param {(move: Move) => void} play
 * @returns {{elements: HTMLElement[], places: Place[]}}
 */
export function moveRows(moves, columns, play) {
  const places = moves.map(move => ({
    move,
    button: button(move.text, () => play(move)),
    score: el(isKnown(move) ? "td" : "span", {class: "score"}),
    book: el("td", {class: "score book"}),
    facts: factsOf(move, moves),
  }));
  const shown = places.filter(({move}) => isKnown(move)),
    others = places.filter(({move}) => !isKnown(move)),
    elements = shown.map(place => moveRow(place, columns, moves));
  if (others.length) elements.push(otherRow(others, columns));
  return {elements, places: [...shown, ...others]};
}

/**
 * @param {Move} move
 * @param {Move[]} moves
 */
function factsOf(move, moves) {
  const facts = [move.text, move.opening, move.games && many(move.games, "game"), move.games && resultWords(move)];
  const own = move.own && ownWords(move.own);
  return /** @type {string[]} */ ([...facts, years(move), own, markWords(move, moves)].filter(Boolean));
}

/**
 * @param {Place} place
 * @param {Columns} columns
 * @param {Move[]} moves
 */
function moveRow({move, button: pressed, score, book}, columns, moves) {
  const leads = move.opening && el("span", {class: "leads-to", title: move.opening}, move.opening);
  // the words stand in the name of the button
  const mark = move.mark && el("span", {class: `mark ${move.mark}`, title: markWords(move, moves)}, markText(move));
  const people = columns.book && !columns.games && el("td", {class: "count"}, move.book ? atLeast(move.book) : "");
  return el(
    "tr",
    null,
    el("td", null, pressed, mark, leads),
    columns.games && el("td", {class: "count", title: years(move) || null}, move.games ? formatted(move.games) : "–"),
    columns.games && el("td", {class: "odds-cell"}, move.games ? resultBar(move) : ""),
    people,
    columns.own && el("td", {class: "odds-cell"}, move.own ? resultBar(move.own, ownWords(move.own)) : ""),
    columns.book && book,
    columns.scores && score,
  );
}

/** @param {Move} move */
const markText = ({mark}) => (mark === "cook" ? `★ ${t("cook")}` : `✗ ${t("cooked")}`);

/**
 * The moves that no game and no book has.
 * @param {Place[]} places
 * @param {Columns} columns
 */
function otherRow(places, columns) {
  const entries = places.map(({button: pressed, score}) =>
    el("span", {class: "other"}, pressed, columns.scores && score),
  );
  const words = columns.games || !columns.book ? t("Not played:") : t("Not in the book:");
  return el(
    "tr",
    {class: "unplayed"},
    el("td", {colspan: headsOf(columns).length}, el("span", {class: "muted"}, words), ...entries),
  );
}

/**
 * Tells kr's score of a move, and what the book says. The button stays, so that one can press it meanwhile.
 * @param {Place} place
 * @param {Score | undefined} score
 * @param {boolean} turned the scores are told for the other side
 */
export function tellScore({move, button: pressed, score: cell, book, facts}, score, turned) {
  const value = score ? scoreWords(score, turned) || (score.worse ? t("worse") : "") : "";
  const title = score ? scoreTitle(score, turned) || value : "";
  const bookWord = move.book ? bookTitle(move.book, turned) : "";
  const name = [...facts, bookWord, title && t("kr {score}", {score: title})].filter(Boolean).join(", ");
  pressed.setAttribute("aria-label", t("Play {move}", {move: name}));
  tell(cell, value, title, (isKnown(move) && value && !score?.value && !score?.worse && score?.depth) || 0);
  book.classList.toggle("muted", move.book?.value === null);
  if (move.book) tell(book, bookWords(move.book, turned), bookWord, move.book.value === null ? 0 : move.book.depth);
}

/**
 * @param {HTMLElement} cell
 * @param {string} value
 * @param {string} title
 * @param {number} depth 0 if it isn't told
 */
function tell(cell, value, title, depth) {
  cell.title = title;
  cell.replaceChildren(value, depth ? el("span", {class: "depth"}, t("depth {depth}", {depth})) : "");
}

/**
 * Names of the columns; those of numbers stand at their right.
 * @param {Columns} columns
 * @returns {{name: string, numbers: boolean}[]}
 */
function headsOf({games, own, book, scores}) {
  return [
    of(t("Move")),
    ...(games ? [of(t("Games"), true)] : book ? [of(t("Played"), true)] : []),
    ...(games || own ? [of(t("Results"))] : []),
    ...(book ? [of(t("Book"), true)] : []),
    ...(scores ? [of("kr", true)] : []),
  ];
}

/** @param {string} name */
const of = (name, numbers = false) => ({name, numbers});

/** The table of moves: `show` gives it rows. */
export class MoveTable {
  constructor() {
    this._rows = el("tbody");
    this._head = el("thead");
    this.element = el(
      "table",
      {class: "of-moves tally"},
      el("caption", {class: "unseen"}, t("Moves played here")),
      this._head,
      this._rows,
    );
  }

  /**
   * @param {HTMLElement[]} rows
   * @param {Columns} columns
   */
  show(rows, columns) {
    const heads = headsOf(columns).map(({name, numbers}) =>
      el("th", {scope: "col", class: numbers ? "numbers" : null}, name),
    );
    // two scores beside each other need their names
    this._head.className = columns.book ? "" : "unseen";
    this.element.classList.toggle("full", (columns.games || columns.own) && columns.book && columns.scores);
    this._head.replaceChildren(el("tr", null, heads));
    this._rows.replaceChildren(...rows);
  }
}

/**
 * A row of the list of games.
 * @param {Game} game
 * @param {(game: Game) => void} open
 */
export function gameRow(game, open) {
  const facts = gameFacts(game);
  const label = t("Open {game}, {result}, {facts}", {game: gameName(game), result: resultName(game.result), facts});
  return el(
    "li",
    null,
    button(`${playersOf(game)}  ${game.result === "*" ? "" : game.result}`, () => open(game), {"aria-label": label}),
    el("span", {class: "muted"}, facts),
  );
}

/**
 * An archive in the list of archives, with what can be done to it.
 * @param {Archive} archive
 * @param {{choose: (archive: Archive, on: boolean) => void, open: () => void, keep: (archive: Archive) => void,
 *   remove: (archive: Archive) => void}} acts
 */
export function archiveRow(archive, acts) {
  const box = el("input", {
    type: "checkbox",
    checked: Boolean(archive.chosen),
    value: String(archive.number),
    onchange: () => acts.choose(archive, box.checked),
  });
  return el(
    "li",
    {class: "archive"},
    el("label", null, box, " ", el("bdi", null, archive.name)),
    el("span", {class: archive.error ? "failed" : "muted"}, archiveWords(archive)),
    archive.opening && progress(archive),
    archive.error && button(t("Try again"), acts.open),
    archive.added &&
      !archive.lasting &&
      button(t("Keep"), () => acts.keep(archive), {
        title: t("It stays in kr's data folder and is here when kr web is started again"),
        "aria-label": t("Keep {name} for the next time", {name: archive.name}),
      }),
    archive.added &&
      button(t("Remove"), () => acts.remove(archive), {"aria-label": t("Remove {name}", {name: archive.name})}),
    archive.left_out > 0 && complaints(archive),
  );
}

/** @param {Archive} archive */
function complaints({left_out: count, complaints: why}) {
  const games = many(count, "game");
  return el(
    "details",
    {class: "muted"},
    el("summary", null, t("{games} could not be read", {games})),
    el("ul", null, ...why.map(each => el("li", null, said(each)))),
  );
}

/** @param {Pick<Archive, "name" | "share">} archive */
export function progress({name, share}) {
  const bar = el("progress", {max: 1, "aria-label": t("Index of {name}", {name})});
  bar.value = share;
  return bar;
}
