import assert from "node:assert/strict";
import {readdirSync} from "node:fs";
import {test} from "node:test";
import {checked, fault, fileOf, laidOut, MODEL} from "./language.js";

const CODES = readdirSync(new URL("../../kr/language/", import.meta.url))
  .filter(name => name.endsWith(".json"))
  .map(name => name.slice(0, -".json".length));

for (const code of CODES.filter(each => each !== "en")) {
  const file = fileOf(code);
  // who speaks no French can still add a text: it is told in English until someone who does comes by
  test(`${code} has ${file.language.unreviewed ? "no wrong text" : "every text, and no other"}`, () => {
    const {missing, stale, wrong} = checked(code, file);
    assert.deepEqual(wrong, [], "wrong texts");
    if (file.language.unreviewed) return;
    assert.deepEqual(missing, {}, "texts that are missing");
    assert.deepEqual(stale, [], "texts that nothing asks for");
  });
}

test("what is missing, not asked for, and wrong in a file", () => {
  const file = fileOf(MODEL);
  delete file.sentences.story.no_move;
  file.sentences.count.games = "{count} partita";
  file.texts = {...file.texts, "page/shell.js": {Analyse: "", "Of old": "Di una volta"}};
  const {all, told, missing, stale, wrong} = checked(MODEL, file);
  assert.deepEqual(missing.story, ["story.no_move"]);
  assert.ok(missing["page/shell.js"].includes("Analyse"));
  assert.equal(all - told, Object.values(missing).flat().length);
  assert.deepEqual(stale, ["Of old"]);
  assert.deepEqual(wrong, ["count.games: has 1 of 2 forms (one, other)"]);
});

test("forms and places of a text", () => {
  const polish = ["one", "few", "many"];
  const cases = [
    ["{count} partia|{count} partie|{count} partii", "{count} game|{count} games", ""],
    ["{count} partia|{count} partii", "{count} game|{count} games", "has 2 of 3 forms (one, few, many)"],
    ["partia|partie|partii", "game|games", ""],
    ["partia|partii", "game|games", "has 2 of 3 forms (one, few, many)"],
    ["jeszcze {count}", "{count} more", ""],
    ["jeszcze {count} partia|jeszcze {count} partie|jeszcze {count} partii", "{count} more", ""],
    ["{side} przegrały.|Przegrana.", "{side} lost.|You lost.", ""],
    ["{side} przegrały.", "{side} lost.|You lost.", "has 1 of 2 forms (of the side, to the person)"],
    ["Poziom", "Level {level}", "has the places of none in place of {level}"],
    ["{move} i {mvoe}", "{move} and {move}", "has the places {move} {mvoe} in place of {move} {move}"],
  ];
  for (const [text, english, why] of cases) assert.equal(fault(text, english, polish, english === "game|games"), why);
});

test("a new file has every text, empty, and an old one keeps its own", () => {
  const made = laidOut("pl", null);
  assert.deepEqual(made.language, {name: "Polski", unreviewed: "not reviewed"});
  const {told, stale} = checked("pl", made);
  assert.deepEqual([told, stale], [0, []]);
  made.texts = {"page/shell.js": {Analyse: "Analiza"}};
  const {texts = {}} = laidOut("pl", made);
  assert.equal(texts["page/shell.js"].Analyse, "Analiza");
  assert.equal(texts["page/shell.js"].Play, "");
});
