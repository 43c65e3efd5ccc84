import assert from "node:assert/strict";
import {test} from "node:test";
import {pastOf} from "../../kr/page/static/analyse/past.js";

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

/** A browser that keeps some games of Play, the last one first, and some of Analyse. */
function store(/** @type {ReturnType<typeof game>[]} */ games, /** @type {unknown} */ recent = null) {
  /** @type {Record<string, any>} */
  const all = {games: games.map(({id}) => id), recent};
  for (const each of games) all[`game-${each.id}`] = {game: each, casual: true, time: null};
  return {
    kept: (/** @type {string} */ name, /** @type {any} */ otherwise = null) => all[name] ?? otherwise,
    keep: () => true,
  };
}

test("a first visit has no past, nor have games without a move and what is no game", () => {
  for (const each of [store([]), store([game("a", {moves: 0})]), store([], "x"), store([], [null, {document: {}}])])
    assert.deepEqual(pastOf(each), {unfinished: null, last: []});
});

test("the last game that is not over goes on, from the side of its person; games come in their order", () => {
  const recent = {document: {headers: {Black: "Ann", White: "Bob"}, nodes: [{parent: null}, {parent: 0}]}, path: [0]},
    {unfinished, last} = pastOf(
      store([game("a", {over: OVER}), game("b", {moves: 3, side: "white"}), game("c")], [recent]),
    );
  assert.deepEqual(unfinished, {
    id: "b",
    fen: "after b",
    isFlipped: false,
    words: "kr, level 3 (learner) – You, after 3 moves",
  });
  assert.deepEqual(last, [
    {name: "Ann – Bob", moves: 1, game: recent},
    {name: "You – kr, level 3 (learner)", moves: 1, address: "play/a"},
  ]);
});
