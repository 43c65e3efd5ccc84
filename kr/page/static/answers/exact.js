// Exact play: the moves of a position with their values, and the one that is hardest to answer.

import {opposite} from "./chances.js";
import {hashOf} from "./hash.js";
import {known, moveEarlier, signOf} from "./weighing.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./house.js").DatabasePort} DatabasePort */

/**
 * A move with its exact value for the side that plays it, and the plies to the end of the game under best play with
 * this one; null for a draw or if they aren't known. certificates: names of those that prove it.
 * @typedef {{move: Move, after: Position, value: Value, distance: number | null, certificates?: string[]}} ExactMove
 */

/** An unknown distance: longer than all known ones. */
const ENDLESS = 1 << 16;

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
 * @param {DatabasePort | null} database
 * @param {Position} position
 * @returns {Promise<ExactMove[]>}
 */
export async function exactMoves(database, position) {
  const moves = await movesOf(database, position);
  return moves.length === position.legalMoves().length ? inOrder(moves, ENDLESS) : [];
}

/**
 * The moves whose values are known, best first: captures may lead into the database, and certificates prove some.
 * @param {DatabasePort | null} database
 * @param {Position} position
 * @param {import("./house.js").CertificatesPort | null} certificates
 */
export async function knownMoves(database, position, certificates) {
  return inOrder(await movesOf(database, position, certificates), 0);
}

/**
 * @param {DatabasePort | null} database
 * @param {Position} position
 * @param {import("./house.js").CertificatesPort | null} [certificates]
 * @returns {Promise<ExactMove[]>}
 */
async function movesOf(database, position, certificates) {
  const moves = position.legalMoves(),
    reached = moves.map(move => position.play(move)),
    found = await known(database, reached, certificates);
  return moves.flatMap((move, index) => {
    const {value, distance, certificates: names} = moveEarlier(found[index]);
    return value === null ? [] : [{move, after: reached[index], value, distance, certificates: names}];
  });
}

/**
 * The move that keeps the value and is hardest for the opponent; null if exactMoves has none. A win: the quickest. A
 * loss: the slowest, then the one with the fewest winning answers. A draw: the one with the most losing answers, to a
 * position not seen before if possible.
 * @param {DatabasePort | null} database
 * @param {Position} position
 * @param {readonly Position[]} [seen] earlier positions of the game
 * @returns {Promise<ExactMove | null>}
 */
export async function hardestMove(database, position, seen = []) {
  const moves = await exactMoves(database, position);
  if (!moves.length) return null;
  const best = moves.filter(each => each.value === moves[0].value);
  if (best[0].value === "win") return best[0];
  const ranked = await Promise.all(best.map(async each => ({each, rank: await difficulty(database, each, seen)})));
  return ranked.reduce((hardest, other) => (isAbove(other.rank, hardest.rank) ? other : hardest)).each;
}

/**
 * Numbers that are compared one after the other, higher for a move that is harder to answer.
 * @param {DatabasePort | null} database
 * @param {ExactMove} each
 * @param {readonly Position[]} seen
 * @returns {Promise<(number | bigint)[]>}
 */
async function difficulty(database, {after, value, distance}, seen) {
  const answers = await exactMoves(database, after),
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
