// Chances of a win, a draw and a loss behind a score, and likely values: kr/evaluation/chances.py and verdicts.py.

/** @typedef {"win" | "draw" | "loss"} Value */

/** A win or loss that is proved scores beyond this (SCORE_STATIC_MAX of the core). */
export const SCORE_PROVED = 28000;
/** So does one searched to its end. */
export const SCORE_DECIDED = 29000;
export const SCORE_WIN = 30000;

/**
 * Facts that kr/page/data.py makes of kr/evaluation/chances.py and verdicts.json, where their meaning stands. scale:
 * centi-men in a logit
 * @typedef {{
 *   scale: number, draw_share: number, verdicts: {
 *     won: number, drawn: number, pieces: number, chance: number,
 *     composed: {won: number, drawn: [number, number], chance: number},
 *   },
 * }} Facts
 */
/** @typedef {{value: Value, chance: number}} Likely a value, and the share of such verdicts that come true */

/** @param {number} win @param {number} draw @param {number} loss */
export const chancesBy = (win, draw, loss) => ({win, draw, loss, expected: win + draw / 2});

/** @typedef {ReturnType<typeof chancesBy>} Chances */

/** @type {Record<Value, Chances>} */
export const KNOWN = {win: chancesBy(1, 0, 0), draw: chancesBy(0, 1, 0), loss: chancesBy(0, 0, 1)};

/** @param {number} number @returns {Value} */
export const valueOfSign = number => (number > 0 ? "win" : number < 0 ? "loss" : "draw");

/** The value from the opponent's view. @param {Value} value @returns {Value} */
export const opposite = value => (value === "win" ? "loss" : value === "loss" ? "win" : "draw");

export class ChancesOfScores {
  /** @param {Facts} facts */
  constructor(facts) {
    this._facts = facts;
  }

  /** @param {number} score of the side to move @param {Value | null} [value] if it is proved */
  of(score, value = null) {
    const known = value ?? (Math.abs(score) > SCORE_PROVED ? valueOfSign(score) : null);
    if (known) return KNOWN[known];
    const worse = 1 / (1 + Math.exp(Math.min(Math.abs(score) / this._facts.scale, 700))),
      draw = 2 * this._facts.draw_share * worse,
      [win, loss] = [1 - worse - draw / 2, worse - draw / 2];
    return score >= 0 ? chancesBy(win, draw, loss) : chancesBy(loss, draw, win);
  }

  /**
   * The likely value of a position for its side to move; null if it is unclear. For scores that prove nothing.
   * @param {number} score of a search of the position
   * @param {number} reply of one after its best move, for the same side
   * @param {number} pieces on the board
   * @returns {Likely | null}
   */
  likely(score, reply, pieces) {
    const {scale, verdicts} = this._facts,
      [value, other] = [score, reply].map(each => this.#indicated(each / scale));
    if (!value || value !== other || pieces > verdicts.pieces) return null;
    return {value, chance: verdicts.chance};
  }

  /** The value that a score indicates by itself. @param {number} score in units of the scale @returns {Value | null} */
  #indicated(score) {
    const {won, drawn} = this._facts.verdicts;
    if (Math.abs(score) <= drawn) return "draw";
    return Math.abs(score) >= won ? valueOfSign(score) : null;
  }

  /**
   * The likely value of a composed problem for its solver, who is to move; null if it is unclear.
   * @param {number} score of a search, which proves nothing
   * @returns {Likely | null}
   */
  likelyIfComposed(score) {
    const {scale, verdicts} = this._facts,
      {won, drawn, chance} = verdicts.composed,
      [low, high] = drawn;
    if (score / scale >= won) return {value: "win", chance};
    return low <= score / scale && score / scale <= high ? {value: "draw", chance} : null;
  }
}
