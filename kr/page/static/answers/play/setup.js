// The setup of a game: players, start, opening and clocks.

import {stripped} from "../blanks.js";
import {looksLikeFen} from "../notation.js";
import {begun, openingsOf} from "../openings.js";
import {LONGEST_FEN} from "../request.js";
import {BLACK, Position, WHITE} from "../rules.js";
import {refusal} from "../text.js";
import {clockFromText} from "./clock.js";
import {Draws} from "./draws.js";
import {HUMAN, opponentFromRequest, SPEC_TAGS} from "./opponents.js";

/** @typedef {import("../house.js").House} House */
/** @typedef {import("../openings.js").Openings} Openings */
/** @typedef {import("../request.js").PageRequest} PageRequest */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("./clock.js").TimeControl} TimeControl */

/**
 * @typedef {object} Setup
 * @property {string[]} specs players of Black and White: HUMAN or a player's text
 * @property {TimeControl | null} control
 * @property {[string, string][]} headers with which the game can be gone on with
 */
/**
 * line: moves that are not chosen at the board; names: of two people
 * @typedef {Setup & {start: Position, line: Move[], names: string[]}} NewSetup
 */

export const CONTROL_TAG = "TimeControl",
  ENGINE_CONTROL_TAG = "EngineTimeControl";
const SEED_TAG = "Seed";
export const SETUP_TAGS = [...SPEC_TAGS, CONTROL_TAG, ENGINE_CONTROL_TAG, SEED_TAG];
const SIDES = new Map([
    ["black", BLACK],
    ["white", WHITE],
  ]),
  RANDOM = "random";
const DECKS_OFFERED = ["3move", "11man"];
const NUMBER = / [0-9]{1,4}$/;
const MOST_SEED = 1_000_000;
const LONGEST_CLOCK = 40,
  LONGEST_PERSON = 40;

/** @param {House} house */
const newSeed = house => String(Math.floor(house.random() * MOST_SEED) + 1);

/**
 * The setup of a new game, as a page asks for it.
 * @param {House} house
 * @param {PageRequest} request
 * @returns {Promise<NewSetup>}
 */
export async function newSetup(house, request) {
  const side = request.has("people") ? "" : request.choice("side", [...SIDES.keys(), RANDOM], "black"),
    names = request.texts("names", SPEC_TAGS.length, LONGEST_PERSON, []),
    seed = newSeed(house),
    spec = await opponentFromRequest(house, request, seed),
    openings = await openingsOf(house),
    ballot = ballotOf(openings, request.text("ballot", LONGEST_FEN, "")),
    control = clockFromText(request.text("clock", LONGEST_CLOCK, "")),
    source = new Draws(seed);
  const {start, line, opening} = startOf(openings, ballot, source),
    you = side === RANDOM ? source.below(2) : SIDES.get(side);
  const specs = [BLACK, WHITE].map(each => (each === you ? HUMAN : spec));
  return {
    specs,
    control,
    start,
    line,
    names: spec === HUMAN ? names.map(name => stripped(name)) : [],
    headers: headersOf(specs, seed, control, opening),
  };
}

/**
 * The setup of a game that goes on.
 * @param {House} house
 * @param {ReadonlyMap<string, string>} headers
 * @returns {Setup}
 */
export function storedSetup(house, headers) {
  const specs = SPEC_TAGS.map(tag => headers.get(tag) ?? ""),
    control = clockFromText(headers.get(CONTROL_TAG) ?? ""),
    stored = headers.get(SEED_TAG) ?? "",
    seed = /^[0-9]{1,18}$/.test(stored) && Number(stored) ? String(BigInt(stored)) : newSeed(house);
  return {specs, control, headers: headersOf(specs, seed, control, "")};
}

/**
 * @param {string[]} specs
 * @param {string} seed
 * @param {TimeControl | null} control
 * @param {string} opening
 */
function headersOf(specs, seed, control, opening) {
  /** @type {[string, string][]} */
  const headers = [
    ...SPEC_TAGS.map((tag, side) => /** @type {[string, string]} */ ([tag, specs[side]])),
    [SEED_TAG, seed],
  ];
  if (control) headers.push([CONTROL_TAG, String(control)]);
  if (opening) headers.push(["Opening", opening]);
  return headers;
}

/**
 * The text of an opening, if there is such a one: a deck, a ballot, a name, or a FEN.
 * @param {Openings} openings
 * @param {string} text
 */
function ballotOf(openings, text) {
  const name = text.replace(NUMBER, "");
  return !text || DECKS_OFFERED.includes(name) || openings.linesNamed(name).length ? text : Position.fromFen(text).fen;
}

/**
 * @param {Openings} openings
 * @param {string} ballot
 * @param {Draws} source
 * @returns {{start: Position, line: Move[], opening: string}}
 */
function startOf(openings, ballot, source) {
  if (!ballot) return {start: new Position(), line: [], opening: ""};
  if (looksLikeFen(ballot)) {
    const start = Position.fromFen(ballot);
    if (start.isOver) throw refusal("{fen} has no legal move: a game can't begin there", {fen: start.fen});
    return {start, line: [], opening: ""};
  }
  const [number] = NUMBER.exec(ballot) ?? [],
    chosen = number
      ? numbered(openings, ballot.slice(0, -number.length), stripped(number))
      : source.choice(openings.deck(ballot));
  const {start, moves} = begun(chosen);
  return {start, line: moves, opening: chosen.moves ? `${chosen.name}: ${chosen.moves}` : chosen.name};
}

/**
 * Opening of a deck by its number, also one that is marked as lost or barred.
 * @param {Openings} openings
 * @param {string} name
 * @param {string} number
 */
function numbered(openings, name, number) {
  const deck = openings.deck(name, false),
    found = deck.find(each => String(each.number) === number);
  if (found) return found;
  throw refusal("{name} has no opening {number}; they are numbered 1 to {most}", {
    ...{name, number, most: String(deck.length)},
  });
}
