// Exact play: the moves of a position with their values, and the one that is hardest to answer (kr/egdb/exact.py,
// known_moves of kr/egdb/probe.py).

import {opposite} from "./chances.js";
import {hashOf} from "./hash.js";
import {signOf} from "./weighing.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./weighing.js").Database} Database */

/**
 * A move with its exact value for the side that plays it, and the plies to the end of the game under best play with
 * this one; null for a draw or if they aren't known.
 * @typedef {{move: Move, after: Position, value: Value, distance: number | null}} ExactMove
 */

/** An unknown distance: longer than all known ones. */
const ENDLESS = 1 << 16;

/**
 * Value for the side to move, by the rules or the database; null if unknown.
 * @param {Database | null} database
 * @param {Position} position
 * @returns {Value | null}
 */
export function exactValue(database, position) {
  if (position.isOver) return "loss";
  return database?.has(position) ? database.value(position) : null;
}

/** @param {Database | null} database @param {Position} position */
function distanceAfter(database, position) {
  if (position.isOver) return 1;
  const distance = database?.distance(position) ?? null;
  return distance === null ? null : distance + 1;
}

/**
 * Best first: quick wins before slow ones, slow losses before quick ones.
 * @param {ExactMove[]} moves
 * @param {number} unknown what an unknown distance counts
 */
const inOrder = (moves, unknown) =>
  moves.sort(
    (one, other) =>
      signOf(other.value) - signOf(one.value) ||
      signOf(one.value) * ((one.distance || unknown) - (other.distance || unknown)),
  );

/**
 * All legal moves, best first; none if one of them leads out of the database, or there is none.
 * @param {Database | null} database
 * @param {Position} position
 * @returns {ExactMove[]}
 */
export function exactMoves(database, position) {
  const moves = [];
  for (const move of position.legalMoves()) {
    const after = position.play(move),
      value = exactValue(database, after);
    if (value === null) return [];
    moves.push({move, after, value: opposite(value), distance: distanceAfter(database, after)});
  }
  return inOrder(moves, ENDLESS);
}

/**
 * The moves whose values are known, best first: captures may lead into the database.
 * @param {Database} database
 * @param {Position} position
 * @returns {ExactMove[]}
 */
export function knownMoves(database, position) {
  const moves = [];
  for (const move of position.legalMoves()) {
    const after = position.play(move),
      value = exactValue(database, after);
    if (value !== null) moves.push({move, after, value: opposite(value), distance: distanceAfter(database, after)});
  }
  return inOrder(moves, 0);
}

/**
 * The move that keeps the value and is hardest for the opponent; null if exactMoves has none. A win: the quickest. A
 * loss: the slowest, then the one with the fewest winning answers. A draw: the one with the most losing answers, to a
 * position not seen before if possible.
 * @param {Database | null} database
 * @param {Position} position
 * @param {readonly Position[]} [seen] earlier positions of the game
 * @returns {ExactMove | null}
 */
export function hardestMove(database, position, seen = []) {
  const moves = exactMoves(database, position);
  if (!moves.length) return null;
  const best = moves.filter(each => each.value === moves[0].value);
  if (best[0].value === "win") return best[0];
  const ranked = best.map(each => ({each, rank: difficulty(database, each, seen)}));
  return ranked.reduce((hardest, other) => (isAbove(other.rank, hardest.rank) ? other : hardest)).each;
}

/**
 * Numbers that are compared one after the other, higher for a move that is harder to answer.
 * @param {Database | null} database
 * @param {ExactMove} each
 * @param {readonly Position[]} seen
 * @returns {(number | bigint)[]}
 */
function difficulty(database, {after, value, distance}, seen) {
  const answers = exactMoves(database, after),
    right = answers.filter(answer => answer.value === opposite(value)).length,
    share = right / Math.max(1, answers.length),
    isNew = seen.some(other => other.equals(after)) ? 0 : 1;
  return value === "loss"
    ? [distance || ENDLESS, -share, after.pieces, isNew, hashOf(after)]
    : [isNew, -share, after.pieces, hashOf(after)];
}

/** @param {(number | bigint)[]} one @param {(number | bigint)[]} other */
function isAbove(one, other) {
  const place = one.findIndex((number, i) => number !== other[i]);
  return place >= 0 && one[place] > other[place];
}
