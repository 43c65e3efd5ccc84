// The grid of cells over a board, for keys and screen readers: one cell a square, one of them in the order of Tab.

import {el} from "./dom.js";
import {place, SQUARES, squareAt} from "./squares.js";

const ROWS = [0, 1, 2, 3, 4, 5, 6, 7];
/** @type {Record<string, [number, number]>} */
const STEPS = {ArrowLeft: [-2, 0], ArrowRight: [2, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

export class Cells {
  /** @param {string} label what the board is called */
  constructor(label) {
    this.element = el("div", {class: "grid", role: "grid", "aria-label": label});
    /** @type {Record<number, HTMLElement>} */
    this._cells = {};
    this._focused = 1;
    this._flipped = false;
  }

  /** @param {boolean} flipped */
  build(flipped) {
    this._flipped = flipped;
    const isFocused = this.element.contains(document.activeElement);
    const rows = ROWS.map(row =>
      el(
        "div",
        {role: "row"},
        ROWS.map(column => this._cell(column, row)),
      ),
    );
    this.element.replaceChildren(...rows);
    this._cells[this._focused].tabIndex = 0;
    if (isFocused) this.focus();
  }

  /**
   * @param {(square: number) => string} label
   * @param {(square: number) => boolean} isMovable
   */
  describe(label, isMovable) {
    for (const square of SQUARES) {
      const cell = this._cells[square];
      const text = label(square);
      if (cell.ariaLabel !== text) cell.setAttribute("aria-label", text);
      cell.classList.toggle("movable", isMovable(square));
    }
  }

  focus() {
    this._cells[this._focused].focus();
  }

  /** @param {number} square the one that Tab leads to */
  moveFocus(square) {
    this._cells[this._focused].tabIndex = -1;
    this._focused = square;
    this._cells[square].tabIndex = 0;
  }

  /**
   * To the next dark square in the direction of an arrow key; gives the one that has the focus then.
   * @param {number} square
   * @param {string} key
   */
  step(square, key) {
    const [column, row] = place(square, this._flipped);
    const [dx, dy] = STEPS[key];
    const x = column + dx + (dy ? (column % 2 ? -1 : 1) : 0);
    const next = squareAt(x, row + dy, this._flipped);
    if (!next) return square;
    this.moveFocus(next);
    this.focus();
    return next;
  }

  /**
   * The square under a pointer: 0 for a light one, null beside the board.
   * @param {{clientX: number, clientY: number}} event
   */
  at({clientX, clientY}) {
    const box = this.element.getBoundingClientRect();
    const column = Math.floor(((clientX - box.left) / box.width) * 8);
    const row = Math.floor(((clientY - box.top) / box.height) * 8);
    return squareAt(column, row, this._flipped);
  }

  /** @param {number} column @param {number} row */
  _cell(column, row) {
    const square = squareAt(column, row, this._flipped);
    if (!square) return el("div", {role: "gridcell"});
    this._cells[square] = el("div", {role: "gridcell", tabindex: -1, "data-square": square});
    return this._cells[square];
  }
}
