// What is known of the regions of a position, in words. Nothing here touches the document.

import {COUNTS} from "../offers.js";
import {formatted, said, signed, t} from "../texts.js";

/** @typedef {{squares: number[], score: number, own: number, seen: number | null}} Region */
/**
 * The static score of a position and its parts, in hundredths of a man for Black.
 * @typedef {{fen: string, weights: string, score: number, material: number | null, move: number | null,
 *   empty: number | null, shares: Record<string, number>, shared: boolean, regions: Region[],
 *   evidence: import("../texts.js").Said,
 *   remark: "" | "over" | "capture"}} Answer
 */

export const SHOWN = 10; // regions listed at first
const FULL = 40; // hundredths of a man at which a square is fully coloured

/**
 * A score in men: "+0.4", "−1.2", "0.0"; small ones with two decimals.
 * @param {number} score in hundredths of a man
 * @param {number} [decimals]
 */
export const inMen = (score, decimals = 1) => signed(score / 100, decimals);

/** A large number in words. @param {number} number */
export const roughly = number =>
  number >= 1e6
    ? t("{number} million", {number: formatted(Number((number / 1e6).toPrecision(2)))})
    : number >= 1000
      ? t("{number} thousand", {number: formatted(Number((number / 1000).toPrecision(2)))})
      : formatted(number);

/** Each region's score spread over its squares. @param {Region[]} regions @returns {Record<string, number>} */
export function spread(regions) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const {squares, score} of regions) {
    for (const square of squares) sums[square] = (sums[square] || 0) + score / squares.length;
  }
  return sums;
}

/**
 * Colours (-1 for White to 1 for Black) and labels of squares, from scores.
 * @param {Record<string, number>} scores
 */
export function coloured(scores) {
  /** @type {Record<string, number>} */
  const heat = {};
  /** @type {Record<string, string>} */
  const labels = {};
  for (const [square, score] of Object.entries(scores)) {
    heat[square] = Math.max(-1, Math.min(1, score / FULL));
    labels[square] = inMen(score, 2);
  }
  return {heat, labels};
}

/** The score in a sentence. @param {Answer} answer */
export function scoreWords({score, weights}) {
  const values = {score: inMen(Math.abs(score)).replace("+", ""), weights};
  if (Number((score / 100).toFixed(1)) === 0) return t("At a glance the sides are equal ({weights}).", values);
  if (Math.abs(score) < 95) {
    return score > 0
      ? t("At a glance Black is ahead by {score} of a man ({weights}).", values)
      : t("At a glance White is ahead by {score} of a man ({weights}).", values);
  }
  return score > 0
    ? t("At a glance Black is ahead by {score} men ({weights}).", values)
    : t("At a glance White is ahead by {score} men ({weights}).", values);
}

/** What the score is made of; "" for an evaluation that does not tell. @param {Answer} answer */
export function partWords({shared, material, move, empty, shares}) {
  if (!shared) return "";
  const places = Object.values(shares).reduce((sum, each) => sum + each, 0);
  return t("For Black: men {material}, the move {move}, where the pieces stand {places}, empty squares {empty}.", {
    material: inMen(material ?? 0),
    move: inMen(move ?? 0, 2),
    places: inMen(places, 2),
    empty: inMen(empty ?? 0, 2),
  });
}

/** What else to know of the score and the numbers on the board. @param {Answer} answer */
export function noteWords({shared, remark}) {
  const notes = [
    !shared && t("This evaluation has no tables to share out: a number is what the score loses without the piece."),
    remark === "over" && t("The game is over: a score at a glance means nothing here."),
    remark === "capture" &&
      t("A capture is pending, which a search plays out first: a score at a glance says little here."),
  ];
  return notes.filter(Boolean).join(" ");
}

/** What the numbers of a region rest on. @param {Answer} answer */
export function evidenceWords({evidence, shared}) {
  if (evidence) {
    return t(
      "Seen: how often these squares looked just like this, within a tenth, in {games}. Seldom seen says little.",
      {
        games: said(evidence),
      },
    );
  }
  return shared && COUNTS ? t("How often a pattern was seen is not in this weights file.") : "";
}
