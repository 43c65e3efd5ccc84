// Recorded cases of what kr's command line knows as well: tests/test_cases.py is their other reader.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {COOK, VARIETY} from "../../kr/page/static/answers/book.js";
import {Calibration} from "../../kr/page/static/answers/calibration.js";
import {ChancesOfScores, SCORE_DECIDED, SCORE_PROVED, SCORE_WIN} from "../../kr/page/static/answers/chances.js";
import {words} from "../../kr/page/static/answers/blanks.js";
import {MOST_WITH_VALUE} from "../../kr/page/static/answers/database.js";
import {gameDocument, readDocument} from "../../kr/page/static/answers/document.js";
import {parseCount, parseDuration} from "../../kr/page/static/answers/durations.js";
import {parseLimits} from "../../kr/page/static/answers/limits.js";
import {MOST_LOOKED_UP} from "../../kr/page/static/answers/native/database.js";
import {MOST_TOGETHER} from "../../kr/page/static/answers/native/engine.js";
import {formatFen, looksLikeFen, parseFen, parsePath} from "../../kr/page/static/answers/notation.js";
import {Reader} from "../../kr/page/static/answers/pdn/reader.js";
import {PlainBytes, Text} from "../../kr/page/static/answers/pdn/source.js";
import {normalise, writeGame} from "../../kr/page/static/answers/pdn/writer.js";
import {TimeControl} from "../../kr/page/static/answers/play/clock.js";
import {OFFER_AGAIN} from "../../kr/page/static/answers/play/manners.js";
import {LONGEST_LINE, PageRequest} from "../../kr/page/static/answers/request.js";
import {NO_PROGRESS_PLIES, Position, REPETITIONS} from "../../kr/page/static/answers/rules.js";
import {MAX_LINES, MOST_WITHIN} from "../../kr/page/static/answers/searches.js";
import {counted, decodedBytes, KrError, quoted} from "../../kr/page/static/answers/text.js";
import {visible} from "../../kr/viewer/static/escapes.js";
import {knowEnglish, said} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

/** @typedef {(...given: any[]) => any} Read */

/** @type {Record<string, number>} */
const CONSTANTS = {
  ...{REPETITIONS, NO_PROGRESS_PLIES, SCORE_PROVED, SCORE_DECIDED, SCORE_WIN, MOST_WITHIN, COOK, VARIETY, OFFER_AGAIN},
  ...{MAX_LINES, LONGEST_LINE, MOST_LOOKED_UP, MOST_TOGETHER, MOST_WITH_VALUE},
};
const CASES = new URL("../cases/", import.meta.url);
knowEnglish(textsOf("en"), String);

const VERDICTS = JSON.parse(readFileSync("kr/evaluation/verdicts.json", "utf8"));

const chancesIn = (/** @type {number} */ scale) => new ChancesOfScores({scale, draw_share: 0, verdicts: VERDICTS});

/** @param {number} score @param {number} reply @param {number} pieces @param {number} scale */
const likely = (score, reply, pieces, scale) => chancesIn(scale).likely(score, reply, pieces);

/** The verdicts along a published line never contradict its value. */
function lines(/** @type {string} */ problem, /** @type {number} */ scale, /** @type {any[]} */ steps) {
  for (const [fen, published, ...searches] of steps)
    for (const [score, reply] of searches) {
      const found = likely(score, reply, Position.fromFen(fen).pieces, scale);
      assert.equal(found?.value ?? published, published, `${problem}: ${fen}`);
    }
}

/** Chances of people's moves by some numbers, and whether they may be told. @param {any} given */
function people({numbers, chances, corrected, holds}) {
  const calibration = new Calibration(numbers),
    agree = (/** @type {number[]} */ found, /** @type {number[]} */ expected) =>
      assert.ok(
        found.every((chance, i) => Math.abs(chance - expected[i]) < 1e-6),
        `${found} ${expected}`,
      );
  for (const [probabilities, losses, pieces, isExact, expected] of chances)
    agree(calibration.chances(probabilities, losses, pieces, isExact), expected);
  for (const [short, seen, judged, expected] of corrected) agree(calibration.corrected(short, seen, judged), expected);
  for (const [chance, pieces, seen, judged, expected] of holds)
    assert.equal(calibration.holds(chance, pieces, seen, judged), expected, `${chance} ${pieces} ${seen} ${judged}`);
}

const readFen = (/** @type {string} */ text) => Position.fromFen(text).fen;

function blanks() {
  const all = Array.from({length: 0x10000}, (_, code) => String.fromCharCode(code));
  return all.filter(each => words(`a${each}b`).length === 2).join("");
}

function legalMoves(/** @type {string} */ fen) {
  const position = Position.fromFen(fen);
  return Object.fromEntries(position.legalMoves().map(move => [String(move), position.play(move).fen]));
}

function decoded(/** @type {string} */ packed) {
  const source = new Text(new PlainBytes(decodedBytes(packed)));
  let text = "";
  for (let block = source.read(); block; block = source.read()) text += block;
  return text;
}

/** @returns {import("../../kr/page/static/answers/pdn/tree.js").Game} */
const gameOf = (/** @type {string} */ text) => new Reader(`${text}\n`).readGame() ?? assert.fail(`no game: ${text}`);

/** @param {string} text @param {{isUsual?: boolean, results?: "english" | "white"}} [how] */
function written(text, {isUsual = false, results = "english"} = {}) {
  const game = gameOf(text);
  if (isUsual) normalise(game);
  return writeGame(game, {results}).trim();
}

/** The English of what other languages tell as well. @param {import("../../kr/viewer/static/texts.js").Said} why */
function named(why) {
  assert.equal(typeof why, "object", `${why} is told in English alone`);
  return said(why);
}

/** @param {any} expected */
function games({text, games, results = "english", forgiving = false, warnings = [], faults = []}) {
  /** @type {string[]} */
  const errors = [];
  const found = [...new Reader(`${text}\n`, {results, forgiving, onError: why => errors.push(named(why))})];
  const texts = found.map(game => writeGame(game));
  assert.deepEqual(
    texts.map(each => each.trim()),
    games,
  );
  assert.deepEqual(
    found.flatMap(game => game.warnings.map(named)),
    warnings,
  );
  assert.deepEqual(errors, faults);
  // a game that was written is read as it was
  for (const each of texts) assert.equal(writeGame(gameOf(each)), each);
}

/** @param {any} expected */
function document({pdn, document}) {
  assert.deepEqual(gameDocument(gameOf(pdn)), document);
  assert.deepEqual(gameDocument(readDocument(document)), document);
}

/** A field of a request. @param {string} method @param {any[]} given @param {any} value */
const field = (method, given, value) => /** @type {any} */ (new PageRequest({x: value}))[method]("x", ...given);

/** A sentence in English. @param {import("../../kr/viewer/static/texts.js").Sentence} sentence */
const told = sentence => said(sentence);

/** @param {Read} read */
const gives =
  read =>
  (/** @type {any[]} */ ...given) =>
    assert.deepEqual(read(...given.slice(0, -1)), given.at(-1));

/** @param {Read} read */
const refuses =
  read =>
  (/** @type {any[]} */ ...given) =>
    assert.throws(
      () => read(...given.slice(0, -1)),
      error => {
        if (!(error instanceof KrError)) throw error;
        assert.equal(error.message, given.at(-1) ?? error.message);
        return true;
      },
    );

/** null stands for what is refused. @param {Read} read */
const givesOrRefuses =
  read =>
  (/** @type {any[]} */ ...given) =>
    (given.at(-1) === null ? refuses : gives)(read)(...given);

/** What reads the cases of a file, by their kinds; those of pdn.json are all games. @type {Record<string, any>} */
const READERS = {
  pdn: {},
  notation: {
    fens: gives(readFen),
    "bad fens": refuses(readFen),
    "fens or not": gives(looksLikeFen),
    crowned: gives(text => formatFen(parseFen(text, true))),
    paths: gives(text => parsePath(text).map(square => square + 1)),
    "no paths": refuses(parsePath),
    "legal moves": gives(legalMoves),
    moves: gives((fen, text) => String(Position.fromFen(fen).parseMove(text))),
    "illegal moves": refuses((fen, text) => Position.fromFen(fen).parseMove(text)),
  },
  people: {chances: people},
  verdicts: {
    likely: gives(likely),
    composed: gives((score, scale) => chancesIn(scale).likelyIfComposed(score)),
    lines,
  },
  constants: {constants: gives(name => CONSTANTS[name])},
  encodings: {texts: gives(decoded), "no texts": refuses(decoded)},
  documents: {games: document},
  writing: {
    "usual tags": gives(text => written(text, {isUsual: true})),
    "results of White": gives(text => written(text, {results: "white"})),
  },
  requests: {fields: gives(field), "bad fields": refuses(field)},
  sentences: {English: gives(told)},
  texts: {
    blanks: gives(blanks),
    limits: givesOrRefuses(parseLimits),
    durations: givesOrRefuses(parseDuration),
    counts: givesOrRefuses(text => Number(parseCount(text))),
    clocks: givesOrRefuses(text => String(TimeControl.parse(text))),
    visible: gives(visible),
    quoted: gives(quoted),
    counted: gives(counted),
  },
};

for (const [name, readers] of Object.entries(READERS))
  for (const [kind, cases] of Object.entries(JSON.parse(readFileSync(new URL(`${name}.json`, CASES), "utf8"))))
    test(`${name}: ${kind}`, () => {
      const check = readers[kind] ?? games;
      for (const each of cases) Array.isArray(each) ? check(...each) : check(each);
    });
