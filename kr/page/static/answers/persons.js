// What people play in a position: the moves by the shipped policy, their chances by what a short search sees of each,
// or by their values where the database has them all. Who has searched a move deeper, as a review has, tells its loss.

import {Calibration} from "./calibration.js";
import {exactMoves} from "./exact.js";
import {MAX_LINES} from "./searches.js";
import {signOf} from "./weighing.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./house.js").EnginePort} EnginePort */
/** @typedef {Pick<EnginePort, "search"> | import("./house.js").Loan} Searching */
/** holds: such probabilities held in a test. @typedef {{move: Move, probability: number, holds: boolean}} PersonMove */
/**
 * What a deeper search knows: the expected result that a move gives away, and the least that any other does.
 * @typedef {{move: Move, loss: number, others: number}} JudgedLoss
 */
/**
 * group: of the mover, 0 for the strongest, -1 for any player; engine: a small one that has been borrowed
 * @typedef {{group?: number, judged?: JudgedLoss | null, engine?: Searching, signal?: AbortSignal}} How
 */

/** Of players of some strength less did not hold in the test, nor did chances of losing moves (docs/lab/policy.md). */
const LEAST_OF_GROUP = 0.03;

/** @param {House} house */
export async function personsOf(house) {
  const [{calibration}, database, chances] = await Promise.all([house.data("people"), house.database(), house.chances]);
  return new Persons(house.engine, database, chances, calibration);
}

export class Persons {
  /**
   * @param {EnginePort} engine
   * @param {import("./house.js").DatabasePort | null} database
   * @param {import("./weighing.js").ChancesOf} chances
   * @param {import("./calibration.js").Numbers} numbers
   */
  constructor(engine, database, chances, numbers) {
    this._engine = engine;
    this._database = database;
    this._chances = chances;
    this._nodes = numbers.nodes;
    this._calibration = new Calibration(numbers);
  }

  /**
   * The last position's moves, the likeliest first. Captures of the same pieces along different paths are one move.
   * @param {readonly Position[]} positions up to two before it, oldest first, then the position
   * @param {How} [how]
   * @returns {Promise<PersonMove[]>}
   */
  async moves(positions, {group = -1, judged = null, engine = this._engine, signal} = {}) {
    const position = /** @type {Position} */ (positions.at(-1)),
      choices = await this._engine.people(positions, group);
    if (choices.length < 2) return choices.map(each => ({...each, holds: true}));
    const exact = await this.#exactLosses(position),
      losses = exact ?? (await this.#searched(position, engine, signal));
    // the search was ended at once
    if (!losses.size) return choices.map(each => ({...each, holds: false}));
    // a search has no more lines than MAX_LINES
    const numbers = this._calibration,
      highest = Math.max(...losses.values()),
      seen = choices.map(({move}) => losses.get(squaresOf(move)) ?? highest),
      probabilities = choices.map(({probability}) => probability),
      short = numbers.chances(probabilities, seen, position.pieces, Boolean(exact)),
      known = choices.map(({move}) => (judged && !exact ? this.#judgedLoss(judged, move) : null)),
      chances = numbers.corrected(short, seen, known);
    return choices
      .map(({move}, i) => {
        const isConfirmed = group < 0 || (chances[i] >= LEAST_OF_GROUP && !numbers.isLosing(known[i] ?? seen[i]));
        return {
          ...{move, probability: chances[i]},
          holds: isConfirmed && numbers.holds(chances[i], position.pieces, seen[i], known[i]),
        };
      })
      .sort((one, other) => other.probability - one.probability);
  }

  /** The loss of a move, if a deeper search knows it. @param {JudgedLoss} judged @param {Move} move */
  #judgedLoss(judged, move) {
    if (squaresOf(move) === squaresOf(judged.move)) return judged.loss;
    return this._calibration.isLosing(judged.others) ? judged.others : null;
  }

  /** The expected result that each move gives away, by their values; null if these are not all known. */
  async #exactLosses(/** @type {Position} */ position) {
    const [best, ...others] = await exactMoves(this._database, position);
    if (!best) return null;
    return lossesOf([best, ...others].map(({move, value}) => [move, (1 + signOf(value)) / 2]));
  }

  /** @param {Position} position @param {Searching} engine @param {AbortSignal | undefined} signal */
  async #searched(position, engine, signal) {
    const {lines} = await engine.search({
      ...{position, limits: {nodes: this._nodes}, lines: MAX_LINES, fresh: true},
      ...(engine === this._engine && {small: true, signal}),
    });
    return lossesOf(lines.map(({moves, score}) => [moves[0], this._chances.of(score, null).expected]));
  }
}

/**
 * What each move gives away, by the squares of its moves.
 * @param {[Move, number][]} expected results of moves
 */
function lossesOf(expected) {
  /** @type {Map<string, number>} */
  const losses = new Map(),
    best = Math.max(...expected.map(([, each]) => each));
  for (const [move, each] of expected) {
    const squares = squaresOf(move);
    losses.set(squares, Math.min(best - each, losses.get(squares) ?? 1));
  }
  return losses;
}

/** Equal for captures of the same pieces along different paths. @param {Move} move */
const squaresOf = ({origin, target, captured}) => `${origin},${target},${captured}`;
