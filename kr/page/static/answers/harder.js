// Of moves that all draw, those after which people likelier lose by their next move: an order, since in recorded games
// no number held (docs/lab/policy.md). kr.players.people says the same; tests/cases/harder.json has cases of both.

import {exactMoves} from "./exact.js";
import {drawByRule} from "./rules.js";

/** @typedef {import("./exact.js").ExactMove} ExactMove */
/** @typedef {import("./house.js").DatabasePort} DatabasePort */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {Pick<import("./persons.js").Persons, "moves">} People */

/** Most pieces of drawn endings in which the order of chances was tested. */
const TESTED_PIECES = 5;
/** Least chance that people lose by their next move that counts as one, and chance below which there is none. */
const A_CHANCE = 0.03,
  NO_CHANCE = 0.01;

/**
 * The chance that people lose a drawn position by their next move.
 * @param {DatabasePort | null} database
 * @param {People} persons
 * @param {readonly Position[]} positions up to two before it, then the position
 */
async function lossChance(database, persons, positions) {
  const position = /** @type {Position} */ (positions.at(-1)),
    losing = (await exactMoves(database, position)).filter(({value}) => value === "loss");
  if (!losing.length) return 0;
  const likely = await persons.moves(positions);
  return likely
    .filter(({move}) => losing.some(({move: {origin, target}}) => origin === move.origin && target === move.target))
    .reduce((sum, {probability}) => sum + probability, 0);
}

/**
 * That chance after each of some moves that draw: 0 where the game can be claimed drawn.
 * @param {DatabasePort | null} database
 * @param {People} persons
 * @param {readonly Position[]} played positions of the game, the one of the moves last
 * @param {readonly ExactMove[]} draws
 */
const chancesAfter = (database, persons, played, draws) =>
  Promise.all(
    draws.map(({after}) =>
      drawByRule(after, played) ? 0 : lossChance(database, persons, [...played.slice(-1), after]),
    ),
  );

/**
 * Of the moves that draw the hardest for people, where the one played gives them no chance to lose; null if they have
 * little with any, or it is not known.
 * @param {DatabasePort | null} database
 * @param {People} persons
 * @param {readonly Position[]} played positions of the game, the one of the move last
 * @param {import("./rules.js").Move} move
 */
export async function harderDraw(database, persons, played, move) {
  const position = /** @type {Position} */ (played.at(-1)),
    exact = position.pieces <= TESTED_PIECES ? await exactMoves(database, position) : [],
    draws = exact.filter(({value}) => value === "draw"),
    own = draws.findIndex(each => each.move.equals(move));
  if (exact[0]?.value !== "draw" || own < 0) return null;
  const chances = await chancesAfter(database, persons, played, draws),
    most = Math.max(...chances);
  return chances[own] < NO_CHANCE && most >= A_CHANCE ? draws[chances.indexOf(most)].move : null;
}

/**
 * The moves of a position, of those that draw the harder ones for people first; whether they differ in that.
 * @param {DatabasePort} database
 * @param {People} persons
 * @param {readonly Position[]} played positions of the game, the one of the moves last
 * @param {readonly ExactMove[]} moves best first
 */
export async function harderFirst(database, persons, played, moves) {
  const draws = moves.filter(({value}) => value === "draw");
  if (draws.length < 2 || /** @type {Position} */ (played.at(-1)).pieces > TESTED_PIECES) {
    return {moves, isOrdered: false};
  }
  const chances = await chancesAfter(database, persons, played, draws),
    order = new Map(draws.map((each, i) => [each, chances[i]])),
    sorted = [...draws].sort((one, other) => (order.get(other) ?? 0) - (order.get(one) ?? 0)),
    first = moves.indexOf(draws[0]);
  return {
    moves: [...moves.slice(0, first), ...sorted, ...moves.slice(first + draws.length)],
    isOrdered: Math.max(...chances) > Math.min(...chances),
  };
}
