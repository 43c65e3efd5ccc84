import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {existsSync} from "node:fs";
import {test} from "node:test";
import {keys, textsOf} from "./texts.js";

const LANGUAGES = ["it"];
const places = (/** @type {string} */ text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

/** Texts of stories, which Python has. @returns {string[]} */
function stories() {
  const python = existsSync(".venv/bin/python") ? ".venv/bin/python" : "python3";
  const program =
    "import json; from kr.analysis.annotation.story import all_texts; print(json.dumps(sorted(all_texts())))";
  return JSON.parse(execFileSync(python, ["-c", program], {encoding: "utf8"}));
}

for (const language of LANGUAGES) {
  test(`${language} has every text, and no other`, () => {
    const texts = textsOf(language);
    const wanted = new Set([...keys(), ...stories()]);
    assert.deepEqual(
      [...wanted].filter(key => !(key in texts)),
      [],
      "texts that are missing",
    );
    assert.deepEqual(
      Object.keys(texts).filter(key => !wanted.has(key)),
      [],
      "texts that nothing asks for",
    );
    for (const [key, text] of Object.entries(texts)) {
      assert.deepEqual(places(text), places(key), `places in ${text}`);
      assert.equal(text.split("|").length, key.split("|").length, `forms of ${key}`);
    }
  });
}
