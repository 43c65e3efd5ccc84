// Repertoires as PDN: files that come in, and the file that goes out.

import {encoded} from "../pieces.js";
import {t} from "../texts.js";
import {sideOfGame} from "./lines.js";

/** @import {App} from "../shell.js" */
/** @import {Side} from "../squares.js" */
/** @import {GameDocument} from "../tree.js" */
/** @import {Lines} from "./lines.js" */

const LARGEST_FILE = 1_500_000; // bytes
const MOST_GAMES = 300;

/**
 * The games of a file.
 * @param {App} app
 * @param {File} file
 * @returns {Promise<{documents: GameDocument[], left: number}>} left: games that could not be read
 */
export async function readGames({api}, file) {
  const tooMuch = () =>
    new Error(t("{name} is too large for a repertoire: at most {count} games", {name: file.name, count: MOST_GAMES}));
  if (file.size > LARGEST_FILE) throw tooMuch();
  const answer = await api("games/read", {data: await encoded(file, file.name), results: "english"});
  if (answer.document) return {documents: [answer.document], left: answer.left_out};
  if (answer.upload || answer.games.length > MOST_GAMES) throw tooMuch();
  /** @type {GameDocument[]} */
  const documents = [];
  for (const {pdn} of answer.games) documents.push((await api("games/read", {text: pdn})).document);
  return {documents, left: answer.left_out};
}

/**
 * Adds games to the repertoires of their sides; gives the sides that have got some, and how many variations were left
 * out.
 * @param {GameDocument[]} documents
 * @param {(side: Side) => Lines} linesOf
 * @param {Side} side of games that name none
 */
export function takeGames(documents, linesOf, side) {
  /** @type {Set<Side>} */
  const sides = new Set();
  let left = 0;
  for (const document of documents) {
    const whose = sideOfGame(document.headers ?? {}) ?? side;
    left += linesOf(whose).take(document).left;
    sides.add(whose);
  }
  return {sides: [...sides], left};
}

/**
 * A repertoire as PDN.
 * @param {App} app
 * @param {Lines} lines
 */
export async function writeGames({api}, lines) {
  const games = [];
  for (const document of lines.documents()) games.push((await api("games/pdn", {document, results: "english"})).pdn);
  return games.join("\n");
}
