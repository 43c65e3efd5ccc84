import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {Training, dayNumber, isTraining} from "../../kr/page/static/learn/training.js";

const {events, kept: expected, due} = JSON.parse(readFileSync("tests/data/training.json", "utf8"));

/** A store of a browser. @param {Record<string, any>} [all] */
function store(all = {}) {
  return {
    all,
    kept: (/** @type {string} */ name, /** @type {any} */ otherwise) => all[name] ?? otherwise,
    keep(/** @type {string} */ name, /** @type {any} */ value) {
      all[name] = JSON.parse(JSON.stringify(value));
    },
  };
}

/** @param {any[]} list */
function after(list) {
  const {all, ...place} = store(),
    training = new Training(place);
  for (const {what, day, key, rating = null, clean, likely} of list) {
    if (what === "solve") training.solve(key, rating, day, {clean, likely});
    else if (what === "daily") training.solveDaily(day);
    else if (what === "step") training.finishStep(key);
    else training.miss(key, what, rating, day);
  }
  return {training, all};
}

test("the page trains as kr learn does", () => {
  const {training, all} = after(events);
  const {rating, deviation, ...rest} = all.training,
    {rating: wanted, deviation: uncertain, ...others} = expected;
  assert.ok(Math.abs(rating - wanted) < 1e-6 && Math.abs(deviation - uncertain) < 1e-6);
  assert.deepEqual(rest, others);
  for (const [day, keys] of due) assert.deepEqual(training.due(day), keys);
});

test("progress comes back from a file, and nothing else does", () => {
  const training = new Training(store());
  for (const bad of [
    null,
    [],
    {},
    {...expected, format: 2},
    {...expected, boxes: {a: [4, 1]}},
    {...expected, rating: "x"},
    {...expected, curve: [[1, 1e308, 50]]},
    {...expected, curve: [[0.5, 1500, 50]]},
  ])
    assert.equal(training.replace(bad), false);
  assert.ok(isTraining(expected));
  assert.ok(training.replace(JSON.parse(JSON.stringify(expected))));
  assert.deepEqual(training.all, expected);
});

test("what was kept before there was a rating is still there", () => {
  const done = {tries: 1, hints: 0, solved: true};
  assert.deepEqual(new Training(store({puzzles: {a: done}})).of("a"), done);
});

test("days are those of the person", () => {
  assert.equal(dayNumber(new Date(1, 0, 1)) - dayNumber(new Date(1900, 11, 31)), 1);
  assert.equal(dayNumber(new Date(2026, 10, 26, 23, 59)), 739_946);
  assert.equal(dayNumber(new Date(2026, 10, 27, 0, 0)), 739_947);
});

test("two tabs lose nothing of one another", () => {
  const place = store(),
    [one, other] = [new Training(place), new Training(place)];
  one.solve("a", 1500, 739_000, {clean: true});
  other.miss("b", "tries", 1500, 739_000);
  one.finishStep("c");
  other.solveDaily(739_000);
  for (const training of [one, other, new Training(place)]) {
    training.refresh();
    assert.deepEqual(Object.keys(training.all.puzzles), ["a", "b"]);
    assert.deepEqual([training.all.steps, training.all.streak], [["c"], [739_000, 1]]);
  }
});

test("a full store takes nothing from an open page", () => {
  const training = new Training({...store(), keep: () => {}});
  training.solve("a", 1500, 739_000, {clean: true});
  training.solve("b", 1500, 739_000, {clean: true});
  assert.deepEqual(Object.keys(training.all.puzzles), ["a", "b"]);
});

test("the curve goes on where a clock went back, and keeps its length", () => {
  const training = new Training(store());
  for (const day of [739_000, 738_999, 739_000]) training.miss(String(day), "tries", 1500, day);
  assert.deepEqual(
    training.all.curve.map(([day]) => day),
    [739_000],
  );
  training.replace({...training.all, curve: Array(500).fill([739_000, 1500, 50])});
  assert.equal(training.all.curve.length, 400);
});
