// The panel Regions: the static score as a heat map, and the strongest regions with what they rest on.

import {el} from "../dom.js";
import {retold} from "../retold.js";
import {t} from "../texts.js";
import {coloured, evidenceWords, partWords, scoreWords, SHOWN, spread} from "./state.js";
import {regionRow, regionTable} from "./view.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Answer} Answer */

const WAIT_MS = 60; // before a position that may be left at once is asked for

/** @param {App} app */
export const panel = app => new Regions(app).panel;

class Regions {
  _regions = regionTable();
  _score = el("b", {role: "status"});
  _sum = el("p", {class: "muted"});
  _notes = el("p", {class: "muted"});
  _rest = el("p", {class: "muted"});
  _colours = el(
    "select",
    {"aria-label": t("Colours show")},
    el("option", {value: "pieces"}, t("what each piece adds")),
    el("option", {value: "regions"}, t("what each region adds, square by square")),
    el("option", {value: "none"}, t("nothing")),
  );
  _all = el("input", {type: "checkbox"});

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this._active = false;
    this._asked = 0;
    this._waiting = 0;
    /** @type {Answer | null} */
    this._answer = null;
    this.element = this._element();
    for (const change of ["node", "game"]) app.tree.on(change, () => this._follow());
    app.onback(() => this._follow());
    this.panel = {
      name: "regions",
      title: t("Regions"),
      open: false,
      element: this.element,
      show: () => {
        this._active = true;
        this._follow();
      },
      hide: () => this._hide(),
    };
  }

  _element() {
    this._colours.value = this.app.kept("heat", "pieces");
    this._colours.addEventListener("change", () => {
      this.app.keep("heat", this._colours.value);
      this._paint();
    });
    this._all.addEventListener("change", () => this._answer && this._write());
    const swatch = (/** @type {string} */ name) => el("span", {class: `swatch ${name}`, "aria-hidden": "true"});
    const key = [swatch("helps-black"), " ", t("+ helps Black"), " ", swatch("helps-white"), " ", t("− helps White")];
    return el(
      "div",
      null,
      el("p", {class: "muted"}, t("How kr judges without looking ahead: which squares help whom, in men.")),
      el("p", {class: "total"}, this._score),
      el(
        "div",
        {class: "head"},
        el("label", null, t("Colours show"), " ", this._colours),
        el("p", {class: "heat-key"}, ...key),
      ),
      this._regions.table,
      el("label", null, this._all, " ", t("all regions")),
      this._sum,
      this._notes,
      this._rest,
    );
  }

  _paint() {
    const {_answer: answer, _colours: colours, app} = this;
    const {value} = colours;
    if (!this._active || !answer || value === "none" || (!answer.shared && value === "regions")) {
      app.board.heat(null);
      return;
    }
    const {heat, labels} = coloured(value === "pieces" ? answer.shares : spread(answer.regions));
    app.board.heat(heat, labels);
  }

  _write() {
    const answer = /** @type {Answer} */ (this._answer);
    const {evidence, note, regions, shared} = answer;
    this._score.textContent = scoreWords(answer);
    this._sum.textContent = partWords(answer);
    this._notes.textContent = retold(note);
    this._rest.textContent = evidenceWords(answer);
    const focused = [...this._regions.rows.children].indexOf(/** @type {Element} */ (document.activeElement));
    const point = (/** @type {number[]} */ squares) => this.app.board.outline(squares);
    const listed = regions.slice(0, this._all.checked ? regions.length : SHOWN);
    this._regions.rows.replaceChildren(...listed.map(region => regionRow(region, Boolean(evidence), point)));
    if (focused >= 0) /** @type {HTMLElement} */ (this._regions.rows.children[focused])?.focus({preventScroll: true});
    this._regions.table.hidden = !shared;
    this._paint();
  }

  async _ask() {
    const number = ++this._asked;
    const {fen} = this.app.tree.node;
    if (!fen) return;
    try {
      const answer = await this.app.api("regions", {fen});
      if (!this._active || number !== this._asked) return;
      this._answer = answer;
      this._write();
    } catch (error) {
      if (!this._active || number !== this._asked) return;
      this._answer = null;
      this._paint();
      this._score.textContent = /** @type {Error} */ (error).message;
    }
  }

  _follow() {
    if (!this._active) return;
    if (!this._answer) {
      this._score.textContent = t("Reading the tables …");
      this._regions.table.hidden = true;
    }
    // the old colours say nothing about the new position
    this.app.board.heat(null);
    this.app.board.outline([]);
    clearTimeout(this._waiting);
    this._waiting = window.setTimeout(() => this._ask(), WAIT_MS);
  }

  _hide() {
    this._active = false;
    clearTimeout(this._waiting);
    this.app.board.heat(null);
    this.app.board.outline([]);
  }
}
