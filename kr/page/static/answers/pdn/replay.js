// Playing moves from their texts (kr/pdn/replay.py). Boards are positions, which keep their legal moves.

import {formatPath, parsePath} from "../notation.js";
import {Move} from "../rules.js";
import {KrError, Refused} from "../text.js";
import {told} from "./drafts.js";

/** @typedef {import("../rules.js").Position} Position */

/** Most readings of the ambiguous captures of a line that are followed at once. */
const MOST_LINES = 256;
const MOST_PATHS = 1 << 14;

/** The squares of texts of moves; null for a text that is none. @type {Map<string, number[] | null>} */
const paths = new Map();

/**
 * The legal moves that a text may mean, as Position.movesNamed; one unless it is ambiguous.
 * @param {Position} board
 * @param {string} text
 */
export function movesNamed(board, text) {
  const path = pathOf(text);
  if (path?.length === 2) {
    const [origin, target] = path,
      fitting = board.entries.filter(each => each.path[0] === origin && each.path[each.path.length - 1] === target);
    if (fitting.length === 1) return [new Move(fitting[0].path, fitting[0].captured)];
  }
  return board.movesNamed(text);
}

/**
 * The legal move that is meant, with its shortest unambiguous text.
 * @param {Position} board
 * @param {Move | string} move
 */
export function checked(board, move) {
  if (typeof move === "string") {
    const moves = movesNamed(board, move);
    return moves.length === 1 ? moves[0] : board.parseMove(move);
  }
  if (!board.entries.some(each => move.equals(each))) board.play(move); // the error names the legal moves
  const alike = board.entries.filter(({path}) => path[0] === move.origin && path[path.length - 1] === move.target);
  return new Move(move.path, move.captured, move.isCapture && alike.length > 1);
}

/** Moves played from their texts, up to the first illegal one. A capture may be given in several: 25x18 18x9. */
export class Replay {
  #before;

  /**
   * @param {Position} board
   * @param {readonly string[]} texts
   * @param {number} [before] plies before the first of them, for warnings
   */
  constructor(board, texts, before = 0) {
    this.#before = before;
    /** The legal moves. @type {Move[]} */
    this.moves = [];
    /** The start and the board after each of them. */
    this.boards = [board];
    /** Error at the first illegal move; null if all are legal. @type {KrError | null} */
    this.error = null;
    /** Number of the text with the error. */
    this.failed = texts.length;
    /** Number of the first text of each move. @type {number[]} */
    this.firsts = [];
    /**
     * Warnings about captures that are ambiguous or given in several texts, with the reading chosen.
     * @type {import("../../texts.js").Said[]}
     */
    this.ambiguous = [];
    let at = board;
    for (const [index, text] of texts.entries()) {
      const choices = attempted(() => movesNamed(at, text));
      if (choices instanceof KrError) {
        if (isPart(at, text)) this.#followAll(texts, index);
        else [this.error, this.failed] = [choices, index];
        return;
      }
      if (choices.length > 1 || (choices[0].path.length > 2 && isPart(at, text))) {
        this.#followAll(texts, index);
        return;
      }
      at = at.after(choices[0]);
      this.moves.push(choices[0]);
      this.boards.push(at);
      this.firsts.push(index);
    }
  }

  /**
   * Sets up a position after the last move, and plays more moves from there.
   * @param {Position} board
   * @param {readonly string[]} texts
   */
  resume(board, texts) {
    const rest = new Replay(board, texts, this.#before + this.moves.length);
    this.boards.pop();
    // one by one: a copy for each of many setups would be slow, and a call doesn't take any number of arguments
    for (const move of rest.moves) this.moves.push(move);
    for (const each of rest.boards) this.boards.push(each);
    for (const first of rest.firsts) this.firsts.push(this.failed + first);
    for (const each of rest.ambiguous) this.ambiguous.push(each);
    this.error = rest.error;
    this.failed += rest.failed;
  }

  /**
   * Continues from an ambiguous capture, with the first reading that makes the rest legal.
   * @param {readonly string[]} texts
   * @param {number} first
   */
  #followAll(texts, first) {
    let ways = [new Way(this.boards[this.boards.length - 1])];
    for (let index = first; index < texts.length; index++) {
      /** @type {Map<string, Way>} */
      const following = new Map();
      /** @type {KrError | null} */
      let error = null;
      for (const way of ways) {
        const reached = attempted(() => way.continued(texts[index], index, index + 1 === texts.length));
        if (reached instanceof KrError) {
          error ??= reached;
          continue;
        }
        for (const after of reached) {
          const key = `${after.board.key}:${after.begun}`;
          if (!following.has(key) && following.size < MOST_LINES) following.set(key, after);
        }
      }
      if (!following.size) {
        [this.error, this.failed] = [error, index];
        break;
      }
      ways = [...following.values()];
    }
    // a capture that is begun when the texts end, or at an illegal one, is not played
    const whole = ways.find(way => !way.begun.length);
    if (!whole && !this.error) this.failed = ways[0].index;
    /** @type {Way[]} */
    const steps = [];
    for (let way = whole ?? ways[0]; way.before; way = way.before) steps.push(way);
    /** @type {Way[]} */
    let begun = [];
    for (const way of steps.reverse()) {
      begun.push(way);
      if (!way.move) continue;
      this.moves.push(way.move);
      this.firsts.push(begun[0].index);
      this.boards.push(way.board);
      const text = begun.map(each => texts[each.index]).join(" "),
        values = {text, ply: String(this.#before + this.moves.length)};
      if (way.choices.length > 1)
        this.ambiguous.push(told("pdn.ambiguous", {...values, ways: way.choices.join(" or "), move: String(way.move)}));
      else if (begun.length > 1)
        this.ambiguous.push(told("pdn.one_capture", {...values, move: formatPath(way.move.path, true)}));
      begun = [];
    }
    if (begun.length && this.failed >= begun[0].index) {
      this.failed = begun[0].index;
      this.error = unfinished(begun[0].board, texts[this.failed]);
    }
  }
}

/** A reading of a line with captures that are ambiguous or given in several texts, up to some text. */
class Way {
  /**
   * @param {Position} board
   * @param {Way | null} [before]
   * @param {number} [index] number of the text
   * @param {Move | null} [move]
   * @param {Move[]} [choices] all that the text may mean
   * @param {number[]} [begun] squares of a capture that the next text continues; the board is then the one before it
   */
  constructor(board, before = null, index = -1, move = null, choices = [], begun = []) {
    this.board = board;
    this.before = before;
    this.index = index;
    this.move = move;
    this.choices = choices;
    this.begun = begun;
  }

  /** The readings after one more text. @param {string} text @param {number} index @param {boolean} last */
  continued(text, index, last) {
    const {board, begun} = this,
      path = pathOf(text);
    /** @type {Move[]} */
    let moves = [];
    /** @type {number[]} */
    let partial = [];
    if (!begun.length) {
      if (path && isPart(board, text)) {
        partial = path;
        const named = attempted(() => movesNamed(board, text));
        if (!(named instanceof KrError)) moves = named;
        else if (last) throw named;
      } else moves = movesNamed(board, text);
    } else if (path && path[0] === begun[begun.length - 1]) {
      const squares = [...begun, ...path.slice(1)];
      for (const {path: whole, captured} of board.entries) {
        if (!beginsWith(whole, squares)) continue;
        if (whole.length === squares.length) moves.push(checked(board, new Move(whole, captured)));
        else partial = squares;
      }
    }
    if (!moves.length && !partial.length) throw unfinished(board, text);
    const open = partial.length && !last,
      longer = open ? board.entries.filter(each => isLonger(each.path, partial)) : [];
    const choices = [...moves, ...longer.map(({path: whole, captured}) => checked(board, new Move(whole, captured)))];
    const ways = moves.map(move => new Way(board.after(move), this, index, move, choices));
    if (open) ways.push(new Way(board, this, index, null, [], partial));
    return ways;
  }
}

/**
 * What a function returns, or the error that it throws.
 * @template T
 * @param {() => T} action
 * @param {string} [kind] of the error; "" for any
 */
export function attempted(action, kind = "move") {
  try {
    return action();
  } catch (error) {
    if (error instanceof KrError && (!kind || error.kind === kind)) return error;
    throw error;
  }
}

/** @param {readonly number[]} path @param {readonly number[]} squares */
const beginsWith = (path, squares) => squares.every((square, index) => path[index] === square);

/** @param {readonly number[]} path @param {readonly number[]} squares */
const isLonger = (path, squares) => path.length > squares.length && beginsWith(path, squares);

/** True if a text names the beginning of a longer legal capture. @param {Position} board @param {string} text */
function isPart(board, text) {
  const path = pathOf(text);
  return path !== null && board.entries.some(each => isLonger(each.path, path));
}

/** @param {Position} board @param {string} text */
const unfinished = (board, text) =>
  new Refused("pdn.unfinished", {move: text, moves: board.legalMoves().join(", ")}, "move");

/** @param {string} text */
function pathOf(text) {
  const known = paths.get(text);
  if (known !== undefined) return known;
  const path = attempted(() => parsePath(text)),
    found = path instanceof KrError ? null : path;
  if (paths.size >= MOST_PATHS) paths.clear();
  paths.set(text, found);
  return found;
}
