// Openings by number or name, and the names of lines. What only searches need is loaded with the first of them.

import {begun, NAMED, openingsOf} from "./openings.js";
import {LONGEST_FEN, LONGEST_LINE} from "./request.js";
import {lineJson, Position} from "./rules.js";
import {KrError} from "./text.js";

/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {{data: (name: string) => Promise<any>}} House */

/** Openings that one search gives. */
const MOST_OPENINGS = 40;
/** @type {Record<string, string>} */
const DECK_TITLES = {"3move": "Three-move ballot", "11man": "11-man ballot"};
const SEARCHED = [...Object.keys(DECK_TITLES), NAMED];

/**
 * The names that a game comes to, each more specific than the one before, and its three-move ballot.
 * @param {House} house
 * @param {PageRequest} request
 */
async function lineNames(house, request) {
  const {Replay} = await import("./pdn/replay.js");
  const fen = request.text("start", LONGEST_FEN, ""),
    start = fen ? Position.fromFen(fen) : new Position(),
    replay = new Replay(start, request.texts("moves", LONGEST_LINE, 100, []));
  if (replay.error) throw replay.error;
  const openings = await openingsOf(house),
    {ballot, ply} = openings.ballotOf(replay.boards);
  return {
    names: openings.namesOf(replay.boards),
    ballot: ballot && {number: ballot.number, name: ballot.name, ply},
  };
}

/**
 * Openings of a deck whose number, name or moves match a text; all of them in order without one.
 * @param {House} house
 * @param {PageRequest} request
 */
async function findOpenings(house, request) {
  const name = request.choice("deck", SEARCHED),
    wanted = request.text("wanted", 100, "");
  const {searched} = await import("./opening_search.js"),
    {openings, meant} = searched(await openingsOf(house), name, wanted);
  return {openings: openings.slice(0, MOST_OPENINGS), found: openings.length, meant};
}

/** An opening as a start and its moves, by deck and number. @param {House} house @param {PageRequest} request */
async function openingMoves(house, request) {
  const name = request.choice("deck", SEARCHED),
    openings = await openingsOf(house),
    all = openings.deck(name, false),
    number = request.number("number", 1, all.length),
    {start, moves} = begun(all[number - 1]);
  const title = name in DECK_TITLES ? `${DECK_TITLES[name]} ${number}` : "",
    named = openings.nameAt(all[number - 1].position);
  return {start: start.fen, moves: lineJson(start, moves), title: [title, named].filter(Boolean).join(": ")};
}

/**
 * The game that a text of moves from the start tells, in the form of openingMoves; null for other texts.
 * @param {House} house
 * @param {PageRequest} request
 */
async function lineOfText(house, request) {
  const text = request.text("wanted", 400),
    {wordsOf} = await import("./opening_search.js"),
    start = new Position(),
    positions = [start],
    /** @type {import("./rules.js").Move[]} */
    moves = [];
  for (const word of wordsOf(text).split(" ").filter(Boolean)) {
    const at = positions[positions.length - 1];
    try {
      moves.push(at.parseMove(word));
    } catch (error) {
      if (error instanceof KrError) return {line: null};
      throw error;
    }
    positions.push(at.play(moves[moves.length - 1]));
  }
  if (!moves.length) return {line: null};
  const reached = (await openingsOf(house)).nameOf(positions);
  return {line: {start: start.fen, moves: lineJson(start, moves), title: reached?.name ?? ""}};
}

export const ROUTES = {
  openings: findOpenings,
  opening: openingMoves,
  "openings/names": lineNames,
  "openings/line": lineOfText,
};
