import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {following} from "../../kr/page/static/learn/state.js";
import {Training, dayNumber, isTraining, rated} from "../../kr/page/static/learn/training.js";

/** Recorded cases: tests/test_training.py is their other reader. */
const {events, kept: expected, due, ...CASES} = JSON.parse(readFileSync("tests/cases/training.json", "utf8"));
const DAY = 739_946;

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

test("recorded events", () => {
  const {training, all} = after(events);
  const {rating, deviation, ...rest} = all.training,
    {rating: wanted, deviation: uncertain, ...others} = expected;
  assert.ok(Math.abs(rating - wanted) < 1e-6 && Math.abs(deviation - uncertain) < 1e-6);
  assert.deepEqual(rest, others);
  for (const [day, keys] of due) assert.deepEqual(training.due(day), keys);
});

test("recorded intervals", () => {
  const training = new Training(store());
  training.miss("a", "tries", 1500, DAY);
  let day = DAY;
  for (const days of CASES.intervals) {
    assert.deepEqual(training.due(day + days - 1), []);
    day += days;
    assert.deepEqual(training.due(day), ["a"]);
    training.solve("a", 1500, day, {clean: true});
  }
  assert.deepEqual(training.all.boxes, {});
});

test("recorded ratings", () => {
  for (const [rating, deviation, puzzle, isSolved, ...wanted] of CASES.ratings) {
    const found = rated({rating, deviation}, puzzle, isSolved);
    for (const [i, number] of [found.rating, found.deviation].entries())
      assert.ok(Math.abs(number - wanted[i]) < 1e-3, `${rating} ${deviation} ${puzzle}: ${number}`);
  }
});

test("recorded choices of the next puzzle", () => {
  for (const [title, puzzles, {done = 0, missed = [], solved = [], days = 0, seen = 0}, wanted] of CASES.next) {
    const training = new Training(store());
    for (const key of missed) training.miss(key, "tries", null, DAY);
    for (let i = 0; i < done; i++) training.solve(`done ${i}`, null, DAY, {clean: false});
    for (const key of solved) training.solve(key, null, DAY, {clean: false});
    const list = puzzles.map((/** @type {any[]} */ [id, rating, goal]) => ({id, key: id, rating, goal})),
      before = new Set(Array.from({length: seen}, (_, i) => `before ${i}`));
    assert.equal(following(list, list, training, {day: DAY + days, seen: before})?.id ?? null, wanted, title);
  }
});

test("progress comes back from a file, and nothing else does", () => {
  const training = new Training(store());
  for (const bad of [null, [], {}, ...CASES["no progress"].map((/** @type {any} */ each) => ({...expected, ...each}))])
    assert.equal(training.replace(bad), false, JSON.stringify(bad));
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
