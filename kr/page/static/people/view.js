// Elements of the panel People.

import {button, el} from "../dom.js";
import {head} from "../tables.js";
import {t} from "../texts.js";
import {moveWords, ofHundred} from "./state.js";

/** @typedef {import("./state.js").Move} Move */

/**
 * @param {Move} move
 * @param {{play: (move: Move) => void, point: (path: number[]) => void}} acts point: shows squares on the board
 */
export function moveRow(move, {play, point}) {
  const show = () => point(move.path);
  const clear = () => point([]);
  const part = el("span", {class: "share"});
  part.style.width = `${100 * move.people}%`;
  const props = {"aria-label": moveWords(move), onfocus: show, onblur: clear};
  return el(
    "tr",
    {onmouseenter: show, onmouseleave: clear},
    el(
      "td",
      null,
      button(move.text, () => play(move), props),
    ),
    el("td", {class: "right"}, ofHundred(move.people)),
    el("td", null, el("span", {class: "bar", "aria-hidden": "true"}, part)),
  );
}

/** The table of moves, and its body. */
export function moveTable() {
  const rows = el("tbody");
  const heads = [t("Move"), t("How many people play it"), t("The same as a bar")];
  return {table: el("table", {class: "of-moves likely"}, head(heads, {class: "unseen"}), rows), rows};
}
