// What a board looks like: layers of SVG, drawn anew where something has changed.

import {svg} from "./dom.js";
import {isStill} from "./motion.js";
import {place, SQUARES} from "./squares.js";

/** @import {Piece} from "./squares.js" */
/** @import {DrawnCircle, ShapeColour} from "./board-shapes.js" */

/**
 * path: squares from tail to head; kind: best, other, threat, better, must or drawn with a colour
 * @typedef {{path: number[], kind?: string, label?: string}} BoardArrow
 */
/** @typedef {"numbers" | "letters" | "none"} Coordinates */

const CELL = 45;
const EDGE = 3;
export const WIDTH = 8 * CELL + 2 * EDGE;
const MOVE_MS = 160;
const FADE_MS = 220;
const CLASSES = {b: "black man", B: "black king", w: "white man", W: "white king"};
const COLOURS = {G: "green", R: "red", Y: "yellow", B: "blue"};
const LAYERS = [
  "squares",
  "heat",
  "last",
  "forced",
  "numbers",
  "letters",
  "targets",
  "gone",
  "pieces",
  "labels",
  "arrows",
];

/** @param {ShapeColour} colour */
export const drawnKind = colour => `drawn ${COLOURS[colour]}`;

export class Drawing {
  constructor() {
    this.flipped = false;
    /** @type {Record<number, SVGUseElement>} */
    this.uses = {}; // the drawn pieces by square
    this._layers = Object.fromEntries(LAYERS.map(name => [name, svg("g", {class: name})]));
    this.element = svg(
      "svg",
      {viewBox: `0 0 ${WIDTH} ${WIDTH}`, "aria-hidden": "true"},
      svg("rect", {class: "edge", width: WIDTH, height: WIDTH}),
      svg("rect", {class: "light", x: EDGE, y: EDGE, width: 8 * CELL, height: 8 * CELL}),
      Object.values(this._layers),
    );
  }

  // squares and coordinates, whenever the board is turned; the style sheet shows numbers, letters or neither
  build() {
    this._fill(
      "squares",
      SQUARES.map(square => this._rect(square, {class: "dark"})),
    );
    this._fill("numbers", this._numbers());
    this._fill("letters", this._letters());
  }

  /** @param {Record<number, Piece>} pieces */
  pieces(pieces) {
    this.uses = {};
    for (const [square, piece] of Object.entries(pieces)) {
      this.uses[Number(square)] = this._piece(Number(square), piece, `piece ${CLASSES[piece]}`);
    }
    this._layers.gone.replaceChildren();
    this._fill("pieces", Object.values(this.uses));
  }

  /** @param {number[]} squares of the move that led here */
  last(squares) {
    this._fill(
      "last",
      squares.map(square => this._rect(square)),
    );
  }

  /** @param {Iterable<number>} squares whose pieces must capture */
  forced(squares) {
    this._fill(
      "forced",
      [...squares].map(square => this._rect(square)),
    );
  }

  /**
   * @param {number[]} picked squares of the move so far
   * @param {Iterable<number>} targets squares that can be chosen next
   * @param {Record<number, Piece>} pieces
   */
  choice(picked, targets, pieces) {
    const marks = picked.map(square => this._rect(square, {class: "picked"}));
    const circles = [...targets].map(square => {
      const [cx, cy] = this._centre(square);
      return svg("circle", {class: "target", cx, cy, r: pieces[square] ? 20 : 9});
    });
    this._fill("targets", [...marks, ...circles]);
  }

  /**
   * @param {Record<number, number> | null} values -1 to 1 by square
   * @param {number[]} regions squares to outline
   */
  heat(values, regions) {
    const rects = Object.entries(values || {}).map(([square, value]) =>
      this._rect(Number(square), {
        class: value < 0 ? "helps-white" : "helps-black",
        "fill-opacity": Math.min(1, Math.abs(value)),
      }),
    );
    this._fill("heat", [...rects, ...regions.map(square => this._rect(square, {class: "region"}))]);
  }

  /** @param {Record<number, string>} texts */
  labels(texts) {
    const drawn = Object.entries(texts).map(([square, text]) => {
      const [x, y] = this._centre(Number(square));
      const width = Math.min(CELL - 2, 6.2 * text.length + 6);
      return svg(
        "g",
        null,
        svg("rect", {x: x - width / 2, y: y + 8.5, width, height: 13, rx: 3}),
        svg("text", {x, y: y + 18.5, "text-anchor": "middle"}, text),
      );
    });
    this._fill("labels", drawn);
  }

  /**
   * @param {BoardArrow[]} arrows
   * @param {DrawnCircle[]} circles
   */
  arrows(arrows, circles) {
    this._fill("arrows", [...circles.map(circle => this._circle(circle)), ...arrows.map(arrow => this._arrow(arrow))]);
  }

  /**
   * The piece at the end of a move glides there, and the pieces that it has captured fade.
   * @param {number[]} path
   * @param {Record<number, Piece>} captured
   */
  move(path, captured) {
    const end = path[path.length - 1];
    const use = this.uses[end];
    if (!use || isStill()) return;
    const duration = MOVE_MS * (path.length > 2 ? 2 : 1);
    const [x, y] = this._centre(end);
    const steps = path.map(square => {
      const [a, b] = this._centre(square);
      return {transform: `translate(${a - x}px, ${b - y}px)`};
    });
    use.animate(steps, {duration, easing: "ease-out"});
    for (const [square, piece] of Object.entries(captured)) {
      const gone = this._piece(Number(square), piece, "captured");
      this._layers.gone.append(gone);
      gone.animate([{opacity: 1}, {opacity: 0}], {duration: duration + FADE_MS, easing: "ease-in"}).onfinish = () =>
        gone.remove();
    }
  }

  /** @param {string} layer @param {Element[]} children */
  _fill(layer, children) {
    this._layers[layer].replaceChildren(...children);
  }

  /** @param {number} square */
  _centre(square) {
    const [column, row] = place(square, this.flipped);
    return [EDGE + (column + 0.5) * CELL, EDGE + (row + 0.5) * CELL];
  }

  /** @param {number} square */
  _box(square) {
    const [x, y] = this._centre(square);
    return {x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL};
  }

  /** @param {number} square @param {import("./dom.js").Props} [props] */
  _rect(square, props) {
    return svg("rect", {...this._box(square), ...props});
  }

  /** @param {number} square @param {Piece} piece @param {string} classes */
  _piece(square, piece, classes) {
    const href = `#piece-${CLASSES[piece].replace(" ", "-")}`;
    return svg("use", {href, ...this._box(square), class: classes, "data-square": square});
  }

  // 1 to 32, each in the corner of its square
  _numbers() {
    return SQUARES.map(square => {
      const {x, y} = this._box(square);
      return svg("text", {x: x + 1.5, y: y + 8}, String(square));
    });
  }

  // a to h from Black's left, 1 to 8 from Black's side, as kr.notation names squares
  _letters() {
    const near = [0, 1, 2, 3, 4, 5, 6, 7].map(column => {
      const letter = "abcdefgh"[this.flipped ? column : 7 - column];
      const props = {x: EDGE + (column + 1) * CELL - 2, y: WIDTH - EDGE - 2.5};
      return svg("text", {...props, "text-anchor": "end"}, letter);
    });
    const left = [0, 1, 2, 3, 4, 5, 6, 7].map(row => {
      const props = {x: EDGE + 1.5, y: EDGE + row * CELL + 8.5};
      return svg("text", props, String(this.flipped ? 8 - row : row + 1));
    });
    return [...near, ...left];
  }

  /** @param {DrawnCircle} circle */
  _circle({square, colour}) {
    const [cx, cy] = this._centre(square);
    return svg("circle", {class: `ring ${COLOURS[colour]}`, cx, cy, r: CELL / 2 - 3});
  }

  /** @param {BoardArrow} arrow */
  _arrow({path, kind = "best", label = ""}) {
    const points = path.map(square => this._centre(square));
    const [x, y] = points[points.length - 1];
    const [x0, y0] = points[points.length - 2] || [x, y];
    const length = Math.hypot(x - x0, y - y0) || 1;
    const [dx, dy] = [(x - x0) / length, (y - y0) / length];
    // the head ends a little behind the middle of its square, the line within the head
    const [bx, by] = [x - dx * 13, y - dy * 13];
    const line = [...points.slice(0, -1), [bx + dx, by + dy]];
    const head = [
      [x + dx * 4, y + dy * 4],
      [bx - dy * 10, by + dx * 10],
      [bx + dy * 10, by - dx * 10],
    ];
    return svg(
      "g",
      {class: `arrow ${kind}`},
      svg("polyline", {points: line.map(point => point.join(",")).join(" ")}),
      svg("polygon", {points: head.map(point => point.join(",")).join(" ")}),
      label && svg("text", {x: (x + x0) / 2, y: (y + y0) / 2 + 4, "text-anchor": "middle"}, label),
    );
  }
}
