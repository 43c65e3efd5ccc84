// Games of the page's library: what its list tells of each, and many of them as PDN, with what the library says of them
// in tags.

import {gameDocument} from "./document.js";
import {lengthOf} from "./blanks.js";
import {plainName} from "./names.js";
import {openingsOf} from "./openings.js";
import {summary} from "./pasted_games.js";
import {Reader} from "./pdn/reader.js";
import {RESULT_CONVENTIONS, writable, writeGame} from "./pdn/writer.js";
import {HUMAN, SPEC_TAGS} from "./play/opponents.js";
import {accuracyOf, isJudged} from "../accuracy.js";
import {KEPT_TAGS} from "../library/cards.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./openings.js").Openings} Openings */
/** @typedef {import("./pdn/tree.js").Game} Game */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("../library/cards.js").Facts} Facts */

/** Games of one request. */
const MOST_GAMES = 200;
const LONGEST_PDN = 2_000_000;
/** Characters of comments that are searched. */
const LONGEST_TEXT = 500;
/** No name of an opening needs more moves. */
const NAMED_PLIES = 12;

/** A game of a request, as a document or as PDN. @param {PageRequest} request @returns {Promise<Game>} */
async function gameOf(request) {
  if (request.has("document")) return request.document();
  const game = new Reader(`${request.text("pdn", LONGEST_PDN)}\n`, {forgiving: true}).readGame();
  if (!game) throw new Error("a game that was kept is none");
  return game;
}

/**
 * What the tags of the library say of a game, which has them no longer.
 * @param {Game} game
 * @returns {Record<string, string>}
 */
function takeTags(game) {
  const {headers} = game,
    found = Object.fromEntries(KEPT_TAGS.flatMap(name => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])));
  for (const name of KEPT_TAGS) headers.delete(name);
  return found;
}

/** @param {Game} game @param {Openings} openings @returns {Facts} */
function factsOf(game, openings) {
  const {number: _, warnings: _warnings, ...row} = summary(game, 0),
    line = game.mainline().slice(0, NAMED_PLIES),
    // a line that goes on from a position set up later has no opening
    isPlayed = !line.some(node => node.setup),
    reached = isPlayed ? openings.nameOf([game.start, ...line.map(node => node.position)]) : undefined,
    people = SPEC_TAGS.map(tag => game.headers.get(tag) ?? ""),
    isPerson = people.every(Boolean) && people.filter(each => each === HUMAN).length === 1;
  // a game that comes back from a file is the same
  writable(game);
  return {
    ...row,
    opening: reached?.name ?? "",
    person: isPerson ? (people[0] === HUMAN ? "black" : "white") : "",
    review: accuracyOf(game) ?? (isJudged(game) ? {black: null, white: null} : null),
    text: textOf(game),
    print: printOf(writeGame(game)),
  };
}

/** The beginning of what people say in a game. @param {Game} game */
function textOf(game) {
  let text = "";
  for (const node of [game, ...game.descendants()]) {
    for (const comment of node.comments)
      if (!comment.includes("[%kr ")) text += ` ${comment.replace(/\[%[^\]]*\]/g, "")}`;
    if (lengthOf(text) > LONGEST_TEXT) break;
  }
  return plainName(text).slice(0, LONGEST_TEXT);
}

/** A number of 53 bits for a text, as text. @param {string} text */
function printOf(text) {
  let one = 0xdeadbeef,
    other = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    one = Math.imul(one ^ code, 0x9e3779b1);
    other = Math.imul(other ^ code, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return (0x100000000 * (other & 0x1fffff) + (one >>> 0)).toString(36);
}

/**
 * What a list tells of games, {document} or {pdn} each; of PDN also the tags of the library, and the game without them.
 * @param {House} house
 * @param {PageRequest} request
 */
async function facts(house, request) {
  const openings = await openingsOf(house),
    games = [];
  for (const each of request.objects("games", MOST_GAMES)) {
    const game = await gameOf(each),
      tags = takeTags(game),
      pdn = each.has("pdn") && {pdn: writeGame(game)};
    games.push({facts: factsOf(game, openings), tags, ...pdn});
  }
  return {games};
}

/** A game that is kept as PDN, as a document. @param {House} _house @param {PageRequest} request */
const opened = async (_house, request) => ({document: gameDocument(await gameOf(request))});

/**
 * Games as one PDN text, each with more tags, {tags: {Folder: ...}}.
 * @param {House} _house
 * @param {PageRequest} request
 */
async function written(_house, request) {
  const results = request.choice("results", RESULT_CONVENTIONS, "english"),
    texts = [];
  for (const each of request.objects("games", MOST_GAMES)) {
    const game = await gameOf(each),
      tags = each.object("tags");
    writable(game);
    for (const name of KEPT_TAGS) if (tags.has(name)) game.headers.set(name, tags.text(name, 1000));
    texts.push(writeGame(game, {results}));
  }
  return {pdn: texts.join("")};
}

export const ROUTES = {"library/facts": facts, "library/open": opened, "library/pdn": written};
