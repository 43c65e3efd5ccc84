import assert from "node:assert/strict";
import {test} from "node:test";
import {gameDocument, MOST_CHARACTERS, MOST_NODES, readDocument} from "../../kr/page/static/answers/document.js";
import {Reader} from "../../kr/page/static/answers/pdn/reader.js";
import {Game} from "../../kr/page/static/answers/pdn/tree.js";
import {writeGame} from "../../kr/page/static/answers/pdn/writer.js";
import {Position} from "../../kr/page/static/answers/rules.js";
import {KrError} from "../../kr/page/static/answers/text.js";

const START = new Position().fen;

/** @returns {any} */
const documentOf = (/** @type {string} */ text) =>
  gameDocument(new Reader(`${text}\n`).readGame() ?? assert.fail(`no game: ${text}`));
const changed = (/** @type {object} */ fields) => ({...documentOf("1. 11-15 (1. 9-13) 23-19 *"), ...fields});

/** @param {number} number @param {object} fields */
function node(number, fields) {
  const document = changed({});
  Object.assign(document.nodes[number], fields);
  return document;
}
const arrow = (/** @type {any} */ shape) => node(1, {arrows: [shape]});

test("only the start is needed, and moves may be text or a path", () => {
  assert.deepEqual(gameDocument(readDocument({start: START})), gameDocument(new Game()));
  const nodes = [{parent: null}, {parent: 0, text: "11-15"}, {parent: 1, path: [23, 19], text: "a1b2"}];
  assert.match(writeGame(readDocument({start: START, nodes})), /\n1\. 11-15 23-19 \*/);
  // half of a character does no harm
  const {headers, comments} = readDocument({
    start: START,
    headers: {Event: "\ud83d", "²": "x", constructor: "b"},
    nodes: [{parent: null, comments: ["\udc00é"]}],
  });
  assert.deepEqual([[...headers.values()], comments], [["?", "x", "b"], ["?é"]]);
});

test("an illegal variation goes on as text, and stays one move", () => {
  const nodes = [
    {parent: null},
    {parent: 0, text: "11-15"},
    {parent: 0, text: "11-20"},
    {parent: 2, path: [23, 19], text: "a1b2"},
    {parent: 2, text: "23:18", nags: ["*"]},
  ];
  assert.match(writeGame(readDocument({start: START, nodes})), /1\. 11-15 \(1\. 11-20 a1b2 \(1\.\.\. 23:18\*\)\) \*/);
});

const REFUSED = /** @type {[any, string][]} */ ([
  [[], "a game is a JSON object"],
  [null, "a game is a JSON object"],
  [{}, "start is missing"],
  [{start: "W:W21:B21"}, "FEN 'W:W21:B21': square 21 holds both"],
  [changed({start: 7}), "start is not text"],
  [changed({extra: 1}), "a game has no field 'extra'; it has headers, start, result, nodes"],
  [changed({result: "3-0"}), "result '3-0' is not one of"],
  [changed({result: null}), "result is missing"],
  [changed({headers: []}), "headers is not an object"],
  [changed({headers: {"a b": "c"}}), "a header can't be called 'a b'"],
  [changed({headers: {'x"]': "c"}}), "a header can't be called"],
  [changed({headers: {Event: 1}}), "header Event is not text"],
  [changed({headers: {Event: "x".repeat(MOST_CHARACTERS)}}), "a game with more than 1,000,000 characters"],
  [changed({nodes: {}}), "nodes is not a list"],
  [changed({nodes: [7]}), "node 0 is not an object"],
  [changed({nodes: Array(MOST_NODES + 1).fill({parent: null})}), "a game of 20001 nodes; at most 20000"],
  ...[{parent: null}, {parent: 1}, {parent: -1}, {parent: false}, {parent: 1.5}, {parent: "0"}].map(fields => [
    node(1, fields),
    fields.parent === null
      ? "node 1: only node 0, the start, is without a parent"
      : "node 1: its parent is not the number of a node before",
  ]),
  [node(0, {parent: 0}), "node 0: only node 0"],
  [node(1, {path: [11, 16, 20]}), "node 1: 11-16-20 is not legal; legal moves: 9-13, "],
  ...[[11, 33], ["11", "15"], Array(33).fill(11), [true, 15], "11-15", [11, 15.5], {}].map(path => [
    node(1, {path}),
    "node 1: path",
  ]),
  [node(1, {path: null, text: null}), "node 1: text is missing"],
  [node(1, {path: null, text: "11-20"}), "node 1: 11-20 is not legal"],
  ...["11-15 } 1-0", `11${"-15".repeat(50)}`, "1-0-", "11-15\n", '1-2) [Event "x"]'].map(text => [
    node(1, {path: null, text}),
    "node 1: ",
  ]),
  [node(1, {comments: "x"}), "node 1: comments is not a list"],
  [node(1, {comments: [3]}), "node 1: one of comments is not text"],
  [node(1, {starting_comments: [null]}), "node 1: one of starting_comments is missing"],
  [node(1, {nags: ["great"]}), "node 1: 'great' is not a judgement"],
  [node(1, {nags: ["! {"]}), "node 1: '! {' is not a judgement"],
  [node(1, {nags: ["$1234"]}), "node 1: '$1234' is not a judgement"],
  [node(1, {comments: Array(MOST_CHARACTERS).fill("")}), "a game with more than 1,000,000 characters"],
  [node(1, {setup: 1}), "node 1: setup is neither true nor false"],
  [node(1, {setup: true, fen: null}), "node 1: fen is missing"],
  [node(2, {setup: true, fen: "W:WK1:B5"}), "node 2: W:WK1:B5 can't be set up there: the other side is"],
  [node(3, {path: null, text: "1-2", setup: true, fen: "W:WK1:B5"}), "node 3: no position can be set up after 1-2"],
  [node(1, {circles: 7}), "node 1: circles is not a list"],
  ...[null, 5, {colour: "GR", from: 11, to: 15}, {colour: "R", from: 1, to: 33}, {from: 1, to: 5}].map(shape => [
    arrow(shape),
    'node 1: arrows are {"colour": one of GRYB, "from": 1 to 32, "to": 1 to 32}',
  ]),
]);

test("anything else is refused with one line", () => {
  for (const [given, why] of REFUSED)
    assert.throws(
      () => readDocument(given),
      error => {
        if (!(error instanceof KrError)) throw error;
        assert.ok(error.message.startsWith(why), `${error.message} / ${why}`);
        return !error.message.includes("\n") && error.message.length < 400;
      },
    );
});

test("a game of most nodes is read and written in no time", () => {
  const game = new Game([], Position.fromFen("W:WK31:BK2"));
  let last = /** @type {import("../../kr/page/static/answers/pdn/tree.js").GameNode} */ (game),
    count = 1;
  for (let ply = 0; count < MOST_NODES - 10; ply++) {
    const following = last.addVariation(["31-26", "2-7", "26-31", "7-2"][ply % 4]),
      others = last.position.legalMoves();
    for (const move of others) last.addVariation(String(move));
    count += others.length + 1;
    last = following;
  }
  const document = JSON.parse(JSON.stringify(gameDocument(game)));
  assert.equal(document.nodes.length, count);
  assert.deepEqual(gameDocument(readDocument(document)), document);
});
