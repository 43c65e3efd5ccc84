// Reasons for a hint: pieces that a line wins, and what the alternative gives up.

import assert from "node:assert/strict";
import test from "node:test";

import {gainOf, hintJson} from "../../kr/page/static/answers/hints.js";
import {Position} from "../../kr/page/static/answers/rules.js";

/** What tells why the alternative is worse: a man is lost. @type {any} */
const COACH = {
  mistake: 0.15,
  chances: {of: (/** @type {number} */ score) => ({expected: 0.5 + score / 400})},
  port: {facts: async () => [{kind: "loses", better: false, plies: 2, count: 1, square: -1, origin: -1}]},
  search: async () => [],
};

/** The moves of a line. @param {Position} position @param {string} line */
function movesOf(position, line) {
  let at = position;
  return line.split(" ").map(text => {
    const move = at.parseMove(text);
    at = at.play(move);
    return move;
  });
}

/** @type {[fen: string, line: string, gain: {pieces: number, plies: number} | null][]} */
const GAINS = [
  ["B:W18,26,30:B14", "14x23 26x19", null],
  ["B:W18,26,30:B14,1,2", "14x23 26x19", null],
  ["B:W18,25,32:B14,1", "14x23 32-28", {pieces: 1, plies: 1}],
  ["B:W22,26,32:B14,1", "14-18 22x15", {pieces: -1, plies: 2}],
  // nothing is counted before the exchange is over
  ["B:W18,26,30,32:B14,1,2", "14x23 26x19 1-6 32-28", null],
];

test("gains are counted where no capture is due", () => {
  for (const [fen, line, gain] of GAINS) {
    const position = Position.fromFen(fen);
    assert.deepEqual(gainOf(position, movesOf(position, line)), gain, `${fen} ${line}`);
  }
});

test("a hint tells what the alternative loses", async () => {
  // 6-10 crowns nothing, but keeps the man that 6-9 gives away
  const position = Position.fromFen("B:W13,32:B6,28"),
    lines = [
      {score: 20, moves: movesOf(position, "6-10 13-9")},
      {score: -90, moves: movesOf(position, "6-9 13x6")},
    ];
  const {text, forced, line, crowned, other} = await hintJson(position, lines, null, COACH);
  assert.deepEqual([text, forced, line.map(each => each.text), crowned], ["6-10", undefined, ["6-10", "13-9"], null]);
  assert.deepEqual([other?.text, other?.gain, other?.value], ["6-9", {pieces: -1, plies: 2}, null]);
  assert.deepEqual(other?.why, [{say: "why.loses", with: {line: "6-9 13x6", count: 1}}]);
  // as long as it gives away as much as a mistake
  const near = lines.map((each, i) => ({...each, score: i ? -30 : 20}));
  assert.deepEqual((await hintJson(position, near, null, COACH)).other?.why, []);
});

test("a forced move, and a line seen to its end", async () => {
  const position = Position.fromFen("B:W18:B14"),
    {forced, other, plies} = await hintJson(position, [{score: 29999, moves: movesOf(position, "14x23")}], null, COACH);
  assert.deepEqual([forced, other, plies], [true, null, 1]);
});
