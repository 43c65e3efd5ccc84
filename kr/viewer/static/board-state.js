// A board without its looks: the position, the legal moves that it was given, and the one that a person is choosing
// among them. It knows no rules.

import {besides, isOf, placed, sideOf} from "./squares.js";
import {all, either, t} from "./texts.js";

/** @import {Piece} from "./squares.js" */

/**
 * A legal move. path: the squares that the piece touches; fen: the position after it
 * @typedef {{text: string, path: number[], captured?: number[], fen: string}} BoardMove
 */
/**
 * What comes of the choice of a square: a move that is complete, something to say, a square whose piece can't be moved
 * (to another one), or nothing yet.
 * @typedef {{move?: BoardMove, say?: string, failed?: string, refused?: {from: number, to: number}}} Outcome
 */

const MOST_NAMED = 4; // captures that a text names

/** @param {Piece} piece */
export const pieceName = piece =>
  ({b: () => t("black man"), B: () => t("black king"), w: () => t("white man"), W: () => t("white king")})[piece]();

/**
 * Whether a man would go back: Black's men go down the board, up the numbers.
 * @param {Piece} piece
 * @param {number} from
 * @param {number} to
 */
const isBack = (piece, from, to) => {
  const rows = Math.ceil(to / 4) - Math.ceil(from / 4);
  return (piece === "b" && rows < 0) || (piece === "w" && rows > 0);
};

/** @param {BoardMove} move */
const isCapture = move => Boolean(move.captured?.length);

export class BoardState {
  constructor() {
    this.fen = "";
    /** @type {Record<number, Piece>} */
    this.pieces = {};
    /** @type {BoardMove[]} */
    this.moves = [];
    /** @type {number[] | null} */
    this.last = null; // squares of the move that led here
    /** @type {number[]} */
    this.picked = []; // squares of the move so far
    /** @type {number | null} */
    this.wanted = null; // the last square of the move, where several ways lead
    this.refused = 0; // the square of a piece that couldn't be moved, and was chosen last
    /** @type {BoardMove[]} */
    this.missed = []; // captures of which a person was reminded
  }

  /**
   * Takes another position, or other moves in the same one. True if the position is another.
   * @param {string} fen
   * @param {BoardMove[]} [moves]
   * @param {number[] | null} [last]
   */
  show(fen, moves = [], last = null) {
    const other = fen !== this.fen;
    if (other || !moves.length) this.forgive();
    Object.assign(this, {fen, moves, last});
    if (other) this.pieces = placed(fen);
    if (other || (this.picked.length && !this.candidates().length)) this.unpick();
    return other;
  }

  /** @param {number} square */
  isMovable(square) {
    return this.moves.some(move => move.path[0] === square);
  }

  // squares of pieces that must capture
  get forced() {
    return new Set(this.moves.filter(isCapture).map(move => move.path[0]));
  }

  // moves that begin as the one that is being chosen does
  candidates() {
    return this.moves.filter(
      move =>
        this.picked.every((square, i) => move.path[i] === square) &&
        (this.wanted === null || move.path.at(-1) === this.wanted),
    );
  }

  // squares that can be chosen next: where candidates land next, and where they end
  targets() {
    /** @type {Set<number>} */
    const next = new Set();
    if (!this.picked.length) return next;
    for (const {path} of this.candidates()) {
      next.add(path[this.picked.length]);
      if (this.wanted === null) next.add(path[path.length - 1]);
    }
    return next;
  }

  unpick() {
    this.picked = [];
    this.wanted = null;
  }

  // The last refusal is forgotten. True if captures were shown with it.
  forgive() {
    const shown = this.missed.length > 0;
    this.refused = 0;
    this.missed = [];
    return shown;
  }

  /**
   * A person chooses a square.
   * @param {number} square
   * @returns {Outcome}
   */
  choose(square) {
    const {refused, picked} = this;
    this.forgive();
    if (picked.length && !(picked.length === 1 && picked[0] === square)) {
      const stepping = this.candidates().filter(move => move.path[picked.length] === square);
      if (stepping.length) {
        this.picked = [...picked, square];
        return this._settle(stepping);
      }
      const ending = this.candidates().filter(move => move.path.at(-1) === square);
      if (ending.length) {
        this.wanted = square;
        return this._settle(ending);
      }
    }
    const again = picked[0] === square;
    this.unpick();
    if (!again && this.isMovable(square)) this.picked = [square];
    if (again || this.picked.length) return {};
    if (this.pieces[square]) return {refused: {from: square, to: 0}};
    if (picked.length > 1) {
      const values = {square: picked[picked.length - 1], first: picked[0]};
      return {failed: t("The capture goes on from {square}: begin again with {first}", values)};
    }
    return picked.length || refused ? {refused: {from: picked[0] || refused, to: square}} : {};
  }

  /**
   * A person puts a piece down on another square.
   * @param {number} from
   * @param {number} to
   * @returns {Outcome}
   */
  drop(from, to) {
    if (!this.pieces[to] || !this.picked.length || this.targets().has(to)) return this.choose(to);
    this.unpick();
    return {refused: {from, to}};
  }

  /**
   * The reason why the piece on a square can't be moved, or not to another one. Where a capture is missed, it is kept
   * in `missed`.
   * @param {number} from
   * @param {number} [to]
   */
  refuse(from, to = 0) {
    const piece = this.pieces[from];
    const isOwn = isOf(piece, sideOf(this.fen));
    this.refused = isOwn ? from : 0;
    if (!isOwn) return this._notToMove(from, piece);
    this.missed = this.moves.filter(isCapture);
    const own = this.moves.filter(move => move.path[0] === from);
    if (this.missed.length) return this._mustCapture(from, to, own.length > 0);
    const values = {piece: pieceName(piece), square: from, from, to};
    if (own.length) {
      const targets = either([...new Set(own.map(move => String(move.path.at(-1))))]);
      if (to && isBack(piece, from, to))
        return t("A man never goes back: {from} can go to {targets}", {...values, targets});
      return t("{from}-{to} isn't possible: {from} can go to {targets}", {...values, targets});
    }
    return to
      ? t("The {piece} on {square} is blocked: {from}-{to} isn't possible", values)
      : t("The {piece} on {square} is blocked", values);
  }

  /** @param {number} square @param {Piece} piece */
  _notToMove(square, piece) {
    const values = {square, piece: pieceName(piece)};
    return sideOf(this.fen) === "black"
      ? t("{square} is a {piece}: Black is to move", values)
      : t("{square} is a {piece}: White is to move", values);
  }

  /** @param {number} from @param {number} to @param {boolean} canMove */
  _mustCapture(from, to, canMove) {
    const piece = this.pieces[from];
    const free = to ? [to] : canMove ? [] : besides(from, piece).filter(square => !this.pieces[square]);
    const texts = [...new Set(this.missed.map(move => move.text))];
    const captures = either(texts.length > MOST_NAMED ? [...texts.slice(0, MOST_NAMED), t("others")] : texts);
    const values = {
      piece: pieceName(piece),
      square: from,
      captures,
      moves: all(free.map(square => `${from}-${square}`)),
    };
    if (free.length > 1) return t("{moves} aren't possible: you must capture, {captures}", values);
    if (free.length) return t("{moves} isn't possible: you must capture, {captures}", values);
    return t("The {piece} on {square} can't move: you must capture, {captures}", values);
  }

  /**
   * Plays the move if there is one left; different ways with the same outcome are one.
   * @param {BoardMove[]} left
   * @returns {Outcome}
   */
  _settle(left) {
    if (left.every(move => move.fen === left[0].fen)) {
      this.unpick();
      return {move: left[0]};
    }
    const squares = either([...this.targets()].map(String));
    return {say: t("Several ways: choose the next square, {squares}", {squares})};
  }
}
