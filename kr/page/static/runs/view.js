// Runs as cards, and tables of what is known of one.

import {button, el} from "../dom.js";
import {said, t} from "../texts.js";
import {numeric, stateWords, time} from "./state.js";

/** @import {Cell, Row, RunState, Table} from "./state.js" */

/**
 * A table in a frame that scrolls; the first cell of a row with a game opens it.
 * @param {Table} shown
 * @param {(game: number) => void} [open]
 */
export function table({title, head, rows, games}, open) {
  const right = numeric({title, head, rows}).map(each => each && "number");
  const opener = (/** @type {string} */ text, /** @type {number} */ game) =>
    button(text, () => open?.(game), {"data-game": game, "aria-label": t("Analyse game {number}", {number: text})});
  const cell = (/** @type {Cell} */ told, /** @type {number} */ i, /** @type {number} */ row) => {
    const text = told === null ? "-" : said(told);
    return el("td", {class: right[i]}, i === 0 && games && open ? opener(text, games[row]) : text);
  };
  const line = (/** @type {Cell[]} */ row, /** @type {number} */ number) =>
    el(
      "tr",
      null,
      row.map((told, i) => cell(told, i, number)),
    );
  const names = head.map((told, i) => el("th", {scope: "col", class: right[i]}, said(told)));
  return el(
    "div",
    {class: "scroll", tabindex: 0, role: "region", "aria-label": said(title)},
    el("table", null, el("thead", null, el("tr", null, names)), el("tbody", null, rows.map(line))),
  );
}

/** @param {RunState} state */
export function badge(state) {
  const [mark, word] = stateWords(state);
  return el("span", {class: `run-state ${state}`}, el("span", {"aria-hidden": "true"}, `${mark} `), word);
}

/** How far a run is, as a bar; nothing if it can't be known. @param {Row} row */
export const bar = ({progress, share}) =>
  share === null ? null : el("progress", {value: share, max: 1, "aria-label": said(progress)});

/** A run of the list. @param {Row} row @param {boolean} isChosen */
export function card(row, isChosen) {
  const link = el("a", {href: `#runs/${encodeURIComponent(row.name)}`}, row.name);
  return el(
    "li",
    {class: "run-card run-item", "aria-current": isChosen && "true"},
    el("p", {class: "run-name"}, link, badge(row.state)),
    el("p", {class: "run-progress"}, said(row.progress)),
    bar(row),
    el("p", {class: "muted"}, [said(row.kind), time(row.changed)].filter(Boolean).join(", ")),
  );
}
