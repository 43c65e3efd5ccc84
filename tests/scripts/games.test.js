import assert from "node:assert/strict";
import {test} from "node:test";
import * as state from "../../kr/page/static/files/state.js";

/**
 * A game of some moves.
 * @param {string} black
 * @param {number} [moves]
 * @returns {import("../../kr/page/static/files/state.js").Stored}
 */
const game = (black, moves = 1) => ({
  document: {
    headers: black ? {Black: black, Date: "1901.??.??"} : {},
    start: "B",
    result: "*",
    nodes: Array.from({length: moves + 1}, (_, i) => ({parent: i ? i - 1 : null, fen: `${i}`})),
  },
  path: [0],
});
const names = (/** @type {state.OpenGames} */ games) =>
  games
    .names()
    .map(({name, current}) => (current ? `[${name}]` : name))
    .join(" ");

test("what games are called", () => {
  assert.equal(state.nameOf({Black: "Ann", White: "?", Date: "1901.05.??"}), "Ann – ? 1901");
  assert.equal(state.nameOf({Event: "Old Faithful"}), "Old Faithful");
  assert.equal(state.nameOf({Site: "x", Event: "?"}), "");
  assert.equal(state.dated("1901.05.??"), "1901.05");
});

test("games open beside each other, and one's own stays", () => {
  const games = new state.OpenGames(game(""));
  const first = games.open(game("Ann"), "a:1");
  games.open(game("Bob"), "a:2");
  assert.equal(names(games), "My game Ann – ? 1901 [Bob – ? 1901]");
  // one that is open already is gone to
  games.open(game("Ann"), "a:1");
  assert.equal(names(games), "My game [Ann – ? 1901] Bob – ? 1901");
  games.close(first.id);
  assert.equal(names(games), "[My game] Bob – ? 1901");
  games.close(games.current.id);
  assert.equal(names(games), "[My game] Bob – ? 1901");
});

test("many games are never open at once, and one's own is not among those that go", () => {
  const games = new state.OpenGames(game(""));
  for (let i = 0; i < 30; i++) games.open(game(`P${i}`), `a:${i}`);
  assert.equal(games.list.length, 12);
  assert.ok(names(games).startsWith("My game P19 "));
  assert.ok(names(games).endsWith("[P29 – ? 1901]"));
});

test("open games outlive the page, and rubbish is not taken for them", () => {
  const games = new state.OpenGames(game(""));
  games.open(game("Ann"), "a:1");
  games.open(game("Bob"), "a:2");
  games.go(games.list[1].id);
  const again = new state.OpenGames(game("other"));
  assert.ok(again.restore(JSON.parse(JSON.stringify(games.state()))));
  assert.equal(names(again), names(games));
  assert.deepEqual(
    again.list.map(each => each.from),
    ["", "a:1", "a:2"],
  );
  // what an earlier kr has saved
  assert.ok(again.restore(game("Zoe")));
  assert.equal(names(again), "[Zoe – ? 1901]");
  for (const rubbish of [null, 7, {}, {document: {}, path: []}, {...game("x"), path: "0"}]) {
    assert.equal(again.restore(rubbish), false);
  }
  assert.ok(again.restore({...game("Eve"), place: 99, beside: [{}, null, game("Dan")]}));
  assert.equal(names(again), "Dan – ? 1901 [Eve – ? 1901]");
});

test("the moves of a game are those that were played, not its variations", () => {
  const nodes = [null, 0, 1, 0, 2, 1, 5].map(parent => ({parent}));
  assert.deepEqual([state.movesOf(nodes), state.movesOf([{parent: null}])], [3, 0]);
});

test("lists are narrowed by words, and say how much there is", () => {
  const row = {event: "Glasgow", black: "Ann", white: "Bob", date: "1901", result: "1-0", moves: 3, number: 1};
  assert.equal(state.matching([row, {...row, black: "Eve"}], "ann glas").length, 1);
  const answer = {found: 2, read: 2500, whole: true, left_out: 0};
  assert.equal(state.listWords("a.pdn", answer, false), "a.pdn: 2,500 games");
  assert.equal(state.listWords("a.pdn", {...answer, left_out: 3}, false), "a.pdn: 2,500 games, 3 can't be read");
  assert.equal(state.listWords("a.pdn", {...answer, whole: false}, true), "a.pdn: 2 of 2,500 games so far");
});
