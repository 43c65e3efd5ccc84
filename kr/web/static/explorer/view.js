// Elements of the explorer, from what it knows.

import {button, el} from "../dom.js";
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
export function resultBar(results) {
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

/**
 * A row of the table of moves; `tellScore` fills in kr's score.
 * @param {Move} move
 * @param {(move: Move) => void} play
 */
export function moveRow(move, play) {
  return el(
    "tr",
    {class: move.games ? null : "unplayed"},
    el(
      "td",
      null,
      button(move.text, () => play(move)),
      move.opening && el("span", {class: "leads-to", title: move.opening}, move.opening),
    ),
    el("td", {class: "count", title: years(move) || null}, move.games ? formatted(move.games) : "–"),
    el("td", {class: "odds-cell"}, move.games ? resultBar(move) : ""),
    el("td", {class: "score"}),
  );
}

/**
 * Tells kr's score in a row of the table of moves. The row stays, so that one can press it meanwhile.
 * @param {HTMLTableRowElement} row
 * @param {Move} move
 * @param {Score | undefined} score
 * @param {boolean} turned the scores are told for the other side
 */
export function tellScore(row, move, score, turned) {
  const value = score ? scoreWords(score, turned) : "";
  const title = score ? scoreTitle(score, turned) : "";
  const facts = [move.text, move.opening, many(move.games, "game"), move.games && resultWords(move), years(move)];
  const name = [...facts, title && t("kr {score}", {score: title})].filter(Boolean).join(", ");
  const cell = row.cells[3];
  row.querySelector("button")?.setAttribute("aria-label", t("Play {move}", {move: name}));
  cell.title = title;
  const isDeep = value && !score?.value && score?.depth;
  cell.replaceChildren(value, isDeep ? el("span", {class: "depth"}, t("depth {depth}", {depth: score.depth})) : "");
}

/** The table of moves, and its body. */
export function moveTable() {
  const rows = el("tbody");
  const heads = [t("Move"), t("Games"), t("Results: Black won, drawn, White won"), t("kr's score")];
  const table = el(
    "table",
    {class: "tally"},
    el("caption", {class: "unseen"}, t("Moves played here")),
    el("thead", {class: "unseen"}, el("tr", null, ...heads.map(head => el("th", {scope: "col"}, head)))),
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
