// Spaced repetition: what was missed comes again after some days, and after more of them each time that it is done at
// once. Nothing here touches the document. tests/cases/training.json holds what it has in common with
// kr/problems/training.py.

/** By key the number of the box, and the day on which it is due. @typedef {Record<string, [number, number]>} Boxes */

/** Days until it comes again, by its box. */
const INTERVALS = [1, 3, 7, 21];
const LAST_DAY = 4_000_000;

/** It was missed on a day. @param {Boxes} boxes @param {string} key @param {number} day */
export function putBack(boxes, key, day) {
  boxes[key] = [0, day + INTERVALS[0]];
}

/**
 * It was done without help on a day: if it was due, it goes to the next box, or out of the last one.
 * @param {Boxes} boxes
 * @param {string} key
 * @param {number} day
 */
export function advance(boxes, key, day) {
  if (!isBoxDue(boxes, key, day)) return;
  const next = boxes[key][0] + 1;
  if (next < INTERVALS.length) boxes[key] = [next, day + INTERVALS[next]];
  else delete boxes[key];
}

/** @param {Boxes} boxes @param {string} key @param {number} day */
export const isBoxDue = (boxes, key, day) => Object.hasOwn(boxes, key) && boxes[key][1] <= day;

/** Keys that are due, the longest due first. @param {Boxes} boxes @param {number} day */
export const dueKeys = (boxes, day) =>
  Object.keys(boxes)
    .filter(key => boxes[key][1] <= day)
    .sort((one, other) => boxes[one][1] - boxes[other][1]);

/** @param {unknown} value @param {number} [most] */
export const isWhole = (value, most = LAST_DAY) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < most;

/** @param {unknown} told @returns {told is Boxes} */
export const areBoxes = told =>
  typeof told === "object" &&
  told !== null &&
  !Array.isArray(told) &&
  Object.values(told).every(
    each => Array.isArray(each) && each.length === 2 && isWhole(each[0], INTERVALS.length) && isWhole(each[1]),
  );
