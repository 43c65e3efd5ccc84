// Training with a repertoire: the page makes the replies, the person their own moves. Nothing here touches the
// document.

import {many, t} from "../texts.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Words} from "../line/page.js" */
/** @import {Lines, OwnMove} from "./lines.js" */
/** @typedef {"asking" | "wrong" | "right" | "shown" | "over"} Step */
/** How likely people play the moves of a position, by the FEN after them. @typedef {Map<string, number>} Shares */

/** Replies that people hardly ever play come up too. */
const LEAST_SHARE = 0.02;

export class Drill {
  /**
   * @param {Lines} lines
   * @param {{queue?: string[] | null, random?: () => number}} [how] queue: positions to ask for, one after another, in
   *     place of whole lines
   */
  constructor(lines, {queue = null, random = Math.random} = {}) {
    this.lines = lines;
    this.queue = queue && [...queue];
    this.right = this.missed = 0;
    /** @type {Step} */
    this.step = "over";
    this.fen = "";
    /** Moves to the position, from the start of a game. @type {BoardMove[]} */
    this.moves = [];
    this.start = "";
    this.isClean = true; // the answer in question, without a wrong move
    this._random = random;
  }

  /** Whether an answer in or behind a position can be asked for. @param {string} fen */
  isTrained(fen) {
    /** @type {Set<string>} */
    const seen = new Set(),
      waiting = [fen];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      if (this.lines.isOwn(at)) {
        if (this.lines.answers(at).length) return true;
      } else waiting.push(...this.lines.of(at).map(move => move.fen));
    }
    return false;
  }

  /**
   * Begins with the next position of the queue, or a line from a position, or from a root: "own" if the person is to
   * move, "reply" if the page is, "over" if nothing can be asked for.
   * @param {string | null} [from]
   */
  begin(from = null) {
    let fen = from;
    if (this.queue) fen = this.queue.shift() ?? null;
    else if (!fen || !this.lines.isReached(fen) || !this.isTrained(fen)) {
      const roots = Object.keys(this.lines.graph.roots).filter(each => this.isTrained(each));
      fen = roots[Math.floor(this._random() * roots.length)] ?? null;
    }
    const way = fen === null ? null : this.lines.wayTo(fen);
    if (fen === null || !way) return this._end();
    this.fen = fen;
    this.start = way.root.start;
    this.moves = [...way.moves];
    return this._place();
  }

  /**
   * A move of the person: whether it is one of theirs.
   * @param {BoardMove} move
   */
  answer(move) {
    const isRight = this.lines.answers(this.fen).some(each => each.fen === move.fen);
    if (!isRight) {
      if (this.isClean) this.missed += 1;
      this.isClean = false;
      this.step = "wrong";
      return false;
    }
    if (this.isClean) this.right += 1;
    this.step = "right";
    this._go(move);
    return true;
  }

  /** Gives the answer away, which counts as a miss. @returns {OwnMove} */
  show() {
    if (this.isClean) this.missed += 1;
    this.isClean = false;
    this.step = "shown";
    return this.lines.answers(this.fen)[0];
  }

  /** Whether the game goes on behind the last answer: with a reply that is prepared and leads to another question. */
  get goesOn() {
    return !this.queue && this._replies().length > 0;
  }

  /**
   * Makes a reply, the likelier the more people play it.
   * @param {Shares} shares
   */
  reply(shares) {
    const replies = this._replies(),
      weights = replies.map(move => Math.max(shares.get(move.fen) ?? 0, LEAST_SHARE));
    let chance = this._random() * weights.reduce((sum, weight) => sum + weight, 0);
    const chosen = replies.find((_, i) => (chance -= weights[i]) < 0) ?? replies[replies.length - 1];
    this._go(chosen);
    this._place();
    return chosen;
  }

  _replies() {
    if (this.lines.isOwn(this.fen)) return [];
    // kings walk to and fro: a line ends where it would come back
    const before = new Set([this.start, ...this.moves.map(move => move.fen)]);
    return this.lines.of(this.fen).filter(move => !before.has(move.fen) && this.isTrained(move.fen));
  }

  /** @param {BoardMove} move */
  _go({text, path, captured, fen}) {
    this.moves.push({text, path, captured, fen});
    this.fen = fen;
  }

  /** @returns {"own" | "reply" | "over"} */
  _place() {
    if (!this.lines.isOwn(this.fen)) return this._replies().length ? "reply" : this._end();
    if (!this.lines.answers(this.fen).length) return this._end();
    this.step = "asking";
    this.isClean = true;
    return "own";
  }

  /** @returns {"over"} */
  _end() {
    this.step = "over";
    return "over";
  }

  // --- words

  /** How it went so far. */
  result() {
    const right = many(this.right, "move");
    if (!this.right && !this.missed) return t("Nothing to ask for here.");
    return this.missed
      ? t("{right} known, {missed} missed; those come again tomorrow.", {right, missed: this.missed})
      : t("{right} known, none missed.", {right});
  }

  /** What is to be done. @param {string} [reply] that the page has just made */
  task(reply = "") {
    const own = this.lines.side === "black" ? t("Your move, with Black.") : t("Your move, with White.");
    return reply ? `${t("{move} was played.", {move: reply})} ${own}` : own;
  }
}
