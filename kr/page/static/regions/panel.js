// The panel Regions: the static score as a heat map, and the strongest regions with what they rest on.

import {PositionPanel} from "../analyse/position.js";
import {choice} from "../controls.js";
import {el} from "../dom.js";
import {t} from "../texts.js";
import {coloured, evidenceWords, noteWords, partWords, scoreWords, SHOWN, spread} from "./state.js";
import {regionRow, regionTable} from "./view.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Answer} Answer */

/** @param {App} app */
export const panel = app => new Regions(app).panel;

/** @extends {PositionPanel<Answer>} */
class Regions extends PositionPanel {
  _regions = regionTable();
  _score = el("b", {role: "status"});
  _sum = el("p", {class: "muted"});
  _notes = el("p", {class: "muted"});
  _rest = el("p", {class: "muted"});

  /** @param {App} app */
  constructor(app) {
    super(app, "regions", t("Regions"));
    this._colours = choice(
      t("Colours show"),
      {pieces: t("what each piece adds"), regions: t("what each region adds, square by square"), none: t("nothing")},
      {
        value: app.kept("heat", "pieces"),
        onchange: value => {
          app.keep("heat", value);
          this._paint();
        },
      },
    );
    this._all = el("input", {type: "checkbox", onchange: () => this._answer && this._write(this._answer)});
    this._more = el("label", null, this._all, " ", t("all regions"));
    this.panel = {...this._panel, element: this._element()};
  }

  _element() {
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
      this._more,
      this._sum,
      this._notes,
      this._rest,
    );
  }

  _paint() {
    const {_answer: answer, _colours: colours, app} = this;
    const {value} = colours;
    if (!this._isShown || !answer || value === "none" || (!answer.shared && value === "regions")) {
      app.board.heat(null);
      return;
    }
    const {heat, labels} = coloured(value === "pieces" ? answer.shares : spread(answer.regions));
    app.board.heat(heat, labels);
  }

  /** @override @param {Answer} answer */
  _write(answer) {
    const {evidence, regions, shared} = answer;
    this._score.textContent = scoreWords(answer);
    this._sum.textContent = partWords(answer);
    this._notes.textContent = noteWords(answer);
    this._rest.textContent = evidenceWords(answer);
    const focused = [...this._regions.rows.children].indexOf(/** @type {Element} */ (document.activeElement));
    const point = (/** @type {number[]} */ squares) => this.app.board.outline(squares);
    const listed = regions.slice(0, this._all.checked ? regions.length : SHOWN);
    this._regions.rows.replaceChildren(...listed.map(region => regionRow(region, Boolean(evidence), point)));
    if (focused >= 0) /** @type {HTMLElement} */ (this._regions.rows.children[focused])?.focus({preventScroll: true});
    this._regions.table.hidden = this._more.hidden = !shared;
    this._paint();
  }

  /** @override @param {any} node @returns {Promise<Answer>} */
  _fetch({fen}) {
    return this.app.api("regions", {fen});
  }

  /** @override @param {string} why */
  _refuse(why) {
    this._paint();
    this._score.textContent = why;
  }

  /** @override */
  _follow() {
    if (this._isShown && !this._answer) {
      this._score.textContent = t("Reading the tables …");
      this._regions.table.hidden = true;
    }
    super._follow();
  }

  /** The old colours say nothing about the new position. @override */
  _clear() {
    this.app.board.heat(null);
    super._clear();
  }
}
