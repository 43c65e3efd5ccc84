// The panels of the page Endings: the choice of an ending, exact values, and what was won so far.

import {harderFirst} from "../analysis/words.js";
import {SIDES} from "../squares.js";
import {choice, form, labelled, offer} from "../controls.js";
import {button, el} from "../dom.js";
import {chosenIn} from "../filters.js";
import {t} from "../texts.js";
import {mostOfASide, offered, valueWords} from "./state.js";

/** @import {ExactMove, Goal, Known, Pieces} from "./state.js" */

const OWN = "own";

/** The choice of an ending. */
export class EndingForm {
  /**
   * @param {import("../shell.js").App} app
   * @param {{find: () => void, distances: () => void}} acts
   */
  constructor(app, {find, distances}) {
    this._app = app;
    const kept = app.kept("endings-form", {});
    /** @type {ReturnType<typeof offered>} */
    this._offered = [];
    this._goal = choice(
      t("Task"),
      {win: t("Win it"), draw: t("Hold the draw")},
      {value: kept.goal, onchange: () => this._offerDifficulties(this._difficulty.value)},
    );
    this._difficulty = choice(t("Difficulty"), {});
    this._offerDifficulties(kept.difficulty);
    this._side = choice(t("You play"), {random: t("random"), black: t("Black"), white: t("White")}, {value: kept.side});
    this._kept = kept.material;
    this._place = el("div");
    this._chosen = el("div", {class: "form chosen"});
    this._distances = el("input", {
      type: "checkbox",
      checked: app.kept("endings-distances", true),
      onchange: distances,
    });
    this.wrong = el("p", {class: "wrong", role: "alert"});
    this.element = el("section", null, this._form(find));
  }

  /** @param {string | undefined} chosen */
  _offerDifficulties(chosen) {
    const people = this._goal.value === "draw" && {people: t("hardest for people")};
    offer(this._difficulty, {easy: t("easy"), medium: t("medium"), hard: t("hard"), any: t("any"), ...people}, chosen);
  }

  /** Whether it may be said how long a win takes. */
  get distances() {
    return this._distances.checked;
  }

  /** @param {() => void} find */
  _form(find) {
    return form(
      {class: "form"},
      find,
      this._place,
      this._chosen,
      labelled(this._goal),
      labelled(this._difficulty),
      labelled(this._side),
      this.wrong,
      el("div", {class: "row"}, el("button", {type: "submit", class: "primary"}, t("New ending"))),
      el("p", {class: "muted"}, t("Long wins are hard, and draws with a single right move.")),
      el(
        "p",
        {class: "muted"},
        t("Hardest for people: draws of up to 4 pieces that the model of their moves loses most often."),
      ),
      el("label", {class: "check"}, this._distances, t("Tell how long the win takes")),
    );
  }

  /** @param {Known} known */
  fill(known) {
    const most = mostOfASide(known);
    this._offered = offered(known);
    /** @type {Array<[string, string]>} */
    const options = this._offered.map(({name, title}) => [name, title]);
    this._select = choice(t("Pieces"), [...options, [OWN, t("of your choice")]], {
      value: this._kept,
      onchange: () => this._showOwn(),
    });
    this._place.replaceChildren(labelled(this._select));
    this._own = {
      own: choice(t("Your pieces"), numbers(1, most), {value: "2"}),
      ownKings: choice(t("Your kings"), [["", t("any")], ...numbers(0, most)]),
      other: choice(t("kr's pieces"), numbers(1, most)),
      otherKings: choice(t("kr's kings"), [["", t("any")], ...numbers(0, most)]),
    };
    const {own, ownKings, other, otherKings} = this._own;
    this._chosen.replaceChildren(...[own, ownKings, other, otherKings].map(labelled));
    this._showOwn();
  }

  _showOwn() {
    this._chosen.hidden = this._select?.value !== OWN;
  }

  /** What is chosen of endings, other than the usual ones. */
  get filters() {
    return chosenIn([...(this._select ? [this._select] : []), this._goal, this._difficulty, this._side]);
  }

  /** A random ending as it is chosen, which is kept; the side is one by chance unless it is one. */
  wanted() {
    this._showOwn();
    const material = this._select?.value ?? "",
      goal = /** @type {Goal} */ (this._goal.value),
      difficulty = this._difficulty.value,
      side = this._side.value;
    this._app.keep("endings-form", {goal, material, difficulty, side});
    const [own, own_kings, other, other_kings] = this._pieces(material),
      chosen = SIDES.find(each => each === side) ?? SIDES[Math.floor(Math.random() * 2)],
      seed = Math.floor(Math.random() * 2 ** 32);
    return {own, own_kings, other, other_kings, goal, difficulty, side: chosen, seed};
  }

  /** @param {string} material @returns {Pieces} */
  _pieces(material) {
    const chosen = this._offered.find(({name}) => name === material);
    if (chosen || !this._own) return chosen?.pieces ?? [2, 2, 1, 1];
    const {own, ownKings, other, otherKings} = this._own;
    const count = (/** @type {HTMLSelectElement} */ {value}) => (value === "" ? null : Number(value));
    return [Number(own.value), count(ownKings), Number(other.value), count(otherKings)];
  }
}

/**
 * @param {number} from
 * @param {number} to
 * @returns {Array<[string, string]>}
 */
const numbers = (from, to) => Array.from({length: to - from + 1}, (_, i) => [String(from + i), String(from + i)]);

/** The exact values of all moves, for who asks for them. */
export class ValuesPanel {
  /** @param {() => void} ask */
  constructor(ask) {
    this._button = button(t("Show the exact values"), ask);
    this._list = el("ul", {class: "values", "aria-label": t("Exact values")});
    this._order = el("p", {class: "muted", hidden: true}, harderFirst());
    this.more = el("section", {class: "more-endings", hidden: true});
    this.element = el("section", null, this._button, this._list, this._order, this.more);
  }

  /** @param {boolean} can */
  allow(can) {
    this._button.disabled = !can;
  }

  hide() {
    this._list.replaceChildren();
    this._button.hidden = false;
    this._order.hidden = true;
  }

  /** @param {ExactMove[]} moves @param {boolean} harder whether draws stand in the order of their chances */
  show(moves, harder) {
    this._list.replaceChildren(...moves.map(each => el("li", null, el("b", null, each.text), ` ${valueWords(each)}`)));
    this._button.hidden = true;
    this._order.hidden = !harder;
  }
}

/** @param {Array<[string, string]>} counts names and values */
export const countTerms = counts =>
  counts.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value)));
