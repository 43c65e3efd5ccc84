// What is known of the moves that people play, in words. Nothing here touches the document.

import {t} from "../texts.js";

/**
 * holds: `people` may be told as a number, since such shares held in a test
 * @typedef {{text: string, path: number[], captured: number[], fen: string, people: number, holds: boolean}} Move
 */
/** @typedef {{fen: string, policy: string, groups: number, moves: Move[]}} Answer */

export const SHOWN = 8; // moves listed at first

/** Shares from which many people play a move, and below which few do. */
const MANY = 0.25,
  FEW = 0.05;

/** @typedef {Pick<Move, "people" | "holds">} Share how many people play a move */

/** How many of a hundred people, or in a word. @param {Share} share */
export function ofHundred({people, holds}) {
  if (!holds) return people >= MANY ? t("many") : people < FEW ? t("few") : t("some");
  if (people >= 0.995) return t("all");
  return people < 0.01 ? t("fewer than 1 of 100") : t("{count} of 100", {count: Math.round(100 * people)});
}

/** A move with how many play it. @param {Move} move */
export function moveWords({text: move, people, holds}) {
  if (!holds) return t("Play {move}", {move});
  if (people >= 0.995) return t("Play {move}, which all people play", {move});
  if (people < 0.01) return t("Play {move}, which fewer than 1 of 100 people play", {move});
  return t("Play {move}, which {count} of 100 people play", {move, count: Math.round(100 * people)});
}

/** The likeliest move in a sentence; "" without moves. @param {Move[]} moves */
export function inBrief([first]) {
  if (!first) return t("The game is over here.");
  const {text: move, people, holds} = first;
  if (!holds) return t("People play {move} most here.", {move});
  if (people >= 0.995) return t("All people play {move} here.", {move});
  return t("{count} of 100 people play {move} here.", {move, count: Math.round(100 * people)});
}

/**
 * Names of the groups of players that are told apart by strength, the strongest first.
 * @param {number} count
 * @returns {string[]}
 */
export function groupNames(count) {
  if (count === 3) return [t("strong players"), t("players in the middle"), t("weaker players")];
  if (count === 5) {
    return [
      t("the strongest fifth"),
      t("strong players"),
      t("players in the middle"),
      t("weaker players"),
      t("the weakest fifth"),
    ];
  }
  return Array.from({length: count}, (_, i) => t("players of strength {number} of {count}", {number: i + 1, count}));
}
