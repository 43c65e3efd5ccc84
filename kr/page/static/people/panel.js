// The panel People: how many people play each move of the position.

import {PositionPanel} from "../analyse/position.js";
import {choice, offer} from "../controls.js";
import {button, el} from "../dom.js";
import {t} from "../texts.js";
import {groupNames, inBrief, SHOWN} from "./state.js";
import {moveTable, personRow} from "./view.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Answer} Answer */
/** @typedef {import("./state.js").Move} Move */

/** @returns {Array<[string, string]>} */
const anyone = () => [["", t("anyone")]];

/** @param {App} app */
export const panel = app => new People(app).panel;

/** @extends {PositionPanel<Answer>} */
class People extends PositionPanel {
  _moves = moveTable();
  _words = el("b", {role: "status"});
  _group = choice(t("Played by"), anyone(), {
    onchange: value => {
      this.app.keep("people-group", value);
      this._follow();
    },
  });
  _whose = el("label", null, t("Played by"), " ", this._group);
  _more = button("", () => this._turn(), {hidden: true});

  /** @param {App} app */
  constructor(app) {
    super(app, "people", t("People"));
    this._all = false;
    this.panel = {...this._panel, element: this._element()};
  }

  _element() {
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
    const groups = groupNames(count).map((name, i) => /** @type {[string, string]} */ ([String(i), name]));
    offer(group, [...anyone(), ...groups], this.app.kept("people-group", ""));
  }

  _turn() {
    this._all = !this._all;
    if (this._answer) this._list(this._answer);
  }

  /** @override @param {Answer} answer */
  _write(answer) {
    const first = this._group.options.length;
    this._showGroups(answer.groups);
    // a group that was chosen before is known only now
    if (this._group.value && first === 1) void this._ask();
    else this._list(answer);
  }

  /** @param {Answer} answer */
  _list({moves}) {
    const listed = this._all ? moves : moves.slice(0, SHOWN);
    this._words.textContent = inBrief(moves);
    const acts = {
      play: (/** @type {Move} */ move) => this._play(move),
      point: (/** @type {number[]} */ path) => this.app.board.outline(path),
    };
    const {rows} = this._moves,
      focused = [...rows.children].findIndex(row => row.contains(document.activeElement));
    rows.replaceChildren(...listed.map(move => personRow(move, acts)));
    const row = rows.children[Math.min(focused, listed.length - 1)];
    row?.querySelector("button")?.focus({preventScroll: true});
    this._more.hidden = moves.length <= SHOWN;
    this._more.textContent = this._all ? t("Fewer moves") : t("{count} more", {count: moves.length - SHOWN});
  }

  /** @param {Move} move */
  _play({text, path, captured, fen}) {
    this.app.board.outline([]);
    this.app.tree.play({text, path, captured, fen});
  }

  /** @override @param {any} node @returns {Promise<Answer>} */
  _fetch(node) {
    const {value} = this._group;
    const line = this.app.tree.line(node);
    const before = line.slice(-3, -1).map((/** @type {{fen: string}} */ each) => each.fen);
    return this.app.api("people", {fen: node.fen, before, ...(value ? {group: Number(value)} : {})});
  }

  /** @override @param {string} why */
  _refuse(why) {
    this._more.hidden = true;
    this._moves.rows.replaceChildren();
    this._words.textContent = why;
  }
}
