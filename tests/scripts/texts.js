// The English texts of the scripts: what a language's file has to have.

import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";

/**
 * The texts of a language by name or by English text.
 * @param {string} code
 * @returns {Record<string, string>}
 */
export function textsOf(code) {
  const {texts = {}, sentences} = JSON.parse(
    readFileSync(new URL(`../../kr/language/${code}.json`, import.meta.url), "utf8"),
  );
  const named = Object.entries(sentences).flatMap(([subject, group]) =>
    Object.entries(group).map(([name, text]) => [`${subject}.${name}`, text]),
  );
  return Object.assign(Object.fromEntries(named), ...Object.values(texts));
}

const ROOMS = ["kr/viewer/static", "kr/page/static", "packaging/page/static"];
// results in words
const RESULTS = "kr/game/value.py";
const COURSES = "kr/problems/courses.json";
const RULES = "kr/problems/rules.json";
const CLASSICS = "kr/problems/classics.jsonl";
const STRING = String.raw`("(?:[^"\\]|\\.)*")`;
// a long text stands in pieces; said: in the page that is sent
const T = /\b(?:t|said|refusal)\(\s*("(?:[^"\\]|\\.)*"(?:\s*\+\s*"(?:[^"\\]|\\.)*")*)\s*[,)]/g;
const PIECE = new RegExp(STRING, "g");
const MANY = new RegExp(String.raw`\bmany\((?:[^()"]|\([^()]*\))*?,\s*${STRING}(?:,\s*${STRING})?`, "g");

/** @returns {string[]} paths of all scripts but those of languages */
export function scripts() {
  return ROOMS.flatMap(room =>
    readdirSync(room, {recursive: true, encoding: "utf8"})
      .filter(name => name.endsWith(".js") && !name.includes("languages"))
      .map(name => join(room, name)),
  );
}

/**
 * Keys of the texts of all scripts: the text itself, or "one|several" of a noun that is counted; those of lessons and
 * courses, titles of the classics, and the English texts that come from elsewhere.
 * @returns {Set<string>}
 */
export function keys() {
  const found = new Set(Object.keys(textsOf("en")));
  for (const path of scripts()) {
    const source = readFileSync(path, "utf8");
    for (const [, text] of source.matchAll(T)) {
      found.add([...text.matchAll(PIECE)].map(([piece]) => JSON.parse(piece)).join(""));
    }
    for (const [, one, several] of source.matchAll(MANY)) {
      const word = JSON.parse(one);
      found.add(`${word}|${several ? JSON.parse(several) : `${word}s`}`);
    }
  }
  for (const [, words] of readFileSync(RESULTS, "utf8").matchAll(/return "([a-z ]+)"/g)) found.add(words);
  for (const {title, idea, proved = [], steps} of JSON.parse(readFileSync(COURSES, "utf8")).courses) {
    const claims = proved.map((/** @type {{text: string}} */ {text}) => text),
      plans = steps.map((/** @type {{plan: string}} */ {plan}) => plan);
    for (const text of [title, idea, ...claims, ...plans]) found.add(text);
  }
  for (const {title, tasks} of JSON.parse(readFileSync(RULES, "utf8")).lessons) {
    found.add(title);
    for (const {say, otherwise} of tasks) for (const text of [say, ...(otherwise ? [otherwise] : [])]) found.add(text);
  }
  for (const line of readFileSync(CLASSICS, "utf8").trim().split("\n")) {
    const {title, disproved} = JSON.parse(line);
    if (!disproved) found.add(title);
  }
  return found;
}
