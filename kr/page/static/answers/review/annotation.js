// A judged game: how well each side played, and the marks put into its tree (kr/analysis/annotation/annotation.py).

import {said} from "../../texts.js";
import {SIDE_NAMES} from "../notation.js";
import {words} from "../blanks.js";
import {BLACK, sideName, WHITE} from "../rules.js";
import {moveQuality, moveWeight} from "./accuracy.js";
import {fixed} from "./figures.js";
import {AVOIDED, MARKS, ONLY, OPENING, OVERSIGHT, TRAP} from "./judging.js";
import {markGame} from "./marking.js";

/** @typedef {import("../pdn/tree.js").Game} Game */
/** @typedef {import("./judging.js").JudgedMove} JudgedMove */
/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("../../texts.js").Sentence} Sentence */
/**
 * Quality of a side's moves.
 * @typedef {object} Tally
 * @property {number} moves judged moves
 * @property {number} best judged moves that were as good as any other
 * @property {number} unmarked percentage of judged moves without a bad mark; 100 if none was judged
 * @property {number} loss average expected result given away by a judged move
 * @property {number} inaccuracies
 * @property {number} mistakes
 * @property {number} blunders
 * @property {number} only moves marked as the only good one
 * @property {number} traps mistakes and blunders that people are likely to make
 * @property {number} oversights mistakes and blunders that few make
 * @property {number} avoided only moves where people are likely to play another
 * @property {number | null} accuracy from 0 to 100; null if no move mattered
 */

/** In place of a figure that is not known. */
const NO_FIGURE = "\u2013";
/** Most plies of a better line. */
const LINE_PLIES = 12;
/** Columns of the players' table of a game. */
const COLUMNS = ["Player", "accuracy", "judged", "best", "unmarked", "loss", ...MARKS, ONLY];

/** @param {readonly number[]} numbers */
const sum = numbers => numbers.reduce((total, number) => total + number, 0);

/** The moves of a side. @param {readonly JudgedMove[]} moves @param {number} side @returns {Tally} */
function tallyOf(moves, side) {
  const judged = moves.filter(each => each.judged && each.side === side),
    count = (/** @type {(each: JudgedMove) => boolean} */ isSuch) => judged.filter(isSuch).length,
    marked = (/** @type {string} */ mark) => count(each => each.mark === mark),
    slipped = (/** @type {string} */ slip) => count(each => each.slip === slip);
  const {length} = judged,
    [inaccuracies, mistakes, blunders] = MARKS.map(marked),
    weight = sum(judged.map(moveWeight)),
    quality = sum(judged.map(each => moveWeight(each) * moveQuality(each)));
  return {
    moves: length,
    best: count(each => each.best?.equals(each.move) ?? false),
    unmarked: length ? 100 * (1 - (inaccuracies + mistakes + blunders) / length) : 100,
    loss: length ? sum(judged.map(each => each.loss)) / length : 0,
    inaccuracies,
    mistakes,
    blunders,
    only: marked(ONLY),
    traps: slipped(TRAP),
    oversights: slipped(OVERSIGHT),
    avoided: slipped(AVOIDED),
    accuracy: weight ? (100 * quality) / weight : null,
  };
}

/** @param {string} name @param {Record<string, Said>} [values] @returns {Sentence} */
const figure = (name, values = {}) => ({say: `report.${name}`, with: values});

/** What a tally has, each as a sentence. @param {Tally} tally */
function figuresOf(tally) {
  if (!tally.moves) return [figure("unjudged")];
  const {inaccuracies, mistakes, blunders, traps, oversights, avoided} = tally;
  return [
    ...(tally.accuracy === null ? [] : [figure("accuracy", {number: fixed(tally.accuracy, 1)})]),
    // an unmarked move need not be a best one: its loss may be below the threshold of a mark
    figure("best", {best: tally.best, count: tally.moves}),
    figure("unmarked", {percent: fixed(tally.unmarked, 1)}),
    figure("loss", {number: fixed(tally.loss, 3)}),
    ...Object.entries({inaccuracies, mistakes, blunders}).map(([name, count]) =>
      count ? figure(name, {count}) : figure(`${name}.none`),
    ),
    ...Object.entries({traps, oversights, avoided}).flatMap(([name, count]) => (count ? [figure(name, {count})] : [])),
  ];
}

/** The accuracy of Black and White. @param {readonly JudgedMove[]} moves */
export const accuracies = moves => [BLACK, WHITE].map(side => tallyOf(moves, side).accuracy);

/** The tallies of both sides in words. @param {readonly JudgedMove[]} moves */
function reportOf(moves) {
  const opening = moves.filter(each => each.reason === OPENING).length,
    sentences = [BLACK, WHITE].map(side =>
      figure("side", {side: sideName(side), figures: figuresOf(tallyOf(moves, side))}),
    );
  if (opening) sentences.push(figure("opening", {count: opening}));
  return sentences.map(each => said(each)).join(" ");
}

/**
 * The players' table as text.
 * @param {readonly JudgedMove[]} moves
 * @param {ReadonlyMap<string, string>} headers tags, which may name the players
 */
export function tableOf(moves, headers) {
  const rows = [BLACK, WHITE].map(side => {
    const tally = tallyOf(moves, side),
      name = words(headers.get(SIDE_NAMES[side]) ?? "").join(" ");
    return [
      name && name !== "?" ? name : SIDE_NAMES[side],
      tally.accuracy === null ? NO_FIGURE : fixed(tally.accuracy, 1),
      String(tally.moves),
      String(tally.best),
      tally.moves ? `${fixed(tally.unmarked, 1)}%` : NO_FIGURE,
      fixed(tally.loss, 3),
      ...[tally.inaccuracies, tally.mistakes, tally.blunders, tally.only].map(String),
    ];
  });
  return [COLUMNS, ...rows];
}

/**
 * Puts the marks, the story and the report into a game.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves
 * @param {readonly Sentence[]} story
 * @param {string} signature text for the Annotator tag
 * @param {Record<string, number>} thresholds of the story
 */
export function mark(game, moves, story, signature, thresholds) {
  markGame(game, moves, story, accuracies(moves), reportOf(moves), signature, LINE_PLIES, thresholds);
}
