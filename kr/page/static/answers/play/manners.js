// Resignation and draw offers of kr against people, judged by its scores so far. Scores are in centi-men from its
// view, one for each search of the game, oldest first.

const RESIGN_SCORE = 400,
  RESIGN_MOVES = 4,
  OFFER_SCORE = 10,
  OFFER_MOVES = 12,
  OFFER_AFTER = 60;
/** Largest score with which it accepts a draw, and the number of its last moves whose scores must not exceed it. */
const ACCEPT_SCORE = 15,
  ACCEPT_MOVES = 5;
/** Plies before it accepts a draw in an even game; with a deficit of WORSE_SCORE it accepts at any time. */
const ACCEPT_AFTER = 40,
  WORSE_SCORE = 50;
/** Plies after a declined offer before the same side may make another. */
export const OFFER_AGAIN = 20;

/** True if it resigns. @param {number[]} scores */
export function givesUp(scores) {
  const recent = scores.slice(-RESIGN_MOVES);
  return recent.length === RESIGN_MOVES && Math.max(...recent) <= -RESIGN_SCORE;
}

/** True if it offers a draw with its move. @param {number[]} scores @param {number} plies */
export function offersDraw(scores, plies) {
  const recent = scores.slice(-OFFER_MOVES);
  return plies >= OFFER_AFTER && recent.length === OFFER_MOVES && Math.max(...recent.map(Math.abs)) <= OFFER_SCORE;
}

/**
 * Why it declines a draw, with the number of moves or plies before which it accepts none; null if it accepts.
 * @param {number[]} scores
 * @param {number} plies
 * @returns {{why: "ahead" | "was ahead" | "moves" | "plies", number: number} | null}
 */
export function refusal(scores, plies) {
  const recent = scores.slice(-ACCEPT_MOVES),
    last = recent.at(-1);
  if (last !== undefined && last > ACCEPT_SCORE) return {why: "ahead", number: 0};
  if (recent.length < ACCEPT_MOVES) return {why: "moves", number: ACCEPT_MOVES};
  const best = Math.max(...recent);
  if (best > ACCEPT_SCORE) return {why: "was ahead", number: 0};
  return best > -WORSE_SCORE && plies < ACCEPT_AFTER ? {why: "plies", number: ACCEPT_AFTER} : null;
}
