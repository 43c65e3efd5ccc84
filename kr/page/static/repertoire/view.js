// Elements of the panel Repertoire.

import {button, el} from "../dom.js";
import {ofHundred} from "../people/state.js";
import {head, moveRow} from "../tables.js";
import {many, t} from "../texts.js";
import {stateWords} from "./state.js";

/** @import {Row} from "./state.js" */

/** The table of moves, and its body. */
export function ownTable() {
  const rows = el("tbody"),
    heads = [t("Move"), t("How many people play it"), t("In your repertoire"), t("Change")];
  return {table: el("table", {class: "of-moves own-moves"}, head(heads, {class: "unseen"}), rows), rows};
}

/**
 * @param {Row} row
 * @param {{play: (row: Row) => void, accept: ((row: Row) => void) | null, unmark: (row: Row) => void,
 *   point: (path: number[]) => void}} acts accept: takes a suggestion over, null for replies; point: shows squares on
 *   the board
 */
export function ownRow(row, {play, accept, unmark, point}) {
  const {move, state, isIn, people, comment, weak} = row;
  return moveRow(
    move,
    {play: () => play(row), point, label: t("Play {move}", {move: move.text})},
    el("td", {class: "right"}, people === null ? "" : ofHundred(people)),
    el(
      "td",
      {class: state},
      stateWords(state),
      comment && el("span", {class: "muted"}, ` ${comment}`),
      weak && el("span", {class: "wrong"}, ` ${weak}`),
    ),
    el(
      "td",
      {class: "right"},
      accept &&
        state === "suggested" &&
        button(t("Take over"), () => accept(row), {"aria-label": t("Take {move} over", {move: move.text})}),
      isIn &&
        button("×", () => unmark(row), {
          "aria-label": t("Unmark {move}", {move: move.text}),
          title: t("Unmark {move}", {move: move.text}),
        }),
    ),
  );
}

/**
 * The openings of a repertoire.
 * @param {{name: string, answers: number, open: () => void, remove: () => void}[]} openings
 */
export const openingList = openings =>
  el(
    "ul",
    {class: "own-openings"},
    openings.map(({name, answers, open, remove}) => {
      const words = t("Remove {name}", {name});
      return el(
        "li",
        null,
        button(name, open),
        " ",
        el("span", {class: "muted"}, many(answers, "position")),
        " ",
        button("×", remove, {"aria-label": words, title: words}),
      );
    }),
  );
