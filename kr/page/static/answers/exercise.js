// Endings to practise: random positions of a chosen material with a wanted value and difficulty (kr/egdb/exercise.py).
//
// A win is as difficult as it is long, if its distance is known. A draw, and a win of unknown length, is as difficult
// as its right moves are rare: easy if at least half of the legal moves keep the value, hard if a single one does.

import {exactMoves} from "./exact.js";
import {flipped} from "./frame.js";
import {BLACK_KING_ROW, SQUARES, WHITE_KING_ROW} from "./notation.js";
import {Draws} from "./play/draws.js";
import {BLACK, Position} from "./rules.js";

/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./weighing.js").Database} Database */
/** @typedef {[men: number, kings: number, otherMen: number, otherKings: number]} Shape "other" are the opponent's */
/** @typedef {[pieces: number, kings: number | null]} Pieces of a side, with any number of kings if that is null */

export const DIFFICULTIES = ["any", "easy", "medium", "hard"];
export const EASY_PLIES = 9,
  HARD_PLIES = 23;
/** Positions drawn of each material: first a few, then many if none of them fits. */
const SAMPLES = [1 << 12, 1 << 17];
/** Positions whose values are asked for at once. */
const LOT = 1 << 9;
/** Most positions of the wanted value whose difficulty is measured, of each sample. */
const MOST_LOOKED_AT = 300;

/** The shapes of a material. @param {Pieces} own of the side to move @param {Pieces} other @returns {Shape[]} */
export function material(own, other) {
  const kings = (/** @type {Pieces} */ [pieces, count]) =>
    count === null ? Array.from({length: pieces + 1}, (_, each) => each) : [count];
  return kings(own).flatMap(ownKings =>
    kings(other).map(
      otherKings => /** @type {Shape} */ ([own[0] - ownKings, ownKings, other[0] - otherKings, otherKings]),
    ),
  );
}

/**
 * A random position of these shapes with a choice of quiet moves; null if no drawn one fits. Each shape is as likely as
 * the others. At least one move of a drawn position loses. The same seed gives the same position.
 * @param {Database} database
 * @param {readonly Shape[]} shapes
 * @param {Value} goal its value for `side`, which is to move
 * @param {string} difficulty
 * @param {number} side
 * @param {number} seed
 */
export async function findExercise(database, shapes, goal, difficulty, side, seed) {
  const chance = new Draws(String(seed)),
    order = shapes
      .map(shape => ({shape, place: chance.random()}))
      .sort((a, b) => a.place - b.place)
      .map(({shape}) => shape);
  for (const count of SAMPLES)
    for (const shape of order) {
      let lookedAt = 0;
      for (let left = count; left > 0 && lookedAt < MOST_LOOKED_AT; left -= LOT) {
        const fits = await withValue(database, drawn(shape, Math.min(left, LOT), chance), goal),
          looked = fits.slice(0, MOST_LOOKED_AT - lookedAt),
          wanted = await Promise.all(looked.map(each => isWanted(database, each, goal, difficulty))),
          found = looked[wanted.indexOf(true)];
        if (found) return side === BLACK ? found : flipped(found);
        lookedAt += looked.length;
      }
    }
  return null;
}

/** Those that have a value. @param {Database} database @param {Position[]} positions @param {Value} value */
async function withValue(database, positions, value) {
  const found = await database.look(positions);
  return positions.filter((_, index) => found[index].value === value);
}

/**
 * Different positions of a shape with Black to move and no capture, among so many random ones.
 * @param {Shape} shape
 * @param {number} count
 * @param {Draws} chance
 */
function drawn([men, kings, otherMen, otherKings], count, chance) {
  /** @type {Map<string, Position>} */
  const found = new Map();
  for (let i = 0; i < count; i++) {
    const black = placed(chance, men, BLACK_KING_ROW),
      white = placed(chance, otherMen, black | WHITE_KING_ROW),
      blackKings = placed(chance, kings, black | white),
      whiteKings = placed(chance, otherKings, black | white | blackKings);
    const position = new Position(black | blackKings, white | whiteKings, blackKings | whiteKings, BLACK);
    if (!found.has(position.key) && !position.entries.some(each => each.captured)) found.set(position.key, position);
  }
  return [...found.values()];
}

/** Random squares that aren't taken, as a set. @param {Draws} chance @param {number} count @param {number} taken */
function placed(chance, count, taken) {
  let squares = 0;
  while (count) {
    const square = 1 << chance.below(SQUARES);
    if ((squares | taken) & square) continue;
    squares |= square;
    count--;
  }
  return squares;
}

/**
 * @param {Database} database
 * @param {Position} position
 * @param {Value} goal
 * @param {string} difficulty
 */
async function isWanted(database, position, goal, difficulty) {
  const moves = await exactMoves(database, position),
    keeping = moves.filter(each => each.value === goal).length;
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
