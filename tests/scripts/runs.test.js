import assert from "node:assert/strict";
import {before, test} from "node:test";
import * as runs from "../../kr/page/static/runs/state.js";
import {written} from "../../kr/viewer/static/numbers.js";
import {knowEnglish, said} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

before(() => knowEnglish(textsOf("en"), written));

/** @typedef {import("../../kr/page/static/runs/state.js").Chart} Chart */

test("states in words; one that is not known stays as it is", () => {
  assert.deepEqual(runs.stateWords("damaged"), ["✗", "damaged"]);
  assert.deepEqual(runs.stateWords(/** @type {any} */ ("lost")), ["", "lost"]);
  assert.equal(runs.time(0), "");
});

test("numbers of axes and tables", () => {
  assert.deepEqual([0.123456789, 12_345, 2_500_000, -3].map(runs.short), ["0.123457", "12.3k", "2.5M", "−3"]);
  assert.deepEqual(
    runs.ticks(0, 10, 4).map(each => +each.toFixed(6)),
    [0, 5, 10],
  );
  assert.deepEqual(runs.ticks(-300, -560 + 300, 2), [-300, -280, -260]);
  const figure = (/** @type {number} */ number) => ({number, digits: 1});
  const rows = [
    [12, "a", figure(1_364_320), null],
    [9, "7", {...figure(-544.7), error: 141.2}, {seconds: 90}],
  ];
  assert.deepEqual(runs.numeric({title: "", head: ["n", "b", "c", "d"], rows}), [true, false, true, true]);
});

/** @type {Chart} */
const CHART = {
  title: "Elo",
  x: "games",
  y: "Elo of a",
  lines: [
    {
      name: "a",
      kind: "band",
      points: [
        [2, 0, 900],
        [4, 10, 50],
        [6, 20, 40],
        [8, 30, 30],
      ],
    },
    {
      name: "bound",
      kind: "guide",
      points: [
        [2, 5],
        [8, 5],
      ],
    },
  ],
};

test("a chart shows its points, and errors but for the wide first ones", () => {
  assert.deepEqual(runs.range(CHART.lines, 0), [2, 8]);
  const [low, high] = runs.range(CHART.lines, 1);
  assert.ok(low > -50 && low <= -40 && high >= 60 && high < 70);
  const scale = runs.scales(CHART, {left: 52, right: 352, top: 12, bottom: 192});
  assert.deepEqual([scale.x(2), scale.x(8)], [52, 352]);
  assert.deepEqual([scale.y(900), scale.y(-900)], [12, 192]);
  assert.ok(scale.acrossTicks.every(Number.isInteger));
  assert.deepEqual(runs.lineClasses(CHART.lines), ["line0", "guide"]);
  assert.equal(runs.chartWords(CHART), "Elo: a 30 ± 30 at 8 games");
  const {head, rows} = runs.numbers(CHART);
  assert.deepEqual([head, rows.length, rows[1].map(cell => said(cell ?? "-"))], [["games", "a"], 4, ["4", "10 ± 50"]]);
  const [line] = CHART.lines;
  assert.deepEqual(runs.range([{...line, points: [[1, 5]]}], 0), [0, 2]);
});

test("the words of a run that need it are explained, and no others", () => {
  /** @type {any} */
  const run = {facts: [[{say: "label.elo"}, {number: 3, digits: 1, error: 9.1}]], charts: [], tables: []};
  const words = (/** @type {any} */ each) => runs.glossary(each).map(([word]) => word);
  assert.deepEqual(words(run), ["Elo", "±"]);
  const chart = {...CHART, title: {say: "label.likelihood_ratio"}, y: {say: "runs.llr"}, lines: []};
  assert.deepEqual(words({...run, facts: [], charts: [chart]}), ["LLR"]);
  assert.deepEqual(words({...run, facts: [[{say: "label.games"}, 12]]}), []);
});
