// Limits of a search as text: Limits.parse of kr/engine/limits.py.

import {stripped} from "./blanks.js";
import {parseCount, parseDuration} from "./durations.js";
import {KrError, quoted} from "./text.js";

/** @typedef {import("./kr.js").Limits} Limits */

const MOST = {seconds: 1e9, nodes: 1e15, depth: 1e9};

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
    if (!key || key in limits) throw new KrError(`${quoted(text)} is not a limit such as 0.3s, nodes=2000 or depth=8`);
    const number = key === "seconds" ? parseDuration(value) : Number(parseCount(value));
    if (!(number > 0 && number <= MOST[key])) throw new KrError(`the limit ${quoted(text)} is out of its range`);
    limits[key] = number;
  }
  return limits;
}
