// What kr's comment before the first move says of a whole game: its story, and the accuracy of both players.

import {reportOf} from "./graph.js";
import {commentWords, retold} from "./retold.js";
import {t} from "./texts.js";

/** @typedef {{text: string, values: Record<string, string>}} Sentence English text with {places}, and their values */
/** @typedef {{comments: string[]}} Root the first node of a game */

const SENTENCE = /\[%kr story ([^[\]]{1,1000})\]/g;
const VALUE = /<(\w+)=([^<>]*)>/g;
const ACCURACY = /\[%kr game [^[\]]*\baccuracy=(-|\d{1,3}(?:\.\d)?)\/(-|\d{1,3}(?:\.\d)?)/;

/**
 * The story of a game, sentence by sentence.
 * @param {Root} root
 * @returns {Sentence[]}
 */
export function storyOf(root) {
  return root.comments.flatMap(comment =>
    [...comment.matchAll(SENTENCE)].map(([, sentence]) => ({
      text: sentence.replace(VALUE, "{$1}"),
      values: Object.fromEntries([...sentence.matchAll(VALUE)].map(([, name, value]) => [name, value])),
    })),
  );
}

/** A sentence in the language of the page. @param {Sentence} sentence */
export const toldSentence = ({text, values}) => t(text, values);

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
  const story = storyOf(root)
    .map(({text, values}) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place))
    .join(" ");
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
  return [...storyOf(root).map(toldSentence), figuresOf(root)].filter(Boolean).join(" ");
}
