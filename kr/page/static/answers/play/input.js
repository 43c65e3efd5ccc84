// A move as a person makes it on a board, square by square.

import {squareName} from "../rules.js";
import {quoted, refusal} from "../text.js";

/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("../rules.js").Position} Position */

const SQUARES = /^[0-9]{1,3}(?:-[0-9]{1,3}){0,12}$/;
const LAST = 32;

/** True if a path begins with these squares. @param {readonly number[]} path @param {readonly number[]} squares */
const begins = (path, squares) => squares.every((square, i) => path[i] === square);

/**
 * The legal move of squares, or the squares 0-31 so far if more are needed.
 * @param {string} text such as 11-15
 * @param {Position} position
 * @param {readonly number[]} begun squares given before
 * @returns {Move | number[]}
 */
export function readMove(text, position, begun) {
  if (!SQUARES.test(text))
    throw refusal(
      "{text} is neither a move nor a command: expected 11-15, 22x15, a square, moves or help",
      {text: quoted(text)},
      "move",
    );
  const squares = text.split("-").map(parsedSquare);
  // a whole move from the same origin replaces the squares given before
  const path = begun.length && squares[0] !== begun[0] ? [...begun, ...squares] : squares,
    goesOn = position.entries.some(each => each.path.length > path.length && begins(each.path, path));
  // after single squares the next one is the next landing, not the end of another capture
  if (begun.length && goesOn && path !== squares) return path;
  try {
    return position.parseMove(path.map(squareName).join("-"));
  } catch (error) {
    if (goesOn) return path;
    throw error;
  }
}

/** @param {string} number */
function parsedSquare(number) {
  const square = Number(number) - 1;
  if (square >= 0 && square < LAST) return square;
  throw refusal("square {square} does not exist: squares are numbered 1 to 32", {square: quoted(number)}, "move");
}
