// The opening book: what it says of a position, and where a game leaves it. tests/cases/book.json holds what it has in
// common with kr/book/book.py and kr/book/path.py.

import {said} from "../texts.js";
import {leastGames} from "./krb.js";
import {openingsOf} from "./openings.js";
import {moveJson, sideName} from "./rules.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./house.js").BookPort} BookPort */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */
/**
 * cooked: people play it most, and the best one is clearly better, also by deeper searches.
 * @typedef {{move: Move, value: number | null, depth: number, weight: number, cooked: boolean}} KnownMove
 */
/** @typedef {{ply: number, side: number, move: Move, best: KnownMove, loss: number | null}} Departure */

/** Centi-men by which a move that left the book was worse than its best, so that it is told. */
export const COOK = 15;
/** Centi-men: moves that are worse than the best by no more may be played instead of it. */
export const VARIETY = 4;

/**
 * The move that a book plays, one of those that are about as good as the best; null without one. A move that people
 * play often comes more often; one back to an earlier position of the game is left to a search.
 * @param {BookPort} book
 * @param {Position} position
 * @param {readonly Position[]} history
 * @param {Pick<import("./play/draws.js").Draws, "weighted">} source
 * @returns {Promise<(KnownMove & {value: number}) | null>}
 */
export async function choiceOf(book, position, history, source) {
  /** @type {(KnownMove & {value: number})[]} */
  const moves = [],
    [known] = await book.look([position]);
  for (const {value, ...rest} of known) if (value !== null) moves.push({value, ...rest});
  const near = moves.filter(each => moves[0].value - each.value <= VARIETY);
  if (!near.length) return null;
  const choice = near[source.weighted(near.map(each => 2 ** each.weight))],
    after = position.after(choice.move);
  return history.some(each => each.equals(after)) ? null : choice;
}

/**
 * What is said of a move from the book, its value in men: "book, +0.03, 64 games or more".
 * @param {number} value
 * @param {number} weight
 */
export function bookNote(value, weight) {
  const number = `${value < 0 ? "" : "+"}${(value / 100).toFixed(2)}`;
  if (!weight) return said({say: "book.move", with: {number}});
  return said({say: "book.games", with: {number, count: leastGames(weight)}});
}

/** Centi-men that a move gives away; null if they aren't known. @param {KnownMove} best @param {KnownMove} move */
const lossOf = (best, move) => (best.value === null || move.value === null ? null : best.value - move.value);

/** @param {House} house @param {PageRequest} request */
async function bookRows(house, request) {
  const position = request.position(),
    [book, openings] = await Promise.all([house.book(), openingsOf(house)]),
    [known] = book ? await book.look([position]) : [[]],
    favourite = known.find(each => each.cooked);
  /** @type {Map<string, {move: Move, after: Position, told: object | null}>} */
  const rows = new Map();
  for (const each of known) {
    const {move, value, depth, weight} = each,
      after = position.after(move);
    rows.set(after.key, {move, after, told: {value, loss: lossOf(known[0], each), depth, games: leastGames(weight)}});
  }
  for (const move of position.legalMoves()) {
    // captures by several paths to one position are one move
    const after = position.after(move);
    if (!rows.has(after.key)) rows.set(after.key, {move, after, told: null});
  }
  return {
    fen: position.fen,
    side: sideName(position.side),
    opening: openings.nameAt(position),
    book: book !== null,
    cook: favourite ? String(known[0].move) : null,
    cooked: favourite ? String(favourite.move) : null,
    moves: [...rows.values()].map(({move, after, told}) => ({
      ...moveJson(move),
      fen: after.fen,
      opening: openings.nameAt(after),
      book: told,
    })),
  };
}

/**
 * The way of a game through a book: moves from positions that it has, and the first of them that it would not play.
 * @param {readonly Position[]} positions
 * @param {readonly Move[]} moves
 * @param {BookPort | null} book
 * @param {number} given moves at its beginning that the players did not choose
 * @returns {Promise<{plies: number, departure: Departure | null}>}
 */
export async function bookPath(positions, moves, book, given) {
  /** @type {Departure | null} */
  let departure = null;
  const all = book ? await book.look(positions.slice(0, moves.length)) : [];
  for (const [ply, move] of moves.entries()) {
    const position = positions[ply],
      known = all[ply] ?? [];
    if (!known.length || known[0].value === null) return {plies: ply, departure};
    if (!departure && ply >= given) departure = departureOf(ply, position, move, known);
  }
  return {plies: moves.length, departure};
}

/**
 * @param {number} ply
 * @param {Position} position
 * @param {Move} move
 * @param {KnownMove[]} known
 * @returns {Departure | null}
 */
function departureOf(ply, position, move, known) {
  const after = position.after(move),
    played = known.find(each => position.after(each.move).equals(after)),
    loss = played ? lossOf(known[0], played) : null;
  return loss !== null && loss < COOK ? null : {ply, side: position.side, move, best: known[0], loss};
}

/** @param {House} house @param {PageRequest} request */
async function pathOfGame(house, request) {
  const board = request.board(),
    [book, openings] = await Promise.all([house.book(), openingsOf(house)]),
    {ballot, ply} = openings.ballotOf(board.positions),
    {plies, departure} = await bookPath(board.positions, board.moves, book, ballot ? ply : 0);
  return {
    plies,
    left: departure && {
      ply: departure.ply,
      side: sideName(departure.side),
      move: String(departure.move),
      best: String(departure.best.move),
      value: departure.best.value,
      loss: departure.loss,
    },
  };
}

export const ROUTES = {"book/moves": bookRows, "book/path": pathOfGame};
