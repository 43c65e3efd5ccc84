// What the panel Repertoire shows of a position, and its words. Nothing here touches the document.

import {all, either, many, t} from "../texts.js";

/** @import {BoardLine, Left, Lines, OwnMove} from "./lines.js" */
/** @import {BoardMove} from "../board-state.js" */
/** @import {Side} from "../squares.js" */

/** A move of the position, and what the repertoire says of it. people: share of those that play it, if it is known. */
/** @typedef {{move: BoardMove, state: "mine" | "suggested" | "answered" | "unanswered", people: number | null,
 *   comment: string}} Row */

/** Replies that people play this often are shown without an answer too. */
const SHOWN_SHARE = 0.05;

/**
 * The rows of a position: the person's moves, or replies, the commonest first.
 * @param {Lines} lines
 * @param {string} fen
 * @param {(BoardMove & {people: number})[]} people what people play there
 * @returns {Row[]}
 */
export function rowsOf(lines, fen, people) {
  const shares = new Map(people.map(each => [each.fen, each.people]));
  const known = lines.of(fen).map(move => ({
    move,
    state: lines.isOwn(fen) ? ownState(move) : replyState(lines, move),
    people: shares.get(move.fen) ?? null,
    comment: move.comments.join(" "),
  }));
  if (lines.isOwn(fen)) return known;
  const others = people
    .filter(each => each.people >= SHOWN_SHARE && !known.some(({move}) => move.fen === each.fen))
    .map(move => ({move, state: replyState(lines, move), people: move.people, comment: ""}));
  return [...known, ...others].sort((one, other) => (other.people ?? 0) - (one.people ?? 0));
}

/** @param {OwnMove} move @returns {Row["state"]} */
const ownState = move => (move.isSuggested ? "suggested" : "mine");

/** @param {Lines} lines @param {BoardMove} move @returns {Row["state"]} */
const replyState = (lines, move) =>
  lines.answers(move.fen).length ? "answered" : lines.of(move.fen).length ? "suggested" : "unanswered";

/** @param {Row["state"]} state */
export const stateWords = state =>
  ({
    mine: () => t("yours"),
    suggested: () => t("suggested"),
    answered: () => t("answered"),
    unanswered: () => t("no answer"),
  })[state]();

// --- words

/** @param {Lines} lines @param {number} due positions that are due */
export const countWords = (lines, due) =>
  [
    t("{positions} with your move", {positions: many(lines.countAnswers(), "position")}),
    ...(due ? [t("{count} to be asked again today", {count: due})] : []),
  ].join(", ");

/** How to begin. @param {Side} side */
export const emptyWords = side =>
  side === "black"
    ? t(
        "Nothing for Black so far. Play an opening on the board, then mark your last move: it becomes yours, with all of " +
          "Black's moves before it. Or load a PDN file; drop it here.",
      )
    : t(
        "Nothing for White so far. Play an opening on the board, then mark your last move: it becomes yours, with all of " +
          "White's moves before it. Or load a PDN file; drop it here.",
      );

/**
 * What a position is to the repertoire, in a sentence.
 * @param {Lines} lines
 * @param {BoardLine} line
 * @param {Left | null} left
 */
export function placeWords(lines, line, left) {
  if (!left) return placeOf(lines, line[line.length - 1].fen);
  const move = numbered(line, left.ply + 1),
    meant = either(left.moves.map(each => each.text));
  if (left.who === "me") return t("Your repertoire was left by {move}: your move there is {meant}.", {move, meant});
  if (left.who === "opponent") return t("Your repertoire was left by {move}: it has {meant}.", {move, meant});
  return t("Your repertoire ends before {move}.", {move});
}

/** @param {Lines} lines @param {string} fen */
function placeOf(lines, fen) {
  if (!lines.ways().has(fen)) return t("This line is not in your repertoire.");
  const moves = lines.of(fen),
    own = lines.answers(fen);
  if (!lines.isOwn(fen))
    return moves.length
      ? t("Replies that you have an answer to, and those that people play:")
      : t("Your line ends here. People reply:");
  if (own.length > 1)
    return t("Your moves here: {moves}. One is enough: unmark the others.", {moves: all(own.map(each => each.text))});
  if (own.length) return t("Your move here:");
  return moves.length ? t("The book suggests a move here:") : t("You have no move here: make one, and mark it.");
}

/**
 * A move of a line with its number: "3... 22-17".
 * @param {BoardLine} line
 * @param {number} ply of the position after it
 */
export function numbered(line, ply) {
  const isWhite = line[ply - 1].fen.startsWith("W"),
    shift = line[0].fen.startsWith("W") ? 1 : 0;
  return `${Math.floor((ply - 1 + shift) / 2) + 1}.${isWhite ? ".." : ""} ${line[ply].text}`;
}

/**
 * What has come of a file.
 * @param {string} name
 * @param {number} games
 * @param {number} left games and variations that could not be taken
 */
export const takenWords = (name, games, left) =>
  left
    ? t("{name}: {games}; {left} could not be read", {name, games: many(games, "opening"), left})
    : t("{name}: {games}", {name, games: many(games, "opening")});
