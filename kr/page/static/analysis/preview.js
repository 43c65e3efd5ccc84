// The position after a move of a line that one points at, on a small board.

import {Board} from "../board.js";
import {el} from "../dom.js";

/** @typedef {import("./words.js").Move} Move */

export class Preview {
  constructor() {
    this._board = new Board({label: "", numbers: false});
    this.element = el("div", {class: "preview", hidden: true, inert: true, "aria-hidden": "true"}, this._board.element);
    document.body.append(this.element);
  }

  /**
   * @param {Move} move
   * @param {HTMLElement} place what it stands beside
   * @param {boolean} flipped
   */
  show(move, place, flipped) {
    if (this._board.flipped !== flipped) this._board.flip(flipped);
    this._board.show(move.fen, {last: move.path});
    this.element.hidden = false;
    const box = place.getBoundingClientRect(),
      own = this.element.getBoundingClientRect();
    const below = box.bottom + 6 + own.height < innerHeight;
    this.element.style.left = `${Math.max(4, Math.min(box.left, innerWidth - own.width - 4))}px`;
    this.element.style.top = `${below ? box.bottom + 6 : Math.max(4, box.top - own.height - 6)}px`;
  }

  hide() {
    this.element.hidden = true;
  }
}
