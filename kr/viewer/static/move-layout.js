// How the moves of a game stand on the page: those of the game in pairs, Black's and White's; comments and variations
// between the pairs, as text.

import {facts, numbered} from "./move-words.js";
import {commentWords} from "./comments.js";

/** @import {TreeNode} from "./tree.js" */

/**
 * A move, its number where it stands ("" for none), or a comment, or what its tags say, or that a position was set up,
 * or a short variation
 * @typedef {{move: TreeNode, number: string} | {comment: string} | {facts: string} | {setup: TreeNode}
 *   | {aside: Item[]}} Item
 */
/** @typedef {{move: TreeNode, facts: string}} Cell */
/** @typedef {{number: string, cells: (Cell | null)[]}} Pair two moves of the game; null where one stands elsewhere */
/** @typedef {{depth: number, isFirst: boolean, items: Item[]}} Run text, at a depth of variations */
/** @typedef {Pair | Run} Block */

const SHORT_MOVES = 8; // a variation of at most this stands within its line
const SHORT_TEXT = 80;

/** @param {TreeNode} first true for a line without variations that is short enough to stand within another */
function isShort(first) {
  let text = 0;
  let count = 0;
  for (let node = first; node; node = node.children[0]) {
    for (const each of [...node.comments, ...node.starting_comments]) text += each.length;
    if (count === SHORT_MOVES || text > SHORT_TEXT || node.children.length > 1) return false;
    count += 1;
  }
  return true;
}

/** @param {string[]} comments kr's comment on the whole game stands elsewhere */
const shown = comments => comments.filter(text => !text.includes("[%kr game"));

/** @param {string[]} comments @returns {Item[]} */
const remarks = comments =>
  shown(comments).flatMap(text => [
    ...(facts(text) ? [{facts: facts(text)}] : []),
    ...(commentWords(text) ? [{comment: commentWords(text)}] : []),
  ]);

class Layout {
  /** @param {TreeNode} root */
  constructor(root) {
    this._root = root;
    /** @type {Block[]} */
    this.blocks = [];
    /** @type {Pair | null} */
    this._pair = null; // that lacks White's move
    /** @type {Item[]} */
    this._items = []; // of the text that is being written
    this._isFresh = true; // the next move in the text shows its number
  }

  /** Writes all: lines to go on with after a node, and variations to begin with one, wait in turn. */
  write() {
    this._between(remarks(this._root.comments));
    /** @type {{after?: TreeNode, first?: TreeNode, depth: number}[]} */
    const waiting = [{after: this._root, depth: 0}];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const {after, first, depth} = next;
      if (depth) this._begin(depth, Boolean(first));
      if (first) this._textMove(first);
      waiting.push(...this._line(/** @type {TreeNode} */ (after || first), depth));
    }
    return this.blocks.filter(block => !("items" in block) || block.items.length);
  }

  /**
   * A line after a node, up to a move with long variations; gives what has to wait.
   * @param {TreeNode} node
   * @param {number} depth
   */
  _line(node, depth) {
    let at = node;
    while (at.children.length) {
      const [main, ...others] = at.children;
      const short = others.filter(isShort);
      const long = others.filter(other => !isShort(other));
      if (depth) {
        this._textMove(main);
        this._asides(short);
      } else {
        this._gameMove(main, short);
      }
      if (long.length) {
        this._pair = null;
        return [{after: main, depth}, ...long.reverse().map(first => ({first, depth: depth + 1}))];
      }
      at = main;
    }
    return [];
  }

  /** A move of the game, in its pair. @param {TreeNode} move @param {TreeNode[]} short variations */
  _gameMove(move, short) {
    this._between(remarks(move.starting_comments));
    const text = numbered(move, this._root);
    const cell = {move, facts: shown(move.comments).map(facts).filter(Boolean).join(", ")};
    if (!text.endsWith("...")) {
      this._pair = {number: text, cells: [cell]};
      this.blocks.push(this._pair);
    } else {
      if (this._pair) this._pair.cells.push(cell);
      else this.blocks.push({number: text.replace("...", "."), cells: [null, cell]});
      this._pair = null;
    }
    const said = shown(move.comments).map(commentWords).filter(Boolean);
    const items = [...(move.setup ? [{setup: move}] : []), ...said.map(comment => ({comment}))];
    this._between(items, short);
  }

  /** Text between the moves of the game. @param {Item[]} items @param {TreeNode[]} [short] variations after them */
  _between(items, short = []) {
    if (!items.length && !short.length) return;
    this._begin(0, false);
    this._items.push(...items);
    this._asides(short);
  }

  /** @param {number} depth @param {boolean} isFirst */
  _begin(depth, isFirst) {
    this._pair = null;
    this._items = [];
    this._isFresh = true;
    this.blocks.push({depth, isFirst, items: this._items});
  }

  /** A move in the text. @param {TreeNode} move */
  _textMove(move) {
    const before = remarks(move.starting_comments);
    const text = numbered(move, this._root);
    const isNumbered = this._isFresh || before.length > 0 || !text.endsWith("...");
    const after = [...(move.setup ? [{setup: move}] : []), ...remarks(move.comments)];
    this._items.push(...before, {move, number: isNumbered ? text : ""}, ...after);
    this._isFresh = after.some(item => !("facts" in item));
  }

  /** Short variations within the text. @param {TreeNode[]} firsts */
  _asides(firsts) {
    const outer = this._items;
    for (const first of firsts) {
      this._items = [];
      this._isFresh = true;
      for (let each = first; each; each = each.children[0]) this._textMove(each);
      outer.push({aside: this._items});
      this._isFresh = true;
    }
    this._items = outer;
  }
}

/**
 * The moves of a game as pairs and texts, in the order in which they are read, however deep variations are nested.
 * @param {TreeNode} root
 * @returns {Block[]}
 */
export const layout = root => new Layout(root).write();
