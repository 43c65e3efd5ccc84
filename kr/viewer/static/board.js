// The board: 32 squares of SVG under a grid of cells for pointers, keys and screen readers. It knows no rules: it is
// given the legal moves of its position, and says which one a person has chosen.

import {el} from "./dom.js";
import {Cells} from "./board-cells.js";
import {Drawing, drawnKind} from "./board-drawing.js";
import {Hand} from "./board-hand.js";
import {toggled} from "./board-shapes.js";
import {BoardState, pieceName} from "./board-state.js";
import {place, placed, sideOf} from "./squares.js";
import {t} from "./texts.js";

/** @import {BoardArrow, Coordinates} from "./board-drawing.js" */
/** @import {ShapeColour, Shapes} from "./board-shapes.js" */
/** @import {BoardMove, Outcome} from "./board-state.js" */

/**
 * A board on which pieces are put, in place of moves.
 * @typedef {{click: (square: number) => void, drag: (from: number, to: number | null) => void}} Editing
 */
/**
 * label: what the board is called; say: hears what should be announced; refuse: hears why a piece can't be moved, on
 * boards that are given all legal moves
 * @typedef {object} BoardOptions
 * @property {string} [label]
 * @property {(text: string) => void} [say]
 * @property {((text: string) => void) | null} [refuse]
 * @property {boolean} [numbers]
 * @property {Coordinates} [coordinates]
 */

export {place, placed, sideOf};

export class Board {
  /** @param {BoardOptions} [options] */
  constructor({label = t("Board"), say = () => {}, refuse = null, numbers = true, coordinates} = {}) {
    this.say = say;
    this.refuse = refuse;
    /** @type {(() => string) | null} */
    this.onidle = null; // tells why nothing can be moved, where no moves are given
    /** @type {((move: BoardMove) => void) | null} */
    this.onmove = null; // hears the move that a person has chosen
    /** @type {Editing | null} */
    this.onedit = null;
    /** @type {((shapes: Shapes) => void) | null} */
    this.ondraw = null; // hears all arrows and circles once a person has drawn one; none can be drawn without it
    this._state = new BoardState();
    this._isForcedShown = false;
    /** @type {BoardArrow[]} */
    this._arrows = [];
    /** @type {Shapes} */
    this._shapes = {arrows: [], circles: []};
    /** @type {Shapes | null} */
    this._sketched = null; // with the one that is being drawn
    /** @type {Record<number, number> | null} */
    this._heat = null;
    /** @type {Record<number, string>} */
    this._heatLabels = {};
    /** @type {Record<number, string>} */
    this._labels = {};
    /** @type {number[]} */
    this._regions = [];
    this._drawing = new Drawing();
    this._cells = new Cells(label);
    this.element = el("div", {class: "board"}, this._drawing.element, this._cells.element);
    if (coordinates || !numbers) this.coordinates(coordinates || "none");
    this._hand = new Hand(this._reach(), this._cells, this._drawing);
    this._build();
    this._describe();
  }

  get fen() {
    return this._state.fen;
  }

  get flipped() {
    return this._drawing.flipped;
  }

  get isPicking() {
    return this._state.picked.length > 0;
  }

  /**
   * Shows a position.
   * @param {string} fen
   * @param {object} [options]
   * @param {BoardMove[]} [options.moves] its legal moves, [] for none
   * @param {number[] | null} [options.last] path of the move that led to it
   * @param {boolean} [options.animate]
   */
  show(fen, {moves = [], last = null, animate = false} = {}) {
    const before = this._state.pieces;
    if (this._state.show(fen, moves, last)) {
      this._draw();
      if (animate && last && last.length > 1) this._drawing.move(last, this._captured(before, last));
      return;
    }
    // the pieces stay: one may be gliding, or be held
    this._drawing.last(last || []);
    this._drawChoice();
    this._drawArrows();
  }

  flip(on = !this.flipped) {
    this._drawing.flipped = on;
    this.element.classList.toggle("flipped", on);
    this._build();
    this._draw();
  }

  /** @param {Coordinates} kind of this board, whatever the page has in its data-coordinates */
  coordinates(kind) {
    this.element.dataset.coordinates = kind;
  }

  /** @param {boolean} on */
  numbers(on) {
    this.coordinates(on ? "numbers" : "none");
  }

  /** @param {boolean} on marks the pieces that must capture, before a person has tried another move */
  forced(on) {
    this._isForcedShown = on;
    this._drawChoice();
  }

  /** @param {BoardArrow[]} list */
  arrows(list) {
    this._arrows = list || [];
    this._drawArrows();
  }

  /**
   * Shows what the author of a game drew on its board.
   * @param {Partial<Shapes>} [shapes]
   */
  drawings({arrows, circles} = {}) {
    this._shapes = {arrows: arrows || [], circles: circles || []};
    this._sketched = null;
    this._drawArrows();
    this._describe();
  }

  /**
   * @param {Record<number, number> | null} values -1 to 1 by square, null for none
   * @param {Record<number, string>} [labels] texts by square
   */
  heat(values, labels = {}) {
    this._heat = values;
    this._heatLabels = labels;
    this._drawHeat();
  }

  /** @param {Record<number, string>} texts */
  labels(texts) {
    this._labels = texts || {};
    this._drawHeat();
  }

  /** @param {number[]} squares such as those of a region */
  outline(squares) {
    this._regions = squares || [];
    this._drawHeat();
  }

  unpick() {
    this._state.unpick();
    this._drawChoice();
  }

  focus() {
    this._cells.focus();
  }

  // --- drawing

  _build() {
    this._drawing.build();
    this._cells.build(this.flipped);
  }

  _draw() {
    this._hand.letGo();
    this._sketched = null;
    this._drawing.pieces(this._state.pieces);
    this._drawing.last(this._state.last || []);
    this._drawHeat();
    this._drawChoice();
    this._drawArrows();
  }

  _drawChoice() {
    const {picked, pieces, forced} = this._state;
    this._drawing.choice(picked, this._state.targets(), pieces);
    this._drawing.forced(this._isForcedShown && !picked.length ? forced : []);
    this._describe();
  }

  _drawHeat() {
    this._drawing.heat(this._heat, this._regions);
    this._drawing.labels({...this._heatLabels, ...this._labels});
  }

  _drawArrows() {
    const {arrows, circles} = this._sketched || this._shapes;
    const drawn = arrows.map(({from, to, colour}) => ({path: [from, to], kind: drawnKind(colour)}));
    const missed = this._state.missed.map(({path}) => ({path, kind: "must"}));
    this._drawing.arrows([...drawn, ...this._arrows, ...missed], circles);
  }

  // what screen readers say of each square
  _describe() {
    const {picked, pieces, forced} = this._state;
    const targets = this._state.targets();
    this._cells.describe(
      square => {
        const piece = pieces[square];
        const words = [String(square), piece ? pieceName(piece) : t("empty")];
        if (picked.includes(square)) words.push(t("chosen"));
        else if (targets.has(square)) words.push(t("can be moved to"));
        else if (forced.has(square)) words.push(t("must capture"));
        else if (this._state.isMovable(square)) words.push(t("can move"));
        return [...words, ...this._drawn(square)].join(", ");
      },
      square => this._state.isMovable(square) || Boolean(this.onedit && pieces[square]),
    );
  }

  /** @param {number} square */
  _drawn(square) {
    const {arrows, circles} = this._shapes;
    const words = arrows.filter(({from}) => from === square).map(({to}) => t("arrow to {square}", {square: to}));
    return circles.some(circle => circle.square === square) ? [...words, t("circled")] : words;
  }

  /**
   * The pieces that a move has taken off, if it was made in the position that was shown before.
   * @param {Record<number, import("./squares.js").Piece>} before
   * @param {number[]} path
   */
  _captured(before, path) {
    const {pieces} = this._state;
    const [from, to] = [path[0], path[path.length - 1]];
    const rest = Object.entries(pieces).filter(([square]) => Number(square) !== to);
    if (!before[from] || rest.some(([square, piece]) => before[Number(square)] !== piece)) return {};
    return Object.fromEntries(
      Object.entries(before).filter(([square]) => !(square in pieces) && Number(square) !== from),
    );
  }

  // --- what a person does

  /** @returns {import("./board-hand.js").Reach} */
  _reach() {
    return {
      canDraw: () => Boolean(this.ondraw) && !this.onedit,
      canTake: square => (this.onedit ? square in this._state.pieces : this._canTake(square)),
      take: square => {
        const wasChosen = Boolean(this.onedit) || this._state.picked[0] === square;
        if (!wasChosen) this._choose(square);
        return wasChosen;
      },
      drag: (from, to) => {
        if (this.onedit) this.onedit.drag(from, to || null);
        else if (to && to !== from) this._hear(this._state.drop(from, to));
      },
      choose: square => this._choose(square),
      fail: (from, to) => this._fail(from, to),
      leave: () => this._leave(),
      sketch: (from, to, colour) => {
        this._sketched = to ? toggled(this._shapes, from, to, colour) : null;
        this._drawArrows();
      },
      draw: (from, to, colour) => this._shape(from, to, colour),
      begin: square => this.say(t("An arrow from {square}: go to its end and press A", {square})),
    };
  }

  // a piece that is the next square of a capture under way is not taken up
  /** @param {number} square */
  _canTake(square) {
    return this._state.isMovable(square) && !this._state.targets().has(square);
  }

  /** @param {number} square */
  _choose(square) {
    if (this.onedit) this.onedit.click(square);
    else this._hear(this._state.choose(square));
  }

  // a piece was dragged that was not taken up, because it has no move
  /** @param {number} from @param {number} to */
  _fail(from, to) {
    const {pieces} = this._state;
    if (this.onedit || !pieces[from] || this.isPicking) return;
    this._state.forgive();
    this._hear({refused: {from, to: pieces[to] ? 0 : to}});
  }

  _leave() {
    const wasPicking = this.isPicking;
    if (wasPicking) this.unpick();
    return wasPicking;
  }

  /** @param {Outcome} outcome */
  _hear({move, say, failed, refused}) {
    if (refused) this._refuse(refused.from, refused.to);
    this._drawChoice();
    this._drawArrows();
    if (failed) this.refuse?.(failed);
    if (say) this.say(say);
    if (move) this.onmove?.(move);
  }

  /** @param {number} from @param {number} to */
  _refuse(from, to) {
    if (!this.refuse) return;
    const why = this._state.moves.length ? this._state.refuse(from, to) : this.onidle?.();
    if (why) this.refuse(why);
  }

  /** @param {number} from @param {number | null} to @param {ShapeColour} colour */
  _shape(from, to, colour) {
    if (to) this._shapes = toggled(this._shapes, from, to, colour);
    this._sketched = null;
    this._drawArrows();
    this._describe();
    if (to) this.ondraw?.(this._shapes);
  }
}
