// Elements of the panel People.

import {el} from "../dom.js";
import {head, moveRow} from "../tables.js";
import {t} from "../texts.js";
import {moveWords, ofHundred} from "./state.js";

/** @typedef {import("./state.js").Move} Move */

/**
 * @param {Move} move
 * @param {{play: (move: Move) => void, point: (path: number[]) => void}} acts point: shows squares on the board
 */
export function personRow(move, {play, point}) {
  const part = el("span", {class: "share"});
  part.style.width = `${100 * move.people}%`;
  return moveRow(
    move,
    {play: () => play(move), point, label: moveWords(move)},
    el("td", {class: "right"}, ofHundred(move)),
    el("td", null, el("span", {class: "bar", "aria-hidden": "true"}, part)),
  );
}

/** The table of moves, and its body. */
export function moveTable() {
  const rows = el("tbody");
  const heads = [t("Move"), t("How many people play it"), t("The same as a bar")];
  return {table: el("table", {class: "of-moves likely"}, head(heads, {class: "unseen"}), rows), rows};
}
