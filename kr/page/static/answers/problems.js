// Problems as JSON objects, every field checked (kr/problems/problem.py says in full what they hold).

import {beginning, stripped, words} from "./blanks.js";
import {Position} from "./rules.js";
import {oneOf, quoted, refusal} from "./text.js";

/** @typedef {import("./puzzle.js").Problem} Problem */
/** @typedef {Problem & {id: string}} Named */

const RESULTS = ["W-win", "B-win", "draw"];
const EVIDENCE = ["proved", "likely", "searched"];
const VALUES = ["win", "draw", "loss"];
const MOST_RATING = 4000;
/** Most characters of an id; the rest is cut off. */
const LONGEST_ID = 100;

/** True for a position that has no legal move. @param {Problem} problem */
export const isOver = ({fen}) => Position.fromFen(fen).isOver;

/**
 * A problem of a JSON object, every field checked. Throws KrErrors.
 * @param {any} entry
 * @param {readonly string[]} themes that there are
 * @param {number} number of its line
 * @returns {Named}
 */
export function problemOf(entry, themes, number) {
  const text = (/** @type {string} */ key) => textOf(entry, key);
  const fen = text("fen");
  if (!fen) throw refusal("{field} is missing", {field: '"fen"'});
  const result = among(text("result"), "result", RESULTS),
    position = Position.fromFen(fen),
    solution = text("solution"),
    first = text("first_move") || (words(solution)[0] ?? ""),
    keeping = entry.keeping_moves ?? [],
    named = entry.themes ?? [],
    rating = entry.rating ?? null,
    title = text("title");
  if (!isTexts(keeping))
    throw refusal("{field} must be a list of moves such as {example}", {
      field: '"keeping_moves"',
      example: '["11-15", "22x15"]',
    });
  if (typeof (entry.disproved ?? false) !== "boolean")
    throw refusal("{field} must be true or false", {field: '"disproved"'});
  if (!isTexts(named) || !named.every(each => themes.includes(each)))
    throw refusal("{field} must be a list of {themes}", {field: '"themes"', themes: themes.join(", ")});
  if (rating !== null && !(Number.isInteger(rating) && rating >= 0 && rating <= MOST_RATING))
    throw refusal("{field} must be a whole number from 0 to {most}", {field: '"rating"', most: String(MOST_RATING)});
  return withoutEmpty({
    id: text("id") || title || `line ${number}`,
    title,
    author: text("author"),
    source: text("source"),
    fen: position.fen,
    result,
    solution,
    first_move: first && String(position.parseMove(first)),
    keeping_moves: keeping.map(each => String(position.parseMove(each))),
    disproved: entry.disproved,
    themes: named,
    rating,
    evidence: among(text("evidence"), "evidence", EVIDENCE),
    exact: among(text("exact"), "exact", VALUES),
  });
}

/** Text of a field, "" if it is not there. @param {any} entry @param {string} key */
function textOf(entry, key) {
  const value = entry[key] ?? "";
  if (typeof value !== "string") throw refusal("{field} must be text", {field: `"${key}"`});
  return stripped(value);
}

/** @param {string} value @param {string} key @param {readonly string[]} known */
function among(value, key, known) {
  if (value && !known.includes(value))
    throw refusal("{field} is {value}; it must be {choices}", {
      field: `"${key}"`,
      value: quoted(value),
      choices: oneOf(known),
    });
  return value;
}

/** @param {unknown} value @returns {value is string[]} */
const isTexts = value => Array.isArray(value) && value.every(each => typeof each === "string");

/** Without the fields that say nothing. @param {any} fields @returns {any} */
export const withoutEmpty = fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && value !== undefined && value !== false && value.length !== 0,
    ),
  );

/** An id for an id that is there already: with a number. @param {string} id @param {(id: string) => boolean} isTaken */
export function apart(id, isTaken) {
  const name = beginning(id, LONGEST_ID);
  let free = name;
  for (let number = 2; isTaken(free); number++) free = `${name} (${number})`;
  return free;
}
