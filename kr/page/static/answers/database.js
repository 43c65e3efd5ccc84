// The endgame database in the thread of the answers, for single look-ups beside a search.

import {Kr} from "./kr.js";
import {countOf} from "./notation.js";

/** @typedef {import("./rules.js").Position} Position */

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
}
