// What kr's comment before the first move says of a whole game: its story, and how well each side played.

import {reportOf} from "./graph.js";
import {commentWords, retold, sentences} from "./comments.js";
import {said} from "./texts.js";

/** @import {Sentence} from "./texts.js" */
/** @typedef {{comments: string[]}} Root the first node of a game */

const SENTENCE = /\[%kr story ([^[\]]{1,1000})\]/g;
const VALUE = /<\w+=([^<>]*)>/g;

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
