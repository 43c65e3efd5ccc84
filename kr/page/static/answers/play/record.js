// The game as a PDN tree, which a page keeps as a document and brings back later.

import {bookNote} from "../book.js";
import {Game} from "../pdn/tree.js";
import {openingPlies} from "../pdn/opening.js";
import {Clock} from "./clock.js";
import {HUMAN, shownName} from "./opponents.js";
import {SETUP_TAGS} from "./setup.js";

/** @typedef {import("../pdn/tree.js").GameNode} GameNode */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("./players.js").Reply} Reply */
/** @typedef {import("./setup.js").Setup} Setup */
/** @typedef {import("./setup.js").NewSetup} NewSetup */

export const UNFINISHED = "*";
export const NAME_TAGS = ["Black", "White"];
const ENGLISH = "21";
const SCORE = /([+-][0-9]{1,4}\.[0-9]{2})\/[0-9]+ /;
const MOST_DIGITS = 3;

/** @param {number} seconds */
const rounded = seconds => Number(seconds.toFixed(MOST_DIGITS));

/** Score in men, depth and seconds of a reply: "+0.12/15 0.300s", or what the book says of it. @param {Reply} reply */
const noteOf = ({score, depth, time, weight}) =>
  weight === undefined
    ? `${score < 0 ? "" : "+"}${(score / 100).toFixed(2)}/${depth} ${time.toFixed(3)}s`
    : bookNote(score, weight);

export class PlayRecord {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    /** Plies of the opening, which were not chosen at the board and can't be taken back. */
    this.opening = openingPlies(game);
    /** @type {GameNode} */
    this._end = game.end();
  }

  /** A game that begins, after the moves of its opening. @param {NewSetup} setup */
  static begin(setup) {
    const now = new Date(),
      [black, white] = setup.specs.map((spec, side) => setup.names[side] || shownName(spec)),
      date = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
        .map(each => String(each).padStart(2, "0"))
        .join(".");
    /** @type {[string, string][]} */
    const headers = [
      ["Event", "kr play"],
      ["Site", "?"],
      ["Date", date],
      ["Round", "?"],
      ["Black", black],
      ["White", white],
      ...setup.headers,
      ["Result", UNFINISHED],
      ["GameType", ENGLISH],
    ];
    return new PlayRecord(new Game(headers, setup.start, setup.line));
  }

  /** A game that goes on. @param {Game} game @param {Setup} setup */
  static resume(game, setup) {
    const {headers} = game;
    for (const tag of SETUP_TAGS) headers.delete(tag);
    for (const [tag, value] of setup.headers) headers.set(tag, value);
    for (const [side, tag] of NAME_TAGS.entries()) {
      const spec = setup.specs[side];
      // a person's name stays
      if (spec !== HUMAN || !headers.get(tag)) headers.set(tag, shownName(spec));
    }
    return new PlayRecord(game);
  }

  /** The game as a board, at its last move. */
  board() {
    return this._end.board();
  }

  /**
   * Adds a move.
   * @param {Move} move
   * @param {number} seconds time spent
   * @param {number | null} left on the mover's clock
   * @param {Reply | null} reply of its engine
   */
  add(move, seconds, left, reply) {
    const node = this._end.addVariation(move, {comment: reply ? noteOf(reply) : ""});
    node.setEmt(rounded(seconds));
    if (left !== null) node.setClock(rounded(left));
    this._end = node;
  }

  /** Removes the last moves. @param {number} plies */
  undo(plies) {
    for (let i = 0; i < plies; i++) {
      const node = this._end,
        {parent} = node;
      if (!parent) return;
      parent.variations = parent.variations.filter(other => other !== node);
      this._end = parent;
    }
  }

  /** Scores of a side's engine so far, in centi-men, its own view. @param {number} side */
  scores(side) {
    /** @type {number[]} */
    const scores = [];
    for (const [ply, node] of this.game.mainline().entries()) {
      const score = this._isOf(side, ply) && SCORE.exec(node.comment);
      if (score) scores.push(Math.round(100 * Number(score[1])));
    }
    return scores;
  }

  /**
   * Clock of a side after its last move.
   * @param {number} side
   * @param {import("./clock.js").TimeControl | null} control
   */
  clock(side, control) {
    const clock = new Clock(control);
    for (const [ply, node] of this.game.mainline().entries()) {
      if (ply < this.opening || !this._isOf(side, ply)) continue;
      // this counts the moves to the next time control; the time left stands in the record
      clock.stop(0);
      const left = control && node.clock();
      if (left !== null) clock.left = left;
    }
    return clock;
  }

  /** Enters the result and the reason for it. @param {string} result @param {string} termination */
  finish(result, termination) {
    this.game.result = result;
    this.game.headers.set("Result", result).set("Termination", termination);
  }

  /** @param {number} side @param {number} ply */
  _isOf(side, ply) {
    return (this.game.start.side + ply) % 2 === side;
  }
}
