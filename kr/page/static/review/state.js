// What is known of the review of a game: the moves that are being judged, what a review has left in the game, and the
// puzzles that its mistakes are. Nothing here touches the document.

import {UNKNOWN, betterNode, judgement, points} from "../graph.js";
import {accuracyOf, isJudged} from "../accuracy.js";
import {figuresOf, storyOf} from "../story.js";
import {many, said, t, YOU} from "../texts.js";
import {summaryOf, weakest} from "./summary.js";

/** @typedef {import("../graph.js").Point} Point */
/** @typedef {import("../graph.js").Kind} Kind */
/** @typedef {"black" | "white"} Side */
/** @typedef {any} Node a node of a GameTree */
/**
 * A move that is being judged, by its number of plies.
 * @typedef {{expected: number | null, kind: Kind, once: boolean, reason: string}} Known
 */
/** @typedef {{known: Map<number, Known>, total: number, game: string}} Judging */

/** @type {Kind[]} */
const ALL = ["inaccuracy", "mistake", "blunder", "only"];
/** Limits that a search of a review may have, and the usual one. */
const NODES = [1000, 5_000_000],
  SECONDS = [0.01, 10],
  USUAL = {nodes: 200_000};

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
 * True if moves were judged and no comment says of any that it was best: those of an earlier kr did not.
 * @param {any[]} nodes
 */
export function lacksBest(nodes) {
  const judged = nodes.map(judgement).filter(each => each?.judged);
  return judged.length > 0 && !judged.some(each => each?.best);
}

/**
 * The limit of each search by which a game was judged, by the tag of its annotator; null if that is not kr.
 * @param {Record<string, string>} headers
 * @returns {{nodes: number} | {seconds: number} | null}
 */
export function limitIn(headers) {
  const [, name, value] = /\bkr \d[^;(]*\((?:(nodes)=)?(\d[\d.]*)s? a position/.exec(headers.Annotator ?? "") ?? [];
  if (!value) return null;
  return name ? {nodes: Number(value)} : {seconds: Number(value)};
}

/**
 * Words of that limit; "" if it is not known.
 * @param {Record<string, string>} headers
 */
export function limitOf(headers) {
  const limit = limitIn(headers);
  if (!limit) return "";
  return "nodes" in limit ? t("{count} positions", {count: limit.nodes}) : t("{count} seconds", {count: limit.seconds});
}

/**
 * The limit with which a move is tried in a judged game: that of its review, or the usual one.
 * @param {Record<string, string>} headers
 */
export function trialLimit(headers) {
  const within = (/** @type {number} */ value, /** @type {number[]} */ [least, most]) =>
      Math.min(Math.max(value, least), most),
    limit = limitIn(headers) ?? USUAL;
  return "nodes" in limit ? {nodes: within(limit.nodes, NODES)} : {seconds: within(limit.seconds, SECONDS)};
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
    return list.map(point => ({...point, ...UNKNOWN, ...judging.known.get(point.ply)}));
  }

  /** The marked moves in their order, so far. @returns {Mark[]} */
  marks() {
    return this.points()
      .filter(point => point.kind)
      .map(point => ({point, node: point.node, side: moverOf(point.node), line: betterNode(point.node)}));
  }

  /** True if the game has been reviewed, now or at any time. */
  get isReviewed() {
    return isJudged(this.tree.root);
  }

  /** True if another kr has reviewed it, and left less than a review tells now. */
  get isOutdated() {
    return this.isReviewed && !this.judging && lacksBest(this.tree.main());
  }

  get person() {
    return personOf(this.tree.headers);
  }

  /** Sentences of the story; none while the game is judged. @returns {string[]} */
  story() {
    return this.judging ? [] : tell(this.tree.root, this.person);
  }

  /** Where most was given away; null while the game is judged, or for nowhere. */
  weakest() {
    return this.judging ? null : weakest({marks: this.marks(), you: this.person});
  }

  /** The game in three sentences; none while it is judged, or if it never was. @returns {string[]} */
  summary() {
    if (this.judging) return [];
    const {result, headers} = this.tree,
      {person: you} = this;
    return summaryOf({
      result,
      opening: headers.Opening ?? "",
      points: this.points(),
      marks: this.marks(),
      accuracy: this.accuracy(),
      you,
    });
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
    tree.load(document, pathIn(document, line), true);
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
  if (once) return t("Not firm: no search of a later position agrees. A longer limit may judge it otherwise.");
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
  // under 1 of 100 stands as in comments
  const share = played.people < 0.01 ? 0 : Math.round(100 * played.people),
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
