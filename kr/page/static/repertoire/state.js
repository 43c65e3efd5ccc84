// What the panel Repertoire shows of a position, and its words. Nothing here touches the document.

import {lossWords, PROVED} from "../book.js";
import {all, either, many, t} from "../texts.js";
import {remarkOf} from "./lines.js";

/** @import {BoardLine, Left, Lines, OwnMove} from "./lines.js" */
/** @import {BoardMove} from "../board-state.js" */
/** @import {Side} from "../squares.js" */

/** @import {Known} from "../explorer/state.js" */
/** @import {Share} from "../people/state.js" */
/** What others do in a position: how likely people play its moves, what the book knows of them, its best one first. */
/** @typedef {{people: (BoardMove & Share)[], book: (BoardMove & {book: Known | null})[]}} Others */
/**
 * A move of the position, and what the repertoire says of it. isIn: it is in the repertoire; people: share of those
 * that play it, if it is known; weak: what the book says against it
 * @typedef {{move: BoardMove, state: "mine" | "suggested" | "answered" | "unanswered", isIn: boolean,
 *   people: Share | null, comment: string, weak: string}} Row
 */

/** Hundredths of a man by which a move is worse than the book's best, so that it is weak. */
const WEAK_LOSS = 15;
/** @type {Others} */
export const NO_OTHERS = {people: [], book: []};

/** Replies that people play this often are shown without an answer too. */
const SHOWN_SHARE = 0.05;

/**
 * The rows of a position: the person's moves, or replies, the commonest first.
 * @param {Lines} lines
 * @param {string} fen
 * @param {Others} others
 * @returns {Row[]}
 */
export function rowsOf(lines, fen, {people, book}) {
  const shares = new Map(people.map(each => [each.fen, each]));
  const own = lines.of(fen).map(move => ({
    move,
    state: lines.isOwn(fen) ? ownState(move) : replyState(lines, move),
    isIn: true,
    people: shares.get(move.fen) ?? null,
    comment: remarkOf(move),
    weak: lines.isOwn(fen) ? weakWords(book, move) : "",
  }));
  if (lines.isOwn(fen)) return own;
  const others = people
    .filter(each => each.people >= SHOWN_SHARE && !own.some(({move}) => move.fen === each.fen))
    .map(move => {
      const state = replyState(lines, move);
      return {move, state, isIn: false, people: move, comment: "", weak: ""};
    });
  return [...own, ...others].sort((one, other) => (other.people?.people ?? 0) - (one.people?.people ?? 0));
}

/** @param {OwnMove} move @returns {Row["state"]} */
const ownState = move => (move.isSuggested ? "suggested" : "mine");

/** @param {Lines} lines @param {BoardMove} move @returns {Row["state"]} */
const replyState = (lines, move) =>
  lines.answers(move.fen).length ? "answered" : lines.of(move.fen).length ? "suggested" : "unanswered";

/**
 * What the book says against a move; "" if it has nothing better, or does not know the position.
 * @param {Others["book"]} book
 * @param {BoardMove} move
 */
function weakWords(book, {fen}) {
  const [best] = book;
  if (!best?.book || best.book.value === null) return "";
  const entry = book.find(each => each.fen === fen)?.book,
    loss = entry?.value === undefined || entry.value === null ? null : entry.loss;
  if (loss !== null && loss < WEAK_LOSS) return "";
  // where a win or a loss is proved, the book has not looked at the other moves
  if (loss === null && Math.abs(best.book.value) >= PROVED) return "";
  const words = lossWords(loss);
  return words
    ? t("by the book {move} is {loss} better", {move: best.text, loss: words})
    : t("by the book {move} is better", {move: best.text});
}

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
        "Nothing for Black so far. Play an opening on the board, then mark your last move: it becomes yours, with " +
          "all of Black's moves before it. Or load a PDN file; drop it here.",
      )
    : t(
        "Nothing for White so far. Play an opening on the board, then mark your last move: it becomes yours, with " +
          "all of White's moves before it. Or load a PDN file; drop it here.",
      );

/**
 * What a position is to the repertoire, in a sentence.
 * @param {Lines} lines
 * @param {BoardLine} line
 * @param {Left | null} left
 * @param {Others} [others]
 */
export function placeWords(lines, line, left, others = NO_OTHERS) {
  if (!left) return placeOf(lines, line[line.length - 1].fen, others);
  const move = numbered(line, left.ply + 1),
    meant = either(left.moves.map(each => each.text));
  if (left.who === "me") return t("Your repertoire was left by {move}: your move there is {meant}.", {move, meant});
  if (left.who === "opponent") return t("Your repertoire was left by {move}: it has {meant}.", {move, meant});
  return t("Your repertoire ends before {move}.", {move});
}

/** @param {Lines} lines @param {string} fen @param {Others} others */
function placeOf(lines, fen, {book}) {
  if (!lines.isReached(fen)) return t("This line is not in your repertoire.");
  const moves = lines.of(fen),
    own = lines.answers(fen);
  if (!lines.isOwn(fen))
    return moves.length
      ? t("Replies that you have an answer to, and those that people play:")
      : t("Your line ends here. People reply:");
  if (own.length > 1)
    return t("Your moves here: {moves}. One is enough: unmark the others.", {moves: all(own.map(each => each.text))});
  if (own.length) return t("Your move here:");
  if (moves.length) return t("The book suggests a move here:");
  return book[0]?.book
    ? t("You have no move here: make one, and mark it. The book plays {move}.", {move: book[0].text})
    : t("You have no move here: make one, and mark it.");
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
