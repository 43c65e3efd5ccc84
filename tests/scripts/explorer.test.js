import assert from "node:assert/strict";
import {test} from "node:test";
import {scoreWords} from "../../kr/page/static/analysis/words.js";
import {bookScore, lossWords, pathWords} from "../../kr/page/static/book.js";
import * as state from "../../kr/page/static/explorer/state.js";

const RESULTS = {games: 10, black: 1, draws: 1, white: 1, other: 7, average: 0.5, first: 1901, last: 1960};
const GAME = {
  archive: 0,
  number: 3,
  event: "Glasgow",
  black: "Ann",
  white: "",
  date: "1901.05.??",
  result: "1-0",
  moves: 6,
  line: 7,
  ply: 1,
  turned: true,
};
const ARCHIVE = {
  number: 0,
  name: "a.pdn",
  archive: true,
  added: false,
  lasting: true,
  open: true,
  opening: false,
  share: 1,
  error: "",
  games: 3,
  left_out: 0,
  complaints: [],
};
const FEN = "B:W32:B1";

test("per cents of results add up to a hundred", () => {
  for (const [black, draws, white] of [
    [1, 1, 1],
    [2, 0, 1],
    [0, 0, 5],
    [19, 66, 15],
    [1, 998, 1],
    [7, 7, 7],
  ]) {
    const shares = state.percents({black, draws, white});
    assert.equal(
      shares?.reduce((sum, each) => sum + each, 0),
      100,
    );
  }
  assert.deepEqual(state.percents({black: 2, draws: 0, white: 1}), [67, 0, 33]);
  assert.equal(state.percents({black: 0, draws: 0, white: 0}), null);
  assert.equal(state.resultWords(RESULTS), "Black won 34 %, drawn 33 %, White won 33 %");
  assert.equal(state.totalWords(RESULTS), "10 games, 1901–1960");
});

test("a game is known by its players and its year", () => {
  assert.equal(state.gameName(GAME), "Ann – ?, 1901");
  assert.equal(state.gameName({...GAME, date: "????.??.??"}), "Ann – ?");
  assert.equal(state.gameFacts(GAME), "Glasgow · 1901.05 · 6 moves · colours reversed");
  assert.equal(state.pageWords({found: 2500, start: 40, games: Array(20).fill(GAME)}, 20), "41 to 60 of 2,500 games");
  assert.equal(state.pageWords({found: 0, start: 0, games: []}, 20), "No games");
});

test("scores are told in men, and what is proved in words", () => {
  const told = (/** @type {import("../../kr/page/static/explorer/state.js").Score} */ score, turned = false) => [
    scoreWords(score, turned),
    state.scoreTitle(score, turned),
  ];
  assert.deepEqual(told({score: 44, depth: 14}), ["+0.44", "+0.44 (depth 14)"]);
  assert.deepEqual(told({score: 44, depth: 14}, true), ["−0.44", "−0.44 (depth 14)"]);
  assert.deepEqual(told({score: -4, depth: 3}), ["−0.04", "−0.04 (depth 3)"]);
  assert.deepEqual(told({score: 900, value: "win", plies: 61, depth: 9}), ["win in 31 moves", "win in 31 moves"]);
  assert.deepEqual(told({score: 900, value: "win", plies: 1}, true)[0], "loss in 1 move");
  assert.deepEqual(told({score: null, value: "draw", plies: null}, true)[0], "draw");
  assert.deepEqual(told({score: null}), ["", ""]);
});

test("the deepest score stays, and what is proved", () => {
  const scores = new state.Scores();
  scores.put(FEN, {"1-5": {score: 40}, "1-6": {score: 10}}, 14);
  scores.put(FEN, {"1-5": {score: -90}}, 3);
  assert.deepEqual(scores.of(FEN)["1-5"], {score: 40, depth: 14});
  scores.put(FEN, {"1-5": {score: 50}}, 14);
  scores.put(FEN, {"1-6": {score: null, value: "win", plies: 9}}, 0);
  scores.put(FEN, {"1-6": {score: 20, depth: 15}});
  assert.deepEqual(scores.of(FEN), {
    "1-5": {score: 50, depth: 14},
    "1-6": {score: 20, depth: 15, value: "win", plies: 9},
  });
  assert.equal(scores.depth(FEN), 15);
  // a move that a deeper search has found worse has no score any more, until a still deeper one gives it one
  scores.put(FEN, {"1-5": {score: null, worse: true}}, 13);
  assert.equal(scores.of(FEN)["1-5"].score, 50);
  scores.put(FEN, {"1-5": {score: null, worse: true}}, 16);
  assert.deepEqual(scores.of(FEN)["1-5"], {score: null, worse: true, depth: 16});
  scores.put(FEN, {"1-5": {score: 40}}, 17);
  assert.deepEqual(scores.of(FEN)["1-5"], {score: 40, depth: 17});
  assert.equal(scores.isWhole(FEN), false);
  scores.finish(FEN);
  // they outlive the page
  const again = new state.Scores(JSON.parse(JSON.stringify(scores.state())));
  assert.deepEqual(again.of(FEN), scores.of(FEN));
  assert.equal(again.isWhole(FEN), true);
  assert.deepEqual(new state.Scores({rubbish: 1}).of(FEN), {});
});

test("scores of few positions are remembered, the last that were used", () => {
  const scores = new state.Scores();
  for (let i = 0; i < 400; i++) {
    scores.put("first", {a: {score: 1}}, 1);
    scores.put(`position ${i}`, {a: {score: i}}, 1);
  }
  assert.equal(scores.state().length, 300);
  assert.equal(scores.of("first").a.score, 1);
  assert.deepEqual(scores.of("position 0"), {});
});

test("archives are chosen as before, as they were left, or because they are archives", () => {
  const files = [ARCHIVE, {...ARCHIVE, number: 1, name: "b.pdn", archive: false}];
  const chosen = (/** @type {any[]} */ before, /** @type {string[] | null} */ names) =>
    state.withChoice(files, before, names).map(each => each.chosen);
  assert.deepEqual(chosen([], null), [true, false]);
  assert.deepEqual(chosen([], ["b.pdn"]), [false, true]);
  assert.deepEqual(chosen([{...ARCHIVE, chosen: false}], ["a.pdn"]), [false, false]);
  // the only one is explored where another was before, but not where none was
  const only = (/** @type {string[]} */ names) => state.withChoice([files[0]], [], names)[0].chosen;
  assert.deepEqual([only(["c.pdn"]), only([])], [true, false]);
  assert.deepEqual(
    state.exploredOf(state.withChoice([{...ARCHIVE, open: false}, files[1]], [], ["a.pdn", "b.pdn"])),
    [1],
  );
});

test("the state of an archive in words", () => {
  const words = (/** @type {object} */ change) => state.archiveWords({...ARCHIVE, ...change});
  assert.equal(words({}), "3 games");
  assert.equal(words({added: true, lasting: false}), "3 games, until kr web ends");
  assert.equal(words({open: false, opening: true, share: 0.416}), "making its index: 42 %");
  assert.equal(words({error: "the file is damaged"}), "the file is damaged");
});

test("a search asks for players of a side, or of either", () => {
  const form = {
    player: " Ann ",
    against: "",
    side: "",
    event: "",
    year: "1900-",
    result: "",
    opening: "",
    reversed: false,
  };
  assert.deepEqual(state.conditions(form), {
    reversed: false,
    event: "",
    year: "1900-",
    result: "",
    opening: "",
    players: ["Ann"],
  });
  const {white, black, players} = /** @type {any} */ (state.conditions({...form, side: "white", against: "Bob"}));
  assert.deepEqual([white, black, players], ["Ann", "Bob", undefined]);
});

test("a line is called by its most specific name and its ballot", () => {
  const names = [{name: "Single Corner"}, {name: "Old Fourteenth"}];
  assert.equal(state.openingWords({names, ballot: {number: 158}}), "Old Fourteenth (ballot 158)");
  assert.equal(state.openingWords({names, ballot: null}), "Old Fourteenth");
  assert.equal(state.openingWords({names: [], ballot: {number: 7}}), "Ballot 7");
  assert.equal(state.openingWords({names: [], ballot: null}), "");
});

const STEP = {path: [11, 15], captured: [], opening: ""};
const KNOWN = {value: 6, loss: 0, depth: 20, games: 64};
const BOOK = /** @type {import("../../kr/page/static/explorer/state.js").BookAnswer} */ ({
  fen: FEN,
  side: "black",
  opening: "",
  book: true,
  cook: "a",
  cooked: "c",
  moves: [
    {...STEP, text: "a", fen: "A", book: KNOWN},
    {...STEP, text: "b", fen: "B", book: {value: null, loss: null, depth: 0, games: 0}},
    {...STEP, text: "c", fen: "C", book: {value: -31, loss: 37, depth: 9, games: 1024}},
    {...STEP, text: "d", fen: "D", book: null},
  ],
});

test("games and the book stand in one table: what was played most first, then the book's order", () => {
  const played = ["D", "C", "A", "B"].map((fen, i) => ({
    ...STEP,
    text: "other",
    fen,
    ...RESULTS,
    games: [7, 9, 0, 0][i],
  }));
  const texts = (/** @type {any} */ given) =>
    state.joined(BOOK, given, null).map(each => [each.text, each.games, each.mark]);
  assert.deepEqual(texts(played), [
    ["c", 9, "cooked"],
    ["d", 7, ""],
    ["a", 0, "cook"],
    ["b", 0, ""],
  ]);
  assert.deepEqual(
    texts(null).map(([text, games]) => [text, games]),
    [
      ["a", 0],
      ["b", 0],
      ["c", 0],
      ["d", 0],
    ],
  );
});

/** @type {import("../../kr/page/static/explorer/state.js").SelfPlay} */
const OWN = {
  games: 1000,
  nodes: 2000,
  total: {games: 12, black: 3, draws: 8, white: 1},
  moves: {C: {games: 8, black: 2, draws: 5, white: 1}, E: {games: 4, black: 1, draws: 3, white: 0}},
};

test("kr's own games stand beside the book's moves, before those that neither has, and say that they are kr's", () => {
  const book = {...BOOK, moves: [...BOOK.moves, {...STEP, text: "e", fen: "E", book: null}]},
    moves = state.joined(book, null, OWN);
  assert.deepEqual(
    moves.map(({text, own}) => [text, own?.games]),
    [
      ["a", undefined],
      ["b", undefined],
      ["c", 8],
      ["e", 4],
      ["d", undefined],
    ],
  );
  assert.equal(
    moves[3].own && state.ownWords(moves[3].own),
    "4 games of kr against itself: Black won 25 %, drawn 75 %, White won 0 %",
  );
  assert.equal(
    state.sourceWords(OWN, false),
    "Results: 1,000 games that kr played against itself, 2,000 nodes a move, from random ballots; not people's.",
  );
});

test("what the book says of a move, and of a cook", () => {
  const moves = state.joined(BOOK, null, OWN);
  const [a, b, c] = moves.map(each => each.book);
  assert.ok(a && b && c);
  assert.deepEqual([state.bookWords(a, false), state.bookWords(a, true)], ["+0.06", "−0.06"]);
  assert.deepEqual([state.atLeast(a), state.atLeast(b), state.atLeast(c)], ["64+", "", "1,024+"]);
  assert.equal(state.bookTitle(a, false), "book +0.06 (depth 20), played in 64 games or more");
  assert.equal(state.bookWords(b, false), "worse");
  assert.equal(state.bookTitle(b, false), "the book has it as worse than its other moves");
  assert.equal(state.bookWords({...KNOWN, value: 10000}, false), "win");
  assert.equal(state.bookWords({...KNOWN, value: 10000}, true), "loss");
  assert.equal(state.markWords(moves[0], moves), "a cook: 0.37 better than c, which people play most");
  assert.equal(state.markWords(moves[2], moves), "cooked: people play it most, and a is 0.37 better");
  assert.equal(state.markWords(moves[1], moves), "");
  const unsure = moves.map(each =>
    each.text === "c" && each.book ? {...each, book: {...each.book, loss: null}} : each,
  );
  assert.equal(state.markWords(unsure[0], unsure), "a cook: better than c, which people play most");
  assert.equal(state.ownState(BOOK, OWN), "12 games of kr against itself");
  const none = {...OWN, total: {games: 0, black: 0, draws: 0, white: 0}},
    open = {...BOOK, moves: [BOOK.moves[3]]};
  assert.equal(state.ownState(open, none), "The book does not have this position.");
  assert.equal(state.ownState(open, OWN), "12 games of kr against itself. The book does not have this position.");
  assert.equal(state.ownState({...BOOK, book: false, moves: []}, none), "");
});

test("who left the book, with which move, and what it plays", () => {
  const left = {ply: 1, side: /** @type {const} */ ("white"), move: "21-17", best: "22-18", value: -3, loss: 37};
  const words = (/** @type {object} */ change, turned = false) =>
    pathWords({plies: 2, left: {...left, ...change}}, "1... 21-17", turned);
  assert.equal(words({}), "White left the book with 1... 21-17: 22-18 is 0.37 better");
  assert.equal(words({loss: null}), "White left the book with 1... 21-17: the book plays 22-18 (−0.03)");
  assert.equal(words({loss: null}, true), "White left the book with 1... 21-17: the book plays 22-18 (+0.03)");
  assert.equal(words({loss: 254, side: "black"}), "Black left the book with 1... 21-17: the book plays 22-18 (−0.03)");
  assert.equal(pathWords({plies: 4, left: null}, "2... 24-20", false), "The book ends after 2... 24-20");
  assert.deepEqual([lossWords(null), lossWords(15), lossWords(254)], ["", "0.15", ""]);
  assert.deepEqual(bookScore(-10000), {score: null, value: "loss", plies: null});
});
