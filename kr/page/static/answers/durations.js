// Durations and counts as text, "20ms", "5m", "300k": what the clocks of kr/units.py need. Numbers are decimal until
// the end, so that a text has the value that it has in Python.

import {stripped} from "./blanks.js";
import {quoted, refusal} from "./text.js";

/** @typedef {{digits: bigint, exponent: number}} Decimal digits times a power of ten */

/** @type {Record<string, Decimal>} */
const DURATIONS = {
  h: {digits: 3600n, exponent: 0},
  m: {digits: 60n, exponent: 0},
  min: {digits: 60n, exponent: 0},
  s: {digits: 1n, exponent: 0},
  sec: {digits: 1n, exponent: 0},
  ms: {digits: 1n, exponent: -3},
};
/** @type {Record<string, Decimal>} */
const COUNTS = {
  g: {digits: 1n, exponent: 9},
  m: {digits: 1n, exponent: 6},
  k: {digits: 1n, exponent: 3},
  "": {digits: 1n, exponent: 0},
};
/** Seconds, 31 years. */
const LONGEST_TIME = 1e9;
const MOST_COUNT = 2n ** 64n;
/** What is expected, as values of refusals. */
const DURATION = refusal("a duration such as {s}, {ms}, {m} or {h}", {s: '"0.3s"', ms: '"20ms"', m: '"2m"', h: '"1h"'}),
  COUNT = refusal("a count such as {one}, {spaced}, {k}, {m} or {e}", {
    ...{one: '"1000"', spaced: '"1_000"', k: '"300k"', m: '"2M"', e: '"1e6"'},
  });
// blanks of ASCII alone stand before a unit
const QUANTITY = /^([0-9][0-9_]{0,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:e([+-]?[0-9]{1,3}))?[\t-\r ]*([a-z]*)$/;

/**
 * @param {string} text
 * @param {Record<string, Decimal>} units
 * @param {string} usual
 * @param {import("../texts.js").Said} expected
 */
function quantity(text, units, usual, expected) {
  const [whole, number, exponent, unit] = QUANTITY.exec(stripped(text).toLowerCase()) ?? [""];
  if (!whole || !Object.hasOwn(units, unit || usual))
    throw refusal("{text} is not {expected}", {text: quoted(text), expected});
  const [before, after = ""] = number.replaceAll("_", "").split("."),
    scale = units[unit || usual];
  return {
    digits: BigInt(before + after) * scale.digits,
    exponent: Number(exponent ?? 0) - after.length + scale.exponent,
  };
}

/** Seconds of "0.3s", "20ms", "2m", "1h" or a bare number of seconds. @param {string} text */
export function parseDuration(text) {
  const expected = DURATION.told,
    {digits, exponent} = quantity(text, DURATIONS, "s", expected),
    seconds = Number(`${digits}e${exponent}`);
  if (seconds > LONGEST_TIME)
    throw refusal("{text} is more than 31 years; expected {expected}", {text: quoted(text), expected});
  return seconds;
}

/** Whole number of "1e6", "300k", "2M", "1_000". @param {string} text */
export function parseCount(text) {
  const expected = COUNT.told;
  let {digits, exponent} = quantity(text, COUNTS, "", expected);
  for (; exponent > 0; exponent--) digits *= 10n;
  for (; exponent < 0; exponent++) {
    if (digits % 10n)
      throw refusal("{text} is not a whole number; expected {expected}", {text: quoted(text), expected});
    digits /= 10n;
  }
  if (digits > MOST_COUNT)
    throw refusal("{text} is more than kr can count, 2e+19; expected {expected}", {text: quoted(text), expected});
  return digits;
}

/**
 * A number without an exponent, and without zeros at its end.
 * @param {number} number
 * @param {number} [shift] power of ten
 */
function plain(number, shift = 0) {
  const [coefficient, exponent = "0"] = String(number).split("e"),
    [before, after = ""] = coefficient.split("."),
    digits = before + after,
    point = before.length + Number(exponent) + shift;
  const whole =
      digits
        .slice(0, Math.max(point, 0))
        .padEnd(point, "0")
        .replace(/^0+(?=[0-9])/, "") || "0",
    rest = (point < 0 ? "0".repeat(-point) + digits : digits.slice(point)).replace(/0+$/, "");
  return rest ? `${whole}.${rest}` : whole;
}

/** Text of a duration: 0.3 is "0.3s", 0.02 is "20ms", 120 is "2m". @param {number} seconds */
export function formatDuration(seconds) {
  for (const [unit, scale] of /** @type {[string, number][]} */ ([
    ["h", 3600],
    ["m", 60],
  ]))
    if (seconds >= scale && seconds % scale === 0) return `${BigInt(seconds) / BigInt(scale)}${unit}`;
  return seconds > 0 && seconds < 0.1 ? `${plain(seconds, 3)}ms` : `${plain(seconds)}s`;
}
