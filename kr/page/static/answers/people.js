// Moves that people play in a position, with their probabilities. A request may have `before`, up to two positions
// before it, oldest first, and `group`: the mover's, 0 for the strongest players; and of a move that was judged,
// `after`, the position that it leads to, and its `loss` of expected result. holds: a probability may be told as a
// number.

import {personsOf} from "./persons.js";
import {LONGEST_FEN} from "./request.js";
import {moveJson, Position} from "./rules.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */

const MOST_BEFORE = 2;

/** @param {House} house @param {PageRequest} request */
async function peopleMoves(house, request) {
  const {policy, groups} = await house.data("people"),
    position = request.position(),
    before = request.texts("before", MOST_BEFORE, LONGEST_FEN, []).map(Position.fromFen),
    group = groups && request.has("group") ? request.number("group", 0, groups - 1) : -1,
    persons = await personsOf(house),
    how = {group, judged: judgedOf(position, request)},
    choices = position.isOver ? [] : await persons.moves([...before, position], how);
  return {
    fen: position.fen,
    policy,
    groups,
    moves: choices.map(({move, probability, holds}) => ({
      ...moveJson(move),
      fen: position.after(move).fen,
      people: Number(probability.toFixed(4)),
      holds,
    })),
  };
}

/**
 * What the page knows of the losses of moves.
 * @param {Position} position
 * @param {PageRequest} request
 */
function judgedOf(position, request) {
  if (!request.has("after")) return null;
  const after = Position.fromFen(request.text("after", LONGEST_FEN)),
    move = position.legalMoves().find(each => position.play(each).equals(after));
  return move ? {move, loss: request.fraction("loss", 0, 1), others: 0} : null;
}

export const ROUTES = {people: peopleMoves};
