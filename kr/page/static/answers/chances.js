// Chances of a win, a draw and a loss behind a score: kr/evaluation/chances.py.

/** @typedef {"win" | "draw" | "loss"} Value */

/** A win or loss that is proved scores beyond this (SCORE_STATIC_MAX of the core). */
export const SCORE_PROVED = 28000;
/** So does one searched to its end. */
export const SCORE_DECIDED = 29000;
export const SCORE_WIN = 30000;

/**
 * Facts that kr/page/data.py makes of kr/evaluation/chances.py. scale: centi-men in a logit
 * @typedef {Record<"scale" | "draw_share" | "problem_win" | "problem_loss" | "problem_spread", number>} Facts
 */

/** @param {number} win @param {number} draw @param {number} loss */
export const chancesBy = (win, draw, loss) => ({win, draw, loss, expected: win + draw / 2});

/** @typedef {ReturnType<typeof chancesBy>} Chances */

/** @type {Record<Value, Chances>} */
export const KNOWN = {win: chancesBy(1, 0, 0), draw: chancesBy(0, 1, 0), loss: chancesBy(0, 0, 1)};

/** @param {number} number @returns {Value} */
export const valueOfSign = number => (number > 0 ? "win" : number < 0 ? "loss" : "draw");

/** The value from the opponent's view. @param {Value} value @returns {Value} */
export const opposite = value => (value === "win" ? "loss" : value === "loss" ? "win" : "draw");

/**
 * Likeliest value; a draw where it is as likely as any other.
 * @param {Chances} chances
 * @returns {Value}
 */
export function likeliest({win, draw, loss}) {
  if (draw >= win && draw >= loss) return "draw";
  return win >= loss ? "win" : "loss";
}

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
   * Chances of the value that a position has as a problem, whose author has something to show.
   * @param {number} score of the side to move @param {Value | null} [value] if it is proved
   */
  ofProblem(score, value = null) {
    const {scale, problem_win: won, problem_loss: lost, problem_spread: spread} = this._facts;
    if (value || Math.abs(score) > SCORE_PROVED) return this.of(score, value);
    const share = (/** @type {number} */ beyond) => 1 / (1 + Math.exp(Math.min(beyond / (spread * scale), 700))),
      [win, loss] = [share(won * scale - score), share(score - lost * scale)];
    return chancesBy(win, 1 - win - loss, loss);
  }
}
