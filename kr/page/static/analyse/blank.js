// Whether there is a game yet. Nothing here touches the document.

import {START} from "../squares.js";

/**
 * True if nothing has been done yet: the start of a game without moves, comments, names or a result.
 * @param {import("../tree.js").GameTree} tree
 */
export const isBlank = ({root, headers, result}) =>
  root.fen === START &&
  !root.children.length &&
  !root.comments.length &&
  result === "*" &&
  !["Event", "Black", "White"].some(name => (headers[name] ?? "").replace(/[?\s]/g, ""));
