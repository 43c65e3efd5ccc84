// The searches of a game that is judged, and what they found: GameSearches of kr/analysis/annotation/searches.py.
// All are made on one hash table, so that earlier positions profit from the searches of later ones.

import {KNOWN, opposite, SCORE_PROVED, SCORE_WIN} from "../chances.js";
import {drawByRule, quietPlies} from "../rules.js";
import {analysisOf, chancesOf, drawAfter, isDrawn, known, moveEarlier, overAnalysis, signOf} from "../weighing.js";

/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("../chances.js").Value} Value */
/** @typedef {import("../weighing.js").Analysis} Analysis */
/** @typedef {import("../weighing.js").Task} Task */
/** @typedef {{seconds?: number, nodes?: number, depth?: number}} Limits */
/** @typedef {import("../pdn/tree.js").Game} Game */
/**
 * What a game is judged with.
 * @typedef {object} Judge
 * @property {{search: (search: import("../house.js").Search) => Promise<import("../house.js").Result>}} engine
 * @property {import("../house.js").DatabasePort | null} database
 * @property {import("../house.js").CertificatesPort | null} certificates
 * @property {import("../chances.js").ChancesOfScores} chances
 * @property {AbortSignal} signal ends all its searches
 */
/**
 * A move and its assessment from the view of the side that plays it.
 * @typedef {object} Choice
 * @property {Position} after
 * @property {readonly Move[]} line
 * @property {number} score
 * @property {number} expected
 * @property {Value | null} value certain result of the game
 */
/**
 * Assessment of a position from the view of its side to move.
 * @typedef {object} Assessment
 * @property {number} score
 * @property {number} expected
 * @property {Value | null} value proved value
 * @property {number | null} plies
 * @property {string[]} certificates names of those that prove the value
 * @property {string} draw
 * @property {string} drawNext
 * @property {Choice[]} lines
 * @property {boolean} corrected true if it comes from searches of later positions, not of the position itself
 * @property {boolean} confirmed true if searches of later positions agree with it
 * @property {Value | null} verdict proved or likely value
 */

/** Limit of a search for obvious moves. */
const GLANCE = {depth: 5};
/** What longer searches have: so many times the nodes or seconds, or so many plies more. */
const LONGER = 10,
  DEEPER = 4;

/** @param {Limits} limits @param {number} times @returns {Limits} */
const longer = ({seconds, nodes, depth}, times) => ({
  ...(seconds && {seconds: times * seconds}),
  ...(nodes && {nodes: times * nodes}),
  ...(depth && {depth: depth + DEEPER}),
});

/**
 * Certain result of the game: a draw by rule, or else the proved value; null without either.
 * @param {{draw: string, drawNext: string, value: Value | null}} facts
 */
export const certainOf = ({draw, drawNext, value}) => (draw || drawNext ? "draw" : value);

/** Assessment from the view of the other side, a move earlier. @param {Assessment} assessment @returns {Assessment} */
export const turned = assessment => ({
  ...assessment,
  score: -assessment.score,
  expected: 1 - assessment.expected,
  value: assessment.value && opposite(assessment.value),
  plies: assessment.plies === null ? null : assessment.plies + 1,
  lines: [],
  verdict: assessment.verdict && opposite(assessment.verdict),
});

/**
 * Assessment of the position before a move that leads here, already turned: a draw comes a move later.
 * @param {Assessment} assessment
 * @returns {Assessment}
 */
export const oneMoveEarlier = assessment => ({
  ...assessment,
  draw: "",
  drawNext: assessment.draw || assessment.drawNext,
});

/** @param {Analysis} analysis */
function scoreOf(analysis) {
  const {lines, value} = analysis;
  if (!lines.length) return -SCORE_WIN;
  if (value === "draw" || isDrawn(analysis)) return 0;
  const sign = value ? signOf(value) : 0,
    [{score}] = lines;
  // by a certificate, though the search has not seen it
  return sign && sign * score <= SCORE_PROVED ? sign * (SCORE_PROVED + 1) : score;
}

/** The searches of one game. */
export class Searches {
  /** Nothing is left in the hash table once the first search begins. */
  #isFresh = true;

  /**
   * @param {Game} game
   * @param {Limits} limits
   * @param {Judge} judge
   */
  constructor(game, limits, judge) {
    this.moves = game.moves;
    this.positions = game.positions();
    this._begins = game.historyBegins();
    // the position that each move led to; where one was set up instead, they differ
    this._reached = this.positions.slice(1);
    for (const [ply] of game.setups()) this._reached[ply - 1] = this.positions[ply - 1].after(this.moves[ply - 1]);
    this._limits = limits;
    this._judge = judge;
  }

  /** Searches the position after this many moves. @param {number} ply */
  position(ply) {
    return this.#assess(this.positions[ply], this.#history(ply));
  }

  /**
   * The proved or likely value of the last position, by its search and that of its best move. The hash table is cleared
   * then, so that nothing else depends on them.
   */
  async lastVerdict() {
    const ply = this.moves.length,
      position = this.positions[ply];
    // too many pieces for any
    if (!this._judge.chances.likely(0, 0, position.pieces)) return null;
    const last = await this.position(ply);
    let {verdict} = last;
    if (last.lines.length && this.#likely(position, last, last.score)) {
      const after = await this.#assess(position.after(last.lines[0].line[0]), [...this.#history(ply), position]);
      verdict = after.value === "loss" ? "win" : this.#likely(position, last, -after.score);
    }
    this.#isFresh = true;
    return verdict;
  }

  /**
   * The proved or likely value of the position after this many moves, by its search and that of its best move.
   * @param {number} ply
   * @param {Assessment} before
   * @param {import("./judging.js").JudgedMove} judged
   */
  verdict(ply, before, {bestValue, bestScore}) {
    if (bestValue === "win") return bestValue;
    if (bestScore === null) return before.verdict;
    return before.verdict ?? this.#likely(this.positions[ply], before, bestScore);
  }

  /**
   * The likely value of a position; null where it is proved, unclear, or the game is drawn by rule.
   * @param {Position} position
   * @param {Assessment} before
   * @param {number} reply
   */
  #likely(position, before, reply) {
    if (certainOf(before)) return null;
    return this._judge.chances.likely(before.score, reply, position.pieces)?.value ?? null;
  }

  /** Searches the position that the move after this many led to. @param {number} ply */
  reached(ply) {
    return this.#assess(this._reached[ply], this.#history(ply, 1));
  }

  /** True if the position after this many moves was set up. @param {number} ply */
  wasSetUp(ply) {
    return ply > 0 && ply === this._begins[ply];
  }

  /**
   * Number of times that the position after the next move has then been on the board, since the last irreversible move.
   * @param {number} ply
   */
  occurrence(ply) {
    const position = this._reached[ply],
      history = this.#history(ply, 1);
    const since = history.slice(history.length - quietPlies(position, history));
    return 1 + since.filter(each => each.equals(position)).length;
  }

  /**
   * Assessment of the position after this many moves: a draw if the game can be claimed drawn there.
   * @param {number} ply
   * @param {Assessment} assessment
   * @returns {Assessment}
   */
  claimable(ply, assessment) {
    const draw = drawByRule(this.positions[ply], this.#history(ply));
    return draw ? {...assessment, score: 0, expected: KNOWN.draw.expected, draw, drawNext: ""} : assessment;
  }

  /**
   * Obvious move after this many moves, and its lead in expected result over the next best.
   * @param {number} ply
   * @returns {Promise<{move: Move, lead: number}>}
   */
  async glance(ply) {
    const {lines} = await this.#analysis({position: this.positions[ply], history: this.#history(ply)}, GLANCE);
    return {move: lines[0].pv[0], lead: lines[0].chances.expected - lines[lines.length - 1].chances.expected};
  }

  /** True if all legal moves lead to the same position. @param {number} ply */
  isForced(ply) {
    const position = this.positions[ply];
    return new Set(position.entries.map(entry => position.after(entry).key)).size === 1;
  }

  /**
   * Alternatives to the move played, as far as they were searched or are in the database.
   * @param {number} ply
   * @param {Assessment} assessment
   */
  async others(ply, assessment) {
    const position = this.positions[ply],
      played = this._reached[ply],
      {database, certificates} = this._judge,
      isWhole = database?.has(position);
    /** @type {Map<string, Choice>} */
    const lines = new Map();
    for (const choice of assessment.lines) if (!choice.after.equals(played)) lines.set(choice.after.key, choice);
    if (isWhole || certificates) {
      const moves = position.legalMoves(),
        reached = moves.map(move => position.after(move)),
        found = (await known(database, reached, certificates)).map(moveEarlier);
      for (const [index, after] of reached.entries()) {
        const {value, certificates: names} = found[index];
        if (value && (isWhole || names?.length) && !after.equals(played))
          lines.set(after.key, this.#known(ply, after, moves[index], value, lines.get(after.key)));
      }
    }
    return [...lines.values()];
  }

  /**
   * The move, assessed by a search of the position after it, with its line.
   * @param {number} ply
   * @param {Choice} choice
   * @param {boolean} [isLonger] by a longer search
   * @returns {Promise<Choice>}
   */
  async confirmed(ply, choice, isLonger = false) {
    const after = await this.#assess(choice.after, this.#history(ply, 1), isLonger ? LONGER : 1),
      line = [choice.line[0], ...(after.lines[0]?.line ?? [])],
      {score, expected} = turned(after),
      certain = certainOf(turned(after));
    if (choice.value) return {...choice, line, score: choice.value === certain ? score : choice.score};
    return {after: choice.after, line, score, expected, value: certain};
  }

  /**
   * Assessment of a move that was played, from the view of its side, and the line that begins with it.
   * @param {number} ply
   * @param {boolean} isLonger by a longer search
   * @returns {Promise<{after: Assessment, refutation: Move[]}>}
   */
  async played(ply, isLonger) {
    const after = await this.#assess(this._reached[ply], this.#history(ply, 1), isLonger ? LONGER : 1);
    return {after: turned(after), refutation: [this.moves[ply], ...(after.lines[0]?.line ?? [])]};
  }

  /** The three best moves, as far as there are, by one search of three times the nodes. @param {Position} position */
  async replies(position) {
    return (await this.#assess(position, [], 3 * LONGER, 3)).lines;
  }

  /** A position, as those after marked moves are judged. @param {Position} position */
  judged(position) {
    return this.#assess(position, [], LONGER);
  }

  /** A position after one of those replies, by a search twice as long. @param {Position} position */
  decided(position) {
    return this.#assess(position, [], 2 * LONGER);
  }

  /** The last move, assessed as an alternative to it would be. */
  tried() {
    const ply = this.moves.length - 1,
      after = this._reached[ply];
    return this.confirmed(ply, {after, line: [this.moves[ply]], score: 0, expected: 0, value: null});
  }

  /**
   * The move, assessed by a search of the position after its best answer if that is worse.
   * @param {number} ply
   * @param {Choice} choice
   * @returns {Promise<Choice>}
   */
  async answered(ply, choice) {
    if (choice.line.length < 2) return choice;
    const history = [...this.#history(ply, 1), choice.after],
      later = await this.#assess(choice.after.after(choice.line[1]), history);
    if (later.expected >= choice.expected) return choice;
    const line = [...choice.line.slice(0, 2), ...(later.lines[0]?.line ?? [])];
    // one winning answer is enough; a drawing one need not be the best
    const value = certainOf(later) === "loss" ? "loss" : null;
    return {...choice, line, score: later.score, expected: later.expected, value};
  }

  /** Positions that can be repeated after this many moves; more: 1 for after one more. @param {number} ply */
  #history(ply, more = 0) {
    return this.positions.slice(this._begins[ply], ply + more);
  }

  /**
   * A move whose value the endgame database or a certificate has, or that leads to a draw by rule.
   * @param {number} ply
   * @param {Position} after
   * @param {Move} move
   * @param {Value} value
   * @param {Choice | undefined} line
   * @returns {Choice}
   */
  #known(ply, after, move, value, line) {
    const history = this.#history(ply, 1);
    if (drawAfter(after, history, value)) value = "draw";
    // a win that may take longer than the rule about progress allows
    else if (line && !line.value) return line;
    return {after, line: line?.line ?? [move], score: line?.score ?? 0, expected: KNOWN[value].expected, value};
  }

  /**
   * @param {Position} position
   * @param {Position[]} history
   * @param {number} [times] the nodes or seconds of the other searches; 1 for a search like them
   * @param {number} [count] lines
   * @returns {Promise<Assessment>}
   */
  async #assess(position, history, times = 1, count = 2) {
    const limits = times > 1 ? longer(this._limits, times) : this._limits,
      analysis = await this.#analysis({position, history}, limits, count);
    return {
      score: scoreOf(analysis),
      expected: chancesOf(analysis).expected,
      value: analysis.value,
      plies: analysis.plies,
      certificates: analysis.certificates,
      draw: analysis.draw,
      drawNext: analysis.draw ? "" : (analysis.lines[0]?.draw ?? ""),
      lines: analysis.lines.map(line => ({
        after: position.after(line.pv[0]),
        line: line.pv,
        score: line.score,
        expected: line.chances.expected,
        value: line.certain,
      })),
      corrected: false,
      confirmed: false,
      verdict: analysis.value,
    };
  }

  /**
   * @param {Task} task
   * @param {Limits} limits
   * @param {number} [count] lines: two, to see if the best move is the only one
   */
  async #analysis(task, limits, count = 2) {
    const {engine, database, certificates, chances, signal} = this._judge;
    signal.throwIfAborted();
    if (task.position.isOver) return overAnalysis(task);
    const fresh = this.#isFresh;
    this.#isFresh = false;
    const result = await engine.search({...task, limits, lines: count, fresh});
    signal.throwIfAborted();
    return analysisOf(task, result, database, chances, certificates);
  }
}
