// What is known of the moves that people play, in words. Nothing here touches the document.

import {t} from "../texts.js";

/** @typedef {{text: string, path: number[], captured: number[], fen: string, people: number}} Move */
/** @typedef {{fen: string, policy: string, groups: number, moves: Move[]}} Answer */

export const SHOWN = 8; // moves listed at first

/** How many of a hundred people. @param {number} share */
export const ofHundred = share =>
  share >= 0.995
    ? t("all")
    : share < 0.01
      ? t("fewer than 1 of 100")
      : t("{count} of 100", {count: Math.round(100 * share)});

/** A move with how many play it. @param {Move} move */
export const moveWords = ({text, people}) =>
  people >= 0.995
    ? t("Play {move}, which all people play", {move: text})
    : people < 0.01
      ? t("Play {move}, which fewer than 1 of 100 people play", {move: text})
      : t("Play {move}, which {count} of 100 people play", {move: text, count: Math.round(100 * people)});

/** The likeliest move in a sentence; "" without moves. @param {Move[]} moves */
export const inBrief = ([first]) =>
  !first
    ? t("The game is over here.")
    : first.people >= 0.995
      ? t("All people play {move} here.", {move: first.text})
      : t("{count} of 100 people play {move} here.", {move: first.text, count: Math.round(100 * first.people)});

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
