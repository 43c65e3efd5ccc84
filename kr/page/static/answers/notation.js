// Text for squares, boards and moves, as in kr/notation.py: the only place where squares are numbered 1 to 32.
// Elsewhere a square is 0 to 31 and a board is three sets of squares (black, white, kings: bit s is square s, numbers
// from 0 up) with the side to move (0 Black, 1 White).

import {blanked, stripped, withoutBlanks} from "./blanks.js";
import {quoted, refusal, whyOf} from "./text.js";

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
  const squares = [];
  for (let left = bits; left; left &= left - 1) squares.push(31 - Math.clz32(left & -left));
  return squares;
}

/** @param {number} square 0-31 */
export const squareName = square => String(square + 1);

/** @param {string} text a number 1-32 @returns {number} 0-31 */
function parsedSquare(text) {
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) < 1 || Number(text) > SQUARES)
    throw refusal("square {square} does not exist: squares are numbered 1 to 32", {square: quoted(text)});
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
  const both = black & white,
    bare = kings & ~(black | white);
  if (both) throw refusal("square {square} holds both a Black and a White piece", {square: names(both)}, "fen");
  if (bare) throw refusal("square {square} is marked as a king but holds no piece", {square: names(bare)}, "fen");
  for (const [side, pieces, row] of /** @type {[string, number, number][]} */ ([
    ["black", black, BLACK_KING_ROW],
    ["white", white, WHITE_KING_ROW],
  ])) {
    const pieceCount = countOf(pieces),
      [first] = squaresOf(pieces & ~kings & row);
    if (pieceCount > MOST_PIECES)
      throw refusal("{side} has {number} pieces: a side has at most 12", {side, number: pieceCount}, "fen");
    if (first !== undefined)
      throw refusal(
        "a {side} man stands on its king row, square {square}: make it a king, K{square}",
        {side, square: squareName(first)},
        "fen",
      );
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

const MOVER = "side to move";

/** @param {string} letter @param {string} what */
function parsedSide(letter, what) {
  if (letter !== "B" && letter !== "W")
    throw what === MOVER
      ? refusal("the side to move is {letter}, not B or W", {letter: quoted(letter)})
      : refusal("the side of a list of pieces is {letter}, not B or W", {letter: quoted(letter)});
  return letter === "B" ? 0 : 1;
}

/** @param {string} name such as a1 */
function letteredSquare(name) {
  if (!/^[a-h][1-8]$/.test(name))
    throw refusal("square {square} does not exist: the board has squares from a1 to h8", {square: quoted(name)});
  const square = lettersSquare(name);
  if (square === null)
    throw refusal("square {square} is a light one: pieces stand on the dark ones, such as a1, b2 and c3", {
      square: quoted(name),
    });
  return square;
}

/** One side's list as pieces and kings. @param {string} text @param {string} side */
function parsedPieces(text, side) {
  let pieces = 0,
    kings = 0;
  for (const each of text ? text.split(",") : []) {
    const match = PIECE.exec(each),
      item = quoted(each);
    if (!match) throw refusal("{side}'s {item} is not a square such as 18, K10, 1-12, a1 or Kc3", {side, item});
    const [, king, first, lastKing, last, letters] = match;
    if (lastKing && !king) throw refusal("{side}'s range {item} must begin with a king too", {side, item});
    let low, high;
    try {
      low = letters ? letteredSquare(letters.toLowerCase()) : parsedSquare(first);
      high = last ? parsedSquare(last) : low;
    } catch (error) {
      throw refusal("{side}'s {why}", {side, why: whyOf(error)});
    }
    if (high < low)
      throw refusal("{side}'s range {item} runs down: write {range}", {side, item, range: `${last}-${first}`});
    const bits = Number((2n << BigInt(high)) - (1n << BigInt(low)));
    if (pieces & bits) throw refusal("{side}'s square {square} is listed twice", {side, square: names(pieces & bits)});
    pieces |= bits;
    if (king) kings |= bits;
  }
  return [pieces, kings];
}

/** Sides of the two lists; an empty list may lack its letter. @param {string} first @param {string} second */
function parsedSides(first, second) {
  const sides = [first, second].filter(Boolean).map(([letter]) => parsedSide(letter, "list"));
  if (sides.length === 2 && sides[0] === sides[1])
    throw refusal("{side}'s pieces are listed twice", {side: SIDE_NAMES[sides[0]].toLowerCase()});
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
      throw fields.length > 3
        ? refusal("it must have three fields, as in B:W18,24,K10:B12,K22; only counters such as :H0:F1 may follow")
        : refusal("it must have three fields, as in B:W18,24,K10:B12,K22");
    }
    fields = fields.map(field => field.replace(/\.$/, ""));
    const split = SPLIT_NUMBER.exec(bare);
    if (split) throw refusal("a comma is missing in {text}", {text: quoted(split[0])});
    const side = parsedSide(fields[0], MOVER),
      sides = parsedSides(fields[1], fields[2]),
      pieces = [0, 0];
    let kings = 0;
    for (const i of [0, 1]) {
      const [all, own] = parsedPieces(fields[i + 1].slice(1), SIDE_NAMES[sides[i]].toLowerCase());
      pieces[sides[i]] = all;
      kings |= own;
    }
    if (crown) kings |= (pieces[0] & BLACK_KING_ROW) | (pieces[1] & WHITE_KING_ROW);
    checkBoard(pieces[0], pieces[1], kings);
    return {black: pieces[0] >>> 0, white: pieces[1] >>> 0, kings: kings >>> 0, side};
  } catch (error) {
    const isLettered = fields.slice(1).some(field => LETTERED.test(field)),
      values = {fen: quoted(stripped(text)), why: whyOf(error)};
    throw isLettered
      ? refusal("FEN {fen}: {why} (with letters, a1 is at the left hand of Black)", values, "fen")
      : refusal("FEN {fen}: {why}", values, "fen");
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
    throw refusal("{text} is not a move: write it as 11-15, or 22x15 for a capture", {text: quoted(text)}, "move");
  try {
    return /** @type {string[]} */ (text.match(/[0-9]+/g)).map(parsedSquare);
  } catch (error) {
    throw refusal("{text} is not a move: {why}", {text: quoted(text), why: whyOf(error)}, "move");
  }
}

/** @param {readonly number[]} path squares 0-31 @param {boolean} capture */
export const formatPath = (path, capture) => path.map(squareName).join(capture ? "x" : "-");
