// Files of problems: the recorded cases that kr problem meets too.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import test from "node:test";

import {readProblems} from "../../kr/page/static/answers/problem_files.js";
import {apart} from "../../kr/page/static/answers/problems.js";
import {said} from "../../kr/viewer/static/texts.js";

const CASES = JSON.parse(readFileSync("tests/cases/problem_files.json", "utf8"));
const THEMES = ["shot", "first-position"];

/** @param {string} name @param {string} text @param {"english" | "white"} [results] */
function read(name, text, results = "english") {
  /** @type {string[]} */
  const faults = [];
  return {
    problems: [...readProblems(name, text, {results, themes: THEMES, onFault: why => faults.push(said(why))})],
    faults,
  };
}

for (const {name, text, results, problems, faults} of CASES)
  test(`${name}, ${results}`, () => {
    const found = read(name, text, results);
    assert.deepEqual(found.problems, problems);
    assert.equal(found.faults.length, faults.length, found.faults.join("\n"));
    for (const [i, [line, words]] of faults.entries()) {
      assert.match(found.faults[i], new RegExp(`^line ${line}\\b`));
      assert.ok(found.faults[i].includes(words), found.faults[i]);
    }
  });

test("files without a problem", () => {
  assert.throws(() => read("a.pdn", "1. 11-15 *"), /a\.pdn: no game has a FEN tag/);
  assert.throws(() => read("a.txt", "# nothing\r\n\r\n"), /a\.txt holds no problems; a file of problems has/);
  assert.throws(() => read("a.pdn.gz", ""), /no game has a FEN tag/);
});

test("line ends of all systems", () => {
  const fens = read("a.txt", "W:W32:B1\r\nW:W31:B1\rW:W30:B1").problems.map(({id, fen}) => [id, fen]);
  assert.deepEqual(fens, [
    ["line 1", "W:W32:B1"],
    ["line 2", "W:W31:B1"],
    ["line 3", "W:W30:B1"],
  ]);
});

test("ids that differ", () => {
  const taken = new Set(["a", "a (2)"]);
  assert.equal(
    apart("a", id => taken.has(id)),
    "a (3)",
  );
  assert.equal(apart("b".repeat(150), () => false).length, 100);
});
