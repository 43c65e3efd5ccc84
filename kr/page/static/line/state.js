// One line of moves: earlier positions can be looked at, moves are made at its end. Nothing here touches the document.

import {newDocument} from "../setup/fen.js";

/** @import {BoardMove} from "../board-state.js" */

export class Line {
  constructor() {
    this.start = ""; // FEN
    /** @type {BoardMove[]} */
    this.moves = [];
    this.at = 0; // moves before the position that is shown
    this.isHeld = false; // no move can be made, because another line is on its way
    /** @type {Array<BoardMove[] | undefined>} */
    this._allowed = []; // legal moves by the number of moves before them, as far as they are known
  }

  /** The position that is shown. */
  get fen() {
    return this.at ? this.moves[this.at - 1].fen : this.start;
  }

  get length() {
    return this.moves.length;
  }

  get isLast() {
    return this.at === this.length;
  }

  /** Path of the move that led to the position shown; null at the start. */
  get last() {
    return this.at ? this.moves[this.at - 1].path : null;
  }

  get texts() {
    return this.moves.map(move => move.text);
  }

  /** The moves that can be made in the position shown. */
  get allowed() {
    return (this.isLast && !this.isHeld && this._allowed[this.at]) || [];
  }

  /**
   * Takes another line, and shows its end.
   * @param {string} start
   * @param {BoardMove[]} moves
   */
  begin(start, moves) {
    Object.assign(this, {start, moves: [...moves], at: moves.length, isHeld: false, _allowed: []});
  }

  /** @param {BoardMove} move at the end, which is shown then */
  play(move) {
    this.moves.push(move);
    this.at = this.length;
  }

  /** @param {BoardMove[]} moves at the end; the position that is shown stays */
  add(moves) {
    this.moves.push(...moves);
  }

  /**
   * Takes back all but the first moves. What was legal then is again, even if no server answers.
   * @param {number} length
   */
  cut(length) {
    this.moves.length = Math.max(0, Math.min(length, this.length));
    this._allowed.length = Math.min(this.length + 1, this._allowed.length);
    this.at = this.length;
  }

  /** @param {BoardMove[]} moves that are legal at the end of the line */
  allow(moves) {
    this._allowed[this.length] = moves;
  }

  /** @param {number} to how many moves before the position to show */
  go(to) {
    this.at = Math.max(0, Math.min(to, this.length));
  }

  /**
   * The line as a game for the page Analyse.
   * @param {Record<string, string>} headers
   */
  document(headers) {
    return newDocument(this.start, this.moves, headers);
  }
}
