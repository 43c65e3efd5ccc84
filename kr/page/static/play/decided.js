// What decided a game that is over, as far as it is known: by the endgame database, or by the pieces on the board.
// Silent elsewhere. Nothing here touches the document.

import {piecesOn, sideOf} from "../squares.js";
import {t} from "../texts.js";
import {other} from "./state.js";

/** @typedef {import("../squares.js").Side} Side */
/** @typedef {import("./state.js").Node} Node */
/** @typedef {"win" | "draw" | "loss" | null} Value for the side to move */

const OPPOSITE = {win: "loss", draw: "draw", loss: "win"};

/**
 * The value for a side.
 * @param {Node} node
 * @param {Value} value
 * @param {Side} side
 */
const valueFor = (node, value, side) => value && (sideOf(node.fen) === side ? value : OPPOSITE[value]);

/** A move with its number: "12. 14-18" or "12... 14-18". @param {Node[]} nodes @param {number} at */
function moveAt(nodes, at) {
  const offset = sideOf(nodes[0].fen) === "white" ? 1 : 0,
    number = Math.floor((at - 1 + offset) / 2) + 1,
    isSecond = (at - 1 + offset) % 2 === 1;
  return `${number}${isSecond ? "..." : "."} ${nodes[at].text}`;
}

/**
 * The last position whose value was not the result; -1 for none.
 * @param {Node[]} nodes
 * @param {Value[]} values
 * @param {Side | null} winner
 */
function lastOther(nodes, values, winner) {
  const result = winner ? "win" : "draw",
    side = winner ?? "black";
  return nodes.findLastIndex((node, i) => {
    const value = valueFor(node, values[i], side);
    return value !== null && value !== result;
  });
}

/**
 * What the database says: the move that changed the value for the last time, or that the result is not that of the
 * last position.
 * @param {Node[]} nodes
 * @param {Value[]} values
 * @param {Side | null} winner
 */
function byValues(nodes, values, winner) {
  const at = lastOther(nodes, values, winner);
  if (at < 0) return "";
  const value = values[at],
    move = at + 1 < nodes.length && values[at + 1] !== null ? moveAt(nodes, at + 1) : "";
  if (!move && at + 1 < nodes.length) return "";
  if (!move && value === "draw") return t("The last position was a draw.");
  const ahead = value === "win" ? sideOf(nodes[at].fen) : other(sideOf(nodes[at].fen));
  if (!move)
    return ahead === "black" ? t("The last position was won for Black.") : t("The last position was won for White.");
  if (!winner) return t("{move} gave a win away.", {move});
  return value === "draw" ? t("{move} lost a drawn ending.", {move}) : t("{move} lost a won ending.", {move});
}

/**
 * The move by which the winner went ahead in pieces for good; "" for none. Positions amid an exchange don't count.
 * @param {Node[]} nodes
 * @param {Side} winner
 */
function ahead(nodes, winner) {
  const isCapture = (/** @type {number} */ at) => Boolean(nodes[at]?.text?.includes("x")),
    lead = (/** @type {Node} */ {fen}) => {
      const pieces = piecesOn(fen);
      return pieces[winner] - pieces[other(winner)];
    },
    settled = nodes.flatMap((_, at) => (isCapture(at + 1) || (isCapture(at) && at + 1 === nodes.length) ? [] : [at])),
    before = settled.findLastIndex(at => lead(nodes[at]) <= 0);
  if (before < 0 || before === settled.length - 1) return "";
  const from = settled[before],
    to = settled[before + 1],
    captures = nodes.flatMap((_, at) =>
      at > from && at <= to && isCapture(at) && sideOf(nodes[at].fen) !== winner ? [at] : [],
    );
  return captures.length ? moveAt(nodes, captures[captures.length - 1]) : "";
}

/**
 * One sentence on what decided a game; "" where that is not known.
 * @param {Node[]} nodes
 * @param {Value[]} values of their positions, as far as they are known
 * @param {Side | null} winner
 */
export function decidedWords(nodes, values, winner) {
  const words = byValues(nodes, values, winner);
  if (words || !winner) return words;
  const move = ahead(nodes, winner);
  if (!move) return "";
  return winner === "black"
    ? t("From {move} on Black was ahead in pieces.", {move})
    : t("From {move} on White was ahead in pieces.", {move});
}

/**
 * The ending of a game that is worth playing again: where it was last thrown away, or else the first one that the
 * person can win or hold; null for none.
 * @param {Node[]} nodes
 * @param {Value[]} values
 * @param {Side | null} winner
 * @param {Side | ""} you "" for two people
 * @returns {{goal: "win" | "draw", fen: string} | null}
 */
export function endingToPlay(nodes, values, winner, you) {
  const isOne = (/** @type {number} */ at) =>
    (values[at] === "win" || values[at] === "draw") && (!you || sideOf(nodes[at].fen) === you);
  const thrown = lastOther(nodes, values, winner),
    at = thrown >= 0 && thrown + 1 < nodes.length && isOne(thrown) ? thrown : nodes.findIndex((_, i) => isOne(i));
  return at < 0 ? null : {goal: values[at] === "win" ? "win" : "draw", fen: nodes[at].fen};
}
