// Both repertoires as the browser keeps them, with what was missed in training.

import {SharedRecord} from "../shared-record.js";
import {advance, areBoxes, dueKeys, putBack} from "../learn/boxes.js";
import {Lines, emptyGraph} from "./lines.js";

/** @import {Boxes} from "../learn/boxes.js" */
/** @import {Store} from "../shared-record.js" */
/** @import {Side} from "../squares.js" */
/** @import {Graph} from "./lines.js" */
/** boxes: positions whose answer was missed. @typedef {Graph & {boxes: Boxes}} Part */
/** @typedef {{format: number, black: Part, white: Part}} Kept */

const FORMAT = 1;
/** Moves that both repertoires may have together: a browser keeps about 5 MB. */
export const MOST_MOVES = 10_000;

/** @returns {Kept} */
const nothing = () => ({
  format: FORMAT,
  black: {...emptyGraph(), boxes: {}},
  white: {...emptyGraph(), boxes: {}},
});

/** @extends {SharedRecord<Kept>} */
export class RepertoireRecord extends SharedRecord {
  /** @param {Store} store */
  constructor(store) {
    super(store, "repertoire", {isContent: isRepertoires, otherwise: nothing});
    /** @type {Partial<Record<Side, Lines>>} */
    this._lines = {};
    /** What it was before the last change, and after it. @type {{before: string, after: string} | null} */
    this._done = null;
  }

  /** The repertoire for a side, as long as no other tab changes it. @param {Side} side */
  lines(side) {
    const graph = this.all[side],
      known = this._lines[side];
    if (known?.graph === graph) return known;
    return (this._lines[side] = new Lines(side, graph));
  }

  /**
   * Changes it, beginning with what other tabs have kept; "full" if the browser has no room, and then nothing changes.
   * @template Answer
   * @param {() => Answer} act gives false if it has changed nothing
   * @returns {Answer | "full"}
   */
  change(act) {
    this.refresh();
    const before = JSON.stringify(this.all),
      answer = act();
    if (answer === false) return answer;
    this._forget();
    if (this._size() > MOST_MOVES || !this.keep()) {
      Object.assign(this.all, JSON.parse(before));
      this.keep();
      return "full";
    }
    this._done = {before, after: JSON.stringify(this.all)};
    return answer;
  }

  /** Whether the last change can be undone: no other tab has made one since. */
  get canUndo() {
    return Boolean(this._done) && this._done?.after === JSON.stringify(this.all);
  }

  undo() {
    this.refresh();
    if (!this.canUndo || !this._done) return false;
    Object.assign(this.all, JSON.parse(this._done.before));
    this._done = null;
    return this.keep();
  }

  // --- training

  /** Positions that were missed and are due, the longest due first. @param {Side} side @param {number} day */
  due(side, day) {
    const lines = this.lines(side);
    return dueKeys(this.all[side].boxes, day).filter(fen => lines.answers(fen).length);
  }

  /** @param {Side} side @param {string} fen @param {number} day */
  miss(side, fen, day) {
    this._train(() => putBack(this.all[side].boxes, fen, day));
  }

  /** It was answered at once. @param {Side} side @param {string} fen @param {number} day */
  solve(side, fen, day) {
    this._train(() => advance(this.all[side].boxes, fen, day));
  }

  /** @param {() => void} act */
  _train(act) {
    this.refresh();
    act();
    this.keep();
  }

  // --- within

  // what was missed in positions that are gone
  _forget() {
    for (const side of /** @type {Side[]} */ (["black", "white"])) {
      const {boxes, moves} = this.all[side];
      for (const fen of Object.keys(boxes)) if (!Object.hasOwn(moves, fen)) delete boxes[fen];
    }
  }

  _size() {
    return [this.all.black, this.all.white]
      .flatMap(({moves}) => Object.values(moves))
      .reduce((sum, each) => sum + Object.keys(each).length, 0);
  }
}

// --- what comes from elsewhere

const isObject = (/** @type {unknown} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isMove = (/** @type {any} */ told) =>
  isObject(told) && typeof told.text === "string" && Array.isArray(told.path) && Array.isArray(told.captured);
const isRoot = (/** @type {any} */ told) =>
  isObject(told) && typeof told.start === "string" && Array.isArray(told.ballot) && told.ballot.every(isMove);
const isPart = (/** @type {any} */ told) =>
  isObject(told) &&
  isObject(told.roots) &&
  Object.values(told.roots).every(isRoot) &&
  isObject(told.moves) &&
  Object.values(told.moves).every(each => isObject(each) && Object.values(each).every(isMove)) &&
  areBoxes(told.boxes);

/** @param {any} told @returns {told is Kept} */
export const isRepertoires = told =>
  isObject(told) && told.format === FORMAT && isPart(told.black) && isPart(told.white);
