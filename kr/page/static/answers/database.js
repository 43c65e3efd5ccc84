// The endgame database in the thread of the answers, for single look-ups beside a search.

import {Kr} from "./kr.js";
import {BLACK_KING_ROW, countOf, SQUARES, WHITE_KING_ROW} from "./notation.js";
import {Draws} from "./play/draws.js";
import {BLACK, Position} from "./rules.js";

/** @typedef {import("./weighing.js").Database} DatabasePort */
/** @typedef {import("./weighing.js").Drawing} Drawing */

/** Positions that are drawn with a value. */
const MOST_DRAWN = 300;

/** @implements {DatabasePort} */
export class Database {
  /** @param {WebAssembly.Module} module @param {Uint8Array[]} files */
  constructor(module, files) {
    this._kr = new Kr(module);
    this._handle = this._kr.readDatabase(files);
    const {pieces, classes, distancePieces} = this._kr.reach(this._handle);
    /** Most pieces up to which every position has a value, and a distance; and classes of more that have values. */
    this.pieces = pieces;
    this.classes = classes;
    this.distancePieces = distancePieces;
  }

  /** What has values, in words. */
  get reach() {
    const {pieces, classes} = this;
    return `up to ${pieces} pieces${classes.length ? `, and ${classes.join(", ")}` : ""}`;
  }

  /** Whether the database has a position. @param {Position} position */
  has({black, white}) {
    return this.hasClass(countOf(black), countOf(white));
  }

  /** Whether the database has all positions with these pieces of the two sides. */
  hasClass(/** @type {number} */ own, /** @type {number} */ other) {
    return this._kr.hasClass(this._handle, own, other);
  }

  /**
   * Of each position its value for the side to move, and the plies to the end of a win or loss under best play; null
   * where they aren't known.
   * @param {readonly Position[]} positions
   */
  async look(positions) {
    return positions.map(position => ({
      value: this.has(position) ? this._kr.value(this._handle, position) : null,
      distance: position.pieces > this.distancePieces ? null : this._kr.distance(this._handle, position),
    }));
  }

  /**
   * Random positions of a shape that have a value.
   * @param {Drawing} drawing
   */
  async draw({value, count, seed, ...shape}) {
    const chance = new Draws(String(seed)),
      /** @type {Map<string, Position>} */
      found = new Map();
    for (let i = 0; i < count && found.size < MOST_DRAWN; i++) {
      const position = randomPosition(shape, chance);
      if (position.entries.some(each => each.captured)) continue;
      if (this._kr.value(this._handle, position) === value) found.set(position.key, position);
    }
    return [...found.values()];
  }
}

/**
 * A random position with Black to move.
 * @param {import("./weighing.js").Shape} shape
 * @param {Draws} chance
 */
function randomPosition({men, kings, otherMen, otherKings}, chance) {
  const black = placed(chance, men, BLACK_KING_ROW),
    white = placed(chance, otherMen, black | WHITE_KING_ROW),
    blackKings = placed(chance, kings, black | white),
    whiteKings = placed(chance, otherKings, black | white | blackKings);
  return new Position(black | blackKings, white | whiteKings, blackKings | whiteKings, BLACK);
}

/** Random squares that aren't taken, as a set. @param {Draws} chance @param {number} count @param {number} taken */
function placed(chance, count, taken) {
  let squares = 0;
  while (count) {
    const square = 1 << chance.below(SQUARES);
    if ((squares | taken) & square) continue;
    squares |= square;
    count--;
  }
  return squares;
}
