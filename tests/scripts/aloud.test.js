import assert from "node:assert/strict";
import {afterEach, test} from "node:test";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

/** @type {string[]} what was said, and that it was cut off */
const said = [];
const VOICES = [
  {lang: "it-IT", localService: false},
  {lang: "en-GB", localService: true},
  {lang: "it-IT", localService: true},
];
/** @type {Record<string, string>} */
const kept = {};

class SpeechSynthesisUtterance {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}
const speechSynthesis = {
  getVoices: () => VOICES,
  cancel: () => said.push("-"),
  speak: (/** @type {any} */ words) => said.push(`${words.voice.lang} ${words.voice.localService}: ${words.text}`),
};
Object.assign(globalThis, {
  SpeechSynthesisUtterance,
  speechSynthesis,
  window: globalThis,
  localStorage: {getItem: (/** @type {string} */ name) => kept[name] ?? null},
});
const {inWords, readAloud} = await import("../../kr/page/static/aloud.js");

afterEach(() => {
  speak("en", {});
  said.length = 0;
});

test("moves are said in words, and nothing else is taken for one", () => {
  const cases = [
    ["11-15", "11 to 15"],
    ["22x15x8, blunder. Better: 9-14", "22 takes 15 takes 8, blunder. Better: 9 to 14"],
    ["1-0", "1-0"],
    ["33-37", "33-37"],
    ["1900-1950, 2026-11-29", "1900-1950, 2026-11-29"],
  ];
  for (const [text, words] of cases) assert.equal(inWords(text), words);
  speak("it", textsOf("it"));
  assert.equal(inWords("22x15x8"), "22 prende 15 prende 8");
});

test("a voice of this device in the language reads one text at a time, if it is asked to", () => {
  readAloud("11-15");
  assert.deepEqual(said, []);
  kept["kr-voice"] = '"on"';
  readAloud("11-15");
  readAloud("22x15");
  assert.deepEqual(said, ["-", "en-GB true: 11 to 15", "-", "en-GB true: 22 takes 15"]);
  speak("fr", {});
  readAloud("11-15");
  assert.equal(said.length, 4);
  speak("it", textsOf("it"));
  readAloud("11-15");
  assert.equal(said.at(-1), "it-IT true: da 11 a 15");
});
