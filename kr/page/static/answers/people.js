// Moves that people play in a position, with their probabilities by the shipped policy. A request may have `before`, up
// to two positions before it, oldest first, and `group`: the mover's, 0 for the strongest players.

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
    choices = position.isOver ? [] : await house.engine.people([...before, position], group);
  return {
    fen: position.fen,
    policy,
    groups,
    moves: choices.map(({move, probability}) => ({
      ...moveJson(move),
      fen: position.after(move).fen,
      people: Number(probability.toFixed(4)),
    })),
  };
}

export const ROUTES = {people: peopleMoves};
