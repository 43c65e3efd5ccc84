// Certificates and proofs in words: what is proved, how far a proof is, why a line ends.

import assert from "node:assert/strict";
import {before, test} from "node:test";
import {exactly} from "../../kr/page/static/analysis/words.js";
import {
  claimStanding,
  claimWords,
  effort,
  endWords,
  plyOf,
  stepWords,
  uncovered,
  verdict,
} from "../../kr/page/static/proofs/state.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

before(() => speak("en", {}, textsOf("en")));

/** @type {import("../../kr/page/static/proofs/state.js").Told} */
const told = {fen: "", side: "black", value: null, least: "loss", most: "win", taken: 1, claims: []};
/** @type {import("../../kr/page/static/proofs/state.js").Certificate} */
const certificate = {
  proof: "1",
  name: "a.krproof",
  fen: "",
  side: "black",
  goal: "win",
  positions: 3,
  in_database: 0,
  longest: 9,
  quiet: 4,
};

test("what is proved is said for the side that has it", () => {
  /** @type {Array<[Partial<import("../../kr/page/static/proofs/state.js").Told>, string]>} */
  const cases = [
    [{}, "Nothing is proved yet"],
    [{limit: {say: "limit.time", with: {time: "1 s"}}}, "Undecided"],
    [{limit: {say: "limit.time", with: {time: "1 s"}}, least: "draw"}, "Proved: Black does not lose"],
    [{value: "win", least: "win"}, "Proved: Black wins"],
    [{value: "loss", most: "loss"}, "Proved: White wins"],
    [{value: "win", least: "win", side: "white"}, "Proved: White wins"],
    [{value: "draw", least: "draw", most: "draw"}, "Proved: a draw"],
    [{least: "draw"}, "Proved: Black does not lose"],
    [{most: "draw"}, "Proved: White does not lose"],
    [{most: "draw", side: "white"}, "Proved: Black does not lose"],
  ];
  for (const [change, said] of cases) assert.equal(verdict({...told, ...change}), said);
});

test("searches, nodes and time are told, and the limit that ended them", () => {
  const claims = /** @type {any[]} */ ([
    {searches: 1, nodes: 1200},
    {searches: 2, nodes: 0},
  ]);
  assert.equal(effort({...told, claims}), "3 searches · 1,200 nodes · 1 s");
  const limit = {say: "limit.memory", with: {size: "64MB"}};
  assert.equal(effort({...told, limit}), "0 searches · 0 nodes · 1 s · the limit of memory, 64MB, was reached");
});

test("a verdict on a problem stands at the problem and along its line", () => {
  const move = (/** @type {string} */ fen) => ({text: "1-5", path: [], captured: [], fen}),
    line = ["b", "c"].map(move);
  assert.deepEqual(
    ["a", "b", "c", "d"].map(fen => plyOf({line}, "a", fen)),
    [0, 1, 2, -1],
  );
});

test("a claim is open, proved or refuted", () => {
  /** @type {import("../../kr/page/static/proofs/state.js").Claim} */
  const claim = {
    side: "white",
    goal: "draw",
    holds: null,
    proof: 3,
    disproof: null,
    nodes: 1,
    searches: 1,
    resists: "",
  };
  assert.equal(claimWords(claim), "White does not lose");
  assert.equal(claimStanding(claim), "White does not lose: proof number 3, disproof number ∞");
  assert.match(claimStanding({...claim, resists: "1-5 9-14"}), /; resists: 1-5 9-14$/);
  assert.equal(claimStanding({...claim, holds: true}), "White does not lose: proved");
  assert.equal(claimStanding({...claim, holds: false}), "White does not lose: refuted");
});

test("a step says whose move it is, or why the line ends", () => {
  /** @type {import("../../kr/page/static/proofs/state.js").Step} */
  const step = {
    fen: "",
    own: true,
    move: {text: "1-5", path: [1, 5], captured: [], fen: ""},
    replies: [],
    left: 5,
    end: null,
  };
  assert.equal(stepWords(step, certificate), "The strategy plays 1-5. At most 3 moves to the end of a line.");
  assert.match(
    stepWords({...step, own: false, move: null, left: null}, certificate),
    /the hardest defence comes first\.$/,
  );
  assert.equal(stepWords({...step, outside: true}, certificate), "The certificate does not have this position.");
  /** @type {import("../../kr/page/static/proofs/state.js").End} */
  const end = {by: "rule", value: "loss", plies: 0};
  assert.equal(stepWords({...step, end}, certificate), "Proved: Black wins. The line ends by the rules.");
  assert.equal(
    endWords({by: "database", value: "loss", plies: 4}),
    "ends in the database: loss in 2 moves for the side to move",
  );
});

test("what a certificate does not cover is said", () => {
  assert.match(uncovered(certificate), /holds under all rules/);
  assert.match(uncovered({...certificate, in_database: 1}), /^Not covered/);
  assert.match(uncovered({...certificate, quiet: 80}), /^Not covered/);
  assert.match(uncovered({...certificate, goal: "draw", quiet: null, in_database: 1}), /holds under all rules/);
});

test("exact values name the certificate that they rest on", () => {
  /** @type {any[]} */
  const moves = [
    {text: "1-5", value: "win", plies: 3},
    {text: "1-6", value: "loss", plies: null, certificates: ["a.krproof"]},
  ];
  assert.equal(
    exactly({value: null, excludes: "loss", certificates: ["b.krproof"], moves}, ""),
    "Exact: does not lose by certificate b.krproof; 1-5 win in 2 moves, 1-6 loss by certificate a.krproof",
  );
});
