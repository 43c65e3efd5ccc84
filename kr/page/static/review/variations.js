// Lines below one another, through which one steps on the board by clicks or by the arrow keys.

import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {t} from "../texts.js";

/** @typedef {import("./moments.js").Step} Step */
/** @typedef {{name: string, steps: Step[]}} Line */

export class Variations {
  /** @param {(step: Step) => void} onstep hears of the move to show */
  constructor(onstep) {
    this._onstep = onstep;
    /** @type {Line[]} */
    this._lines = [];
    this._row = this._column = 0;
    this.element = el("div", {class: "variations", role: "group", "aria-label": t("Lines"), hidden: true});
  }

  get isEmpty() {
    return !this._lines.length;
  }

  /** Shows other lines; the place in them stays. @param {Line[]} lines */
  show(lines) {
    this._lines = lines;
    this.element.hidden = this.isEmpty;
    this._draw();
  }

  /** To a move of a line. @param {number} row @param {number} column */
  go(row, column) {
    [this._row, this._column] = [row, column];
    this._draw();
    this._onstep(this._lines[row].steps[column]);
  }

  /** A move on or back, as far as there is one. @param {1 | -1} step */
  step(step) {
    const column = this._column + step;
    if (this._lines[this._row]?.steps[column]) this.go(this._row, column);
  }

  _draw() {
    const focused = this.element.contains(document.activeElement);
    this.element.replaceChildren(
      ...this._lines.map(({name, steps}, row) =>
        el(
          "p",
          null,
          el("b", null, name),
          ...steps.map((step, column) =>
            button(visible(step.text), () => this.go(row, column), {
              "aria-current": row === this._row && column === this._column ? "step" : null,
            }),
          ),
        ),
      ),
    );
    if (focused) /** @type {HTMLElement | null} */ (this.element.querySelector("[aria-current]"))?.focus();
  }
}
