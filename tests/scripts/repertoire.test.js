import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {words} from "../../kr/page/static/answers/blanks.js";
import {gameDocument, readDocument} from "../../kr/page/static/answers/document.js";
import {Reader} from "../../kr/page/static/answers/pdn/reader.js";
import {writeGame} from "../../kr/page/static/answers/pdn/writer.js";
import {Position, lineJson} from "../../kr/page/static/answers/rules.js";
import {Drill} from "../../kr/page/static/repertoire/drill.js";
import {takeGames} from "../../kr/page/static/repertoire/files.js";
import {Lines, emptyGraph, sideOfGame} from "../../kr/page/static/repertoire/lines.js";
import {MOST_MOVES, RepertoireRecord, isRepertoires} from "../../kr/page/static/repertoire/record.js";
import {numbered, placeWords, rowsOf} from "../../kr/page/static/repertoire/state.js";
import {START} from "../../kr/viewer/static/squares.js";

/** @typedef {import("../../kr/page/static/repertoire/lines.js").BoardLine} BoardLine */

/** Recorded cases: tests/test_repertoire.py is their other reader. */
const CASES = JSON.parse(readFileSync("tests/cases/repertoire.json", "utf8"));

/** The start and the positions after moves. @param {string} moves @returns {BoardLine} */
function line(moves) {
  const start = new Position();
  let at = start;
  const steps = moves ? moves.split(" ") : [];
  const played = steps.map(text => {
    const move = at.parseMove(text);
    at = at.after(move);
    return move;
  });
  return [{text: "", path: [], captured: [], fen: start.fen}, ...lineJson(start, played)];
}

/** @param {string} moves */
const fenAfter = moves => line(moves)[line(moves).length - 1].fen;

/** @param {"black" | "white"} side @param {string[]} marked lines */
function repertoire(side, ...marked) {
  const lines = new Lines(side, emptyGraph());
  for (const moves of marked) assert.ok(lines.mark(line(moves)));
  return lines;
}

/** A store of a browser, of which several tabs are open. @param {{full?: boolean}} [how] */
function store(how = {}) {
  /** @type {Record<string, string>} */
  const all = {};
  return {
    kept: (/** @type {string} */ name, /** @type {any} */ otherwise = null) =>
      JSON.parse(all[name] ?? "null") ?? otherwise,
    keep(/** @type {string} */ name, /** @type {unknown} */ value) {
      if (!how.full) all[name] = JSON.stringify(value);
    },
  };
}

const texts = (/** @type {{text: string}[]} */ moves) => moves.map(move => move.text);

test("a marked move brings the moves before it, and a position stands once", () => {
  const lines = repertoire("white", "11-15 23-19 8-11 22-17 4-8", "11-15 23-19 9-14 22-17 8-11 17-13");
  assert.deepEqual(texts(lines.of(fenAfter(""))), ["11-15"]);
  assert.deepEqual(texts(lines.of(fenAfter("11-15 23-19"))), ["8-11", "9-14"]);
  // the reply after the last own move is not taken
  assert.deepEqual(lines.of(fenAfter("11-15 23-19 8-11 22-17")), []);
  assert.equal(lines.countAnswers(), 4);
  lines.mark(line("11-15 23-19 8-11 22-17 9-14 17-13"));
  // the same position by the other order
  assert.equal(lines.countAnswers(), 4);
  assert.ok(!lines.mark(line("11-15")));
});

test("moves that are drawn by lot are nobody's", () => {
  const lines = new Lines("white", emptyGraph()),
    ballot = {ballot: 3, name: "Ballot 1"};
  assert.ok(!lines.mark(line("9-13 22-18 10-15"), ballot));
  assert.ok(lines.mark(line("9-13 22-18 10-15 25-22"), ballot));
  assert.deepEqual(lines.of(fenAfter("9-13")), []);
  assert.deepEqual(Object.keys(lines.graph.roots), [fenAfter("9-13 22-18 10-15")]);
  // a root on the line counts without being asked for
  assert.ok(lines.mark(line("9-13 22-18 10-15 25-22 6-10 18-14")));
  assert.equal(Object.keys(lines.graph.roots).length, 1);
  const [{headers, nodes}] = lines.documents();
  assert.deepEqual(headers, {Event: "Ballot 1", Repertoire: "White", BallotMoves: "3"});
  assert.deepEqual(
    nodes.map(node => node.text ?? ""),
    ["", "9-13", "22-18", "10-15", "25-22", "6-10", "18-14"],
  );
});

/** Games of a text as documents. @param {string} pdn */
const documentsOf = pdn => [...new Reader(`${pdn}\n`)].map(gameDocument);

for (const {title, pdn, unplayable = 0, written, answers, leavings = []} of CASES.repertoires)
  test(`a recorded repertoire: ${title}`, () => {
    const documents = documentsOf(pdn),
      side = sideOfGame(documents[0].headers) ?? assert.fail("no side"),
      lines = new Lines(side, emptyGraph());
    assert.equal(
      documents.reduce((left, document) => left + lines.take(document).left, 0),
      unplayable,
    );
    const games = lines.documents().map(document => writeGame(readDocument(document)));
    assert.deepEqual(
      games.map(game => words(game.replaceAll(/\[(?:Result|GameType) .*/g, "")).join(" ")),
      written,
    );
    const again = new Lines(side, emptyGraph());
    for (const game of games) for (const document of documentsOf(game)) again.take(document);
    assert.deepEqual(again.graph.moves, lines.graph.moves);
    assert.deepEqual(Object.keys(again.graph.roots), Object.keys(lines.graph.roots));
    for (const [moves, meant] of Object.entries(answers))
      assert.equal(texts(lines.answers(fenAfter(moves))).join(" "), meant);
    assert.equal(lines.countAnswers(), Object.keys(answers).length);
    for (const [moves, ...expected] of leavings) {
      const left = lines.left(line(moves));
      assert.deepEqual(
        left ? [left.who, line(moves)[left.ply + 1].text, texts(left.moves).join(" ")] : null,
        expected[0] && expected,
        moves,
      );
    }
  });

test("recorded weak moves", () => {
  const lines = repertoire("white", "11-15 23-19");
  for (const [title, known, weak] of CASES["weak after 11-15 23-19"]) {
    const book = known.map((/** @type {[string, number, number]} */ [move, value, loss]) => ({
      ...line(`11-15 ${move}`)[2],
      book: {value, loss, depth: 9, games: 4},
    }));
    const [row] = rowsOf(lines, fenAfter("11-15"), {people: [], book}),
      lost = weak?.[1] ? `${weak[1] / 100} better` : "better";
    assert.deepEqual([row.state, row.weak], ["mine", weak ? `by the book ${weak[0]} is ${lost}` : ""], title);
  }
});

test("recorded games that are not taken, and sides", () => {
  for (const text of CASES.refused) {
    const lines = new Lines("black", emptyGraph()),
      [document] = documentsOf(text);
    assert.deepEqual(lines.take(document), {left: 1}, text);
    assert.deepEqual(lines.graph, emptyGraph(), text);
  }
  for (const [name, side] of CASES.sides) assert.equal(sideOfGame({Repertoire: name}), side, name);
});

test("what is unmarked takes along what is reached by it alone", () => {
  const lines = repertoire("white", "11-15 23-19 8-11 22-17 9-14 17-13", "11-15 23-19 9-14 22-17 8-11 17-13");
  lines.unmark(fenAfter("11-15 23-19 8-11"), fenAfter("11-15 23-19 8-11 22-17"));
  // the reply that has no answer now is gone, the position that is reached otherwise stays
  assert.deepEqual(texts(lines.of(fenAfter("11-15 23-19"))), ["9-14"]);
  assert.deepEqual(texts(lines.of(fenAfter("11-15 23-19 8-11 22-17 9-14"))), ["17-13"]);
  lines.unmark(fenAfter("11-15"), fenAfter("11-15 23-19"));
  assert.deepEqual(lines.graph, emptyGraph());
});

test("an opening goes, but for what others lead to", () => {
  const lines = new Lines("white", emptyGraph()),
    moves = "9-13 22-18 10-15 25-22 6-10 18-14";
  lines.mark(line(moves), {ballot: 3});
  lines.graph.roots[fenAfter("")] = {start: fenAfter(""), ballot: [], name: ""};
  lines.mark(line("11-15 23-19"));
  lines.remove(fenAfter("9-13 22-18 10-15"));
  assert.equal(lines.countAnswers(), 1);
  lines.remove(fenAfter(""));
  assert.deepEqual(lines.graph, emptyGraph());
});

test("words on where a line left", () => {
  const lines = repertoire("white", "11-15 23-19 8-11 22-17", "11-15 23-19 9-14 22-17");
  const words = (/** @type {string} */ moves) => placeWords(lines, line(moves), lines.left(line(moves)));
  assert.match(words("11-15 22-18"), /left by 1\.\.\. 22-18: your move there is 23-19/);
  assert.match(words("11-15 23-19 9-13"), /left by 2\. 9-13: it has 8-11 or 9-14/);
  assert.match(words("11-15"), /^Your move here:/);
  assert.equal(numbered(line("11-15 23-19 8-11"), 3), "2. 8-11");
});

test("rows: own moves, replies with an answer, and what people play without one", () => {
  const lines = repertoire("white", "11-15 23-19 8-11 22-17");
  const people = [0.7, 0.04, 0.2].map((share, i) => ({
    ...line(`11-15 23-19 ${["9-14", "9-13", "8-11"][i]}`)[3],
    people: share,
    holds: true,
  }));
  const rows = rowsOf(lines, fenAfter("11-15 23-19"), {people, book: []});
  assert.deepEqual(
    rows.map(({move, state, people: share}) => [move.text, state, share?.people]),
    [
      ["9-14", "unanswered", 0.7],
      ["8-11", "answered", 0.2],
    ],
  );
});

test("games come in and go out again, suggestions apart", () => {
  const first = repertoire("white", "11-15 23-19 8-11 22-17 9-14 17-13", "11-15 23-19 9-14 22-17 8-11 17-13");
  first.graph.moves[fenAfter("11-15")][fenAfter("11-15 23-19")].comments = ["usual"];
  const [document] = first.documents();
  assert.ok(document.nodes.some(node => node.comments?.includes("Transposes")));
  const again = new Lines("white", emptyGraph());
  assert.deepEqual(again.take(document), {left: 0});
  assert.deepEqual(again.graph.moves, first.graph.moves);
  // a book's move is no answer until it is taken over
  document.nodes[2].comments = ["Suggestion (+4)"];
  const book = new Lines("white", emptyGraph());
  book.take(document);
  assert.deepEqual(book.answers(fenAfter("11-15")), []);
  assert.ok(book.of(fenAfter("11-15"))[0].isSuggested);
  assert.deepEqual(
    rowsOf(book, fenAfter("11-15"), {people: [], book: []}).map(({state, comment}) => [state, comment]),
    [["suggested", "(+4)"]],
  );
  book.accept(fenAfter("11-15"), fenAfter("11-15 23-19"));
  assert.deepEqual(texts(book.answers(fenAfter("11-15"))), ["23-19"]);
  // what can't be played is counted, and a wrong tag
  const bad = {...document, nodes: [...document.nodes, {parent: 0, fen: null, text: "1-2"}]};
  assert.deepEqual(new Lines("white", emptyGraph()).take(bad), {left: 1});
  // the reader of a page cuts a game before what can't be played
  const cut = structuredClone(document);
  cut.nodes[cut.nodes.length - 1].comments = ["Not legal from here: 1-2"];
  const short = new Lines("white", emptyGraph());
  assert.deepEqual(short.take(cut), {left: 1});
  assert.ok(!JSON.stringify(short.graph).includes("Not legal"));
  assert.deepEqual(new Lines("white", emptyGraph()).take({...document, headers: {BallotMoves: "x"}}), {left: 1});
  const [root] = document.nodes;
  assert.deepEqual(short.take({...document, nodes: [{...root, comments: ["Not legal from here: 1-32"]}]}), {left: 1});
  /** @type {Record<string, Lines>} */
  const both = {black: new Lines("black", emptyGraph()), white: new Lines("white", emptyGraph())};
  const taken = takeGames([document, {...document, headers: {}}], side => both[side], "black");
  assert.deepEqual(taken, {sides: ["white", "black"], left: 0});
});

test("an opening is whole, also where another one has come to its positions", () => {
  const lines = repertoire("white", "11-15 23-19 8-11 22-17"),
    [whole] = lines.documents();
  lines.take({...whole, headers: {Event: "Behind", BallotMoves: "3"}});
  const behind = fenAfter("11-15 23-19 8-11"),
    text = (/** @type {{nodes: any[]}} */ {nodes}) => nodes.slice(1).map(node => node.text);
  assert.deepEqual(Object.keys(lines.graph.roots), [START, behind]);
  assert.deepEqual(text(lines.documents()[1]), ["11-15", "23-19", "8-11"]);
  assert.deepEqual(text(lines.document(behind)), ["11-15", "23-19", "8-11", "22-17"]);
  const again = new Lines("white", emptyGraph());
  for (const document of lines.documents()) again.take(document);
  assert.deepEqual(again.graph, lines.graph);
});

test("tabs keep what each other changes, and undo only their own", () => {
  const place = store(),
    one = new RepertoireRecord(place),
    other = new RepertoireRecord(place);
  one.change(() => one.lines("white").mark(line("11-15 23-19")));
  other.change(() => other.lines("black").mark(line("9-14")));
  one.change(() => one.lines("white").mark(line("9-14 22-18")));
  other.refresh();
  assert.equal(other.lines("white").countAnswers(), 2);
  assert.equal(other.lines("black").countAnswers(), 1);
  assert.equal(other.canUndo, false);
  assert.ok(one.canUndo && one.undo());
  assert.equal(one.lines("white").countAnswers(), 1);
  assert.equal(new RepertoireRecord(place).lines("black").countAnswers(), 1);
});

test("a browser without room changes nothing", () => {
  const how = {full: false},
    place = store(how),
    record = new RepertoireRecord(place);
  record.change(() => record.lines("white").mark(line("11-15 23-19")));
  how.full = true;
  assert.equal(
    record.change(() => record.lines("white").mark(line("9-14 22-18"))),
    "full",
  );
  assert.equal(record.lines("white").countAnswers(), 1);
  how.full = false;
  const {moves} = record.all.white;
  const many = () => {
    moves.x = Object.fromEntries(
      Array.from({length: MOST_MOVES}, (_, i) => [String(i), {text: "", path: [], captured: []}]),
    );
  };
  assert.equal(record.change(many), "full");
  assert.equal(record.lines("white").countAnswers(), 1);
});

test("what is kept is nothing else", () => {
  const part = () => ({roots: {}, moves: {}, boxes: {}});
  assert.ok(isRepertoires({format: 1, black: part(), white: part()}));
  for (const bad of [
    null,
    {},
    {format: 2, black: part(), white: part()},
    {format: 1, black: part()},
    {format: 1, black: {...part(), boxes: {x: [9, 1]}}, white: part()},
    {format: 1, black: {...part(), moves: {x: {y: {text: 1}}}}, white: part()},
    {format: 1, black: {...part(), roots: {x: {}}}, white: part()},
  ])
    assert.ok(!isRepertoires(bad));
});

test("what was missed comes again after 1, 3, 7 and 21 days", () => {
  const record = new RepertoireRecord(store()),
    fen = fenAfter("11-15");
  record.change(() => record.lines("white").mark(line("11-15 23-19")));
  record.miss("white", fen, 100);
  assert.deepEqual(record.due("white", 100), []);
  let day = 100;
  for (const wait of [1, 3, 7, 21]) {
    day += wait;
    assert.deepEqual(record.due("white", day - 1), []);
    assert.deepEqual(record.due("white", day), [fen]);
    record.solve("white", fen, day);
  }
  assert.deepEqual(record.due("white", 10_000), []);
  record.miss("white", fen, 200);
  record.change(() => record.lines("white").unmark(fen, fenAfter("11-15 23-19")));
  assert.deepEqual(record.all.white.boxes, {});
});

test("training plays the replies of people, and asks for the rest", () => {
  const lines = repertoire("white", "11-15 23-19 8-11 22-17", "11-15 23-19 9-14 27-23", "12-16 24-20"),
    values = [0, 0.98, 0.5];
  const drill = new Drill(lines, {random: () => values.shift() ?? 0});
  assert.equal(drill.begin(), "reply");
  // 11-15 has nearly all of it; 0.98 of the sum of both is the other
  const shares = new Map([
    [fenAfter("11-15"), 0.9],
    [fenAfter("12-16"), 0.05],
  ]);
  assert.equal(drill.reply(shares).text, "12-16");
  assert.equal(drill.step, "asking");
  assert.ok(!drill.answer(line("12-16 22-18")[2]));
  assert.ok(!drill.answer(line("12-16 22-17")[2]));
  assert.ok(drill.answer(line("12-16 24-20")[2]));
  assert.deepEqual([drill.right, drill.missed, drill.isClean, drill.goesOn], [0, 1, false, false]);
  // a line from a position
  assert.equal(drill.begin(fenAfter("11-15 23-19 8-11")), "own");
  assert.deepEqual(texts(drill.moves), ["11-15", "23-19", "8-11"]);
  assert.equal(drill.show().text, "22-17");
  assert.equal(drill.missed, 2);
  // another position than those of the repertoire: from the start
  assert.equal(drill.begin(fenAfter("9-13")), "reply");
});

test("training asks for missed positions alone, and for nothing that is only suggested", () => {
  const lines = repertoire("white", "11-15 23-19", "12-16 24-20"),
    drill = new Drill(lines, {queue: [fenAfter("12-16"), fenAfter("11-15")]});
  assert.equal(drill.begin(), "own");
  assert.deepEqual(texts(drill.moves), ["12-16"]);
  assert.ok(drill.answer(line("12-16 24-20")[2]));
  assert.ok(!drill.goesOn);
  assert.equal(drill.begin(), "own");
  assert.ok(drill.answer(line("11-15 23-19")[2]));
  assert.equal(drill.begin(), "over");
  assert.equal(drill.result(), "2 moves known, none missed.");
  lines.graph.moves[fenAfter("11-15")][fenAfter("11-15 23-19")].comments = ["Suggestion (+4)"];
  assert.ok(!new Drill(lines).isTrained(fenAfter("11-15")));
  assert.ok(new Drill(lines).isTrained(fenAfter("")));
});

test("a line of kings that comes back ends there", () => {
  const start = Position.fromFen("B:WK32:BK1");
  let at = start;
  const played = ["1-5", "32-28", "5-1", "28-32", "1-5", "32-28", "5-1"].map(text => {
    const move = at.parseMove(text);
    at = at.after(move);
    return move;
  });
  const walk = [{text: "", path: [], captured: [], fen: start.fen}, ...lineJson(start, played)];
  const lines = new Lines("black", emptyGraph());
  assert.ok(lines.mark(walk));
  const drill = new Drill(lines, {random: () => 0});
  assert.equal(drill.begin(), "own");
  assert.ok(drill.answer(walk[1]));
  assert.ok(drill.goesOn);
  assert.equal(drill.reply(new Map()).text, "32-28");
  assert.ok(drill.answer(walk[3]));
  // 28-32 is the start again
  assert.ok(!drill.goesOn);
});
