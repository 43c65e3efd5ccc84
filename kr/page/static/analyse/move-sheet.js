// The sheet on which a move is marked, commented, promoted and removed. A right click or a long press on the move opens
// it.

import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {isMark, MARK_SIGNS, markName, number, sign, tagsOf, words} from "../move-words.js";
import {t} from "../texts.js";

/** @import {GameTree, TreeNode} from "../tree.js" */

const LONG_MS = 600;

/** @param {string[]} comments */
const said = comments => comments.map(words).filter(Boolean).join("\n");

/**
 * Comments with other words: tags such as clocks stay, and nothing changes if the words don't.
 * @param {string[]} comments
 * @param {string} text
 */
export function reworded(comments, text) {
  if (text.trim() === said(comments)) return comments;
  return [[...comments.flatMap(tagsOf), text.trim()].filter(Boolean).join(" ")].filter(Boolean);
}

class MoveSheet {
  /**
   * @param {GameTree} tree
   * @param {(text: string) => void} say
   * @param {(node: TreeNode) => void} onclose
   */
  constructor(tree, say, onclose) {
    this._tree = tree;
    this._say = say;
    this._onclose = onclose;
    this.element = el("dialog", {class: "sheet"});
    // a click beside the sheet closes it
    this.element.addEventListener("click", event => event.target === this.element && this.element.close());
    document.body.append(this.element);
  }

  get isOpen() {
    return this.element.open;
  }

  /** @param {TreeNode} node */
  open(node) {
    this._node = node;
    this._isGone = false; // true: what is written is not kept
    this._text = this._field(t("Comment"), 3, node.comments);
    this._earlier = this._field(t("Comment before the move"), 2, node.starting_comments);
    const {parent} = node;
    const title = parent ? `${number(node)} ${visible(node.text)}` : t("Before the first move");
    const isVariation = parent && (said(node.starting_comments) || parent.children[0] !== node);
    this.element.setAttribute("aria-label", title);
    this.element.replaceChildren(
      el("h2", null, title),
      parent ? el("div", {class: "row", role: "group", "aria-label": t("Marks")}, this._marks(node)) : "",
      isVariation ? el("label", null, t("Before the move"), this._earlier) : "",
      el("label", null, t("Comment"), this._text),
      el("div", {class: "row"}, this._acts(node)),
    );
    this.element.oncancel = () => {
      this._isGone = true;
    };
    this.element.onclose = () => {
      this._save();
      this._onclose(node);
    };
    this.element.showModal();
    this._text.focus();
  }

  /** @param {string} label @param {number} rows @param {string[]} comments */
  _field(label, rows, comments) {
    return el("textarea", {rows, maxlength: 10000, "aria-label": label, value: said(comments)});
  }

  /** @param {TreeNode} node */
  _marks(node) {
    /** @type {HTMLButtonElement[]} */
    const marks = MARK_SIGNS.map(nag => {
      const give = () => {
        const had = node.nags.map(sign).includes(nag);
        this._tree.annotate(node, {nags: [...node.nags.filter(each => !isMark(each)), ...(had ? [] : [nag])]});
        for (const each of marks) each.setAttribute("aria-pressed", String(each.textContent === nag && !had));
      };
      const name = markName(nag);
      const isGiven = node.nags.map(sign).includes(nag);
      return button(nag, give, {title: name, "aria-label": name, "aria-pressed": String(isGiven)});
    });
    return marks;
  }

  /** @param {TreeNode} node */
  _acts(node) {
    const tree = this._tree;
    const isVariation = tree.line(node).some(each => each.parent && each.parent.children[0] !== each);
    const promote = () => this._act(() => tree.promote(node), t("Promoted"));
    const make = () => this._act(() => tree.promote(node, true), t("Now the main line"));
    const remove = () => this._act(() => tree.remove(node), t("Deleted; Undo brings it back"));
    return [
      isVariation && button(t("Promote"), promote, {title: t("This variation one place up")}),
      isVariation && button(t("Make it the game"), make),
      button(t("Clear"), () => this._clear(node), {title: t("No mark and no comment")}),
      node.parent && button(t("Delete from here"), remove),
      button(t("Done"), () => this.element.close(), {class: "primary"}),
    ];
  }

  /** @param {() => boolean} does @param {string} told */
  _act(does, told) {
    this._save();
    this._isGone = true;
    this.element.close();
    this._say(does() ? told : t("That is not possible: an illegal variation would become the game"));
  }

  /** @param {TreeNode} node */
  _clear(node) {
    this._isGone = true;
    this._tree.annotate(node, node.parent ? {nags: [], comments: [], starting_comments: []} : {comments: []});
    this.element.close();
  }

  _save() {
    const node = this._node;
    if (!node || this._isGone) return;
    this._tree.annotate(node, {
      comments: reworded(node.comments, this._text?.value ?? ""),
      starting_comments: reworded(node.starting_comments, this._earlier?.value ?? ""),
    });
  }
}

/**
 * Has the moves of a list changed by a sheet.
 * @param {import("../moves.js").MoveList} list
 * @param {(text: string) => void} say hears what should be announced
 */
export function changing(list, say) {
  const {element} = list,
    sheet = new MoveSheet(list.tree, say, node => list.focus(node));
  /** @param {Event} event */
  const open = event => {
    const node = list.nodeAt(event);
    if (!node || sheet.isOpen) return;
    event.preventDefault();
    sheet.open(node);
  };
  element.addEventListener("contextmenu", open);
  // a long press, where it is no right click
  let pressing = 0;
  element.addEventListener("pointerdown", event => {
    clearTimeout(pressing);
    if (event.pointerType === "touch") pressing = window.setTimeout(() => open(event), LONG_MS);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    element.addEventListener(end, () => clearTimeout(pressing));
  }
  return sheet;
}
