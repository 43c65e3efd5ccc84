import assert from "node:assert/strict";
import {test} from "node:test";
import {
  contenderName,
  eloWords,
  matchWords,
  playerName,
  pointsText,
  resultText,
  scoreText,
} from "../../kr/page/static/play/matchwords.js";

/** @type {[string, string]} */
const NAMES = ["Ann", "Ben"];

/** @param {object} [others] @returns {import("../../kr/page/static/play/matchwords.js").Score} */
const score = others => ({
  wins: 3,
  draws: 1,
  losses: 2,
  elo: null,
  error: null,
  superior: null,
  ...others,
});

test("points and results as people write them", () => {
  assert.deepEqual([0, 1, 2, 7].map(pointsText), ["0", "½", "1", "3½"]);
  assert.equal(scoreText(score()), "3½ – 2½");
  /** @type {(black: "a" | "b", points: number) => string} */
  const result = (black, points) => resultText({black, points, number: 0, opening: "", reason: "", plies: 0});
  assert.deepEqual([result("a", 2), result("b", 2), result("a", 1), result("b", 0)], ["1–0", "0–1", "½–½", "1–0"]);
});

test("Elo with its error names the stronger first", () => {
  assert.equal(eloWords(score(), NAMES), "6 games: 3 won, 1 drawn, 2 lost by Ann.");
  assert.equal(eloWords(score({wins: 0, draws: 0, losses: 0}), NAMES), "No game is finished yet.");
  const known = {elo: 58.4, error: 101.2, superior: 0.87};
  assert.match(
    eloWords(score(known), NAMES),
    /Ann is 58 ± 101 Elo stronger than Ben \(87% likely to be the stronger\)/,
  );
  assert.match(
    eloWords(score({...known, elo: -58.4, superior: 0.13}), NAMES),
    /Ben is 58 ± 101 Elo stronger than Ann \(87% likely/,
  );
  assert.match(eloWords(score({...known, superior: 0.9999}), NAMES), /\(99% likely/);
  assert.match(
    eloWords(score({...known, elo: -0.2, superior: 0.5}), NAMES),
    /lost by Ann. So far neither is the stronger: 0 ± 101 Elo\.$/,
  );
});

test("players by their keys", () => {
  const player = {key: "level:7", kind: "level", number: 7};
  assert.equal(contenderName(player, true), "kr, level 7 (strong club player)");
  assert.equal(contenderName(player), "kr, level 7");
  assert.equal(playerName("level:6", "kr level 6"), "kr, level 6");
  assert.equal(playerName("weights:manual", "x"), "kr with the evaluation manual");
  assert.equal(playerName("engine:1", "scan"), "scan");
  assert.equal(playerName("random", "x"), "random moves");
});

test("the state of a match", () => {
  const settings = {a: "", b: "", games: 4, tc: "", ballot: ""};
  /** @type {(state: any, finished: number, why?: string) => string} */
  const said = (state, finished, why = "") => matchWords({id: "", settings, names: NAMES, state, why}, finished);
  assert.equal(said("running", 1), "Game 2 of 4");
  assert.equal(said("running", 4), "Game 4 of 4");
  assert.equal(said("done", 4), "The match is over: 4 games");
  assert.match(said("stopped", 1), /^Stopped after 1 of 4 games\. Resume plays on/);
  assert.equal(said("failed", 0, "no such engine"), "The match stopped: no such engine");
});
