// The position on the board as a problem: is it sound, and is its solution the only one? In the panel Proof.

import {verdictView} from "../composing/view.js";
import {el} from "../dom.js";
import {plyOf} from "./state.js";

/** @typedef {import("../composing/state.js").Verdict} Verdict */

export class ProblemCheck {
  element = el("section", {class: "soundness", hidden: true});

  /** @param {import("../shell.js").App} app */
  constructor(app) {
    this._app = app;
    /** @type {Verdict | null} */
    this._verdict = null;
    this._fen = "";
  }

  /** What is asked of a position: as in the editor of positions. @param {string} fen @param {number} seconds */
  asked(fen, seconds) {
    const kept = this._app.kept;
    return {fen, seconds, result: kept("composing-result", ""), strict: Boolean(kept("composing-strict", false))};
  }

  /** Shows a verdict while the problem, or its line, is on the board; null for none. @param {Verdict | null} verdict */
  take(verdict, fen = "") {
    this._verdict = verdict;
    this._fen = fen;
    this.draw();
  }

  draw() {
    const {_verdict: verdict, _fen: fen} = this,
      ply = verdict ? plyOf(verdict, fen, this._app.tree.node.fen) : -1;
    this.element.hidden = ply < 0;
    if (!verdict || ply < 0) return;
    const shown = verdictView(verdict, fen, ply, to => this._step(to));
    this.element.replaceChildren(...shown.filter(each => each !== null));
  }

  /** Plays the line up to a ply, as a variation of the game on the board. @param {number} ply */
  _step(ply) {
    const {tree} = this._app,
      root = tree.line().findLast((/** @type {any} */ node) => node.fen === this._fen);
    if (!root || !this._verdict) return;
    tree.select(root);
    for (const move of this._verdict.line.slice(0, ply)) tree.play(move);
    if (ply) this._app.announce(this._verdict.line[ply - 1].text);
  }
}
