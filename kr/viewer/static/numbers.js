// How a language writes numbers with decimals, durations and sizes, which `said` needs wherever these are told.

import {decimal, inUnit, signed} from "./texts.js";

/** @import {Amount, Figure} from "./texts.js" */

/** @param {string | Amount} told */
export function written(told) {
  if (typeof told === "string") return localNumber(told) ?? told;
  if ("number" in told) return figure(told);
  return "seconds" in told ? clock(Math.round(told.seconds)) : inUnit(told.bytes / 1e6, "megabyte", told.digits);
}

/** @param {Figure} figure */
function figure({number, digits, signed: isSigned, error}) {
  const text = isSigned || number < 0 ? signed(number, digits) : decimal(number, digits);
  return error === undefined ? text : `${text} ± ${decimal(error, digits)}`;
}

/**
 * A duration: "1:42", "1:02:03", two days as "2d 0h", or as the language writes them.
 * @param {number} seconds a whole number of them
 */
export function clock(seconds) {
  const minutes = Math.floor(seconds / 60),
    hours = Math.floor(minutes / 60),
    two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  if (hours >= 48) return `${inUnit(Math.floor(hours / 24), "day")} ${inUnit(hours % 24, "hour")}`;
  return `${hours ? `${hours}:${two(minutes % 60)}` : minutes}:${two(seconds % 60)}`;
}

/** A number that stands in English as the language writes it. @param {string} text */
function localNumber(text) {
  const [whole, sign, digits, places = "", unit] = /^([+-]?)(\d[\d,]*)(?:\.(\d+))?(%?)$/.exec(text) ?? [];
  if (!whole || (!places && !unit && !digits.includes(","))) return whole;
  const number = Number(`${digits.replaceAll(",", "")}.${places}`);
  return sign + (unit ? inUnit(number, "percent", places.length) : decimal(number, places.length));
}
