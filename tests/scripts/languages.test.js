import assert from "node:assert/strict";
import {test} from "node:test";
import {keys, textsOf} from "./texts.js";

const LANGUAGES = ["it"];
// each as often as it stands there; of two forms each may have its own
function places(/** @type {string} */ text) {
  const all = [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  return text.includes("|") ? [...new Set(all)] : all;
}

for (const language of LANGUAGES) {
  test(`${language} has every text, and no other`, () => {
    const texts = textsOf(language);
    const wanted = new Set(keys());
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
    const english = textsOf("en");
    for (const [key, text] of Object.entries(texts)) {
      const wanted = english[key] ?? key;
      assert.deepEqual(places(text), places(wanted), `places in ${text}`);
      assert.equal(text.split("|").length, wanted.split("|").length, `forms of ${key}`);
    }
  });
}
