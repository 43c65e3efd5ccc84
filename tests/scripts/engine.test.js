// The engine of the page without a server: who gets a turn, and what is told of a search that gave way.

import assert from "node:assert/strict";
import {test} from "node:test";
import {Deaf, Engine} from "../../kr/page/static/answers/engine.js";
import {Stopped} from "../../kr/page/static/answers/news.js";
import {Position} from "../../kr/page/static/answers/rules.js";
import {KrError} from "../../kr/page/static/answers/text.js";

/** @typedef {import("../../kr/page/static/answers/kr.js").Result} Result */

const START = new Position();
const soon = () => new Promise(resolve => setImmediate(resolve));
/** @param {number} depth @param {number} nodes @returns {Result} */
const result = (depth, nodes) => ({
  depth,
  nodes,
  seconds: nodes / 100,
  value: null,
  lines: [{depth, score: depth, moves: START.legalMoves().slice(0, 1)}],
});

/** A thread whose answers the test gives. */
class Thread {
  constructor() {
    /** @type {{message: any, hear: (told: any) => void, answer: (found: any) => void, fail: (error: Error) => void}[]} */
    this.asked = [];
    this.stops = 0;
    this.isClosed = false;
  }

  /** @param {any} message @param {any} [hear] */
  ask(message, hear) {
    return new Promise((resolve, reject) => this.asked.push({message, hear, answer: resolve, fail: reject}));
  }

  stop() {
    this.stops++;
  }

  close() {
    this.isClosed = true;
  }

  get last() {
    return this.asked[this.asked.length - 1];
  }
}

function made() {
  const thread = new Thread();
  return {thread, engine: new Engine(async () => thread, 0)};
}

test("searches wait for each other, in turn", async () => {
  const {thread, engine} = made(),
    first = engine.search({position: START, limits: {nodes: 1}}),
    second = engine.search({position: START, limits: {nodes: 2}});
  await soon();
  assert.equal(thread.asked.length, 1);
  assert.ok(engine.isBusy);
  thread.last.answer(result(1, 1));
  assert.equal((await first).depth, 1);
  await soon();
  assert.equal(thread.last.message.search.limits.nodes, 2);
  thread.last.answer(result(2, 2));
  assert.equal((await second).score, 2);
  assert.equal(thread.stops, 0);
});

test("a patient search gives way, and goes on with what is left of its limits", async () => {
  const {thread, engine} = made(),
    /** @type {number[][]} */ told = [];
  const patient = engine.search({
    position: START,
    limits: {nodes: 1000, seconds: 50},
    patient: true,
    fresh: true,
    onLines: ({depth, nodes}) => told.push([depth, nodes]),
  });
  await soon();
  assert.equal(engine.isBusy, false);
  thread.last.hear({lines: result(5, 50)});
  const score = engine.evaluate(START);
  await soon();
  assert.equal(thread.stops, 1);
  thread.last.answer(result(6, 100));
  await soon();
  assert.ok(thread.last.message.evaluate);
  thread.last.answer({score: 7});
  assert.deepEqual(await score, {score: 7});
  await soon();
  const {search} = thread.last.message;
  assert.deepEqual([search.limits, search.fresh], [{nodes: 900, seconds: 49}, false]);
  // it begins again at the first ply, of which nobody hears
  thread.last.hear({lines: result(1, 1)});
  thread.last.hear({lines: result(7, 200)});
  thread.last.answer(result(8, 300));
  const {depth, nodes, seconds} = await patient;
  assert.deepEqual([depth, nodes, seconds], [8, 400, 4]);
  assert.deepEqual(told, [
    [5, 50],
    [6, 100],
    [7, 300],
  ]);
});

test("the background gives way to whatever somebody waits for, and has its share beside what goes on", async t => {
  t.mock.timers.enable({apis: ["setTimeout"]});
  const {thread, engine} = made(),
    kinds = () => thread.asked.map(({message: {search, evaluate}}) => (evaluate ? "score" : search.memory)),
    background = engine.borrow({background: true}),
    judged = background.search({position: START, limits: {nodes: 1000}, fresh: true}),
    next = background.search({position: START, limits: {nodes: 500}});
  await soon();
  const watched = new AbortController(),
    analysis = engine.search({position: START, limits: {}, patient: true, signal: watched.signal});
  await soon();
  // an analysis that begins comes first, though others have waited longer
  assert.equal(thread.stops, 1);
  thread.last.answer(result(3, 400));
  await soon();
  assert.deepEqual(kinds(), ["background", "usual"]);
  // one that goes on shares
  t.mock.timers.tick(999);
  assert.equal(thread.stops, 1);
  t.mock.timers.tick(1);
  await soon();
  assert.equal(thread.stops, 2);
  thread.last.answer(result(9, 5000));
  await soon();
  assert.deepEqual(thread.last.message.search.limits, {nodes: 500});
  // what is short goes before all
  const score = engine.evaluate(START);
  await soon();
  assert.equal(thread.stops, 3);
  thread.last.answer(result(2, 100));
  await soon();
  thread.last.answer({score: 7});
  await score;
  await soon();
  assert.deepEqual(kinds(), ["background", "usual", "background", "score", "background"]);
  assert.deepEqual(thread.last.message.search.limits, {nodes: 600});
  thread.last.answer(result(4, 600));
  assert.equal((await judged).nodes, 1000);
  watched.abort();
  await soon();
  thread.last.answer(result(10, 6000));
  await analysis;
  await soon();
  thread.last.answer(result(4, 400));
  assert.equal((await next).nodes, 500);
});

test("a signal ends a search: one that waits at once, one that runs when it answers", async () => {
  const {thread, engine} = made(),
    [running, waiting] = [new AbortController(), new AbortController()],
    first = engine.search({position: START, limits: {}, signal: running.signal}),
    second = engine.search({position: START, limits: {}, signal: waiting.signal});
  await soon();
  waiting.abort();
  assert.deepEqual((await second).lines, []);
  running.abort();
  await soon();
  assert.equal(thread.stops, 1);
  // what comes after the end is not told
  thread.last.answer(result(3, 30));
  assert.equal((await first).depth, 3);
  await soon();
  assert.equal(thread.asked.length, 1);
});

test("one that was ended before it began asks nothing", async () => {
  const {thread, engine} = made(),
    signal = AbortSignal.abort(),
    found = await engine.search({position: START, limits: {}, signal});
  assert.deepEqual([found.lines, found.move, thread.asked.length], [[], undefined, 0]);
});

test("a thread that has failed is begun anew by the next one who asks", async () => {
  /** @type {Thread[]} */
  const threads = [];
  const engine = new Engine(async () => {
    threads.push(new Thread());
    return threads[threads.length - 1];
  });
  const failing = engine.search({position: START, limits: {}});
  await soon();
  threads[0].last.fail(new Error("gone"));
  await assert.rejects(failing, /gone/);
  const next = engine.search({position: START, limits: {}});
  await soon();
  assert.deepEqual([threads.length, threads[0].isClosed], [2, true]);
  threads[1].last.answer(result(1, 1));
  assert.equal((await next).depth, 1);
});

test("a bad request is no failure of the thread", async () => {
  const {thread, engine} = made(),
    bad = engine.search({position: START, limits: {}});
  await soon();
  thread.last.fail(new KrError("no"));
  await assert.rejects(bad, /no/);
  const next = engine.evaluate(START);
  await soon();
  thread.last.answer({score: 1});
  assert.deepEqual([await next, thread.isClosed], [{score: 1}, false]);
});

test("a thread that doesn't start is tried again", async () => {
  let tries = 0;
  const thread = new Thread(),
    engine = new Engine(async () => {
      if (++tries === 1) throw new Error("no files");
      return thread;
    });
  await assert.rejects(engine.search({position: START, limits: {}}), /no files/);
  const next = engine.evaluate(START);
  await soon();
  thread.last.answer({score: 2});
  assert.deepEqual(await next, {score: 2});
});

test("a search goes on in another thread if the first didn't hear that it should give way", async () => {
  /** @type {Thread[]} */
  const threads = [];
  const engine = new Engine(async () => {
    threads.push(new Thread());
    return threads[threads.length - 1];
  }, 0);
  const patient = engine.search({position: START, limits: {depth: 9}, patient: true});
  await soon();
  threads[0].last.hear({lines: result(4, 40)});
  const score = engine.evaluate(START);
  await soon();
  threads[0].last.fail(new Deaf());
  await soon();
  threads[1].last.answer({score: 3});
  assert.deepEqual(await score, {score: 3});
  await soon();
  threads[1].last.answer(result(9, 90));
  assert.equal((await patient).depth, 9);
  // and one that nobody wants any more ends with what it had
  const ending = new AbortController(),
    ended = engine.search({position: START, limits: {}, patient: true, signal: ending.signal});
  await soon();
  threads[1].last.hear({lines: result(2, 20)});
  ending.abort();
  threads[1].last.fail(new Deaf());
  assert.equal((await ended).depth, 2);
});

test("a patient search waits until others have had no more to ask for a while", async () => {
  const thread = new Thread(),
    engine = new Engine(async () => thread, 20),
    patient = engine.search({position: START, limits: {}, patient: true});
  await soon();
  for (let i = 0; i < 3; i++) {
    const score = engine.evaluate(START);
    await soon();
    if (thread.last.message.search) {
      thread.last.answer(result(1, 1));
      await soon();
    }
    thread.last.answer({score: i});
    assert.deepEqual(await score, {score: i});
  }
  assert.deepEqual([thread.stops, thread.asked.length], [1, 4]);
  await new Promise(resolve => setTimeout(resolve, 60));
  thread.last.answer(result(9, 9));
  assert.equal((await patient).depth, 9);
});

test("a proof waits for its turn, tells how far it is, and ends with its signal", async () => {
  const {thread, engine} = made(),
    ending = new AbortController(),
    /** @type {any[]} */ told = [];
  const search = engine.search({position: START, limits: {nodes: 1}});
  await soon();
  const message = {prove: {seconds: 9}},
    onWaiting = () => told.push("waits"),
    proof = engine.prove(message, {signal: ending.signal, onWaiting}, ({proof: state}) => told.push(state));
  thread.last.answer(result(1, 1));
  await search;
  await soon();
  assert.equal(thread.last.message.prove.seconds, 9);
  thread.last.hear({proof: "a state"});
  assert.deepEqual(told, ["waits", "a state"]);
  ending.abort();
  await soon();
  assert.equal(thread.stops, 1);
  thread.last.answer({});
  await assert.rejects(proof, Stopped);
  // one that never had its turn
  const later = engine.prove(message, {signal: AbortSignal.abort(), onWaiting});
  await assert.rejects(later, Stopped);
});
