// A streak or three minutes as they run: the score and the clock beside the puzzle, and the next puzzle after each.

import {button, el} from "../dom.js";
import {pause} from "../line/view.js";
import {t} from "../texts.js";
import {bestOf, Challenge} from "./challenge.js";

/** @import {Kind} from "./challenge.js" */
/** @import {Listed} from "./state.js" */

const TICK_MS = 250,
  SOLVED_MS = 700,
  MISSED_MS = 1500;

export class Running {
  /**
   * @param {import("../shell.js").App} app
   * @param {{puzzles: () => Listed[], open: (id: string) => void, ended: (challenge: Challenge) => void}} acts
   */
  constructor(app, {puzzles, open, ended}) {
    this._app = app;
    this._puzzles = puzzles;
    this._open = open;
    this._ended = ended;
    /** @type {Challenge | null} */
    this._challenge = null;
    this._ticking = 0;
    this._score = el("span", {role: "timer"});
    this.element = el(
      "p",
      {class: "running", hidden: true},
      this._score,
      " ",
      button(t("Stop"), () => this.end()),
    );
  }

  get isOn() {
    return Boolean(this._challenge);
  }

  /** @param {Kind} kind */
  best(kind) {
    return bestOf(this._app, kind);
  }

  /** @param {Kind} kind */
  start(kind) {
    this.end();
    this._challenge = new Challenge(kind, {store: this._app, now: Date.now()});
    this.element.hidden = false;
    this._ticking = window.setInterval(() => this._tick(), TICK_MS);
    this._tick();
    this.next();
  }

  /** Goes on with another puzzle, if there is one. */
  next() {
    const found = this._challenge?.next(this._puzzles());
    if (found) this._open(found.id);
    else this.end();
  }

  /** A puzzle was solved, or missed, which is to be seen before the next one comes. @param {boolean} isSolved */
  async count(isSolved) {
    const challenge = this._challenge;
    if (!challenge) return;
    challenge.count(isSolved);
    this._tick();
    await pause(isSolved ? SOLVED_MS : MISSED_MS);
    if (challenge === this._challenge) this.next();
  }

  end() {
    const challenge = this._challenge;
    if (!challenge) return;
    clearInterval(this._ticking);
    this._challenge = null;
    this.element.hidden = true;
    this._ended(challenge);
  }

  _tick() {
    const now = Date.now();
    if (!this._challenge) return;
    this._score.textContent = this._challenge.words(now);
    if (this._challenge.isOver(now)) this.end();
  }
}
