// The endgame database in the thread of the answers, for single look-ups beside a search.

import {Kr} from "./kr.js";
import {BLACK_KING_ROW, SQUARES, WHITE_KING_ROW} from "./notation.js";
import {Draws} from "./play/draws.js";
import {Reach} from "./reach.js";
import {BLACK, Position} from "./rules.js";

/** @typedef {import("./house.js").DatabasePort} DatabasePort */

/** Positions that are drawn with a value. */
export const MOST_WITH_VALUE = 300;

/** @implements {DatabasePort} */
export class Database extends Reach {
  /** @param {WebAssembly.Module} module @param {Uint8Array[]} files */
  constructor(module, files) {
    const kr = new Kr(module),
      handle = kr.readDatabase(files);
    super(kr.reach(handle));
    this._kr = kr;
    this._handle = handle;
  }

  /** @param {readonly Position[]} positions */
  async look(positions) {
    return positions.map(position => ({
      value: this.has(position) ? this._kr.value(this._handle, position) : null,
      distance: position.pieces > this.distancePieces ? null : this._kr.distance(this._handle, position),
    }));
  }

  /** @param {import("./house.js").Drawing} drawing */
  async draw({value, count, seed, ...shape}) {
    const chance = new Draws(String(seed)),
      /** @type {Map<string, Position>} */
      found = new Map();
    for (let i = 0; i < count && found.size < MOST_WITH_VALUE; i++) {
      const position = randomPosition(shape, chance);
      if (position.entries.some(each => each.captured)) continue;
      if (this._kr.value(this._handle, position) === value) found.set(position.key, position);
    }
    return [...found.values()];
  }
}

/**
 * A random position with Black to move.
 * @param {import("./house.js").Shape} shape
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
