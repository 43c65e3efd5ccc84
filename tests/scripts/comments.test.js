import assert from "node:assert/strict";
import {afterEach, test} from "node:test";
import {commentWords, isOfBook, retold, sentences} from "../../kr/viewer/static/comments.js";
import {written} from "../../kr/viewer/static/numbers.js";
import {knowEnglish, OF_GAMES, said, speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

const ENGLISH = textsOf("en");

afterEach(() => speak("en", {}));

/** Values for the places of a text. @param {string} text @returns {Record<string, import("../../kr/viewer/static/texts.js").Said>} */
const valuesFor = text =>
  Object.fromEntries(
    [...text.matchAll(/\{(\w+)\}/g)].map(([, place]) => {
      if (place === "side" || place === "other") return [place, "white"];
      if (place === "count") return [place, 1250];
      return [place, {slip: "", percent: "12.5", number: "+0.03", move: "19. 18-22"}[place] ?? "22-18"];
    }),
  );

test("each sentence that games hold is known again, with its values", () => {
  speak("en", {}, ENGLISH);
  for (const [name, text] of Object.entries(ENGLISH).filter(([name]) => OF_GAMES.test(name))) {
    const values = valuesFor(text),
      told = {say: name, with: values};
    const [again, ...others] = sentences(said(told));
    assert.deepEqual(others, [], name);
    assert.deepEqual(again, told, name);
    if (!values.side) continue;
    const you = {say: name, with: {...values, side: "you"}};
    if (said(you) !== said(told)) assert.deepEqual(sentences(said(you)), [you], name);
  }
});

test("kr's comments are told in the language of the page, those of people stay", () => {
  speak("it", textsOf("it"));
  knowEnglish(ENGLISH, written);
  const words =
    "Blunder: White expects 0.12, with 22-18 0.50. A trap: 62% of people play this. " +
    "Known: a draw before, now Black wins in 512 moves, by certificate x. A text of another version.";
  assert.equal(
    commentWords(`[%eval #-3] [%kr exp=0.12 nag=??] ${words}`),
    "Errore grave: il Bianco si aspetta 0,12, con 22-18 0,50. Una trappola: la gioca il 62% delle persone. " +
      "Certo: prima patta, ora il Nero vince in 512 mosse, per il certificato x. A text of another version.",
  );
  assert.equal(commentWords(words), words);
  const report = "Black: accuracy 88.1, 3 of 1 judged move best, no mistakes, 2 blunders. White: no move judged.";
  assert.equal(
    commentWords(`[%kr game] ${report}`),
    "Nero: precisione 88,1, migliori 3 su 1 mossa giudicata, nessun errore, 2 errori gravi. Bianco: nessuna mossa giudicata.",
  );
});

test("the names that a game gives its players are told in the language of the page", () => {
  speak("it", textsOf("it"));
  knowEnglish(ENGLISH, written);
  const names = ["human", "kr level 5", "people", "people, temperature 1", "evolved, generation 20", "people, places"];
  assert.deepEqual(names.map(retold), [
    "umano",
    "kr livello 5",
    "umani",
    "umani, temperatura 1",
    "evoluto, generazione 20",
    "people, places",
  ]);
  const known = names.flatMap(sentences).flatMap(each => (typeof each === "string" ? [] : [each.say]));
  assert.deepEqual(
    known,
    Object.keys(ENGLISH).filter(name => name.startsWith("player.")),
  );
});

test("a move from the book is told in the language of the page, without a mark of kr", () => {
  speak("it", textsOf("it"));
  knowEnglish(ENGLISH, written);
  assert.equal(commentWords("[%emt 0:00:01] book, +0.03, 4,096 games or more"), "libro, +0,03, almeno 4096 partite");
  assert.equal(commentWords("book, as I say"), "book, as I say");
  assert.deepEqual(["book, -1.20", "book, as I say"].map(isOfBook), [true, false]);
});
