// Moves that turned a game, as kr's comments tell: [%kr exp=0.21 nag=?? turn=drawn/lost].

import {t} from "./texts.js";

/**
 * Standings of a side before and after a move of it that turned the game.
 * @typedef {["won" | "better" | "even" | "drawn", "better" | "even" | "drawn" | "worse" | "lost"]} Turn
 */
const TURN = /\[%kr [^[\]]{0,80}\bturn=(won|better|even|drawn)\/(better|even|drawn|worse|lost)\b/;

/**
 * The turn that the move to a node was; null if it was none.
 * @param {{comments: string[]}} node
 * @returns {Turn | null}
 */
export function turnOf({comments}) {
  const [, before, after] = TURN.exec(comments.find(comment => TURN.test(comment)) ?? "") ?? [];
  return before ? /** @type {Turn} */ ([before, after]) : null;
}

/** What moves that turn a game do. */
export const TURNS = {
  thrown: () => t("throws a win away"),
  missed: () => t("misses a win"),
  draw_lost: () => t("loses a draw"),
  fallen: () => t("comes into a lost position"),
  worse: () => t("comes into a worse position"),
};

/** The kind of a turn. @param {Turn | null} turn @returns {keyof typeof TURNS | ""} */
export function turnKind(turn) {
  if (!turn) return "";
  const [before, after] = turn;
  if (before === "won") return after === "lost" ? "thrown" : "missed";
  if (after !== "lost") return "worse";
  return before === "drawn" ? "draw_lost" : "fallen";
}

/** What a move that turned the game did, in words; "" for none. @param {Turn | null} turn */
export function turnName(turn) {
  const kind = turnKind(turn);
  return kind && TURNS[kind]();
}
