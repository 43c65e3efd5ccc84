// Squares 1 to 32, where they lie, and the pieces that a FEN puts on them.

import {t} from "./texts.js";

/** @typedef {"b" | "B" | "w" | "W"} Piece a man of Black, a king of Black, ... */
/** @typedef {"black" | "white"} Side */

/** @type {Side[]} */
export const SIDES = ["black", "white"];
export const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
export const SQUARES = Array.from({length: 32}, (_, index) => index + 1);

/**
 * Column and row, 0 to 7 from the top left.
 * @param {number} square
 * @param {boolean} [flipped]
 * @returns {[number, number]}
 */
export function place(square, flipped) {
  const row = (square - 1) >> 2;
  const column = 2 * ((square - 1) & 3) + 1 - (row % 2);
  return flipped ? [7 - column, 7 - row] : [column, row];
}

/**
 * The square at a column and row: 0 if it is light, null beside the board.
 * @param {number} column
 * @param {number} row
 * @param {boolean} [flipped]
 */
export function squareAt(column, row, flipped) {
  if (!(column >= 0 && column < 8 && row >= 0 && row < 8)) return null;
  const square = SQUARES[4 * row + (column >> 1)];
  if ((column + row) % 2 === 0) return 0;
  return flipped ? 33 - square : square;
}

/**
 * Pieces by square of a canonical FEN: {18: "W", 1: "b"}.
 * @param {string} fen
 */
export function placed(fen) {
  /** @type {Record<number, Piece>} */
  const pieces = {};
  for (const part of fen.split(":").slice(1)) {
    const white = part[0] === "W";
    for (const name of part.slice(1).split(",").filter(Boolean)) {
      if (name[0] === "K") pieces[Number(name.slice(1))] = white ? "W" : "B";
      else pieces[Number(name)] = white ? "w" : "b";
    }
  }
  return pieces;
}

/** How many pieces each side has. @param {string} fen @returns {Record<Side, number>} */
export function piecesOn(fen) {
  const pieces = Object.values(placed(fen)),
    white = pieces.filter(piece => isOf(piece, "white")).length;
  return {black: pieces.length - white, white};
}

/** @param {Side} side */
export const sideName = side => (side === "black" ? t("Black") : t("White"));

/** @param {string} fen @returns {Side} */
export const sideOf = fen => (fen[0] === "W" ? "white" : "black");

/** @param {Piece} piece @param {Side} side */
export const isOf = (piece, side) => (piece === "w" || piece === "W") === (side === "white");

/**
 * Squares beside a square to which a piece could step on an empty board.
 * @param {number} square
 * @param {Piece} piece
 */
export function besides(square, piece) {
  const [column, row] = place(square);
  const rows = [piece !== "w" ? row + 1 : -1, piece !== "b" ? row - 1 : -1];
  const squares = rows.flatMap(each => [squareAt(column - 1, each), squareAt(column + 1, each)]);
  return squares.filter(each => each !== null).sort((a, b) => a - b);
}
