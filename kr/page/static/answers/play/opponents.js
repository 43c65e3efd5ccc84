// Opponents: a level of kr, the policy of what people play, or another person at the same board (kr/web/opponents.py).

import {BLACK, WHITE} from "../rules.js";
import {KrError} from "../text.js";

/** @typedef {import("../house.js").House} House */
/** @typedef {import("../request.js").PageRequest} PageRequest */
/** @typedef {import("./levels.js").Level} Level */

/**
 * What kr/page/data.py makes of the levels; told: as `levels` tells of them.
 * @typedef {{told: object[], levels: Level[]}} LevelsData
 */

export const HUMAN = "human";
export const SPEC_TAGS = ["BlackPlayer", "WhitePlayer"];
const LEVEL = /^shipped,level=([0-9]{1,2}),seed=([0-9]{1,18})$/;
const PEOPLE = /^policy:shipped,temperature=1,seed=([0-9]{1,18})$/;
/** In place of a level: the policy. */
const PEOPLE_LEVEL = 0;
/** People who play each other at one board. */
const AT_ONE_BOARD = 2;

/** @param {House} house @returns {Promise<LevelsData>} */
const levelsData = house => house.data("levels");

/** The levels, and people, with a line on each. Evolved players aren't here. @param {House} house */
export async function levels(house) {
  return {levels: (await levelsData(house)).told, generations: []};
}

/**
 * Opponent of a request, as the text of a player without its seed; HUMAN for two people at one board.
 * @param {House} house
 * @param {PageRequest} request
 */
export async function opponentFromRequest(house, request) {
  if (request.has("people")) {
    request.number("people", AT_ONE_BOARD, AT_ONE_BOARD);
    return HUMAN;
  }
  if (request.has("generation")) throw new KrError("evolved players don't play in this page: choose a level");
  const level = request.number("level", PEOPLE_LEVEL, (await levelsData(house)).levels.length);
  return level === PEOPLE_LEVEL ? "policy:shipped,temperature=1" : `shipped,level=${level}`;
}

/**
 * The person's side, and the `level` of the other; of two people at one board, null and their number.
 * @param {ReadonlyMap<string, string>} headers
 * @returns {{you: number | null, opponent: {level: number} | {people: number}}}
 */
export function seatsOf(headers) {
  const specs = SPEC_TAGS.map(tag => headers.get(tag) ?? "");
  if (specs.every(spec => spec === HUMAN)) return {you: null, opponent: {people: AT_ONE_BOARD}};
  for (const side of [BLACK, WHITE]) {
    if (specs[side] !== HUMAN) continue;
    const level = LEVEL.exec(specs[1 - side]);
    if (level) return {you: side, opponent: {level: Number(level[1])}};
    if (PEOPLE.test(specs[1 - side])) return {you: side, opponent: {level: PEOPLE_LEVEL}};
  }
  throw new KrError("that is not a game of two people, or of a person against a level of kr");
}

/**
 * What a player's text says: the level, null for people, and the seed.
 * @param {House} house
 * @param {string} spec as `seatsOf` has found it
 * @returns {Promise<{level: Level | null, seed: string}>}
 */
export async function strengthOf(house, spec) {
  const [, number, seed] = LEVEL.exec(spec) ?? [];
  if (!number) return {level: null, seed: PEOPLE.exec(spec)?.[1] ?? ""};
  const known = (await levelsData(house)).levels,
    level = known.find(each => each.number === Number(number));
  if (!level) throw new KrError(`level: ${Number(number)} is out of range; expected 1 to ${known.length}`);
  return {level, seed};
}

/** Name of a player: "human", "kr level 5", "people, temperature 1". @param {string} spec */
export const shownName = spec =>
  spec
    .replace(/,seed=[0-9]+$/, "")
    .replace(/^policy:shipped/, "people")
    .replace(",temperature=", ", temperature ")
    .replace(/^shipped/, "kr")
    .replace(",level=", " level ");
