// What is known of the review of a game: the moves that are being judged, what a review has left in the game, and the
// puzzles that its mistakes are. Nothing here touches the document.

import {betterNode, judgement, points} from "../graph.js";
import {accuracyOf, figuresOf, storyOf} from "../story.js";
import {formatted, many, said, t, YOU} from "../texts.js";

/** @typedef {import("../graph.js").Point} Point */
/** @typedef {import("../graph.js").Kind} Kind */
/** @typedef {"black" | "white"} Side */
/** @typedef {any} Node a node of a GameTree */
/**
 * A move that is being judged, by its number of plies.
 * @typedef {{expected: number | null, kind: Kind, once: boolean, reason: string}} Known
 */
/** @typedef {{known: Map<number, Known>, total: number, game: string}} Judging */

/** Marks of moves that gave something away. @type {Kind[]} */
const BAD = ["inaccuracy", "mistake", "blunder"];
/** @type {Kind[]} */
const ALL = [...BAD, "only"];
/** Expected result that a move may give away and still be right: less than an inaccuracy does. */
const ALLOWED = 0.08;

/**
 * The moves of the game as it was played, as one text.
 * @param {any} tree
 */
const gameOf = tree =>
  tree
    .main()
    .map((/** @type {Node} */ node) => node.text)
    .join(" ");

/**
 * The children to follow in a document so as to come to the same moves.
 * @param {{nodes: any[]}} document
 * @param {string[]} moves
 * @returns {number[]}
 */
export function pathIn({nodes}, moves) {
  /** @type {number[][]} */
  const children = nodes.map(() => []);
  nodes.forEach((node, number) => {
    if (number) children[node.parent].push(number);
  });
  const path = [];
  let at = 0;
  for (const text of moves) {
    const index = children[at].findIndex(number => nodes[number].text === text);
    if (index < 0) break;
    path.push(index);
    at = children[at][index];
  }
  return path;
}

/**
 * Side of the person in a game against kr, by its tags; null for other games.
 * @param {Record<string, string>} headers
 * @returns {Side | null}
 */
export function personOf(headers) {
  const people = ["Black", "White"].filter(side => headers[`${side}Player`] === "human");
  if (people.length !== 1 || !headers.BlackPlayer || !headers.WhitePlayer) return null;
  return people[0] === "Black" ? "black" : "white";
}

/**
 * Words of the limit with which a game was judged, by the tag of its annotator; "" if that is not kr.
 * @param {Record<string, string>} headers
 */
export function limitOf(headers) {
  const [, name, value] = /\bkr \d[^;(]*\((?:(nodes)=)?(\d[\d.]*)s? a position/.exec(headers.Annotator ?? "") ?? [];
  if (!value) return "";
  return name ? t("{count} nodes", {count: formatted(Number(value))}) : t("{count} seconds", {count: value});
}

/**
 * The story of a reviewed game as texts, told to the person who played it, if one did.
 * @param {Node} root
 * @param {Side | null} you
 */
export function tell(root, you) {
  return storyOf(root).map(each => {
    if (typeof each === "string" || !you || each.with?.side !== you) return said(each);
    return said({...each, with: {...each.with, side: YOU}});
  });
}

/** How many marks of a kind, in words. @param {number} count @param {Kind} kind */
function counted(count, kind) {
  if (kind === "inaccuracy") return many(count, "inaccuracy", "inaccuracies");
  if (kind === "mistake") return many(count, "mistake");
  return kind === "blunder" ? many(count, "blunder") : many(count, "only move");
}

/**
 * A marked move.
 * @typedef {{node: Node, point: Point, side: Side, line: Node | null}} Mark
 */

/**
 * Side that made the move to a node.
 * @param {Node} node
 * @returns {Side}
 */
const moverOf = node => (node.parent.fen[0] === "W" ? "white" : "black");

/** The review of the game of a tree: hears of its changes, and tells by "change" that something else is known. */
export class Review {
  /** @param {any} tree */
  constructor(tree) {
    this.tree = tree;
    /** @type {Judging | null} */
    this.judging = null;
    this.working = false;
    /** The table of both players, which is not kept with the game. @type {string[][] | null} */
    this.table = null;
    /** What was said last of the work. */
    this.said = "";
    /** Called as the work can't go on, with the reason. @type {(why: string) => void} */
    this.onstop = () => {};
    /** @type {Array<() => void>} */
    this._hear = [];
    tree.on("game", () => this._replaced());
    tree.on("edit", () => this._edited());
  }

  /**
   * @param {"change"} what
   * @param {() => void} hear
   */
  on(what, hear) {
    if (what === "change") this._hear.push(hear);
  }

  /** @param {string} [said] */
  changed(said) {
    if (said !== undefined) this.said = said;
    for (const hear of this._hear) hear();
  }

  // --- what is known

  /** One point for the start and for each move: while the game is judged, what is known by then. @returns {Point[]} */
  points() {
    const list = points(this.tree),
      {judging} = this;
    if (!judging) return list;
    return list.map(point => ({
      ...point,
      expected: null,
      kind: "",
      once: false,
      reason: "",
      evaluation: "",
      ...judging.known.get(point.ply),
    }));
  }

  /** The marked moves in their order, so far. @returns {Mark[]} */
  marks() {
    return this.points()
      .filter(point => point.kind)
      .map(point => ({point, node: point.node, side: moverOf(point.node), line: betterNode(point.node)}));
  }

  /** The moves of a side that gave something away, with a better line. @param {Side} side */
  mistakes(side) {
    return this.marks().filter(mark => mark.side === side && mark.line && BAD.includes(mark.point.kind));
  }

  /** True if the game has been reviewed, now or at any time. */
  get isReviewed() {
    const {root} = this.tree;
    return root.comments.some((/** @type {string} */ text) => text.includes("[%kr game"));
  }

  get person() {
    return personOf(this.tree.headers);
  }

  /** Sentences of the story; none while the game is judged. @returns {string[]} */
  story() {
    return this.judging ? [] : tell(this.tree.root, this.person);
  }

  accuracy() {
    return (!this.judging && accuracyOf(this.tree.root)) || {black: null, white: null};
  }

  /** All figures in words, as kr's comment on the game has them. */
  report() {
    return this.judging ? "" : figuresOf(this.tree.root);
  }

  /** "12 of 40 moves, 1 mistake" */
  count() {
    const {judging} = this;
    if (!judging) return "";
    const kinds = [...judging.known.values()].map(point => point.kind);
    const marks = ALL.map(kind => ({kind, count: kinds.filter(each => each === kind).length}));
    return [
      t("{done} of {total} moves", {done: judging.known.size, total: judging.total}),
      ...marks.filter(({count}) => count).map(({kind, count}) => counted(count, kind)),
    ].join(", ");
  }

  // --- the work

  begin() {
    this.judging = {known: new Map(), total: this.tree.main().length - 1, game: gameOf(this.tree)};
    this.working = true;
    this.table = null;
    this.changed(t("Judging from the last move to the first."));
  }

  /** @param {Array<Known & {ply: number}>} moves */
  heard(moves) {
    if (!this.judging) return;
    for (const {ply, ...known} of moves) this.judging.known.set(ply, known);
    this.changed(`${this.count()}.`);
  }

  /** The work has ended; what is known so far stays. @param {string} said */
  end(said) {
    this.working = false;
    this.changed(said);
  }

  /**
   * The marks are in the game, which takes the place of the one that was judged.
   * @param {{document: any, table: string[][]}} event
   */
  finish({document, table}) {
    const {tree} = this,
      line = tree
        .line()
        .slice(1)
        .map((/** @type {Node} */ node) => node.text),
      said = this.count();
    this.working = false;
    this.judging = null;
    tree.load(document, pathIn(document, line));
    this.table = table;
    this.changed(t("{count}. Undo takes the marks out.", {count: said}));
  }

  _replaced() {
    if (this.working) this.onstop(t("Another game was opened."));
    this.judging = this.table = null;
    this.changed("");
  }

  _edited() {
    if (this.judging && gameOf(this.tree) !== this.judging.game) {
      if (this.working) this.onstop(t("The moves of the game were changed."));
      this.judging = null;
    }
    this.changed();
  }
}

/**
 * How firm a mark is, in words.
 * @param {Point} point
 * @param {string} limit words of the limit; "" if it is not known
 */
export function firmness({once, evaluation}, limit) {
  if (evaluation.startsWith("#")) return t("Certain: the result is proved.");
  if (once) return t("Not firm: only one search has seen this. A longer limit may judge it otherwise.");
  return limit
    ? t("Fairly firm: two searches of {limit} agree. A longer limit may judge it otherwise.", {limit})
    : t("Fairly firm: two searches agree. A longer limit may judge it otherwise.");
}

/**
 * What people play in the position before a move, in words.
 * @param {import("../people/state.js").Move[]} moves the likeliest first
 * @param {Node} node after the move that was played
 */
export function peopleText(moves, node) {
  const [first] = moves,
    played = moves.find(move => move.fen === node.fen);
  if (!played || moves.length < 2) return "";
  const share = Math.round(100 * played.people),
    values = {move: node.text, share, other: first.text, most: Math.round(100 * first.people)};
  if (!played.holds || !first.holds)
    return played === first
      ? t("People play {move} most here.", values)
      : t("People play {other} more often than {move} here.", values);
  if (played === first) return t("{share} of 100 people play {move} here; no other move is played more.", values);
  return share
    ? t("{share} of 100 people play {move} here; most play {other} ({most} of 100).", values)
    : t("Hardly anyone plays {move} here; most play {other} ({most} of 100).", values);
}

/**
 * What the judgement of a mark knows of the move: the expected result that it gives away; null without a better one.
 * @param {Mark} mark
 */
export function lossOf({point, side, line}) {
  const better = line && judgement(line);
  if (!better || point.expected === null) return null;
  return Math.max(0, (side === "black" ? 1 : -1) * (better.expected - point.expected));
}

/** @typedef {"asking" | "checking" | "wrong" | "right" | "shown" | "over"} Step */

/** Puzzles of the mistakes of one side, one after another. */
export class Lesson {
  /** @param {Mark[]} mistakes */
  constructor(mistakes) {
    this.mistakes = mistakes;
    this.index = 0;
    /** @type {Step} */
    this.step = mistakes.length ? "asking" : "over";
    this.tries = 0;
    this.first = this.later = 0;
  }

  get mark() {
    return this.mistakes[this.index];
  }

  /** The position in which a better move is looked for. */
  get before() {
    return this.mark.node.parent;
  }

  /** True if a move may be tried now. */
  get isOpen() {
    return this.step === "asking" || this.step === "wrong";
  }

  /**
   * What is known of a move without a search: the mistake itself is wrong, kr's better move right; null for others.
   * @param {{fen: string}} move
   * @returns {boolean | null}
   */
  known(move) {
    if (move.fen === this.mark.node.fen) return false;
    return move.fen === this.mark.line.fen ? true : null;
  }

  check() {
    this.step = "checking";
  }

  /** @param {boolean} right */
  verdict(right) {
    this.tries += 1;
    this.step = right ? "right" : "wrong";
    if (right && this.tries === 1) this.first += 1;
    else if (right) this.later += 1;
  }

  /** A check that came to nothing. */
  retry() {
    this.step = this.tries ? "wrong" : "asking";
  }

  show() {
    this.step = "shown";
  }

  next() {
    this.index += 1;
    this.tries = 0;
    this.step = this.index < this.mistakes.length ? "asking" : "over";
  }

  /** The count at the end, in words. */
  result() {
    const {first, later} = this,
      total = this.mistakes.length;
    return later
      ? t("You found {first} of {total} at the first try, {later} later.", {first, total, later})
      : t("You found {first} of {total} at the first try.", {first, total});
  }
}

/**
 * True if a move is good enough beside the best one.
 * @param {number} expected after it, of the side that played it
 * @param {number} best after the best move
 */
export const isRight = (expected, best) => best - expected < ALLOWED - 1e-9;

/**
 * The expected result of the side that has just moved, by the last event of an analysis of the position after the move;
 * null if the event does not tell it.
 * @param {{over?: string, lines?: Array<{chances: [number, number, number] | null}>}} event
 * @param {string} [draw] rule by which the game can be claimed drawn there
 * @returns {number | null}
 */
export function expectedAfter(event, draw = "") {
  if (draw) return 0.5;
  if (event.over) return 1;
  const chances = event.lines?.[0]?.chances;
  return chances ? chances[2] + chances[1] / 2 : null;
}
