import assert from "node:assert/strict";
import {test} from "node:test";
import {playerOf} from "../../kr/page/static/answers/play/players.js";
import {Position} from "../../kr/page/static/answers/rules.js";

test("another program's engine is found by its name at each move", async () => {
  let engines = ["a", "b"];
  /** @type {number[]} */
  const asked = [];
  const position = Position.fromFen("B:W21,22:B11,12"),
    found = {move: position.legalMoves()[0], score: 0, depth: 1, nodes: 1, seconds: 0};
  const search = async (/** @type {{engine: number}} */ {engine}) => {
    asked.push(engine);
    return found;
  };
  const house = /** @type {any} */ ({data: async () => ({engines}), engine: {search}});
  const player = await playerOf(house, "engine:1,a"),
    task = {position, history: [], limits: {}, signal: new AbortController().signal};
  await player?.search(task);
  engines = ["c", "b", "a"];
  await player?.search(task);
  assert.deepEqual(asked, [1, 3]);
  engines = ["c"];
  await assert.rejects(async () => player?.search(task), /the engine a is not here/);
});
