// Text for squares, boards and moves, as in kr/notation.py: the only place where squares are numbered 1 to 32.
// Elsewhere a square is 0 to 31 and a board is three sets of squares (black, white, kings: bit s is square s, numbers
// from 0 up) with the side to move (0 Black, 1 White).

import {blanked, stripped, withoutBlanks} from "./blanks.js";
import {KrError, quoted} from "./text.js";

export const SQUARES = 32;
export const SIDE_NAMES = ["Black", "White"];
export const BLACK_KING_ROW = 0xf0000000;
export const WHITE_KING_ROW = 0x0000000f;
const MOST_PIECES = 12;
const PIECE = /^(K?)(?:([0-9]+)(?:-(K?)([0-9]+))?|([A-J](?:10|[0-9])))$/;
const QUOTE = /["'`\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb]/;
/** @type {Record<string, string>} */
const BRACKETS = {"[": "]", "(": ")", "{": "}"};
const TAG = blanked(/^FEN(?:\s*[:=]\s*|\s+|(?=["'\u201c\u201e]))/i);
// after the letter of the side
const LETTERED = /^.(?:.*,)?K?[A-H][1-8](?:,|$)/su;
const MOST_WRAPPINGS = 8;
const COUNTER = /^[HF][0-9]{1,4}$/;
const SPLIT_NUMBER = blanked(/(?<![0-9])[0-9]+(?![0-9])\s+[0-9]+/);
const MOVE = blanked(/^[0-9]+(?:\s*[-x:]\s*[0-9]+)+$/i);
const FEN_LIKE = blanked(/^[BW]\s*:\s*(?:[BW]|[^:/\\]*:)/i);

/** @typedef {{black: number, white: number, kings: number, side: number}} Bits */

/** Number of squares of a set. @param {number} bits */
export function countOf(bits) {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The squares 0-31 of a set, ascending. @param {number} bits @returns {number[]} */
export function squaresOf(bits) {
  const found = [];
  for (let left = bits; left; left &= left - 1) found.push(31 - Math.clz32(left & -left));
  return found;
}

/** @param {number} square 0-31 */
export const squareName = square => String(square + 1);

/** @param {string} text a number 1-32 @returns {number} 0-31 */
function parsedSquare(text) {
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) < 1 || Number(text) > SQUARES)
    throw new KrError(`square ${quoted(text)} does not exist: squares are numbered 1 to ${SQUARES}`);
  return Number(text) - 1;
}

/** The square 0-31 that a1 to h8 name as seen by Black; null for a light one. @param {string} name */
export function lettersSquare(name) {
  const file = name.charCodeAt(0) - 97,
    row = Number(name[1]) - 1;
  return (file + row) % 2 ? null : 4 * row + 3 - (file >> 1);
}

const names = (/** @type {number} */ bits) => squaresOf(bits).map(squareName).join(", ");

/** Refuses three sets that make no possible board. @param {number} black @param {number} white @param {number} kings */
export function checkBoard(black, white, kings) {
  const refuse = (/** @type {string} */ why) => {
    throw new KrError(why, "fen");
  };
  if (black & white) refuse(`square ${names(black & white)} holds both a Black and a White piece`);
  const bare = kings & ~(black | white);
  if (bare) refuse(`square ${names(bare)} is marked as a king but holds no piece`);
  for (const [name, pieces, row] of /** @type {[string, number, number][]} */ ([
    ["Black", black, BLACK_KING_ROW],
    ["White", white, WHITE_KING_ROW],
  ])) {
    if (countOf(pieces) > MOST_PIECES)
      refuse(`${name} has ${countOf(pieces)} pieces: a side has at most ${MOST_PIECES}`);
    for (const square of squaresOf(pieces & ~kings & row)) {
      const number = squareName(square);
      refuse(`a ${name} man stands on its king row, square ${number}: make it a king, K${number}`);
    }
  }
}

/** A FEN without the quotes, brackets and tag around it. @param {string} text */
function bareFen(text) {
  let left = text;
  for (let i = 0; i < MOST_WRAPPINGS; i++) {
    let next = stripped(stripped(left), QUOTE);
    if (next.length > 1 && BRACKETS[next[0]] === next[next.length - 1]) next = next.slice(1, -1);
    next = next.replace(TAG, "");
    if (next === left) break;
    left = next;
  }
  return left;
}

/** True if a text begins as a FEN does, valid or not. @param {string} text */
export const looksLikeFen = text => FEN_LIKE.test(bareFen(text));

/** @param {string} letter @param {string} what */
function parsedSide(letter, what) {
  if (letter !== "B" && letter !== "W") throw new KrError(`the ${what} is ${quoted(letter)}, not B or W`);
  return letter === "B" ? 0 : 1;
}

/** @param {string} name such as a1 */
function letteredSquare(name) {
  if (!/^[a-h][1-8]$/.test(name))
    throw new KrError(`square ${quoted(name)} does not exist: the board has squares from a1 to h8`);
  const square = lettersSquare(name);
  if (square === null)
    throw new KrError(`square ${quoted(name)} is a light one: pieces stand on the dark ones, such as a1, b2 and c3`);
  return square;
}

/** One side's list as pieces and kings. @param {string} text @param {string} name */
function parsedPieces(text, name) {
  let pieces = 0,
    kings = 0;
  for (const item of text ? text.split(",") : []) {
    const match = PIECE.exec(item);
    if (!match) throw new KrError(`${name}'s ${quoted(item)} is not a square such as 18, K10, 1-12, a1 or Kc3`);
    const [, king, first, lastKing, last, letters] = match;
    if (lastKing && !king) throw new KrError(`${name}'s range ${quoted(item)} must begin with a king too`);
    let low, high;
    try {
      low = letters ? letteredSquare(letters.toLowerCase()) : parsedSquare(first);
      high = last ? parsedSquare(last) : low;
    } catch (error) {
      throw new KrError(`${name}'s ${/** @type {Error} */ (error).message}`);
    }
    if (high < low) throw new KrError(`${name}'s range ${quoted(item)} runs down: write ${last}-${first}`);
    const bits = Number((2n << BigInt(high)) - (1n << BigInt(low)));
    if (pieces & bits) throw new KrError(`${name}'s square ${names(pieces & bits)} is listed twice`);
    pieces |= bits;
    if (king) kings |= bits;
  }
  return [pieces, kings];
}

/** Sides of the two lists; an empty list may lack its letter. @param {string} first @param {string} second */
function parsedSides(first, second) {
  const sides = [first, second].filter(Boolean).map(([letter]) => parsedSide(letter, "side of a list of pieces"));
  if (sides.length === 2 && sides[0] === sides[1])
    throw new KrError(`${SIDE_NAMES[sides[0]]}'s pieces are listed twice`);
  if (!sides.length) return [1, 0];
  return first ? [sides[0], 1 - sides[0]] : [1 - sides[0], sides[0]];
}

/**
 * Reads a position in any form that kr reads: see parse_fen in kr/notation.py.
 * @param {string} text
 * @param {boolean} [crown] read a man on its king row as a king
 * @returns {Bits}
 */
export function parseFen(text, crown = false) {
  const bare = bareFen(text);
  let fields = withoutBlanks(bare).toUpperCase().replace(/\.$/, "").split(":");
  while (fields.length > 3 && COUNTER.test(fields[fields.length - 1])) fields.pop();
  try {
    if (fields.length !== 3) {
      const more = fields.length > 3 ? "; only counters such as :H0:F1 may follow" : "";
      throw new KrError(`it must have three fields, as in B:W18,24,K10:B12,K22${more}`);
    }
    fields = fields.map(field => field.replace(/\.$/, ""));
    const split = SPLIT_NUMBER.exec(bare);
    if (split) throw new KrError(`a comma is missing in ${quoted(split[0])}`);
    const side = parsedSide(fields[0], "side to move"),
      sides = parsedSides(fields[1], fields[2]),
      pieces = [0, 0];
    let kings = 0;
    for (const i of [0, 1]) {
      const [all, own] = parsedPieces(fields[i + 1].slice(1), SIDE_NAMES[sides[i]]);
      pieces[sides[i]] = all;
      kings |= own;
    }
    if (crown) kings |= (pieces[0] & BLACK_KING_ROW) | (pieces[1] & WHITE_KING_ROW);
    checkBoard(pieces[0], pieces[1], kings);
    return {black: pieces[0] >>> 0, white: pieces[1] >>> 0, kings: kings >>> 0, side};
  } catch (error) {
    const lettered = fields.slice(1).some(field => LETTERED.test(field));
    const hint = lettered ? " (with letters, a1 is at the left hand of Black)" : "";
    throw new KrError(`FEN ${quoted(stripped(text))}: ${/** @type {Error} */ (error).message}${hint}`, "fen");
  }
}

/** @param {number} pieces @param {number} kings */
const pieceList = (pieces, kings) =>
  squaresOf(pieces)
    .map(square => ((kings >>> square) & 1 ? "K" : "") + squareName(square))
    .join(",");

/** The canonical FEN, such as W:W21,K30:B1,2. @param {Bits} bits */
export const formatFen = ({black, white, kings, side}) =>
  `${"BW"[side]}:W${pieceList(white, kings)}:B${pieceList(black, kings)}`;

/** Squares 0-31 of the text of a move, such as 11-15 or 10x19x26. @param {string} text @returns {number[]} */
export function parsePath(text) {
  if (!MOVE.test(stripped(text)))
    throw new KrError(`${quoted(text)} is not a move: write it as 11-15, or 22x15 for a capture`, "move");
  try {
    return /** @type {string[]} */ (text.match(/[0-9]+/g)).map(parsedSquare);
  } catch (error) {
    throw new KrError(`${quoted(text)} is not a move: ${/** @type {Error} */ (error).message}`, "move");
  }
}

/** @param {readonly number[]} path squares 0-31 @param {boolean} capture */
export const formatPath = (path, capture) => path.map(squareName).join(capture ? "x" : "-");
