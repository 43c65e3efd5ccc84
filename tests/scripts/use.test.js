// Nothing in the scripts and style sheets is there for nobody.

import assert from "node:assert/strict";
import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {test} from "node:test";
import {scripts} from "./texts.js";

const TESTS = "tests/scripts";
// pages, and the pieces of a drawing
const HTML = ["page/static/index.html", "analysis/annotation/game.html", "analysis/annotation/pages.py", "svg.py"];
const read = (/** @type {string} */ path) => readFileSync(path, "utf8");
const sources = scripts().map(read);

/** True if a word stands in a text by itself. @param {string} text @param {string} word */
const has = (text, word) => new RegExp(String.raw`(?<![\w$-])${word}(?![\w$-])`).test(text);

test("what a script exports is used by another one, or tested", () => {
  const tests = readdirSync(TESTS, {recursive: true, encoding: "utf8"}).filter(name => name.endsWith(".js"));
  const tested = tests.map(name => read(join(TESTS, name))).join("\n");
  const unused = scripts().flatMap((path, i) =>
    [...sources[i].matchAll(/^export (?:async )?(?:function\*?|class|const) (\w+)/gm)]
      .map(([, name]) => name)
      .filter(name => !has(tested, name) && !sources.some((other, j) => i !== j && has(other, name)))
      .map(name => `${path}: ${name}`),
  );
  assert.deepEqual(unused, []);
});

test("each class of a style sheet is one of a script or a page", () => {
  const literals = sources.flatMap(source =>
    [...source.replace(/\bt\(\s*"(?:[^"\\]|\\.)*"/g, "").matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(
      String,
    ),
  );
  const all = [...literals, ...HTML.map(path => read(join("kr", path)))].join("\n");
  // classes of which a part is put in, such as `line${number}`
  const made = [...all.matchAll(/[\s"`]([\w-]+)\$\{/g)].map(([, start]) => start);
  const sheets = ["kr/viewer/static", "kr/page/static"].flatMap(room =>
    readdirSync(room)
      .filter(name => name.endsWith(".css"))
      .map(name => join(room, name)),
  );
  const unused = sheets.flatMap(path => {
    const selectors = read(path)
      .replace(/\/\*.*?\*\//gs, "")
      .replace(/\{[^{}]*\}/g, "{}");
    const names = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name));
    return [...names]
      .filter(name => !has(all, name) && !made.some(start => name.startsWith(start)))
      .map(name => `${path}: .${name}`);
  });
  assert.deepEqual(unused, []);
});

test("each icon is that of a button or a panel", () => {
  const icons = [...read("kr/viewer/static/icons.js").matchAll(/^ {2}"?([\w-]+)"?:/gm)].map(([, name]) => name);
  const others = scripts()
    .filter(path => !path.endsWith("icons.js"))
    .map(read)
    .join("\n");
  assert.ok(icons.length > 10);
  assert.deepEqual(
    icons.filter(name => !new RegExp(`(?:iconButton\\(\\s*|name: |super\\(app, )"${name}"`).test(others)),
    [],
  );
});
