// Chances of people's moves by what a search knows of each: kr/policy/calibration.py.

/**
 * What kr/page/data.py makes of calibration.json, where the meaning stands in the module beside it.
 * @typedef {{
 *   policy: string, nodes: number, losses: number[], search: {most: number, power: number, odds: number[]}[],
 *   exact: number, correction: {most: number, constant: number, likely: number, seen: number, judged: number},
 *   losing: number, chances: number[], holds: Record<"judged" | "seen" | "others", boolean[][]>,
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
   * @param {readonly number[]} losses expected result, 0 to 1, that each gives away by the short search
   * @param {number} pieces on the board
   * @param {boolean} [isExact] the losses are those of values that are known
   */
  chances(probabilities, losses, pieces, isExact = false) {
    const {search, exact} = this._numbers,
      {power, odds} = search[this.#classOf(pieces)],
      logits = probabilities.map((each, i) => {
        const loss = losses[i];
        return power * Math.log(Math.max(each, LEAST)) - (isExact ? exact * Number(loss > 0) : this.#odds(odds, loss));
      }),
      highest = Math.max(...logits),
      weights = logits.map(logit => Math.exp(logit - highest)),
      total = sumOf(weights);
    return weights.map(weight => weight / total);
  }

  /**
   * Chances of a position's moves, of which a deeper search knows that some lose; the others share what is left.
   * @param {readonly number[]} chances by the short search
   * @param {readonly number[]} seen losses by the short search
   * @param {readonly (number | null)[]} judged those by the deeper one; null where it knows none
   */
  corrected(chances, seen, judged) {
    const own = chances.map((chance, i) => {
        const loss = judged[i];
        return loss === null || !this.isLosing(loss) ? null : this.#correctedChance(chance, seen[i], loss);
      }),
      rest = sumOf(chances.filter((_, i) => own[i] === null)),
      left = 1 - sumOf(own.map(each => each ?? 0)),
      scale = rest ? left / rest : 1;
    return chances.map((chance, i) => own[i] ?? chance * scale);
  }

  /** True if a move with this loss counts as a losing one. @param {number} loss */
  isLosing(loss) {
    return loss >= this._numbers.losing;
  }

  /**
   * True if the test confirmed such a chance, so that it may be told as a number.
   * @param {number} chance
   * @param {number} pieces
   * @param {number} seen the move's loss by the short search
   * @param {number | null} judged that by a deeper one, null without one
   */
  holds(chance, pieces, seen, judged) {
    const {chances, holds} = this._numbers,
      isJudged = judged !== null && this.isLosing(judged),
      held = (isJudged ? holds.judged : this.isLosing(seen) ? holds.seen : holds.others)[this.#classOf(pieces)];
    return held[chances.findLastIndex(edge => edge <= chance)];
  }

  /** @param {number} chance @param {number} seen @param {number} loss */
  #correctedChance(chance, seen, loss) {
    if (chance <= 0 || chance >= 1) return chance;
    const {chances, correction} = this._numbers,
      {most, constant, likely, seen: ofSeen, judged} = correction,
      odds = logOdds(chance),
      above = Math.max(0, odds - logOdds(chances[chances.length - 1])),
      change = constant + likely * above + ofSeen * Math.min(seen, most) - judged * Math.min(loss, most);
    return 1 / (1 + Math.exp(-odds - change));
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

/** @param {readonly number[]} numbers */
const sumOf = numbers => numbers.reduce((sum, each) => sum + each, 0);

/** @param {number} chance */
const logOdds = chance => Math.log(chance / (1 - chance));
