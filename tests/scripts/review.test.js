import assert from "node:assert/strict";
import {afterEach, test} from "node:test";
import {GameTree} from "../../kr/viewer/static/tree.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";
import {Review, firmness, limitOf, pathIn, peopleText, personOf, tell} from "../../kr/page/static/review/state.js";

const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
const STORY =
  "[%kr game exp=0.50 accuracy=91.0/-] [%kr story White resigned a lost position.] " +
  "[%kr story White lost the game at <move=1... 24-20>, a trap into which <percent=72> of 100 people fall.] " +
  "[%kr story The players agreed to a draw although White had a won position.] " +
  "White resigned a lost position. White lost the game at 1... 24-20, a trap into which 72 of 100 people fall. " +
  "The players agreed to a draw although White had a won position. Black: accuracy 91.0. White: no move judged.";

/** A node of a document. @param {number | null} parent @param {string} text @param {string} fen @param {object} more */
const made = (parent, text, fen, more = {}) => ({
  parent,
  text,
  path: [1, 2],
  captured: [],
  fen,
  comments: [],
  starting_comments: [],
  nags: [],
  ...more,
});

/** 11-15 24-20?? (22-17) 8-11, reviewed or not. @param {boolean} reviewed @param {Record<string, string>} [headers] */
function game(reviewed, headers = {}) {
  const tree = /** @type {any} */ (new GameTree());
  const said = (/** @type {string} */ text) => ({comments: reviewed ? [text] : []});
  tree.load({
    headers,
    start: START,
    result: "1-0",
    nodes: [
      made(null, "", START, said(STORY)),
      made(0, "11-15", "W:W1", said("[%eval 0.00] [%kr exp=0.50]")),
      made(1, "24-20", "B:W2", {...said("[%eval 0.90] [%kr exp=0.90 nag=??] Blunder"), nags: reviewed ? ["??"] : []}),
      made(2, "8-11", "W:W3", said("[%eval 0.90] [%kr exp=0.90 once]")),
      ...(reviewed ? [made(1, "22-17", "B:W4", said("[%eval 0.00] [%kr line exp=0.50]"))] : []),
    ],
  });
  return tree;
}

/** A review, and how often it has told of a change. @param {any} tree */
function heard(tree) {
  const review = new Review(tree),
    count = {changes: 0};
  review.on("change", () => {
    count.changes += 1;
  });
  return {review, count};
}

afterEach(() => speak("en", {}));

test("what a review has left in a game is there when it is opened again", () => {
  const {review} = heard(game(true));
  assert.equal(review.isReviewed, true);
  assert.deepEqual(review.accuracy(), {black: 91, white: null});
  assert.deepEqual(review.story(), [
    "White resigned a lost position.",
    "White lost the game at 1... 24-20, a trap into which 72 of 100 people fall.",
    "The players agreed to a draw although White had a won position.",
  ]);
  assert.equal(review.report(), "Black: accuracy 91.0. White: no move judged.");
  const [mark, ...others] = review.marks();
  assert.deepEqual(others, []);
  assert.deepEqual([mark.node.text, mark.side, mark.line.text], ["24-20", "white", "22-17"]);
});

test("a game that was never reviewed has nothing of it", () => {
  const {review} = heard(game(false));
  assert.equal(review.isReviewed, false);
  assert.deepEqual(review.accuracy(), {black: null, white: null});
  assert.deepEqual([review.story(), review.marks(), review.report()], [[], [], ""]);
});

test("the story is told to the person who played, and in their language", () => {
  speak("en", {}, textsOf("en"));
  const headers = {BlackPlayer: "shipped,level=3", WhitePlayer: "human"};
  const {review} = heard(game(true, headers));
  assert.equal(review.person, "white");
  assert.equal(review.story()[0], "You resigned a lost position.");
  assert.equal(review.story()[2], "The players agreed to a draw although you had a won position.");
  speak("it", textsOf("it"), textsOf("en"));
  assert.equal(
    tell(game(true).root, "white")[1],
    "Hai perso la partita con 1... 24-20, una trappola in cui cadono 72 persone su 100.",
  );
});

test("the side of the person, by the tags of a game", () => {
  assert.equal(personOf({}), null);
  assert.equal(personOf({BlackPlayer: "human", WhitePlayer: "human"}), null);
  assert.equal(personOf({BlackPlayer: "human"}), null);
  assert.equal(personOf({BlackPlayer: "human", WhitePlayer: "shipped"}), "black");
});

test("a game that is judged shows what is known by then, move by move", () => {
  const tree = game(true),
    {review, count} = heard(tree);
  review.begin();
  assert.deepEqual(
    review.points().map(point => point.expected),
    [null, null, null, null],
  );
  assert.deepEqual([review.story(), review.marks(), review.report()], [[], [], ""]);
  review.heard([
    {ply: 3, expected: 0.9, kind: "", once: true, reason: ""},
    {ply: 2, expected: 0.9, kind: "blunder", once: false, reason: ""},
  ]);
  assert.equal(review.count(), "2 of 3 moves, 1 blunder");
  assert.equal(review.said, "2 of 3 moves, 1 blunder.");
  assert.deepEqual(
    review.marks().map(mark => mark.node.text),
    ["24-20"],
  );
  assert.equal(count.changes, 2);
  review.finish({document: tree.document(), table: [["Player"]]});
  assert.equal(review.working, false);
  assert.deepEqual(review.table, [["Player"]]);
  assert.equal(review.said, "2 of 3 moves, 1 blunder. Undo takes the marks out.");
});

test("the work stops when the game changes, but not for a variation", () => {
  const tree = game(false),
    {review} = heard(tree);
  /** @type {string[]} */
  const stops = [];
  review.onstop = why => {
    stops.push(why);
    review.end(why);
  };
  review.begin();
  tree.play({text: "9-14", path: [9, 14], captured: [], fen: "W:W9"});
  assert.deepEqual(stops, []);
  assert.equal(review.working, true);
  tree.end();
  while (tree.node.children.length) tree.next();
  tree.select(tree.main().at(-1));
  tree.play({text: "22-18", path: [22, 18], captured: [], fen: "B:W8"});
  assert.deepEqual(stops, ["The moves of the game were changed."]);
  assert.equal(review.judging, null);
  review.begin();
  tree.load(game(false).document());
  assert.deepEqual(stops.slice(1), ["Another game was opened."]);
  assert.equal(review.said, "");
});

test("the path to the same moves in another document", () => {
  const document = game(true).document();
  assert.deepEqual(pathIn(document, ["11-15", "22-17"]), [0, 1]);
  assert.deepEqual(pathIn(document, ["11-15", "24-20", "9-14"]), [0, 0]);
  assert.deepEqual(pathIn(document, ["9-14"]), []);
});

test("how firm a mark is depends on the searches and the limit", () => {
  const point = {once: false, evaluation: "0.9"};
  const words = (/** @type {object} */ more, limit = "") => firmness(/** @type {any} */ ({...point, ...more}), limit);
  assert.match(words({}), /^Fairly firm: two searches agree/);
  assert.match(words({}, "200,000 positions"), /two searches of 200,000 positions agree/);
  assert.match(words({once: true}), /^Not firm/);
  assert.match(words({evaluation: "#-5"}), /^Certain/);
  const by = (/** @type {string} */ limit) =>
    limitOf({Annotator: `Somebody; kr 0.3.0 (${limit} a position, weights x)`});
  assert.equal(by("nodes=200000"), "200,000 positions");
  assert.equal(by("0.3s"), "0.3 seconds");
  assert.equal(by("depth=12"), "");
  assert.equal(limitOf({}), "");
});

test("what people play before a mark", () => {
  const node = {text: "24-20", fen: "B:W2"};
  const said = (/** @type {number} */ own, /** @type {number} */ other, holds = true) =>
    peopleText(
      [
        {text: "24-20", path: [], captured: [], fen: "B:W2", people: own, holds},
        {text: "22-17", path: [], captured: [], fen: "B:W4", people: other, holds: true},
      ].sort((a, b) => b.people - a.people),
      node,
    );
  assert.equal(said(0.72, 0.1), "72 of 100 people play 24-20 here; no other move is played more.");
  assert.equal(said(0.2, 0.61), "20 of 100 people play 24-20 here; most play 22-17 (61 of 100).");
  assert.equal(said(0.001, 0.9), "Hardly anyone plays 24-20 here; most play 22-17 (90 of 100).");
  assert.equal(said(0.72, 0.1, false), "People play 24-20 most here.");
  assert.equal(said(0.2, 0.61, false), "People play 22-17 more often than 24-20 here.");
  assert.equal(peopleText([], node), "");
});
