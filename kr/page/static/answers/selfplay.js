// What kr's games against itself came to, by the moves of their openings (kr/page/data.py).
//
// selfplay/moves {fen} -> {games, nodes, total, moves}: the games that there are in all, and nodes of a move in them;
// the results of those that came to the position and went on, and those behind each of its moves by the FEN after it

import {numberedMoves} from "./frame.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {{games: number, black: number, draws: number, white: number}} Results */
/** @typedef {{games: number, nodes: number, total: Results, moves: Record<string, Results>}} SelfPlay */

/** Numbers of a move. */
const FIELDS = 4;

/** @param {number[]} parts @returns {Results} */
const results = ([black, draws, white]) => ({games: black + draws + white, black, draws, white});

/** @param {House} house @param {PageRequest} request @returns {Promise<SelfPlay>} */
async function movesOf(house, request) {
  const position = request.position(),
    {games, nodes, positions} = await house.data("self-play"),
    /** @type {number[]} */
    row = positions[position.key] ?? [],
    legal = row.length ? numberedMoves(position) : [],
    sums = [0, 0, 0],
    /** @type {Record<string, Results>} */
    moves = {};
  for (let at = 0; at < row.length; at += FIELDS) {
    const parts = row.slice(at + 1, at + FIELDS);
    for (const [i, part] of parts.entries()) sums[i] += part;
    moves[position.after(legal[row[at]]).fen] = results(parts);
  }
  return {games, nodes, total: results(sums), moves};
}

export const ROUTES = {"selfplay/moves": movesOf};
