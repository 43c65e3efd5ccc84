// A panel about the position on the board: it asks the server once one stays there.

import {Errands} from "../errands.js";

/** @import {App} from "../shell.js" */

const WAIT_MS = 60; // before a position that may be left at once is asked for

/** @template Answer */
export class PositionPanel {
  /**
   * @param {App} app
   * @param {string} name
   * @param {string} title
   */
  constructor(app, name, title) {
    this.app = app;
    this._isShown = false;
    this._errands = new Errands();
    this._waiting = 0;
    /** @type {Answer | null} */
    this._answer = null;
    for (const change of ["node", "game"]) app.tree.on(change, () => this._follow());
    app.onback(() => this._follow());
    this._panel = {name, title, show: () => this._show(), hide: () => this._hide()};
  }

  _show() {
    this._isShown = true;
    this._follow();
  }

  _hide() {
    this._isShown = false;
    this._errands.end();
    clearTimeout(this._waiting);
    this._clear();
  }

  _follow() {
    if (!this._isShown) return;
    this._clear();
    clearTimeout(this._waiting);
    this._waiting = window.setTimeout(() => this._ask(), WAIT_MS);
  }

  async _ask() {
    const errand = this._errands.begin();
    const {node} = this.app.tree;
    if (!node.fen) return;
    try {
      const answer = await this._fetch(node);
      if (errand.isStale) return;
      this._answer = answer;
      this._write(answer);
    } catch (error) {
      if (errand.isStale) return;
      this._answer = null;
      this._refuse(/** @type {Error} */ (error).message);
    }
  }

  // --- what a panel does in its own way

  /** Takes off the board what was shown of another position. */
  _clear() {
    this.app.board.outline([]);
  }

  /** @param {any} _node @returns {Promise<Answer>} */
  async _fetch(_node) {
    throw new Error("not asked");
  }

  /** @param {Answer} _answer */
  _write(_answer) {}

  /** @param {string} _why */
  _refuse(_why) {}
}
