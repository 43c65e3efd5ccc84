// Files of problems (kr/problems/problem.py says in full what they hold): PDN by their names, of which each game with a
// FEN tag is one; any other has in each line a JSON object or a FEN, or a comment that begins with #.

import {stripped} from "./blanks.js";
import {MOST_FAULTS, withoutComment} from "./pasted_games.js";
import {Reader} from "./pdn/reader.js";
import {Text} from "./pdn/source.js";
import {opener} from "./pdn/unpack.js";
import {RESULT_CONVENTIONS} from "./pdn/writer.js";
import {isOver, problemOf, withoutEmpty} from "./problems.js";
import {Position} from "./rules.js";
import {decodedBytes, grouped, KrError, refusal} from "./text.js";
import {known} from "./weighing.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./pdn/tree.js").Game} Game */
/** @typedef {import("./pdn/writer.js").Results} Results */
/** @typedef {import("./problems.js").Named} Named */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("../texts.js").Said} Said */

/** Problems of a file. */
const MOST_PROBLEMS = 5000;
/** Characters of a file in base64, and of its text. */
const LONGEST_DATA = 4_000_000,
  LONGEST_TEXT = 4_000_000;
const PDN_NAME = /\.pdn(\.(gz|xz|bz2))?$/i;
/** @type {Record<string, string>} */
const WINS = {"1-0": "B-win", "0-1": "W-win", "1/2-1/2": "draw"};

/**
 * The problems of a file, one after another. Throws an error for a file without a problem or a fault.
 * @param {string} name of the file
 * @param {string} source its text
 * @param {{results: Results, themes: readonly string[], onFault: (why: Said) => void}} how onFault: told in a line
 *   why a problem is left out
 * @returns {Generator<Named>}
 */
export function* readProblems(name, source, {results, themes, onFault}) {
  const isPdn = PDN_NAME.test(name);
  let isEmpty = true;
  const fault = (/** @type {Said} */ why) => {
    isEmpty = false;
    onFault(why);
  };
  for (const problem of isPdn ? ofGames(source, results, fault) : ofLines(source, themes, fault)) {
    isEmpty = false;
    yield problem;
  }
  if (isEmpty && isPdn) throw refusal("{name}: no game has a FEN tag, so there is no position to solve", {name});
  if (isEmpty)
    throw refusal(
      "{name} holds no problems; a file of problems has a JSON object or a FEN in each line, or is PDN by its name",
      {name},
    );
}

/** @param {string} source @param {Results} results @param {(why: Said) => void} onError */
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

/** @param {string} source @param {readonly string[]} themes @param {(why: Said) => void} onFault */
function* ofLines(source, themes, onFault) {
  for (const [index, line] of source.split(/\r\n|\n|\r/).entries()) {
    const text = stripped(line);
    if (!text || text.startsWith("#")) continue;
    try {
      if (text.startsWith("{")) yield problemOf(json(text), themes, index + 1);
      else yield {id: `line ${index + 1}`, fen: Position.fromFen(withoutComment(text)).fen};
    } catch (error) {
      if (!(error instanceof KrError)) throw error;
      onFault(refusal("line {number}: {why}", {number: String(index + 1), why: error.told}).told);
    }
  }
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal("not JSON");
  }
}

/**
 * The problems of a file, with their exact values.
 * @param {House} house
 * @param {PageRequest} request
 * @param {readonly string[]} themes that there are
 */
export async function readFile(house, request, themes) {
  const name = request.text("name"),
    results = /** @type {Results} */ (request.choice("results", RESULT_CONVENTIONS)),
    text = await textOf(name, decodedBytes(request.text("data", LONGEST_DATA)));
  /** @type {Named[]} */
  const problems = [];
  /** @type {Said[]} */
  const faults = [];
  for (const problem of readProblems(name, text, {results, themes, onFault: why => faults.push(why)})) {
    if (problem.disproved || isOver(problem)) faults.push(leftOut(problem).told);
    else problems.push(problem);
    if (problems.length > MOST_PROBLEMS)
      throw refusal("{name} has more than {most} problems", {name, most: grouped(MOST_PROBLEMS)});
  }
  if (!problems.length) throw refusal("{name}: {why}", {name, why: faults[0]});
  const values = await known(
    await house.database(),
    problems.map(({fen}) => Position.fromFen(fen)),
  );
  return {
    problems: problems.map((problem, i) => ({...problem, ...(values[i].value && {exact: values[i].value})})),
    faults: faults.slice(0, MOST_FAULTS),
    left_out: faults.length,
  };
}

/** Why a problem is left out. @param {Named} problem */
const leftOut = ({id, disproved}) =>
  disproved ? refusal("{id}: it is marked as disproved", {id}) : refusal("{id}: the game is over", {id});

/** The text of a file. @param {string} name @param {Uint8Array} bytes */
async function textOf(name, bytes) {
  const source = new Text((await opener(bytes))());
  let text = "";
  for (let block = source.read(); block; block = source.read()) {
    text += block;
    if (text.length > LONGEST_TEXT) throw refusal("{name} is too large for a file of problems", {name});
  }
  return text;
}
