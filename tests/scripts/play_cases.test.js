// Recorded cases of play: time controls, clocks, the choice of a level, manners, records of games;
// tests/test_play_cases.py reads them too.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {words} from "../../kr/page/static/answers/blanks.js";
import {timed} from "../../kr/page/static/answers/limits.js";
import {Reader} from "../../kr/page/static/answers/pdn/reader.js";
import {writeGame} from "../../kr/page/static/answers/pdn/writer.js";
import {Clock, TimeControl} from "../../kr/page/static/answers/play/clock.js";
import {choose} from "../../kr/page/static/answers/play/levels.js";
import {givesUp, offersDraw, refusal} from "../../kr/page/static/answers/play/manners.js";
import {PlayRecord} from "../../kr/page/static/answers/play/record.js";
import {knowEnglish} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

knowEnglish(textsOf("en"), String);
const cases = JSON.parse(readFileSync("tests/cases/play.json", "utf8"));

for (const [text, control] of cases["time controls"])
  test(`the time control ${text}`, () => {
    if (typeof control === "string") assert.equal(String(TimeControl.parse(text)), control);
    else assert.throws(() => TimeControl.parse(text), {name: "KrError", message: control.error});
  });

for (const [text, moves] of cases.clocks)
  test(`a clock of ${text}`, () => {
    const clock = new Clock(TimeControl.parse(text));
    for (const [seconds, ...expected] of moves) {
      const {usualSeconds, seconds: longest} = timed(clock.limits()),
        found = [clock.allowed, usualSeconds, longest, clock.stop(seconds), clock.left];
      for (const [i, number] of expected.entries()) assert.ok(Math.abs(Number(found[i]) - number) < 1e-6, `${found}`);
    }
  });

test("what a level chooses", () => {
  for (const [level, expected, likely, numbers, index] of cases["choices of levels"]) {
    const random = () => numbers.shift(),
      weighted = (/** @type {number[]} */ weights) => {
        const total = weights.reduce((sum, weight) => sum + weight),
          at = random() * total;
        let sum = 0;
        return weights.findIndex(weight => (sum += weight) > at);
      };
    const source = {random, weighted, below: (/** @type {number} */ count) => Math.floor(random() * count)};
    assert.equal(choose(level, expected, source, likely), index);
  }
});

test("manners", () => {
  for (const [scores, plies, resigns, offers, why] of cases.manners)
    assert.deepEqual(
      [givesUp(scores), offersDraw(scores, plies), refusal(scores, plies)?.why ?? null],
      [resigns, offers, why],
      `${scores} ${plies}`,
    );
});

for (const {title, pdn, opening, scores, left: clocks, undone, written, ...given} of cases.records)
  test(`a record: ${title}`, () => {
    const record = new PlayRecord(new Reader(`${pdn}\n`).readGame() ?? assert.fail("no game")),
      control = TimeControl.parse(given.control),
      movesOf = () => words(writeGame(record.game).split("\n\n").slice(1).join("\n")).join(" "),
      [text, seconds, left, [score, depth, time, weight]] = given.add,
      move = record.board().position.parseMove(text);
    assert.equal(record.opening, opening);
    assert.deepEqual([record.scores(0), record.scores(1)], scores);
    assert.deepEqual([record.clock(0, control).left, record.clock(1, control).left], clocks);
    record.add(move, seconds, left, {move, score, depth, nodes: 0, time, weight: weight ?? undefined});
    record.finish("1-0", "resignation");
    assert.equal(movesOf(), written);
    record.undo(undone[0]);
    assert.equal(movesOf(), undone[1]);
  });
