// The moves of a game: in pairs, comments and variations between them, the current move marked.

import {button, el} from "./dom.js";
import {visible} from "./escapes.js";
import {layout} from "./move-layout.js";
import {markName, named, sign} from "./move-words.js";
import {t} from "./texts.js";

/** @import {Block, Cell, Item, Pair} from "./move-layout.js" */
/** @import {GameTree, TreeNode} from "./tree.js" */

/** @type {Record<string, string>} */
const KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "only", "!!": "only", "*": "only"};
const LONG_TEXT = 1200; // a comment of more is shown in full when asked
const DEEPEST = 5; // variations further in are indented no more

export class MoveList {
  /** @param {GameTree} tree */
  constructor(tree) {
    this.tree = tree;
    this.element = el("div", {class: "moves", role: "group", "aria-label": t("Moves")});
    /** @type {Map<TreeNode, HTMLElement>} */
    this._buttons = new Map();
    /** @type {Map<Element, TreeNode>} */
    this._nodes = new Map();
    /** @type {HTMLElement | null} */
    this._current = null;
    this.isShown = true; // false: it is out of sight, and drawn when it is shown again
    this.element.addEventListener("click", event => {
      const node = this.nodeAt(event);
      if (node) this.tree.select(node);
    });
    // the move stays in sight where the list gets lower, such as by a panel below it
    new ResizeObserver(() => this._mark()).observe(this.element);
    tree.on("node", () => this._mark());
    tree.on("edit", () => this.draw());
    tree.on("game", () => this.draw());
    this.draw();
  }

  // Writes everything anew.
  draw() {
    if (!this.isShown) return;
    const focused = this.element.contains(document.activeElement);
    this._buttons.clear();
    this._nodes.clear();
    this.element.replaceChildren(...layout(this.tree.root).map(block => this._block(block)), this._end());
    this._current = null;
    this._mark();
    if (focused) this._buttons.get(this.tree.node)?.focus();
  }

  /** Gives the focus to a node, or to the current one. @param {TreeNode} node */
  focus(node) {
    (this._buttons.get(node) || this._current)?.focus({preventScroll: true});
  }

  /** The node that an event is about. @param {Event} event */
  nodeAt(event) {
    const element = /** @type {Element} */ (event.target).closest("button.move");
    return element && this._nodes.get(element);
  }

  // marks the current move, and brings it into sight within the list
  _mark() {
    if (!this.isShown) return;
    if (this._current) {
      this._current.removeAttribute("aria-current");
      this._current.tabIndex = -1;
    }
    const now = (this._current = this._buttons.get(this.tree.node) || null);
    const first = this._buttons.values().next().value;
    if (first) first.tabIndex = now ? -1 : 0;
    if (!now) {
      this.element.scrollTop = 0;
      return;
    }
    now.setAttribute("aria-current", "step");
    now.tabIndex = 0;
    const list = this.element.getBoundingClientRect();
    const box = now.getBoundingClientRect();
    if (box.top < list.top + 8) this.element.scrollTop -= list.top + 8 - box.top;
    else if (box.bottom > list.bottom - 8) this.element.scrollTop += box.bottom - list.bottom + 8;
  }

  // --- writing

  /** @param {Block} block */
  _block(block) {
    if ("cells" in block) return this._pair(block);
    const {depth, isFirst, items} = block;
    const classes = `run d${Math.min(depth, DEEPEST)}${isFirst ? " first" : ""}`;
    return el(
      "p",
      {class: classes},
      items.flatMap(item => this._item(item)),
    );
  }

  /** @param {Pair} pair */
  _pair({number, cells}) {
    return el(
      "div",
      {class: "pair"},
      el("span", {class: "number"}, number),
      cells.map(cell => this._cell(cell)),
    );
  }

  /** @param {Cell | null} cell */
  _cell(cell) {
    if (!cell) return el("span", {class: "gap"});
    const timing = cell.facts ? [" ", el("span", {class: "timing"}, visible(cell.facts))] : [];
    return el("span", {class: "cell"}, this._move(cell.move), timing);
  }

  /** @param {Item} item @returns {(Node | string)[]} */
  _item(item) {
    if ("comment" in item) return [this._comment(visible(item.comment)), " "];
    if ("facts" in item) return [el("span", {class: "timing"}, visible(item.facts)), " "];
    if ("setup" in item) {
      return [el("span", {class: "timing", title: item.setup.fen}, t("position set up")), " "];
    }
    if ("aside" in item) {
      const moves = item.aside.flatMap(each => this._item(each)).slice(0, -1);
      return [el("span", {class: "aside"}, "(", moves, ")"), " "];
    }
    const shown = item.number && el("span", {class: "number"}, `${item.number}\u00a0`);
    return [el("span", {class: "word"}, shown, this._move(item.move)), " "];
  }

  /** @param {string} said */
  _comment(said) {
    if (said.length <= LONG_TEXT) return el("bdi", {class: "comment"}, said);
    const shown = el("bdi", {class: "comment"}, said.slice(0, LONG_TEXT));
    const more = () => {
      shown.textContent = said;
    };
    shown.append(button(t("… more"), more, {class: "more"}));
    return shown;
  }

  /** @param {TreeNode} node */
  _move(node) {
    const signs = node.nags.map(nag => {
      const shown = sign(nag);
      return el("span", {class: `nag ${KINDS[shown] || ""}`, title: markName(nag)}, shown);
    });
    const text = visible(node.text);
    if (node.fen === null) return el("span", {class: "illegal", title: t("not a legal move here")}, text, signs);
    const made = el("button", {type: "button", class: "move", tabindex: -1, "aria-label": named(node)}, text, signs);
    this._buttons.set(node, made);
    this._nodes.set(made, node);
    return made;
  }

  // the result, or that there is nothing yet
  _end() {
    const {root, result} = this.tree;
    if (result !== "*") return el("p", {class: "run d0"}, el("span", {class: "result"}, result));
    const isEmpty = !root.children.length && !root.comments.length;
    return isEmpty ? el("p", {class: "run d0 muted"}, t("No moves yet.")) : "";
  }
}
