// The corner by which a person makes the board larger or smaller: by mouse, by finger, by keys. Its size, in percent of
// the usual one, is kept for all pages; the style sheet makes none larger than the window has room for.

import {el} from "./dom.js";
import {prefer, preference, sizeBoard} from "./preferences.js";
import {t} from "./texts.js";

const USUAL = 100,
  STEP = 5, // of a key
  SMALLEST = 50,
  LARGEST = 1000, // than any window has room for
  TWICE_MS = 400; // from press to press of a double click

/**
 * @typedef {{usual: number, least: number, most: number}} Room pixels of the usual board in this window, and the sizes
 *     that it has room for
 * @typedef {{id: number, x: number, y: number, width: number, room: Room, size: number}} Hold a pointer that drags
 */

/**
 * A size that there is room for, to a tenth of a percent: less than a pixel.
 * @param {number} size
 * @param {Room} room
 */
const within = (size, {least, most}) => Math.round(10 * Math.min(most, Math.max(least, size))) / 10;

class Corner {
  constructor() {
    /** @type {Hold | null} */
    this._hold = null;
    this._pressedAt = -Infinity;
    const now = Math.round(Number(preference("size")));
    this.element = el("div", {
      class: "corner",
      role: "slider",
      tabindex: 0,
      // to measure the room is to lay out the page four times: that waits until somebody comes here
      "aria-valuemin": SMALLEST,
      "aria-valuemax": LARGEST,
      "aria-valuenow": now,
      "aria-valuetext": `${now}%`,
      "aria-label": t("Size of the board"),
      title: t("Size of the board: drag, or arrow keys; double click or Enter for the usual one"),
    });
    const {element} = this;
    // a click leaves the focus where it is, so that the arrow keys go on stepping through the game
    element.addEventListener("mousedown", event => event.preventDefault());
    element.addEventListener("pointerdown", event => this._press(event));
    element.addEventListener("pointermove", event => this._drag(event));
    element.addEventListener("pointerup", () => this._release());
    element.addEventListener("pointercancel", () => this._release());
    element.addEventListener("keydown", event => this._key(event));
    element.addEventListener("focus", () => this._tell());
  }

  /** To the board of the page, if it has one. @param {Element} page */
  join(page) {
    page.querySelector(".board-row")?.append(this.element);
  }

  get _width() {
    return this.element.parentElement?.querySelector(".board")?.getBoundingClientRect().width ?? 0;
  }

  /** @returns {Room} */
  _room() {
    const [usual, least, most] = [USUAL, SMALLEST, LARGEST].map(size => {
      sizeBoard(size);
      return this._width;
    });
    sizeBoard(Number(preference("size")));
    return {usual, least: (USUAL * least) / usual, most: (USUAL * most) / usual};
  }

  _tell() {
    const width = this._width;
    if (!width) return;
    const {usual, least, most} = this._room(),
      now = (USUAL * width) / usual;
    for (const [name, size] of Object.entries({valuemin: least, valuemax: most, valuenow: now})) {
      this.element.setAttribute(`aria-${name}`, String(Math.round(size)));
    }
    this.element.setAttribute("aria-valuetext", `${Math.round(now)}%`);
  }

  /** @param {number} size */
  _choose(size) {
    prefer("size", String(size));
    this._tell();
  }

  /** @param {PointerEvent} event */
  _press({button, pointerId: id, clientX: x, clientY: y, timeStamp}) {
    if (button) return;
    if (timeStamp - this._pressedAt < TWICE_MS) this._choose(USUAL);
    this._pressedAt = timeStamp;
    this._hold = {id, x, y, width: this._width, room: this._room(), size: 0};
    this.element.setPointerCapture(id);
  }

  /** @param {PointerEvent} event */
  _drag({pointerId, clientX, clientY}) {
    const hold = this._hold;
    if (hold?.id !== pointerId) return;
    this._pressedAt = -Infinity;
    const [right, down] = [clientX - hold.x, clientY - hold.y],
      width = hold.width + (Math.abs(right) > Math.abs(down) ? right : down);
    hold.size = within((USUAL * width) / hold.room.usual, hold.room);
    sizeBoard(hold.size);
  }

  _release() {
    const size = this._hold?.size;
    this._hold = null;
    if (size) this._choose(size);
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    const room = this._room(),
      now = Number(this.element.ariaValueNow);
    const size = {
      ArrowRight: now + STEP,
      ArrowUp: now + STEP,
      ArrowLeft: now - STEP,
      ArrowDown: now - STEP,
      Home: room.least,
      End: room.most,
      Enter: USUAL,
    }[event.key];
    if (size === undefined) return;
    this._choose(within(size, room));
    // it is no step through the game
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Gives the board of each page a corner to drag. */
export function offerSizes() {
  const corner = new Corner(),
    main = document.querySelector("main");
  if (!main) return;
  new MutationObserver(() => corner.join(main)).observe(main, {childList: true});
  corner.join(main);
}
