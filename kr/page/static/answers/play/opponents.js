// Opponents: a level of kr, the policy of what people play, an evolved player, the engine of another program, or
// another person at the same board.

import {BLACK, WHITE} from "../rules.js";
import {Refused} from "../text.js";

/** @typedef {import("../house.js").House} House */
/** @typedef {import("../request.js").PageRequest} PageRequest */
/** @typedef {import("./levels.js").Level} Level */

/**
 * What kr/page/data.py makes of the levels, and the server of evolved players.
 * @typedef {{levels: Level[], generations: number[]}} LevelsData
 */
/**
 * Who plays: a level of kr, perhaps for people's mistakes, or, in place of one, 0, the policy; two people; an evolved
 * player; another program, by its number among the engines and its name.
 * @typedef {{level: number, against?: true} | {people: number} | {generation: number} |
 *     {engine: number, program: string}} Opponent
 */

export const HUMAN = "human";
export const SPEC_TAGS = ["BlackPlayer", "WhitePlayer"];
const LEVEL = /^shipped,level=([0-9]{1,2})(,against=people)?,seed=([0-9]{1,18})$/;
const PEOPLE = /^policy:shipped,temperature=1,seed=([0-9]{1,18})$/;
const EVOLVED = /^evolved:shipped,generation=([0-9]{1,6})$/;
const PROGRAM = /^engine:([1-9][0-9]{0,2}),(.{1,200})$/;
/** In place of a level: the policy. */
const PEOPLE_LEVEL = 0;
/** People who play each other at one board. */
const AT_ONE_BOARD = 2;

/** @param {House} house @returns {Promise<LevelsData>} */
const levelsData = house => house.data("levels");

/** Names of other programs' engines; number 1 is the first. @param {House} house @returns {Promise<string[]>} */
const programs = async house => (await house.data("engine")).engines ?? [];

/** The levels, and who else there is. @param {House} house */
export async function levels(house) {
  return {...(await levelsData(house)), engines: await programs(house)};
}

/**
 * Opponent of a request, as the text of a player; HUMAN for two people at one board.
 * @param {House} house
 * @param {PageRequest} request
 * @param {string} seed
 */
export async function opponentFromRequest(house, request, seed) {
  if (request.has("people")) {
    request.number("people", AT_ONE_BOARD, AT_ONE_BOARD);
    return HUMAN;
  }
  const {levels: known, generations} = await levelsData(house);
  if (request.has("generation")) {
    const generation = request.number("generation", 0, 999_999);
    if (!generations.includes(generation)) throw new Refused("refused.no_generation", {number: generation});
    return `evolved:shipped,generation=${generation}`;
  }
  if (request.has("engine")) {
    const names = await programs(house);
    if (!names.length) throw new Refused("refused.no_engine");
    const engine = request.number("engine", 1, names.length);
    return `engine:${engine},${names[engine - 1]}`;
  }
  const level = request.number("level", PEOPLE_LEVEL, known.length),
    {database} = known.find(each => each.number === level) ?? {},
    against = database && request.flag("against") ? ",against=people" : "",
    player = level === PEOPLE_LEVEL ? "policy:shipped,temperature=1" : `shipped,level=${level}${against}`;
  return `${player},seed=${seed}`;
}

/**
 * What a player's text says; null if nobody plays by it here.
 * @param {string} spec
 * @returns {{opponent: Opponent, seed: string} | null}
 */
export function readSpec(spec) {
  const [, level, against, levelSeed] = LEVEL.exec(spec) ?? [],
    [, peopleSeed] = PEOPLE.exec(spec) ?? [],
    [, generation] = EVOLVED.exec(spec) ?? [],
    [, engine, program] = PROGRAM.exec(spec) ?? [];
  if (level) return {opponent: {level: Number(level), ...(against && {against: true})}, seed: levelSeed};
  if (peopleSeed) return {opponent: {level: PEOPLE_LEVEL}, seed: peopleSeed};
  if (generation) return {opponent: {generation: Number(generation)}, seed: ""};
  return engine ? {opponent: {engine: Number(engine), program}, seed: ""} : null;
}

/**
 * The person's side, and who the other is; of two people at one board, null and their number.
 * @param {ReadonlyMap<string, string>} headers
 * @returns {{you: number | null, opponent: Opponent}}
 */
export function seatsOf(headers) {
  const specs = SPEC_TAGS.map(tag => headers.get(tag) ?? "");
  if (specs.every(spec => spec === HUMAN)) return {you: null, opponent: {people: AT_ONE_BOARD}};
  for (const side of [BLACK, WHITE]) {
    const read = specs[side] === HUMAN ? readSpec(specs[1 - side]) : null;
    if (read) return {you: side, opponent: read.opponent};
  }
  throw new Refused("refused.no_opponent");
}

/**
 * A level by its number.
 * @param {House} house
 * @param {number} number
 */
export async function levelNumbered(house, number) {
  const {levels: known} = await levelsData(house),
    level = known.find(each => each.number === number);
  if (!level) throw new Refused("refused.no_level", {number, most: known.length});
  return level;
}

/**
 * The number that an engine has by now: the server may have been started with others.
 * @param {House} house
 * @param {number} number
 * @param {string} program
 */
export async function programNumber(house, number, program) {
  const names = await programs(house),
    now = names[number - 1] === program ? number : names.indexOf(program) + 1;
  if (!now) throw new Refused("refused.engine_gone", {name: program});
  return now;
}

/** Name of a player: "human", "kr level 5", "people, temperature 1", "evolved, generation 20". @param {string} spec */
export const shownName = spec =>
  spec
    .replace(/,seed=[0-9]+$/, "")
    .replace(/^policy:shipped/, "people")
    .replace(",temperature=", ", temperature ")
    .replace(/^shipped/, "kr")
    .replace(",level=", " level ")
    .replace(",against=people", " for mistakes")
    .replace(/^evolved:shipped,generation=/, "evolved, generation ")
    .replace(/^engine:[0-9]+,/, "");
