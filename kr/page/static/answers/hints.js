// Reasons for a hint: the line that follows, the pieces that it wins, and what the best alternative gives up.
//
//   {"text", "path", "captured",            the move
//    "forced": true,                        there is no other; left out if there is
//    "score": 120, "plies": 7,              of the side to move; plies to the end of a win or loss seen to its end
//    "line": [{move, "fen"}, ...],          the move and what follows
//    "gain": {"pieces": 1, "plies": 5},     pieces won by the line, negative for lost ones, and the plies it takes;
//                                           null if as many are taken as lost
//    "crowned": 3,                          plies after which a man of this side is crowned; null if none is
//    "other": {...}}                        the same of the best alternative, and its "value"; null if there is none
//
// Gains are counted where no capture is due: within an exchange the count means nothing.

import {opposite, SCORE_DECIDED, SCORE_PROVED, SCORE_WIN, valueOfSign} from "./chances.js";
import {countOf} from "./notation.js";
import {BLACK, lineJson, moveJson} from "./rules.js";
import {known} from "./weighing.js";

/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./weighing.js").Info} Line */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./house.js").DatabasePort} DatabasePort */

/** Moves of a line that are shown. */
const MOST_HINT_MOVES = 12;

/**
 * A hint as JSON.
 * @param {Position} position
 * @param {readonly Line[]} lines of a search with two, the best first
 * @param {DatabasePort | null} database
 */
export async function hintJson(position, lines, database) {
  const [best, ...rest] = lines,
    other = rest.find(line => !line.moves[0].equals(best.moves[0]));
  return {
    ...reasons(position, best),
    ...(position.entries.length === 1 && {forced: true}),
    other: other ? {...reasons(position, other), value: await valueOf(position, other, database)} : null,
  };
}

/**
 * Pieces that the side to move wins by a line, negative for lost ones, and the plies after which it has; null if the
 * line ends with as many as it began.
 * @param {Position} position
 * @param {readonly Move[]} line
 */
export function gainOf(position, line) {
  const before = lead(position, position.side),
    /** @type {{plies: number, count: number}[]} */
    counts = [];
  let at = position;
  for (const [index, move] of line.entries()) {
    at = at.after(move);
    if (!at.entries[0]?.captured) counts.push({plies: index + 1, count: lead(at, position.side) - before});
  }
  const pieces = counts.at(-1)?.count ?? 0;
  if (!pieces) return null;
  let plies = line.length;
  for (const each of counts.reverse()) {
    if (each.count * pieces < 0 || Math.abs(each.count) < Math.abs(pieces)) break;
    plies = each.plies;
  }
  return {pieces, plies};
}

/** @param {Position} position @param {Line} line */
function reasons(position, {moves, score}) {
  let at = position,
    /** @type {number | null} */
    crowned = null;
  for (const [index, move] of moves.entries()) {
    const {side, kings} = at;
    at = at.after(move);
    const isCrowned = !((kings >>> move.origin) & 1) && (at.kings >>> move.target) & 1;
    if (isCrowned && side === position.side) crowned ??= index + 1;
  }
  return {
    ...moveJson(moves[0]),
    score,
    plies: Math.abs(score) > SCORE_DECIDED ? SCORE_WIN - Math.abs(score) : null,
    line: lineJson(position, moves.slice(0, MOST_HINT_MOVES)),
    gain: gainOf(position, moves),
    crowned,
  };
}

/** @param {Position} position @param {number} side */
function lead({black, white}, side) {
  const difference = countOf(black) - countOf(white);
  return side === BLACK ? difference : -difference;
}

/**
 * Proved value of a line's first move; null if unknown.
 * @param {Position} position
 * @param {Line} line
 * @param {DatabasePort | null} database
 * @returns {Promise<Value | null>}
 */
async function valueOf(position, {moves, score}, database) {
  if (Math.abs(score) > SCORE_PROVED) return valueOfSign(score);
  const [{value}] = await known(database, [position.after(moves[0])]);
  return value && opposite(value);
}
