// kr's own words in a game that was saved, in the language of the page: its comments stand there in English, and are
// recognised by the English sentences of kr/language, from which they were made.

import {words} from "./move-words.js";
import {OF_GAMES, SIDE_PLACES, said, englishSentences} from "./texts.js";

/** @import {Said, Sentence} from "./texts.js" */

const SIDES = "(Black|White)",
  NUMBER = "([+-]?[\\d.,]+)",
  SLIP = "(|, .+?)",
  OTHER = "(.+?)";
const NUMBERS = ["count", "number", "percent"];

/** @typedef {{name: string, places: string[], form: RegExp, known: Record<string, Said>}} Form */

/** @type {{english: Record<string, string> | null, forms: Form[]}} */
const made = {english: null, forms: []};

/** All forms of the English sentences. @returns {Form[]} */
function forms() {
  const english = englishSentences();
  if (made.english !== english) {
    made.english = english;
    made.forms = Object.entries(english)
      .filter(([name]) => OF_GAMES.test(name))
      .flatMap(([name, text]) => text.split("|").map((each, index, all) => formOf(name, each, all[1 - index] ?? "")));
  }
  return made.forms;
}

/** @param {string} name @param {string} text @param {string} other form of the sentence @returns {Form} */
function formOf(name, text, other) {
  const parts = text.split(/\{(\w+)\}/),
    places = parts.filter((_, i) => i % 2);
  const pattern = parts.map((part, i) => (i % 2 ? valueOf(part) : part.replace(/[.()|?*+]/g, "\\$&"))).join("");
  /** @type {Record<string, Said>} */
  const values = {};
  // what a form says without a place is what the place stands for in the other
  if (other.includes("{side}") && !places.includes("side")) values.side = "you";
  if (other.includes("{count}") && !places.includes("count")) values.count = 1;
  return {name, places, form: new RegExp(`^${pattern}$`), known: values};
}

/** The values of a place as an expression. @param {string} place */
function valueOf(place) {
  if (SIDE_PLACES.includes(place)) return SIDES;
  if (place === "slip") return SLIP;
  return NUMBERS.includes(place) ? NUMBER : OTHER;
}

/** @param {string} place @param {string} text @returns {Said} */
function valueRead(place, text) {
  if (SIDE_PLACES.includes(place)) return text.toLowerCase();
  return place === "count" ? Number(text.replaceAll(",", "")) : read(text);
}

/** The sentence that a text is; null if it is none. @param {string} text @returns {Sentence | null} */
function recognised(text) {
  for (const {name, places, form, known} of forms()) {
    const values = form.exec(text)?.slice(1);
    if (values)
      return {
        say: name,
        with: {...known, ...Object.fromEntries(places.map((place, i) => [place, valueRead(place, values[i])]))},
      };
  }
  return null;
}

/** A text, a sentence or several with commas between. @param {string} text @returns {Said} */
const read = text =>
  recognised(text) ?? (/, /.test(text) ? text.split(", ").map(each => recognised(each) ?? each) : text);

/**
 * What a text of kr says, sentence by sentence; those that aren't known stay as they are.
 * @param {string} text
 * @returns {Array<Sentence | string>}
 */
export const sentences = text => text.split(/(?<=\.) (?=[A-Z])/).map(each => recognised(each) ?? each);

/**
 * The reasons that kr's comments on a move give for its mark.
 * @param {readonly string[]} comments
 * @returns {Sentence[]}
 */
export const reasonsIn = comments =>
  comments
    .filter(comment => comment.includes("[%kr "))
    .flatMap(comment => sentences(words(comment)))
    .flatMap(each => (typeof each !== "string" && each.say.startsWith("why.") ? [each] : []));

/** A text of kr in the language of the page. @param {string} text */
export const retold = text =>
  sentences(text)
    .map(each => said(each))
    .join(" ");

/** Whether a comment tells of a move that kr has played from its book. @param {string} comment */
export const isOfBook = comment => recognised(comment)?.say.startsWith("book.") ?? false;

/** Words of a comment, kr's own in the language of the page. @param {string} comment */
export function commentWords(comment) {
  const own = words(comment);
  return comment.includes("[%kr ") || isOfBook(own) ? retold(own) : own;
}
