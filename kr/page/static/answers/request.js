// JSON from the page, each field checked as it is taken. Numbers, texts and lists are bounded, since
// what the page has kept may be of an older version, or damaged.

import {SQUARES} from "./notation.js";
import {Board, Position} from "./rules.js";
import {Refused, decodedBytes, wholeCharacters} from "./text.js";

export const LONGEST_FEN = 400;
export const LONGEST_LINE = 2000;
/** Characters of a piece of a file in base64. */
const LONGEST_DATA = 4_000_000;

const isObject = (/** @type {unknown} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);

export class PageRequest {
  /** @param {any} fields */
  constructor(fields) {
    if (!isObject(fields)) throw new Refused("refused.no_fields");
    /** @type {Record<string, any>} */
    this.fields = fields;
  }

  /** Text of at most `longest` characters. @param {string} name @param {string} [fallback] */
  text(name, longest = 200, fallback) {
    const value = this.#value(name, fallback);
    if (typeof value !== "string") throw new Refused("refused.field_text", {name});
    // characters, not their halves
    const length = value.length > longest ? [...value].length : value.length;
    if (length > longest) throw new Refused("refused.field_long", {name, length, most: longest});
    return wholeCharacters(value);
  }

  /** The bytes that `data` has in base64. */
  data() {
    const data = this.text("data", LONGEST_DATA);
    // unlike here, blanks are taken by atob, and ends may be missing
    if (data.length % 4 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw new Refused("refused.field_base64");
    return decodedBytes(data);
  }

  /**
   * A whole number from low to high.
   * @param {string} name
   * @param {number} low
   * @param {number} high
   * @param {number} [fallback]
   */
  number(name, low, high, fallback) {
    const value = this.#value(name, fallback);
    if (!this.has(name)) return value;
    if (!Number.isInteger(value) || value < low || value > high)
      throw new Refused("refused.field_whole", {name, low, high});
    return value;
  }

  /**
   * A number from low to high.
   * @param {string} name
   * @param {number} low
   * @param {number} high
   * @param {number} [fallback]
   */
  fraction(name, low, high, fallback) {
    const value = this.#value(name, fallback);
    if (!this.has(name)) return value;
    if (typeof value !== "number" || !(value >= low && value <= high))
      throw new Refused("refused.field_number", {name, low: String(low), high: String(high)});
    return value;
  }

  /** True or false. @param {string} name */
  flag(name, fallback = false) {
    const value = this.#value(name, fallback);
    if (typeof value !== "boolean") throw new Refused("refused.field_flag", {name});
    return value;
  }

  /** One of some texts. @param {string} name @param {readonly string[]} choices @param {string} [fallback] */
  choice(name, choices, fallback) {
    const value = this.#value(name, fallback);
    if (!choices.includes(value)) throw new Refused("refused.field_choice", {name, choices: choices.filter(Boolean)});
    return value;
  }

  /** A list of texts. @param {string} name @param {number} most @param {string[]} [fallback] @returns {string[]} */
  texts(name, most, longest = 200, fallback) {
    const value = this.#value(name, fallback);
    if (!Array.isArray(value) || value.length > most) throw new Refused("refused.field_texts", {name, most});
    if (!value.every(each => typeof each === "string" && each.length <= longest))
      throw new Refused("refused.field_long_texts", {name, most: longest});
    return value.map(wholeCharacters);
  }

  /** A list of objects. @param {string} name @param {number} most @param {any[]} [fallback] */
  objects(name, most, fallback) {
    const value = this.#value(name, fallback);
    if (!Array.isArray(value) || value.length > most) throw new Refused("refused.field_objects", {name, most});
    return value.map(each => new PageRequest(each));
  }

  /** An object within this one. @param {string} name */
  object(name) {
    const value = this.#value(name);
    if (!isObject(value)) throw new Refused("refused.field_object", {name});
    return new PageRequest(value);
  }

  /** True if the field is there and not null. @param {string} name */
  has(name) {
    return this.fields[name] !== undefined && this.fields[name] !== null;
  }

  /** A position, from a FEN. */
  position(name = "fen") {
    return Position.fromFen(this.text(name, LONGEST_FEN));
  }

  /**
   * Squares of a move as 0 to 31; the page sends 1 to 32.
   * @param {string} name
   * @param {number[]} [fallback]
   * @returns {number[]}
   */
  squares(name, fallback) {
    const value = this.#value(name, fallback);
    if (!Array.isArray(value) || value.length > SQUARES)
      throw new Refused("refused.field_array", {name, most: SQUARES});
    if (!value.every(each => Number.isInteger(each) && each >= 1 && each <= SQUARES))
      throw new Refused("refused.field_square", {name, most: SQUARES});
    return value.map(square => square - 1);
  }

  /** A game, every move checked. */
  async document(name = "document") {
    const value = this.#value(name);
    return (await import("./document.js")).readDocument(value);
  }

  /** A game from its start, a FEN, and its moves. */
  board(start = "start", moves = "moves") {
    const board = new Board(this.position(start));
    for (const move of this.texts(moves, LONGEST_LINE, 100, [])) board.play(move);
    return board;
  }

  /** @param {string} name @param {any} [fallback] */
  #value(name, fallback) {
    const value = this.fields[name];
    if (value !== undefined && value !== null) return value;
    if (fallback === undefined) throw new Refused("refused.field_missing", {name});
    return fallback;
  }
}
