// The hash of a position, the same as kr's core has: a random number for each piece on each square, and one for White's
// turn (kr/_rules/hash.h). Where two moves are equally good, the choice between them goes by it.

import {squaresOf} from "./notation.js";
import {WHITE} from "./rules.js";

/** Squares of a colour's table: with one left free after every eighth. */
const PLACES = 35;
const FIRST_STATE = 0x6b72n;

/** @param {bigint} number */
const wrapped = number => BigInt.asUintN(64, number);

/** The first numbers of splitmix64. @param {bigint} state @param {number} count */
function splitmix64(state, count) {
  const numbers = [];
  for (let i = 0; i < count; i++) {
    state = wrapped(state + 0x9e3779b97f4a7c15n);
    let mixed = wrapped((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = wrapped((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    numbers.push(mixed ^ (mixed >> 31n));
  }
  return numbers;
}

/** For each colour's men, then each colour's kings, a number for each square; then that of White's turn. */
const NUMBERS = splitmix64(FIRST_STATE, 4 * PLACES + 1);

/** @param {import("./rules.js").Position} position */
export function hashOf({black, white, kings, side}) {
  let hash = side === WHITE ? NUMBERS[4 * PLACES] : 0n;
  [black & ~kings, white & ~kings, black & kings, white & kings].forEach((pieces, table) => {
    for (const square of squaresOf(pieces)) hash ^= NUMBERS[table * PLACES + square + (square >> 3)];
  });
  return hash;
}
