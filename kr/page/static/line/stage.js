// A board with one line of moves, the task above it, and buttons below: what puzzles and endings are played on.

import {button, el} from "../dom.js";
import {iconButton} from "../icons.js";
import {pressing, stepKeys} from "../keys.js";
import {menu} from "../menu.js";
import {Stage, stepButtons} from "../stage.js";
import {t} from "../texts.js";
import {Line} from "./state.js";
import {within} from "./view.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Side} from "../squares.js" */
/** @import {Items} from "../menu.js" */

export class LineStage {
  /**
   * @param {import("../shell.js").App} app
   * @param {object} options
   * @param {string} options.label of the board
   * @param {Items} options.more actions of the menu below the board
   */
  constructor(app, {label, more}) {
    this.line = new Line();
    const steps = {
      start: () => this.go(0),
      back: () => this.go(this.line.at - 1),
      next: () => this.go(this.line.at + 1),
      end: () => this.go(this.line.length),
    };
    this._acts = el(
      "div",
      {class: "row acts"},
      menu(
        iconButton("more", t("More"), () => {}),
        t("More"),
        more,
      ),
    );
    this.stage = new Stage(app, {label, controls: [stepButtons(steps), this._acts]});
    this.board = this.stage.board;
    this.board.forced(true);
    this.board.onidle = () =>
      !this.line.isHeld && !this.line.isLast
        ? t("This is an earlier position; moves are made at the end of the line (End)")
        : "";
    this._words = el("span", {class: "words"});
    this._disc = el("i", {class: "disc", "aria-hidden": "true"});
    this.task = el("p", {class: "task turn", role: "status"}, this._disc, this._words);
    this.element = this.stage.element;
    this.element.prepend(this.task);
    this.list = el("ol", {class: "line", "aria-label": t("Moves")});
    /** @type {import("../keys.js").Keys} */
    this.keys = {...stepKeys(steps), f: () => this.stage.flip()};
    this._press = pressing(this.keys);
    /** @type {() => void} */
    this.onshow = () => {}; // hears that another position is shown
  }

  /** What the person does there, below the board. @param {Node[]} buttons */
  offer(buttons) {
    this._acts.prepend(...buttons);
  }

  // --- the line

  /**
   * A new line, seen from the side of the person.
   * @param {string} start
   * @param {BoardMove[]} moves
   * @param {Side} side
   */
  begin(start, moves, side) {
    this.line.begin(start, moves);
    this.stage.flip(side === "black");
    this._listed();
  }

  /** @param {BoardMove} move that is seen and heard to be made */
  play(move) {
    const before = this.line.moves.at(-1)?.fen ?? this.line.start;
    this.line.play(move);
    this.stage.hear(move, before);
    this._listed(true);
  }

  /** @param {BoardMove[]} moves behind the line; the position on the board stays */
  add(moves) {
    this.line.add(moves);
    this._listed();
  }

  /** @param {number} length */
  cut(length) {
    this.line.cut(length);
    this._listed();
  }

  /** @param {BoardMove[]} moves */
  allow(moves) {
    this.line.allow(moves);
    this._show();
  }

  /** No move can be made while another line is fetched: it would be lost. @param {boolean} on */
  hold(on) {
    this.line.isHeld = on;
    if (this.line.start) this._show();
  }

  /** @param {number} to */
  go(to) {
    this.line.go(to);
    this.mark();
    this._show();
    this.onshow();
  }

  /** Brings the newest move into sight, once the list is on the page. */
  reveal() {
    this.list.scrollTop = this.list.scrollHeight;
    this._show();
  }

  /**
   * Arrows and outlined squares, until another position is shown.
   * @param {{arrows?: import("../board-drawing.js").BoardArrow[], squares?: number[]}} [marks]
   */
  mark({arrows = [], squares = []} = {}) {
    this.board.arrows(arrows);
    this.board.outline(squares);
  }

  /**
   * The task, with a disc of the side that has it.
   * @param {string} text
   * @param {Side} [side]
   */
  tell(text, side) {
    this._words.textContent = text;
    this._disc.className = `disc ${side ?? ""}`;
    this._disc.hidden = !side;
  }

  // --- keys

  listen() {
    document.addEventListener("keydown", this._press);
  }

  unlisten() {
    document.removeEventListener("keydown", this._press);
  }

  // --- drawing

  /** @param {boolean} [animate] */
  _listed(animate = false) {
    this.list.replaceChildren(
      ...this.line.moves.map((move, i) =>
        el(
          "li",
          null,
          button(move.text, () => this.go(i + 1)),
        ),
      ),
    );
    this.list.scrollTop = this.list.scrollHeight;
    this.mark();
    this._show(animate);
    this.onshow();
  }

  /** @param {boolean} [animate] */
  _show(animate = false) {
    const {line} = this;
    this.board.show(line.fen, {moves: line.allowed, last: line.last, animate});
    this.stage.material(line.fen, line.start);
    for (const [i, item] of this.list.querySelectorAll("button").entries()) {
      item.ariaCurrent = i === line.at - 1 ? "step" : null;
      if (i === line.at - 1) within(this.list, item);
    }
  }
}
