// The moves of the game on the board, with their keys.

import {MoveList} from "../moves.js";

/** @param {import("../shell.js").App} app */
export function moves(app) {
  const {tree} = app,
    list = new MoveList(tree);
  const shown = (/** @type {boolean} */ on) => {
    list.isShown = on;
    list.draw();
  };
  Object.assign(app.keys, {
    ArrowUp: () => tree.sibling(-1),
    ArrowDown: () => tree.sibling(1),
    n: () => tree.mark(1),
    p: () => tree.mark(-1),
  });
  document.addEventListener("keydown", event => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !list.element.isConnected) return;
    if (/** @type {Element} */ (event.target).closest("input, textarea, select, dialog")) return;
    const key = event.key.toLowerCase(),
      back = key === "z" && !event.shiftKey;
    if (!back && key !== "y" && key !== "z") return;
    event.preventDefault();
    back ? tree.undo() : tree.redo();
  });
  return {
    list,
    show() {
      shown(true);
    },
    hide() {
      shown(false);
    },
  };
}
