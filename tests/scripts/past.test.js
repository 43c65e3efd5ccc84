import assert from "node:assert/strict";
import {test} from "node:test";
import {unfinishedOf} from "../../kr/page/static/analyse/past.js";

const START = "B:W21,22:B1,2";

/** @param {string} id @param {{moves?: number, over?: object | null, side?: string}} [facts] */
const game = (id, {moves = 1, over = null, side = "black"} = {}) => ({
  id,
  settings: {level: 3, side, ballot: "", clock: ""},
  over,
  document: {
    headers: {},
    start: START,
    nodes: Array.from({length: moves + 1}, () => ({fen: `after ${id}`, parent: null})),
  },
});
const OVER = {result: "1-0", winner: "black", reason: "resignation"};

/** A browser that keeps some games of Play, the last one first. */
function store(/** @type {ReturnType<typeof game>[]} */ games) {
  /** @type {Record<string, any>} */
  const all = {games: games.map(({id}) => id)};
  for (const each of games) all[`game-${each.id}`] = {game: each, casual: true, time: null};
  return {
    kept: (/** @type {string} */ name, /** @type {any} */ otherwise = null) => all[name] ?? otherwise,
    keep: () => true,
  };
}

test("the last game that is not over goes on, from the side of its person", () => {
  for (const each of [store([]), store([game("a", {moves: 0})])]) assert.equal(unfinishedOf(each), null);
  assert.deepEqual(unfinishedOf(store([game("a", {over: OVER}), game("b", {moves: 3, side: "white"}), game("c")])), {
    id: "b",
    fen: "after b",
    isFlipped: false,
    words: "kr, level 3 (learner) – You, after 3 moves",
  });
});
