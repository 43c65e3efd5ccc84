// A game as a tree of moves: where one stands in it, and every change of it with its undoing. It knows no rules:
// moves come from the answers or from the document of a game.

import {SIDES, START} from "./squares.js";

/** @import {DrawnArrow, DrawnCircle} from "./board-shapes.js" */
/** @import {BoardMove} from "./board-state.js" */

/**
 * A node as documents have it. fen: null after an illegal move
 * @typedef {object} GivenNode
 * @property {number | null} [parent] number of the node before it
 * @property {string | null} [fen]
 * @property {string} [text]
 * @property {number[]} [path] squares that the piece touches
 * @property {number[]} [captured]
 * @property {string[]} [comments]
 * @property {string[]} [starting_comments]
 * @property {string[]} [nags]
 * @property {DrawnArrow[]} [arrows]
 * @property {DrawnCircle[]} [circles]
 * @property {boolean} [setup] another position was set up there
 * @property {string} [draw] the rule by which the game can be claimed drawn
 */
/** @typedef {Record<string, string>} Headers */
/** @typedef {{headers?: Headers, start: string, result?: string, nodes: GivenNode[]}} GameDocument */
/**
 * The start, or the position after a move. fen: null after an illegal move
 * @typedef {object} TreeNode
 * @property {number} id
 * @property {TreeNode | null} parent
 * @property {TreeNode[]} children the first is what was played
 * @property {number} ply
 * @property {string | null} fen
 * @property {string} text
 * @property {number[]} path
 * @property {number[]} captured
 * @property {string[]} comments
 * @property {string[]} starting_comments
 * @property {string[]} nags
 * @property {string} draw
 * @property {DrawnArrow[]} arrows
 * @property {DrawnCircle[]} circles
 * @property {boolean} setup
 */
/** @typedef {TreeNode & {fen: string, parent: LegalNode | null}} LegalNode one that can be shown */
/**
 * game: the same for a game whatever changes in it
 * @typedef {{root: LegalNode, node: LegalNode, headers: Headers, result: string, game: object}} TreeState
 */
/** @typedef {"node" | "edit" | "game"} Change */
/** @typedef {{redo: () => void, undo: () => void, what: Change, from: LegalNode, to: LegalNode}} Done */
/** @typedef {Partial<Pick<TreeNode, "comments" | "starting_comments" | "nags" | "arrows" | "circles">>} Remarks */

const MOST_CHANGES = 500;

/** @param {TreeNode | undefined | null} node @returns {node is LegalNode} */
export const isLegal = node => Boolean(node) && node?.fen !== null;

export class GameTree {
  constructor() {
    /** @type {Record<string, ((node: LegalNode) => void)[]>} */
    this._hear = {node: [], edit: [], game: []};
    /** @type {Done[]} */
    this._done = [];
    /** @type {Done[]} */
    this._undone = [];
    this._ids = 0;
    const {root, headers, result, game} = this._plant({start: START, nodes: []});
    this.root = root;
    this.node = root; // the one that is shown
    this.headers = headers;
    this.result = result;
    this.game = game;
  }

  /**
   * @param {string} what "node" (another position is shown), "edit" (the tree, its texts or the headers have changed)
   *     or "game" (another game has taken its place; "node" follows)
   * @param {(node: LegalNode) => void} hear
   */
  on(what, hear) {
    this._hear[what].push(hear);
  }

  // --- where one stands

  /**
   * Shows a node; those of illegal variations can't be.
   * @param {TreeNode | undefined | null} node
   */
  select(node) {
    if (!isLegal(node)) return false;
    this.node = node;
    this._tell("node");
    return true;
  }

  start() {
    return this._step(this.root);
  }

  back() {
    return this._step(this.node.parent);
  }

  next() {
    return this._step(this.node.children[0]);
  }

  end() {
    return this._step(this._following(this.node).at(-1));
  }

  /** @param {number} step to the variation beside the current move: 1 for the one below, -1 for the one above */
  sibling(step) {
    const others = this.node.parent ? this.node.parent.children.filter(isLegal) : [];
    return this._step(others[others.indexOf(this.node) + step]);
  }

  /** @param {number} step to the nearest move with a mark before (-1) or after (1) the current one, along its line */
  mark(step) {
    const line = [...this.line(), ...this._following(this.node)];
    for (let i = line.indexOf(this.node) + step; line[i]; i += step) {
      if (line[i].nags.length) return this._step(line[i]);
    }
    return false;
  }

  /**
   * Nodes from the root to the current one, or to another.
   * @template {TreeNode} [Node=LegalNode]
   * @param {Node} [node]
   * @returns {Node[]}
   */
  line(node) {
    const nodes = [];
    for (let each = /** @type {Node | null} */ (node ?? this.node); each; each = /** @type {Node} */ (each.parent)) {
      nodes.push(each);
    }
    return nodes.reverse();
  }

  /** The side that the game's tag Orientation has below, as studies and other programs write it; "" without one. */
  get below() {
    const side = (this.headers.Orientation ?? "").trim().toLowerCase();
    return SIDES.find(each => each === side || each[0] === side) ?? "";
  }

  // nodes of the game as it was played, from the root
  main() {
    return [this.root, ...this._following(this.root)];
  }

  /**
   * For each move of the line to a node, which child it is: what `load` takes.
   * @param {TreeNode} [node]
   */
  path(node = this.node) {
    const line = this.line(node);
    return line.slice(1).map((each, i) => line[i].children.indexOf(each));
  }

  /**
   * All nodes in the order in which games are written.
   * @param {TreeNode} [from]
   */
  *nodes(from = this.root) {
    const waiting = [from];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      yield node;
      waiting.push(...[...node.children].reverse());
    }
  }

  // --- changes

  /**
   * The start, or the last position that was set up before a node or there.
   * @param {LegalNode} [node]
   */
  origin(node = this.node) {
    let from = node;
    while (from.parent && !from.setup) from = from.parent;
    return from;
  }

  /**
   * The position at the start, or the last one set up before a node or there, and the moves from it.
   * @param {LegalNode} [node]
   */
  replay(node = this.node) {
    const line = this.line(node),
      origin = this.origin(node);
    return {start: origin.fen, moves: line.slice(line.indexOf(origin) + 1).map(each => each.text)};
  }

  /**
   * Goes to the position after a move: to the child that has it, or a new one.
   * @param {BoardMove} move
   */
  play(move) {
    const {node} = this;
    const same = node.children.find(child => child.fen === move.fen);
    if (same) {
      this.select(same);
      return same;
    }
    const {text, path, captured, fen} = move;
    const child = /** @type {LegalNode} */ (this._node({text, path, captured, fen}, node));
    this._change(
      () => node.children.push(child),
      () => node.children.pop(),
      child,
    );
    return child;
  }

  /**
   * Moves the variation that a node belongs to one place up, or makes all of its line the main one.
   * @param {TreeNode} node
   * @param {boolean} [all]
   */
  promote(node, all = false) {
    const moved = this.line(node).filter(each => each.parent && each.parent.children[0] !== each);
    if (!moved.length) return false;
    /** @type {Map<TreeNode, TreeNode[]>} */
    const before = new Map();
    const after = new Map();
    for (const each of all ? moved : moved.slice(-1)) {
      const parent = /** @type {TreeNode} */ (each.parent);
      const others = parent.children.filter(child => child !== each);
      const to = all ? 0 : parent.children.indexOf(each) - 1;
      before.set(parent, parent.children);
      after.set(parent, [...others.slice(0, to), each, ...others.slice(to)]);
    }
    return this._reorder(before, after, this.node);
  }

  /**
   * Removes a move and all that follows it.
   * @param {TreeNode} node
   */
  remove(node) {
    const {parent} = node;
    if (!parent) return false;
    const isShown = this.line().some(each => each === node);
    const after = parent.children.filter(child => child !== node);
    const stays = isShown ? /** @type {LegalNode} */ (parent) : this.node;
    return this._reorder(new Map([[parent, parent.children]]), new Map([[parent, after]]), stays);
  }

  /**
   * Changes what is said and drawn at a node.
   * @param {TreeNode} node
   * @param {Remarks} remarks those that change
   */
  annotate(node, remarks) {
    const names = /** @type {(keyof Remarks)[]} */ (Object.keys(remarks));
    const before = Object.fromEntries(names.map(name => [name, node[name]]));
    if (JSON.stringify(before) === JSON.stringify(remarks)) return;
    this._change(
      () => Object.assign(node, remarks),
      () => Object.assign(node, before),
    );
  }

  /** @param {Headers} headers @param {string} [result] */
  describe(headers, result = this.result) {
    const before = {headers: this.headers, result: this.result};
    this._change(
      () => Object.assign(this, {headers, result}),
      () => Object.assign(this, before),
    );
  }

  /**
   * Shows another game. It can be undone.
   * @param {GameDocument} document
   * @param {number[]} [path] which child to follow at each move, to the node to show
   * @param {boolean} [isSame] true for another state of this game
   */
  load(document, path = [], isSame = false) {
    const before = this._state();
    const after = this._plant(document);
    if (isSame) after.game = this.game;
    for (const index of path) {
      const child = after.node.children[index];
      if (!isLegal(child)) break;
      after.node = child;
    }
    this._remember({
      redo: () => this._put(after),
      undo: () => this._put(before),
      what: "game",
      from: before.node,
      to: after.node,
    });
    this._put(after);
    this._tell("game");
    this._tell("node");
  }

  // Makes the game as it is the first that `undo` leads back to.
  forget() {
    [this._done, this._undone] = [[], []];
  }

  /** The game with all that can be undone, to be put back by `resume`. */
  hold() {
    return {...this._state(), _done: this._done, _undone: this._undone};
  }

  /**
   * Shows a game that was held.
   * @param {ReturnType<GameTree["hold"]>} held
   */
  resume(held) {
    this._put(held);
    this._tell("game");
    this._tell("node");
  }

  get canUndo() {
    return this._done.length > 0;
  }

  get canRedo() {
    return this._undone.length > 0;
  }

  undo() {
    const change = this._done.pop();
    if (!change) return false;
    this._undone.push(change);
    return this._again(change, change.undo, change.from);
  }

  redo() {
    const change = this._undone.pop();
    if (!change) return false;
    this._done.push(change);
    return this._again(change, change.redo, change.to);
  }

  /** A game as JSON, as the server takes it: the one that is shown, or one that was held. @param {TreeState} [state] */
  document({root, headers, result} = this) {
    const numbers = new Map();
    /** @type {GivenNode[]} */
    const nodes = [];
    for (const node of this.nodes(root)) {
      numbers.set(node, nodes.length);
      const {fen, text, path, captured, comments, starting_comments, nags} = node;
      const move = {text, path, captured, starting_comments, ...(node.setup ? {setup: true} : {})};
      nodes.push({
        parent: node.parent && numbers.get(node.parent),
        ...(node.parent ? move : {}),
        fen,
        comments,
        nags,
        ...(node.arrows.length ? {arrows: node.arrows} : {}),
        ...(node.circles.length ? {circles: node.circles} : {}),
      });
    }
    return {headers, start: root.fen, result, nodes};
  }

  // --- within

  /**
   * @param {GivenNode} given
   * @param {TreeNode | null} parent
   * @returns {TreeNode}
   */
  _node(given, parent) {
    return {
      id: ++this._ids,
      parent,
      children: [],
      ply: parent ? parent.ply + 1 : 0,
      fen: given.fen ?? null,
      text: given.text || "",
      path: given.path || [],
      captured: given.captured || [],
      comments: given.comments || [],
      starting_comments: given.starting_comments || [],
      nags: given.nags || [],
      draw: given.draw || "",
      arrows: given.arrows || [],
      circles: given.circles || [],
      setup: given.setup || false,
    };
  }

  /** @param {GameDocument} document @returns {TreeState} */
  _plant({headers = {}, start, result = "*", nodes}) {
    const root = /** @type {LegalNode} */ (this._node({...nodes[0], fen: start}, null));
    /** @type {TreeNode[]} */
    const made = [root];
    for (const given of nodes.slice(1)) {
      const parent = made[given.parent ?? 0];
      const node = this._node(given, parent);
      parent.children.push(node);
      made.push(node);
    }
    return {root, node: root, headers, result, game: {}};
  }

  /** @returns {TreeState} */
  _state() {
    const {root, node, headers, result, game} = this;
    return {root, node, headers, result, game};
  }

  /** @param {TreeState} state */
  _put(state) {
    Object.assign(this, state);
  }

  /** @param {Change} what */
  _tell(what) {
    for (const hear of this._hear[what]) hear(this.node);
  }

  /** @param {TreeNode | undefined | null} node */
  _step(node) {
    return Boolean(node) && node !== this.node && this.select(node);
  }

  /** @param {TreeNode} node */
  _following(node) {
    const nodes = [];
    for (let [next] = node.children; isLegal(next); [next] = next.children) nodes.push(next);
    return nodes;
  }

  /** @param {Done} change */
  _remember(change) {
    this._undone = [];
    this._done.push(change);
    if (this._done.length > MOST_CHANGES) this._done.shift();
  }

  /** @param {() => void} redo @param {() => void} undo @param {LegalNode} [to] */
  _change(redo, undo, to = this.node) {
    /** @type {Done} */
    const change = {redo, undo, what: "edit", from: this.node, to};
    this._remember(change);
    this._again(change, redo, to);
  }

  /** @param {Done} change @param {() => void} act @param {LegalNode} to */
  _again(change, act, to) {
    const from = this.node;
    act();
    this.node = to;
    this._tell(change.what);
    if (to !== from) this._tell("node");
    return true;
  }

  /**
   * Gives nodes other children, unless an illegal variation would come to stand in the game as it was played.
   * @param {Map<TreeNode, TreeNode[]>} before
   * @param {Map<TreeNode, TreeNode[]>} after
   * @param {LegalNode} to
   */
  _reorder(before, after, to) {
    /** @param {Map<TreeNode, TreeNode[]>} children */
    const set = children => {
      for (const [node, list] of children) node.children = list;
    };
    set(after);
    const legal = !this.main().at(-1)?.children.length;
    set(before);
    if (legal) {
      this._change(
        () => set(after),
        () => set(before),
        to,
      );
    }
    return legal;
  }
}
