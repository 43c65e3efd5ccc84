import assert from "node:assert/strict";
import {test} from "node:test";
import {hintArrows, hintWords} from "../../kr/page/static/play/hints.js";
import {KeptGames} from "../../kr/page/static/play/kept.js";
import {
  Played,
  clockText,
  clocksAt,
  keptGame,
  keptTime,
  lookedAt,
  rematch,
  timeLeft,
} from "../../kr/page/static/play/state.js";
import {
  NAMED_LEVELS,
  answerWords,
  endWords,
  forcedWords,
  levelName,
  levelWords,
  opponentName,
  playerNames,
  strengthWords,
  turnWords,
} from "../../kr/page/static/play/words.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

/** @typedef {import("../../kr/page/static/play/state.js").Game} Game */
/** @typedef {import("../../kr/page/static/play/state.js").State} State */

const START = "B:W21:B1";
const MOVE = {text: "11-15", path: [11, 15], captured: [], fen: "W:W21:B1"};

/** @param {Partial<Game["settings"]>} [settings] @returns {Game} */
const game = (settings = {}) => ({
  id: "a",
  settings: {level: 3, side: "black", ballot: "", clock: "", ...settings},
  over: null,
  document: {headers: {}, start: START, nodes: [{...MOVE, text: "", path: [], fen: START}]},
});

/** @param {Partial<State>} [others] @returns {State} */
const state = others => ({
  ply: 0,
  fen: START,
  side: "black",
  moves: [MOVE],
  thinking: false,
  advising: false,
  offer: false,
  undoable: false,
  clocks: null,
  ticking: null,
  ...others,
});

/** @param {Partial<Game["settings"]>} [settings] @param {Partial<State>} [others] */
function playing(settings, others) {
  const played = new Played();
  played.begin(game(settings));
  played.hear(state(others), 100);
  return played;
}

test("what a browser has kept of another version is no game", () => {
  const game = {id: "7", settings: {}, over: null, document: {headers: {}, nodes: [{}]}};
  assert.equal(keptGame({game, casual: true}), game);
  for (const odd of [null, 5, {}, {game: 5}, {game: {...game, id: 7}}, {game: {id: "7"}}]) {
    assert.equal(keptGame(odd), null);
  }
  assert.equal(keptGame({game: {...game, document: {headers: {}, nodes: []}}}), null);
});

test("times as a clock shows them", () => {
  const shown = [-1, 0, 9.94, 9.99, 10, 59.2, 60, 3599.5, 3661].map(clockText);
  assert.deepEqual(shown, ["0.0", "0.0", "9.9", "10.0", "0:10", "1:00", "1:00", "1:00:00", "1:01:01"]);
});

test("only the clock of who is to move runs", () => {
  const shown = clocksAt({clocks: [62, 21], ticking: "black"}, 2);
  assert.deepEqual(shown.black, {text: "1:00", ticking: true, short: false});
  assert.deepEqual(shown.white, {text: "0:21", ticking: false, short: false});
  assert.equal(clocksAt({clocks: [19.9, null], ticking: null}, 5).black.short, true);
  assert.deepEqual(clocksAt({clocks: null, ticking: "white"}, 0).white, {text: "", ticking: true, short: false});
});

test("the clock of who lost on time stands at zero", () => {
  const played = playing({}, {clocks: [0.2, 5], ticking: "black"});
  played.begin({...game(), over: {result: "0-1", winner: "white", reason: "time forfeit"}});
  assert.equal(played.clocks(100).black.text, "0.0");
  assert.equal(played.clocks(100).white.text, "5.0");
});

test("the time of a person to move is kept, and runs on", () => {
  const played = playing({}, {ply: 2, clocks: [60, 50], ticking: "black"});
  const time = played.time(110, 5000);
  assert.deepEqual(time, {ply: 2, left: 50, at: 5000});
  assert.deepEqual(timeLeft(/** @type {any} */ (time), 5020), {ply: 2, left: 30});
  assert.deepEqual(timeLeft(/** @type {any} */ (time), 9000), {ply: 2, left: 0});
  // the machine's clock was set back
  assert.deepEqual(timeLeft(/** @type {any} */ (time), 1000), {ply: 2, left: 50});
  // during a hint it stands still
  played.hear(state({ply: 2, clocks: [50, 50], advising: true}), 110);
  assert.equal(played.time(120, 5010)?.left, 50);
  // kr's own time is not kept, nor is there any without a clock
  played.hear(state({ply: 3, side: "white", thinking: true, clocks: [50, 50], ticking: "white"}), 120);
  assert.equal(played.time(121, 5011), null);
  assert.equal(playing().time(121, 5011), null);
  assert.equal(playing({people: 2, side: ""}, {side: "white", clocks: [5, 9], ticking: "white"}).time(101, 1)?.left, 8);
});

test("the time that was kept stays until the game is told", () => {
  const time = {ply: 0, left: 71.5, at: 5000},
    played = new Played();
  played.begin(game(), time);
  played.begin(game());
  assert.deepEqual(played.time(0, 6000), time);
  played.hear(state({clocks: [40, 50], ticking: "black"}), 0);
  assert.equal(played.time(0, 6000)?.left, 40);
  // a move was taken back
  played.begin(game());
  assert.equal(played.time(0, 6000), null);
  played.begin(game(), time);
  played.begin({...game(), id: "b"});
  assert.equal(played.time(0, 6000), null);
  assert.equal(keptTime({time}), time);
  for (const odd of [null, {}, {time: 5}, {time: {ply: 0, left: "1", at: 5}}, {time: {ply: 0, left: 1}}])
    assert.equal(keptTime(odd), null);
});

test("a warning comes once, and for a person alone", () => {
  const played = playing({}, {clocks: [12, 5], ticking: "black"});
  assert.deepEqual(
    [101, 102.5, 103].map(now => played.isLow(now)),
    [false, true, false],
  );
  assert.equal(playing({}, {clocks: [12, 5], ticking: "white"}).isLow(110), false);
  assert.equal(playing({people: 2, side: ""}, {clocks: [12, 5], ticking: "white"}).isLow(110), true);
  assert.equal(playing({}, {clocks: null, ticking: "black"}).isLow(110), false);
});

test("earlier positions that are looked at", () => {
  assert.deepEqual(
    [-3, 0, 2, 3, Infinity].map(ply => lookedAt(ply, 3)),
    [0, 0, 2, null, null],
  );
});

test("what can be done in a game against kr", () => {
  const played = playing();
  const {accept, ...buttons} = played.buttons();
  assert.equal(accept, false);
  assert.deepEqual(buttons, {
    hint: "on",
    undo: "off",
    draw: "on",
    resign: "on",
    rematch: "hidden",
    review: "hidden",
    analyse: "on",
  });
  played.casual = false;
  assert.deepEqual(
    [played.buttons().hint, played.buttons().undo, played.buttons().analyse],
    ["hidden", "hidden", "hidden"],
  );
  played.casual = true;
  played.chose();
  // the move is as good as made
  assert.deepEqual([played.buttons().hint, played.buttons().undo], ["off", "on"]);
  played.hear(state({offer: true}), 100);
  assert.equal(played.buttons().accept, true);
  played.lose();
  assert.deepEqual([played.buttons().draw, played.buttons().resign], ["off", "off"]);
  played.begin({...game(), over: {result: "1-0", winner: "black", reason: "resignation"}});
  assert.deepEqual([played.buttons().draw, played.buttons().rematch], ["hidden", "on"]);
  assert.deepEqual(new Played().buttons().analyse, "hidden");
});

test("a move can be taken back once there is one", () => {
  assert.equal(playing({side: "white"}).buttons().undo, "off");
  assert.equal(playing({}, {undoable: true}).buttons().undo, "on");
  /** @type {(settings: Partial<Game["settings"]>, side: "black" | "white") => string} */
  const after = (settings, side) => {
    const played = playing(settings);
    played.add({ply: 1, side, ...MOVE});
    return played.buttons().undo;
  };
  assert.deepEqual([after({}, "black"), after({side: "white"}, "black")], ["on", "off"]);
  assert.equal(after({people: 2, side: ""}, "black"), "on");
});

test("moves are added once, in their order", () => {
  const played = playing();
  assert.equal(played.add({ply: 2, side: "black", ...MOVE}), false);
  assert.equal(played.add({ply: 1, side: "black", ...MOVE}), true);
  assert.equal(played.add({ply: 1, side: "black", ...MOVE}), false);
  assert.equal(played.length, 1);
  assert.equal(played.state?.thinking, true);
  const shared = playing({people: 2, side: ""});
  shared.add({ply: 1, side: "black", ...MOVE});
  assert.equal(shared.state?.thinking, false);
});

test("another game, and the same one again", () => {
  const played = playing();
  assert.equal(played.begin(game()), false);
  assert.equal(played.state, null);
  assert.equal(played.begin({...game(), id: "b"}), true);
});

test("games are kept by their ids, the oldest not for ever", () => {
  /** @type {Map<string, any>} */
  const kept = new Map([["play", {game: {...game(), id: "before"}, casual: false}]]);
  let room = 60;
  const store = {
    kept: (/** @type {string} */ name) => structuredClone(kept.get(name)) ?? null,
    keep(/** @type {string} */ name, /** @type {any} */ value) {
      if (value === undefined) return kept.delete(name);
      if (!kept.has(name) && kept.size >= room) return false;
      kept.set(name, structuredClone(value));
      return true;
    },
  };
  const games = new KeptGames(store);
  assert.deepEqual(games.get("before"), {game: {...game(), id: "before"}, casual: false, time: null});
  assert.equal(kept.has("play"), false);
  for (let i = 0; i < 60; i++) assert.equal(games.put({...game(), id: `${i}`}, true, null), true);
  assert.equal(games.put({...game({level: 5}), id: "30"}, true, null), true);
  assert.equal(games.ids.length, 50);
  assert.deepEqual([games.ids[0], games.ids[1], games.get("30")?.game.settings.level], ["30", "59", 5]);
  assert.equal(games.get("9"), null);
  const time = {ply: 4, left: 71.5, at: 1e9};
  games.putTime("30", time);
  assert.deepEqual(games.get("30"), {game: {...game({level: 5}), id: "30"}, casual: true, time});
  games.putTime("9", time);
  assert.equal(games.get("9"), null);
  // a store that is full
  room = kept.size;
  assert.equal(games.put({...game(), id: "more"}, true, null), true);
  assert.deepEqual([games.ids[0], games.ids.length, kept.size], ["more", 50, room]);
  room = 1;
  kept.clear();
  kept.set("other", 1);
  assert.equal(games.put({...game(), id: "none"}, true, null), false);
  assert.deepEqual(
    [games.ids[0], games.get("none")?.game.id, new KeptGames(store).get("none")],
    ["none", "none", null],
  );
});

test("a rematch swaps colours, or the names of two people", () => {
  assert.equal(rematch(game().settings).side, "white");
  const swapped = rematch({people: 2, names: ["Ann", "Ben"], side: "", ballot: "", clock: ""});
  assert.deepEqual([swapped.names, swapped.side], [["Ben", "Ann"], ""]);
});

test("who plays", () => {
  assert.deepEqual(playerNames(game({level: 2}).settings), {black: "You", white: "kr, level 2"});
  assert.deepEqual(playerNames(game({level: 3, side: "white"}).settings), {
    black: "kr, level 3 (learner)",
    white: "You",
  });
  assert.deepEqual(playerNames({people: 2, names: ["Ann", ""], side: "", ballot: "", clock: ""}), {
    black: "Ann",
    white: "White",
  });
  assert.equal(opponentName(game({level: 0}).settings), "kr, like people");
  speak("en", {}, textsOf("en"));
  assert.equal(opponentName(game({level: undefined, generation: 20}).settings), "evolved, generation 20");
  assert.deepEqual(
    NAMED_LEVELS.filter(level => !levelName(level) || !levelWords(level)),
    [],
  );
});

test("whose move it is", () => {
  speak("en", {}, textsOf("en"));
  assert.equal(turnWords(playing()), "Your move.");
  const played = playing({}, {offer: true});
  played.nodes.push(MOVE);
  assert.equal(turnWords(played), "kr plays 11-15. Your move. kr offers a draw: accept it, or play on.");
  played.nodes.push({...MOVE, comments: ["[%emt 0:00:00]", "book, +0.03, 4,096 games or more"]});
  assert.match(turnWords(played), /^kr plays 11-15, from its book\. Your move\./);
  played.hear(state({thinking: true}), 0);
  assert.equal(turnWords(played), "You play 11-15. kr is thinking …");
  const shared = playing({people: 2, names: ["Ann", "Ben"], side: ""}, {side: "white"});
  shared.nodes.push(MOVE);
  assert.equal(turnWords(shared), "Ann plays 11-15. Ben to move.");
});

test("how a game ended", () => {
  const {settings} = game();
  /** @type {(winner: "black" | "white" | null, reason: string, result: string) => any} */
  const over = (winner, reason, result) => ({winner, reason, result});
  assert.equal(endWords(over("black", "resignation", "1-0"), settings), "You win: kr resigns. 1-0");
  assert.equal(endWords(over("white", "time forfeit", "0-1"), settings), "kr wins: your time is up. 0-1");
  const other = {...settings, engine: 1, program: "Other"};
  assert.equal(endWords(over("white", "resignation", "0-1"), other), "Other wins: you resigned. 0-1");
  const evolved = {...settings, level: undefined, generation: 20};
  assert.equal(endWords(over("black", "resignation", "1-0"), evolved), "You win: Generation 20 resigns. 1-0");
  const people = {...settings, level: 0};
  assert.equal(endWords(over("white", "resignation", "0-1"), people), "Human-like kr wins: you resigned. 0-1");
  assert.equal(endWords(over(null, "agreement", "1/2-1/2"), settings), "A draw: agreed. 1/2-1/2");
  const two = {...settings, people: 2, names: ["Ann", "Ben"], side: /** @type {""} */ ("")};
  assert.equal(endWords(over("white", "no legal move", "0-1"), two), "Ben wins: Ann can't move. 0-1");
});

test("captures that must be made", () => {
  const capture = {...MOVE, text: "22x15", captured: [18]};
  assert.equal(forcedWords([MOVE]), "");
  assert.equal(forcedWords([]), "");
  assert.equal(forcedWords([capture, capture]), "You must capture: 22x15.");
  assert.equal(forcedWords([capture, {...capture, text: "9x18"}]), "You must capture: 22x15, 9x18.");
});

test("answers to an offer of a draw", () => {
  const said = {
    ahead: "it sees itself ahead.",
    "was ahead": "it was ahead a few moves ago.",
    moves: "it accepts none before its move 5.",
    plies: "in an even game it accepts none before move 3.",
  };
  for (const [why, words] of Object.entries(said))
    assert.equal(answerWords({why, number: 5}, "Other"), `Other declines the draw: ${words}`);
});

/** @param {object} [others] @returns {any} */
const advice = others => ({
  text: "11-15",
  path: [11, 15],
  score: 20,
  plies: null,
  value: null,
  line: [],
  gain: null,
  crowned: null,
  ...others,
});

test("why a move is advised", () => {
  const chances = {win: 0.304, draw: 0.5, loss: 0.196},
    shares = "Of a hundred such games you win 30, draw 50 and lose 20.";
  /** @type {(hint: object, other?: object | null) => string} */
  const said = (hint, other = null) =>
    hintWords({...advice(hint), ...chances, other: other && advice({text: "9-13", ...other})}).join(" ");
  assert.equal(said({forced: true}), `11-15 is the only legal move. ${shares}`);
  assert.equal(said({}), `11-15 is best. ${shares}`);
  assert.equal(said({gain: {pieces: 1, plies: 5}}), `11-15 wins 1 piece in 3 moves. ${shares}`);
  assert.equal(said({gain: {pieces: -1, plies: 5}}), `11-15 gives up 1 piece. ${shares}`);
  assert.equal(
    said({gain: {pieces: -1, plies: 5}}, {score: -80}),
    `11-15 gives up 1 piece, and is best all the same. ${shares} 9-13, the next best, is worse by 1.0 men.`,
  );
  assert.equal(said({crowned: 3}), `11-15 gets a king in 2 moves. ${shares}`);
  assert.equal(
    said({value: "win", plies: 7}, {value: "draw"}),
    "11-15 wins: a win in 4 moves, seen to its end. With 9-13, the next best, no win is seen.",
  );
  assert.equal(
    said({value: "draw"}, {value: "loss", plies: 4}),
    "11-15 holds the draw: that is proved. 9-13 loses in 2 moves.",
  );
  assert.equal(
    said({value: "loss", plies: 9}, {value: "loss"}),
    "The game is lost in 5 moves; 11-15 holds out longest.",
  );
  assert.equal(said({}, {score: 10}), `11-15 and 9-13 are equally good. ${shares}`);
  assert.equal(said({}, {score: -80}), `11-15 is best. ${shares} 9-13, the next best, is worse by 1.0 men.`);
  assert.equal(
    said({}, {score: -80, gain: {pieces: -2, plies: 3}}),
    `11-15 is best. ${shares} 9-13 loses 2 pieces in 2 moves.`,
  );
});

test("the strength of a level", () => {
  assert.equal(
    strengthWords({number: 7, elo: 1339, elo_error: 100, fifth: 3}),
    "Level 7 of 10, 1339 ± 100 Elo above the first, by matches between the levels. As kr judges, its moves give away " +
      "as much as those of the middle fifth of the players of 22,000 recorded games.",
  );
  assert.match(strengthWords({number: 1, elo: 0, elo_error: 0, fifth: 1}), /^The weakest of kr's ten levels\. As kr/);
});

test("the arrows of a hint can be told apart", () => {
  /** @type {(...paths: number[][]) => any} */
  const shown = (...paths) => hintArrows(/** @type {any} */ ({line: paths.map(path => ({path}))}));
  assert.deepEqual(
    shown([11, 15], [23, 19], [8, 12], [9, 14]).map((/** @type {any} */ each) => [each.path[0], each.kind, each.label]),
    [
      [8, "other", "3"],
      [23, "threat", "2"],
      [11, "best", "1"],
    ],
  );
  assert.equal(shown([11, 15], [22, 18], [15, 22]).length, 2);
  assert.deepEqual(shown([11, 15]), [{path: [11, 15], kind: "best", label: ""}]);
});
