// Lessons by the rules: what is told of moves, that each can be done, and that each wrong move has its reason.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";

import {ROUTES} from "../../kr/page/static/answers/lessons.js";
import {PageRequest} from "../../kr/page/static/answers/request.js";
import * as shown from "../../kr/page/static/lessons/state.js";

const read = (/** @type {string} */ path) =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));
const RULES = read("kr/problems/rules.json");
const IDS = RULES.lessons.flatMap((/** @type {any} */ {id, tasks}) =>
  tasks.map((/** @type {any} */ _, /** @type {number} */ i) => `${id}/${i + 1}`),
);
const house = /** @type {any} */ ({data: async () => RULES});
const ask = (/** @type {string} */ what, /** @type {object} */ body) =>
  /** @type {any} */ (ROUTES)[`lessons/${what}`](house, new PageRequest(body));

test("moves are answered as recorded", async () => {
  for (const {id, moves, ...told} of read("tests/cases/lessons.json").tasks) {
    const answer = await ask("answer", {id, moves: moves.split(" ")});
    const {kept, solved = false, reply, stars} = answer;
    assert.deepEqual(
      {kept, solved, reply: reply?.text, stars},
      {reply: undefined, stars: [], ...told},
      `${id} ${moves}`,
    );
  }
});

test("each lesson is done by its hints, and each legal move that is wrong is told why", async () => {
  assert.equal(RULES.lessons.length, 8);
  for (const id of IDS) {
    let {position} = await ask("start", {id}),
      solved = false;
    const line = /** @type {string[]} */ ([]);
    for (let step = 0; !solved; step++) {
      assert.ok(step < 8, `${id} does not end`);
      for (const {text, path} of position.moves) {
        const {kept, why} = await ask("answer", {id, moves: [...line, path.join(text.includes("x") ? "x" : "-")]});
        assert.ok(kept || why, `${id}: ${text} is wrong without a reason`);
      }
      const {square, move} = await ask("hint", {id, moves: line, whole: true});
      assert.equal(move.path[0], square);
      const answer = await ask("answer", {id, moves: [...line, move.text]});
      assert.ok(answer.kept, `${id}: the hint ${move.text} is wrong`);
      line.push(move.text, ...(answer.reply ? [answer.reply.text] : []));
      ({position, solved} = answer);
    }
    assert.deepEqual(position.moves, []);
  }
});

test("a lesson that there is not is refused", async () => {
  for (const id of ["moving/0", "moving/9", "none/1", ""]) await assert.rejects(ask("start", {id}));
});

test("one lesson follows another, and what is done is left out", () => {
  const lesson = (/** @type {string} */ id) => ({
      id,
      title: id,
      tasks: [1, 2].map(n => ({id: `${id}/${n}`, say: "?"})),
    }),
    lessons = {rules: [lesson("a"), lesson("b")], courses: [lesson("c")]};
  const next = (/** @type {string} */ id, /** @type {string[]} */ done) => shown.following(lessons, id, done)?.id;
  assert.equal(next("", []), "a/1");
  assert.equal(next("", ["a/1"]), "a/2");
  assert.equal(next("a/2", ["a/2", "b/1"]), "b/2");
  assert.equal(next("c/2", ["c/2"]), "a/1");
  assert.equal(next("c/2", ["a/1", "a/2", "b/1", "b/2", "c/1"]), undefined);
  assert.equal(shown.afterWords(lessons, "a/1", ["a/1"]), "");
  assert.equal(shown.afterWords(lessons, "a/2", ["a/1", "a/2"]), "Next: b.");
  assert.equal(
    shown.afterWords(lessons, "b/2", ["a/1", "a/2", "b/1", "b/2"]),
    "You know the rules now: play a game, or go on with c.",
  );
  assert.equal(shown.placeOf(lessons, "c/2")?.isRules, false);
  assert.equal(shown.placeOf(lessons, "d/1"), null);
});
