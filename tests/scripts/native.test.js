// What a server has: of its database what is asked for together is one request, and nothing is asked for twice; of its
// engines lines as they tell them.

import assert from "node:assert/strict";
import test from "node:test";

import {Dispatcher, Messages} from "../../kr/page/static/answers/answers.js";
import {House} from "../../kr/page/static/answers/house.js";
import {RemoteDatabase} from "../../kr/page/static/answers/native/database.js";
import {RemoteEngine} from "../../kr/page/static/answers/native/engine.js";
import {RemoteFiles} from "../../kr/page/static/answers/native/files.js";
import {PageRequest} from "../../kr/page/static/answers/request.js";
import {Position} from "../../kr/page/static/answers/rules.js";
import {LIVE} from "../../kr/page/static/answers/searches.js";

const REACH = {pieces: 4, classes: ["3v2"], distancePieces: 4, reach: "up to 4 pieces, and 3v2"};
/** A king against kings. @param {number} black @param {number} white */
const kings = (black, white) => new Position(black, white >>> 0, (black | white) >>> 0, 0);
const POSITIONS = Array.from({length: 31}, (_, square) => kings(1, 2 << square));

/** A server that knows squares of White's king for distances. @param {object | null} database */
function made(database = REACH) {
  /** @type {number[]} */
  const sizes = [];
  const server = {
    fails: false,
    async api(/** @type {string} */ path, /** @type {any} */ {positions} = {}) {
      if (path === "port/database") return {database};
      sizes.push(positions.length);
      if (server.fails) throw new Error("lost");
      return {known: positions.map((/** @type {number[]} */ [, white]) => ({value: "win", distance: white}))};
    },
    live: () => ({say() {}, stop() {}}),
  };
  return {server, sizes};
}

test("what is asked for in one turn is one request", async () => {
  const {server, sizes} = made(),
    database = await RemoteDatabase.open(server);
  const [first, second] = await Promise.all([
    database.look(POSITIONS.slice(0, 3)),
    database.look(POSITIONS.slice(2, 5)),
  ]);
  assert.deepEqual(
    [...first, ...second].map(each => each.distance),
    [2, 4, 8, 8, 16, 32],
  );
  assert.deepEqual(sizes, [5]);
  await database.look(POSITIONS.slice(0, 5));
  assert.deepEqual(sizes, [5]);
});

test("more than a request takes is asked for in several", async () => {
  const {server, sizes} = made(),
    database = await RemoteDatabase.open(server),
    many = POSITIONS.flatMap(({white}) =>
      POSITIONS.flatMap(({white: one}) =>
        one === white ? [] : [kings(one, white), kings(one | 1, white), kings(one, white | 1)],
      ),
    );
  await database.look(many);
  assert.deepEqual(sizes, [2000, 790]);
});

test("what failed is asked for again", async () => {
  const {server, sizes} = made(),
    database = await RemoteDatabase.open(server);
  server.fails = true;
  await assert.rejects(database.look(POSITIONS), /lost/);
  server.fails = false;
  assert.equal((await database.look(POSITIONS)).length, POSITIONS.length);
  assert.deepEqual(sizes, [31, 31]);
});

test("classes of more pieces, and a server without a database", async () => {
  const database = await RemoteDatabase.open(made().server);
  const known = [
    [2, 2],
    [2, 3],
    [3, 2],
    [4, 1],
    [3, 3],
  ];
  assert.deepEqual(
    known.map(([own, other]) => database.hasClass(own, other)),
    [true, true, true, false, false],
  );
  assert.equal(await RemoteDatabase.open(made(null).server), null);
});

test("each line of an engine has the depth that the engine gave it", async () => {
  const moves = new Position().legalMoves(),
    lines = [9, 7].map((depth, rank) => ({depth, score: 10 - rank, moves: [moves[rank]]}));
  /** @type {import("../../kr/page/static/messenger.js").Answering} */
  const server = {
    api: async () => ({name: "shipped", engines: ["other"], scale: 100}),
    live(_what, _args, hear) {
      const result = {depth: 9, lines, nodes: 1, seconds: 1, value: null, name: "other", hash: null};
      queueMicrotask(() => [{turn: true}, {...result, final: true}, {end: true}].forEach(hear));
      return {say() {}, stop() {}};
    },
  };
  const house = new House({
    loadJson: name => server.api(name),
    openDatabase: async () => null,
    openBook: async () => null,
    engine: new RemoteEngine(server),
  });
  const asked = {start: new Position().fen, engine: 1, lines: 2};
  /** @type {any[]} */
  const told = [];
  for await (const event of LIVE.analysis(house, new PageRequest(asked), new Messages())) told.push(event);
  const {depth, lines: shown, engine} = told[1];
  assert.deepEqual([depth, engine, told.length], [9, "other", 2]);
  const depths = shown.flatMap((/** @type {any} */ line) => [line.depth, line.score]);
  assert.deepEqual(depths, [9, 10, 7, 9]);
});

test("why a server has not answered reaches the page as it is", async () => {
  const failure = {error: "No such file or directory", lost: true};
  /** @type {import("../../kr/page/static/messenger.js").Answering} */
  const server = {
    api: async () => ({files: [{name: "a.pdn", stamp: ""}], mark: ""}),
    live(_what, _args, hear) {
      queueMicrotask(() => hear(failure));
      return {say() {}, stop() {}};
    },
  };
  const house = new House({
    loadJson: async () => ({name: "shipped", scale: 100}),
    openDatabase: async () => null,
    openBook: async () => null,
    engine: new RemoteEngine(server),
    files: new RemoteFiles(server),
  });
  for (const asked of [
    {ask: "games/list", body: {file: 1}},
    {open: "analysis", args: {start: new Position().fen}},
  ]) {
    /** @type {any} */
    const {error, lost} = await new Promise(resolve =>
      new Dispatcher(house, message => "event" in message || resolve(message)).take({id: 1, ...asked}),
    );
    assert.deepEqual({error, lost}, failure);
  }
});
