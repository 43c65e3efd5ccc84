// Puzzles in a row: a streak, which the first miss ends, and as many as one can in three minutes. Each begins with easy
// ones and gets harder. The best of each is kept in the browser. Nothing here touches the document.

import {t} from "../texts.js";

/** @import {Listed} from "./state.js" */
/** @typedef {"streak" | "minutes"} Kind */
/** @typedef {{kept: (name: string, otherwise?: any) => any, keep: (name: string, value: unknown) => void}} Store */

const RUN_MS = 180_000;
const FIRST_RATING = 800,
  HARDER = 40; // by each that is solved
/** Puzzles of which one is drawn by lot: those nearest to the rating that is wanted. */
const CHOICE = 12;
const NAME = "learn-best";

/** @param {Store} store @param {Kind} kind @returns {number} */
export function bestOf(store, kind) {
  const best = store.kept(NAME, {})?.[kind];
  return Number.isInteger(best) && best > 0 ? best : 0;
}

export class Challenge {
  /**
   * @param {Kind} kind
   * @param {{store: Store, now: number, random?: () => number}} how now: milliseconds
   */
  constructor(kind, {store, now, random = Math.random}) {
    this.kind = kind;
    this.solved = 0;
    this.missed = 0;
    this._store = store;
    this._random = random;
    this._end = kind === "minutes" ? now + RUN_MS : Infinity;
    /** @type {Set<string>} */
    this._seen = new Set();
    this._best = bestOf(store, kind);
  }

  /** Milliseconds that are left. @param {number} now */
  left(now) {
    return Math.max(0, this._end - now);
  }

  /** @param {number} now */
  isOver(now) {
    return !this.left(now) || (this.kind === "streak" && this.missed > 0);
  }

  /** The next puzzle, one to win of the collection; undefined if none is left. @param {readonly Listed[]} puzzles */
  next(puzzles) {
    const wanted = FIRST_RATING + HARDER * this.solved,
      far = (/** @type {Listed} */ {rating}) => Math.abs(Number(rating) - wanted);
    const near = puzzles
      .filter(each => each.origin === "collection" && each.goal === "win" && each.rating && !this._seen.has(each.id))
      .sort((one, other) => far(one) - far(other))
      .slice(0, CHOICE);
    const found = near[Math.floor(this._random() * near.length)];
    if (found) this._seen.add(found.id);
    return found;
  }

  /** A puzzle was solved, or missed. @param {boolean} isSolved */
  count(isSolved) {
    if (isSolved) this.solved += 1;
    else this.missed += 1;
    if (this.solved > bestOf(this._store, this.kind))
      this._store.keep(NAME, {...this._store.kept(NAME, {}), [this.kind]: this.solved});
  }

  /** What stands beside the puzzle. @param {number} now */
  words(now) {
    const seconds = Math.ceil(this.left(now) / 1000),
      clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    return this.kind === "streak"
      ? t("Streak: {solved}", {solved: this.solved})
      : t("{clock} left, {solved} solved", {clock, solved: this.solved});
  }

  /** What is said at its end. @returns {import("../line/page.js").Words} */
  endWords() {
    const {solved} = this,
      isBest = solved > this._best;
    const head =
      this.kind === "streak" ? t("Your streak: {solved}.", {solved}) : t("{solved} in three minutes.", {solved});
    const more = isBest
      ? t("That is your best on this device.")
      : t("Your best on this device: {best}.", {best: Math.max(this._best, solved)});
    return {mark: isBest ? "✓" : "", head, more};
  }
}
