// Which positions an endgame database has, whoever looks them up: by the pieces of the two sides.

import {countOf} from "./notation.js";

/** @typedef {import("./rules.js").Position} Position */

export class Reach {
  /** @param {{pieces: number, classes: readonly string[], distancePieces: number}} is as DatabasePort has them */
  constructor({pieces, classes, distancePieces}) {
    this.pieces = pieces;
    this.classes = classes;
    this.distancePieces = distancePieces;
  }

  /** What has values, in words. */
  get reach() {
    const {pieces, classes} = this;
    return `up to ${pieces} pieces${classes.length ? `, and ${classes.join(", ")}` : ""}`;
  }

  /** Whether a position has a value. @param {Position} position */
  has({black, white}) {
    return this.hasClass(countOf(black), countOf(white));
  }

  /** Whether all positions with these pieces of the two sides have values. @param {number} own @param {number} other */
  hasClass(own, other) {
    return own + other <= this.pieces || this.classes.includes(`${Math.max(own, other)}v${Math.min(own, other)}`);
  }
}
