import assert from "node:assert/strict";
import {test} from "node:test";
import * as people from "../../kr/page/static/people/state.js";
import * as regions from "../../kr/page/static/regions/state.js";

const move = (/** @type {number} */ people, holds = true) => ({
  ...{text: "11-15", path: [11, 15], captured: [], fen: "W"},
  ...{people, holds},
});

test("how many people play a move", () => {
  assert.deepEqual(
    [1, 0.72, 0.004].map(share => people.ofHundred(move(share))),
    ["all", "72 of 100", "fewer than 1 of 100"],
  );
  assert.deepEqual(
    [0.25, 0.24, 0.04].map(share => people.ofHundred(move(share, false))),
    ["many", "some", "few"],
  );
  assert.equal(people.inBrief([move(0.723, false)]), "People play 11-15 most here.");
  assert.equal(people.moveWords(move(0.5, false)), "Play 11-15");
  assert.equal(people.inBrief([move(0.723)]), "72 of 100 people play 11-15 here.");
  assert.equal(people.inBrief([move(1)]), "All people play 11-15 here.");
  assert.equal(people.inBrief([]), "The game is over here.");
  assert.equal(people.moveWords(move(0.5)), "Play 11-15, which 50 of 100 people play");
  assert.deepEqual(
    [3, 5, 2].map(count => people.groupNames(count).length),
    [3, 5, 2],
  );
});

test("regions are told in men", () => {
  assert.deepEqual(
    [44, -4, 0, -123].map(each => regions.inMen(each)),
    ["+0.4", "0.0", "0.0", "−1.2"],
  );
  assert.equal(regions.inMen(-4, 2), "−0.04");
  assert.deepEqual([7, 2345, 3_210_000].map(regions.roughly), ["7", "2.3 thousand", "3.2 million"]);
  assert.deepEqual(
    regions.spread([
      {squares: [1, 2], score: 10, own: 0, seen: 1},
      {squares: [2], score: -5, own: 0, seen: 1},
    ]),
    {1: 5, 2: 0},
  );
  assert.deepEqual(regions.coloured({7: 80, 9: -20}), {heat: {7: 1, 9: -0.5}, labels: {7: "+0.80", 9: "−0.20"}});
  const answer = /** @type {any} */ ({score: 31, weights: "kr"});
  assert.equal(regions.scoreWords(answer), "At a glance Black is ahead by 0.3 of a man (kr).");
  assert.equal(regions.scoreWords({...answer, score: -131}), "At a glance White is ahead by 1.3 men (kr).");
  assert.equal(regions.scoreWords({...answer, score: 3}), "At a glance the sides are equal (kr).");
  assert.equal(regions.noteWords({...answer, shared: true, remark: ""}), "");
  assert.equal(
    regions.noteWords({...answer, shared: false, remark: "over"}),
    "This evaluation has no tables to share out: a number is what the score loses without the piece. " +
      "The game is over: a score at a glance means nothing here.",
  );
});
