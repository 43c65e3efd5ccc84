// A move of a puzzle that nothing published and no database judges: by a search of the position after it, and what two
// searches say of its value.

import assert from "node:assert/strict";
import {test} from "node:test";

import {chancesBy} from "../../kr/page/static/answers/chances.js";
import {Puzzle} from "../../kr/page/static/answers/puzzle.js";
import {Board, Position} from "../../kr/page/static/answers/rules.js";

const FEN = "W:WK22,27,30:BK9,20,21",
  [PUBLISHED, PLAYED] = ["27-23", "30-26"];
const EVEN = chancesBy(0.2, 0.6, 0.2);

/** @type {[guess: any, expected: number, kept: boolean | null][]} by searches of the position after the move */
const CASES = [
  [{value: "loss", chance: 0.96, composed: false}, 0.5, true],
  [{value: "draw", chance: 0.96, composed: false}, 0.5, null],
  [{value: "loss", chance: 0.94, composed: true}, 0.5, null],
  [{value: "loss", chance: null, composed: false}, 0.5, null],
  // the opponent expects more than after the published move
  [{value: "loss", chance: 0.96, composed: false}, 0.7, false],
];

for (const [guess, expected, kept] of CASES)
  test(`a move after which the opponent expects ${expected} and two searches say ${JSON.stringify(guess)}`, async () => {
    const start = Position.fromFen(FEN),
      after = start.play(start.parseMove(PLAYED)),
      asked = /** @type {string[]} */ ([]);
    /** @type {any} */
    const search = async (/** @type {Position} */ position) => {
      asked.push(position.fen);
      const chances = position.equals(after) ? {...EVEN, expected} : EVEN;
      return {
        task: {position, history: []},
        lines: [{pv: [position.legalMoves()[0]], score: 0, chances, value: null}],
        value: null,
        draw: "",
      };
    };
    const problem = /** @type {any} */ ({fen: FEN, result: "W-win", solution: PUBLISHED}),
      terms = {given_away: 0.15, plain_plies: 3, plain_lead: 2, win_moves: 10, draw_moves: 8, most_moves: 20},
      puzzle = await new Puzzle(
        problem,
        terms,
        async () => null,
        search,
        async () => guess,
      ).prepare(),
      board = new Board(start);
    board.play(start.parseMove(PLAYED));
    const verdict = await puzzle.judge(board);
    assert.deepEqual([verdict.keeps, verdict.by], [kept, "search"]);
    // the value rests on a second search, after the opponent's best answer
    const answered = after.after(after.legalMoves()[0]).fen;
    assert.equal(asked.includes(answered), kept !== false);
  });
