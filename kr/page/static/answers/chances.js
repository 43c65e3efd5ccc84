// Chances of a win, a draw and a loss behind a score: kr/evaluation/chances.py.

/** @typedef {"win" | "draw" | "loss"} Value */

/** A win or loss that is proved scores beyond this (SCORE_STATIC_MAX of the core). */
export const SCORE_PROVED = 28000;
/** So does one searched to its end. */
export const SCORE_DECIDED = 29000;
export const SCORE_WIN = 30000;

export const DRAW_SHARE = 0.93;
/** Scores of a problem, in units of the scale, at which a win and a loss are as likely as not. */
export const PROBLEM_WIN = 0.55,
  PROBLEM_LOSS = -1.9;
/** Scale of a problem's chances, in units of that of games. */
export const PROBLEM_SPREAD = 0.5;

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

/** Chances by scores in a scale, centi-men in a logit. */
export class ChancesOfScores {
  /** @param {number} scale */
  constructor(scale) {
    this.scale = scale;
  }

  /** @param {number} score of the side to move @param {Value | null} [value] if it is proved */
  of(score, value = null) {
    const known = value ?? (Math.abs(score) > SCORE_PROVED ? valueOfSign(score) : null);
    if (known) return KNOWN[known];
    const worse = 1 / (1 + Math.exp(Math.min(Math.abs(score) / this.scale, 700))),
      draw = 2 * DRAW_SHARE * worse,
      [win, loss] = [1 - worse - draw / 2, worse - draw / 2];
    return score >= 0 ? chancesBy(win, draw, loss) : chancesBy(loss, draw, win);
  }

  /**
   * Chances of the value that a position has as a problem, whose author has something to show.
   * @param {number} score of the side to move @param {Value | null} [value] if it is proved
   */
  ofProblem(score, value = null) {
    const {scale} = this;
    if (value || Math.abs(score) > SCORE_PROVED) return this.of(score, value);
    const share = (/** @type {number} */ beyond) =>
        1 / (1 + Math.exp(Math.min(beyond / (PROBLEM_SPREAD * scale), 700))),
      [win, loss] = [share(PROBLEM_WIN * scale - score), share(score - PROBLEM_LOSS * scale)];
    return chancesBy(win, 1 - win - loss, loss);
  }
}
