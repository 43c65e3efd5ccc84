// Levels below full strength: fewer nodes, and errors of a stated kind. A level searches all legal moves within its
// nodes; each may then be overlooked; of those seen it plays one at random, weighted by p^likeness * exp(expected
// result / temperature), where p is the probability that a person plays the move; but a won game is not thrown away.

import {Draws} from "./draws.js";

/** @typedef {import("../house.js").House} House */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("../rules.js").Position} Position */

/**
 * What kr/page/data.py makes of kr's levels; nodes: null at full strength.
 * @typedef {{
 *   number: number, nodes: number | null, temperature: number, overlook: number, likeness: number, database: boolean,
 * }} Level
 */

/** What a draw by lot takes. @typedef {Pick<Draws, "random" | "below" | "weighted">} Source */

/** Least expected result of a move that counts as winning. */
const AS_GOOD_AS_WON = 0.95;
const MOST_LINES = 64;

/** Key of a move: equal for moves to the same position. @param {Move} move */
const squaresKey = ({origin, target, captured}) => `${origin},${target},${captured}`;

/**
 * The moves of a position as people play them, the likeliest first.
 * @param {House} house
 * @param {Position} position
 * @param {readonly Position[]} history
 */
export const likelyMoves = (house, position, history) => house.engine.people([...history.slice(-2), position], -1);

/**
 * The line that a level chooses; undefined if the search was ended before it had any. Its random choices depend only on
 * the seed, the position and the length of the history.
 * @param {House} house
 * @param {Level & {nodes: number}} level
 * @param {Position} position
 * @param {readonly Position[]} history
 * @param {{limits: import("./clock.js").Limits, seed: string, signal: AbortSignal, fresh: boolean}} how
 */
export async function searchAt(house, level, position, history, {limits, seed, signal, fresh}) {
  const {database, nodes} = level,
    own = {...limits, nodes};
  const result = await house.engine.search({
    position,
    history,
    limits: own,
    lines: MOST_LINES,
    small: true,
    database,
    fresh,
    signal,
  });
  if (!result.lines.length) return undefined;
  // if a search ran out of nodes, its lines may not be in the order of their scores
  const lines = [...result.lines].sort((one, other) => other.score - one.score),
    chances = await house.chances,
    expected = lines.map(line => chances.of(line.score).expected);
  /** @type {number[] | null} */
  let likely = null;
  if (level.likeness) {
    const choices = await likelyMoves(house, position, history),
      byMove = new Map(choices.map(({move, probability}) => [squaresKey(move), probability]));
    likely = lines.map(line => byMove.get(squaresKey(line.moves[0])) ?? 0);
  }
  const source = new Draws(`${seed} ${position.key} ${history.length}`),
    line = lines[choose(level, expected, source, likely)];
  return {move: line.moves[0], score: line.score, depth: result.depth, nodes: result.nodes, time: result.seconds};
}

/**
 * Index of the move that a level plays.
 * @param {Pick<Level, "overlook" | "temperature" | "likeness">} level
 * @param {readonly number[]} expected result of each move, best first
 * @param {Source} source
 * @param {readonly number[] | null} [likely] probability that a person plays each move
 */
export function choose(level, expected, source, likely = null) {
  let noticed = [...expected.keys()].filter(() => source.random() >= level.overlook);
  if (!noticed.length) noticed = [source.below(expected.length)];
  const [best] = noticed;
  let choice = best;
  if (level.temperature) {
    const weights = noticed.map(
      index =>
        Math.exp((expected[index] - expected[best]) / level.temperature) *
        (likely ? likely[index] ** level.likeness : 1),
    );
    if (weights.some(Boolean)) choice = noticed[source.weighted(weights)];
  }
  return expected[choice] >= AS_GOOD_AS_WON ? best : choice;
}
