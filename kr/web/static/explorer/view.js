// Elements of the explorer, from what it knows.

import {button, el} from "../dom.js";
import {head} from "../tables.js";
import {formatted, many, t} from "../texts.js";
import {
  archiveWords,
  gameFacts,
  gameName,
  percents,
  playersOf,
  resultName,
  resultWords,
  scoreTitle,
  scoreWords,
  years,
} from "./state.js";

/** @typedef {import("./state.js").Archive} Archive */
/** @typedef {import("./state.js").Game} Game */
/** @typedef {import("./state.js").Move} Move */
/** @typedef {import("./state.js").Results} Results */
/** @typedef {import("./state.js").Score} Score */

const NAMES = ["black", "draw", "white"];
const ROOM_FOR_NUMBER = 12; // per cent of a bar in which its number fits

/** Results as a bar with the per cents in it. @param {Results} results */
function resultBar(results) {
  const shares = percents(results);
  if (!shares) return el("span", {class: "results muted"}, t("no results"));
  const parts = shares.map((share, i) => {
    const part = el("span", {class: NAMES[i]}, share >= ROOM_FOR_NUMBER ? `${share}%` : "");
    part.style.width = `${share}%`;
    return part;
  });
  const words = resultWords(results);
  return el("span", {class: "results", role: "img", "aria-label": words, title: words}, parts);
}

/** Where a move stands. @typedef {{move: Move, button: HTMLButtonElement, score: HTMLElement}} Place */

/**
 * The rows of the table of moves: one for each that was played, and one for all others. `tellScore` fills in the
 * scores.
 * @param {Move[]} moves
 * @param {(move: Move) => void} play
 * @returns {{elements: HTMLElement[], places: Place[]}}
 */
export function moveRows(moves, play) {
  const places = moves.map(move => ({
    move,
    button: button(move.text, () => play(move)),
    score: el(move.games ? "td" : "span", {class: "score"}),
  }));
  const elements = places.filter(({move}) => move.games).map(moveRow);
  const others = places.filter(({move}) => !move.games);
  if (others.length) elements.push(otherRow(others));
  return {elements, places: places.filter(({move}) => move.games).concat(others)};
}

/** @param {Place} place */
function moveRow({move, button: pressed, score}) {
  const leads = move.opening && el("span", {class: "leads-to", title: move.opening}, move.opening);
  return el(
    "tr",
    null,
    el("td", null, pressed, leads),
    el("td", {class: "count", title: years(move) || null}, formatted(move.games)),
    el("td", {class: "odds-cell"}, resultBar(move)),
    score,
  );
}

/** The moves that no game has. @param {Place[]} places */
function otherRow(places) {
  const entries = places.map(({button: pressed, score}) => el("span", {class: "other"}, pressed, score));
  return el(
    "tr",
    {class: "unplayed"},
    el("td", {colspan: 4}, el("span", {class: "muted"}, t("Not played:")), ...entries),
  );
}

/**
 * Tells kr's score of a move. The button stays, so that one can press it meanwhile.
 * @param {Place} place
 * @param {Score | undefined} score
 * @param {boolean} turned the scores are told for the other side
 */
export function tellScore({move, button: pressed, score: cell}, score, turned) {
  const value = score ? scoreWords(score, turned) : "";
  const title = score ? scoreTitle(score, turned) : "";
  const facts = [move.text, move.opening, many(move.games, "game"), move.games && resultWords(move), years(move)];
  const name = [...facts, title && t("kr {score}", {score: title})].filter(Boolean).join(", ");
  const deep = move.games && value && !score?.value && score?.depth;
  pressed.setAttribute("aria-label", t("Play {move}", {move: name}));
  cell.title = title;
  cell.replaceChildren(value, deep ? el("span", {class: "depth"}, t("depth {depth}", {depth: deep})) : "");
}

/** The table of moves, and its body. */
export function moveTable() {
  const rows = el("tbody");
  const heads = [t("Move"), t("Games"), t("Results: Black won, drawn, White won"), t("kr's score")];
  const table = el(
    "table",
    {class: "of-moves tally"},
    el("caption", {class: "unseen"}, t("Moves played here")),
    head(heads, {class: "unseen"}),
    rows,
  );
  return {table, rows};
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
    el("ul", null, ...why.map(text => el("li", null, text))),
  );
}

/** @param {Pick<Archive, "name" | "share">} archive */
export function progress({name, share}) {
  const bar = el("progress", {max: 1, "aria-label": t("Index of {name}", {name})});
  bar.value = share;
  return bar;
}
