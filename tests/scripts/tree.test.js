import assert from "node:assert/strict";
import {beforeEach, test} from "node:test";
import {GameTree} from "../../kr/viewer/static/tree.js";

/** @import {GameDocument, TreeNode} from "../../kr/viewer/static/tree.js" */

const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";

/** A move as documents have it, its position named by its text. @param {number} parent @param {string} text */
const move = (parent, text, more = {}) => ({
  parent,
  text,
  path: text.split("-").map(Number),
  captured: [],
  fen: `after ${text}`,
  ...more,
});
const illegal = {fen: null, path: []};

// 1. 11-15 (1. 9-13 22-18 (1... 21-17! 5-9)) (1. 12-16) 23-19 (1... 1-2 3-4) 2. 8-11!
/** @type {GameDocument} */
const GAME = {
  headers: {Event: "x"},
  start: START,
  result: "1-0",
  nodes: [
    {parent: null},
    move(0, "11-15"),
    move(1, "23-19"),
    move(2, "8-11", {nags: ["!"]}),
    move(1, "1-2", illegal),
    move(4, "3-4", illegal),
    move(0, "9-13"),
    move(6, "22-18"),
    move(6, "21-17", {nags: ["!"]}),
    move(8, "5-9"),
    move(0, "12-16"),
  ],
};

/** @type {GameTree} */
let tree;
/** @type {string[]} */
let heard;
/** @param {string} text @returns {TreeNode} */
const named = text => {
  const found = [...tree.nodes()].find(node => node.text === text);
  assert.ok(found, text);
  return found;
};
const order = () =>
  [...tree.nodes()]
    .map(node => node.text)
    .join(" ")
    .trim();
const GIVEN = "11-15 23-19 8-11 1-2 3-4 9-13 22-18 21-17 5-9 12-16";

beforeEach(() => {
  tree = new GameTree();
  tree.load(GAME);
  heard = [];
  for (const what of ["node", "edit", "game"]) tree.on(what, node => heard.push(`${what} ${node.text}`));
});

test("a game begins empty", () => {
  const {root, node, result, headers} = new GameTree();
  assert.deepEqual([root.fen, root.children, node === root, result, headers], [START, [], true, "*", {}]);
});

test("nodes stand as they are written, and a document comes back", () => {
  assert.equal(order(), GIVEN);
  assert.deepEqual(
    tree.main().map(node => node.text),
    ["", "11-15", "23-19", "8-11"],
  );
  const again = new GameTree();
  again.load(tree.document());
  assert.deepEqual(again.document(), tree.document());
  assert.deepEqual(
    tree.document().nodes.map(({parent, fen}) => [parent, fen]),
    GAME.nodes.map(({parent, fen}) => [parent, fen === undefined ? START : fen]),
  );
});

test("steps lead along the line, to variations and to marks, and never to an illegal move", () => {
  /** @type {[() => unknown, string][]} */
  const steps = [
    [() => tree.back(), ""],
    [() => tree.next(), "11-15"],
    [() => tree.sibling(-1), "11-15"],
    [() => tree.sibling(1), "9-13"],
    [() => tree.sibling(1), "12-16"],
    [() => tree.sibling(1), "12-16"],
    [() => tree.end(), "12-16"],
    [() => tree.start(), ""],
    [() => tree.mark(1), "8-11"],
    [() => tree.mark(1), "8-11"],
    [() => tree.mark(-1), "8-11"],
    [() => tree.select(named("5-9")), "5-9"],
    [() => tree.mark(-1), "21-17"],
    [() => tree.select(named("1-2")), "21-17"],
    [() => tree.select(null), "21-17"],
    [() => tree.end(), "5-9"],
  ];
  for (const [step, text] of steps) {
    const before = tree.node;
    assert.equal(step(), tree.node !== before, text);
    assert.equal(tree.node.text, text);
  }
  assert.deepEqual(tree.path(), [1, 1, 0]);
  assert.deepEqual(
    tree.line().map(node => node.text),
    ["", "9-13", "21-17", "5-9"],
  );
  assert.deepEqual(tree.path(named("3-4")), [0, 1, 0]);
});

test("a game is shown where its path leads, as far as that is legal", () => {
  for (const [path, text] of /** @type {[number[], string][]} */ ([
    [[1, 1, 0], "5-9"],
    [[0, 1, 0], "11-15"],
    [[0, 0, 0, 0], "8-11"],
    [[7], ""],
  ])) {
    tree.load(GAME, path);
    assert.equal(tree.node.text, text);
  }
});

test("a known move is gone along, another is a new variation", () => {
  tree.next();
  const known = tree.play({text: "23-19", path: [23, 19], fen: "after 23-19"});
  assert.equal(known, named("23-19"));
  assert.equal(tree.canUndo, true); // the game that was loaded
  tree.back();
  heard = [];
  const added = tree.play({text: "24-20", path: [24, 20], captured: [], fen: "after 24-20"});
  assert.deepEqual(heard, ["edit 24-20", "node 24-20"]);
  assert.equal(order(), GIVEN.replace("3-4", "3-4 24-20"));
  assert.deepEqual([added.ply, added.parent?.text, added.comments], [2, "11-15", []]);
  tree.undo();
  assert.deepEqual([order(), tree.node.text], [GIVEN, "11-15"]);
  tree.redo();
  assert.deepEqual([order(), tree.node.text], [GIVEN.replace("3-4", "3-4 24-20"), "24-20"]);
});

/** @type {[string, () => boolean, boolean, string][]} */
const CHANGES = [
  ["one place up", () => tree.promote(named("12-16")), true, "11-15 23-19 8-11 1-2 3-4 12-16 9-13 22-18 21-17 5-9"],
  [
    "the last variation alone",
    () => tree.promote(named("5-9")),
    true,
    "11-15 23-19 8-11 1-2 3-4 9-13 21-17 5-9 22-18 12-16",
  ],
  [
    "all of its line",
    () => tree.promote(named("5-9"), true),
    true,
    "9-13 21-17 5-9 22-18 11-15 23-19 8-11 1-2 3-4 12-16",
  ],
  ["what is played already", () => tree.promote(named("8-11")), false, GIVEN],
  ["an illegal variation", () => tree.promote(named("3-4")), false, GIVEN],
  ["a move and all that follows", () => tree.remove(named("9-13")), true, "11-15 23-19 8-11 1-2 3-4 12-16"],
  ["a move before an illegal one", () => tree.remove(named("23-19")), false, GIVEN],
  ["the start", () => tree.remove(tree.root), false, GIVEN],
];

for (const [what, change, done, after] of CHANGES) {
  test(`promoted or removed: ${what}`, () => {
    tree.select(named("5-9"));
    assert.equal(change(), done);
    assert.equal(order(), after);
    assert.equal(tree.node.text, after.includes("5-9") ? "5-9" : "");
    if (done) assert.ok(tree.undo());
    assert.deepEqual([order(), tree.node.text], [GIVEN, "5-9"]);
    if (done) assert.ok(tree.redo());
    assert.equal(order(), after);
  });
}

test("what is said and drawn is changed, undone and written", () => {
  const node = named("23-19");
  const drawn = {arrows: [{colour: /** @type {const} */ ("G"), from: 11, to: 15}], circles: []};
  tree.annotate(node, {comments: ["good"], nags: ["!"]});
  tree.annotate(node, drawn);
  tree.annotate(node, structuredClone(drawn));
  const [written] = tree.document().nodes.filter(({text}) => text === "23-19");
  assert.deepEqual([written.comments, written.nags, written.arrows], [["good"], ["!"], drawn.arrows]);
  assert.ok(!("circles" in written));
  assert.deepEqual(heard, ["edit ", "edit "]);
  tree.undo();
  assert.deepEqual([node.arrows, node.comments], [[], ["good"]]);
  tree.undo();
  assert.deepEqual([node.comments, node.nags], [[], []]);
});

test("headers and the result, and the game before, come back", () => {
  tree.describe({Event: "y"}, "0-1");
  assert.deepEqual([tree.headers, tree.result], [{Event: "y"}, "0-1"]);
  tree.load({start: START, nodes: [{parent: null}]});
  assert.equal(order(), "");
  heard = [];
  tree.undo();
  assert.deepEqual([order(), tree.result, heard], [GIVEN, "0-1", ["game ", "node "]]);
  tree.undo();
  assert.equal(tree.result, "1-0");
  tree.forget();
  assert.deepEqual([tree.undo(), tree.redo(), tree.canUndo, tree.canRedo], [false, false, false, false]);
});

test("a new change takes the place of those that were undone", () => {
  tree.annotate(named("9-13"), {nags: ["?"]});
  tree.undo();
  tree.annotate(named("9-13"), {nags: ["??"]});
  assert.equal(tree.redo(), false);
  assert.deepEqual(named("9-13").nags, ["??"]);
});

test("a game is replayed from the last position that was set up", () => {
  tree.select(named("5-9"));
  assert.deepEqual(tree.replay(), {start: START, moves: ["9-13", "21-17", "5-9"]});
  named("21-17").setup = true;
  assert.deepEqual(tree.replay(), {start: "after 21-17", moves: ["5-9"]});
  assert.equal(tree.origin(), named("21-17"));
  assert.equal(tree.origin(/** @type {any} */ (named("9-13"))), tree.root);
  assert.deepEqual(tree.replay(/** @type {any} */ (named("8-11"))).moves, ["11-15", "23-19", "8-11"]);
});

test("the tag Orientation says which side is below", () => {
  /** @param {string} [tag] */
  const below = tag => {
    tree.load({headers: tag === undefined ? {} : {Orientation: tag}, start: START, nodes: [{parent: null}]});
    return tree.below;
  };
  assert.deepEqual(["black", " White", "B", "w"].map(below), ["black", "white", "black", "white"]);
  assert.deepEqual([undefined, "", "?", "north", "bw"].map(below), ["", "", "", "", ""]);
});
