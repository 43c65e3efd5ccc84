// A reviewed game in three sentences: its result and the move that turned it, the accuracy of both sides, and what to
// train, by where one side gave away most. docs/reference/sentences.md has what must be true for each.

import {visible} from "../escapes.js";
import {piecesOn} from "../squares.js";
import {YOU, decimal, said} from "../texts.js";
import {turnOf} from "../turns.js";
import {lossOf, momentsOf, stepsFrom} from "./moments.js";

/** @typedef {import("../graph.js").Point} Point */
/** @typedef {import("../texts.js").Said} Said */
/** @typedef {import("../texts.js").Sentence} Sentence */
/** @typedef {import("./moments.js").Moment} Moment */
/** @typedef {import("./state.js").Side} Side */
/**
 * What is known of a reviewed game.
 * @typedef {object} Facts
 * @property {string} result such as "1-0"
 * @property {string} opening its name; "" without one
 * @property {Point[]} points
 * @property {import("./state.js").Mark[]} marks
 * @property {Record<Side, number | null>} accuracy
 * @property {Side | null} you
 */

/** Least pieces on the board in an opening. */
export const OPENING = 20;
/** Most pieces in an ending. */
export const ENDING = 8;
/** @type {Record<Side, Side>} */
const OTHER = {black: "white", white: "black"};
/** @type {Record<string, Side>} */
const WINNERS = {"1-0": "black", "0-1": "white"};

/** @param {string} name @param {Record<string, Said>} [values] @returns {Sentence} */
const sentence = (name, values = {}) => ({say: `summary.${name}`, with: values});

/** The three sentences; none of a game that was not judged. @param {Facts} facts */
export function summaryOf(facts) {
  if (!facts.points.some(({judged}) => judged)) return [];
  return [gameSentence(facts), accuracySentence(facts), trainingSentence(facts)]
    .filter(each => each !== null)
    .map(each => said(each));
}

/** How the game ended, and where it turned. @param {Facts} facts */
function gameSentence({result, points, you}) {
  const turns = points.filter(({node}) => turnOf(node)),
    move = turns.at(-1)?.label ?? "",
    winner = WINNERS[result];
  const ends = {"1/2-1/2": "drawn", "0-0": "both_lost"}[result] ?? "unfinished";
  let end = sentence(ends);
  if (winner) end = you && you !== winner ? sentence("lost", {side: YOU}) : sentence("won", {side: of(winner, you)});
  const turned =
    turns.length === 1 ? sentence("turned", {move}) : sentence("turned_often", {count: turns.length, move});
  return sentence("game", {end, turned: turns.length ? turned : sentence("unturned")});
}

/** @param {Side} side @param {Side | null} you */
const of = (side, you) => (side === you ? YOU : side);

/** @param {Facts} facts */
function accuracySentence({accuracy, you}) {
  const sides = /** @type {Side[]} */ (["black", "white"]).filter(side => accuracy[side] !== null),
    figures = sides.map(side => sentence("of", {side: of(side, you), number: decimal(accuracy[side] ?? 0, 0)}));
  return figures.length ? sentence("accuracy", {figures}) : null;
}

/**
 * Where you, or else the side that gave away most, gave away most, and the worst move of that kind; null for nowhere.
 * @param {Pick<Facts, "marks" | "you">} facts
 * @returns {{what: ReturnType<typeof kindOf>, worst: Moment} | null}
 */
export function weakest({marks, you}) {
  const moments = momentsOf(marks, you, true).map(moment => ({moment, loss: lossOf(moment) ?? 0}));
  if (!moments.length) return null;
  const given = (/** @type {typeof moments} */ list) => list.reduce((sum, {loss}) => sum + loss, 0),
    bySide = grouped(moments, ({moment}) => moment.side),
    most = [...bySide.values()].sort((a, b) => given(b) - given(a))[0],
    [[what, own]] = [...grouped(most, ({moment}) => kindOf(moment))].sort(([, a], [, b]) => given(b) - given(a));
  return {what, worst: own.reduce((a, b) => (b.loss > a.loss ? b : a)).moment};
}

/** What is to be trained. @param {Facts} facts */
function trainingSentence({marks, opening, you}) {
  const found = weakest({marks, you});
  if (!found) return sentence("flawless", you ? {side: YOU} : {});
  const {what, worst} = found,
    {side} = worst,
    who = of(side, you);
  if (what === "opening" && opening) return sentence("train.opening_named", {side: who, name: visible(opening)});
  if (what === "opening") return sentence("train.opening", {side: who});
  if (what === "middle") return sentence("train.middle", {side: who, move: worst.point.label});
  if (what === "shot") return sentence("train.shot", {side: who, move: worst.point.label});
  const pieces = piecesOn(worst.node.parent.fen);
  return sentence("train.ending", {side: who, own: pieces[side], others: pieces[OTHER[side]]});
}

/**
 * Lists of what has the same key, in the order in which they come.
 * @template T
 * @template {string} Key
 * @param {readonly T[]} items
 * @param {(item: T) => Key} keyOf
 */
export function grouped(items, keyOf) {
  /** @type {Map<Key, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item),
      group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** What a mistake is one of. @param {Moment} moment @returns {"shot" | "opening" | "middle" | "ending"} */
export function kindOf(moment) {
  const {black, white} = piecesOn(moment.node.parent.fen);
  if (black + white <= ENDING) return "ending";
  if (isShot(moment)) return "shot";
  return black + white >= OPENING ? "opening" : "middle";
}

/** True if the better line gives pieces first and has won some at its end. @param {Moment} moment */
function isShot({node, line, side}) {
  const lead = (/** @type {string} */ fen) => {
      const pieces = piecesOn(fen);
      return pieces[side] - pieces[OTHER[side]];
    },
    steps = stepsFrom(line),
    before = lead(node.parent.fen),
    leads = steps.map(({fen}) => lead(fen));
  // where it ends with a capture, another may follow
  return !steps.at(-1)?.text.includes("x") && leads.some(each => each < before) && (leads.at(-1) ?? before) > before;
}
