// Each sentence of a story and a hint is told in a case and silent by a change of it: tests/cases/conditions.json, which
// tests/test_conditions.py reads too, and what must be true for it stands in docs/reference/sentences.md.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, test} from "node:test";

import {exactly, seen} from "../../kr/page/static/analysis/words.js";
import {Game} from "../../kr/page/static/answers/pdn/tree.js";
import {tell} from "../../kr/page/static/answers/review/story.js";
import {Position} from "../../kr/page/static/answers/rules.js";
import {hintWords} from "../../kr/page/static/play/hints.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

/** @typedef {{name: string, told: any, silent: any[]}} Case */

const CASES = JSON.parse(readFileSync("tests/cases/conditions.json", "utf8"));
const FACTS = {
  ...JSON.parse(readFileSync("kr/analysis/annotation/story.json", "utf8")),
  ends: Object.keys(textsOf("en")).flatMap(name => /^story\.(\w+\.\w+)$/.exec(name)?.[1] ?? []),
};
const BETTER = new Position().parseMove("10-14");

after(() => speak("en", {}));

/** A case with a change, field by field; null takes a field away. @param {any} given @param {any} change @returns {any} */
function changed(given, change) {
  const isPlain = (/** @type {any} */ value) => value !== null && typeof value === "object";
  if (!isPlain(change)) return change;
  const whole = isPlain(given) ? {...given} : {};
  for (const [name, value] of Object.entries(change))
    if (value === null) delete whole[name];
    else whole[name] = changed(whole[name], value);
  return whole;
}

/** Names of a sentence and of those in it. @param {any} told @returns {string[]} */
const namesOf = told =>
  Array.isArray(told)
    ? told.flatMap(namesOf)
    : told?.say
      ? [told.say, ...Object.values(told.with ?? {}).flatMap(namesOf)]
      : [];

/** @param {any} given */
function storyOf({headers = {}, fen, moves, result, rest = "", judged}) {
  const game = new Game(Object.entries(headers), Position.fromFen(fen), moves.split(" "), result);
  game.end().comment = rest;
  const all = game.moves.map((move, ply) => {
    const {expected = 0.5, best_expected, best_value, verdict_before, likely_holds, ...more} = judged[ply] ?? {};
    return /** @type {any} */ ({
      ...{value: null, draw: "", drawNext: "", slip: "", likely: null, loss: 0, judged: true, confirmed: true},
      ...{ply, side: ply % 2, move, best: BETTER, expected, bestExpected: best_expected ?? expected},
      ...{
        likelyHolds: likely_holds ?? false,
        bestValue: best_value ?? null,
        verdictBefore: verdict_before ?? null,
        verdict: more.value ?? null,
        ...more,
      },
    });
  });
  return namesOf(tell(game, all, FACTS));
}

for (const {name, told, silent} of /** @type {Case[]} */ (CASES.story))
  test(`a story, where it is true: ${name}`, () => {
    const given = {...CASES.quiet, ...told};
    assert.ok(storyOf(given).includes(name));
    for (const change of silent) assert.ok(!storyOf(changed(given, change)).includes(name), JSON.stringify(change));
  });

/** A text with the names of its values, which are not filled in. @param {string} text */
const unfilled = text => text.replace(/[{}]/g, "_");

/** The sentences of a hint. @param {any} given */
function hintOf(given) {
  const quiet = {score: 20, plies: null, value: null, line: [], gain: null, crowned: null, path: []},
    other = given.other && {...quiet, text: "9-13", ...given.other};
  return hintWords(/** @type {any} */ ({...quiet, text: "11-15", win: 0, draw: 1, loss: 0, ...given, other}));
}

for (const {name, told, silent} of /** @type {Case[]} */ (CASES.hint))
  test(`a hint, where it is true: ${name}`, () => {
    speak("xx", Object.fromEntries(CASES.hint.map((/** @type {Case} */ each) => [each.name, unfilled(each.name)])));
    const isTold = (/** @type {any} */ given) => hintOf(given).includes(unfilled(name));
    assert.ok(isTold(told));
    for (const change of silent) assert.ok(!isTold(changed(told, change)), JSON.stringify(change));
  });

test("a line and exact values, where they are known", () => {
  const line = {score: 130, value: null, plies: null, chances: null, draw: ""},
    text = (/** @type {any} */ more) => seen({...line, ...more}, false).text;
  assert.deepEqual(
    [{}, {plies: 7}, {value: "win"}, {value: "win", plies: 7}, {value: "draw", plies: 7}, {draw: "repetition"}].map(
      text,
    ),
    ["+1.30", "+1.30", "win", "win in 4 moves", "draw", "draw by repetition"],
  );
  const exact = (/** @type {any} */ facts) => exactly({value: null, moves: [], ...facts}, "");
  assert.equal(exactly(null, ""), "");
  assert.equal(exactly(null, "no progress"), "The game can be claimed a draw for lack of progress here.");
  assert.equal(exact({value: "win", plies: 9}), "Exact: win in 5 moves");
  assert.equal(exact({excludes: "loss", certificates: ["a"]}), "Exact: does not lose by certificate a");
  assert.equal(exact({excludes: "win", certificates: ["a"]}), "Exact: does not win by certificate a");
  assert.equal(exact({value: "draw"}), "Exact: draw");
  assert.equal(exact({}), "");
});
