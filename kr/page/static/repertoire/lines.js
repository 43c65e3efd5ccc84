// The repertoire for one side as a graph of positions: moves that the person means to play, the replies that they
// answer, and the roots where the choice begins. Nothing here touches the document. tests/cases/repertoire.json holds
// what it has in common with kr/theory/repertoire.py.

import {sideOf} from "../squares.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Side} from "../squares.js" */
/** @import {GameDocument, GivenNode} from "../tree.js" */

/** @typedef {{text: string, path: number[], captured: number[], comments?: string[], nags?: string[]}} KeptMove */
/**
 * Where the choice begins, after moves that are drawn by lot.
 * @typedef {{start: string, ballot: BoardMove[], name: string}} Root
 */
/**
 * As it is kept: roots by their FEN, moves by the FEN before and after them.
 * @typedef {{roots: Record<string, Root>, moves: Record<string, Record<string, KeptMove>>}} Graph
 */
/** A move of a repertoire. @typedef {BoardMove & {comments: string[], nags: string[], isSuggested: boolean}} OwnMove */
/**
 * Where a line left a repertoire: after so many moves, by whom, and what the repertoire has there; "end" where it has
 * nothing more.
 * @typedef {{ply: number, who: "me" | "opponent" | "end", moves: OwnMove[]}} Left
 */
/**
 * A line on the board: its start, then the position after each move.
 * @typedef {Array<BoardMove & {setup?: boolean}>} BoardLine
 */

/** Begins the comment of a move that a book has put in. */
const SUGGESTION = "Suggestion";
const TRANSPOSES = "Transposes";
/** Begins the comment of a line whose rest can't be played, by the reader. */
const NOT_LEGAL = "Not legal from here";
const SIDE_TAG = "Repertoire",
  BALLOT_TAG = "BallotMoves";
const NAMES = {black: "Black", white: "White"};
const MOST_BALLOT_MOVES = 10;

/** @returns {Graph} */
export const emptyGraph = () => ({roots: {}, moves: {}});

export class Lines {
  /**
   * @param {Side} side
   * @param {Graph} graph which changes with it
   */
  constructor(side, graph) {
    this.side = side;
    this.graph = graph;
    /** @type {Map<string, {root: Root | null, before: string}> | null} */
    this._known = null;
    /** @type {Map<string, number>} */
    this._counts = new Map();
  }

  get isEmpty() {
    return !Object.keys(this.graph.moves).length;
  }

  /** Whether it is the person's turn. @param {string} fen */
  isOwn(fen) {
    return sideOf(fen) === this.side;
  }

  /** The moves of a position. @param {string} fen @returns {OwnMove[]} */
  of(fen) {
    const moves = Object.hasOwn(this.graph.moves, fen) ? this.graph.moves[fen] : {};
    return Object.entries(moves).map(([after, {comments = [], nags = [], ...move}]) => ({
      ...move,
      fen: after,
      comments,
      nags,
      isSuggested: comments.some(text => text.startsWith(SUGGESTION)),
    }));
  }

  /** The person's moves in a position, without those that a book suggests. @param {string} fen */
  answers(fen) {
    return this.isOwn(fen) ? this.of(fen).filter(move => !move.isSuggested) : [];
  }

  /** @param {string} fen @param {string} after */
  has(fen, after) {
    return Object.hasOwn(this.graph.moves, fen) && Object.hasOwn(this.graph.moves[fen], after);
  }

  /** Whether a position is in the repertoire: a root, or behind one. @param {string} fen */
  isReached(fen) {
    return this._ways().has(fen);
  }

  /**
   * A shortest way to a position, from the start of a game; null if it is not in the repertoire.
   * @param {string} fen
   * @returns {{root: Root, moves: BoardMove[]} | null}
   */
  wayTo(fen) {
    const ways = this._ways();
    /** @type {BoardMove[]} */
    const moves = [];
    for (let at = fen, way = ways.get(at); way; at = way.before, way = ways.get(at)) {
      const {root, before} = way;
      if (root) return {root, moves: [...root.ballot, ...moves.reverse()]};
      const {text, path, captured} = this.graph.moves[before][at];
      moves.push({text, path, captured, fen: at});
    }
    return null;
  }

  /**
   * For each position the root that it is, or the position before it on a shortest way. Known until a change.
   * @returns {Map<string, {root: Root | null, before: string}>}
   */
  _ways() {
    if (this._known) return this._known;
    /** @type {Map<string, {root: Root | null, before: string}>} */
    const ways = new Map();
    for (const [fen, root] of Object.entries(this.graph.roots)) ways.set(fen, {root, before: ""});
    // a map that grows is walked to its new end
    for (const fen of ways.keys())
      for (const after in this.graph.moves[fen]) if (!ways.has(after)) ways.set(after, {root: null, before: fen});
    this._known = ways;
    return ways;
  }

  /** How many positions have an answer: all of them, or those that are reached from one. @param {string} [from] */
  countAnswers(from = "") {
    const counted = this._counts.get(from);
    if (counted !== undefined) return counted;
    const reached = from ? [...this._reached(from)] : Object.keys(this.graph.moves),
      count = reached.filter(fen => this.isOwn(fen) && this.answers(fen).length).length;
    this._counts.set(from, count);
    return count;
  }

  /** Positions that are reached from one, and itself. @param {string} from */
  _reached(from) {
    const reached = new Set([from]);
    // a set that grows is walked to its new end
    for (const fen of reached) for (const after in this.graph.moves[fen]) reached.add(after);
    return reached;
  }

  _changed() {
    this._known = null;
    this._counts.clear();
  }

  // --- changes

  /**
   * The ply at which the choice begins on a line: the last root on it, or else where its ballot ends.
   * @param {BoardLine} line
   * @param {number} ballot moves of the line that are drawn by lot
   */
  rootPly(line, ballot) {
    const last = line.findLastIndex(({fen}) => Object.hasOwn(this.graph.roots, fen));
    return last >= 0 ? last : Math.min(ballot, line.length - 1);
  }

  /** The number of moves of a line up to the last one of the person. @param {BoardLine} line */
  lastOwn(line) {
    const last = line.findLastIndex((_, ply) => ply > 0 && this.isOwn(line[ply - 1].fen));
    return Math.max(last, 0);
  }

  /**
   * Makes a line the person's, up to their last move on it: false if they have made none since the choice began.
   * @param {BoardLine} line
   * @param {{ballot?: number, name?: string}} [how] ballot: moves that are drawn by lot
   */
  mark(line, {ballot = 0, name = ""} = {}) {
    const from = this.rootPly(line, ballot),
      end = this.lastOwn(line);
    if (end <= from) return false;
    this._changed();
    this.graph.roots[line[from].fen] ??= {start: line[0].fen, ballot: line.slice(1, from + 1).map(bare), name};
    for (let ply = from + 1; ply <= end; ply++) {
      const move = this._add(line[ply - 1].fen, line[ply]);
      // whoever plays it has taken it over
      const comments = move.comments?.filter(text => !text.startsWith(SUGGESTION));
      if (comments?.length) move.comments = comments;
      else delete move.comments;
    }
    return true;
  }

  /** Takes a suggestion over. @param {string} fen @param {string} after */
  accept(fen, after) {
    const move = this.of(fen).find(each => each.fen === after);
    if (!move) return;
    const comments = move.comments.filter(text => !text.startsWith(SUGGESTION));
    this.graph.moves[fen][after] = kept({...move, comments});
    this._changed();
  }

  /**
   * Takes a move out, and all that is reached by it alone; replies that have no answer then go too.
   * @param {string} fen
   * @param {string} after
   */
  unmark(fen, after) {
    const {moves, roots} = this.graph;
    if (!this.has(fen, after)) return;
    delete moves[fen][after];
    if (!Object.keys(moves[fen]).length) {
      delete moves[fen];
      if (this.isOwn(fen))
        for (const before of Object.keys(moves)) {
          delete moves[before][fen];
          if (!Object.keys(moves[before]).length) delete moves[before];
        }
    }
    for (const root of Object.keys(roots)) if (!Object.hasOwn(moves, root)) delete roots[root];
    this._prune();
  }

  /** Takes an opening out, but for what others lead to. @param {string} root */
  remove(root) {
    delete this.graph.roots[root];
    this._prune();
  }

  // what no root leads to
  _prune() {
    const {moves} = this.graph;
    this._changed();
    for (const before of Object.keys(moves)) if (!this.isReached(before)) delete moves[before];
    this._changed();
  }

  /** @param {string} fen @param {BoardMove} move @returns {KeptMove} */
  _add(fen, move) {
    const {moves} = this.graph;
    moves[fen] ??= {};
    moves[fen][move.fen] ??= kept(move);
    return moves[fen][move.fen];
  }

  // --- games beside it

  /**
   * Where a line left it: after its last position of the repertoire. Null if it never came there, or is still there.
   * @param {BoardLine} line
   * @returns {Left | null}
   */
  left(line) {
    const ply = line.findLastIndex(({fen}) => this.isReached(fen));
    if (ply < 0 || ply === line.length - 1) return null;
    const {fen} = line[ply],
      moves = this.of(fen);
    return {ply, who: moves.length ? (this.isOwn(fen) ? "me" : "opponent") : "end", moves};
  }

  // --- PDN

  /** As games, one for each root; the moves of a position stand where it comes first. */
  documents() {
    /** @type {Set<string>} */
    const written = new Set();
    return Object.keys(this.graph.roots).map(fen => this.document(fen, written));
  }

  /**
   * The game of a root.
   * @param {string} fen
   * @param {Set<string>} [written] positions whose moves stand elsewhere; those of the game come to it
   * @returns {GameDocument & {headers: Record<string, string>}}
   */
  document(fen, written = new Set()) {
    const root = this.graph.roots[fen];
    /** @type {Record<string, string>} */
    const headers = {Event: root.name || "Repertoire", [SIDE_TAG]: NAMES[this.side]};
    if (root.ballot.length) headers[BALLOT_TAG] = String(root.ballot.length);
    return {headers, start: root.start, result: "*", nodes: this._nodes(root, fen, written)};
  }

  /** @param {Root} root @param {string} fen @param {Set<string>} written @returns {GivenNode[]} */
  _nodes({start, ballot}, fen, written) {
    /** @type {(GivenNode & {comments: string[]})[]} */
    const nodes = [{parent: null, fen: start, comments: [], nags: []}];
    const add = (
      /** @type {number} */ parent,
      /** @type {BoardMove & {comments?: string[], nags?: string[]}} */ move,
    ) => nodes.push({starting_comments: [], nags: [], ...move, comments: [...(move.comments ?? [])], parent}) - 1;
    let last = 0;
    for (const move of ballot) last = add(last, move);
    /** @type {Array<{at: number, fen: string}>} */
    const waiting = [{at: last, fen}];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const moves = this.of(next.fen);
      if (written.has(next.fen)) {
        if (moves.length) nodes[next.at].comments.push(TRANSPOSES);
        continue;
      }
      written.add(next.fen);
      const children = moves.map(({isSuggested: _, ...move}) => ({at: add(next.at, move), fen: move.fen}));
      waiting.push(...children.reverse());
    }
    return nodes;
  }

  /**
   * Adds a game; gives how many of its variations can't be played.
   * @param {GameDocument} document
   */
  take({headers = {}, start, nodes}) {
    const ballot = /^\s*\d+\s*$/.test(headers[BALLOT_TAG] ?? "0") ? Number(headers[BALLOT_TAG] ?? 0) : Infinity;
    /** @type {number[][]} */
    const children = nodes.map(() => []);
    for (const [i, {parent}] of nodes.entries()) if (i) children[parent ?? 0].push(i);
    if (ballot > MOST_BALLOT_MOVES) return {left: 1};
    let at = 0;
    /** @type {BoardMove[]} */
    const drawn = [];
    for (let ply = 0; ply < ballot; ply++) {
      if (children[at].length !== 1) return {left: 1};
      at = children[at][0];
      drawn.push(bare(given(nodes[at])));
    }
    const root = at ? (nodes[at].fen ?? start) : start;
    const name = headers.Event?.replace(/^[?.\s]+$/, "") ?? "";
    let left = Number(isCut(nodes[at]));
    // the moves of an opening may stand in an earlier one
    if (!children[at].length && !nodes[at].comments?.includes(TRANSPOSES)) return {left};
    this.graph.roots[root] ??= {start, ballot: drawn, name: name === "Repertoire" ? "" : name};
    this._changed();
    const waiting = [at];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      const before = place === at ? root : (nodes[place].fen ?? "");
      for (const child of children[place]) {
        const node = nodes[child];
        if (!node.fen || node.setup) {
          left += 1;
          continue;
        }
        const move = this._add(before, given(node));
        const all = [...(node.starting_comments ?? []), ...(node.comments ?? [])],
          said = all.filter(text => text !== TRANSPOSES && !text.startsWith(NOT_LEGAL));
        left += Number(isCut(node));
        const comments = [...new Set([...(move.comments ?? []), ...said])],
          nags = [...new Set([...(move.nags ?? []), ...(node.nags ?? [])])];
        if (comments.length) move.comments = comments;
        if (nags.length) move.nags = nags;
        waiting.push(child);
      }
    }
    return {left};
  }
}

/** Whether moves behind it can't be played. @param {GivenNode} node */
const isCut = ({comments = []}) => comments.some(text => text.startsWith(NOT_LEGAL));

/** What is remarked on a move; that a book suggests it stands apart. @param {OwnMove} move */
export const remarkOf = ({comments}) =>
  comments
    .map(text => (text.startsWith(SUGGESTION) ? text.slice(SUGGESTION.length).trim() : text))
    .filter(Boolean)
    .join(" ");

/** @param {Record<string, any>} move @returns {KeptMove} */
const kept = ({text, path, captured, comments, nags}) => ({
  text,
  path,
  captured,
  ...(comments?.length ? {comments} : {}),
  ...(nags?.length ? {nags} : {}),
});

/** @param {BoardMove} move @returns {BoardMove} */
const bare = ({text, path, captured, fen}) => ({text, path, captured, fen});

/** @param {GivenNode} node @returns {BoardMove} */
const given = ({text = "", path = [], captured = [], fen}) => ({text, path, captured, fen: fen ?? ""});

/**
 * The side that a game of a file is meant for, null if it does not say.
 * @param {Record<string, string>} headers
 * @returns {Side | null}
 */
export function sideOfGame(headers) {
  const name = (headers[SIDE_TAG] ?? "").trim().toLowerCase();
  return name === "black" || name === "white" ? name : null;
}
