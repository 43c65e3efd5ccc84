// The graph of the expected result of Black over a game.

import {el, svg} from "./dom.js";
import {KINDS, told, WORDS} from "./graph.js";
import {t} from "./texts.js";

/** @import {Mark, Point} from "./graph.js" */

/** @typedef {Point & {expected: number}} KnownPoint */

/** @type {Record<Mark, string>} */
const SHAPES = {
  inaccuracy: "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z",
  mistake: "M0,-6L6,5L-6,5z",
  blunder: "M0,-7L7,0L0,7L-7,0z",
  only: "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
};
/** @type {[number, string][]} */
const LEVELS = [
  [1, "1"],
  [0.5, "½"],
  [0, "0"],
];
const [WIDTH, HEIGHT] = [640, 190]; // where it is not shown
const [LEFT, RIGHT, TOP, BOTTOM] = [26, 10, 10, 24];

/** @param {Point} point @returns {point is KnownPoint} */
const isKnown = point => point.expected !== null;

/**
 * Runs of neighbouring points, so that nothing is drawn across what was not searched.
 * @param {Point[]} list
 */
export function runs(list) {
  /** @type {KnownPoint[][]} */
  const stretches = [];
  list.forEach((point, i) => {
    if (!isKnown(point)) return;
    if (i && isKnown(list[i - 1])) stretches[stretches.length - 1].push(point);
    else stretches.push([point]);
  });
  return stretches;
}

export class Graph {
  /** @param {{onpick?: (ply: number) => void}} [options] onpick hears the ply that a person has clicked */
  constructor({onpick = () => {}} = {}) {
    /** @type {Point[]} */
    this._points = [];
    this._ply = 0;
    this._width = WIDTH;
    this._height = HEIGHT;
    this._cursor = svg("line", {class: "cursor", y1: TOP});
    this._drawn = svg("svg", {
      role: "slider",
      tabindex: 0,
      "aria-label": t("Expected result of Black"),
      "aria-valuemin": 0,
    });
    this._readout = el("p", {class: "readout"});
    this.element = el("div", {class: "graph"}, this._drawn, this._readout, this._legend());
    this._drawn.addEventListener("click", event => this._points.length && onpick(this._plyAt(event)));
    this._drawn.addEventListener("pointermove", event => this._points.length && this._say(this._plyAt(event)));
    this._drawn.addEventListener("pointerleave", () => this._say(this._ply));
    new ResizeObserver(() => {
      const {clientWidth, clientHeight} = this._drawn;
      if (clientWidth !== this._width || clientHeight !== this._height) this._draw();
    }).observe(this._drawn);
  }

  /** @param {Point[]} list points of a game */
  show(list) {
    this._points = list;
    this._draw();
  }

  /** @param {number} ply */
  cursor(ply) {
    this._ply = ply;
    this._drawCursor();
  }

  _legend() {
    const marks = Object.entries(KINDS).map(([sign, kind]) =>
      el("span", null, this._icon(svg("path", {class: kind, d: SHAPES[kind]})), `${sign} ${WORDS[kind]}`),
    );
    const once = el("span", null, this._icon(svg("circle", {class: "once", r: 4})), t("seen by one search only"));
    return el("p", {class: "legend"}, marks, once);
  }

  /** @param {SVGElement} shape */
  _icon(shape) {
    return svg("svg", {viewBox: "-8 -8 16 16", "aria-hidden": "true"}, shape);
  }

  /** @param {number} ply */
  _x(ply) {
    return LEFT + ((this._width - LEFT - RIGHT) * ply) / Math.max(this._points.length - 1, 1);
  }

  /** @param {number} expected */
  _y(expected) {
    return TOP + (this._height - TOP - BOTTOM) * (1 - expected);
  }

  /**
   * The mark that is clicked, or the nearest ply.
   * @param {PointerEvent | MouseEvent} event
   */
  _plyAt(event) {
    const shape = /** @type {Element} */ (event.target).closest("[data-ply]");
    if (shape) return Number(shape.getAttribute("data-ply"));
    const x = event.clientX - this._drawn.getBoundingClientRect().left;
    const last = this._points.length - 1;
    const ply = Math.round(((x - LEFT) / Math.max(this._width - LEFT - RIGHT, 1)) * last);
    return Math.min(Math.max(ply, 0), last);
  }

  _draw() {
    this._width = this._drawn.clientWidth || WIDTH;
    this._height = this._drawn.clientHeight || HEIGHT;
    this._drawn.setAttribute("viewBox", `0 0 ${this._width} ${this._height}`);
    this._cursor.setAttribute("y2", String(this._height - BOTTOM));
    this._drawn.replaceChildren(
      ...this._frame(),
      ...runs(this._points).flatMap(run => this._curve(run)),
      this._cursor,
      ...this._points.flatMap(point => this._shape(point)),
    );
    this._drawn.setAttribute("aria-valuemax", String(Math.max(this._points.length - 1, 0)));
    this._drawCursor();
  }

  _frame() {
    const last = this._points.length - 1;
    const isHigh = this._height > TOP + BOTTOM + 3 * 12;
    const levels = LEVELS.flatMap(([level, name]) => {
      const y = this._y(level);
      return [
        svg("line", {class: "frame", x1: LEFT, x2: this._width - RIGHT, y1: y, y2: y}),
        ...(level !== 0.5 || isHigh ? [svg("text", {x: LEFT - 8, y: y + 4, "text-anchor": "end"}, name)] : []),
      ];
    });
    const steps = [4, 10, 20, 40, 100, 200, 1000];
    const step = steps.find(each => last / each <= this._width / 45) ?? Number.POSITIVE_INFINITY;
    const numbers = [];
    for (let ply = 0; ply < last; ply += step) {
      const text = String(Math.floor(ply / 2) + 1);
      numbers.push(svg("text", {x: this._x(ply), y: this._height - 6, "text-anchor": "middle"}, text));
    }
    return [...levels, ...numbers];
  }

  /** @param {KnownPoint[]} run */
  _curve(run) {
    const at = run.map(point => [this._x(point.ply), this._y(point.expected)]);
    const middle = this._y(0.5);
    const area = [[at[0][0], middle], ...at, [at[at.length - 1][0], middle]];
    // a line is solid between two numbers that are both confirmed
    const lines = at.slice(1).map(([x2, y2], i) => {
      const thin = run[i].once || run[i + 1].once;
      return svg("line", {class: thin ? "curve once" : "curve", x1: at[i][0], y1: at[i][1], x2, y2});
    });
    return [svg("polygon", {class: "area", points: area.join(" ")}), ...lines];
  }

  /** @param {Point} point @returns {SVGElement[]} */
  _shape({ply, expected, kind, once}) {
    // a mark without a number stands in the middle
    const place = {transform: `translate(${this._x(ply)},${this._y(expected ?? 0.5)})`, "data-ply": ply};
    if (kind) return [svg("path", {class: `shape ${kind}`, d: SHAPES[kind], ...place})];
    return once ? [svg("circle", {class: "once", r: 3, ...place})] : [];
  }

  _drawCursor() {
    const x = String(this._x(this._ply));
    this._cursor.setAttribute("x1", x);
    this._cursor.setAttribute("x2", x);
    this._drawn.setAttribute("aria-valuenow", String(this._ply));
    this._drawn.setAttribute("aria-valuetext", this._text(this._ply));
    this._say(this._ply);
  }

  /** @param {number} ply */
  _text(ply) {
    const point = this._points[ply];
    if (!point) return "";
    const values = {move: point.label, mark: point.kind && WORDS[point.kind], what: told(point)};
    return point.kind ? t("{move}, {mark}: {what}", values) : t("{move}: {what}", values);
  }

  /** @param {number} ply */
  _say(ply) {
    this._readout.textContent = this._text(ply);
  }
}
