import assert from "node:assert/strict";
import {afterEach, test} from "node:test";
import {Position} from "../../kr/page/static/answers/rules.js";
import {written} from "../../kr/viewer/static/numbers.js";
import {countForms, knowEnglish, many, said, speak, spoken, t} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

/** @typedef {import("../../kr/page/static/answers/text.js").KrError} KrError */

const ITALIAN = {"Level {level}": "Livello {level}", "game|games": "partita|partite"};

afterEach(() => speak("en", {}));

test("values stand in place of their names, and what has no value stays", () => {
  assert.equal(t("Level {level} of {last}", {level: 0}), "Level 0 of {last}");
  assert.equal(t("Level {toString}"), "Level {toString}");
});

test("one is singular, and numbers are written as the language does", () => {
  assert.deepEqual(
    [1, 2, 2500].map(count => many(count, "game")),
    ["1 game", "2 games", "2,500 games"],
  );
  assert.equal(many(3, "ply", "plies"), "3 plies");
});

test("texts of another language, and English where it lacks one", () => {
  speak("it", ITALIAN);
  assert.equal(spoken(), "it");
  assert.equal(t("Level {level}", {level: 3}), "Livello 3");
  assert.equal(t("Turn the board"), "Turn the board");
  assert.equal(many(25000, "game"), "25.000 partite");
});

test("a count has the forms of the language", () => {
  const forms = {
    "game|games": "партия|партии|партий",
    "count.games": "{count} партия|{count} партии|{count} партий",
    "{count} more": "ещё {count} ход|ещё {count} хода|ещё {count} ходов",
    "story.lost": "{side} проиграли.|Вы проиграли.",
  };
  speak("ru", forms);
  assert.deepEqual(
    [0, 1, 2, 5, 11, 12, 21, 104, 1.5].map(count => many(count, "game")),
    // a fraction has no form of its own here
    ["0 партий", "1 партия", "2 партии", "5 партий", "11 партий", "12 партий", "21 партия", "104 партии", "1,5 партий"],
  );
  assert.equal(said({say: "count.games", with: {count: 22}}), "22 партии");
  assert.equal(t("{count} more", {count: 31}), "ещё 31 ход");
  assert.equal(said({say: "story.lost", with: {side: "you"}}), "Вы проиграли.");
  // by the rules of the language, in the English that it lacks too
  speak("pl", {}, {"count.games": "{count} game|{count} games"});
  assert.deepEqual(
    [1, 3, 5].map(count => said({say: "count.games", with: {count}})),
    ["1 game", "3 games", "5 games"],
  );
  speak("pl", {"game|games": "partia|partie|partii"});
  assert.deepEqual(
    [1, 4, 12, 22, 25].map(count => many(count, "game")),
    ["1 partia", "4 partie", "12 partii", "22 partie", "25 partii"],
  );
  assert.deepEqual(["en", "fr", "pl", "ar", "ja"].map(countForms), [
    ["one", "other"],
    ["one", "other"],
    ["one", "few", "many"],
    ["zero", "one", "two", "few", "many", "other"],
    ["other"],
  ]);
  // none is singular in French
  speak("fr", {"game|games": "partie|parties"});
  assert.equal(many(0, "game"), "0 partie");
});

test("numbers, durations and sizes are written as the language does", () => {
  knowEnglish({}, written);
  const values = [
    {number: 1234.5, digits: 2},
    {number: -0.04, digits: 1, signed: true, error: 12.34},
    {seconds: 101.6},
    {seconds: 3723},
    {seconds: 172_800},
    {bytes: 1_250_000, digits: 1},
  ];
  assert.deepEqual(
    values.map(each => said(each)),
    ["1,234.50", "0.0 ± 12.3", "1:42", "1:02:03", "2d 0h", "1.3 MB"],
  );
  speak("it", {});
  assert.deepEqual(said(values.slice(0, 2)), "1234,50, 0,0 ± 12,3");
  speak("fr", {});
  assert.equal(said([values[4], values[5], "12%"]).replaceAll(/\s/g, " "), "2j 0h, 1,3 Mo, 12 %");
});

test("what the worker refuses is told in the language of the page", () => {
  assert.throws(
    () => Position.fromFen("B:W33:B1"),
    (/** @type {KrError} */ {message, told}) => {
      assert.equal(message, "FEN 'B:W33:B1': White's square '33' does not exist: squares are numbered 1 to 32");
      speak("it", textsOf("it"));
      assert.equal(
        said(told),
        "FEN 'B:W33:B1': Bianco: la casella '33' non esiste: le caselle sono numerate da 1 a 32",
      );
      return true;
    },
  );
});
