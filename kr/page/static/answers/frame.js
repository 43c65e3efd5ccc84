// Positions and moves of a book, in the frame of the side to move.

import {SQUARES} from "./notation.js";
import {BLACK, Position, WHITE} from "./rules.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {{own: number, other: number, kings: number}} BookKey sets of squares, from 0 up */

/** A set of squares as the other side sees it. @param {number} squares */
export function turned(squares) {
  let left = 0;
  for (let square = 0; square < SQUARES; square++) if ((squares >>> square) & 1) left |= 1 << (SQUARES - 1 - square);
  return left >>> 0;
}

/** The position with the board turned and the colours swapped. @param {Position} position */
export const flipped = ({black, white, kings, side}) =>
  new Position(turned(white), turned(black), turned(kings), side === BLACK ? WHITE : BLACK);

/** The key of a position. @param {Position} position @returns {BookKey} */
export function bookKey(position) {
  const {black, white, kings} = position.side === BLACK ? position : flipped(position);
  return {own: black, other: white, kings};
}

/** The legal moves of a position in the order in which a packed book numbers them. @param {Position} position */
export function numberedMoves(position) {
  const square = (/** @type {number} */ each) => (position.side === BLACK ? each : SQUARES - 1 - each);
  /** @type {Map<string, {move: Move, step: number[]}>} */
  const steps = new Map();
  for (const move of position.legalMoves()) {
    const captured = position.side === BLACK ? move.captured : turned(move.captured),
      step = [square(move.origin), square(move.target), captured];
    // of captures of the same pieces the first one stands for all
    if (!steps.has(String(step))) steps.set(String(step), {move, step});
  }
  const order = (/** @type {number[]} */ a, /** @type {number[]} */ b) => {
    const place = a.findIndex((each, i) => each !== b[i]);
    return place < 0 ? 0 : a[place] - b[place];
  };
  return [...steps.values()].sort((a, b) => order(a.step, b.step)).map(({move}) => move);
}
