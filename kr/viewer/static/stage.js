// The board with what stands around it: the evaluation bar, both players with captured men and clocks, and buttons.

import {Board, placed} from "./board.js";
import {el} from "./dom.js";
import {visible} from "./escapes.js";
import {iconButton} from "./icons.js";
import {sound} from "./sounds.js";
import {SIDES, sideName} from "./squares.js";
import {many, t} from "./texts.js";

/** @import {BoardArrow} from "./board-drawing.js" */
/** @import {Side} from "./squares.js" */
/** @typedef {{element: HTMLElement, name: HTMLElement, captured: HTMLElement, clock: HTMLElement}} Seat */

const other = (/** @type {Side} */ side) => (side === "black" ? "white" : "black");

/**
 * Men and kings of both sides in a position.
 * @param {string} fen
 * @returns {{black: number, white: number}}
 */
export function counted(fen) {
  const pieces = Object.values(placed(fen)),
    white = pieces.filter(piece => piece.toLowerCase() === "w").length;
  return {black: pieces.length - white, white};
}

export class Stage {
  /**
   * @param {{say: (text: string) => void, fail: (text: string) => void}} app
   * @param {{label: string, bar?: boolean, controls?: Array<Node>}} options label: of the board; bar: true
   *     for an evaluation bar; controls: what stands below the board
   */
  constructor(app, {label, bar = false, controls = []}) {
    this.board = new Board({label, say: app.say, refuse: app.fail});
    /** @type {Record<Side, Seat>} */
    this._seats = {black: this._seat("black"), white: this._seat("white")};
    this._above = el("div", {class: "above"});
    this._below = el("div", {class: "below"});
    this._parts = ["win", "draw", "loss"].map(name => el("span", {class: name}));
    this._score = el("span", {class: "bar-score", "aria-hidden": "true"});
    this._bar = el("div", {class: "evaluation", role: "img", hidden: !bar}, this._parts, this._score);
    this.controls = el("div", {class: "controls"}, controls);
    this.element = el(
      "div",
      {class: "stage"},
      this._above,
      el("div", {class: "board-row"}, this._bar, this.board.element),
      this._below,
      this.controls,
    );
    /** @type {{lines: BoardArrow[], better: BoardArrow[]}} */
    this._arrows = {lines: [], better: []};
    this.expect(null);
    this._place();
  }

  /**
   * Arrows of an engine's lines, as Board.arrows takes them.
   * @param {BoardArrow[]} arrows
   */
  lineArrows(arrows) {
    this._draw({...this._arrows, lines: arrows});
  }

  /**
   * The arrow of the better move that a review found.
   * @param {BoardArrow[]} arrows
   */
  betterArrows(arrows) {
    this._draw({...this._arrows, better: arrows});
  }

  /** @param {{lines: BoardArrow[], better: BoardArrow[]}} arrows */
  _draw(arrows) {
    this._arrows = arrows;
    this.board.arrows([...arrows.better, ...arrows.lines]);
  }

  /** Turns the board, or to a side below. */
  flip(on = !this.board.flipped) {
    this.board.flip(on);
    this._place();
  }

  /**
   * @param {Side} side
   * @param {string} text the player's name; "" for none known
   */
  name(side, text) {
    this._seats[side].name.textContent = visible(text) || sideName(side);
    this._seats[side].name.classList.toggle("muted", !text);
  }

  /**
   * Shows who is to move in a position, and the men that each has captured since the start.
   * @param {string} fen
   * @param {string} start FEN of the start of the game, or of the position that was set up last
   */
  material(fen, start) {
    const now = counted(fen),
      before = counted(start),
      turn = fen[0] === "W" ? "white" : "black";
    for (const side of SIDES) {
      const victims = other(side),
        count = Math.max(0, before[victims] - now[victims]),
        {captured, element} = this._seats[side];
      captured.replaceChildren(...Array.from({length: count}, () => el("i", {class: `disc ${victims}`})));
      captured.setAttribute(
        "aria-label",
        count ? t("captured {men}", {men: many(count, "piece")}) : t("nothing captured"),
      );
      element.classList.toggle("turn-to-move", side === turn);
    }
  }

  /** Nobody is to move: the game is over. */
  rest() {
    for (const side of SIDES) this._seats[side].element.classList.remove("turn-to-move");
  }

  /**
   * @param {Side} side
   * @param {string} text such as "4:59"; "" for no clock
   * @param {{ticking?: boolean, short?: boolean}} [state]
   */
  clock(side, text, {ticking = false, short = false} = {}) {
    const {clock} = this._seats[side];
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("ticking", ticking);
    clock.classList.toggle("short", short);
  }

  /**
   * Fills the evaluation bar.
   * @param {[number, number, number] | null} chances of Black to win, to draw and to lose; null if nothing is known
   * @param {string} [score] a short text such as "+0.4"
   */
  expect(chances, score = "") {
    const shares = chances ?? [0, 1, 0];
    this._parts.forEach((part, i) => {
      part.style.flexGrow = String(shares[i]);
    });
    this._bar.classList.toggle("unknown", !chances);
    this._score.textContent = score;
    const [win, draw, loss] = shares.map(share => Math.round(100 * share));
    this._bar.setAttribute(
      "aria-label",
      !chances
        ? t("Evaluation: not analysed")
        : t("Evaluation: Black wins {win}, draw {draw}, White wins {loss} in a hundred", {win, draw, loss}),
    );
    this._bar.title = this._bar.getAttribute("aria-label") ?? "";
  }

  /**
   * The sound of a move that was made.
   * @param {{captured?: number[], path?: number[], fen: string}} move
   * @param {string} before FEN of the position that it was made in
   */
  hear(move, before) {
    const from = move.path?.[0],
      to = move.path?.at(-1);
    const crowned = from && to && placed(before)[from] !== placed(move.fen)[to];
    sound(crowned ? "king" : move.captured?.length ? "capture" : "move");
  }

  _place() {
    /** @type {Side} */
    const bottom = this.board.flipped ? "black" : "white";
    this._above.replaceChildren(this._seats[other(bottom)].element);
    this._below.replaceChildren(this._seats[bottom].element);
    this._bar.classList.toggle("flipped", this.board.flipped);
  }

  /**
   * @param {Side} side
   * @returns {Seat}
   */
  _seat(side) {
    const name = el("bdi", {class: "name muted"}, sideName(side)),
      captured = el("span", {class: "captured", role: "img", "aria-label": t("nothing captured")}),
      clock = el("span", {
        class: "clock",
        role: "timer",
        "aria-label": side === "black" ? t("Black's clock") : t("White's clock"),
      });
    return {
      name,
      captured,
      clock,
      element: el(
        "div",
        {class: `seat ${side}`},
        el("i", {class: `disc ${side}`, "aria-hidden": "true"}),
        name,
        captured,
        clock,
      ),
    };
  }
}

/** @typedef {{start: () => void, back: () => void, next: () => void, end: () => void}} Steps */

/** Steps through a game. @param {import("./tree.js").GameTree} tree @returns {Steps} */
export const stepsOf = tree => ({
  start: () => tree.start(),
  back: () => tree.back(),
  next: () => tree.next(),
  end: () => tree.end(),
});

/**
 * The four buttons that step through a game.
 * @param {Steps} steps
 * @returns {HTMLElement}
 */
export function stepButtons({start, back, next, end}) {
  return el(
    "div",
    {class: "steps", role: "group", "aria-label": t("Steps")},
    iconButton("start", t("Start"), start, {key: "Home"}),
    iconButton("back", t("Back"), back, {key: "←"}),
    iconButton("next", t("Forward"), next, {key: "→"}),
    iconButton("end", t("End"), end, {key: t("End")}),
  );
}
