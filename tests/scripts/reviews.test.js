// Games that are reviewed in the background: one after another, each kept as it is done, whatever happens meanwhile.

import assert from "node:assert/strict";
import {test} from "node:test";
import {Reviews} from "../../kr/page/static/reviews/state.js";
import {Work, isReviewed} from "../../kr/page/static/reviews/work.js";

const soon = () => new Promise(resolve => setImmediate(resolve));

/** A document with some comments. @param {string[]} comments @param {string} [annotator] @returns {any} */
const game = (comments = [], annotator = "") => ({
  headers: annotator ? {Annotator: annotator} : {},
  start: "",
  result: "*",
  nodes: [{comments}, {comments: []}],
});
const judged = (/** @type {string} */ limit, best = " best") => ({
  ...game(["[%kr game exp=0.50]"], `Ann; kr 0.3.0 (${limit} a position, weights shipped)`),
  nodes: [{comments: ["[%kr game exp=0.50]"]}, {comments: [`[%eval 0.00] [%kr exp=0.50${best}]`]}],
});

/** What a browser keeps, games and streams; the test answers. @param {number} count of games */
function made(count) {
  /** @type {Record<string, any>} */
  const kept = {},
    /** @type {Map<string, any>} */ games = new Map(),
    /** @type {{args: any, hear: (event: any) => void, said: any[], stopped: boolean}[]} */ streams = [],
    store = {
      kept: (/** @type {string} */ name) => JSON.parse(kept[name] ?? "null"),
      keep: (/** @type {string} */ name, /** @type {unknown} */ value) => {
        kept[name] = JSON.stringify(value);
      },
    },
    reviews = new Reviews(store);
  let time = 0;
  const live = (/** @type {string} */ what, /** @type {any} */ args, /** @type {(event: any) => void} */ hear) => {
    assert.equal(what, "annotate");
    const stream = {args, hear, said: /** @type {any[]} */ ([]), stopped: false};
    streams.push(stream);
    return {
      say: (/** @type {any} */ said) => stream.said.push(said),
      stop: () => {
        stream.stopped = true;
      },
    };
  };
  const work = () =>
    new Work(reviews, {
      live,
      games: {
        read: async id => games.get(id) ?? null,
        write: async (id, document) => games.set(id, document),
      },
      onchange() {},
      alone: task => task(),
      now: () => (time += 5),
    });
  const waiting = Array.from({length: count}, (_, index) => ({id: `g${index}`, name: `Game ${index}`, moves: 10}));
  for (const {id} of waiting) games.set(id, game());
  reviews.add(waiting, "nodes=1000");
  return {reviews, games, streams, work, again: () => new Reviews(store)};
}

/** Answers a stream with marks. @param {any} stream */
async function mark(stream) {
  stream.hear({total: 10});
  stream.hear({moves: Array(10).fill({})});
  stream.hear({judged: true});
  await soon();
  stream.hear({document: {...judged("nodes=1000"), seen: stream.said[0]?.document}});
  await soon();
}

test("games are reviewed in turn, in the background, and kept as each is done", async () => {
  const {reviews, games, streams, work, again} = made(2),
    done = work().run();
  await soon();
  assert.deepEqual(streams[0].args, {document: game(), nodes: 1000, background: true});
  assert.equal(reviews.words(), "0 of 2 games");
  // a comment that came meanwhile stays
  const now = game(["mine"]);
  games.set("g0", now);
  await mark(streams[0]);
  assert.deepEqual(games.get("g0").seen, now);
  assert.deepEqual([again().done, again().next?.id], [1, "g1"]);
  assert.equal(reviews.words(), "1 of 2 games, 2 moves a second, 0:05 left");
  await mark(streams[1]);
  await done;
  assert.deepEqual([reviews.isOver, reviews.words()], [true, "2 of 2 games"]);
});

test("a page that ends loses the game in hand alone", async () => {
  const {streams, work, again} = made(3);
  void work().run();
  await soon();
  await mark(streams[0]);
  streams[1].hear({moves: [{}]});
  // nothing more is heard of that page
  assert.deepEqual(
    again().all.waiting.map(({id}) => id),
    ["g1", "g2"],
  );
});

test("it is paused and resumed, and given up", async () => {
  const {reviews, streams, work, games} = made(2),
    here = work(),
    done = here.run();
  await soon();
  reviews.pause(true);
  here.stop();
  await done;
  assert.deepEqual([streams[0].stopped, reviews.done, games.get("g0")], [true, 0, game()]);
  await here.run();
  assert.equal(streams.length, 1);
  reviews.pause(false);
  void here.run();
  await soon();
  assert.equal(streams.length, 2);
  reviews.cancel();
  here.stop();
  assert.ok(reviews.isOver);
});

test("a game that can't be reviewed is told, and the others go on", async () => {
  const {reviews, games, streams, work} = made(3);
  games.delete("g0");
  const done = work().run();
  await soon();
  streams[0].hear({error: "The game has no moves."});
  await soon();
  await mark(streams[1]);
  await done;
  assert.deepEqual(reviews.all.faults, [
    {name: "Game 0", why: "The game is gone."},
    {name: "Game 1", why: "The game has no moves."},
  ]);
  assert.ok(reviews.isOver);
});

test("an engine that fails again and again is not the games' fault: the rest waits", async () => {
  const {reviews, streams, work} = made(5),
    done = work().run();
  for (const index of [0, 1]) {
    await soon();
    streams[index].hear({total: 10});
    streams[index].hear({error: "The engine failed."});
  }
  await done;
  assert.deepEqual([reviews.all.paused, reviews.all.waiting.length, streams.length], [true, 3, 2]);
});

test("where the server is gone the game waits", async () => {
  const {reviews, streams, work} = made(1),
    done = work().run();
  await soon();
  streams[0].hear({error: "lost", lost: true});
  await done;
  assert.deepEqual([reviews.done, reviews.all.faults], [0, []]);
});

test("what is reviewed as well already is passed over", async () => {
  const limits = {
    nodes: judged("nodes=1000"),
    less: judged("nodes=999"),
    time: judged("0.3s"),
    old: judged("nodes=9000", ""),
  };
  assert.equal(isReviewed(limits.nodes, "nodes=1000"), true);
  assert.equal(isReviewed(limits.less, "nodes=1000"), false);
  assert.equal(isReviewed(limits.time, "nodes=1000"), true);
  assert.equal(isReviewed(limits.time, "seconds=1"), false);
  // of an earlier kr, which did not say what was best
  assert.equal(isReviewed(limits.old, "nodes=1000"), false);
  assert.equal(isReviewed(game(), "nodes=1000"), false);
  const {reviews, games, streams, work} = made(1);
  games.set("g0", limits.nodes);
  await work().run();
  assert.deepEqual([reviews.isOver, reviews.all.plies, streams.length], [true, 0, 0]);
});

test("games that are added wait once each, and a new batch begins anew", () => {
  const {reviews} = made(2);
  reviews.add(
    [
      {id: "g1", name: "", moves: 1},
      {id: "g9", name: "", moves: 1},
    ],
    "nodes=5",
  );
  assert.deepEqual([reviews.all.total, reviews.all.limit], [3, "nodes=1000"]);
  reviews.cancel();
  reviews.add([{id: "g1", name: "", moves: 1}], "nodes=5");
  assert.deepEqual([reviews.all.total, reviews.all.limit], [1, "nodes=5"]);
});
