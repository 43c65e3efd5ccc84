// The English texts of the scripts: what a language's file has to have.

import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";

const ROOMS = ["kr/viewer/static", "kr/web/static"];
const STRING = String.raw`("(?:[^"\\]|\\.)*")`;
const T = new RegExp(String.raw`\bt\(\s*${STRING}\s*[,)]`, "g");
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
 * Keys of the texts of all scripts: the text itself, or "one|several" of a noun that is counted.
 * @returns {Set<string>}
 */
export function keys() {
  const found = new Set();
  for (const path of scripts()) {
    const source = readFileSync(path, "utf8");
    for (const [, text] of source.matchAll(T)) found.add(JSON.parse(text));
    for (const [, one, several] of source.matchAll(MANY)) {
      const word = JSON.parse(one);
      found.add(`${word}|${several ? JSON.parse(several) : `${word}s`}`);
    }
  }
  return found;
}
