import assert from "node:assert/strict";
import {test} from "node:test";
import {clocksOf} from "../../kr/viewer/static/current.js";
import {layout} from "../../kr/viewer/static/move-layout.js";
import {reworded} from "../../kr/page/static/analyse/move-sheet.js";
import {facts, markName, named, number, words} from "../../kr/viewer/static/move-words.js";
import {GameTree} from "../../kr/viewer/static/tree.js";

/** @import {Block, Item} from "../../kr/viewer/static/move-layout.js" */
/** @import {GivenNode} from "../../kr/viewer/static/tree.js" */

const BLACK = "B:W32:B1";
const WHITE = "W:W32:B1";

/**
 * A tree of moves, each [parent, text, what else it has].
 * @param {[number, string, GivenNode?][]} moves
 */
function grown(moves, start = BLACK, root = {}) {
  const tree = new GameTree();
  const nodes = moves.map(([parent, text, more]) => ({parent, text, fen: `after ${text}`, ...more}));
  tree.load({start, nodes: [{parent: null, ...root}, ...nodes]});
  return tree.root;
}

/** @param {Item} item @returns {string} */
function told(item) {
  if ("comment" in item) return item.comment;
  if ("facts" in item) return `<${item.facts}>`;
  if ("setup" in item) return "<set up>";
  if ("aside" in item) return `(${item.aside.map(told).join(" ")})`;
  return `${item.number}${item.move.text}`;
}

/** A block as text: "1. a b" for a pair, "0: 1.a" for a text at depth 0. @param {Block} block */
function line(block) {
  if ("items" in block) return `${block.depth}: ${block.items.map(told).join(" ")}`;
  const cells = block.cells.map(cell => (cell ? `${cell.move.text}${cell.facts && ` <${cell.facts}>`}` : "..."));
  return [block.number, ...cells].join(" ");
}

const LONG = {comments: ["a comment of more than eighty characters stands in a text of its own, below the move"]};

test("moves without comments stand in pairs", () => {
  const moves = /** @type {[number, string][]} */ ([
    [0, "a"],
    [1, "b"],
    [2, "c"],
  ]);
  assert.deepEqual(layout(grown(moves)).map(line), ["1. a b", "2. c"]);
  assert.deepEqual(layout(grown(moves, WHITE)).map(line), ["1. ... a", "2. b c"]);
  assert.deepEqual(layout(grown([])), []);
});

test("comments and short variations stand between the pairs, clocks beside the moves", () => {
  const root = grown(
    [
      [0, "a", {comments: ["[%clk 0:04:59]"]}],
      [1, "b", {comments: ["fine"]}],
      [2, "c", {comments: ["[%emt 3] so"]}],
      [3, "d"],
      [3, "e", {comments: ["or"]}],
      [5, "f"],
      [4, "g", {starting_comments: ["then"], setup: true}],
    ],
    BLACK,
    {comments: ["[%kr game x=1] whole", "old"]},
  );
  assert.deepEqual(layout(root).map(line), [
    "0: old",
    "1. a <4:59 left> b",
    "0: fine",
    "2. c <took 3 s>",
    "0: so",
    "2. ... d",
    "0: (2...e or 3.f)",
    "0: then",
    "3. g",
    "0: <set up>",
  ]);
});

test("long variations have texts of their own, deeper ones after what they branch from", () => {
  const root = grown([
    [0, "a"],
    [1, "b"],
    [1, "c", LONG],
    [3, "d"],
    [4, "e"],
    [4, "f", LONG],
    [4, "g"],
    [2, "h"],
  ]);
  assert.deepEqual(layout(root).map(line), [
    "1. a b",
    `1: 1...c ${LONG.comments[0]} 2.d e (2...g)`,
    `2: 2...f ${LONG.comments[0]}`,
    "2. h",
  ]);
});

test("variations may be nested however deep", () => {
  /** @type {[number, string, GivenNode?][]} */
  const moves = [
    [0, "a"],
    [0, "b", LONG],
  ];
  for (let i = 2; i < 6000; i += 2) moves.push([i, "c"], [i, "d", LONG]);
  const blocks = layout(grown(moves));
  assert.equal(Math.max(...blocks.map(block => ("depth" in block ? block.depth : 0))), 3000);
});

test("numbers, names and what tags say", () => {
  const root = grown([
    [0, "11-15", {nags: ["$1"]}],
    [1, "23-19", {nags: ["$20", "??"]}],
  ]);
  const [first] = root.children;
  assert.deepEqual([number(first), number(first.children[0])], ["1.", "1..."]);
  assert.deepEqual([named(first), named(first.children[0])], ["1. 11-15, good move", "1... 23-19, $20, blunder"]);
  assert.equal(markName("toString"), "toString");
  const said = {
    "[%clk 0:04:59]": "4:59 left",
    "[%clk 1:02:03.5]": "1:02:03 left",
    "[%clock w0:10:00 B0:09:57]": "White 10:00 left, Black 9:57 left",
    "[%emt 0:00:01.294]": "took 1.3 s",
    "[%emt soon]": "took soon",
    "[%emt 0:00:00.041] text": "",
    "[%emt 0:00:02] +0.35/12 1.204s": "took 2 s, score +0.4",
    "-1.94/1 0.001s": "score −1.9",
    "0.00/3 0.1s good": "score 0.0",
    "about 1/2 1.5s or +0.3/4": "",
    "[%foo a b] text": "foo a b",
    "[%eval 0.1] [%kr exp=0.55]": "",
    text: "",
  };
  for (const [comment, meant] of Object.entries(said)) assert.equal(facts(comment), meant);
  assert.equal(words("[%clk 0:04:59] usual [%foo 1]"), "usual");
  assert.equal(words("[%emt 0:00:02] +0.35/12 1.204s usual"), "usual");
  assert.deepEqual(reworded(["[%emt 0:00:02] +0.35/12 1.204s usual"], "new"), ["[%emt 0:00:02] +0.35/12 1.204s new"]);
});

test("other words leave the tags of comments, and the same words leave all", () => {
  const comments = ["[%clk 0:04:59] usual", "move"];
  assert.equal(reworded(comments, " usual\nmove "), comments);
  assert.deepEqual(reworded(comments, "so it is"), ["[%clk 0:04:59] so it is"]);
  assert.deepEqual(reworded(comments, ""), ["[%clk 0:04:59]"]);
  assert.deepEqual(reworded(["only words"], " "), []);
});

test("the clocks that both players had last", () => {
  /** @param {string[]} comments of the moves, Black's first */
  const clocks = (...comments) =>
    clocksOf([
      {fen: BLACK, comments: []},
      ...comments.map((text, i) => ({fen: i % 2 ? BLACK : WHITE, comments: [text]})),
    ]);
  assert.deepEqual(clocks("[%clk 0:04:59]", "[%clk 1:00:07.5]", "none"), {black: "4:59", white: "1:00:07"});
  assert.deepEqual(clocks("[%clock w0:10:00 B0:09:57]"), {black: "9:57", white: "10:00"});
  assert.deepEqual(clocks("[%clock b00:00:09]", "[%clock W0:00:21, b0:00:09]"), {black: "0:09", white: "0:21"});
});
