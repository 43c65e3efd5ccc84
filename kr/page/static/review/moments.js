// The moments of a reviewed game, and how one goes from one to the next: the board stops before a mistake, asks for a
// better move, and hears what comes of those that are tried. Nothing here touches the document.

import {judgement} from "../graph.js";
import {YOU, said, t} from "../texts.js";
import {turnKind, turnOf} from "../turns.js";

/** @typedef {import("./state.js").Mark} Mark */
/** @typedef {import("./state.js").Side} Side */
/** @typedef {{text: string, path: number[], fen: string}} Step a move, and the position after it */
/** @typedef {Mark & {line: any}} Moment a mark with a better line */
/** @typedef {"right" | "playable" | "not"} Verdict */
/**
 * What is known of a move that was tried: the expected result of its side, its line, why it is worse than the best.
 * @typedef {{
 *   verdict: Verdict, expected: number | null, line: Step[], why?: import("../texts.js").Sentence[],
 * }} Trial
 */
/** @typedef {"asking" | "checking" | Verdict | "shown" | "over"} Stage */

/** @param {string} name @param {Record<string, import("../texts.js").Said>} [values] */
const sentence = (name, values = {}) => ({say: `moment.${name}`, with: values});

/**
 * The sentence of a moment, by the turn that it is, or else by its mark.
 * @type {Record<string, import("../texts.js").Sentence>}
 */
const DONE = {
  thrown: sentence("turn.thrown"),
  missed: sentence("turn.missed"),
  draw_lost: sentence("turn.draw_lost"),
  fallen: sentence("turn.fallen"),
  worse: sentence("turn.worse"),
  inaccuracy: sentence("played.inaccuracy"),
  mistake: sentence("played.mistake"),
  blunder: sentence("played.blunder"),
};

/**
 * The moments among the marks of a game: mistakes and blunders, by which every turn of it is one.
 * @param {Mark[]} marks
 * @param {Side | null} side whose moves they are; null for both
 * @param {boolean} all inaccuracies too
 * @returns {Moment[]}
 */
export const momentsOf = (marks, side, all) =>
  marks.filter(
    mark =>
      mark.line &&
      (!side || mark.side === side) &&
      mark.point.kind !== "only" &&
      (all || mark.point.kind !== "inaccuracy"),
  );

/**
 * The moment to begin with: the next after the position that is shown, or the first.
 * @param {Moment[]} moments
 * @param {number} ply of that position, in the game as it was played
 */
export const nextOf = (moments, ply) =>
  Math.max(
    0,
    moments.findIndex(({point}) => point.ply > ply),
  );

/**
 * What is asked at a moment: "Black played 11-16 here and lost a draw. Find a better move."
 * @param {Moment} moment
 * @param {Side | null} you
 */
export function question({node, point, side}, you) {
  const done = DONE[turnKind(turnOf(node)) || point.kind],
    told = said({...done, with: {side: side === you ? YOU : side, move: node.text}});
  return `${told} ${said(sentence("find"))}`;
}

/**
 * The expected results of the side that moved, after the better move and after the marked one; null where they are not
 * known.
 * @param {Mark} mark
 */
export function worthsOf({line, point, side}) {
  const own = (/** @type {number | null | undefined} */ expected) =>
    expected === null || expected === undefined ? null : side === "black" ? expected : 1 - expected;
  return {best: own(line && judgement(line)?.expected), played: own(point.expected)};
}

/**
 * The expected result that a marked move gave away; null without a better one.
 * @param {Mark} mark
 */
export function lossOf(mark) {
  const {best, played} = worthsOf(mark);
  return best === null || played === null ? null : Math.max(0, best - played);
}

/** The moves of a line of the game's tree. @param {any} first @returns {Step[]} */
export function stepsFrom(first) {
  const steps = [];
  for (let node = first; node; node = node.children[0]) steps.push(node);
  return steps;
}

/** The way through some moments. */
export class Tour {
  /**
   * @param {Moment[]} moments
   * @param {number} [index] of the first one
   */
  constructor(moments, index = 0) {
    this.moments = moments;
    this.index = index;
    /** @type {Stage} */
    this.stage = moments.length ? "asking" : "over";
    this.tries = 0;
    /** What became of each that was passed. @type {Array<"first" | "later" | "playable" | "unfound">} */
    this.outcomes = [];
  }

  get moment() {
    return this.moments[this.index];
  }

  /** The position in which a better move is looked for. */
  get before() {
    return this.moment.node.parent;
  }

  /** True if a move may be tried, now or after a press. */
  get isOpen() {
    return ["asking", "not", "playable"].includes(this.stage);
  }

  /** True once the better move may be told. */
  get isRevealed() {
    return this.stage === "right" || this.stage === "shown";
  }

  /**
   * What the review knows of a move by itself: the marked one is wrong, the better one right; null for others.
   * @param {{fen: string}} move
   * @returns {Verdict | null}
   */
  known({fen}) {
    if (fen === this.moment.node.fen) return "not";
    return fen === this.moment.line.fen ? "right" : null;
  }

  check() {
    this.stage = "checking";
  }

  /** @param {Verdict} verdict */
  judge(verdict) {
    this.tries += 1;
    this.stage = verdict;
  }

  /** A check that came to nothing, or another try. */
  retry() {
    this.stage = "asking";
  }

  show() {
    this.stage = "shown";
  }

  next() {
    const success = this.tries === 1 ? "first" : "later";
    this.outcomes.push(this.stage === "right" ? success : this.stage === "playable" ? "playable" : "unfound");
    this.index += 1;
    this.tries = 0;
    this.stage = this.index < this.moments.length ? "asking" : "over";
  }

  /** The count at the end, in words. */
  result() {
    const count = (/** @type {string} */ which) => this.outcomes.filter(each => each === which).length,
      [first, later, playable] = ["first", "later", "playable"].map(count),
      total = this.outcomes.length;
    return [
      later
        ? t("You found {first} of {total} at the first try, {later} later.", {first, total, later})
        : t("You found {first} of {total} at the first try.", {first, total}),
      playable ? t("Playable moves: {count}.", {count: playable}) : "",
    ]
      .filter(Boolean)
      .join(" ");
  }
}

/**
 * What is said of a move that was tried.
 * @param {Moment} moment
 * @param {{text: string, fen: string}} move
 * @param {Trial} trial
 */
export function verdictText(moment, move, {verdict, expected, line}) {
  const {best} = worthsOf(moment),
    loss = best === null || expected === null ? 0 : Math.round(100 * Math.max(best - expected, 0)),
    values = {move: move.text, better: moment.line.text, loss, reply: line[1]?.text ?? ""};
  if (verdict === "right")
    return move.fen === moment.line.fen
      ? t("Right: {move}.", values)
      : t("Right: {move} is as good as {better}.", values);
  if (verdict === "playable") return t("Playable: {move} gives away only {loss} in 100, but there is better.", values);
  if (move.fen === moment.node.fen)
    return values.reply
      ? t("Not that: {move} is what was played; {reply} answers it.", values)
      : t("Not that: {move} is what was played.", values);
  return values.reply
    ? t("Not that: {move} gives away {loss} in 100; {reply} answers it.", values)
    : t("Not that: {move} gives away {loss} in 100.", values);
}
