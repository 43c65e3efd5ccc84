// What proofs say of a problem under construction, and of its variations, in words. Nothing here touches the document.

import {all, many, said, t} from "../texts.js";

/** @import {Said, Sentence} from "../texts.js" */
/** @typedef {{move: string, by: Said, transposes: boolean}} Way by: what proves it, "" for nothing */
/** @typedef {{text: string, path: number[], captured: number[], fen: string}} LineMove */
/** @typedef {{ply: number, number: number, move: string, forced: boolean, only: boolean, others: Way[]}} Step */
/**
 * A verdict; by: what proves the value. number: of the move that it is about, the unsettled moves are there. ended: why
 * the line ends. steps: the solver's moves that count, only: the one way or not, with the others that keep the result.
 * refutation: a side and what it reaches. limit: what left it undecided.
 * @typedef {{verdict: "sound" | "cook" | "dual" | "unsound" | "undecided", value: "win" | "draw" | "loss" | null,
 *   by: Said, number: number | null, unsettled: string[], keys: Way[], line: LineMove[], ended: string,
 *   steps: Step[], refutation: {side: "black" | "white", goal: "win" | "draw"} | null, nodes: number,
 *   seconds: number, limit: Sentence | ""}} Verdict
 */
/** @typedef {{kind: string, piece: string, square: number, target: number | null}} Change */
/**
 * @typedef {{fen: string, changes: Change[], verdict: "sound" | "dual", move_number: number | null, rank: number,
 *   key: string, moves: number}} Variation
 */

/** What proves something. @param {Said} by */
const byWords = by => by && t("by {grounds}", {grounds: said(by)});

/** @param {"black" | "white"} side @param {"win" | "draw"} goal */
const claimWords = (side, goal) => said({say: `claim.${side}_${goal}`});

/** A sentence, with its first letter large. @param {string} text */
const begun = text => text[0].toUpperCase() + text.slice(1);

/** The verdict in brief. @param {Verdict} verdict */
export function verdictWords({verdict, number}) {
  return {
    sound: () => t("Sound"),
    cook: () => t("Cooked: there is another key"),
    dual: () => t("Dual at move {number}", {number}),
    unsound: () => t("Unsound"),
    undecided: () => t("Undecided"),
  }[verdict]();
}

/** A way with what proves it. @param {Way} way */
const wayWords = ({move, by, transposes}) => `${move} (${byWords(by)}${transposes ? `, ${t("transposes")}` : ""})`;

/**
 * What the verdict rests on, a sentence each.
 * @param {Verdict} found
 * @param {string} fen of the problem
 * @returns {string[]}
 */
export function reasons(found, fen) {
  const mover = fen[0] === "B" ? "black" : "white",
    other = mover === "black" ? "white" : "black",
    by = byWords(found.by);
  const values = {
    win: () => claimWords(mover, "win"),
    loss: () => claimWords(other, "win"),
    draw: () => t("the position is a draw"),
  };
  return [
    found.value && begun(`${values[found.value]()}${by && `, ${by}`}.`),
    found.refutation && t("Refuted: {claim}.", {claim: claimWords(found.refutation.side, found.refutation.goal)}),
    found.keys.length === 1 && t("Key: {move}.", {move: wayWords(found.keys[0])}),
    found.keys.length > 1 && t("Keys: {moves}.", {moves: all(found.keys.map(wayWords))}),
    ...found.steps
      .filter(({ply, others}) => ply > 0 && others.length)
      .map(({number, move, others}) =>
        t("Move {number}: {move}, also {others}.", {number, move, others: all(others.map(wayWords))}),
      ),
    found.unsettled.length && t("Open at move {number}: {moves}.", {number: found.number, moves: all(found.unsettled)}),
    found.verdict === "undecided" && found.value === null && !found.keys.length && t("The result is open."),
    found.limit && begun(`${said(found.limit)}.`),
    found.verdict === "undecided" &&
      (found.limit && found.limit.say === "limit.memory"
        ? t("More memory, by kr problem check --memory, or a larger endgame database, decides more.")
        : t("More time, or a larger endgame database, decides more.")),
  ]
    .filter(sentence => typeof sentence === "string" && sentence !== "")
    .map(String);
}

/** Why the line ends. @param {Verdict} found */
export const endWords = ({ended}) =>
  ({plain: t("the result is plain"), repeated: t("a position comes again"), over: t("the end")})[ended] ?? "";

/** The plies of the line, from 0, whose moves are the only ways, forced ones apart. @param {Verdict} found */
export const stars = ({steps}) => new Set(steps.filter(({only, forced}) => only && !forced).map(({ply}) => ply));

/** Changes of a position. @param {Change[]} changes */
export const changeWords = changes => changes.map(oneChange).join(", ");

/** @param {Change} change */
function oneChange({kind, piece, square, target}) {
  const isKing = piece === piece.toUpperCase();
  if (kind === "move")
    return isKing
      ? t("king {from} to {to}", {from: square, to: target})
      : t("man {from} to {to}", {from: square, to: target});
  if (kind === "remove") return t("without {square}", {square});
  if (kind === "crown") return t("king on {square}", {square});
  if (kind === "uncrown") return t("man on {square}", {square});
  const added = {
    b: () => t("plus black man {square}", {square}),
    B: () => t("plus black king {square}", {square}),
    w: () => t("plus white man {square}", {square}),
    W: () => t("plus white king {square}", {square}),
  };
  return added[/** @type {"b"} */ (piece)]();
}

/** How far the proofs about a problem are. @param {{nodes: number, seconds: number}} progress */
export const progressWords = ({nodes, seconds}) =>
  t("{seconds} s, {nodes} million nodes", {seconds: Math.floor(seconds), nodes: (nodes / 1e6).toFixed(1)});

/** What is said of a variation. @param {Variation} variation */
export function variationWords({key, moves, verdict, move_number: number}) {
  const told = t("key {key}, {moves}", {key, moves: many(moves, "move")});
  return verdict === "dual" ? `${told}, ${t("dual at move {number}", {number})}` : told;
}

/**
 * Variations in the order in which they are shown, the best first and of equals the first.
 * @param {Variation[]} found
 */
export const ranked = found => [...found].sort((one, other) => other.rank - one.rank);

/**
 * How far the search for variations is.
 * @param {{total: number, done: number, found: number, counts: Record<string, number>, ended: string | null}} course
 *     ended: why, or null while it goes on
 */
export function courseWords({total, done, found, counts, ended}) {
  const ends = {
    time: t("Stopped: the time is over."),
    most: t("Stopped: these are the most that are shown."),
    left: t("Stopped."),
  };
  return [
    t("{done} of {positions} checked, {found} kept.", {done, positions: many(total, "position"), found}),
    counts.undecided && t("{count} undecided.", {count: counts.undecided}),
    ended && ended !== "all" && ends[/** @type {"time"} */ (ended)],
  ]
    .filter(Boolean)
    .join(" ");
}
