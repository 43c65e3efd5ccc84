// Parts of tables.

import {button, el, unbroken} from "./dom.js";

/**
 * The head of a table.
 * @param {string[]} names of its columns
 * @param {import("./dom.js").Props | null} [props]
 */
export const head = (names, props = null) =>
  el(
    "thead",
    props,
    el(
      "tr",
      null,
      names.map(name => el("th", {scope: "col"}, name)),
    ),
  );

/**
 * A row of a table of moves, which points at its move on the board while it is looked at.
 * @param {{text: string, path: number[]}} move
 * @param {{play: () => void, point: (path: number[]) => void, label: string}} acts label: of the button that plays it
 * @param {HTMLElement[]} cells after that of the move
 */
export function moveRow({text, path}, {play, point, label}, ...cells) {
  const show = () => point(path),
    clear = () => point([]);
  return el(
    "tr",
    {onmouseenter: show, onmouseleave: clear},
    el("td", null, button(unbroken(text), play, {"aria-label": label, onfocus: show, onblur: clear})),
    ...cells,
  );
}
