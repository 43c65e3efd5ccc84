// Endings to practise: random positions of a chosen material with a wanted value and difficulty.
//
// A win is as difficult as it is long, if its distance is known: easy up to EASY_PLIES, hard from HARD_PLIES. A draw,
// and a win of unknown length, is as difficult as its right moves are rare: easy if at least half of the legal moves
// keep the value, hard if a single one does. Those that people lose most are a list of kr/page/data.py.

import {exactMoves} from "./exact.js";
import {flipped} from "./frame.js";
import {Draws} from "./play/draws.js";
import {BLACK, Position} from "./rules.js";

/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./house.js").DatabasePort} DatabasePort */
/** @typedef {import("./house.js").Shape} Shape */
/** @typedef {[pieces: number, kings: number | null]} Pieces of a side, with any number of kings if that is null */

/** For people by what they play, and by how rare right moves are. */
export const FOR_PEOPLE = "people";
export const DIFFICULTIES = ["any", "easy", "medium", "hard", FOR_PEOPLE];
const EASY_PLIES = 9,
  HARD_PLIES = 23;
/** Positions drawn of each shape: first a few, then many if none of them fits. */
const SAMPLES = [1 << 12, 1 << 17];
/** Positions whose difficulty is measured at once. */
const LOT = 100;

/** The shapes of a material. @param {Pieces} own of the side to move @param {Pieces} other @returns {Shape[]} */
export function material(own, other) {
  const kings = (/** @type {Pieces} */ [pieces, count]) =>
    count === null ? Array.from({length: pieces + 1}, (_, each) => each) : [count];
  return kings(own).flatMap(ownKings =>
    kings(other).map(otherKings => ({
      men: own[0] - ownKings,
      kings: ownKings,
      otherMen: other[0] - otherKings,
      otherKings,
    })),
  );
}

/**
 * A random position of these shapes with a choice of quiet moves, and its distance; null if no drawn one fits. Each
 * shape is as likely as the others. At least one move of a drawn position loses. The same seed gives the same position.
 * @param {DatabasePort} database
 * @param {readonly Shape[]} shapes
 * @param {Value} goal its value for `side`, which is to move
 * @param {string} difficulty
 * @param {number} side
 * @param {number} seed
 * @returns {Promise<{position: Position, distance: number | null} | null>}
 */
export async function findExercise(database, shapes, goal, difficulty, side, seed) {
  const chance = new Draws(String(seed)),
    order = shapes
      .map(shape => ({shape, place: chance.random()}))
      .sort((a, b) => a.place - b.place)
      .map(({shape}) => shape);
  for (const count of SAMPLES)
    for (const shape of order) {
      const drawn = await database.draw({...shape, value: goal, count, seed: chance.below(2 ** 53)});
      for (let start = 0; start < drawn.length; start += LOT) {
        const lot = drawn.slice(start, start + LOT),
          moves = await Promise.all(lot.map(each => exactMoves(database, each))),
          place = moves.findIndex(each => isWanted(each, goal, difficulty));
        if (place < 0) continue;
        const [{distance}] = moves[place];
        return {position: side === BLACK ? lot[place] : flipped(lot[place]), distance};
      }
    }
  return null;
}

/**
 * One of the draws that people lose most, null if none of these shapes is known.
 * @param {Record<string, string[]>} draws by the digits of shapes, with Black to move
 * @param {readonly Shape[]} shapes
 * @param {number} side
 * @param {number} seed
 */
export function hardDraw(draws, shapes, side, seed) {
  const chance = new Draws(String(seed)),
    lists = shapes.flatMap(
      ({men, kings, otherMen, otherKings}) => draws[`${men}${kings}${otherMen}${otherKings}`] ?? [],
    );
  if (!lists.length) return null;
  const position = Position.fromFen(chance.choice(lists));
  return {position: side === BLACK ? position : flipped(position), distance: null};
}

/** @param {import("./exact.js").ExactMove[]} moves @param {Value} goal @param {string} difficulty */
function isWanted(moves, goal, difficulty) {
  const keeping = moves.filter(each => each.value === goal).length;
  if (moves.length < 2 || (goal === "draw" && keeping === moves.length)) return false;
  if (difficulty === "any") return true;
  const distance = goal === "win" ? moves[0].distance : null,
    grade =
      distance !== null
        ? graded(distance <= EASY_PLIES, distance >= HARD_PLIES)
        : graded(2 * keeping >= moves.length, keeping === 1);
  return grade === difficulty;
}

/** @param {boolean} easy @param {boolean} hard */
const graded = (easy, hard) => (hard ? "hard" : easy ? "easy" : "medium");
