// The expected result of Black over a game, as kr's comments tell it: a graph, and what is known of a single move.

import {el, svg} from "./dom.js";
import {number, words} from "./moves.js";

const SHAPES = {
  inaccuracy: "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z",
  mistake: "M0,-6L6,5L-6,5z",
  blunder: "M0,-7L7,0L0,7L-7,0z",
  only: "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
};
const KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "only"};
export const WORDS = {inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder", only: "only move"};
const REASONS = {
  opening: "Not judged: the opening.", forced: "Not judged: there was no other move.",
  unsearched: "Not judged: the search was too short to see another move.",
};
const HEIGHT = 190, LEFT = 26, RIGHT = 10, TOP = 10, BOTTOM = 24;

// kr's tag in a comment: [%kr exp=0.21 nag=?? once], [%kr line exp=0.55] at a better line
const TAG = /\[%kr ([^[\]]{1,80})\]/;
const EVALUATION = /\[%eval (#?-?\d{1,4}(?:\.\d{1,2})?)/;

// What kr's comment says of a node: {expected (of Black), kind, once, reason, evaluation}; null without such a comment.
export function judgement(node) {
  for (const comment of node.comments) {
    const tag = TAG.exec(comment);
    const expected = tag && /\bexp=(\d\.\d\d)/.exec(tag[1]);
    if (!expected) continue;
    const words = tag[1].split(" ");
    const sign = /\b(?:nag|mark)=([?!]{1,2})/.exec(tag[1]), evaluation = EVALUATION.exec(comment);
    return {
      expected: Number(expected[1]), kind: sign ? KINDS[sign[1]] || "" : "", once: words.includes("once"),
      reason: words.find(word => word in REASONS) || "", evaluation: evaluation ? evaluation[1] : "",
    };
  }
  return null;
}

// What kr's comment on the whole game says of both players; "" without one.
export function reportOf(root) {
  const found = root.comments.find(text => text.includes("[%kr game"));
  return found ? words(found) : "";
}

// The arrow of the move that kr found to be better than the one that led to a node: what Board.arrows takes.
export function better(node) {
  const line = node.parent && node.parent.children.find(child => child !== node &&
    child.comments.some(text => text.includes("[%kr line")));
  return line && judgement(node)?.kind ? [{path: line.path, kind: "better"}] : [];
}

// A game as it was played, one point for the start and for each move.
export function points(tree) {
  return tree.main().map((node, ply) => {
    const label = ply ? `${number(node)} ${node.text}` : "Start";
    return {node, ply, label, expected: null, kind: "", once: false, reason: "", evaluation: "", ...judgement(node)};
  });
}

// A point in words.
export function told(point) {
  if (point.expected === null) return "Not searched.";
  const [, win, number] = /^(#?)(-?[\d.]+)$/.exec(point.evaluation) || [];
  const score = !number ? "" : !win ? `, ${number > 0 ? "+" : ""}${Math.round(100 * number)} centi-men` :
    `, ${number < 0 ? "White" : "Black"} wins`;
  return `Black expects ${point.expected.toFixed(2)}${score}.` +
    (point.reason ? ` ${REASONS[point.reason]}` : "") + (point.once ? " Seen by one search only." : "");
}

export class Graph {
  // onpick hears the ply that a person has clicked
  constructor({onpick = () => {}} = {}) {
    this._onpick = onpick;
    this._points = [];
    this._ply = 0;
    this._drawn = svg("svg", {role: "slider", tabindex: 0, "aria-label": "Expected result of Black",
      "aria-valuemin": 0});
    this._readout = el("p", {class: "readout"});
    const legend = Object.entries(KINDS).map(([sign, kind]) =>
      el("span", null, this._icon(svg("path", {class: kind, d: SHAPES[kind]})), `${sign} ${WORDS[kind]}`));
    legend.push(el("span", null, this._icon(svg("circle", {class: "once", r: 4})), "seen by one search only"));
    this.element = el("div", {class: "graph"}, this._drawn, this._readout, el("p", {class: "legend"}, legend));
    this._drawn.addEventListener("click", event => this._points.length && this._onpick(this._plyAt(event)));
    this._drawn.addEventListener("pointermove", event => this._points.length && this._say(this._plyAt(event)));
    this._drawn.addEventListener("pointerleave", () => this._say(this._ply));
    new ResizeObserver(() => {
      if (this._drawn.clientWidth !== this._width) this._draw();
    }).observe(this._drawn);
  }

  // list: points of a game
  show(list) {
    this._points = list;
    this._draw();
  }

  cursor(ply) {
    this._ply = ply;
    this._drawCursor();
  }

  _icon(shape) {
    return svg("svg", {viewBox: "-8 -8 16 16", "aria-hidden": "true"}, shape);
  }

  _x(ply) {
    return LEFT + (this._width - LEFT - RIGHT) * ply / Math.max(this._points.length - 1, 1);
  }

  _y(expected) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - expected);
  }

  // the mark that is clicked, or the nearest ply
  _plyAt(event) {
    const shape = event.target.closest("[data-ply]");
    if (shape) return Number(shape.getAttribute("data-ply"));
    const x = event.clientX - this._drawn.getBoundingClientRect().left, last = this._points.length - 1;
    const ply = Math.round((x - LEFT) / Math.max(this._width - LEFT - RIGHT, 1) * last);
    return Math.min(Math.max(ply, 0), last);
  }

  // runs of neighbouring points, so that nothing is drawn across what was not searched
  _runs() {
    const runs = [[]];
    for (const point of this._points) {
      if (point.expected !== null) runs.at(-1).push(point);
      else if (runs.at(-1).length) runs.push([]);
    }
    return runs.filter(run => run.length);
  }

  _draw() {
    this._width = this._drawn.clientWidth || 640;
    const width = this._width, last = this._points.length - 1, parts = [];
    this._drawn.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    for (const [level, name] of [[1, "1"], [0.5, "½"], [0, "0"]]) {
      parts.push(svg("line", {class: "frame", x1: LEFT, x2: width - RIGHT, y1: this._y(level), y2: this._y(level)}),
        svg("text", {x: LEFT - 8, y: this._y(level) + 4, "text-anchor": "end"}, name));
    }
    const step = [4, 10, 20, 40, 100, 200, 1000, Infinity].find(each => last / each <= width / 45);
    for (let ply = 0; ply < last; ply += step) {
      parts.push(svg("text", {x: this._x(ply), y: HEIGHT - 6, "text-anchor": "middle"},
        String(Math.floor(ply / 2) + 1)));
    }
    for (const run of this._runs()) {
      const at = run.map(point => [this._x(point.ply), this._y(point.expected)]), middle = this._y(0.5);
      parts.push(svg("polygon", {class: "area",
        points: [[at[0][0], middle], ...at, [at.at(-1)[0], middle]].join(" ")}));
      // a line is solid between two numbers that are both confirmed
      for (let i = 1; i < run.length; i++) {
        const thin = run[i - 1].once || run[i].once;
        parts.push(svg("line", {class: thin ? "curve once" : "curve", x1: at[i - 1][0], y1: at[i - 1][1], x2: at[i][0],
          y2: at[i][1]}));
      }
    }
    this._cursor = svg("line", {class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM});
    parts.push(this._cursor);
    const place = point => ({transform: `translate(${this._x(point.ply)},${this._y(point.expected)})`,
      "data-ply": point.ply});
    for (const point of this._points) {
      if (point.kind) parts.push(svg("path", {class: `shape ${point.kind}`, d: SHAPES[point.kind], ...place(point)}));
      else if (point.once) parts.push(svg("circle", {class: "once", r: 3, ...place(point)}));
    }
    this._drawn.replaceChildren(...parts);
    this._drawn.setAttribute("aria-valuemax", Math.max(last, 0));
    this._drawCursor();
  }

  _drawCursor() {
    const x = this._x(this._ply);
    this._cursor.setAttribute("x1", x);
    this._cursor.setAttribute("x2", x);
    this._drawn.setAttribute("aria-valuenow", this._ply);
    this._drawn.setAttribute("aria-valuetext", this._text(this._ply));
    this._say(this._ply);
  }

  _text(ply) {
    const point = this._points[ply];
    return point ? `${point.label}${point.kind && `, ${WORDS[point.kind]}`}: ${told(point)}` : "";
  }

  _say(ply) {
    this._readout.textContent = this._text(ply);
  }
}
