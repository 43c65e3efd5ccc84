// Texts as messages show them. tests/cases/texts.json holds what it has in common with kr/units.py and Python.

import {escaped} from "../escapes.js";
import {said} from "../texts.js";

/** What a person gave that can't be taken; its message is one line that they can read. */
export class KrError extends Error {
  /** @param {string} [message] @param {string} [kind] "fen", "pdn", "move" or "setting" */
  constructor(message, kind = "setting") {
    super(message);
    this.name = "KrError";
    this.kind = kind;
  }

  /** @type {import("../texts.js").Said} */
  get told() {
    return this.message;
  }
}

/** One that is told by the name of its sentence, in the language of the page. */
export class Refused extends KrError {
  /** @param {string} name @param {Record<string, import("../texts.js").Said>} [values] @param {string} [kind] */
  constructor(name, values = {}, kind) {
    super(undefined, kind);
    this.sentence = {say: name, with: values};
  }

  get told() {
    return this.sentence;
  }

  /** In English, where that is known. */
  get message() {
    return said(this.sentence);
  }
}

/** One that is told by its English words, as t() has them, in the language of the page. */
class Worded extends KrError {
  /** @param {string} text @param {Record<string, import("../texts.js").Said>} values @param {string} [kind] */
  constructor(text, values, kind) {
    super(said({say: text, with: values}), kind);
    this.words = {say: text, with: values};
  }

  get told() {
    return this.words;
  }
}

/**
 * A KrError with a text of kr/language, which it is also in English.
 * @param {string} text
 * @param {Record<string, import("../texts.js").Said>} [values]
 * @param {string} [kind]
 */
export const refusal = (text, values = {}, kind) => new Worded(text, values, kind);

/** Why something was refused, as a value of another refusal. @param {unknown} error */
export const whyOf = error => (error instanceof KrError ? error.told : String(error));

const ESCAPES = new Map([
  ["\n", "\\n"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** A text in quotes, as Python's repr() has it. @param {unknown} text */
export function quoted(text) {
  if (typeof text !== "string") return text === null || text === undefined ? "None" : String(text);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const shown = [...text].map(each => {
    if (each === quote) return `\\${each}`;
    return ESCAPES.get(each) ?? (HIDDEN.test(each) ? escaped(each) : each);
  });
  return quote + shown.join("") + quote;
}

/** Halves of surrogate pairs become question marks. @param {string} text */
export function wholeCharacters(text) {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "?");
}

/** The bytes of a text in base64; it throws where the text is none. @param {string} data */
export const decodedBytes = data => Uint8Array.from(atob(data), unit => unit.charCodeAt(0));

/** A number with commas between the thousands. @param {number} number */
export const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

/** @type {Record<string, string>} */
const PLURALS = {leaf: "leaves", match: "matches", ply: "plies", search: "searches"};

/** The plural of a word unless there is one. @param {number} number @param {string} word */
const plural = (number, word) => (number === 1 ? word : (PLURALS[word] ?? `${word}s`));

/** "1 game", "0 plies", "1,234,567 positions". @param {number} number @param {string} word */
export const counted = (number, word) => `${grouped(number)} ${plural(number, word)}`;

/** "a, b or c". @param {readonly string[]} choices */
export function oneOf(choices) {
  const words = choices.filter(Boolean);
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" or ");
}
