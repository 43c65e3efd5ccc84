// The rules: positions, moves and games, as in kr/game. Legal moves come in the order of kr's core.

import {withoutBlanks} from "./blanks.js";
import {
  BLACK_KING_ROW,
  checkBoard,
  countOf,
  formatFen,
  formatPath,
  parseFen,
  parsePath,
  SIDE_NAMES,
  squareName,
  squaresOf,
  WHITE_KING_ROW,
} from "./notation.js";
import {counted, KrError, refusal} from "./text.js";

export const BLACK = 0,
  WHITE = 1;
export const NO_PIECES = "no pieces left",
  NO_MOVE = "no legal move";
export const REPETITION = "repetition",
  NO_PROGRESS = "no progress";
export const REPETITIONS = 3;
/** Plies without a capture or a man's move that make a draw. */
export const NO_PROGRESS_PLIES = 80;
const START = [0x00000fff, 0xfff00000, 0];

// The neighbour of each square in each of four directions, two up the numbers, then two down; -1 beyond the edge. With
// a square left free after every eighth, each direction is the same distance everywhere.
const wide = (/** @type {number} */ square) => square + (square >> 3);
const NEIGHBOURS = [4, 5, -4, -5].map(distance =>
  Int8Array.from({length: 32}, (_, square) => {
    const to = wide(square) + distance;
    return to < 0 || to > 34 || to % 9 === 8 ? -1 : to - Math.floor(to / 9);
  }),
);
const UP = [0, 1],
  DOWN = [2, 3],
  BOTH = [0, 1, 2, 3];

/** @typedef {{path: readonly number[], captured: number}} Entry squares 0-31, and the pieces taken */

/** A legal move. Moves with equal origin, target and captured pieces lead to the same position. */
export class Move {
  /**
   * @param {readonly number[]} path squares 0-31: where it begins, every landing square, where it ends
   * @param {number} [captured] set of the pieces taken
   * @param {boolean} [whole] true if its text shows every landing square
   */
  constructor(path, captured = 0, whole = false) {
    this.path = path;
    this.captured = captured >>> 0;
    this.whole = whole;
  }

  get origin() {
    return this.path[0];
  }

  get target() {
    return this.path[this.path.length - 1];
  }

  get isCapture() {
    return this.captured !== 0;
  }

  /** True for the same path and pieces. @param {Move | Entry} other */
  equals(other) {
    return this.captured === other.captured && String(this.path) === String(other.path);
  }

  /** True for a move to the same position. @param {Move | Entry} other */
  leadsAs(other) {
    const {path} = other;
    return this.captured === other.captured && this.origin === path[0] && this.target === path[path.length - 1];
  }

  toString() {
    return formatPath(this.whole ? this.path : [this.origin, this.target], this.isCapture);
  }
}

/** A position, which doesn't change. Sets of squares are numbers from 0 up, bit s for square s. */
export class Position {
  /** @type {Entry[] | null} */
  #entries = null;

  /** The start of the game if nothing is given. */
  constructor(black = START[0], white = START[1], kings = START[2], side = BLACK) {
    checkBoard(black, white, kings);
    this.black = black >>> 0;
    this.white = white >>> 0;
    this.kings = kings >>> 0;
    this.side = side;
  }

  /** Any form of FEN that kr reads. @param {string} text */
  static fromFen(text) {
    const {black, white, kings, side} = parseFen(text);
    return new Position(black, white, kings, side);
  }

  get fen() {
    return formatFen(this);
  }

  /** Equal for equal positions alone. */
  get key() {
    return `${this.black},${this.white},${this.kings},${this.side}`;
  }

  /** Number of pieces of both sides. */
  get pieces() {
    return countOf(this.black | this.white);
  }

  /** Pieces of the side to move. */
  get own() {
    return this.side === BLACK ? this.black : this.white;
  }

  /** True if the side to move has no legal move and has therefore lost. */
  get isOver() {
    return !this.entries.length;
  }

  /** Legal moves as paths and captured pieces. */
  get entries() {
    this.#entries ??= entriesOf(this);
    return this.#entries;
  }

  /** @param {Position} other */
  equals(other) {
    return (
      this.black === other.black && this.white === other.white && this.kings === other.kings && this.side === other.side
    );
  }

  /** The same pieces with another side to move. @param {number} side */
  withSide(side) {
    return new Position(this.black, this.white, this.kings, side);
  }

  /** Legal moves; captures of the same pieces along different paths are listed separately. */
  legalMoves() {
    return this.entries.map(entry => this.#move(entry));
  }

  /** The legal moves of a text, leading to different positions: one, unless it is ambiguous. @param {string} text */
  movesNamed(text) {
    const squares = parsePath(text),
      exact = this.entries.filter(entry => String(entry.path) === String(squares));
    /** @type {Map<number, Entry>} */
    const matches = new Map();
    for (const entry of exact.length ? exact : [...this.entries].reverse())
      if (follows(squares, entry.path)) matches.set(entry.captured, entry);
    if (!matches.size) throw this.#illegal(withoutBlanks(text));
    return [...matches.values()].reverse().map(entry => this.#move(entry));
  }

  /** The legal move of a text. @param {string} text */
  parseMove(text) {
    const moves = this.movesNamed(text);
    if (moves.length > 1)
      throw refusal(
        "{move} is ambiguous: write {choices}",
        {move: withoutBlanks(text), choices: moves.map(String).join(" or ")},
        "move",
      );
    return moves[0];
  }

  /** The legal move with these squares 0-31 and captured pieces. @param {number} origin @param {number} target */
  findMove(origin, target, captured = 0) {
    const entry = this.entries.find(
      each => each.path[0] === origin && each.path.at(-1) === target && each.captured === captured >>> 0,
    );
    if (entry) return this.#move(entry);
    throw this.#illegal(formatPath([origin, target], captured !== 0));
  }

  /** The position after a legal move. @param {Move | string} move */
  play(move) {
    const made = typeof move === "string" ? this.parseMove(move) : move;
    if (made !== move || this.entries.some(each => made.equals(each))) return this.after(made);
    throw this.#illegal(formatPath(made.path, made.isCapture));
  }

  /** The position after a move that is known to be legal. @param {Entry} move */
  after({path, captured}) {
    const left = 1 << path[0],
      reached = 1 << path[path.length - 1],
      isBlack = this.side === BLACK;
    const own = ((isBlack ? this.black : this.white) & ~left) | reached,
      other = (isBlack ? this.white : this.black) & ~captured;
    let kings = this.kings & ~captured;
    if (this.kings & left) kings = (kings & ~left) | reached;
    else if (reached & (isBlack ? BLACK_KING_ROW : WHITE_KING_ROW)) kings |= reached;
    return isBlack ? new Position(own, other, kings, WHITE) : new Position(other, own, kings, BLACK);
  }

  /** @param {Entry} entry */
  #move({path, captured}) {
    const alike = captured
      ? this.entries.filter(each => each.path[0] === path[0] && each.path.at(-1) === path.at(-1)).length
      : 1;
    return new Move(path, captured, alike > 1);
  }

  /** @param {string} move */
  #illegal(move) {
    const choices = this.legalMoves().map(String).join(", "),
      side = sideName(this.side);
    return choices
      ? refusal("{move} is not legal: {side}'s legal moves are {choices}", {move, side, choices}, "move")
      : refusal("{move} is not legal: {side} has no legal move, the game is over", {move, side}, "move");
  }
}

/**
 * True if a move passes in order through the squares of its text.
 * @param {number[]} squares
 * @param {readonly number[]} path
 */
function follows(squares, path) {
  if (squares[0] !== path[0] || squares.at(-1) !== path.at(-1)) return false;
  let at = 1;
  for (const square of squares.slice(1, -1)) {
    at = path.slice(0, -1).indexOf(square, at) + 1;
    if (!at) return false;
  }
  return true;
}

/** @param {Position} position @returns {Entry[]} */
function entriesOf(position) {
  const {own, kings, side} = position,
    all = position.black | position.white,
    foe = all & ~own,
    onward = side === BLACK ? UP : DOWN;
  /** @type {Entry[]} */
  const captures = [];
  for (const square of squaresOf(own)) {
    const directions = (kings >>> square) & 1 ? BOTH : onward,
      empty = ~all | (1 << square);
    addJumps(captures, [square], 0, foe, empty, directions);
  }
  if (captures.length) return captures;
  // by direction, and in each by the square that is reached
  for (const direction of BOTH) {
    const movers = onward.includes(direction) ? own : own & kings;
    for (const square of squaresOf(movers)) {
      const to = NEIGHBOURS[direction][square];
      if (to >= 0 && !((all >>> to) & 1)) captures.push({path: [square, to], captured: 0});
    }
  }
  return captures;
}

/**
 * Adds every capture that goes on from a path, with all its jumps: landings above the square first, each time the
 * nearest.
 * @param {Entry[]} found
 * @param {number[]} path
 * @param {number} captured
 * @param {number} foe
 * @param {number} empty
 * @param {number[]} directions
 */
function addJumps(found, path, captured, foe, empty, directions) {
  const square = path[path.length - 1];
  let isLast = true;
  for (const direction of directions) {
    const over = NEIGHBOURS[direction][square];
    if (over < 0 || !(((foe & ~captured) >>> over) & 1)) continue;
    const to = NEIGHBOURS[direction][over];
    if (to < 0 || !((empty >>> to) & 1)) continue;
    isLast = false;
    addJumps(found, [...path, to], (captured | (1 << over)) >>> 0, foe, empty, directions);
  }
  if (isLast && captured) found.push({path, captured});
}

/** A game as it is played. `play` accepts moves after a draw by rule too: the players decide whether to claim it. */
export class Board {
  /** @param {Position} [start] */
  constructor(start = new Position()) {
    /** The start and the position after each move. */
    this.positions = [start];
    /** @type {Move[]} */
    this.moves = [];
    // for each position, the number of plies before it that kings made without a capture
    this._reversible = [0];
  }

  get start() {
    return this.positions[0];
  }

  get position() {
    return this.positions[this.positions.length - 1];
  }

  get side() {
    return this.position.side;
  }

  /** Earlier positions that can still be repeated, oldest first. */
  get history() {
    const count = this._reversible[this._reversible.length - 1];
    return this.positions.slice(-1 - count, -1);
  }

  /** The history, with at least the two positions before if there are any. */
  get recent() {
    const count = Math.max(2, this._reversible[this._reversible.length - 1]);
    return this.positions.slice(Math.max(0, this.positions.length - 1 - count), -1);
  }

  /** Plays a legal move and returns it. @param {Move | string} move */
  play(move) {
    const {position} = this,
      made = typeof move === "string" ? position.parseMove(move) : move,
      after = position.play(made),
      isQuiet = !made.isCapture && (position.kings >>> made.origin) & 1;
    this._reversible.push(isQuiet ? this._reversible[this._reversible.length - 1] + 1 : 0);
    this.moves.push(made);
    this.positions.push(after);
    return made;
  }

  /** Takes back the last moves. @param {number} [plies] */
  undo(plies = 1) {
    if (!(plies >= 1 && plies <= this.moves.length))
      throw new KrError(
        `cannot take back ${counted(plies, "move")}: the game has ${counted(this.moves.length, "move")}`,
      );
    this.moves.length -= plies;
    this.positions.length -= plies;
    this._reversible.length -= plies;
  }

  /** The outcome by the rules: winner (null for a draw) and reason; null while the game goes on. */
  outcome() {
    const {position, history} = this;
    if (position.isOver) return {winner: 1 - position.side, reason: position.own ? NO_MOVE : NO_PIECES};
    const rule = ruleOf(1 + history.filter(each => each.equals(position)).length, history.length);
    return rule ? {winner: null, reason: rule} : null;
  }
}

/** The part of a position that quiet moves of kings don't change. @param {Position} position */
const lasting = ({black, white, kings, pieces}) => `${black & ~kings},${white & ~kings},${pieces}`;

/**
 * Plies before a position without a capture or a man's move.
 * @param {Position} position
 * @param {readonly Position[]} history
 */
export function quietPlies(position, history) {
  let count = 0,
    after = position;
  for (const before of [...history].reverse()) {
    if (lasting(before) !== lasting(after)) break;
    count++;
    after = before;
  }
  return count;
}

/**
 * The rule by which a game can be claimed drawn in a position; "" if there is none.
 * @param {Position} position
 * @param {readonly Position[]} history earlier positions of the game, oldest first
 */
export function drawByRule(position, history) {
  const quiet = quietPlies(position, history),
    since = history.slice(history.length - quiet);
  return ruleOf(1 + since.filter(each => each.equals(position)).length, quiet);
}

/** The rule that makes a draw of a position on the board for the nth time. @param {number} nth @param {number} quiet */
export const ruleOf = (nth, quiet) => (nth >= REPETITIONS ? REPETITION : quiet >= NO_PROGRESS_PLIES ? NO_PROGRESS : "");

// ---- as JSON: squares 1-32, sides "black" and "white" (kr/viewer/positions.py)

/** @param {number} side */
export const sideName = side => /** @type {"black" | "white"} */ (SIDE_NAMES[side].toLowerCase());

/** @param {Move} move */
export const moveJson = move => ({
  text: String(move),
  path: move.path.map(square => square + 1),
  captured: squaresOf(move.captured).map(square => square + 1),
});

/**
 * Moves one after another, or their texts, each with the position after it.
 * @param {Position} position
 * @param {readonly (Move | string)[]} moves
 */
export function lineJson(position, moves) {
  let at = position;
  return moves.map(each => {
    const move = typeof each === "string" ? at.parseMove(each) : each;
    at = at.play(move);
    return {...moveJson(move), fen: at.fen};
  });
}

/** A position with its legal moves and the position after each. @param {Position} position */
export const positionJson = position => ({
  fen: position.fen,
  side: sideName(position.side),
  moves: position.legalMoves().map(move => ({...moveJson(move), fen: position.after(move).fen})),
  over: over(position),
});

/**
 * Why a game is over in this position, by its board alone; null if it goes on.
 * @param {Position} position
 * @returns {import("../texts.js").Sentence | null}
 */
export function over(position) {
  if (!position.isOver) return null;
  const sides = {side: sideName(position.side), other: sideName(1 - position.side)};
  return {say: position.own ? "end.no_move" : "end.no_pieces", with: sides};
}

export {squareName};
