// The moves of a game and the board that shows it: the newest position, or an earlier one that is looked at.

import {el} from "../dom.js";
import {within} from "../line/view.js";
import {lookedAt} from "./state.js";
import {t} from "../texts.js";

/** @typedef {import("./state.js").Node} Node */

export class LineView {
  /**
   * @param {import("../stage.js").Stage} stage
   * @param {() => void} onlook called when another position is looked at
   */
  constructor(stage, onlook) {
    this._stage = stage;
    this._onlook = onlook;
    /** @type {Node[]} the start, and the moves */
    this.nodes = [];
    /** @type {number | null} number of moves before an earlier position that is looked at */
    this.looked = null;
    this.element = el("ol", {
      class: "played",
      "aria-label": t("Moves"),
      tabindex: 0,
      onclick: (/** @type {Event} */ event) => {
        const {ply} = /** @type {HTMLElement} */ (event.target).dataset;
        if (ply) this.look(Number(ply));
      },
    });
  }

  get length() {
    return Math.max(0, this.nodes.length - 1);
  }

  /** The node of the position on the board. @returns {Node | undefined} */
  get node() {
    return this.nodes[this.looked ?? this.length];
  }

  /**
   * Another line, or the same one with more moves.
   * @param {Node[]} nodes
   */
  load(nodes) {
    this.nodes = nodes;
    this.looked = null;
    const rows = [],
      first = nodes[0]?.fen[0] === "W" ? 1 : 0;
    for (let ply = 1 - first; ply < nodes.length; ply += 2) {
      const pair = [ply, ply + 1]
        .filter(each => each > 0 && each < nodes.length)
        .flatMap(each => [" ", el("span", {"data-ply": each}, nodes[each].text)]);
      if (pair.length) rows.push(el("li", null, ply ? "" : "…", pair));
    }
    this.element.replaceChildren(...rows);
  }

  /**
   * Shows the position.
   * @param {{moves?: import("./state.js").Move[], animate?: boolean, forced?: boolean}} [options] moves: legal ones at
   *     the end of the line; forced: pieces that must capture are marked
   */
  show({moves = [], animate = false, forced = false} = {}) {
    const {node, looked} = this;
    if (!node) return;
    const last = node.path?.length ? node.path : null;
    const {board} = this._stage;
    board.forced(forced);
    board.show(node.fen, {moves: looked === null ? moves : [], last, animate});
    this._stage.material(node.fen, this.nodes[0].fen);
    for (const move of /** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll("span"))) {
      const at = looked === Number(move.dataset.ply);
      move.classList.toggle("at", at);
      if (at) move.setAttribute("aria-current", "true");
      else move.removeAttribute("aria-current");
    }
    this.reveal();
  }

  /** The newest move is in sight, or the earlier one that is looked at. */
  reveal() {
    const at = this.element.querySelector(".at");
    if (at) within(this.element, at);
    else this.element.scrollTop = this.element.scrollHeight;
  }

  /** @param {number} ply */
  look(ply) {
    this.looked = lookedAt(ply, this.length);
    this._onlook();
  }

  /** @param {number} by */
  step(by) {
    this.look((this.looked ?? this.length) + by);
  }
}
