// The panel People: how many people play each move of the position.

import {button, el} from "../dom.js";
import {t} from "../texts.js";
import {groupNames, inBrief, SHOWN} from "./state.js";
import {moveRow, moveTable} from "./view.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Answer} Answer */
/** @typedef {import("./state.js").Move} Move */

const WAIT_MS = 60; // before a position that may be left at once is asked for

/** @param {App} app */
export const panel = app => new People(app).panel;

class People {
  _moves = moveTable();
  _words = el("b", {role: "status"});
  _group = el("select", {"aria-label": t("Played by")}, el("option", {value: ""}, t("anyone")));
  _whose = el("label", null, t("Played by"), " ", this._group);
  _more = button("", () => this._turn(), {hidden: true});

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this._active = false;
    this._all = false;
    this._asked = 0;
    this._waiting = 0;
    /** @type {Answer | null} */
    this._answer = null;
    this.element = this._element();
    for (const change of ["node", "game"]) app.tree.on(change, () => this._follow());
    app.onback(() => this._follow());
    this.panel = {
      name: "people",
      title: t("What people play"),
      open: false,
      element: this.element,
      show: () => {
        this._active = true;
        this._follow();
      },
      hide: () => {
        this._active = false;
        clearTimeout(this._waiting);
        app.board.outline([]);
      },
    };
  }

  _element() {
    this._group.addEventListener("change", () => {
      this.app.keep("people-group", this._group.value);
      this._follow();
    });
    const note = t("Learned from recorded games: what is usual, not what is good.");
    return el(
      "div",
      null,
      el("div", {class: "head"}, el("p", null, this._words), this._whose),
      this._moves.table,
      this._more,
      el("p", {class: "muted"}, note),
    );
  }

  /** @param {number} count groups that the answers tell apart */
  _showGroups(count) {
    const {_group: group} = this;
    this._whose.hidden = !count;
    if (group.options.length === count + 1) return;
    const options = groupNames(count).map((name, i) => el("option", {value: String(i)}, name));
    group.replaceChildren(el("option", {value: ""}, t("anyone")), ...options);
    const kept = this.app.kept("people-group", "");
    group.value = [...group.options].some(each => each.value === kept) ? kept : "";
  }

  _turn() {
    this._all = !this._all;
    this._write();
  }

  _write() {
    const {moves} = /** @type {Answer} */ (this._answer);
    const listed = this._all ? moves : moves.slice(0, SHOWN);
    this._words.textContent = inBrief(moves);
    const acts = {
      play: (/** @type {Move} */ move) => this._play(move),
      point: (/** @type {number[]} */ path) => this.app.board.outline(path),
    };
    this._moves.rows.replaceChildren(...listed.map(move => moveRow(move, acts)));
    this._more.hidden = moves.length <= SHOWN;
    this._more.textContent = this._all ? t("Fewer moves") : t("{count} more", {count: moves.length - SHOWN});
  }

  /** @param {Move} move */
  _play({text, path, captured, fen}) {
    this.app.board.outline([]);
    this.app.tree.play({text, path, captured, fen});
    this.app.announce(text);
  }

  /** @returns {Promise<void>} */
  async _ask() {
    const number = ++this._asked;
    const {node} = this.app.tree;
    const {value} = this._group;
    if (!node.fen) return;
    const line = this.app.tree.line(node);
    const before = line.slice(-3, -1).map((/** @type {{fen: string}} */ each) => each.fen);
    try {
      const group = value ? {group: Number(value)} : {};
      const answer = await this.app.api("people", {fen: node.fen, before, ...group});
      if (!this._active || number !== this._asked) return;
      this._answer = answer;
      const first = this._group.options.length;
      this._showGroups(answer.groups);
      // a group that was chosen before is known only now
      if (this._group.value && first === 1) return this._ask();
      this._write();
    } catch (error) {
      if (!this._active || number !== this._asked) return;
      this._answer = null;
      this._more.hidden = true;
      this._moves.rows.replaceChildren();
      this._words.textContent = /** @type {Error} */ (error).message;
    }
  }

  _follow() {
    if (!this._active) return;
    this.app.board.outline([]);
    clearTimeout(this._waiting);
    this._waiting = window.setTimeout(() => this._ask(), WAIT_MS);
  }
}
