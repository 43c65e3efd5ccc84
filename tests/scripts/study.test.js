import assert from "node:assert/strict";
import {test} from "node:test";
import * as endings from "../../kr/page/static/endings/state.js";
import {bestOf, Challenge} from "../../kr/page/static/learn/challenge.js";
import * as learn from "../../kr/page/static/learn/state.js";
import {Training} from "../../kr/page/static/learn/training.js";
import {Line} from "../../kr/page/static/line/state.js";

/** @typedef {import("../../kr/page/static/learn/state.js").Answer} Verdict */
/** @typedef {import("../../kr/page/static/endings/state.js").Answer} Answer */

const move = (/** @type {string} */ text, fen = `after ${text}`) => ({text, path: text.split("-").map(Number), fen});

/** A store of a browser. */
function store() {
  /** @type {Record<string, any>} */
  const all = {};
  return {
    all,
    kept: (/** @type {string} */ name, /** @type {any} */ otherwise) => all[name] ?? otherwise,
    keep(/** @type {string} */ name, /** @type {any} */ value) {
      all[name] = JSON.parse(JSON.stringify(value));
    },
  };
}

test("moves are made at the end of a line, and known again once they are taken back", () => {
  const line = new Line();
  line.begin("start", []);
  line.allow([move("9-14"), move("11-15")]);
  assert.deepEqual(line.allowed.length, 2);
  line.play(move("11-15"));
  assert.deepEqual([line.fen, line.allowed, line.last], ["after 11-15", [], [11, 15]]);
  line.allow([move("22-18")]);
  line.go(0);
  assert.deepEqual([line.fen, line.allowed, line.isLast], ["start", [], false]);
  line.go(9);
  assert.deepEqual([line.at, line.allowed.length], [1, 1]);
  line.isHeld = true;
  assert.deepEqual(line.allowed, []);
  line.isHeld = false;
  line.cut(0);
  assert.deepEqual([line.fen, line.allowed.length, line.texts], ["start", 2, []]);
  line.add([move("9-14"), move("22-18")]);
  assert.deepEqual([line.at, line.length, line.fen], [0, 2, "start"]);
  const {nodes, start} = line.document({Event: "x"});
  assert.deepEqual([start, nodes.length, nodes[2].parent], ["start", 3, 1]);
});

const DAY = 739_946;

test("a solved puzzle stays proved", () => {
  const training = new Training(store());
  training.miss("a", "tries", null, DAY);
  training.solve("a", null, DAY, {clean: false, likely: true});
  assert.deepEqual(training.of("a"), {tries: 1, hints: 0, solved: true, likely: true});
  training.solve("a", null, DAY, {clean: true});
  training.solve("a", null, DAY, {clean: true, likely: true});
  assert.equal(training.of("a").likely, false);
  assert.deepEqual(training.of("toString"), {tries: 0, hints: 0, solved: false});
});

test("the list is filtered, and the next puzzle is near the rating of the solver", () => {
  const training = new Training(store());
  for (let i = 0; i < 10; i++) training.solve(`x${i}`, null, DAY, {clean: false});
  const row = (/** @type {number} */ i, /** @type {number | null} */ rating) =>
    /** @type {[string, learn.Goal, number, number | null, number[], "black", string]} */ ([
      `c${i}`,
      "win",
      6,
      rating,
      [i % 2],
      "black",
      "",
    ]);
  const classic = (/** @type {string} */ id, /** @type {learn.Origin} */ origin, pieces = 3) =>
    /** @type {any} */ ({id, title: id, fen: id, goal: "win", pieces, origin, themes: [], rating: null});
  const puzzles = learn.listed({
    puzzles: [classic("a", "classic"), classic("b", "classic", 4), classic("c", "own", 5)],
    collection: {themes: ["shot", "bridge"], rows: [row(1, 1900), row(2, 1520), row(3, 1400)]},
    daily: "a",
    daily_easy: "a",
  });
  const all = {goal: "", pieces: "2-32", solved: "", origin: "", theme: "", rating: ""};
  const ids = (/** @type {Partial<learn.Filter>} */ filter) =>
    learn.matching(puzzles, {...all, ...filter}, training, DAY).map(each => each.id);
  const next = (/** @type {string} */ id, matches = puzzles, more = {}) =>
    learn.following(puzzles, matches, training, {day: DAY, id, ...more})?.id;
  assert.deepEqual(ids({theme: "shot"}), ["c2"]);
  assert.deepEqual(ids({rating: "1400-1599"}), ["c2", "c3"]);
  assert.deepEqual(ids({origin: "collection", pieces: "2-5"}), []);
  assert.deepEqual(ids({origin: "own"}), ["c"]);
  assert.equal(next("a"), "c2");
  assert.equal(next("c2"), "c3");
  assert.equal(next("c3", puzzles, {seen: new Set(["c2"])}), "c1");
  const inOrder = {inOrder: true};
  assert.equal(next("a", puzzles.slice(0, 3), inOrder), "b");
  assert.equal(next("c", puzzles.slice(0, 3), inOrder), "a");
  training.solve("a", null, DAY, {clean: true});
  assert.equal(next("c", puzzles.slice(0, 3), inOrder), "b");
  assert.deepEqual(ids({solved: "no", pieces: "3-5"}), ["b", "c"]);
  assert.equal(next("c", [puzzles[0]]), undefined);
  // what was missed waits for its day, then it comes though it is solved
  training.miss("c2", "hints", 1520, DAY);
  training.solve("c2", 1520, DAY, {clean: false});
  assert.deepEqual([ids({solved: "missed"}), ids({solved: "due"})], [["c2"], []]);
  const missed = puzzles.filter(each => each.id === "c2");
  assert.equal(next("a", missed), undefined);
  assert.equal(next("a", missed, {day: DAY + 1}), "c2");
  assert.deepEqual(learn.progressWords(learn.counted(puzzles.slice(0, 3), training)), [
    "1 of 3 puzzles solved, 1 of them without a wrong move or a hint.",
    "1 by moves that are proved or published, 0 likely, by kr's search.",
  ]);
});

test("two puzzles to win come before one to draw, in the list and as the next ones", () => {
  const goals = [..."ddwwddwddw"],
    training = new Training(store()),
    puzzles = learn.listed({
      puzzles: [],
      collection: {
        themes: [],
        rows: goals.map((goal, i) => [`c${i}`, goal === "d" ? "draw" : "win", 6, 1100 + 20 * i, [], "white", ""]),
      },
      daily: "c0",
      daily_easy: "c0",
    });
  const told = (/** @type {learn.Listed[]} */ list) => list.map(({id}) => id).join(" ");
  // those from 1200 on are a difficulty of their own
  assert.equal(told(puzzles), "c2 c3 c0 c1 c4 c6 c9 c5 c7 c8");
  assert.equal(puzzles[0].title, "White to play and win");
  // after ten that were solved; before, those to win come first
  assert.equal(learn.following(puzzles, puzzles, training, {day: DAY, seen: new Set(["x", "y"])})?.goal, "win");
  for (let i = 0; i < 10; i++) training.solve(`x${i}`, null, DAY, {clean: false});
  const seen = new Set(["x"]),
    chosen = [];
  for (let i = 0; i < 5; i++) {
    const next = learn.following(puzzles, puzzles, training, {day: DAY, seen});
    if (!next) break;
    chosen.push(next);
    seen.add(next.id);
  }
  assert.equal(chosen.map(each => each.goal).join(" "), "win draw win win draw");
});

test("a puzzle of the collection is named by its idea and its game", () => {
  const source = "Scottish Tourney 1899, game 2, Searight, J. v Stewart, R., ply 30";
  /** @type {[learn.Theme[], learn.Goal, string, string][]} */
  const cases = [
    [["shot", "two-for-one", "only-move"], "win", source, "Two for one, Searight v Stewart 1899"],
    [
      ["only-move"],
      "draw",
      "US National 1929 (Chicago), Hanson v Gonotsky, S., ply 4",
      "The only draw, Hanson v Gonotsky 1929",
    ],
    [["breeches"], "win", "Scotland v England 1894, Scott, A.B. v Dunne ,F., ply 51", "Breeches, Scott v Dunne 1894"],
    [["only-move"], "win", "endgame database, 2v2", "The only win"],
    [["bridge"], "win", "", "Bridge"],
    [[], "win", source, ""],
  ];
  for (const [themes, goal, from, name] of cases) assert.equal(learn.ideaWords({themes, goal, source: from}), name);
});

test("why a puzzle was solved: its line, what it wins unless an exchange goes on, what proves it", () => {
  const puzzle = /** @type {any} */ ({goal: "win", solver: "white", start: "W:W15,16,20:B7,8", evidence: "proved"}),
    line = {texts: ["16-11", "7x16", "20x4"], fen: "B:W15,K4:B"};
  const why = (/** @type {object} */ answer, /** @type {object} */ more = {}) =>
    learn.whyWords({...puzzle, ...more}, /** @type {any} */ ({by: "solution", position: {moves: []}, ...answer}), line);
  assert.equal(why({}), "The line: 16-11 7x16 20x4. It wins 1 piece. That it is won is proved.");
  assert.equal(
    why({position: {moves: [{...move("1-6"), captured: [3]}]}}, {evidence: "searched"}),
    "The line: 16-11 7x16 20x4.",
  );
  assert.match(why({by: "database"}, {goal: "draw"}), /It is a draw, by the endgame database\.$/);
});

test("a streak ends with the first miss, three minutes with the time, and the best is kept", () => {
  const kept = store(),
    puzzles = Array.from(
      {length: 30},
      (_, i) =>
        /** @type {any} */ ({id: `p${i}`, origin: "collection", goal: i % 2 ? "win" : "draw", rating: 800 + 20 * i}),
    );
  const begin = (/** @type {import("../../kr/page/static/learn/challenge.js").Kind} */ kind) =>
    new Challenge(kind, {store: kept, now: 1000, random: () => 0});
  const streak = begin("streak");
  assert.deepEqual([streak.next(puzzles)?.id, streak.next(puzzles)?.id], ["p1", "p3"]);
  streak.count(true);
  streak.count(true);
  assert.equal(streak.isOver(1e9), false);
  streak.count(false);
  assert.equal(streak.isOver(1001), true);
  assert.deepEqual(streak.endWords(), {mark: "✓", head: "Your streak: 2.", more: "That is your best on this device."});
  const timed = begin("minutes");
  timed.count(false);
  timed.count(true);
  assert.equal(timed.words(1000), "3:00 left, 1 solved");
  assert.deepEqual([timed.isOver(180_999), timed.isOver(181_000)], [false, true]);
  const again = begin("streak");
  again.count(true);
  assert.equal(again.endWords().more, "Your best on this device: 2.");
  assert.deepEqual([bestOf(kept, "streak"), bestOf(kept, "minutes")], [2, 1]);
  kept.keep("learn-best", "nonsense");
  assert.equal(bestOf(kept, "streak"), 0);
});

test("what tells the answer is said once it is over", () => {
  /** @type {any} */
  const puzzle = {author: "Ann", source: "A book", rating: 1430, themes: ["two-for-one"], evidence: "proved"};
  assert.equal(learn.aboutWords({...puzzle, origin: "collection", id: "x1"}, false, 0), "Ann. rated 1430");
  assert.equal(learn.aboutWords(puzzle, true, 12.4), "Ann. rated 1430. Two for one. proved. A book. Your rating: +12");
  const of = (/** @type {string} */ evidence) => learn.aboutWords({...puzzle, evidence, source: ""}, true, 0);
  assert.equal(of("likely"), "Ann. rated 1430. Two for one. likely, not proved");
  assert.equal(of("searched"), "Ann. rated 1430. Two for one. not proved");
});

test("tasks and verdicts in words", () => {
  /** @type {any} */
  const puzzle = {solver: "white", goal: "win", guess: null, moves: [], published: true};
  assert.equal(learn.taskWords(puzzle), "White to play and win");
  const guessed = (/** @type {any} */ guess) => learn.taskWords({...puzzle, solver: "black", goal: "draw", guess});
  assert.equal(guessed({chance: 0.963, composed: false}), "Black to play and draw (likely: 96%)");
  assert.equal(guessed({chance: 0.94, composed: true}), "Black to play and draw (likely in a composed problem: 94%)");
  assert.equal(guessed({chance: null, composed: false}), "Black to play and draw (unclear: kr guesses)");
  assert.equal(guessed({chance: 1, composed: false}), "Black to play and draw");
  assert.equal(learn.beginWords({...puzzle, moves: [move("1-6")]}).more, "Black has played 1-6.");
  /** @type {Verdict} */
  const answer = {
    kept: true,
    by: "solution",
    reply: move("5-9"),
    position: {moves: []},
    solved: false,
    ended: null,
    why: [],
  };
  const said = (/** @type {Verdict} */ verdict) =>
    Object.values(learn.verdictWords("23-18", verdict, puzzle)).join(" ");
  assert.equal(said(answer), "✓ 23-18 is right. Reply: 5-9. Your move again. By the published solution.");
  assert.equal(
    said({...answer, kept: false, by: "database"}),
    "✗ 23-18 does not win. By the endgame database. Try another move.",
  );
  assert.match(
    said({...answer, kept: false, why: [{say: "why.at_once", with: {line: "23-18 14x23", count: 1}}]}),
    /By the published solution\. This gives up a piece: 23-18 14x23\. Try another move\.$/,
  );
  assert.match(
    said({...answer, kept: null}),
    /^\? 23-18 may keep the win\. It is not the published move\. kr can't tell/,
  );
  const hint = {square: 23, by: /** @type {const} */ ("solution"), move: move("23-19")},
    reason = {say: "why.at_once", with: {line: "23-18 14x23", count: 1}};
  assert.equal(learn.hintWords({...hint, not: null}).more, "By the published solution.");
  assert.equal(
    learn.hintWords({...hint, not: {move: "23-18", reason}}).more,
    "By the published solution. Why not 23-18? This gives up a piece: 23-18 14x23.",
  );
  assert.match(
    learn.endWords("23-18", {...answer, solved: false, ended: {say: "puzzle.held"}}).more,
    /^The draw is held/,
  );
  assert.equal(learn.today(new Date(2026, 0, 5)), "2026-01-05");
});

const KNOWN = {pieces: 5, classes: [], distance_pieces: 4, hold_moves: 20, no_progress: 80};
/** @type {Answer} */
const ANSWER = {
  kept: true,
  value: "win",
  was: "win",
  distance: 8,
  better: [],
  best: {...move("1-6"), distance: 7},
  cost: 2,
  reply: move("5-9"),
  reasons: {choice: 2, capture: false, value: "loss", distance: 8, answers: 4, right: 3},
  position: {moves: [], side: "white", fen: ""},
  quiet: 2,
  seen: 1,
  over: null,
};

test("an ending counts the plies that were given away, and forgets what is taken back", () => {
  const ending = new endings.Ending({start: "W:WK18,K22:BK5", side: "white"}, {value: "win", distance: 7});
  const counts = (/** @type {number} */ length) => Object.fromEntries(endings.countWords(ending, length, KNOWN, true));
  assert.deepEqual(counts(0), {"Win in": "4 moves"});
  ending.take(2, ANSWER);
  assert.deepEqual(counts(2), {
    Played: "1 move",
    "Win in": "4 moves",
    "Best play": "4 moves",
    "Given away": "1 move",
  });
  assert.equal(Object.keys(Object.fromEntries(endings.countWords(ending, 2, KNOWN, false))).join(), "Played");
  ending.take(4, {...ANSWER, cost: 4, quiet: 22, seen: 3});
  assert.equal(counts(4)["Given away"], "3 moves");
  assert.equal(counts(4)["Without progress"], "11 of 40 moves");
  assert.equal(counts(4)["This position"], "third time");
  ending.cut(2);
  assert.equal(ending.cost, 2);
  ending.cut(0);
  assert.deepEqual([ending.cost, ending.mark.left], [0, 7]);
});

test("what to do is said at each moment", () => {
  const captures = [{...move("18-11"), text: "18x11", captured: [15]}];
  const said = (/** @type {string} */ fen, value = /** @type {endings.Value} */ ("win"), left = 5) =>
    endings.advice(fen, [], value, left);
  assert.equal(endings.advice("W:WK18,K30:BK15", captures, "win", 1), "You must capture: 18x11.");
  assert.equal(said("W:WK18,K22:BK6", "win", 1), "One move wins at once: find it.");
  assert.match(said("W:WK18,K22:BK5"), /sits in a double corner/);
  assert.match(said("W:WK18,K22:BK13"), /out of the double corners/);
  assert.match(said("B:WK13:B18,22"), /^Bring a man to the far row/);
  assert.match(said("W:WK18,K22:B1,2"), /^Stop its men/);
  assert.match(said("W:WK18,K22,K23:BK5,K6"), /exchange/);
  assert.match(said("W:WK32:BK5,K6", "draw"), /^Stay in the double corner/);
  assert.match(said("W:WK13:BK5,K6", "draw"), /^Make for a double corner/);
  assert.match(said("W:WK13,14:BK5,K6", "draw"), /one at least loses/);
  assert.match(said("W:WK13:BK5,K6", "loss"), /^Hold out/);
});

test("replies and mistakes are explained", () => {
  const {reasons} = ANSWER;
  assert.ok(reasons);
  assert.equal(endings.reasonWords(reasons, true), "It holds out longest: you win in 4 moves.");
  assert.equal(endings.reasonWords(reasons, false), "It holds out longest.");
  assert.equal(endings.reasonWords({...reasons, choice: 1, capture: true}, true), "It had to capture.");
  assert.equal(
    endings.reasonWords({...reasons, value: "draw", distance: null}, true),
    "It sets a trap: of your 4 moves 3 keep the draw.",
  );
  assert.equal(endings.costWords("2-7", ANSWER), "2-7 cost 1 move: 1-6 was the quickest.");
  assert.equal(endings.costWords("2-7", {...ANSWER, cost: 0}), "");
  const slip = {...ANSWER, kept: false, value: /** @type {const} */ ("draw"), better: [move("1-6"), move("1-5")]};
  assert.deepEqual(endings.slipWords("2-7", slip), {
    mark: "✗",
    head: "2-7 gives the win away.",
    more: "It is a draw now. 2 other moves keep the win. Take it back, or play on.",
  });
  const exact = (
    /** @type {string} */ text,
    /** @type {endings.Value} */ value,
    /** @type {number | null} */ distance,
  ) => ({
    ...move(text),
    value,
    distance,
  });
  assert.equal(
    endings.bestWords([exact("1-6", "win", 5), exact("1-5", "win", 9)], true).more,
    "It wins in 3 moves. 1-5 takes 5 moves.",
  );
  assert.equal(
    endings.bestWords([exact("1-6", "win", 5), exact("1-5", "draw", null)], true).more,
    "It wins in 3 moves. No other move wins.",
  );
  assert.equal(
    endings.bestWords([exact("1-6", "draw", null), exact("1-5", "loss", 4)], true).more,
    "No other move keeps the draw.",
  );
});

test("ends and records", () => {
  const ending = new endings.Ending({start: "W:WK18,K22:BK5", side: "white"}, {value: "win", distance: 7});
  ending.slips = 1;
  const words = endings.endWords(ending, {result: "won", why: "no pieces left"}, 9, null);
  assert.equal(words.head, "You have won in 5 moves: no piece is left.");
  assert.match(words.more, /^The best play takes 4 moves\. 1 slip on the way\./);
  const drawn = new endings.Ending({start: "W:WK1,K2:BK31,K32", side: "white"}, {value: "draw", distance: null});
  assert.deepEqual(endings.endWords(drawn, {result: "held", why: "20 moves"}, 39, null), {
    mark: "✓",
    head: "You have held: 20 moves.",
    more: "",
  });
  const kept = store(),
    record = new endings.Record(kept);
  assert.deepEqual(record.words(), ["None so far."]);
  record.count("win", "tried");
  record.count("win", "done");
  record.count("win", "tried");
  for (const what of /** @type {const} */ (["tried", "done", "clean"])) record.count("draw", what);
  assert.deepEqual(record.words(), ["1 of 2 wins won, 0 without a slip.", "1 of 1 draw held, 1 without a slip."]);
  assert.deepEqual(
    endings.offered({pieces: 3, classes: []}).map(each => each.title),
    ["two kings against one king", "two pieces against one", "one piece against two"],
  );
  const names = (/** @type {string[]} */ classes) => endings.offered({pieces: 4, classes}).map(each => each.name);
  const added = (/** @type {string[]} */ classes) => names(classes).filter(name => !names([]).includes(name));
  assert.deepEqual(added(["3v2"]), ["3k2k", "32", "23"]);
  assert.deepEqual(added(["4v1", "3v3"]), ["33"]);
  assert.deepEqual(
    [[], ["3v2"], ["4v1"], ["3v3", "4v4"]].map(classes => endings.mostOfASide({pieces: 4, classes})),
    [3, 3, 4, 4],
  );
});
