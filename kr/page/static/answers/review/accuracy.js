// Accuracy, the quality of a side's play in a game as one figure: kr/analysis/annotation/accuracy.py. A move scores
// from 100, if it gave nothing away, down to 0; accuracy is the mean over the moves, each weighted by how open the game
// was.

/** @typedef {import("./judging.js").JudgedMove} JudgedMove */

/** Expected result that halves the score of a move that gives it away: the least of an inaccuracy. */
const HALVED = 0.08;

/** Score of a judged move, from 0 to 1. @param {JudgedMove} judged */
export const moveQuality = judged => 0.5 ** (judged.loss / HALVED);

/** Weight of a move, from 0 to 1; 0 if it was not judged. @param {JudgedMove} judged */
export function moveWeight({judged, obvious, expected, othersExpected}) {
  if (!judged || obvious || expected === null || othersExpected === null) return 0;
  const low = Math.min(expected, othersExpected),
    high = Math.max(expected, othersExpected);
  return openness(Math.min(Math.max(0.5, low), high));
}

/** Uncertainty of a game by its expected result: 1 if it is even, 0 if it is decided. @param {number} expected */
const openness = expected => 4 * expected * (1 - expected);
