// Training with puzzles: a rating that follows the solver, what was missed again after some days, courses, the streak.
// Nothing here touches the document. tests/cases/training.json holds what it has in common with
// kr/problems/training.py, which says in full how.

import {SharedRecord} from "../shared-record.js";
import {advance, areBoxes, dueKeys, isBoxDue, isWhole, putBack} from "./boxes.js";

/** @typedef {{rating: number, deviation: number}} SolverRating */
/**
 * What was done with a puzzle. likely: one of the right moves was known by a search alone, so that nothing proves it
 * @typedef {{tries: number, hints: number, solved: boolean, likely?: boolean}} Done
 */
/**
 * All of it, as it is kept and handed on. Days are numbers, of which 1 is 1 January of the year 1. day, counted: the
 * last day on which a try counted, and the puzzles that did; curve: day, rating and deviation; puzzles and boxes by
 * key; boxes: number of the box, day on which it is due; steps: of courses, that are done; streak: last day whose
 * puzzle was solved, and how many in a row
 * @typedef {{
 *   format: number, rating: number, deviation: number, day: number, counted: string[],
 *   curve: [number, number, number][], puzzles: Record<string, Done>, boxes: Record<string, [number, number]>,
 *   steps: string[], streak: [number, number],
 * }} Kept
 */
/** @import {Store} from "../shared-record.js" */

const FORMAT = 1;
/** Puzzles that a beginner solves before the first one to draw, and easier ones. */
const WINS_FIRST = 10;
const FIRST = {rating: 1500, deviation: 350};
const LEAST_DEVIATION = 45,
  PUZZLE_DEVIATION = 100,
  MOST_CURVE = 400,
  YEAR = 365;
const DRIFT_SQUARED = (FIRST.deviation ** 2 - LEAST_DEVIATION ** 2) / YEAR;
const LN = Math.log(10) / 400;
const SHOWN_DEVIATIONS = 1.96;
const MS_PER_DAY = 86_400_000,
  EPOCH_DAY = 719_163;

/** The number of a person's day. */
export const dayNumber = (now = new Date()) =>
  Math.floor(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / MS_PER_DAY) + EPOCH_DAY;

/**
 * A rating after some days without a try.
 * @param {SolverRating} solver
 * @param {number} days
 */
const rested = ({rating, deviation}, days) => ({
  rating,
  deviation: Math.min(Math.sqrt(deviation ** 2 + Math.max(days, 0) * DRIFT_SQUARED), FIRST.deviation),
});

/**
 * A rating after a puzzle of some rating.
 * @param {SolverRating} solver
 * @param {number} puzzle
 * @param {boolean} isSolved
 */
export function rated({rating, deviation}, puzzle, isSolved) {
  const weight = 1 / Math.sqrt(1 + 3 * ((LN * PUZZLE_DEVIATION) / Math.PI) ** 2),
    expected = 1 / (1 + 10 ** ((-weight * (rating - puzzle)) / 400)),
    precision = 1 / deviation ** 2 + (LN * weight) ** 2 * expected * (1 - expected);
  return {
    rating: rating + (LN / precision) * weight * (Number(isSolved) - expected),
    deviation: Math.max(Math.sqrt(1 / precision), LEAST_DEVIATION),
  };
}

/** The uncertainty that is shown: that of 95%. @param {SolverRating} solver */
export const uncertainty = ({deviation}) => Math.round(SHOWN_DEVIATIONS * deviation);

/** @returns {Kept} */
const nothing = () => ({
  format: FORMAT,
  ...FIRST,
  day: 0,
  counted: [],
  curve: [],
  puzzles: {},
  boxes: {},
  steps: [],
  streak: [0, 0],
});

/** What a person has done, kept in the browser. @extends {SharedRecord<Kept>} */
export class Training extends SharedRecord {
  /** @param {Store} store */
  constructor(store) {
    // before there was a rating, only the puzzles were kept
    const otherwise = () => ({...nothing(), puzzles: store.kept("puzzles", {})});
    super(store, "training", {isContent: isTraining, otherwise});
  }

  /** Takes what was kept elsewhere, such as in a file, in place of what is here; false if it is no such thing. */
  replace(/** @type {unknown} */ told) {
    if (!isTraining(told)) return false;
    this.all = {...told, curve: told.curve.slice(-MOST_CURVE)};
    this.keep();
    return true;
  }

  /** @param {string} key @returns {Done} */
  of(key) {
    return Object.hasOwn(this.all.puzzles, key) ? this.all.puzzles[key] : {tries: 0, hints: 0, solved: false};
  }

  /** How many puzzles were solved. */
  get solvedCount() {
    return Object.values(this.all.puzzles).filter(each => each.solved).length;
  }

  /** True as long as puzzles to win come first, and easier ones. */
  get isBeginner() {
    return this.solvedCount < WINS_FIRST;
  }

  /** Whether a puzzle was missed and has not come out of the boxes since. @param {string} key */
  isMissed(key) {
    return Object.hasOwn(this.all.boxes, key);
  }

  /** @param {string} key @param {number} day */
  isDue(key, day) {
    return isBoxDue(this.all.boxes, key, day);
  }

  /** Keys of missed puzzles that are due, the longest due first. @param {number} day */
  due(day) {
    return dueKeys(this.all.boxes, day);
  }

  /**
   * A wrong move, or a hint.
   * @param {string} key
   * @param {"tries" | "hints"} what
   * @param {number | null} rating
   * @param {number} day
   */
  miss(key, what, rating, day) {
    this.refresh();
    const record = this.of(key);
    this.all.puzzles[key] = {...record, [what]: record[what] + 1};
    this._count(key, rating, false, day);
    putBack(this.all.boxes, key, day);
    this.keep();
  }

  /**
   * A puzzle was solved.
   * @param {string} key
   * @param {number | null} rating
   * @param {number} day
   * @param {{clean: boolean, likely?: boolean}} how clean: without a wrong move or a hint in this try; likely: a search
   *     alone says so
   */
  solve(key, rating, day, {clean, likely = false}) {
    this.refresh();
    const record = this.of(key);
    this.all.puzzles[key] = {...record, solved: true, likely: likely && (!record.solved || Boolean(record.likely))};
    if (clean) this._advance(key, rating, day);
    this.keep();
  }

  /** @param {string} key @param {number | null} rating @param {number} day */
  _advance(key, rating, day) {
    this._count(key, rating, true, day);
    advance(this.all.boxes, key, day);
  }

  /** The puzzle of the day was solved. @param {number} day */
  solveDaily(day) {
    this.refresh();
    const [last, days] = this.all.streak;
    if (last < day) this.all.streak = [day, last === day - 1 ? days + 1 : 1];
    this.keep();
  }

  /** True if the puzzle of a day was solved. @param {number} day */
  hasDaily(day) {
    return this.all.streak[0] >= day;
  }

  /** Days in a row whose puzzle was solved, up to today or yesterday. @param {number} day */
  streak(day) {
    const [last, days] = this.all.streak;
    return last >= day - 1 ? days : 0;
  }

  /** @param {string} step of a course */
  finishStep(step) {
    this.refresh();
    if (!this.all.steps.includes(step)) this.all.steps.push(step);
    this.keep();
  }

  /**
   * The rating on a day, with the uncertainty of the days since the last try.
   * @param {number} day @returns {SolverRating}
   */
  ratingOn(day) {
    const {rating, deviation} = this.all;
    return rested({rating, deviation}, this.all.day ? day - this.all.day : 0);
  }

  /** @param {string} key @param {number | null} rating @param {boolean} isSolved @param {number} day */
  _count(key, rating, isSolved, day) {
    const {all} = this;
    if (day > all.day) Object.assign(all, this.ratingOn(day), {day, counted: []});
    if (all.counted.includes(key)) return;
    all.counted.push(key);
    if (rating === null) return;
    Object.assign(all, rated(all, rating, isSolved));
    const tenth = (/** @type {number} */ number) => Math.round(10 * number) / 10;
    // days only go on, also where a clock went back
    if (all.curve.at(-1)?.[0] === all.day) all.curve.pop();
    all.curve.push([all.day, tenth(all.rating), tenth(all.deviation)]);
    all.curve = all.curve.slice(-MOST_CURVE);
  }
}

// --- what comes from elsewhere

const isNumber = (/** @type {unknown} */ value) => typeof value === "number" && Number.isFinite(value);
const isRating = (/** @type {unknown} */ rating, /** @type {unknown} */ deviation) =>
  isNumber(rating) &&
  isNumber(deviation) &&
  Number(rating) >= 0 &&
  Number(rating) <= 4000 &&
  Number(deviation) > 0 &&
  Number(deviation) <= FIRST.deviation;
const isTexts = (/** @type {unknown} */ value) => Array.isArray(value) && value.every(each => typeof each === "string");
const isObject = (/** @type {unknown} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {any} told @returns {told is Kept} */
export function isTraining(told) {
  return (
    isObject(told) &&
    told.format === FORMAT &&
    isRating(told.rating, told.deviation) &&
    isWhole(told.day) &&
    isTexts(told.counted) &&
    isTexts(told.steps) &&
    Array.isArray(told.streak) &&
    told.streak.length === 2 &&
    told.streak.every((/** @type {unknown} */ each) => isWhole(each)) &&
    Array.isArray(told.curve) &&
    told.curve.every(
      (/** @type {any} */ each) =>
        Array.isArray(each) && each.length === 3 && isWhole(each[0]) && isRating(each[1], each[2]),
    ) &&
    isObject(told.puzzles) &&
    Object.values(told.puzzles).every(each => isObject(each) && isWhole(each.tries) && isWhole(each.hints)) &&
    areBoxes(told.boxes)
  );
}
