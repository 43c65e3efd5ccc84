// What is known of one game of a person: result, opening, accuracy, mistakes as its review marked them, endings with
// the values that the database has. Nothing is told that was not measured. Nothing here touches the document.

import {plainName} from "../answers/names.js";
import {reasonsIn} from "../comments.js";
import {dated} from "../files/state.js";
import {YOU} from "../library/cards.js";
import {lossOf, momentsOf} from "../review/moments.js";
import {Review} from "../review/state.js";
import {ENDING, kindOf} from "../review/summary.js";
import {piecesOn} from "../squares.js";
import {GameTree} from "../tree.js";
import {turnKind, turnOf} from "../turns.js";

/** @typedef {import("../review/state.js").Side} Side */
/** @typedef {import("../tree.js").GameDocument} GameDocument */
/** @typedef {import("../library/cards.js").Card} Card */
/** @typedef {"win" | "draw" | "loss"} Value */
/**
 * A marked move of the person that has a better line. kind: of its mark; turn: what it did to the game; phase: what it
 * is a mistake in; why: name of the first reason for the mark, as in why.shot, "" without one; loss: expected result
 * that it gave away, null if that is not known; fen: the position before it; value: what the database has of that, in
 * an ending
 * @typedef {{ply: number, label: string, kind: "inaccuracy" | "mistake" | "blunder", turn: string,
 *   phase: "shot" | "opening" | "middle" | "ending", why: string, loss: number | null, fen: string,
 *   value: Value | null}} Slip
 */
/**
 * A stretch of the game with the same pieces. name: own pieces first, such as "2v1"; from, to: plies; value: at its
 * start, null if it isn't known; isHeld: no move of the person in it gave that value away, null if that isn't known
 * @typedef {{name: string, from: number, to: number, value: Value | null, isHeld: boolean | null}} Ending
 */
/**
 * @typedef {object} GameFacts
 * @property {string} id
 * @property {Side} side
 * @property {Value | ""} result
 * @property {string} date such as "1901.05"; "" if it is unknown
 * @property {string} opening its name; "" without one
 * @property {boolean} isReviewed
 * @property {number | null} accuracy
 * @property {Slip[]} slips
 * @property {Ending[]} endings
 */
/** Value of a position for its side to move, by its FEN. @typedef {ReadonlyMap<string, Value | null>} Values */

/** Least plies with the same pieces that count as an ending that was reached: fewer are part of an exchange. */
const ENDING_PLIES = 4;
/** @type {Record<Value, number>} */
const WORTH = {loss: 0, draw: 1, win: 2};
/** @type {Record<Value, Value>} */
const OPPOSITE = {win: "loss", draw: "draw", loss: "win"};
/** @type {Record<string, Record<Side, Value>>} */
const RESULTS = {
  "1-0": {black: "win", white: "loss"},
  "0-1": {black: "loss", white: "win"},
  "1/2-1/2": {black: "draw", white: "draw"},
};

/**
 * The side that a person played; null if that is neither or both.
 * @param {Pick<Card, "black" | "white" | "person">} card
 * @param {ReadonlySet<string>} names spellings of the person, as names are compared, or YOU
 * @returns {Side | null}
 */
export function sideIn({black, white, person}, names) {
  const isOf = (/** @type {Side} */ side, /** @type {string} */ name) =>
      (person === side && names.has(YOU)) || (Boolean(name) && names.has(plainName(name))),
    [asBlack, asWhite] = [isOf("black", black), isOf("white", white)];
  if (asBlack === asWhite) return null;
  return asBlack ? "black" : "white";
}

/** The game as it was played, of a tree. @param {GameTree} tree @returns {any[]} */
const played = tree => tree.main();

/** @param {GameDocument} document */
function treeOf(document) {
  const tree = new GameTree();
  tree.load(document);
  return tree;
}

/**
 * Stretches of a game with the same few pieces, as nodes.
 * @param {any[]} nodes
 * @returns {any[][]}
 */
function stretches(nodes) {
  /** @type {any[][]} */
  const found = [];
  let key = "";
  for (const node of nodes) {
    const {black, white} = piecesOn(node.fen),
      now = black + white <= ENDING ? `${black}v${white}` : "";
    if (!now) continue;
    // after a position that was set up another game has begun
    if (now === key && !node.setup) found[found.length - 1].push(node);
    else found.push([node]);
    key = now;
  }
  return found.filter(each => each.length > ENDING_PLIES);
}

/**
 * The positions whose values tell how the endings of a game were played.
 * @param {GameDocument} document
 * @returns {string[]} FENs
 */
export const endingPositions = document => [
  ...new Set(
    stretches(played(treeOf(document))).flatMap(nodes => [
      ...nodes.map(({fen}) => fen),
      ...nodes
        .at(-1)
        .children.slice(0, 1)
        .map((/** @type {any} */ {fen}) => fen),
    ]),
  ),
];

/**
 * @param {any[]} nodes of a stretch
 * @param {Side} side
 * @param {Values} values
 * @returns {Ending}
 */
function endingOf(nodes, side, values) {
  const of = (/** @type {any} */ {fen}) => {
      const value = values.get(fen) ?? null;
      return value && (fen[0] === side[0].toUpperCase() ? value : OPPOSITE[value]);
    },
    [first] = nodes,
    {black, white} = piecesOn(first.fen),
    [own, other] = side === "black" ? [black, white] : [white, black];
  let isKnown = true,
    isSpoiled = false;
  for (const node of nodes) {
    const [next] = node.children;
    if (node.fen[0] !== side[0].toUpperCase() || !next || next.setup) continue;
    const [before, after] = [of(node), of(next)];
    if (before === null || after === null) isKnown = false;
    else if (WORTH[after] < WORTH[before]) isSpoiled = true;
  }
  const value = of(first);
  return {
    name: `${own}v${other}`,
    from: first.ply,
    to: nodes.at(-1).ply + 1,
    value,
    isHeld: value === null || value === "loss" || !(isKnown || isSpoiled) ? null : !isSpoiled,
  };
}

/**
 * @param {Review} review
 * @param {Side} side
 * @param {Values} values
 * @returns {Slip[]}
 */
const slipsOf = (review, side, values) =>
  momentsOf(review.marks(), side, true).map(moment => ({
    ply: moment.point.ply,
    label: moment.point.label,
    kind: /** @type {Slip["kind"]} */ (moment.point.kind),
    turn: turnKind(turnOf(moment.node)),
    phase: kindOf(moment),
    why: reasonsIn(moment.node.comments)[0]?.say.replace("why.", "") ?? "",
    loss: lossOf(moment),
    fen: moment.node.parent.fen,
    value: values.get(moment.node.parent.fen) ?? null,
  }));

/**
 * What the list of games knows of one.
 * @param {Card} card
 * @param {Side} side of the person
 * @returns {GameFacts}
 */
export const listed = ({id, result, date, opening, review}, side) => ({
  ...{id, side, opening},
  result: RESULTS[result]?.[side] ?? "",
  date: /^\d/.test(date) ? dated(date) : "",
  isReviewed: review !== null,
  accuracy: review?.[side] ?? null,
  slips: [],
  endings: [],
});

/**
 * The facts of a game whose moves have been read.
 * @param {GameFacts} facts by the list
 * @param {GameDocument} document
 * @param {Values} values of its endingPositions
 * @returns {GameFacts}
 */
export function read(facts, document, values) {
  const tree = treeOf(document),
    {side, isReviewed} = facts;
  return {
    ...facts,
    slips: isReviewed ? slipsOf(new Review(tree), side, values) : [],
    endings: stretches(played(tree)).map(nodes => endingOf(nodes, side, values)),
  };
}
