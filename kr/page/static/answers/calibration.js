// Chances of people's moves by what a search knows of each: kr/policy/calibration.py.

/**
 * What kr/page/data.py makes of calibration.json, where the meaning stands in the module beside it.
 * @typedef {{
 *   policy: string, nodes: number, losses: number[], stakes: number, strengths: number[], losing: number,
 *   search: {most: number, power: number, odds: number[], stakes: {power: number, odds: number}}[],
 *   exact: {power: number, odds: number}, chances: number[],
 *   holds: {losing: boolean[][], others: boolean[][]},
 * }} Numbers
 */

const LEAST = 1e-9;

export class Calibration {
  /** @param {Numbers} numbers */
  constructor(numbers) {
    this._numbers = numbers;
  }

  /**
   * Chances of a position's moves.
   * @param {readonly number[]} probabilities by the policy
   * @param {readonly number[]} losses expected result, 0 to 1, that each gives away
   * @param {number} pieces on the board
   * @param {number} [group] of the player, 0 for the strongest, -1 for anyone
   * @param {boolean} [isExact] the losses are those of values that are known
   */
  chances(probabilities, losses, pieces, group = -1, isExact = false) {
    const factor = this._numbers.strengths.at(group) ?? 1,
      {power, odds} = isExact ? this.#exact(losses) : this.#searched(probabilities, losses, pieces),
      logits = probabilities.map((each, i) => power * Math.log(Math.max(each, LEAST)) - factor * odds[i]),
      highest = Math.max(...logits),
      weights = logits.map(logit => Math.exp(logit - highest)),
      total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map(weight => weight / total);
  }

  /**
   * True if the test confirmed such a chance of a move with this loss, so that it may be told as a number.
   * @param {number} chance
   * @param {number} loss
   * @param {number} pieces
   */
  holds(chance, loss, pieces) {
    const {losing, chances, holds} = this._numbers,
      held = (loss >= losing ? holds.losing : holds.others)[this.#classOf(pieces)];
    return held[chances.findLastIndex(edge => edge <= chance)];
  }

  /** @param {readonly number[]} losses */
  #exact(losses) {
    const {power, odds} = this._numbers.exact;
    return {power, odds: losses.map(loss => (loss > 0 ? odds : 0))};
  }

  /** @param {readonly number[]} probabilities @param {readonly number[]} losses @param {number} pieces */
  #searched(probabilities, losses, pieces) {
    const {power, odds, stakes} = this._numbers.search[this.#classOf(pieces)],
      expected = losses.reduce((sum, loss, i) => sum + probabilities[i] * loss, 0),
      counted = Math.min(this._numbers.stakes, expected);
    return {
      power: power + stakes.power * counted,
      odds: losses.map(loss => this.#odds(odds, loss) + stakes.odds * counted * loss),
    };
  }

  /** @param {readonly number[]} slopes @param {number} loss */
  #odds(slopes, loss) {
    const {losses} = this._numbers;
    return slopes.reduce(
      (sum, slope, i) => sum + slope * (Math.min(loss, losses[i + 1]) - Math.min(loss, losses[i])),
      0,
    );
  }

  /** @param {number} pieces */
  #classOf(pieces) {
    const {search} = this._numbers,
      found = search.findIndex(({most}) => pieces <= most);
    return found < 0 ? search.length - 1 : found;
  }
}
