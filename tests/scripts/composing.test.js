// What proofs say of a problem, and of its variations, in words.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {before, test} from "node:test";
import {LIVE, verdictJson} from "../../kr/page/static/answers/composing.js";
import {Stopped} from "../../kr/page/static/answers/news.js";
import {PageRequest} from "../../kr/page/static/answers/request.js";
import {Position} from "../../kr/page/static/answers/rules.js";
import {
  changeWords,
  courseWords,
  endWords,
  ranked,
  reasons,
  stars,
  variationWords,
  verdictWords,
} from "../../kr/page/static/composing/state.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

before(() => speak("en", {}, textsOf("en")));

const DATABASE = {say: "grounds.database"},
  RULES = {say: "grounds.rules"};
const FEN = "W:W21,K30:B1,2";
const way = (/** @type {string} */ move, by = DATABASE, transposes = false) => ({move, by, transposes});
const NOTHING = {
  verdict: /** @type {const} */ ("undecided"),
  value: null,
  by: "",
  number: null,
  unsettled: [],
  keys: [],
  line: [],
  ended: "",
  steps: [],
  refutation: null,
  nodes: 0,
  seconds: 0,
  limit: /** @type {import("../../kr/page/static/composing/state.js").Verdict["limit"]} */ (""),
};
const MORE = "More time, or a larger endgame database, decides more.";
/** @type {Array<[Partial<import("../../kr/page/static/composing/state.js").Verdict>, string, string[]]>} */
const VERDICTS = [
  [{}, "Undecided", ["The result is open.", MORE]],
  [
    {limit: {say: "limit.time", with: {time: "10 s"}}},
    "Undecided",
    ["The result is open.", "The limit of time, 10 s, was reached.", MORE],
  ],
  [
    {limit: {say: "limit.memory", with: {size: "64MB"}}},
    "Undecided",
    [
      "The result is open.",
      "The limit of memory, 64MB, was reached.",
      "More memory, by kr problem check --memory, or a larger endgame database, decides more.",
    ],
  ],
  [
    {
      verdict: "sound",
      value: "win",
      by: {say: "grounds.certificate", with: {count: 1234}},
      keys: [way("30-26", RULES)],
    },
    "Sound",
    ["White wins, by a certificate of 1,234 positions.", "Key: 30-26 (by the rules)."],
  ],
  [
    {verdict: "cook", value: "draw", by: DATABASE, keys: [way("30-26"), way("30-25", DATABASE, true)]},
    "Cooked: there is another key",
    [
      "The position is a draw, by the database.",
      "Keys: 30-26 (by the database) and 30-25 (by the database, transposes).",
    ],
  ],
  [
    {verdict: "unsound", value: "loss", by: RULES, refutation: {side: "black", goal: "win"}},
    "Unsound",
    ["Black wins, by the rules.", "Refuted: Black wins."],
  ],
  [
    {verdict: "unsound", by: "", refutation: {side: "black", goal: "draw"}},
    "Unsound",
    ["Refuted: Black does not lose."],
  ],
  [
    {
      verdict: "dual",
      value: "win",
      by: DATABASE,
      number: 2,
      keys: [way("30-26")],
      steps: [
        {ply: 0, number: 1, move: "30-26", forced: false, only: true, others: []},
        {ply: 2, number: 2, move: "9-6", forced: false, only: false, others: [way("9-5")]},
      ],
    },
    "Dual at move 2",
    ["White wins, by the database.", "Key: 30-26 (by the database).", "Move 2: 9-6, also 9-5 (by the database)."],
  ],
  [
    {value: "win", by: DATABASE, number: 3, unsettled: ["1-5", "1-6"]},
    "Undecided",
    ["White wins, by the database.", "Open at move 3: 1-5 and 1-6.", MORE],
  ],
];

for (const [given, brief, sentences] of VERDICTS)
  test(`a verdict in words: ${brief}, ${sentences[0]}`, () => {
    const verdict = {...NOTHING, ...given};
    assert.equal(verdictWords(verdict), brief);
    assert.deepEqual(reasons(verdict, FEN), sentences);
  });

for (const {fen, result, strict, found, verdict} of JSON.parse(
  readFileSync(new URL("../cases/soundness.json", import.meta.url), "utf8"),
))
  test(`a verdict for the page: ${fen} ${result} ${strict}`, () => {
    assert.deepEqual(verdictJson(Position.fromFen(fen), found, strict), verdict);
  });

/**
 * The events of a search for variations of whose positions each is sound, checked one a second; and how many were checked.
 * @param {number} total
 * @param {number} seconds that each takes
 */
async function varied(total, seconds) {
  let now = 0,
    checks = 0;
  const played = {move: "1-5", keeps: true, by: "", transposes: false},
    found = {
      ...NOTHING,
      verdict: "sound",
      keys: [played],
      steps: [{ply: 0, number: 1, plain: false, played, others: []}],
    };
  const prover = {
    async vary(/** @type {any} */ {onTotal, onChecked, signal}) {
      onTotal(total);
      for (let i = 0; i < total; i++) {
        await null;
        if (signal.aborted) throw new Stopped();
        now += seconds;
        checks++;
        onChecked([{fen: FEN, changes: [], rank: i, found}]);
      }
    },
  };
  const house = /** @type {any} */ ({clock: () => now, prover: async () => prover}),
    inbox = /** @type {any} */ ({signal: new AbortController().signal});
  /** @type {any[]} */
  const events = [];
  for await (const event of LIVE.variations(house, new PageRequest({fen: FEN, goal: "win"}), inbox)) events.push(event);
  return {events, checks};
}

/** @type {Array<[number, number, number, string]>} */
const COURSES = [
  [30, 1, 30, "all"],
  [600, 1, 500, "most"],
  [100, 10, 91, "time"],
];

for (const [total, seconds, done, ended] of COURSES)
  test(`variations end: ${ended}`, async () => {
    const {events, checks} = await varied(total, seconds),
      told = events.slice(0, -1),
      ranks = told.flatMap(({found}) => found.map((/** @type {any} */ {rank}) => rank));
    assert.deepEqual(events.at(-1), {ended});
    assert.deepEqual(
      [checks, told.at(-1).done, told.at(-1).counts, told.at(-1).total],
      [done, done, {sound: done}, total],
    );
    // each once, and in order, however many came in one event
    assert.deepEqual(
      ranks,
      ranks.map((_, i) => i),
    );
    assert.equal(ranks.length, done);
  });

test("stars are only ways among several, and lines say why they end", () => {
  const step = {number: 1, move: "", others: []};
  const steps = [
    {...step, ply: 0, forced: false, only: true},
    {...step, ply: 2, forced: true, only: true},
    {...step, ply: 4, forced: false, only: false},
  ];
  assert.deepEqual([...stars({...NOTHING, steps})], [0]);
  const ends = ["plain", "repeated", "over", "dual", ""].map(ended => endWords({...NOTHING, ended}));
  assert.deepEqual(ends, ["the result is plain", "a position comes again", "the end", "", ""]);
});

/** @type {Array<[string, string, number | null, string]>} */
const CHANGES = [
  ["move", "b", 16, "man 12 to 16"],
  ["move", "W", 16, "king 12 to 16"],
  ["remove", "w", null, "without 12"],
  ["crown", "w", null, "king on 12"],
  ["uncrown", "W", null, "man on 12"],
  ["add", "b", null, "plus black man 12"],
  ["add", "B", null, "plus black king 12"],
  ["add", "w", null, "plus white man 12"],
  ["add", "W", null, "plus white king 12"],
];

for (const [kind, piece, target, words] of CHANGES)
  test(`a change in words: ${words}`, () => {
    assert.equal(changeWords([{kind, piece, square: 12, target}]), words);
  });

test("variations come by their rank, and say what is known", () => {
  const one = {fen: FEN, changes: [], verdict: /** @type {const} */ ("sound"), move_number: null, key: "1-5", moves: 1};
  const found = [3, 8, 3].map((rank, i) => ({...one, rank, moves: i}));
  assert.deepEqual(
    ranked(found).map(({moves}) => moves),
    [1, 0, 2],
  );
  assert.equal(variationWords({...one, rank: 1}), "key 1-5, 1 move");
  assert.equal(
    variationWords({...one, rank: 1, verdict: "dual", move_number: 4, moves: 5}),
    "key 1-5, 5 moves, dual at move 4",
  );
});

test("the course of a search for variations", () => {
  const course = {total: 1200, done: 30, found: 2, counts: {undecided: 4}, ended: null};
  assert.equal(courseWords(course), "30 of 1,200 positions checked, 2 kept. 4 undecided.");
  assert.equal(courseWords({...course, counts: {}, ended: "all"}), "30 of 1,200 positions checked, 2 kept.");
  for (const [ended, end] of [
    ["time", "Stopped: the time is over."],
    ["most", "Stopped: these are the most that are shown."],
    ["left", "Stopped."],
  ])
    assert.ok(courseWords({...course, ended}).endsWith(end));
});
