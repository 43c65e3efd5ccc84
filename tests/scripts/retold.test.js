import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {existsSync} from "node:fs";
import {afterEach, test} from "node:test";
import {commentWords, ENGLISH, retold} from "../../kr/viewer/static/retold.js";
import {speak} from "../../kr/viewer/static/texts.js";

afterEach(() => speak("en", {}));

// a language without words
const wordless = () => Object.fromEntries(ENGLISH.map(text => [text, text.replace(/\{\w+\}|[A-Za-z-]+/g, keepPlaces)]));
const keepPlaces = (/** @type {string} */ part) => (part.startsWith("{") ? part : "·");

test("every text that kr writes is known", () => {
  const python = existsSync(".venv/bin/python") ? ".venv/bin/python" : "python3";
  /** @type {string[]} */
  const written = JSON.parse(execFileSync(python, ["tests/scripts/english.py"], {encoding: "utf8"}));
  assert.ok(written.length > 100);
  for (const text of written) assert.equal(retold(text), text);
  speak("it", wordless());
  assert.deepEqual(
    written.filter(text => /[A-Za-z]{2,}/.test(retold(text))).map(text => `${text} -> ${retold(text)}`),
    [],
  );
});

test("a move from the book is told in the language of the page, without a mark of kr", () => {
  speak("it", {"book, {number}, {count} games or more": "libro, {number}, almeno {count} partite"});
  assert.equal(commentWords("[%emt 0:00:01] book, +0.03, 4,096 games or more"), "libro, +0,03, almeno 4096 partite");
  assert.equal(commentWords("book, as I say"), "book, as I say");
});

test("a comment of kr is told in the language of the page, one of a person stays", () => {
  speak("it", {
    "Blunder: White expects {points}, with {better} {best}.": "Errore: il Bianco {points}, con {better} {best}.",
    "A trap: {percent}% of people play this.": "Una trappola: {percent}%.",
    "Known: {now}.": "Certo: {now}.",
    "Black wins in {count} plies": "il Nero vince in {count} semimosse",
  });
  const words =
    "Blunder: White expects 0.12, with 22-18 0.50. A trap: 62% of people play this. Known: Black wins in 1,024 plies.";
  assert.equal(
    commentWords(`[%eval #-3] [%kr exp=0.12 nag=??] ${words} A text of another version.`),
    "Errore: il Bianco 0,12, con 22-18 0,50. Una trappola: 62%. Certo: il Nero vince in 1024 semimosse. " +
      "A text of another version.",
  );
  assert.equal(commentWords(words), words);
});
