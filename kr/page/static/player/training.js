// One's own mistakes as puzzles: which were found, and which come again, as those of Learn do. All tabs share it.
// Nothing here touches the document.

import {advance, areBoxes, dueKeys, isBoxDue, isWhole, putBack} from "../learn/boxes.js";
import {SharedRecord} from "../shared-record.js";

/** @typedef {import("./figures.js").Puzzle} Puzzle */
/** found: the day on which each was found at the first try. @typedef {{found: Record<string, number>,
 *   boxes: import("../learn/boxes.js").Boxes}} Mistakes */

/** Puzzles of one series. */
const A_SERIES = 10;

/** @param {Pick<Puzzle, "id" | "ply">} puzzle */
export const keyOf = ({id, ply}) => `${id}:${ply}`;

/** @extends {SharedRecord<Mistakes>} */
export class OwnMistakes extends SharedRecord {
  /** @param {import("../shared-record.js").Store} store */
  constructor(store) {
    super(store, "own-mistakes", {isContent: isRecord, otherwise: () => ({found: {}, boxes: {}})});
  }

  /**
   * What became of a puzzle on a day.
   * @param {Puzzle} puzzle
   * @param {string} outcome "first": found at the first try
   * @param {number} day
   */
  note(puzzle, outcome, day) {
    this.refresh();
    const key = keyOf(puzzle),
      {found, boxes} = this.all;
    if (outcome === "first") {
      found[key] = day;
      advance(boxes, key, day);
    } else {
      delete found[key];
      putBack(boxes, key, day);
    }
    return this.keep();
  }

  /** How many of some puzzles were found. @param {readonly Puzzle[]} puzzles */
  count(puzzles) {
    return puzzles.filter(puzzle => Object.hasOwn(this.all.found, keyOf(puzzle))).length;
  }

  /**
   * The next series of some puzzles: those that are due, then those that were never found, the worst first, then the
   * rest, those found longest ago first.
   * @param {readonly Puzzle[]} puzzles
   * @param {number} day
   */
  series(puzzles, day) {
    const {found, boxes} = this.all,
      due = dueKeys(boxes, day),
      rank = (/** @type {Puzzle} */ puzzle) => {
        const key = keyOf(puzzle);
        if (isBoxDue(boxes, key, day)) return [0, due.indexOf(key)];
        return Object.hasOwn(found, key) ? [2, found[key]] : [1, -(puzzle.loss ?? 0)];
      };
    return puzzles
      .map(puzzle => ({puzzle, rank: rank(puzzle)}))
      .sort(({rank: one}, {rank: other}) => one[0] - other[0] || one[1] - other[1])
      .slice(0, A_SERIES)
      .map(({puzzle}) => puzzle);
  }
}

/** @param {any} told @returns {told is Mistakes} */
const isRecord = told =>
  typeof told?.found === "object" &&
  told.found !== null &&
  Object.values(told.found).every(day => isWhole(day)) &&
  areBoxes(told.boxes);
