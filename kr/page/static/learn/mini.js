// A small board to be looked at: positions in a list.

import {svg} from "../dom.js";
import {placed, place, SQUARES} from "../squares.js";

const KINDS = {b: "black-man", B: "black-king", w: "white-man", W: "white-king"};
const DARK = SQUARES.map(square => {
  const [column, row] = place(square);
  return `M${column} ${row}h1v1h-1z`;
}).join("");

/**
 * The board of a FEN, which screen readers leave out; without one an empty board.
 * @param {string} [fen]
 * @param {boolean} [flipped] seen from Black's side
 */
export function miniBoard(fen = "", flipped = false) {
  const pieces = Object.entries(placed(fen)).map(([square, piece]) => {
    const [x, y] = place(Number(square), flipped);
    return svg("use", {href: `#piece-${KINDS[piece]}`, x, y, width: 1, height: 1});
  });
  return svg(
    "svg",
    {class: "mini", viewBox: "0 0 8 8", "aria-hidden": "true"},
    svg("rect", {width: 8, height: 8}),
    svg("path", {d: DARK}),
    pieces,
  );
}
