// The search of the explorer: by player, event, year, result and opening.

import {button, el} from "../dom.js";
import {many, t} from "../texts.js";
import {conditions} from "./state.js";

const TYPING_MS = 250;
let lists = 0;

export class Search {
  /**
   * @param {object} hooks
   * @param {() => void} hooks.onchange
   * @param {(text: string) => Promise<{name: string, games: number}[]>} hooks.complete names of players for a text
   * @param {(text: string) => Promise<{name: string, number: number}[]>} hooks.openings openings with a name for a text
   * @param {(number: number) => void} hooks.show an opening on the board
   */
  constructor({onchange, complete, openings, show}) {
    this._onchange = onchange;
    this._complete = complete;
    this._openings = openings;
    /** @type {{name: string, number: number} | undefined} the opening whose name is written */
    this._meant = undefined;
    this._show = button(t("Show on the board"), () => this._meant && show(this._meant.number), {hidden: true});
    this._later = 0;
    this._typing = 0;
    this._names = el("datalist", {id: `players-${++lists}`});
    this._opening = el("datalist", {id: `openings-${lists}`});
    const list = this._names.id,
      oninput = (/** @type {Event} */ event) => this._named(event);
    this._fields = {
      player: this._field({list, oninput}),
      against: this._field({list, oninput}),
      event: this._field({}),
      year: this._field({placeholder: "1900-1950", size: 9}),
      opening: this._field({
        placeholder: t("name, number or moves"),
        maxlength: 400,
        list: this._opening.id,
        oninput: (/** @type {Event} */ event) => this._called(event),
      }),
    };
    this._side = this._choice(t("Side of the player"), [
      ["", t("either side")],
      ["black", t("as Black")],
      ["white", t("as White")],
    ]);
    this._result = this._choice(t("Result"), [
      ["", t("any result")],
      ["1-0", t("Black won")],
      ["0-1", t("White won")],
      ["1/2-1/2", t("drawn")],
      ["*", t("unfinished")],
    ]);
    this.reversed = el("input", {type: "checkbox", onchange: () => this._onchange()});
    this.element = this._form();
  }

  /** What is asked for. */
  get conditions() {
    const {player, against, event, year, opening} = this._fields;
    return conditions({
      player: player.value,
      against: against.value,
      event: event.value,
      year: year.value,
      opening: opening.value,
      side: this._side.value,
      result: this._result.value,
      reversed: this.reversed.checked,
    });
  }

  /** True if the games are fewer than all. */
  get isNarrow() {
    return Object.values(this._fields).some(each => each.value.trim()) || Boolean(this._result.value);
  }

  _form() {
    const {player, against, event, year, opening} = this._fields;
    const label = (/** @type {string} */ text, /** @type {HTMLElement} */ field) => el("label", null, text, " ", field);
    return el(
      "form",
      {
        class: "search",
        onsubmit: (/** @type {Event} */ submitted) => {
          submitted.preventDefault();
          this._onchange();
        },
        onreset: () => {
          this._show.hidden = true;
          window.setTimeout(this._onchange);
        },
      },
      el("div", {class: "row"}, label(t("Player"), player), this._side, label(t("against"), against)),
      el("div", {class: "row"}, label(t("Opening"), opening), this._show, label(t("Event"), event)),
      el(
        "div",
        {class: "row"},
        label(t("Years"), year),
        this._result,
        el("button", {type: "reset"}, t("Clear")),
        label(t("also with colours reversed"), this.reversed),
      ),
      this._names,
      this._opening,
    );
  }

  /** @param {Record<string, unknown>} props */
  _field(props) {
    const made = el("input", {type: "text", maxlength: 100, autocomplete: "off", ...props});
    made.addEventListener("input", () => {
      clearTimeout(this._later);
      this._later = window.setTimeout(this._onchange, TYPING_MS);
    });
    return made;
  }

  /**
   * @param {string} label
   * @param {string[][]} options
   */
  _choice(label, options) {
    return el(
      "select",
      {"aria-label": label, onchange: () => this._onchange()},
      ...options.map(([value, text]) => el("option", {value}, text)),
    );
  }

  /** @param {Event} event */
  async _named(event) {
    const text = /** @type {HTMLInputElement} */ (event.target).value.trim(),
      number = ++this._typing;
    if (text.length < 2) return;
    try {
      const players = await this._complete(text);
      if (number !== this._typing) return;
      this._names.replaceChildren(...players.map(each => el("option", {value: each.name}, many(each.games, "game"))));
    } catch {
      // names are only a help
    }
  }

  /** @param {Event} event */
  async _called(event) {
    const text = /** @type {HTMLInputElement} */ (event.target).value.trim();
    const number = ++this._typing;
    this._show.hidden = true;
    if (text.length < 2) return;
    try {
      const found = await this._openings(text);
      if (number !== this._typing) return;
      this._meant = found.find(each => each.name.toLowerCase() === text.toLowerCase());
      this._show.hidden = !this._meant;
      this._opening.replaceChildren(...found.map(({name}) => el("option", {value: name})));
    } catch {
      // names are only a help
    }
  }
}
