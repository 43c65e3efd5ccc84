// Limits of a search: as text, and the share of a clock that a move may take.

import {stripped} from "./blanks.js";
import {parseCount, parseDuration} from "./durations.js";
import {quoted, refusal} from "./text.js";

/**
 * Where a search ends. left: seconds on the mover's clock, before the increment for this move; moves: to the next time
 * control; within: centi-men, within which of the best each move gets a line.
 * @typedef {{
 *   seconds?: number, nodes?: number, depth?: number, within?: number, left?: number, increment?: number,
 *   moves?: number,
 * }} Limits
 */
/** @typedef {import("./kr.js").Limits} OwnLimits */

/** The clock is spread over this many moves, or over the moves to the next time control if these are fewer. */
const MOVES_AHEAD = 30;
/** Largest share of the clock that one move may take. */
const CLOCK_SHARE = 0.8;
/** A difficult move may take this many times its share of the clock. */
const UNSETTLED = 3;
/** Seconds reserved in each move for the delay until the answer stops the clock. */
const LATENCY = 0.01;
/** Seconds for a move when the clock is all but empty. */
const SHORTEST = 0.001;
const MOST = {seconds: 1e9, nodes: 1e15, depth: 1e9};

/**
 * Limits with the usual and the longest time of a move in place of a clock: its share, left/M + increment, where M is
 * the number of moves to the next time control, or 30 if that is less or there is none; and three times as much.
 * @param {Limits} limits
 * @returns {OwnLimits}
 */
export function timed({left, increment = 0, moves, ...others}) {
  if (left === undefined) return others;
  const share = left / Math.min(moves ?? MOVES_AHEAD, MOVES_AHEAD) + increment,
    [usualSeconds, seconds] = [1, UNSETTLED].map(times =>
      Math.max(Math.min(times * share, CLOCK_SHARE * (left + increment)) - LATENCY, SHORTEST),
    );
  return {...others, seconds, usualSeconds};
}

/**
 * Limits such as "0.3s", "nodes=2000", "depth=8", or several separated by commas.
 * @param {string} text
 * @returns {Limits}
 */
export function parseLimits(text) {
  /** @type {Limits} */
  const limits = {};
  for (const part of text.split(",")) {
    const [first, ...rest] = stripped(part).split("="),
      name = rest.length ? first : "time",
      value = rest.length ? rest.join("=") : first,
      key = name === "time" ? "seconds" : name === "nodes" || name === "depth" ? name : null;
    if (!key || key in limits)
      throw refusal("{text} is not a limit such as 0.3s, nodes=2000 or depth=8", {text: quoted(text)});
    const number = key === "seconds" ? parseDuration(value) : Number(parseCount(value));
    if (!(number > 0 && number <= MOST[key]))
      throw refusal("the limit {text} is out of its range", {text: quoted(text)});
    limits[key] = number;
  }
  return limits;
}
