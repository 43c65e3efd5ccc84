// A person's games in figures, by tests/cases/player.json: games as kr annotate has marked them, their endings with the
// values of the shipped database, and for either side the mistakes and endings that Python has found in them; which
// puzzles train which mistakes, and the pieces of openings and endings (tests/test_annotate_mistakes.py).

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {gameDocument} from "../../kr/page/static/answers/document.js";
import {readText} from "../../kr/page/static/answers/pasted_games.js";
import {LEAST_GAMES, THEMES, endingOf, figuresOf, meanOf} from "../../kr/page/static/player/figures.js";
import {endingPositions, listed, read, sideIn} from "../../kr/page/static/player/game.js";
import {YOU} from "../../kr/page/static/library/cards.js";
import {Reading} from "../../kr/page/static/player/reading.js";
import {OwnMistakes} from "../../kr/page/static/player/training.js";
import {endingName, keptText, mistakeName, scoreText, spanText} from "../../kr/page/static/player/words.js";
import {ENDING, OPENING} from "../../kr/page/static/review/summary.js";
import {themeNames} from "../../kr/page/static/learn/state.js";
import {lacksBest} from "../../kr/page/static/review/state.js";

/** @typedef {import("../../kr/page/static/player/game.js").GameFacts} GameFacts */

const CASES = JSON.parse(readFileSync("tests/cases/player.json", "utf8")),
  VALUES = new Map(Object.entries(CASES.values)),
  KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder"};

/** @param {string} pdn @returns {any} */
function documentOf(pdn) {
  const [game] = readText(pdn, "english", why => assert.fail(JSON.stringify(why)));
  return JSON.parse(JSON.stringify(gameDocument(game)));
}

/** A game of the list. @param {object} more @returns {any} */
const card = more => ({
  ...{id: "a", black: "", white: "", result: "1-0", date: "1901.05.??", opening: "", person: "", review: null},
  ...more,
});

test("mistakes and endings of a game are those that kr has found", () => {
  for (const each of CASES.games) {
    const document = documentOf(each.pdn);
    for (const side of /** @type {const} */ (["black", "white"])) {
      const reviewed = listed(card({review: {black: 80, white: null}}), side),
        facts = read(reviewed, document, /** @type {any} */ (VALUES));
      assert.deepEqual(
        facts.slips.map(({ply, kind}) => [ply, kind]),
        each[side].slips.map((/** @type {[number, "?"]} */ [ply, sign]) => [ply, KINDS[sign]]),
      );
      assert.deepEqual(facts.endings, each[side].endings);
      // what no review has measured is not told
      assert.deepEqual(read(listed(card({}), side), document, new Map()).slips, []);
    }
  }
});

test("the positions of which a value is asked are those of the endings, each once", () => {
  const wanted = endingPositions(documentOf(CASES.games[4].pdn));
  assert.equal(new Set(wanted).size, wanted.length);
  assert.ok(wanted.length && wanted.every(fen => VALUES.has(fen)));
  assert.deepEqual(endingPositions(documentOf(CASES.games[1].pdn)), []);
});

test("a person is who has one of the names, on one side", () => {
  const game = card({black: "Lée, Ann", white: "Smith, J"}),
    against = card({black: "kr", white: "Me", person: "white"});
  assert.equal(sideIn(game, new Set(["lee, ann", "a. lee"])), "black");
  assert.equal(sideIn(game, new Set(["a. lee"])), null);
  assert.equal(sideIn(game, new Set(["lee, ann", "smith, j"])), null);
  assert.equal(sideIn(card({}), new Set([""])), null);
  assert.equal(sideIn(against, new Set([YOU])), "white");
  assert.equal(sideIn(game, new Set([YOU])), null);
});

test("what the list knows of a game is told by side", () => {
  const game = card({result: "0-1", review: {black: 71.5, white: null}, opening: "Kelso"});
  assert.deepEqual(listed(game, "black"), {
    ...{id: "a", side: "black", opening: "Kelso", result: "loss", date: "1901.05", isReviewed: true, accuracy: 71.5},
    ...{slips: [], endings: []},
  });
  const other = listed(card({result: "0-0", date: "????.??.??"}), "white");
  assert.deepEqual([other.result, other.date, other.isReviewed, other.accuracy], ["", "", false, null]);
});

test("a review of an earlier kr, which did not say what was best, is known", () => {
  const {nodes} = documentOf(CASES.games[0].pdn),
    before = nodes.map((/** @type {any} */ node) => ({
      ...node,
      comments: node.comments.map((/** @type {string} */ text) => text.replace(/ (best|turn=\S+)(?=[ \]])/g, "")),
    }));
  assert.deepEqual([lacksBest(nodes), lacksBest(before), lacksBest([])], [false, true, false]);
});

/** A game of a person. @param {Partial<GameFacts>} more @returns {GameFacts} */
const made = more => ({
  ...{id: "1", side: "black", result: "win", date: "", opening: "", isReviewed: false, accuracy: null},
  ...{slips: [], endings: []},
  ...more,
});
/** @param {number} count @param {(index: number) => Partial<GameFacts>} more */
const many = (count, more) => Array.from({length: count}, (_, index) => made({id: String(index), ...more(index)}));

test("a share is silent where too few games are behind it", () => {
  const few = figuresOf(many(LEAST_GAMES - 1, () => ({opening: "Kelso"})));
  assert.deepEqual([few.all.win, few.all.score, few.openings[0].score], [4, null, null]);
  // games without a result are no reason to speak
  const unknown = figuresOf([...many(4, () => ({})), made({result: ""})]);
  assert.deepEqual([unknown.all.games, unknown.all.unknown, unknown.all.score], [5, 1, null]);
  const results = /** @type {const} */ (["win", "draw", "draw", "loss", "loss"]),
    enough = figuresOf(many(5, index => ({result: results[index], side: index ? "white" : "black", opening: "Kelso"})));
  assert.equal(enough.all.score, 40);
  assert.deepEqual(
    enough.openings.map(({name, side, games, score}) => [name, side, games, score]),
    [
      ["Kelso", "white", 4, null],
      ["Kelso", "black", 1, null],
    ],
  );
});

test("a mean has its 95% interval", () => {
  assert.equal(meanOf([70, 80, 90, 60]), null);
  const {value, error, games} = /** @type {any} */ (meanOf([70, 80, 90, 60, 50]));
  assert.deepEqual([value, games, error.toFixed(2)], [70, 5, "13.86"]);
});

test("accuracy over time has parts of equal numbers of games, in the order of their dates", () => {
  const {course} = figuresOf([
    ...many(11, index => ({date: `19${30 - index}`, isReviewed: true, accuracy: 50 + index})),
    // what has no date, no accuracy or no review is no part of it
    ...many(9, () => ({isReviewed: true, accuracy: 1})),
    ...many(9, () => ({date: "1950", isReviewed: true})),
  ]);
  assert.deepEqual(
    course.map(({from, to, accuracy}) => [from, to, accuracy.value, accuracy.games]),
    [
      ["1920", "1925", 57.5, 6],
      ["1926", "1930", 52, 5],
    ],
  );
  const one = figuresOf(many(9, () => ({date: "1920", isReviewed: true, accuracy: 1})));
  assert.deepEqual(one.course, []);
});

test("kinds of mistakes are counted in reviewed games, earlier and later", () => {
  const slip = (/** @type {object} */ more) =>
    /** @type {any} */ ({ply: 3, label: "", kind: "mistake", turn: "", phase: "middle", why: "", loss: 0.2, ...more});
  const {kinds, halves, reviewed, puzzles} = figuresOf([
    ...many(5, () => ({
      date: "1901",
      isReviewed: true,
      slips: [slip({phase: "shot", why: "shot"}), slip({turn: "missed"})],
    })),
    ...many(5, () => ({date: "1902", isReviewed: true, slips: [slip({phase: "shot", kind: "blunder"})]})),
    ...many(7, () => ({slips: []})),
  ]);
  assert.deepEqual([reviewed, puzzles.length], [10, 15]);
  assert.deepEqual(halves, [
    {from: "1901", to: "1901", games: 5},
    {from: "1902", to: "1902", games: 5},
  ]);
  assert.deepEqual(
    kinds.map(({name, rate, halves: parts, puzzles: {length}}) => [name, length, rate, parts]),
    [
      ["shot", 5, 0.5, [1, 0]],
      // what nobody knows comes last, however much there is of it
      ["", 10, 1, [1, 1]],
      ["blunder", 5, 0.5, [0, 1]],
      ["mistake", 10, 1, [2, 0]],
      ["missed", 5, 0.5, [1, 0]],
      ["shot", 10, 1, [1, 1]],
      ["middle", 5, 0.5, [1, 0]],
    ],
  );
});

test("a reason for marks is told of the first comment, and has puzzles that train it", () => {
  assert.deepEqual([CASES.themes, CASES.pieces], [THEMES, {ending: ENDING, opening: OPENING}]);
  for (const theme of Object.values(THEMES)) assert.ok(theme in themeNames(), theme);
  assert.equal(mistakeName("why", "two_for_one"), "two for one allowed");
  assert.equal(mistakeName("why", ""), "no reason found");
  assert.equal(mistakeName("why", "not_named_yet"), "not named yet");
  const said = "with 20-24 0.84. This loses a piece: 1-5 2-7. The exchange is not good here: 1-5 2-7.",
    pdn = CASES.games[0].pdn.replace(/with\s20-24\s0\.84\./, said),
    slips = read(listed(card({review: {black: 80, white: 80}}), "black"), documentOf(pdn), new Map()).slips;
  assert.deepEqual(
    slips.map(({why}) => why),
    ["", "", "loses"],
  );
});

test("the ending to train is the worst that was not lost", () => {
  const slip = (/** @type {object} */ more) => /** @type {any} */ ({loss: 0.5, value: "draw", ...more}),
    worst = slip({loss: 0.9, value: "win"});
  assert.equal(endingOf([slip({}), worst, slip({loss: 1, value: "loss"}), slip({loss: 1, value: null})]), worst);
  assert.equal(endingOf([slip({value: null})]), null);
});

test("endings: what was won or drawn at the start, and kept; mistakes within", () => {
  const ending = (/** @type {object} */ more) =>
    /** @type {any} */ ({name: "2v1", from: 40, to: 50, value: "win", isHeld: true, ...more});
  const slips = [40, 41, 50, 51].map(ply => /** @type {any} */ ({ply, kind: "mistake", turn: "", phase: "ending"}));
  const {endings} = figuresOf([
    made({id: "a", endings: [ending({}), ending({name: "1v1", value: "draw", isHeld: null})]}),
    made({id: "b", endings: [ending({isHeld: false})], isReviewed: true, slips}),
    made({id: "c", endings: [ending({value: "loss", isHeld: null}), ending({value: null, isHeld: null})]}),
  ]);
  assert.deepEqual(
    endings.map(({name, games, won, drawn, lost, puzzles}) => [name, games, won, drawn, lost, puzzles.length]),
    [
      ["2v1", 3, {games: 2, held: 1, spoiled: 1}, {games: 0, held: 0, spoiled: 0}, 1, 2],
      ["1v1", 1, {games: 0, held: 0, spoiled: 0}, {games: 1, held: 0, spoiled: 0}, 0, 0],
    ],
  );
});

/** What a browser keeps, in memory. @returns {import("../../kr/page/static/shared-record.js").Store} */
function memory() {
  /** @type {Record<string, string>} */
  const kept = {};
  return {
    kept: name => JSON.parse(kept[name] ?? "null"),
    keep: (name, value) => {
      kept[name] = JSON.stringify(value);
    },
  };
}

/** A mistake. @param {string} id @param {number} loss @returns {any} */
const mistake = (id, loss) => ({id, ply: 7, loss});

test("a series has what is due first, then what was never found, the worst first, then the rest", () => {
  const store = memory(),
    own = new OwnMistakes(store),
    [missed, mild, bad, found] = [mistake("a", 0.1), mistake("b", 0.2), mistake("c", 0.5), mistake("d", 0.9)],
    all = [found, mild, bad, missed];
  own.note(found, "first", 100);
  own.note(missed, "unfound", 100);
  // another tab sees it; what was missed is due on the next day
  const there = new OwnMistakes(store);
  assert.deepEqual([there.count(all), there.count([missed])], [1, 0]);
  assert.deepEqual(there.series(all, 101), [missed, bad, mild, found]);
  assert.deepEqual(there.series(all, 100), [bad, mild, missed, found]);
  // found on its day, it comes again some days later
  there.note(missed, "first", 101);
  assert.equal(there.count(all), 2);
  assert.deepEqual(there.series(all, 104)[0], missed);
  assert.deepEqual(there.series(all, 103)[0], bad);
  assert.equal(there.series(Array(30).fill(bad), 100).length, 10);
});

test("a record of another version is begun anew", () => {
  const store = memory();
  for (const kept of [{found: {a: "x"}, boxes: {}}, {found: {}, boxes: {a: 1}}, {found: null, boxes: {}}, []]) {
    store.keep("own-mistakes", kept);
    assert.deepEqual(new OwnMistakes(store).all, {found: {}, boxes: {}});
  }
});

test("games are told at once by the list, then with their endings; what was read is kept until it changes", async () => {
  const document = documentOf(CASES.games[4].pdn);
  /** @type {any[]} */
  const cards = [
      card({id: "a", black: "Lee, Ann", rev: 1, review: {black: 50, white: null}}),
      card({id: "b", black: "Kim", white: "Lee, Ann", rev: 1}),
      card({id: "c", black: "Kim", white: "Park", rev: 1}),
      card({id: "d", black: "Lee, Ann", rev: 1, isGoing: true}),
    ],
    /** @type {string[]} */ asked = [],
    library = {
      list: () => cards,
      async get(/** @type {string} */ id) {
        asked.push(id);
        if (id === "b") throw new Error("damaged");
        return {card: cards[0], document, play: null};
      },
    },
    api = async (/** @type {string} */ path, /** @type {any} */ {fens}) => {
      assert.equal(path, "endings/game");
      return {values: fens.map((/** @type {string} */ fen) => VALUES.get(fen) ?? null)};
    },
    reading = new Reading({api}, /** @type {any} */ (library)),
    /** @type {any[]} */ shown = [],
    all = () =>
      reading.all(new Set(["lee, ann"]), (games, isWhole) =>
        shown.push([games.map(({id, endings}) => [id, endings.length]), isWhole]),
      );
  await all();
  const [{length}] = [CASES.games[4].black.endings];
  assert.deepEqual(shown, [
    [
      [
        ["a", 0],
        ["b", 0],
      ],
      false,
    ],
    [
      [
        ["a", length],
        ["b", 0],
      ],
      true,
    ],
  ]);
  await all();
  assert.deepEqual(asked, ["a", "b"]);
  cards[0] = {...cards[0], rev: 2};
  await all();
  assert.deepEqual(asked, ["a", "b", "a"]);
});

test("what is said of an ending counts each game once, and of what isn't known so", () => {
  assert.equal(keptText({games: 5, held: 2, spoiled: 1}), "2 kept, 1 given away, 2 not known");
  assert.equal(keptText({games: 2, held: 2, spoiled: 0}), "2 kept");
  assert.equal(endingName("2v1"), "2 against 1");
  assert.equal(spanText({from: "1901", to: "1901"}), "1901");
  assert.equal(scoreText(null), "–");
});
