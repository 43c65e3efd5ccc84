// A game as a tree of moves: the line that was played, variations, comments and judgements (kr/pdn/tree.py, game.py).
//
// The first child of a node is its main continuation, the others are the variations on it. An illegal variation keeps
// its moves as text: its nodes have no `move` and no `position`. Where kr's Python has bitboards (`bits`), a Position
// stands here.

import {stripped} from "../blanks.js";
import {Board, Position} from "../rules.js";
import {KrError, quoted} from "../text.js";
import {CLOCK, clockText, clockTimes, MOVE_TIME, moveTime} from "./commands.js";
import {checked} from "./replay.js";

/** @typedef {import("../rules.js").Move} Move */

/** Beginnings of the comment that keeps, as text, the moves that a reader could not replay. */
export const NOT_LEGAL = "Not legal from here",
  NOT_KNOWN = "Not known from here";
export const RESULTS = ["1-0", "0-1", "1/2-1/2", "0-0", "*"];

/** A position of a game, with its continuations and comments. The root is a Game, all others are ChildNodes. */
export class GameNode {
  /** @param {GameNode | null} parent the node before; null for the root */
  constructor(parent) {
    this.parent = parent;
    /** Continuations: first the main one, then the variations on it. @type {ChildNode[]} */
    this.variations = [];
    /** Comments after the move (of a Game: before the first move), each in its own braces. @type {string[]} */
    this.comments = [];
    /** Judgements of the move as written: "!", "?!", "(!)", "*" (the only move), "$14". @type {string[]} */
    this.nags = [];
    /** The position set up here in place of the one that the move leads to. @type {Position | null} */
    this.setup = null;
    /** The position if it is known already. @type {Position | null} */
    this._position = null;
  }

  /** Comments after the move as one text; "" if there are none. */
  get comment() {
    return this.comments.join(" ");
  }

  set comment(comment) {
    this.comments = comment ? [comment] : [];
  }

  /** True if the move and all moves before it are legal, so that the node has a position. */
  get isLegal() {
    return true;
  }

  /** The position after the move; an illegal variation has none. @returns {Position} */
  get position() {
    /** @type {ChildNode[]} */
    const path = [];
    /** @type {GameNode} */
    let node = this;
    while (!node._position && node instanceof ChildNode) {
      path.push(node);
      node = node.parent ?? removed();
    }
    let position = node._position ?? removed();
    for (const child of path.reverse()) {
      position = child.setup ?? position.after(child.move);
      child._position = position;
    }
    return position;
  }

  /** The game up to this node. */
  board() {
    /** @type {ChildNode[]} */
    const path = [];
    for (let node = /** @type {GameNode} */ (this); node instanceof ChildNode; node = node.parent ?? removed())
      path.push(node);
    const board = new Board(this.game().start);
    for (const node of path.reverse()) {
      board.play(node.move);
      if (!node.setup) continue;
      // repetitions are counted from the position that was set up
      board.positions[board.positions.length - 1] = node.setup;
      board._reversible[board._reversible.length - 1] = 0;
    }
    return board;
  }

  /** The side to move. */
  get turn() {
    return (this.game().start.side + this.ply()) % 2;
  }

  /** Number of moves before this position. */
  ply() {
    let count = 0;
    for (let node = this.parent; node; node = node.parent) count++;
    return count;
  }

  /** The game that the node belongs to. @returns {Game} */
  game() {
    /** @type {GameNode} */
    let node = this;
    while (node.parent) node = node.parent;
    return node instanceof Game ? node : removed();
  }

  /** The main continuation; null at the end. */
  next() {
    return this.variations.length ? this.variations[0] : null;
  }

  /** The last node of the main continuation. @returns {GameNode} */
  end() {
    /** @type {GameNode} */
    let node = this;
    while (node.variations.length) node = node.variations[0];
    return node;
  }

  /** Nodes of the main continuation, without this one. */
  mainline() {
    /** @type {ChildNode[]} */
    const line = [];
    for (let node = this.next(); node; node = node.next()) line.push(node);
    return line;
  }

  /** Moves of the main continuation. */
  mainlineMoves() {
    return this.mainline().map(node => node.move);
  }

  /** This position and the one after each move of the main continuation. */
  positions() {
    return [this.position, ...this.mainline().map(node => node.position)];
  }

  /** The main continuation in pieces that can be replayed: a position, given or set up, and the moves from it. */
  stretches() {
    /** @type {[Position, Move[]][]} */
    const stretches = [[this.position, []]];
    for (const node of this.mainline()) {
      stretches[stretches.length - 1][1].push(node.move);
      if (node.setup) stretches.push([node.setup, []]);
    }
    return stretches;
  }

  /** Positions set up in the main continuation, each with the number of moves of it before. */
  setups() {
    /** @type {[number, Position][]} */
    const setups = [];
    for (const [index, {setup}] of this.mainline().entries()) if (setup) setups.push([index + 1, setup]);
    return setups;
  }

  /** For each of `positions`, the number of the first that can be repeated: the start, or the last set up. */
  historyBegins() {
    const begins = [0];
    for (const {setup} of this.mainline()) begins.push(setup ? begins.length : begins[begins.length - 1]);
    return begins;
  }

  /** All nodes below this one, each line before the continuations of its variations. */
  descendants() {
    /** @type {ChildNode[]} */
    const nodes = [],
      waiting = [...this.variations].reverse();
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      nodes.push(node);
      for (let i = node.variations.length; i--; ) waiting.push(node.variations[i]);
    }
    return nodes;
  }

  /**
   * Adds a move as the last variation, or as the main continuation if it is the first.
   * @param {Move | string} move
   * @param {{comment?: string, startingComment?: string, nags?: Iterable<string>, setup?: Position | null}} [remarks]
   */
  addVariation(move, {comment = "", startingComment = "", nags = [], setup = null} = {}) {
    const node = new ChildNode(this, checked(this.position, move), setup);
    if (setup && setup.side === this.position.side)
      throw new KrError(`the position set up after ${node} has the other side to move: ${setup.fen}`, "pdn");
    node.comment = comment;
    node.startingComment = startingComment;
    node.nags = [...nags];
    this.variations.push(node);
    return node;
  }

  /** Seconds left to the player who moved, from [%clk 0:04:59] or [%clock w0:10:00]; null if not given. */
  clock() {
    for (const comment of this.comments)
      for (const {side, seconds} of clockTimes(comment))
        if (side === null || (this.parent && side === this.parent.turn)) return seconds;
    return null;
  }

  /** @param {number | null} seconds those left to the player who moved; null removes the comment */
  setClock(seconds) {
    this.#setSeconds(CLOCK, "clk", seconds);
  }

  /** Seconds the move took, from a comment such as [%emt 0:00:03] or [%emt 3.2]; null if not given. */
  emt() {
    for (const comment of this.comments) {
      const seconds = moveTime(comment);
      if (seconds !== null) return seconds;
    }
    return null;
  }

  /** @param {number | null} seconds those that the move took; null removes the comment */
  setEmt(seconds) {
    this.#setSeconds(MOVE_TIME, "emt", seconds);
  }

  /** @param {RegExp} pattern @param {string} name @param {number | null} seconds */
  #setSeconds(pattern, name, seconds) {
    const others = this.comments
      .map(comment => (pattern.test(comment) ? stripped(comment.replaceAll(new RegExp(pattern, "gu"), "")) : comment))
      .filter((comment, index) => comment || !pattern.test(this.comments[index]));
    this.comments = seconds === null ? others : [`[%${name} ${clockText(seconds)}]`, ...others];
  }
}

/** A move of a game and the position after it. */
export class ChildNode extends GameNode {
  #move;

  /**
   * Made by `addVariation` and readers.
   * @param {GameNode} parent
   * @param {Move | string} move a legal Move, or the text of an illegal one
   * @param {Position | null} [setup]
   * @param {Position | null} [reached] the position that the move leads to, if it is known already
   */
  constructor(parent, move, setup = null, reached = null) {
    super(parent);
    this.#move = move;
    this.setup = setup;
    this._position = setup ?? reached;
    /**
     * Comments before the move: at the start of a variation, or after the variations on the previous move.
     * @type {string[]}
     */
    this.startingComments = [];
  }

  /** The move that leads here. */
  get move() {
    if (typeof this.#move === "string")
      throw new KrError(`${this.#move} is part of an illegal variation, which is kept as text only`, "move");
    return this.#move;
  }

  /** The move as written. */
  get text() {
    return String(this.#move);
  }

  get isLegal() {
    return typeof this.#move !== "string";
  }

  /** Comments before the move as one text; "" if there are none. */
  get startingComment() {
    return this.startingComments.join(" ");
  }

  set startingComment(comment) {
    this.startingComments = comment ? [comment] : [];
  }

  toString() {
    const before = this.ply() - 1 + this.game().start.side;
    return `${Math.floor(before / 2) + 1}${before % 2 ? "..." : "."} ${this.text}`;
  }
}

/** A game: headers, start and result (English convention: "1-0" means that Black won), and the tree of its moves. */
export class Game extends GameNode {
  #result = "*";

  /**
   * @param {Iterable<[string, string]>} [headers] tags by name, as written
   * @param {Position} [start] the position before the first move
   * @param {Iterable<Move | string>} [moves] those played
   * @param {string} [result]
   */
  constructor(headers = [], start = new Position(), moves = [], result = "*") {
    super(null);
    this.headers = new Map(headers);
    this.start = start;
    this._position = start;
    this.result = result;
    /**
     * The reader's decisions, and contradictions between the result and its tag or the final position.
     * @type {import("../../texts.js").Said[]}
     */
    this.warnings = [];
    /** Line of the text at which the game begins; null if it was not read. @type {number | null} */
    this.line = null;
    /** @type {GameNode} */
    let node = this;
    for (const move of moves) node = node.addVariation(move);
  }

  /** True if moves after the last one are kept as text: one was not legal, or not written down. */
  get breaksOff() {
    return this.end().comments.some(comment => comment.startsWith(NOT_LEGAL) || comment.startsWith(NOT_KNOWN));
  }

  get result() {
    return this.#result;
  }

  set result(result) {
    if (!RESULTS.includes(result))
      throw new KrError(`result ${quoted(result)} is not one of ${RESULTS.join(", ")}`, "pdn");
    this.#result = result;
  }

  /** The moves played. */
  get moves() {
    return this.mainlineMoves();
  }

  /** The side that won; null for a draw, a double loss or an unfinished game. */
  get winner() {
    return this.#result === "1-0" ? 0 : this.#result === "0-1" ? 1 : null;
  }
}

/** @returns {never} */
function removed() {
  throw new KrError("this node was removed from its game", "pdn");
}
