// Games of a text that people paste or open, and what a list shows of a game.

import {gameDocument, MOST_NODES} from "./document.js";
import {looksLikeFen, parseFen} from "./notation.js";
import {beginning, lengthOf, linesOf, stripped} from "./blanks.js";
import {told} from "./pdn/drafts.js";
import {Reader} from "./pdn/reader.js";
import {Game} from "./pdn/tree.js";
import {LONGEST_FEN} from "./request.js";
import {Position} from "./rules.js";
import {KrError, refusal, Refused} from "./text.js";

/** @typedef {import("../texts.js").Said} Said */
/** @typedef {import("./pdn/writer.js").Results} Results */
/** @typedef {[number, string]} NumberedLine */
/** @typedef {ReturnType<typeof summary>} Row */

/** Unreadable games whose reasons are listed. */
export const MOST_FAULTS = 50;

/** Characters of a text within a fault. */
const LONGEST_QUOTED = 300;

/** What is told, none of its texts too long. @param {Said} said @returns {Said} */
export function shortened(said) {
  if (typeof said === "string") return beginning(said, LONGEST_QUOTED);
  if (typeof said !== "object" || !("say" in said)) return said;
  const values = Object.entries(said.with ?? {}).map(([name, value]) => [name, shortened(value)]);
  return {say: said.say, with: Object.fromEntries(values)};
}

/** A game's row in a list. @param {Game} game @param {number} number */
export function summary(game, number) {
  const shown = (/** @type {string} */ name) => {
    const value = beginning(stripped(game.headers.get(name) ?? ""), 80);
    return /[^?. ]/.test(value) ? value : "";
  };
  return {
    number,
    event: shown("Event"),
    black: shown("Black"),
    white: shown("White"),
    date: shown("Date"),
    result: game.result,
    moves: game.mainline().length,
    warnings: game.warnings.slice(0, MOST_FAULTS).map(shortened),
  };
}

/** A game as JSON, unless it has more moves than a page takes back. @param {Game} game */
export function boundedDocument(game) {
  const document = gameDocument(game),
    count = document.nodes.length;
  if (count > MOST_NODES) throw new Refused("pdn.many_moves", {number: count, most: MOST_NODES}, "pdn");
  return document;
}

/**
 * Games of a text that people paste: PDN, positions as FEN, one a line, or FENs each with its moves below it.
 * @param {string} text
 * @param {Results} results
 * @param {(why: Said) => void} onFault called for those left out
 */
export function readText(text, results, onFault) {
  const lines = fensOf(text);
  return lines.length
    ? positionGames(lines, onFault)
    : withContent(new Reader(`${withTags(text)}\n`, {results, forgiving: true, onError: onFault}));
}

/** Games without remarks that stand alone, which are games without moves. @param {Reader} reader */
export function* withContent(reader) {
  for (const game of reader)
    if (game.variations.length || !game.start.equals(new Position()) || game.headers.size > 1) yield game;
}

/** @param {NumberedLine[]} lines @param {(why: Said) => void} onFault */
export function* positionGames(lines, onFault) {
  for (const [number, line] of lines) {
    const game = positionGame(line);
    if (game instanceof Game) yield game;
    else onFault(refusal("line {number}: {why}", {number: String(number), why: game.told}).told);
  }
}

/** A line of a list of positions without its comment, which begins with #. @param {string} line */
export const withoutComment = line => stripped(line.split("#", 1)[0]);

/** Lines of a text that holds nothing but FENs, with their numbers; none for any other text. @param {string} text */
export function fensOf(text) {
  /** @type {NumberedLine[]} */
  const lines = [];
  for (const [index, each] of linesOf(text).entries()) {
    const line = withoutComment(each);
    if (!line) continue;
    if (lengthOf(line) > LONGEST_FEN || !looksLikeFen(line)) return [];
    lines.push([index + 1, line]);
  }
  return lines;
}

/** A text with tags in place of the FENs that are lines of their own, as articles print them. @param {string} text */
function withTags(text) {
  const lines = text.split("\n");
  let inComment = false;
  for (const [index, line] of lines.entries()) {
    const fen = stripped(line);
    if (!inComment && /^[BW]/i.test(fen) && isFen(fen)) lines[index] = `[FEN "${fen}"]`;
    if (/[{}]/.test(line)) inComment = line.lastIndexOf("{") > line.lastIndexOf("}");
  }
  return lines.join("\n");
}

/** @param {string} text */
function isFen(text) {
  if (lengthOf(text) > LONGEST_FEN || !looksLikeFen(text)) return false;
  try {
    parseFen(text, true);
    return true;
  } catch (error) {
    if (!(error instanceof KrError)) throw error;
    return false;
  }
}

/** A game from a position, or what is wrong with it. @param {string} fen */
function positionGame(fen) {
  /** @type {Said} */
  let why = "";
  for (const crown of [false, true]) {
    try {
      const {black, white, kings, side} = parseFen(fen, crown),
        game = new Game([], new Position(black, white, kings, side));
      if (why) game.warnings = [told("pdn.read_so", {why})];
      return game;
    } catch (error) {
      if (!(error instanceof KrError)) throw error;
      if (crown) return error;
      why = error.told;
    }
  }
  throw new Error("unreachable");
}
