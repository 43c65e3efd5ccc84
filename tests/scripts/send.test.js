import assert from "node:assert/strict";
import {test} from "node:test";
import {accuracyOf} from "../../kr/viewer/static/accuracy.js";
import {figuresOf, storyOf} from "../../kr/viewer/static/story.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";
import {GameTree} from "../../kr/viewer/static/tree.js";
import {stills} from "../../kr/page/static/animation.js";
import {fileName, shownLine} from "../../kr/page/static/send.js";

const START = "B:W21,22,23:B1,2,3";

/** A game of moves by name, each with the number of the one before it. */
function game(/** @type {[number, string, boolean?][]} */ ...moves) {
  const nodes = moves.map(([parent, text, setup = false], i) => ({parent, text, setup, fen: `B:W${i + 4}:B1`}));
  const tree = new GameTree();
  tree.load({headers: {}, start: START, result: "*", nodes: [{parent: null, fen: START}, ...nodes]});
  return tree;
}

const after = (/** @type {GameTree} */ tree, /** @type {string} */ text) =>
  [...tree.nodes()].find(node => node.text === text) ?? tree.root;

test("files are named by players and date, as far as they are known", () => {
  assert.equal(
    fileName({Black: "Ann O'Hara", White: "Bob", Date: "2026.11.25"}, "pdn"),
    "Ann-O-Hara-Bob-2026-11-25.pdn",
  );
  assert.equal(fileName({Black: "?", White: "", Date: "????.??.??"}, "html"), "game.html");
  assert.equal(fileName({Black: "../..", White: "Šťastný"}, "gif"), "Šťastný.gif");
});

/** Where an animated picture begins, and its moves. @param {GameTree} tree @param {boolean} here */
function line(tree, here) {
  const {start, nodes} = shownLine(tree, here);
  return {start, moves: nodes.map(node => node.text)};
}

test("a picture of the game is that of the line through the position", () => {
  const tree = game([0, "a"], [1, "b"], [2, "c"], [1, "d"], [4, "e"]);
  assert.deepEqual(line(tree, false), {start: START, moves: ["a", "b", "c"]});
  tree.select(after(tree, "d"));
  assert.deepEqual(line(tree, false), {start: START, moves: ["a", "d", "e"]});
  assert.deepEqual(line(tree, true), {start: tree.node.fen, moves: ["e"]});
  tree.select(after(tree, "e"));
  assert.deepEqual(line(tree, true).moves, []);
});

test("it begins at the last position that was set up, and ends before the next", () => {
  const tree = game([0, "a"], [1, "b", true], [2, "c"], [3, "d", true], [4, "e"]);
  tree.select(after(tree, "b"));
  const start = tree.node.fen;
  assert.deepEqual(line(tree, true), {start, moves: ["c", "d"]});
  assert.deepEqual(line(tree, false), {start, moves: ["c", "d"]});
});

test("a capture is shown jump by jump, and a man is crowned at its end", () => {
  const moves = [
    {path: [22, 15, 6, 13], captured: [18, 10, 9]},
    {path: [27, 32], captured: []},
    {path: [13, 9], captured: []},
  ];
  assert.deepEqual(stills("W:W22,K30:B9,10,18,27", /** @type {any} */ (moves)), [
    {fen: "W:W22,K30:B9,10,18,27", last: [], milliseconds: 1000},
    {fen: "W:W15,K30:B9,10,27", last: [22, 15], milliseconds: 350},
    {fen: "W:W6,K30:B9,27", last: [22, 15, 6], milliseconds: 350},
    {fen: "B:W13,K30:B27", last: [22, 15, 6, 13], milliseconds: 1000},
    {fen: "W:W13,K30:BK32", last: [27, 32], milliseconds: 1000},
    {fen: "B:W9,K30:BK32", last: [13, 9], milliseconds: 3000},
  ]);
});

test("the story and the accuracy stand in the comment before the first move", () => {
  const said = "Black lost the game at 19. 18-22. It was even until then. Black: 3 of 4 best.";
  const commands = "[%kr game exp=0.50 accuracy=88.1/-] [%kr story Black lost the game at <move=19. 18-22>.]";
  const root = {comments: ["by Ann", `${commands} [%kr story It was even until then.] ${said}`]};
  speak("en", {}, textsOf("en"));
  assert.deepEqual(storyOf(root), [
    {say: "story.turn.lost", with: {side: "black", move: "19. 18-22", slip: ""}},
    "It was even until then.",
  ]);
  assert.deepEqual(accuracyOf(root), {black: 88.1, white: null});
  assert.equal(figuresOf(root), "Black: 3 of 4 best.");
  assert.deepEqual([storyOf({comments: []}), accuracyOf({comments: ["[%kr game]"]})], [[], null]);
});
