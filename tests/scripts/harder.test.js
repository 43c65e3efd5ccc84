// Draws that are harder for people: tests/test_page_endings.py reads the recorded cases.

import assert from "node:assert/strict";
import {test} from "node:test";
import {harderDraw, harderFirst} from "../../kr/page/static/answers/harder.js";
import {exactMoves} from "../../kr/page/static/answers/exact.js";
import {Game} from "../../kr/page/static/answers/pdn/tree.js";
import {withPeople} from "../../kr/page/static/answers/review/people.js";
import {Position} from "../../kr/page/static/answers/rules.js";

/** @typedef {import("../../kr/page/static/answers/rules.js").Move} Move */

/** All is drawn, but for an answer that loses. @param {Position} start @param {string} move @param {number} answer */
function losing(start, move, answer) {
  const after = start.play(start.parseMove(move)),
    lost = after.play(after.legalMoves()[answer]);
  /** @type {any} */
  const database = {
    has: () => true,
    look: async (/** @type {Position[]} */ positions) =>
      positions.map(each => ({value: each.equals(lost) ? "win" : "draw", distance: null})),
  };
  return database;
}

/** What people play: the last legal move with a probability. @param {number} share @returns {any} */
const people = share => ({
  async moves(/** @type {Position[]} */ positions) {
    const moves = /** @type {Position} */ (positions.at(-1)).legalMoves();
    return moves.map((move, i) => ({move, probability: i === moves.length - 1 ? share : (1 - share) / moves.length}));
  },
});

test("another draw is a missed chance where people often lose after it and not after the one played", async () => {
  const start = Position.fromFen("W:WK15,K32:BK17,20"),
    database = losing(start, "32-27", -1 + start.play(start.parseMove("32-27")).legalMoves().length),
    found = async (/** @type {string} */ played, /** @type {number} */ share) =>
      String(await harderDraw(database, people(share), [start], start.parseMove(played)));
  assert.equal(await found("15-18", 0.03), "32-27");
  assert.equal(await found("15-18", 0.02), "null");
  assert.equal(await found("32-27", 0.5), "null");
  // where the game can be claimed drawn nobody loses
  const after = start.play(start.parseMove("32-27"));
  assert.equal(await harderDraw(database, people(0.5), [after, start, after, start], start.parseMove("15-18")), null);
  const {moves, isOrdered} = await harderFirst(database, people(0.1), [start], await exactMoves(database, start));
  assert.deepEqual([String(moves[0].move), isOrdered], ["32-27", true]);
  // what was not tested is not told
  const many = Position.fromFen("W:WK15,K32,K31:BK17,20,K1"),
    there = losing(many, "32-27", 0);
  assert.equal(await harderDraw(there, people(1), [many], many.parseMove("15-18")), null);
  assert.equal((await harderFirst(there, people(1), [many], await exactMoves(there, many))).isOrdered, false);
});

test("no chance is missed by who wins after it", async () => {
  const start = Position.fromFen("W:WK15,K32:BK17,20"),
    database = losing(start, "32-27", -1 + start.play(start.parseMove("32-27")).legalMoves().length),
    moves = [start.parseMove("15-18")];
  moves.push(start.play(moves[0]).legalMoves()[0]);
  const told = async (/** @type {string} */ result, /** @type {string} */ answer) => {
    /** @type {any} */
    const judged = moves.map((move, ply) => ({ply, move, side: 1 - ply, value: ply ? answer : "draw", mark: ""})),
      found = await withPeople(
        new Game([], start, moves, result),
        judged,
        people(0.5),
        /** @type {any} */ ({}),
        database,
      );
    return found[0].harder && String(found[0].harder);
  };
  assert.equal(await told("1/2-1/2", "draw"), "32-27");
  assert.equal(await told("0-1", "draw"), null);
  assert.equal(await told("*", "loss"), null);
  assert.equal(await told("1-0", "win"), "32-27");
});
