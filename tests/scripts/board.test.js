import assert from "node:assert/strict";
import {test} from "node:test";
import {colourOf, toggled} from "../../kr/viewer/static/board-shapes.js";
import {BoardState} from "../../kr/viewer/static/board-state.js";
import {besides, place, placed, squareAt, SQUARES} from "../../kr/viewer/static/squares.js";

/** @import {BoardMove} from "../../kr/viewer/static/board-state.js" */
/** @import {Shapes} from "../../kr/viewer/static/board-shapes.js" */

const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
// six captures, with two ways to each target; two of them lead back to where they begin, with the same outcome
const STAR = "B:W6,7,14,15,22,23:BK2";
const ROUND = [6, 7, 14, 15];
/** @type {BoardMove[]} */
const CAPTURES = [
  [
    [2, 9, 18, 25],
    [6, 14, 22],
  ],
  [
    [2, 11, 18, 25],
    [7, 15, 22],
  ],
  [
    [2, 9, 18, 27],
    [6, 14, 23],
  ],
  [
    [2, 11, 18, 27],
    [7, 15, 23],
  ],
  [[2, 9, 18, 11, 2], ROUND],
  [[2, 11, 18, 9, 2], ROUND],
].map(([path, captured]) => ({text: path.join("x"), path, captured, fen: `${path.at(-1)} without ${captured}`}));
const FORCED = "B:W18,24,31:B4,8,9,10,15";
/** @type {BoardMove[]} */
const ONE_CAPTURE = [{text: "15x22", path: [15, 22], captured: [18], fen: "after"}];
/** @type {BoardMove[]} */
const STEPS = [
  {text: "11-15", path: [11, 15], fen: "one"},
  {text: "11-16", path: [11, 16], fen: "two"},
];

/** @param {string} fen @param {BoardMove[]} moves */
function shown(fen, moves) {
  const state = new BoardState();
  state.show(fen, moves);
  return state;
}

/** What comes of clicks, at last. @param {BoardState} state @param {number[]} squares */
const clicked = (state, squares) => squares.map(square => state.choose(square)).at(-1) || {};

test("each square has its place, on a flipped board too", () => {
  for (const flipped of [false, true]) {
    for (const square of SQUARES) assert.equal(squareAt(...place(square, flipped), flipped), square);
  }
  assert.deepEqual(
    [place(1), place(4), place(5), place(29), place(32)],
    [
      [1, 0],
      [7, 0],
      [0, 1],
      [0, 7],
      [6, 7],
    ],
  );
  assert.deepEqual([squareAt(0, 0), squareAt(8, 0), squareAt(0, -1), squareAt(Number.NaN, 0)], [0, null, null, null]);
});

test("pieces of a FEN, and the squares they could step to", () => {
  assert.deepEqual(placed("W:WK18,5:B,K1,32"), {5: "w", 18: "W", 1: "B", 32: "b"});
  assert.equal(Object.keys(placed(START)).length, 24);
  assert.deepEqual(besides(18, "B"), [14, 15, 22, 23]);
  assert.deepEqual([besides(9, "b"), besides(5, "w"), besides(12, "b")], [[13, 14], [1], [16]]);
  assert.deepEqual([besides(4, "w"), besides(29, "b"), besides(32, "B")], [[], [], [27, 28]]);
});

for (const [clicks, path] of /** @type {[number[], number[]][]} */ ([
  [
    [2, 9, 18, 25],
    [2, 9, 18, 25],
  ],
  [
    [2, 25, 9],
    [2, 9, 18, 25],
  ],
  [
    [2, 25, 11],
    [2, 11, 18, 25],
  ],
  [
    [2, 9, 18, 11],
    [2, 9, 18, 11, 2],
  ],
  [
    [2, 11, 2],
    [2, 11, 18, 9, 2],
  ],
  [
    [2, 25, 30, 2, 9, 18, 27],
    [2, 9, 18, 27],
  ],
  [
    [2, 2, 2, 27, 9],
    [2, 9, 18, 27],
  ],
])) {
  test(`clicks on ${clicks} choose the capture ${path.join("x")}`, () => {
    const state = shown(STAR, CAPTURES);
    const before = clicks.slice(0, -1).map(square => state.choose(square).move);
    assert.deepEqual(before.filter(Boolean), []);
    assert.deepEqual(state.choose(clicks[clicks.length - 1]).move?.path, path);
    assert.deepEqual(state.picked, []);
  });
}

test("a capture that can go several ways asks for the next square", () => {
  const state = shown(STAR, CAPTURES);
  assert.deepEqual(state.targets(), new Set());
  state.choose(2);
  assert.deepEqual(state.targets(), new Set([9, 25, 11, 27, 2]));
  assert.equal(state.choose(25).say, "Several ways: choose the next square, 9 or 11");
  assert.deepEqual(state.targets(), new Set([9, 11]));
  assert.equal(clicked(state, [2, 9, 32]).failed, undefined);
  assert.equal(clicked(state, [2, 9, 18, 32]).failed, "The capture goes on from 18: begin again with 2");
});

/** @type {[string, BoardMove[], number[], number[], string][]} */
const REFUSALS = [
  [FORCED, ONE_CAPTURE, [9], [9, 0], "9-13 and 9-14 aren't possible: you must capture, 15x22"],
  [FORCED, ONE_CAPTURE, [9, 14], [9, 14], "9-14 isn't possible: you must capture, 15x22"],
  [FORCED, ONE_CAPTURE, [15, 19], [15, 19], "15-19 isn't possible: you must capture, 15x22"],
  [FORCED, ONE_CAPTURE, [4], [4, 0], "The black man on 4 can't move: you must capture, 15x22"],
  [FORCED, ONE_CAPTURE, [18], [18, 0], "18 is a white man: Black is to move"],
  [START, STEPS, [1], [1, 0], "The black man on 1 is blocked"],
  [START, STEPS, [11, 18], [11, 18], "11-18 isn't possible: 11 can go to 15 or 16"],
  [`W${START.slice(1)}`, STEPS, [1], [1, 0], "1 is a black man: White is to move"],
  [
    "B:W7:BK2,K20",
    CAPTURES,
    [20],
    [20, 0],
    "20-16 and 20-24 aren't possible: you must capture, 2x9x18x25, 2x11x18x25, 2x9x18x27, 2x11x18x27 or others",
  ],
];

for (const [fen, moves, clicks, [from, to], why] of REFUSALS) {
  test(why, () => {
    const state = shown(fen, moves);
    // the board asks for the reason of each refusal as it comes
    const outcomes = clicks.map(square => {
      const {refused} = state.choose(square);
      return refused && {...refused, why: state.refuse(refused.from, refused.to)};
    });
    assert.deepEqual(outcomes.at(-1), {from, to, why});
    assert.equal(state.missed.length > 0, why.includes("you must capture"));
    // another choice, or another position, takes the reminder away
    state.choose(moves[0].path[0]);
    assert.deepEqual(state.missed, []);
  });
}

test("a piece put down on another is refused unless the capture goes there", () => {
  const state = shown(FORCED, ONE_CAPTURE);
  state.choose(15);
  assert.deepEqual(state.drop(15, 10), {refused: {from: 15, to: 10}});
  assert.deepEqual(state.picked, []);
  state.choose(15);
  assert.equal(state.drop(15, 22).move, ONE_CAPTURE[0]);
});

test("what is chosen stays with its position, and goes with another or with its moves", () => {
  const state = shown(STAR, CAPTURES);
  state.choose(2);
  assert.equal(state.show(STAR, CAPTURES), false);
  assert.deepEqual(state.picked, [2]);
  assert.equal(state.show(STAR, []), false);
  assert.deepEqual(state.picked, []);
  assert.deepEqual([shown(STAR, CAPTURES).forced, shown(START, STEPS).forced], [new Set([2]), new Set()]);
  state.show(STAR, CAPTURES);
  state.choose(2);
  assert.equal(state.show(START, STEPS), true);
  assert.deepEqual([state.picked, state.pieces[2]], [[], "b"]);
});

test("a shape that is drawn again goes away, and with another colour changes", () => {
  /** @type {Shapes} */
  let shapes = {arrows: [], circles: []};
  shapes = toggled(shapes, 11, 15, "G");
  shapes = toggled(shapes, 15, 11, "G");
  shapes = toggled(shapes, 18, 18, "R");
  const before = structuredClone(shapes);
  assert.deepEqual(shapes.arrows.length + shapes.circles.length, 3);
  shapes = toggled(toggled(shapes, 11, 15, "Y"), 18, 18, "B");
  assert.deepEqual(shapes, {
    arrows: [
      {colour: "G", from: 15, to: 11},
      {colour: "Y", from: 11, to: 15},
    ],
    circles: [{colour: "B", square: 18}],
  });
  shapes = toggled(toggled(shapes, 11, 15, "Y"), 18, 18, "B");
  assert.deepEqual(shapes, {arrows: [{colour: "G", from: 15, to: 11}], circles: []});
  assert.equal(before.circles[0].colour, "R");
});

test("keys give a shape its colour", () => {
  const none = {shiftKey: false, ctrlKey: false, altKey: false, metaKey: false};
  const keys = [{}, {shiftKey: true}, {ctrlKey: true}, {altKey: true}, {altKey: true, shiftKey: true}];
  assert.deepEqual(
    keys.map(held => colourOf({...none, ...held})),
    ["G", "R", "R", "B", "Y"],
  );
});
