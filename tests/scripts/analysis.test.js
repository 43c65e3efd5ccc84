// Analysis in the page, by an engine that says what the tests have it say; and the engine of a server, lent by streams.

import assert from "node:assert/strict";
import {test} from "node:test";
import {events, Messages} from "../../kr/page/static/answers/answers.js";
import {House} from "../../kr/page/static/answers/house.js";
import {RemoteEngine} from "../../kr/page/static/answers/native/engine.js";
import {Position} from "../../kr/page/static/answers/rules.js";
import {bitsOf} from "../../kr/page/static/answers/wire.js";
import {scoring} from "../../kr/page/static/explorer/stream.js";

const START = new Position();
const [MOVE, OTHER] = START.legalMoves();
const found = {depth: 5, nodes: 100, seconds: 0.1, value: null};
const soon = () => new Promise(resolve => setImmediate(resolve));

/**
 * All events of an analysis of the start.
 * @param {{asked?: object, search?: (search: any) => Promise<any>, certificates?: any}} given
 */
async function analysed({asked = {}, search, certificates = null}) {
  const house = new House({
    loadJson: async () => ({version: "1", name: "tables", chances: {scale: 100, draw_share: 0.93}, engines: ["scan"]}),
    openDatabase: async () => null,
    openCertificates: async () => certificates,
    openBook: async () => null,
    engine: /** @type {any} */ ({
      prepare: async () => {},
      search: search ?? (async () => ({...found, lines: [{score: 100, moves: [MOVE]}]})),
    }),
  });
  const told = [];
  const stream = events(house, "analysis", {start: START.fen, ...asked}, new Messages());
  for await (const event of stream) told.push(event);
  return told;
}

test("values by certificates come first, with their names", async () => {
  const after = START.after(MOVE).key,
    nothing = {value: null, excludes: null, certificates: []};
  /** @param {Position[]} positions */
  const look = async positions =>
    positions.map(({key}) =>
      key === after
        ? {value: "loss", excludes: null, certificates: ["a"]}
        : key === START.key
          ? {value: null, excludes: "loss", certificates: ["b"]}
          : nothing,
    );
  const [{exact}, {lines}] = await analysed({certificates: {look}});
  assert.deepEqual(
    {
      ...exact,
      moves: exact.moves.map((/** @type {any} */ {text, value, plies, certificates}) => ({
        text,
        value,
        plies,
        certificates,
      })),
    },
    {
      value: null,
      plies: null,
      excludes: "loss",
      certificates: ["b"],
      moves: [{text: String(MOVE), value: "win", plies: null, certificates: ["a"]}],
    },
  );
  // what is proved counts for the line too
  assert.deepEqual([lines[0].value, lines[0].score, lines[0].chances], ["win", 28001, [1, 0, 0]]);
  assert.deepEqual((await analysed({}))[0], {exact: null});
});

test("another program has its name, and no chances but those of what is proved", async () => {
  const lines = [
    {score: 100, moves: [MOVE]},
    {score: -29990, moves: [OTHER]},
  ];
  const search = async (/** @type {any} */ {onWaiting, onProgress, engine}) => {
    assert.equal(engine, 1);
    onWaiting();
    await soon();
    onProgress({seconds: 2});
    await new Promise(resolve => setTimeout(resolve, 120));
    return {...found, lines, name: "scan 3", hash: null};
  };
  const [, waiting, progress, last] = await analysed({asked: {engine: 1, lines: 2}, search});
  assert.deepEqual(waiting, {waiting: true});
  assert.deepEqual(progress, {progress: {time: 2}});
  assert.deepEqual([last.engine, last.hash, last.final], ["scan 3", null, true]);
  assert.deepEqual(
    last.lines.map((/** @type {any} */ {chances}) => chances),
    [null, [0, 0, 1]],
  );
  await assert.rejects(analysed({asked: {engine: 2}}), /engine is not a whole number from 0 to 1/);
});

test("scores of all moves: those of lines, and that the others are worse", () => {
  const scores = scoring(["9-14", "9-13"]),
    line = {score: 12, value: null, plies: null};
  assert.equal(scores({progress: {}}), null);
  const worse = {score: null, depth: 7, worse: true},
    told = {"9-14": {...line, depth: 7}, "9-13": worse};
  assert.deepEqual(scores({depth: 7, lines: [{...line, pv: [{text: "9-14"}]}]}), told);
  // a line that stays is told without its moves
  assert.deepEqual(scores({depth: 7, lines: [line]}), told);
  const exact = {moves: [{text: "9-13", value: "win", plies: 3, certificates: ["a"]}]};
  assert.deepEqual(scores({exact}), {"9-13": {score: null, value: "win", plies: 3}});
});

/** A server whose streams the test speaks for. */
function serving() {
  /** @type {{args: any, hear: (event: any) => void, said: any[], stopped: boolean}[]} */
  const streams = [];
  const engine = new RemoteEngine({
    api: async () => ({}),
    live(what, args, hear) {
      assert.equal(what, "search");
      const stream = {args, hear, said: /** @type {any[]} */ ([]), stopped: false};
      streams.push(stream);
      return {say: said => stream.said.push(said), stop: () => (stream.stopped = true)};
    },
  });
  return {engine, streams};
}

const told = {...found, lines: [{score: 3, moves: [MOVE]}], name: "kr", hash: 1};

test("a search of a server is one stream, which its signal ends with what was found", async () => {
  const {engine, streams} = serving(),
    ending = new AbortController();
  /** @type {any[]} */
  const heard = [];
  const {signal} = ending,
    result = engine.search({position: START, limits: {}, signal, onLines: lines => heard.push(lines.depth)});
  const [{args, hear, said}] = streams;
  assert.deepEqual(args, {
    engine: 0,
    generation: null,
    small: false,
    background: false,
    database: true,
    more: false,
    searches: [{positions: [bitsOf(START)], limits: {}, lines: 1, fresh: false, watched: true}],
  });
  hear({turn: true});
  hear({...told, final: false});
  ending.abort();
  assert.deepEqual(said, [{stop: true}]);
  hear({...told, final: true});
  hear({end: true});
  assert.deepEqual([(await result).score, heard], [3, [5]]);
});

test("searches of a loan go together, and end in their turn", async () => {
  const {engine, streams} = serving(),
    loan = engine.borrow({}),
    king = Position.fromFen("W:WK6:BK3"),
    next = king.after(king.legalMoves()[0]);
  const both = Promise.all([
    loan.search({position: START, limits: {depth: 5}, fresh: true}),
    // positions that can't come back are left out
    loan.search({position: next, history: [START, king], limits: {nodes: 9}}),
  ]);
  await soon();
  const [{args, hear, said}] = streams;
  assert.deepEqual([args.more, args.searches], [true, []]);
  assert.deepEqual(
    said.map(({searches}) => searches.map((/** @type {any} */ {positions, fresh}) => [positions.length, fresh])),
    [
      [
        [1, true],
        [2, false],
      ],
    ],
  );
  hear({turn: true});
  await loan.turn;
  hear({...told, final: true});
  hear({final: true});
  assert.deepEqual(
    (await both).map(({score, move}) => [score, String(move)]),
    [
      [3, String(MOVE)],
      [0, "undefined"],
    ],
  );
  loan.end();
  assert.ok(streams[0].stopped);
});

test("a server gets no more searches than it takes, however many are asked for", async () => {
  const {engine, streams} = serving(),
    loan = engine.borrow({}),
    searches = [];
  for (let nodes = 1; nodes <= 130; nodes++) {
    searches.push(loan.search({position: START, limits: {nodes}}));
    await Promise.resolve();
  }
  await soon();
  const [{hear, said}] = streams,
    sent = () => said.flatMap(each => each.searches.map((/** @type {any} */ {limits}) => limits.nodes));
  assert.ok(said.length <= 40, String(said.length));
  for (let done = 0; done < 130; done++) {
    assert.ok(sent().length > done && sent().length - done <= 40);
    hear({...told, final: true});
  }
  await Promise.all(searches);
  assert.deepEqual(
    sent(),
    Array.from({length: 130}, (_, index) => index + 1),
  );
});

test("a server that is lost is told of by each search", async () => {
  const {engine, streams} = serving(),
    loan = engine.borrow({}),
    searches = [1, 2].map(nodes => loan.search({position: START, limits: {nodes}}));
  streams[0].hear({error: "gone", lost: true});
  for (const each of [...searches, loan.turn]) await assert.rejects(each, {message: "gone", lost: true});
});
