import assert from "node:assert/strict";
import {afterEach, test} from "node:test";
import {many, speak, spoken, t} from "../../kr/viewer/static/texts.js";

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
