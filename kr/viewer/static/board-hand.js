// What a person does to a board: pieces taken, dragged and put down, arrows and circles drawn, keys.

import {colourOf} from "./board-shapes.js";
import {WIDTH} from "./board-drawing.js";

/** @import {Cells} from "./board-cells.js" */
/** @import {Drawing} from "./board-drawing.js" */
/** @import {ShapeColour} from "./board-shapes.js" */

/**
 * What a hand asks of its board, and tells it.
 * @typedef {object} Reach
 * @property {() => boolean} canDraw true if a person may draw arrows and circles
 * @property {(square: number) => boolean} canTake true if the piece on a square can be taken up
 * @property {(square: number) => boolean} take a piece is taken up; true if it was chosen before
 * @property {(from: number, to: number | null) => void} drag a piece is put down; to: 0 on a light square, null beside
 * @property {(square: number) => void} choose a square is clicked
 * @property {(from: number, to: number) => void} fail a piece that can't be taken up was dragged
 * @property {() => boolean} leave what was chosen is not; false if nothing was
 * @property {(from: number, to: number | null, colour: ShapeColour) => void} sketch an arrow or a circle is shown
 * @property {(from: number, to: number | null, colour: ShapeColour) => void} draw it is there; to: null for none
 * @property {(from: number) => void} begin an arrow is begun by keys
 */
/**
 * A pointer that is down: with a piece in hand (use), on a square, or drawing.
 * @typedef {object} Hold
 * @property {number} id of the pointer
 * @property {number} square
 * @property {number} x
 * @property {number} y
 * @property {SVGUseElement | null} use
 * @property {boolean} isMoved
 * @property {boolean} wasChosen
 * @property {ShapeColour | null} colour of the shape that is drawn
 */

const FAR = 6; // pixels that a finger may tremble
const LONG_MS = 500;
const PLAIN = {shiftKey: false, ctrlKey: false, altKey: false, metaKey: false};

export class Hand {
  /**
   * @param {Reach} reach
   * @param {Cells} cells
   * @param {Drawing} drawing
   */
  constructor(reach, cells, drawing) {
    this._reach = reach;
    this._cells = cells;
    this._drawing = drawing;
    /** @type {Hold | null} */
    this._hold = null;
    this._tail = 0; // the square where an arrow by keys begins
    this._pressing = 0;
    const grid = cells.element;
    grid.addEventListener("pointerdown", event => this._press(event));
    grid.addEventListener("pointermove", event => this._move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      grid.addEventListener(end, event => this._release(/** @type {PointerEvent} */ (event)));
    }
    // a click leaves the focus where it is, so that the arrow keys go on stepping through the game
    grid.addEventListener("mousedown", event => event.preventDefault());
    grid.addEventListener("contextmenu", event => reach.canDraw() && event.preventDefault());
    // a finger that draws doesn't scroll the page
    grid.addEventListener("touchmove", event => this._hold?.colour && event.preventDefault(), {passive: false});
    grid.addEventListener("keydown", event => this._key(event));
    grid.addEventListener("focusout", event => {
      if (!grid.contains(/** @type {Node | null} */ (event.relatedTarget))) this._endArrow(null);
    });
  }

  // Another position is on the board: a piece of the former one may not come back.
  letGo() {
    clearTimeout(this._pressing);
    this._hold = null;
    this._tail = 0;
  }

  /** @param {PointerEvent} event */
  _press(event) {
    const square = this._cells.at(event);
    const draws = event.button === 2 && this._reach.canDraw();
    if (!square || this._hold || !(event.button === 0 || draws)) return;
    this._endArrow(null);
    this._hold = {
      id: event.pointerId,
      square,
      x: event.clientX,
      y: event.clientY,
      use: null,
      isMoved: false,
      wasChosen: false,
      colour: draws ? colourOf(event) : null,
    };
    this._cells.element.setPointerCapture(event.pointerId);
    if (draws) {
      this._reach.sketch(square, square, colourOf(event));
      return;
    }
    this._cells.moveFocus(square);
    if (this._reach.canTake(square)) {
      this._hold.use = this._drawing.uses[square] || null;
      this._hold.wasChosen = this._reach.take(square);
    }
    if (event.pointerType === "touch" && this._reach.canDraw()) {
      this._pressing = window.setTimeout(() => this._pressLong(), LONG_MS);
    }
  }

  // a finger that stays begins to draw
  _pressLong() {
    const hold = this._hold;
    if (!hold || hold.isMoved) return;
    this._reach.leave();
    hold.use = null;
    hold.colour = colourOf(PLAIN);
    this._reach.sketch(hold.square, hold.square, hold.colour);
  }

  /** @param {PointerEvent} event */
  _move(event) {
    const hold = this._hold;
    if (hold?.id !== event.pointerId) return;
    if (hold.colour) {
      this._reach.sketch(hold.square, this._cells.at(event), hold.colour);
      return;
    }
    const [dx, dy] = [event.clientX - hold.x, event.clientY - hold.y];
    if (!hold.isMoved && Math.hypot(dx, dy) < FAR) return;
    clearTimeout(this._pressing);
    hold.isMoved = true;
    if (!hold.use) return;
    const scale = WIDTH / this._drawing.element.getBoundingClientRect().width;
    hold.use.setAttribute("transform", `translate(${dx * scale} ${dy * scale})`);
    hold.use.parentNode?.append(hold.use);
  }

  /** @param {PointerEvent} event */
  _release(event) {
    const hold = this._hold;
    if (hold?.id !== event.pointerId) return;
    this.letGo();
    hold.use?.removeAttribute("transform");
    const {square} = hold;
    const to = event.type === "pointercancel" ? null : this._cells.at(event);
    if (hold.colour) this._reach.draw(square, to, hold.colour);
    else if (event.type === "pointercancel") return;
    else if (hold.use && hold.isMoved) this._reach.drag(square, to);
    else if (to === square && (!hold.use || hold.wasChosen)) this._reach.choose(square);
    else if (to && to !== square && !hold.use) this._reach.fail(square, to);
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const square = Number(/** @type {HTMLElement} */ (event.target).dataset.square);
    if (square && this._act(event, square)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** @param {KeyboardEvent} event @param {number} square */
  _act(event, square) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (this._reach.canDraw() && this._shape(key, square, colourOf(event))) return true;
    if (key === "Enter" || key === " ") this._reach.choose(square);
    else if (key.startsWith("Arrow")) this._cells.step(square, key);
    else return key === "Escape" && this._reach.leave();
    return true;
  }

  /**
   * Keys that draw. True if the key is one of them.
   * @param {string} key
   * @param {number} square
   * @param {ShapeColour} colour
   */
  _shape(key, square, colour) {
    const tail = this._tail;
    if (key === "c" && !tail) {
      this._reach.draw(square, square, colour);
    } else if (key === "a" && !tail) {
      this._tail = square;
      this._reach.begin(square);
    } else if (tail && (key === "a" || key === "Enter" || key === "Escape")) {
      this._endArrow(key === "Escape" || square === tail ? null : square, colour);
    } else if (tail && key.startsWith("Arrow")) {
      const next = this._cells.step(square, key);
      this._reach.sketch(tail, next, colour);
    } else {
      return false;
    }
    return true;
  }

  /**
   * Ends an arrow that was begun by keys.
   * @param {number | null} square null for none
   * @param {ShapeColour} [colour]
   */
  _endArrow(square, colour = "G") {
    const tail = this._tail;
    this._tail = 0;
    if (tail) this._reach.draw(tail, square, colour);
  }
}
