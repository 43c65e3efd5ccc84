// What the opening book says, in words.

import {scoreWords} from "./analysis/words.js";
import {decimal, t} from "./texts.js";

/** @typedef {import("./analysis/words.js").Value} Value */
/**
 * How far a game keeps to the book. plies: its moves from positions of the book; left: the first of them that the book
 * would not play, by side; value: of what it plays; loss: by which the move is worse, null if the book has no value for
 * it.
 * @typedef {{plies: number, left: {ply: number, side: "black" | "white", move: string, best: string, value: number,
 *   loss: number | null} | null}} BookPath
 */

/** Value of a proved win. */
export const PROVED = 10_000;
const MOST_LOSS = 254; // stands for more, too

/**
 * A value of the book as a score.
 * @param {number | null} value
 * @returns {{score: number | null, value?: Value, plies?: null}}
 */
export function bookScore(value) {
  if (value === null || Math.abs(value) < PROVED) return {score: value};
  return {score: null, value: value > 0 ? "win" : "loss", plies: null};
}

/** A loss in men: "0.37"; "" if it isn't known. @param {number | null} loss */
export const lossWords = loss => (loss === null || loss >= MOST_LOSS ? "" : decimal(loss / 100, 2));

/**
 * Where a game leaves the book, or the book ends.
 * @param {BookPath} path
 * @param {string} move with its number: the one that leaves the book, or the last one before its end
 * @param {boolean} turned scores are told for the other side than that of the move
 */
export function pathWords({left}, move, turned) {
  if (!left) return t("The book ends after {move}", {move});
  const loss = lossWords(left.loss),
    score = scoreWords(bookScore(left.value), turned);
  const better = loss
    ? t("{move} is {loss} better", {move: left.best, loss})
    : t("the book plays {move} ({score})", {move: left.best, score});
  return left.side === "black"
    ? t("Black left the book with {move}: {better}", {move, better})
    : t("White left the book with {move}: {better}", {move, better});
}
