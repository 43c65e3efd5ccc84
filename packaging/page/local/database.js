// The endgame database in the thread of the answers, for single look-ups beside a search.

import {Kr} from "./kr.js";

/** @typedef {import("./rules.js").Position} Position */

export class Database {
  /** @param {WebAssembly.Module} module @param {Uint8Array[]} files */
  constructor(module, files) {
    this._kr = new Kr(module);
    this._handle = this._kr.readDatabase(files);
    /** Most pieces up to which every position has a value, and a distance. */
    const {pieces, distancePieces} = this._kr.reach(this._handle);
    this.pieces = pieces;
    this.distancePieces = distancePieces;
  }

  /** Value of a position for the side to move; null if it isn't known. @param {Position} position */
  value(position) {
    return position.pieces > this.pieces ? null : this._kr.value(this._handle, position);
  }

  /** Plies to the end of a win or loss under best play; null if they aren't known. @param {Position} position */
  distance(position) {
    return position.pieces > this.distancePieces ? null : this._kr.distance(this._handle, position);
  }
}
