// The search of the explorer: by player, event, year, result and opening.

import {check, choice, form, labelled} from "../controls.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {filterName, optionText} from "../filters.js";
import {many, t} from "../texts.js";
import {conditions} from "./state.js";

const TYPING_MS = 250;
const MOVES = /^\d+\s*[-x.]\s*\d/;
const WAYS = 3; // openings that can be put on the board from here
let lists = 0;

/** @param {Line} line */
export const movesOf = line => line.moves.map(each => each.text).join(" ");

/** @typedef {{name: string, number: number, moves: string}} Opening of the deck "named" */
/** @typedef {import("./stream.js").Line} Line */

export class Search {
  /** @type {HTMLElement[]} */
  _narrowing = [];

  /**
   * @param {object} hooks
   * @param {() => void} hooks.onchange
   * @param {(text: string) => Promise<{name: string, games: number}[]>} hooks.complete names of players for a text
   * @param {(text: string) => Promise<Opening[]>} hooks.openings those that match a text
   * @param {(text: string) => Promise<Line | null>} hooks.line the one that a text of moves tells
   * @param {(opening: Opening) => void} hooks.show hears of an opening that is wanted on the board
   * @param {(line: Line) => void} hooks.play hears of a line that is
   */
  constructor({onchange, complete, openings, line, show, play}) {
    this._onchange = onchange;
    this._complete = complete;
    this._openings = openings;
    this._line = line;
    this._show = show;
    this._play = play;
    this._ways = el("div", {
      class: "row ways",
      role: "group",
      "aria-label": t("Openings to put on the board"),
      hidden: true,
    });
    this._later = 0;
    /** The field of a name that was typed in last. @type {HTMLInputElement | null} */
    this._typed = null;
    this._typing = new Errands();
    this._names = el("datalist", {id: `players-${++lists}`});
    this._opening = el("datalist", {id: `openings-${lists}`});
    const list = this._names.id,
      oninput = (/** @type {Event} */ event) => this._named(event);
    this._fields = {
      player: this._field(t("Player"), {list, oninput}),
      against: this._field(t("Against"), {list, oninput}),
      event: this._field(t("Event"), {}),
      year: this._field(t("Years"), {placeholder: "1900-1950"}),
      opening: this._field(t("Opening"), {
        placeholder: t("number, name or moves"),
        maxlength: 400,
        list: this._opening.id,
        oninput: (/** @type {Event} */ event) => this._called(event),
      }),
    };
    this._side = choice(t("Side"), {"": t("either side"), black: t("as Black"), white: t("as White")}, {onchange});
    this._result = choice(
      t("Result"),
      {"": t("any result"), "1-0": t("Black won"), "0-1": t("White won"), "1/2-1/2": t("drawn"), "*": t("unfinished")},
      {onchange},
    );
    this._turned = check(t("also reversed colours"), false, () => onchange());
    this.checks = el("div", {class: "checks"}, this._turned);
    this.reversed = /** @type {HTMLInputElement} */ (this._turned.firstElementChild);
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

  /** What narrows or widens the games. @returns {import("../filters.js").Filter[]} */
  get filters() {
    const {player, against} = this._fields,
      filters = Object.values(this._fields)
        .filter(field => field.value.trim())
        .map(field => ({
          name: filterName(field.getAttribute("aria-label") ?? "", field.value.trim()),
          off: () => {
            field.value = "";
          },
        }));
    const add = (/** @type {HTMLSelectElement} */ list) =>
      filters.push({
        name: optionText(list),
        off: () => {
          list.value = "";
        },
      });
    if (this._side.value && (player.value.trim() || against.value.trim())) add(this._side);
    if (this._result.value) add(this._result);
    if (this.reversed.checked) {
      filters.push({
        name: t("also reversed colours"),
        off: () => {
          this.reversed.checked = false;
        },
      });
    }
    return filters;
  }

  /** Shows what narrows the games of archives, beside the opening. @param {boolean} on */
  showGames(on) {
    for (const each of this._narrowing) each.hidden = !on;
  }

  /** Forgets the opening: it is on the board. */
  clear() {
    this._typing.end();
    this._fields.opening.value = "";
    this._ways.hidden = true;
    clearTimeout(this._later);
  }

  _form() {
    const {player, against, event, year, opening} = this._fields;
    const games = [player, this._side, against, year, event, this._result].map(labelled);
    this._narrowing = [...games, this._turned];
    return form(
      {class: "form paired search"},
      this._onchange,
      games,
      el("div", {class: "across"}, labelled(opening)),
      this.checks,
      this._ways,
      this._names,
      this._opening,
    );
  }

  /** @param {string} label @param {Record<string, unknown>} props */
  _field(label, props) {
    const made = el("input", {
      type: "text",
      maxlength: 100,
      autocomplete: "off",
      "aria-label": label,
      ...props,
    });
    made.addEventListener("input", () => {
      clearTimeout(this._later);
      this._later = window.setTimeout(this._onchange, TYPING_MS);
    });
    return made;
  }

  /** @param {Event} event */
  async _named(event) {
    this._typed = /** @type {HTMLInputElement} */ (event.target);
    await this.complete();
  }

  /** Completes the name that is typed; again once the games are others. */
  async complete() {
    if (!this._typed) return;
    const text = this._typed.value.trim(),
      errand = this._typing.begin();
    if (text.length < 2) return;
    try {
      const players = await this._complete(text);
      if (errand.isStale) return;
      this._names.replaceChildren(...players.map(each => el("option", {value: each.name}, many(each.games, "game"))));
    } catch {
      // names are only a help
    }
  }

  /** @param {Event} event */
  async _called(event) {
    const text = /** @type {HTMLInputElement} */ (event.target).value.trim();
    const errand = this._typing.begin();
    this._ways.hidden = true;
    if (text.length < 2) return;
    try {
      const [openings, line] = await Promise.all([this._openings(text), MOVES.test(text) ? this._line(text) : null]);
      if (errand.isStale) return;
      this._opening.replaceChildren(...openings.map(each => el("option", {value: each.name})));
      const named = line && openings.some(each => each.name === line.title && each.moves === movesOf(line)),
        ways = openings.slice(0, WAYS).map(each => button(each.name, () => this._show(each)));
      // moves that have no name of their own
      if (line && !named) ways.unshift(button(movesOf(line), () => this._play(line)));
      this._ways.replaceChildren(t("To the board:"), ...ways);
      this._ways.hidden = !ways.length;
    } catch {
      // names are only a help
    }
  }
}
