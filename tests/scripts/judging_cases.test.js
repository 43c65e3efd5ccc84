// Recorded cases of judging: what lines of a search are worth, games judged by searches whose results are given, and
// stories of judgements; tests/test_judging_cases.py reads them too. In place of its words, each sentence has its name
// and its values (`speakNames`).

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, test} from "node:test";
import {ChancesOfScores, SCORE_PROVED, valueOfSign} from "../../kr/page/static/answers/chances.js";
import {Reader} from "../../kr/page/static/answers/pdn/reader.js";
import {Game} from "../../kr/page/static/answers/pdn/tree.js";
import {writeGame} from "../../kr/page/static/answers/pdn/writer.js";
import {moveQuality, moveWeight} from "../../kr/page/static/answers/review/accuracy.js";
import {mark, tableOf} from "../../kr/page/static/answers/review/annotation.js";
import {reasons, withReasons} from "../../kr/page/static/answers/review/coach.js";
import {judgeMoves, slipOf} from "../../kr/page/static/answers/review/judging.js";
import {withPeople} from "../../kr/page/static/answers/review/people.js";
import {Searches} from "../../kr/page/static/answers/review/searches.js";
import {tell} from "../../kr/page/static/answers/review/story.js";
import {BLACK, Board, Position, WHITE} from "../../kr/page/static/answers/rules.js";
import {weighed} from "../../kr/page/static/answers/weighing.js";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

/** @typedef {import("../../kr/page/static/answers/rules.js").Move} Move */

const CASES = JSON.parse(readFileSync("tests/cases/judging.json", "utf8"));
const COACH = JSON.parse(readFileSync("tests/cases/coach.json", "utf8"));
const SENTENCES = Object.entries(textsOf("en"));
const VERDICTS = JSON.parse(readFileSync("kr/evaluation/verdicts.json", "utf8"));
const FACTS = {
  ...JSON.parse(readFileSync("kr/analysis/annotation/story.json", "utf8")),
  ends: SENTENCES.flatMap(([name]) => /^story\.(\w+\.\w+)$/.exec(name)?.[1] ?? []),
};
/** @type {Record<string, number>} */
const SIDES = {black: BLACK, white: WHITE};
const BETTER = new Position().parseMove("10-14");

/** Has sentences told by their names, followed by their values. */
function speakNames() {
  const named = SENTENCES.map(([name, text]) => {
    const places = text.split("|")[0].match(/\{\w+\}/g) ?? [];
    return [name, [name, ...new Set(places)].join(" ")];
  });
  speak("en", {}, Object.fromEntries(named));
}

/** @param {Position} position @param {string} line */
function infoOf(position, line) {
  const [score, ...moves] = line.split(" ");
  let at = position;
  return {
    score: Number(score),
    moves: moves.map(text => {
      const move = at.parseMove(text);
      at = at.play(move);
      return move;
    }),
  };
}

/** What judges a case: its searches, database, certificates, and what people play. @param {any} given @returns {any} */
function judgeOf({searches, glances, longer = {}, facts = {}, database, proofs = null, people = {}}) {
  const asked = new Set();
  const engine = {
    async search(/** @type {any} */ {position, limits}) {
      if (!limits.depth) asked.add(position.fen);
      const others = limits.depth ? glances : limits.nodes > 1 ? longer : {},
        found = others[position.fen] || searches[position.fen],
        lines = found.map((/** @type {string} */ line) => infoOf(position, line)),
        [{score}] = lines;
      return {lines, score, value: Math.abs(score) > SCORE_PROVED ? valueOfSign(score) : null};
    },
    // those of two lines with the same reply have it in their name
    facts: async (/** @type {Position} */ {fen}, /** @type {Move[][]} */ ...lines) => {
      const replies = new Set(lines.flatMap(line => line.slice(1, 2).map(String)));
      return (facts[replies.size === 1 ? `${fen} ${[...replies]}` : fen] ?? []).map(factOf);
    },
  };
  const persons = {
    async moves(/** @type {readonly Position[]} */ positions) {
      const position = /** @type {Position} */ (positions.at(-1)),
        likely = Object.entries(people[position.fen] ?? {});
      return likely.map(([move, share]) => ({
        move: position.parseMove(move),
        probability: Math.abs(share),
        // a number below 0 is one that did not hold
        holds: share >= 0,
      }));
    },
  };
  return {
    asked,
    engine,
    persons,
    database: database && {
      has: (/** @type {Position} */ {fen}) => fen in database,
      look: async (/** @type {Position[]} */ positions) =>
        positions.map(({fen}) => ({value: database[fen][0], distance: database[fen][1]})),
    },
    certificates: proofs && {
      look: async (/** @type {Position[]} */ positions) =>
        positions.map(({fen}) => {
          const [what = null, by = ""] = proofs[fen] ?? [],
            excludes = what === "does not lose" ? "loss" : what === "does not win" ? "win" : null,
            certificates = by ? by.replace(/^certificates? /, "").split(" and ") : [];
          return {value: excludes ? null : what, excludes, certificates};
        }),
    },
    chances: new ChancesOfScores({...CASES.chances, verdicts: VERDICTS}),
    signal: new AbortController().signal,
  };
}

/** @param {any[]} fact */
const factOf = ([kind, better, plies, count, given, taken, square, origin]) => ({
  ...{kind, better, plies, count, given, taken, square, origin},
});

const tokens = (/** @type {string} */ text) => text.trim().split(/\s+/);

after(() => speak("en", {}));

test("what a line is worth", () => {
  for (const {fen, played, line, known, worth} of CASES.worths) {
    const board = new Board(Position.fromFen(fen));
    for (const move of tokens(played)) if (move) board.play(move);
    const {position, positions} = board,
      task = {position, history: positions.slice(0, -1)};
    const {score, value, plies, draw, occurrence, certain} = weighed(infoOf(position, line), task, known[0], known[1]);
    assert.deepEqual([score, value, plies, draw, occurrence, certain], worth, `${fen} ${played} ${line}`);
  }
});

for (const {title, pdn, from_ply: fromPly, you, marked, table, story, ...given} of CASES.games)
  test(`a judged game: ${title}`, async () => {
    speakNames();
    const [game] = new Reader(`${pdn}\n`, {forgiving: true}),
      {thresholds} = CASES,
      judge = judgeOf(given),
      backwards = [];
    for await (const judged of judgeMoves(game, {limits: {nodes: 1}, fromPly, thresholds}, judge))
      backwards.push(judged);
    const searches = new Searches(game, {nodes: 1}, judge),
      explained = await withReasons(
        game,
        backwards.reverse(),
        judge.engine,
        async (_, line) => line,
        searches,
        thresholds,
      ),
      moves = await withPeople(game, explained, judge.persons, thresholds, judge.database);
    mark(game, moves, tell(game, moves, FACTS), "kr 1", FACTS.thresholds);
    // a search may depend on those before it
    assert.deepEqual([...judge.asked], Object.keys(given.searches));
    assert.deepEqual(tokens(writeGame(game)), tokens(marked));
    assert.deepEqual(tableOf(moves, game.headers).slice(1), table);
    assert.deepEqual(tell(game, moves, FACTS, SIDES[you] ?? null), story);
  });

test("reasons", () => {
  for (const {fen, played, better, told, why} of COACH) {
    const [refutation, line] = [played, better].map(text => infoOf(Position.fromFen(fen), `0 ${text}`).moves);
    assert.deepEqual(reasons({mark: "??", refutation, line}, told.map(factOf)), why, `${fen} ${played}`);
  }
});

test("slips", () => {
  const played = new Position().parseMove("9-14");
  for (const [mark, likely, likeliest, isSame, slip] of CASES.slips) {
    const moves = {move: played, likeliest: isSame ? played : BETTER},
      judged = /** @type {any} */ ({mark, likely, likeliestProbability: likeliest, ...moves});
    assert.equal(slipOf(judged, CASES.thresholds), slip, `${mark} ${likely} ${likeliest}`);
  }
});

test("what a move adds to the accuracy", () => {
  for (const [{others_expected: othersExpected, ...given}, ...expected] of CASES.accuracies) {
    const judged = {...given, othersExpected},
      found = [moveWeight(judged), moveQuality(judged)];
    for (const [i, number] of found.entries()) assert.ok(Math.abs(number - expected[i]) < 1e-6, `${found} ${expected}`);
  }
});

test("stories", () => {
  for (const {headers = {}, fen, moves, result, rest = "", you, expected, others, story} of CASES.stories) {
    const game = new Game(Object.entries(headers), Position.fromFen(fen), tokens(moves), result);
    game.end().comment = rest;
    /** A move that was judged, with a better one, and what is not as after a quiet move. */
    const judged = game.moves.map((move, ply) => {
      const facts = {
        ...{value: null, draw: "", drawNext: "", slip: "", likely: null, loss: 0, judged: true, confirmed: true},
        ...{ply, side: ply % 2, move, best: BETTER, bestValue: null},
        ...{expected: expected[ply], bestExpected: expected[ply]},
      };
      const {
        best_expected: bestExpected = facts.bestExpected,
        best_value: bestValue = null,
        verdict_before: verdictBefore = null,
        likely_holds: likelyHolds = false,
        ...more
      } = others[ply] ?? {};
      const verdict = more.value ?? null;
      return /** @type {any} */ ({...facts, bestExpected, bestValue, verdictBefore, verdict, likelyHolds, ...more});
    });
    assert.deepEqual(tell(game, judged, FACTS, SIDES[you] ?? null), story, `${result} ${JSON.stringify(others)}`);
  }
});
