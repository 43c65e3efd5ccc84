// An ending against exact play: those on offer, its counts, and the words for what happens. Nothing here touches the
// document.

import {placed, sideOf} from "../squares.js";
import {all, many, moves as movesOf, t} from "../texts.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Side} from "../squares.js" */
/** @typedef {"win" | "draw"} Goal */
/** @typedef {"win" | "draw" | "loss"} Value */
/**
 * @typedef {[number, number | null, number, number | null]} Pieces pieces and kings of the person, then of kr; null:
 * any
 */
/**
 * What there is: pieces up to which the database is complete, classes of more such as "4v4", and the rest
 * @typedef {{
 *   pieces: number, classes: string[], distance_pieces: number, hold_moves: number, no_progress: number,
 * }} Known
 */
/** @typedef {BoardMove & {value: Value, distance: number | null}} ExactMove for the side that makes it */
/** @typedef {{moves: BoardMove[], side: Side, fen: string, over?: string | null}} Position */
/**
 * What speaks for kr's reply. choice: legal moves there were; right: of so many answers those that keep the value
 * @typedef {{choice: number, capture: boolean, value: Value, distance: number | null, answers: number, right:
 * number}} Reasons
 */
/** @typedef {{result: "won" | "lost" | "drawn" | "held", why: string}} Over */
/**
 * The answer to a move of the person. cost: plies that it gave away
 * @typedef {object} Answer
 * @property {boolean} kept
 * @property {Value} value
 * @property {Value} was
 * @property {number | null} distance
 * @property {BoardMove[]} better
 * @property {BoardMove & {distance: number | null}} best
 * @property {number | null} cost
 * @property {BoardMove | null} reply
 * @property {Reasons | null} reasons
 * @property {Position} position
 * @property {number} quiet
 * @property {number} seen
 * @property {Over | null} over
 */
/** @typedef {import("../line/page.js").Words} Words */
/**
 * Counts of a position. value: for the person; left: plies to the end of a win; cost: plies that the move before gave
 * away
 * @typedef {{value: Value, left: number | null, quiet: number, seen: number, cost: number}} Mark
 */
/** @typedef {{tried: number, done: number, clean: number}} Tally */

/** @returns {Array<{name: string, title: string, pieces: Pieces}>} */
const allEndings = () => [
  {name: "2k1k", title: t("two kings against one king"), pieces: [2, 2, 1, 1]},
  {name: "21", title: t("two pieces against one"), pieces: [2, null, 1, null]},
  {name: "12", title: t("one piece against two"), pieces: [1, null, 2, null]},
  {name: "22", title: t("two pieces against two"), pieces: [2, null, 2, null]},
  {name: "3k1k", title: t("three kings against one king"), pieces: [3, 3, 1, 1]},
  {name: "3k2k", title: t("three kings against two kings"), pieces: [3, 3, 2, 2]},
  {name: "32", title: t("three pieces against two"), pieces: [3, null, 2, null]},
  {name: "23", title: t("two pieces against three"), pieces: [2, null, 3, null]},
  {name: "33", title: t("three pieces against three"), pieces: [3, null, 3, null]},
  {name: "43", title: t("four pieces against three"), pieces: [4, null, 3, null]},
  {name: "44", title: t("four pieces against four"), pieces: [4, null, 4, null]},
];

/** Endings of which the database has all positions. @param {Pick<Known, "pieces" | "classes">} known */
export const offered = ({pieces, classes}) =>
  allEndings().filter(({pieces: [own, , other]}) => own + other <= pieces || classes.includes(className(own, other)));

const className = (/** @type {number} */ own, /** @type {number} */ other) =>
  `${Math.max(own, other)}v${Math.min(own, other)}`;

/** Most pieces of a side in positions of the database. @param {Pick<Known, "pieces" | "classes">} known */
export const mostOfASide = ({pieces, classes}) =>
  Math.max(pieces - 1, ...classes.map(name => Number(name.split("v")[0])));

/** An ending that is being played. */
export class Ending {
  /**
   * @param {{start: string, side: Side}} position
   * @param {{value: Value, distance: number | null}} best its best move
   */
  constructor({start, side}, {value, distance}) {
    this.start = start;
    this.side = side;
    this.value = value;
    this.distance = distance; // plies of best play; null if it is not known
    /** @type {Goal} */
    this.goal = value === "draw" ? "draw" : "win";
    this.isOver = this.isWaiting = this.isBegun = false;
    this.slips = 0;
    this.hints = 0;
    /** @type {Mark[]} by the number of plies before the position */
    this._marks = [{value, left: value === "win" ? distance : null, quiet: 0, seen: 1, cost: 0}];
  }

  /** The counts of the newest position that has some. */
  get mark() {
    return /** @type {Mark} */ (this._marks.findLast(Boolean));
  }

  /** Plies that the moves of the line have given away. */
  get cost() {
    return this._marks.reduce((sum, mark) => sum + (mark?.cost ?? 0), 0);
  }

  get isClean() {
    return !this.slips && !this.hints;
  }

  /**
   * Takes what is known after a move of the person, and the reply to it.
   * @param {number} length plies of the line
   * @param {Answer} answer
   */
  take(length, {value, distance, reply, quiet, seen, cost}) {
    const won = value === "win" ? distance : null;
    const left = won && reply ? won - 1 : won;
    this._marks[length] = {value, left, quiet, seen, cost: cost ?? 0};
  }

  /** @param {number} length plies that remain of the line */
  cut(length) {
    this._marks.length = Math.min(this._marks.length, length + 1);
    this.isOver = this.isWaiting = false;
  }
}

/** Endings that were tried, and how they went, by goal. */
export class Record {
  /** @param {{kept: (name: string, otherwise: any) => any, keep: (name: string, value: unknown) => void}} store */
  constructor(store) {
    this._store = store;
  }

  /** @param {Goal} goal @param {keyof Tally} what */
  count(goal, what) {
    const tallies = this._store.kept("endings-stats", {});
    const tally = {tried: 0, done: 0, clean: 0, ...tallies[goal]};
    tally[what] += 1;
    this._store.keep("endings-stats", {...tallies, [goal]: tally});
  }

  words() {
    /** @type {{win?: Tally, draw?: Tally}} */
    const {win, draw} = this._store.kept("endings-stats", {});
    const words = [
      win && t("{done} of {wins} won, {clean} without a slip.", {...win, wins: many(win.tried, "win")}),
      draw && t("{done} of {draws} held, {clean} without a slip.", {...draw, draws: many(draw.tried, "draw")}),
    ].filter(text => text !== undefined);
    return words.length ? words : [t("None so far.")];
  }
}

// --- the task, and what to do now

/** @param {Ending} ending @param {Known} known */
export function taskWords({side, value}, {hold_moves}) {
  const black = side === "black",
    moves = many(hold_moves, "move");
  if (value === "loss") {
    return black
      ? t("Black to play: lost, hold out as long as you can")
      : t("White to play: lost, hold out as long as you can");
  }
  if (value === "win") return black ? t("Black to play and win") : t("White to play and win");
  return black
    ? t("Black to play and hold the draw for {moves}", {moves})
    : t("White to play and hold the draw for {moves}", {moves});
}

const QUIET = 20; // plies without progress from which on they are counted for the person
const DOUBLE_CORNERS = [1, 5, 28, 32];

/** Men and kings of the side to move, and of the other. @param {string} fen */
function forces(fen) {
  const side = sideOf(fen),
    own = {men: 0, kings: /** @type {number[]} */ ([])},
    other = {men: 0, kings: /** @type {number[]} */ ([])};
  for (const [square, piece] of Object.entries(placed(fen))) {
    const force = (piece.toLowerCase() === "w") === (side === "white") ? own : other;
    if (piece === piece.toLowerCase()) force.men += 1;
    else force.kings.push(Number(square));
  }
  return {own, other};
}

const inDoubleCorner = (/** @type {number[]} */ kings) => kings.some(square => DOUBLE_CORNERS.includes(square));

/**
 * Says what to do in a position: one sentence for somebody who has never won such an ending.
 * @param {string} fen
 * @param {BoardMove[]} moves the legal ones
 * @param {Value} value for the side to move
 * @param {number | null} left plies to the end of a win, if they are known
 */
export function advice(fen, moves, value, left) {
  const captures = [...new Set(moves.filter(move => move.captured?.length).map(move => move.text))];
  if (captures.length === 1) return t("You must capture: {move}.", {move: captures[0]});
  if (captures.length) return t("You must capture: choose between {moves}.", {moves: all(captures)});
  if (value === "win" && left === 1) return t("One move wins at once: find it.");
  return value === "win" ? winning(fen) : holding(fen, value);
}

/** @param {string} fen */
function winning(fen) {
  const {own, other} = forces(fen);
  if (own.men && own.kings.length < 2) return t("Bring a man to the far row: a king moves both ways.");
  if (other.men && !other.kings.length) return t("Stop its men before they become kings: put your kings in their way.");
  if (other.men + other.kings.length === 1) {
    return inDoubleCorner(other.kings)
      ? t("Its king sits in a double corner: come close with both kings, and drive it out.")
      : t("Keep its king out of the double corners (1 and 5, 28 and 32), and take its squares away from two sides.");
  }
  return t("You have the better of it: look for an exchange, one piece for one.");
}

/** @param {string} fen @param {Value} value */
function holding(fen, value) {
  const {own} = forces(fen);
  if (value === "loss") return t("Hold out: keep your pieces off the edges, and lose no piece.");
  if (own.kings.length === 1 && !own.men) {
    return inDoubleCorner(own.kings)
      ? t("Stay in the double corner: go out and back.")
      : t("Make for a double corner: 1 and 5, or 28 and 32.");
  }
  return t("Look at each move before you make it: one at least loses.");
}

// --- what has happened

/** The beginning. @param {string} more what to do @returns {Words} */
export const beginWords = more => ({mark: "", head: t("Your move."), more});

/**
 * Why kr has replied as it has.
 * @param {Reasons} reasons
 * @param {boolean} distances whether these may be said
 */
export function reasonWords({choice, capture, value, distance, answers, right}, distances) {
  if (choice === 1) return capture ? t("It had to capture.") : t("It had no other move.");
  if (value === "win") {
    return distances && distance
      ? t("It wins fastest: in {moves}.", {moves: movesOf(distance)})
      : t("It keeps its win.");
  }
  if (value === "draw") {
    return right < answers
      ? t("It sets a trap: of your {moves} {right} keep the draw.", {moves: many(answers, "move"), right})
      : t("It keeps the draw.");
  }
  if (distances && distance) {
    return t("It holds out longest: you win in {moves}.", {moves: movesOf(distance - 1)});
  }
  return distance
    ? t("It holds out longest.")
    : t("It sets a trap: of your {moves} {right} keep the win.", {moves: many(answers, "move"), right});
}

/**
 * What a move that kept the value has cost; "" for nothing.
 * @param {string} move
 * @param {Answer} answer
 */
export function costWords(move, {cost, best}) {
  return cost ? t("{move} cost {moves}: {best} was the quickest.", {move, moves: movesOf(cost), best: best.text}) : "";
}

/** A move that gave the value away. @param {string} move @param {Answer} answer @returns {Words} */
export function slipWords(move, {was, value, better}) {
  const win = was === "win";
  const head = win ? t("{move} gives the win away.", {move}) : t("{move} gives the draw away.", {move});
  const now = value === "loss" ? t("It is lost now.") : t("It is a draw now.");
  const count = better.length;
  const rest = win
    ? count > 1
      ? t("{count} other moves keep the win.", {count})
      : t("One other move keeps the win.")
    : count > 1
      ? t("{count} other moves keep the draw.", {count})
      : t("One other move keeps the draw.");
  return {mark: "✗", head, more: `${now} ${rest} ${t("Take it back, or play on.")}`};
}

/**
 * The best moves of a position, explained.
 * @param {ExactMove[]} moves best first
 * @param {boolean} distances
 * @returns {Words}
 */
export function bestWords([best, ...others], distances) {
  const head = t("{move} is best.", {move: best.text}),
    same = others.filter(each => each.value === best.value);
  const next = others[0];
  if (best.value === "win" && best.distance && distances) {
    const wins = t("It wins in {moves}.", {moves: movesOf(best.distance)});
    const slower = same.find(each => each.distance && best.distance && each.distance > best.distance);
    if (!same.length) return {mark: "", head, more: `${wins} ${t("No other move wins.")}`};
    if (!slower?.distance) return {mark: "", head, more: wins};
    const later = t("{move} takes {moves}.", {move: slower.text, moves: movesOf(slower.distance)});
    return {mark: "", head, more: `${wins} ${later}`};
  }
  if (!next) return {mark: "", head, more: t("It is the only move.")};
  if (!same.length) {
    return {mark: "", head, more: best.value === "win" ? t("No other move wins.") : t("No other move keeps the draw.")};
  }
  const count = many(same.length + 1, "move");
  const more =
    best.value === "win"
      ? t("{moves} win here.", {moves: count})
      : best.value === "draw"
        ? t("{moves} keep the draw here.", {moves: count})
        : t("It holds out longest.");
  return {mark: "", head, more};
}

/** @param {string} why as the server says it */
function endReason(why) {
  const reasons = /** @type {{[why: string]: () => string}} */ ({
    "no pieces left": () => t("no piece is left"),
    "no legal move": () => t("no move is left"),
    repetition: () => t("the same position for the third time"),
    "no progress": () => t("40 moves each without a capture or a man's move"),
  });
  return reasons[why]?.() ?? why;
}

/**
 * The end of an ending.
 * @param {Ending} ending
 * @param {Over} over
 * @param {number} length plies of the line
 * @param {BoardMove | null} reply the last move, if kr made it
 * @returns {Words}
 */
export function endWords(ending, {result, why}, length, reply) {
  const success = result === "won" || (ending.goal === "draw" && result !== "lost"),
    values = {moves: movesOf(length), why: endReason(why)};
  const head = {
    won: () => t("You have won in {moves}: {why}.", values),
    lost: () => t("You have lost: {why}.", values),
    drawn: () => t("You have a draw: {why}.", values),
    held: () => t("You have held: {why}.", values),
  }[result]();
  const more = [
    reply && t("kr plays {move}.", {move: reply.text}),
    result === "won" &&
      ending.distance !== null &&
      t("The best play takes {moves}.", {moves: movesOf(ending.distance)}),
    ending.slips && t("{slips} on the way.", {slips: many(ending.slips, "slip")}),
  ];
  return {mark: success ? "✓" : "✗", head, more: more.filter(Boolean).join(" ")};
}

/**
 * Names and values of what is counted.
 * @param {Ending} ending
 * @param {number} length plies of the line
 * @param {Known} known
 * @param {boolean} distances whether these may be said
 * @returns {Array<[string, string]>}
 */
export function countWords(ending, length, known, distances) {
  const {left, quiet, seen} = ending.mark,
    isWin = ending.goal === "win";
  /** @type {Array<[string, string] | false>} */
  const counts = [
    length > 0 && [t("Played"), movesOf(length)],
    distances && isWin && left !== null && !ending.isOver && [t("Win in"), movesOf(left)],
    distances && ending.distance !== null && length > 0 && [t("Best play"), movesOf(ending.distance)],
    distances &&
      ending.distance !== null &&
      length > 0 && [t("Given away"), ending.cost ? movesOf(ending.cost) : t("nothing")],
    distances && isWin && ending.distance === null && [t("Win in"), t("not in the database")],
    quiet >= QUIET && [
      t("Without progress"),
      t("{count} of {moves}", {count: Math.floor(quiet / 2), moves: movesOf(known.no_progress)}),
    ],
    seen > 1 && [t("This position"), seen === 2 ? t("second time") : t("third time")],
  ];
  return counts.filter(each => each !== false);
}

/** @param {ExactMove} move */
export function valueWords({value, distance}) {
  if (distance === null) return {win: () => t("win"), draw: () => t("draw"), loss: () => t("loss")}[value]();
  return value === "win"
    ? t("win in {moves}", {moves: movesOf(distance)})
    : t("loss in {moves}", {moves: movesOf(distance)});
}
