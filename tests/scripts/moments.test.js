// What leads through a reviewed game, by tests/cases/moments.json: which marks are moments and in which order, what is
// asked at each, the verdict on a move that is tried, and the three sentences about the game.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {verdictOf} from "../../kr/page/static/answers/review/judging.js";
import {Tour, momentsOf, nextOf, question, verdictText, worthsOf} from "../../kr/page/static/review/moments.js";
import {Review, trialLimit} from "../../kr/page/static/review/state.js";
import {summaryOf} from "../../kr/page/static/review/summary.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {GameTree} from "../../kr/viewer/static/tree.js";
import {textsOf} from "./texts.js";

const CASES = JSON.parse(readFileSync("tests/cases/moments.json", "utf8"));

/** @param {number | null} parent @param {string} text @param {string} fen @param {string[]} comments */
const made = (parent, text, fen, comments) => ({
  ...{parent, text, fen, comments, path: [1, 2], captured: [], starting_comments: [], nags: []},
});

/** A reviewed game; its positions are told apart by a piece. @returns {any} */
function game() {
  const {start, moves} = CASES.game,
    nodes = [made(null, "", start, ["[%kr game exp=0.50]"])],
    fen = (/** @type {number} */ ply, /** @type {number} */ piece) => `${"BW"[ply % 2]}:W${piece}:B1`;
  /** @type {object[]} */
  const lines = [];
  for (const [index, {text, tag, better}] of moves.entries()) {
    nodes.push(made(index, text, fen(index + 1, index + 2), [`[%kr ${tag}]`]));
    const line = `[%kr line exp=${better?.exp.toFixed(2)}]`;
    if (better) lines.push(made(index, better.text, fen(index + 1, index + 12), [line]));
  }
  const tree = /** @type {any} */ (new GameTree());
  tree.load({headers: {}, start, result: "1/2-1/2", nodes: [...nodes, ...lines]});
  return tree;
}

before(() => speak("en", {}, textsOf("en")));
after(() => speak("en", {}));

const moments = () => momentsOf(new Review(game()).marks(), null, true);

test("the marks that are moments, in their order, and the next one after a position", () => {
  const marks = new Review(game()).marks();
  for (const {side, all, moments: wanted} of CASES.ways)
    assert.deepEqual(
      momentsOf(marks, side, all).map(({node}) => node.text),
      wanted,
    );
  const list = momentsOf(marks, null, false);
  for (const [ply, text] of CASES.next) assert.equal(list[nextOf(list, ply)].node.text, text, String(ply));
});

test("what is asked at a moment", () => {
  for (const {you, words} of CASES.questions)
    assert.deepEqual(
      moments().map(moment => question(moment, you)),
      words,
    );
});

test("the verdict on a move is that of the review's own thresholds", () => {
  for (const {best, expected, verdict} of CASES.verdicts)
    assert.equal(verdictOf(expected, best, CASES.thresholds), verdict, `${expected} of ${best}`);
  for (const moment of moments()) {
    const {best, played} = worthsOf(moment);
    assert.equal(verdictOf(played ?? 1, best ?? 0, CASES.thresholds), "not", moment.node.text);
  }
});

test("a move that is tried, in words, and what the review knows of it by itself", () => {
  for (const {at, move, words, line, ...trial} of CASES.trials) {
    const tour = new Tour(moments(), at),
      {moment} = tour,
      fens = {[moment.line.text]: moment.line.fen, [moment.node.text]: moment.node.fen},
      tried = {text: move, fen: fens[move] ?? "B:W9:B9"},
      steps = line.map((/** @type {string} */ text) => ({text}));
    assert.equal(verdictText(moment, tried, {...trial, line: steps}), words);
    assert.equal(tour.known(tried), move in fens ? trial.verdict : null, move);
  }
});

test("a tour asks until a move is right or shown, and counts", () => {
  const [one] = moments(),
    tour = new Tour([one, one, one, one]);
  assert.equal(tour.before.text, "11-15");
  tour.judge("right");
  assert.deepEqual([tour.stage, tour.isOpen, tour.isRevealed], ["right", false, true]);
  tour.next();
  tour.check();
  assert.equal(tour.isOpen, false);
  tour.judge("not");
  assert.deepEqual([tour.stage, tour.isOpen, tour.isRevealed], ["not", true, false]);
  tour.retry();
  tour.judge("right");
  tour.next();
  tour.judge("playable");
  tour.next();
  tour.show();
  tour.next();
  assert.equal(tour.stage, "over");
  assert.deepEqual(tour.outcomes, ["first", "later", "playable", "unfound"]);
  assert.equal(tour.result(), "You found 1 of 4 at the first try, 1 later. Playable moves: 1.");
  assert.equal(new Tour([]).stage, "over");
});

test("a move is tried with the limit of the review", () => {
  const by = (/** @type {string} */ limit) => trialLimit({Annotator: `kr 0.3.0 (${limit} a position, weights x)`});
  assert.deepEqual(by("nodes=50000"), {nodes: 50_000});
  assert.deepEqual(by("0.3s"), {seconds: 0.3});
  // those of the command line may be longer
  assert.deepEqual(by("nodes=90000000"), {nodes: 5_000_000});
  assert.deepEqual(by("depth=12"), {nodes: 200_000});
  assert.deepEqual(trialLimit({}), {nodes: 200_000});
});

/** A position with so many pieces of either side. @param {number} own @param {number} others @param {string} side */
function position(own, others, side) {
  const [black, white] = side === "black" ? [own, others] : [others, own],
    squares = (/** @type {number} */ from, /** @type {number} */ count) =>
      Array.from({length: count}, (_, index) => from + index).join(",");
  return `${side === "black" ? "B" : "W"}:W${squares(1 + black, white)}:B${squares(1, black)}`;
}

for (const {about, moves, words, accuracy, ...facts} of CASES.summaries)
  test(`a summary: ${about}`, () => {
    const side = (/** @type {number} */ index) => (index % 2 ? "white" : "black"),
      fenOf = (/** @type {number} */ index) => {
        const pieces = moves[index]?.pieces ?? 24;
        return position(pieces / 2, pieces / 2, side(index));
      },
      nodes = [made(null, "", fenOf(0), [])],
      lines = [];
    for (const [index, {tag, best, line}] of moves.entries()) {
      nodes.push(made(index, `m${index + 1}`, fenOf(index + 1), [`[%kr ${tag}]`]));
      if (best !== undefined) lines.push({index, best, steps: line ?? [{text: "b", own: 1, others: 1}]});
    }
    const whole = /** @type {any[]} */ ([...nodes]);
    for (const {index, best, steps} of lines)
      for (const [step, {text, own, others}] of steps.entries()) {
        const parent = step ? whole.length - 1 : index,
          tag = step ? [] : [`[%kr line exp=${best.toFixed(2)}]`];
        whole.push(made(parent, text, position(own, others, side(index)), tag));
      }
    const tree = /** @type {any} */ (new GameTree());
    tree.load({headers: {}, start: nodes[0].fen, result: facts.result, nodes: whole});
    const review = new Review(tree),
      [black, white] = accuracy;
    assert.deepEqual(
      summaryOf({...facts, points: review.points(), marks: review.marks(), accuracy: {black, white}}),
      words,
    );
  });
