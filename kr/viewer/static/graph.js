// The expected result of Black over a game, as kr's comments tell it: a graph, and what is known of a single move.

import {el, svg} from "./dom.js";
import {number, words} from "./moves.js";
import {t} from "./texts.js";

/** @typedef {any} Node a node of a GameTree */
/** @typedef {"" | "inaccuracy" | "mistake" | "blunder" | "only"} Kind */
/**
 * What kr's comment says of a node. expected: of Black; once: seen by one search only; reason: why it is not judged;
 * evaluation: as in [%eval].
 * @typedef {{expected: number, kind: Kind, once: boolean, reason: string, evaluation: string}} Judgement
 */
/**
 * A node of the game as it was played.
 * @typedef {{node: Node, ply: number, label: string, expected: number | null, kind: Kind, once: boolean, reason: string,
 *   evaluation: string}} Point
 */

/** @type {Record<Exclude<Kind, "">, string>} */
const SHAPES = {
  inaccuracy: "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z",
  mistake: "M0,-6L6,5L-6,5z",
  blunder: "M0,-7L7,0L0,7L-7,0z",
  only: "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
};
/** @type {Record<string, Exclude<Kind, "">>} */
const KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "only"};
const REASONS = ["opening", "forced", "unsearched"];
const HEIGHT = 190,
  LEFT = 26,
  RIGHT = 10,
  TOP = 10,
  BOTTOM = 24;

// kr's tag in a comment: [%kr exp=0.21 nag=?? once], [%kr line exp=0.55] at a better line
const TAG = /\[%kr ([^[\]]{1,80})\]/;
const EVALUATION = /\[%eval (#?-?\d{1,4}(?:\.\d{1,2})?)/;

/** Name of a mark. @param {Kind} kind */
export function kindName(kind) {
  if (kind === "inaccuracy") return t("inaccuracy");
  if (kind === "mistake") return t("mistake");
  return kind === "blunder" ? t("blunder") : kind === "only" ? t("only move") : "";
}

/** Sign of a mark. @param {Kind} kind */
export function signOf(kind) {
  return Object.keys(KINDS).find(sign => KINDS[sign] === kind) ?? "";
}

/** @param {string} reason */
function reasonText(reason) {
  if (reason === "opening") return t("Not judged: the opening.");
  if (reason === "forced") return t("Not judged: there was no other move.");
  return reason ? t("Not judged: the search was too short to see another move.") : "";
}

/**
 * What kr's comment says of a node; null without such a comment.
 * @param {Node} node
 * @returns {Judgement | null}
 */
export function judgement(node) {
  for (const comment of node.comments) {
    const tag = TAG.exec(comment);
    const expected = tag && /\bexp=(\d\.\d\d)/.exec(tag[1]);
    if (!expected) continue;
    const facts = tag[1].split(" ");
    const sign = /\b(?:nag|mark)=([?!]{1,2})/.exec(tag[1]),
      evaluation = EVALUATION.exec(comment);
    return {
      expected: Number(expected[1]),
      kind: sign ? KINDS[sign[1]] || "" : "",
      once: facts.includes("once"),
      reason: facts.find(fact => REASONS.includes(fact)) || "",
      evaluation: evaluation ? evaluation[1] : "",
    };
  }
  return null;
}

/**
 * What kr's comment on the whole game says of both players; "" without one.
 * @param {{comments: string[]}} root
 */
export function reportOf(root) {
  const found = root.comments.find(text => text.includes("[%kr game"));
  return found ? words(found) : "";
}

/**
 * The first move of the line that kr found to be better than the move that led to a node; null without one.
 * @param {Node} node
 * @returns {Node | null}
 */
export function betterNode(node) {
  const others = node.parent ? node.parent.children.filter((/** @type {Node} */ child) => child !== node) : [];
  const line = others.find((/** @type {Node} */ child) =>
    child.comments.some((/** @type {string} */ text) => text.includes("[%kr line")),
  );
  return line && judgement(node)?.kind ? line : null;
}

/**
 * The arrow of that move: what Board.arrows takes.
 * @param {Node} node
 */
export function better(node) {
  const line = betterNode(node);
  return line ? [{path: line.path, kind: "better"}] : [];
}

/**
 * A game as it was played, one point for the start and for each move.
 * @param {any} tree
 * @returns {Point[]}
 */
export function points(tree) {
  return tree.main().map((/** @type {Node} */ node, /** @type {number} */ ply) => {
    const label = ply ? `${number(node)} ${node.text}` : t("Start");
    return {node, ply, label, expected: null, kind: "", once: false, reason: "", evaluation: "", ...judgement(node)};
  });
}

/**
 * A point in words.
 * @param {{expected: number | null, reason: string, once: boolean, evaluation: string}} point
 */
export function told(point) {
  if (point.expected === null) return t("Not searched.");
  const [, win, score] = /^(#?)(-?[\d.]+)$/.exec(point.evaluation) || [];
  const expected = point.expected.toFixed(2),
    men = Number(score);
  return [
    win && men < 0 && t("Black expects {expected}: White wins.", {expected}),
    win && men >= 0 && t("Black expects {expected}: Black wins.", {expected}),
    !win && score && t("Black expects {expected}, score {men}.", {expected, men: inMen(men)}),
    !score && t("Black expects {expected}.", {expected}),
    reasonText(point.reason),
    point.once && t("Seen by one search only."),
  ]
    .filter(Boolean)
    .join(" ");
}

/** A score in men: "+0.4", "−1.3". @param {number} men */
const inMen = men => `${men > 0 ? "+" : men < 0 ? "−" : ""}${Math.abs(men).toFixed(1)}`;

export class Graph {
  /** @param {{onpick?: (ply: number) => void}} [options] onpick: hears the ply that a person has clicked */
  constructor({onpick = () => {}} = {}) {
    this._onpick = onpick;
    /** @type {Point[]} */
    this._points = [];
    this._width = this._height = 0;
    this._ply = 0;
    this._drawn = svg("svg", {
      role: "slider",
      tabindex: 0,
      "aria-label": t("Expected result of Black"),
      "aria-valuemin": 0,
    });
    this._readout = el("p", {class: "readout"});
    const legend = Object.entries(KINDS).map(([sign, kind]) =>
      el("span", null, this._icon(svg("path", {class: kind, d: SHAPES[kind]})), `${sign} ${kindName(kind)}`),
    );
    legend.push(el("span", null, this._icon(svg("circle", {class: "once", r: 4})), t("seen by one search only")));
    this.element = el("div", {class: "graph"}, this._drawn, this._readout, el("p", {class: "legend"}, legend));
    this._drawn.addEventListener("click", event => this._points.length && this._onpick(this._plyAt(event)));
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

  // the mark that is clicked, or the nearest ply
  /** @param {MouseEvent} event */
  _plyAt(event) {
    const shape = /** @type {Element} */ (event.target).closest("[data-ply]");
    if (shape) return Number(shape.getAttribute("data-ply"));
    const x = event.clientX - this._drawn.getBoundingClientRect().left,
      last = this._points.length - 1;
    const ply = Math.round(((x - LEFT) / Math.max(this._width - LEFT - RIGHT, 1)) * last);
    return Math.min(Math.max(ply, 0), last);
  }

  // runs of neighbouring points, so that nothing is drawn across what was not searched
  _runs() {
    /** @type {Array<Array<Point & {expected: number}>>} */
    const runs = [];
    let begins = true;
    for (const point of this._points) {
      if (point.expected === null) {
        begins = true;
        continue;
      }
      if (begins) runs.push([]);
      begins = false;
      runs[runs.length - 1].push(/** @type {any} */ (point));
    }
    return runs;
  }

  _draw() {
    this._width = this._drawn.clientWidth || 640;
    this._height = this._drawn.clientHeight || HEIGHT;
    const last = this._points.length - 1;
    this._drawn.setAttribute("viewBox", `0 0 ${this._width} ${this._height}`);
    this._cursor = svg("line", {class: "cursor", y1: TOP, y2: this._height - BOTTOM});
    this._drawn.replaceChildren(...this._frame(), ...this._curves(), this._cursor, ...this._shapes());
    this._drawn.setAttribute("aria-valuemax", String(Math.max(last, 0)));
    this._drawCursor();
  }

  // levels and numbers of moves
  _frame() {
    const width = this._width,
      last = this._points.length - 1,
      parts = [];
    for (const [level, name] of /** @type {Array<[number, string]>} */ ([
      [1, "1"],
      [0.5, "½"],
      [0, "0"],
    ])) {
      const y = this._y(level);
      parts.push(
        svg("line", {class: "frame", x1: LEFT, x2: width - RIGHT, y1: y, y2: y}),
        svg("text", {x: LEFT - 8, y: y + 4, "text-anchor": "end"}, name),
      );
    }
    const step = [4, 10, 20, 40, 100, 200, 1000].find(each => last / each <= width / 45) ?? Infinity;
    for (let ply = 0; ply < last; ply += step) {
      const name = String(Math.floor(ply / 2) + 1);
      parts.push(svg("text", {x: this._x(ply), y: this._height - 6, "text-anchor": "middle"}, name));
    }
    return parts;
  }

  _curves() {
    const parts = [],
      middle = this._y(0.5);
    for (const run of this._runs()) {
      const at = run.map(point => [this._x(point.ply), this._y(point.expected)]);
      const corners = [[at[0][0], middle], ...at, [at[at.length - 1][0], middle]];
      parts.push(svg("polygon", {class: "area", points: corners.join(" ")}));
      // a line is solid between two numbers that are both confirmed
      for (let i = 1; i < run.length; i++) {
        const thin = run[i - 1].once || run[i].once,
          [x1, y1] = at[i - 1],
          [x2, y2] = at[i];
        parts.push(svg("line", {class: thin ? "curve once" : "curve", x1, y1, x2, y2}));
      }
    }
    return parts;
  }

  _shapes() {
    return this._points.flatMap(({ply, expected, kind, once}) => {
      // a mark without a number stands in the middle
      const place = {transform: `translate(${this._x(ply)},${this._y(expected ?? 0.5)})`, "data-ply": ply};
      if (kind) return [svg("path", {class: `shape ${kind}`, d: SHAPES[kind], ...place})];
      return once ? [svg("circle", {class: "once", r: 3, ...place})] : [];
    });
  }

  _drawCursor() {
    const x = String(this._x(this._ply));
    this._cursor?.setAttribute("x1", x);
    this._cursor?.setAttribute("x2", x);
    this._drawn.setAttribute("aria-valuenow", String(this._ply));
    this._drawn.setAttribute("aria-valuetext", this._text(this._ply));
    this._say(this._ply);
  }

  /** @param {number} ply */
  _text(ply) {
    const point = this._points[ply];
    return point ? `${point.label}${point.kind && `, ${kindName(point.kind)}`}: ${told(point)}` : "";
  }

  /** @param {number} ply */
  _say(ply) {
    this._readout.textContent = this._text(ply);
  }
}
