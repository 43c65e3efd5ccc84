// Certificates and proofs in words. Nothing here touches the document.

import {long} from "../analysis/words.js";
import {formatted, many, moves, said, t} from "../texts.js";

/** @typedef {import("../answers/proofs/told.js").Value} Value */
/** @typedef {import("../answers/proofs/told.js").Side} Side */
/** @typedef {import("../answers/proofs/told.js").Move} Move */
/** @typedef {import("../answers/proofs/told.js").End} End */
/** @typedef {import("../answers/proofs/told.js").Reply} Reply */
/** @typedef {import("../answers/proofs/told.js").Step} Step */
/** @typedef {import("../answers/proofs/told.js").Claim} Claim */
/** @typedef {import("../answers/proofs/told.js").Told} Told */
/** @typedef {import("../answers/proofs/told.js").OpenCertificate} Certificate */

/** Seconds that a proof may take, by what the list shows. */
export const limits = () =>
  /** @type {Array<[string, string]>} */ ([
    ["10", t("10 seconds")],
    ["60", t("1 minute")],
    ["600", t("10 minutes")],
  ]);

/** @param {{side: Side, goal: "win" | "draw"}} claim */
export const claimWords = ({side, goal}) => said({say: `claim.${side}_${goal}`});

/** What is proved of a position. @param {Told} told */
export function verdict({value, least, most, side, limit}) {
  const other = side === "black" ? "white" : "black";
  if (value === "draw") return t("Proved: a draw");
  if (value) return t("Proved: {claim}", {claim: claimWords({side: value === "win" ? side : other, goal: "win"})});
  if (least === "draw") return t("Proved: {claim}", {claim: claimWords({side, goal: "draw"})});
  if (most === "draw") return t("Proved: {claim}", {claim: claimWords({side: other, goal: "draw"})});
  return limit ? t("Undecided") : t("Nothing is proved yet");
}

/**
 * The ply of a verdict's line at which a position stands, 0 for the problem itself; -1 where it does not.
 * @param {Pick<import("../composing/state.js").Verdict, "line">} verdict
 * @param {string} problem its FEN
 * @param {string} fen
 */
export const plyOf = ({line}, problem, fen) =>
  fen === problem ? 0 : line.findIndex(move => move.fen === fen) + 1 || -1;

/** How far a claim has come. @param {Claim} claim */
export function claimStanding(claim) {
  if (claim.holds) return t("{claim}: proved", {claim: claimWords(claim)});
  if (claim.holds === false) return t("{claim}: refuted", {claim: claimWords(claim)});
  const number = (/** @type {number | null} */ each) => (each === null ? "∞" : formatted(each));
  const told = t("{claim}: proof number {proof}, disproof number {disproof}", {
    claim: claimWords(claim),
    proof: number(claim.proof),
    disproof: number(claim.disproof),
  });
  return claim.resists ? `${told}; ${t("resists: {moves}", {moves: claim.resists})}` : told;
}

/** Searches and nodes so far, and what ended them. @param {Told} told */
export function effort({claims, taken, limit}) {
  const sum = (/** @type {"nodes" | "searches"} */ name) => claims.reduce((all, claim) => all + claim[name], 0);
  return [
    many(sum("searches"), "search", "searches"),
    many(sum("nodes"), "node"),
    `${Math.round(taken)} s`,
    ...(limit ? [said(limit)] : []),
  ].join(" · ");
}

/** What a certificate consists of. @param {Certificate} certificate */
export const extent = ({positions, longest, quiet}) =>
  [
    many(positions, "position"),
    longest === null ? "" : t("lines of at most {moves}", {moves: moves(longest)}),
    quiet === null ? "" : t("{moves} in a row without progress", {moves: moves(quiet)}),
  ]
    .filter(Boolean)
    .join(" · ");

/** What no certificate covers; nothing for a draw, which those rules give as well. @param {Certificate} certificate */
export const uncovered = ({goal, quiet, in_database}) =>
  goal === "draw"
    ? t("Draws by rule are not losses: this holds under all rules.")
    : in_database || (quiet ?? 0) >= 80
      ? t("Not covered: draws by rule, 40 moves each without progress, and repetition.")
      : t("No line repeats a position or goes 40 moves each without progress: this holds under all rules.");

/** Why a line ends. @param {End} end */
export const endWords = ({by, value, plies}) =>
  by === "rule"
    ? t("ends by the rules")
    : t("ends in the database: {value} for the side to move", {value: long({value, plies})});

/** What is at a step, in a sentence. @param {Step} step @param {Certificate} certificate */
export function stepWords(step, certificate) {
  if (step.outside) return t("The certificate does not have this position.");
  if (step.end) return t("Proved: {claim}. The line {end}.", {claim: claimWords(certificate), end: endWords(step.end)});
  const left = step.left === null ? "" : ` ${t("At most {moves} to the end of a line.", {moves: moves(step.left)})}`;
  if (step.own) return `${t("The strategy plays {move}.", {move: step.move?.text ?? ""})}${left}`;
  return `${t("Whatever is played, it has an answer; the hardest defence comes first.")}${left}`;
}
