// Where the game on the board leaves the opening book, and who leaves it.

import {pathWords} from "../book.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {number} from "../move-words.js";

/** @typedef {import("../book.js").BookPath} BookPath */
/** @typedef {import("../tree.js").LegalNode} LegalNode */

const MOST_MOVES = 60; // no book goes further

export class Departure {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    this._app = app;
    this.element = el("p", {class: "departure", hidden: true});
    this._errands = new Errands();
    this._key = "";
    for (const change of ["node", "edit", "game"]) app.tree.on(change, () => this._ask());
    app.onback(() => this._ask(true));
    void this._ask();
  }

  /** The moves of the game through the one on the board, as far as they can follow from its start. */
  _line() {
    const {tree} = this._app,
      line = tree.line();
    for (let next = line.at(-1)?.children[0]; next; next = next.children[0]) line.push(next);
    const end = line.findIndex(
      (/** @type {any} */ node, /** @type {number} */ i) => i > 0 && (node.setup || !node.fen),
    );
    return line.slice(0, end < 0 ? 1 + MOST_MOVES : end);
  }

  /** @param {boolean} [again] asks anyway */
  async _ask(again = false) {
    const line = this._line(),
      moves = line.slice(1).map((/** @type {any} */ node) => node.text),
      key = JSON.stringify([line[0].fen, moves, this._app.kept("view", "mover")]);
    if (key === this._key && !again) return;
    this._key = key;
    const errand = this._errands.begin();
    try {
      const path = moves.length ? await this._app.api("book/path", {start: line[0].fen, moves}) : null;
      if (errand.isStale) return;
      this._show(path, line);
    } catch {
      // what the book says is only beside the game
      if (errand.isStale) return;
      this.element.hidden = true;
      this._key = "";
    }
  }

  /**
   * @param {BookPath | null} path
   * @param {LegalNode[]} line
   */
  _show(path, line) {
    const {left = null, plies = 0} = path ?? {},
      isOver = plies > 0 && plies < line.length - 1;
    this.element.hidden = !path || !(left || isOver);
    if (!path || this.element.hidden) return;
    const node = line[left ? left.ply + 1 : plies],
      turned = left?.side === "white" && this._app.kept("view", "mover") === "black";
    const words = pathWords(path, `${number(node)} ${node.text}`, turned);
    this.element.replaceChildren(button(words, () => this._app.tree.select(node), {title: words}));
  }
}
