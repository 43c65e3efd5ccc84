// What decided a game, by the database or by the pieces, and the ending that is worth playing again.

import assert from "node:assert/strict";
import {test} from "node:test";
import "./texts.js";

import {decidedWords, endingToPlay} from "../../kr/page/static/play/decided.js";

/**
 * Nodes of a game: the position, then moves with the positions after them.
 * @param {string} start
 * @param {...string[]} moves
 * @returns {any[]}
 */
const game = (start, ...moves) => [{fen: start, text: ""}, ...moves.map(([text, fen]) => ({text, fen}))];

const ENDING = game(
  "B:WK18,K22:BK5",
  ["5-1", "W:WK18,K22:BK1"],
  ["18-15", "B:WK15,K22:BK1"],
  ["1-6", "W:WK15,K22:BK6"],
  ["22-18", "B:WK15,K18:BK6"],
);

test("the move that changed the value last decided the game", () => {
  const values = /** @type {any} */ (["draw", "draw", "draw", "win", "loss"]);
  assert.equal(decidedWords(ENDING, values, "white"), "2. 1-6 lost a drawn ending.");
  // a win that was let go
  assert.equal(decidedWords(ENDING, ["draw", "win", "draw", "draw", "draw"], null), "1... 18-15 gave a win away.");
  // resigned too early, or agreed too early
  assert.equal(decidedWords(ENDING, ["loss", "win", "loss", "win", "draw"], "white"), "The last position was a draw.");
  assert.equal(
    decidedWords(ENDING, ["draw", "draw", "draw", "draw", "win"], null),
    "The last position was won for Black.",
  );
});

test("what is not known is not told", () => {
  const none = ENDING.map(() => null);
  assert.equal(decidedWords(ENDING, none, null), "");
  // ahead from the beginning
  assert.equal(decidedWords(ENDING, none, "white"), "");
  // the value after the last one that differs is not known: the move need not be at fault
  assert.equal(decidedWords(ENDING, ["draw", null, null, "win", "loss"], "white"), "");
  // drawn all the way
  assert.equal(decidedWords(ENDING, ["draw", "draw", "draw", "draw", "draw"], null), "");
});

test("else the pieces tell, but not amid an exchange", () => {
  const moves = [
    ["11-15", "W:W18,19,24:B8,12,15"],
    ["19x10", "B:W10,18,24:B8,12"],
    ["8-11", "W:W10,18,24:B11,12"],
    ["18-14", "B:W10,14,24:B11,12"],
  ];
  const lost = game("B:W18,19,24:B8,11,12", ...moves),
    none = lost.map(() => null);
  assert.equal(decidedWords(lost, none, "white"), "From 1... 19x10 on White was ahead in pieces.");
  assert.equal(decidedWords(lost, none, "black"), "");
  // a piece that was taken at once in return
  const even = game("B:W18,19,24:B8,11,12", moves[0], moves[1], ["8x15", "W:W18,24:B12,15"]);
  assert.equal(
    decidedWords(
      even,
      even.map(() => null),
      "white",
    ),
    "",
  );
});

test("the ending to play again is where it was thrown away, else the first that can be won or held", () => {
  const values = /** @type {any} */ (["draw", "draw", "draw", "win", "loss"]);
  assert.deepEqual(endingToPlay(ENDING, values, "white", "black"), {goal: "draw", fen: ENDING[2].fen});
  assert.deepEqual(endingToPlay(ENDING, values, "white", "white"), {goal: "draw", fen: ENDING[1].fen});
  assert.equal(endingToPlay(ENDING, ["loss", "win", "loss", "win", "loss"], "white", "black"), null);
  assert.equal(
    endingToPlay(
      ENDING,
      ENDING.map(() => null),
      "white",
      "black",
    ),
    null,
  );
});
