// What kr's comment before the first move says of a whole game: its story, and the accuracy of both players.

import {reportOf} from "./graph.js";
import {commentWords, retold, sentences} from "./comments.js";
import {said} from "./texts.js";

/** @import {Sentence} from "./texts.js" */
/** @typedef {{comments: string[]}} Root the first node of a game */

const SENTENCE = /\[%kr story ([^[\]]{1,1000})\]/g;
const VALUE = /<\w+=([^<>]*)>/g;
const ACCURACY = /\[%kr game [^[\]]*\baccuracy=(-|\d{1,3}(?:\.\d)?)\/(-|\d{1,3}(?:\.\d)?)/;

/** The sentences of a game's story as they stand there, in English. @param {Root} root */
const written = root =>
  root.comments.flatMap(comment => [...comment.matchAll(SENTENCE)].map(([, text]) => text.replace(VALUE, "$1")));

/**
 * The story of a game, sentence by sentence; what isn't known is English.
 * @param {Root} root
 * @returns {Array<Sentence | string>}
 */
export const storyOf = root => written(root).flatMap(sentences);

/**
 * Accuracy of both players, from 0 to 100; null for one who had no choice. null if the game has not been judged.
 * @param {Root} root
 * @returns {{black: number | null, white: number | null} | null}
 */
export function accuracyOf(root) {
  for (const comment of root.comments) {
    const [, black, white] = ACCURACY.exec(comment) ?? [];
    if (black) return {black: figure(black), white: figure(white)};
  }
  return null;
}

const figure = (/** @type {string} */ text) => (text === "-" ? null : Number(text));

/**
 * What the comment says after the story: how well each side played; "" without it.
 * @param {Root} root
 */
export function figuresOf(root) {
  const story = written(root).join(" ");
  const report = reportOf(root).trim();
  return retold(report.startsWith(story) ? report.slice(story.length).trim() : report);
}

/**
 * Words of a comment; of kr's own in the language of the page.
 * @param {string} comment
 */
export function commentText(comment) {
  if (!comment.includes("[%kr game")) return commentWords(comment);
  const root = {comments: [comment]};
  return [...storyOf(root).map(each => said(each)), figuresOf(root)].filter(Boolean).join(" ");
}
