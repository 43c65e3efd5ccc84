// Files of problems (kr/problems/problem.py says in full what they hold): PDN by their names, of which each game with a
// FEN tag is one; any other has in each line a JSON object or a FEN, or a comment that begins with #.

import {beginning, stripped, words} from "./blanks.js";
import {Reader} from "./pdn/reader.js";
import {withoutComment} from "./pasted_games.js";
import {Position} from "./rules.js";
import {KrError, oneOf, quoted} from "./text.js";

/** @typedef {import("./pdn/tree.js").Game} Game */
/** @typedef {import("./pdn/writer.js").Results} Results */
/** @typedef {import("./puzzle.js").Problem} Problem */
/** @typedef {Problem & {id: string}} Named */

const RESULTS = ["W-win", "B-win", "draw"];
const EVIDENCE = ["proved", "searched"];
const VALUES = ["win", "draw", "loss"];
const MOST_RATING = 4000;
/** Most characters of an id; the rest is cut off. */
const LONGEST_ID = 100;
const PDN_NAME = /\.pdn(\.(gz|xz|bz2))?$/i;
/** @type {Record<string, string>} */
const WINS = {"1-0": "B-win", "0-1": "W-win", "1/2-1/2": "draw"};
const EXPECTED = "a file of problems has a JSON object or a FEN in each line, or is PDN by its name";

/**
 * The problems of a file, one after another. Throws an error for a file without a problem or a fault.
 * @param {string} name of the file
 * @param {string} source its text
 * @param {{results: Results, themes: readonly string[], onFault: (why: string) => void}} how onFault: told in a line
 *   why a problem is left out
 * @returns {Generator<Named>}
 */
export function* readProblems(name, source, {results, themes, onFault}) {
  const isPdn = PDN_NAME.test(name);
  let isEmpty = true;
  const fault = (/** @type {string} */ why) => {
    isEmpty = false;
    onFault(why);
  };
  for (const problem of isPdn ? ofGames(source, results, fault) : ofLines(source, themes, fault)) {
    isEmpty = false;
    yield problem;
  }
  if (isEmpty && isPdn) throw new KrError(`${name}: no game has a FEN tag, so there is no position to solve`);
  if (isEmpty) throw new KrError(`${name} holds no problems; ${EXPECTED}`);
}

/** @param {string} source @param {Results} results @param {(why: string) => void} onError */
function* ofGames(source, results, onError) {
  let number = 0;
  for (const game of new Reader(`${source}\n`, {results, onError}))
    if (game.headers.has("FEN")) yield ofGame(game, ++number);
}

/** @param {Game} game @param {number} number */
function ofGame(game, number) {
  const tag = (/** @type {string} */ name) => stripped(game.headers.get(name) ?? ""),
    title = tag("Event"),
    // a position that is set up later is another problem
    moves = game.stretches()[0][1].map(String);
  return withoutEmpty({
    id: title || `position ${number}`,
    title,
    author: tag("Author") || tag("Composer"),
    source: game.headers.get("Site") ?? "",
    fen: game.start.fen,
    result: WINS[game.result] ?? "",
    solution: moves.join(" "),
    first_move: moves[0] ?? "",
  });
}

/** @param {string} source @param {readonly string[]} themes @param {(why: string) => void} onFault */
function* ofLines(source, themes, onFault) {
  for (const [index, line] of source.split(/\r\n|\n|\r/).entries()) {
    const text = stripped(line);
    if (!text || text.startsWith("#")) continue;
    try {
      if (text.startsWith("{")) yield problemOf(json(text), themes, index + 1);
      else yield {id: `line ${index + 1}`, fen: Position.fromFen(withoutComment(text)).fen};
    } catch (error) {
      if (!(error instanceof KrError)) throw error;
      onFault(`line ${index + 1}: ${error.message}`);
    }
  }
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new KrError("not JSON");
  }
}

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
  if (!fen) throw new KrError('"fen" is missing');
  const result = among(text("result"), "result", RESULTS),
    position = Position.fromFen(fen),
    solution = text("solution"),
    first = text("first_move") || (words(solution)[0] ?? ""),
    keeping = entry.keeping_moves ?? [],
    named = entry.themes ?? [],
    rating = entry.rating ?? null,
    title = text("title");
  if (!isTexts(keeping)) throw new KrError('"keeping_moves" must be a list of moves such as ["11-15", "22x15"]');
  if (typeof (entry.disproved ?? false) !== "boolean") throw new KrError('"disproved" must be true or false');
  if (!isTexts(named) || !named.every(each => themes.includes(each)))
    throw new KrError(`"themes" must be a list of ${themes.join(", ")}`);
  if (rating !== null && !(Number.isInteger(rating) && rating >= 0 && rating <= MOST_RATING))
    throw new KrError(`"rating" must be a whole number from 0 to ${MOST_RATING}`);
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
  if (typeof value !== "string") throw new KrError(`"${key}" must be text`);
  return stripped(value);
}

/** @param {string} value @param {string} key @param {readonly string[]} known */
function among(value, key, known) {
  if (value && !known.includes(value)) throw new KrError(`"${key}" is ${quoted(value)}; it must be ${oneOf(known)}`);
  return value;
}

/** @param {unknown} value @returns {value is string[]} */
const isTexts = value => Array.isArray(value) && value.every(each => typeof each === "string");

/** Without the fields that say nothing. @param {any} fields @returns {any} */
const withoutEmpty = fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && value !== undefined && value !== false && value.length !== 0,
    ),
  );

/** An id for an id that is there already: with a number. @param {string} id @param {(id: string) => boolean} isTaken */
export function apart(id, isTaken) {
  const name = beginning(id, LONGEST_ID);
  let found = name;
  for (let number = 2; isTaken(found); number++) found = `${name} (${number})`;
  return found;
}
