import assert from "node:assert/strict";
import {test} from "node:test";
import {better, judgement, kindName, points, reportOf, told, UNKNOWN, WORDS} from "../../kr/viewer/static/graph.js";
import {runs} from "../../kr/viewer/static/graph-drawing.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {turnName, turnOf} from "../../kr/viewer/static/turns.js";
import {GameTree} from "../../kr/viewer/static/tree.js";

const tree = new GameTree();
tree.load({
  start: "B:W32:B1",
  nodes: [
    {parent: null, comments: ["old", "[%kr game x=1] Black 0.9, White 0.8"]},
    {parent: 0, text: "a", path: [1, 2], fen: "1", comments: ["[%eval 0.04] [%kr exp=0.52 opening]"]},
    {parent: 1, text: "b", path: [3, 4], fen: "2", comments: ["usual"]},
    {parent: 2, text: "c", path: [5, 6], fen: "3", comments: ["[%eval -0.85] [%kr exp=0.21 nag=?? once] Blunder"]},
    {parent: 3, text: "d", path: [7, 8], fen: "4", comments: ["[%eval #-12] [%kr exp=0.00 toString]"]},
    {parent: 2, text: "e", path: [9, 10], fen: "5", comments: ["[%kr line exp=0.55]"]},
  ],
});
const list = points(tree);

test("what kr's comments say of each position of the game", () => {
  assert.deepEqual(
    list.map(({label, expected, kind, once, reason, evaluation}) => [label, expected, kind, once, reason, evaluation]),
    [
      ["Start", null, "", false, "", ""],
      ["1. a", 0.52, "", false, "opening", "0.04"],
      ["1... b", null, "", false, "", ""],
      ["2. c", 0.21, "blunder", true, "", "-0.85"],
      ["2... d", 0, "", false, "", "#-12"],
    ],
  );
  assert.deepEqual(list.map(told), [
    "Not searched.",
    "Black's chances: 52 in 100, score +0.04. Not judged: the opening.",
    "Not searched.",
    "Black's chances: 21 in 100, score −0.85. Seen by one search only.",
    "Good move. Black's chances: 0 in 100, White wins.",
  ]);
  assert.equal(reportOf(tree.root), "Black 0.9, White 0.8");
});

test("nothing is drawn across what was not searched", () => {
  assert.deepEqual(
    runs(list).map(run => run.map(point => point.ply)),
    [[1], [3, 4]],
  );
  assert.deepEqual(runs([]), []);
});

test("the better move of a marked one is that of the line beside it", () => {
  assert.deepEqual(
    list.map(({node}) => better(node)),
    [[], [], [], [{path: [9, 10], kind: "better"}], []],
  );
  assert.equal(judgement(tree.root), null);
});

test("the class of a move, and what it did to the game", () => {
  const words = (/** @type {string} */ tag) => {
    const node = /** @type {any} */ ({comments: ["others", `[%kr ${tag}]`]}),
      point = judgement(node) ?? UNKNOWN;
    return [kindName(point.kind) || told(point).split(" Black's")[0], turnName(turnOf(node))];
  };
  for (const [tag, ...expected] of [
    ["exp=0.50 best", "Best move.", ""],
    ["exp=0.50 once", "Good move.", ""],
    ["exp=0.50 nag=! best", "only move", ""],
    ["exp=0.50 nag=?!", "inaccuracy", ""],
    ["exp=0.50 forced", "Black's chances: 50 in 100. Not judged: there was no other move.", ""],
    ["game exp=0.50", "Black's chances: 50 in 100.", ""],
    ["line exp=0.50", "Black's chances: 50 in 100.", ""],
    ["exp=0.50 mark=?? turn=won/drawn once", "blunder", "misses a win"],
    ["exp=0.50 mark=? turn=won/better", "mistake", "misses a win"],
    ["exp=0.00 nag=?? turn=won/lost", "blunder", "throws a win away"],
    ["exp=0.00 nag=?? turn=drawn/lost", "blunder", "loses a draw"],
    ["exp=0.00 nag=?? turn=even/lost", "blunder", "comes into a lost position"],
    ["exp=0.30 nag=? turn=even/worse", "mistake", "comes into a worse position"],
    ["exp=0.30 nag=? turn=lost/won", "mistake", ""],
  ])
    assert.deepEqual(words(tag), expected, tag);
});

test("words of marks are those of the language", () => {
  speak("it", {blunder: "errore grave"});
  assert.equal(WORDS.blunder, "errore grave");
  speak("en", {});
  assert.deepEqual(Object.values(WORDS), ["inaccuracy", "mistake", "blunder", "only move"]);
});
