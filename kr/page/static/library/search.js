// What the list of games is narrowed by: words, and a form of lists and fields; what is on stands as chips.

import {check, choice, labelled, offer} from "../controls.js";
import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {FiltersOn, chosenIn, filterName} from "../filters.js";
import {playerName} from "../player/words.js";
import {t} from "../texts.js";
import {YOU} from "./cards.js";
import {sourceNames} from "./words.js";

/** @typedef {import("./cards.js").Filter} Filter */
/** @typedef {import("./games.js").Library} Library */

const UNFILED = "\n"; // no folder is called so
const MOST_PLAYERS = 200;

export class Search {
  /** @param {() => void} onchange */
  constructor(onchange) {
    this._onchange = onchange;
    this.text = el("input", {
      type: "search",
      placeholder: t("player, event, year, comment"),
      "aria-label": t("Find games"),
      oninput: onchange,
    });
    this._folder = choice(t("Folder"), [], {onchange});
    this._tag = choice(t("Tag"), [], {onchange});
    this._source = choice(t("Source"), {"": t("any source"), ...sourceNames()}, {onchange});
    this._result = choice(
      t("Result"),
      {"": t("any result"), "1-0": t("Black won"), "0-1": t("White won"), "1/2-1/2": t("drawn"), "*": t("unfinished")},
      {onchange},
    );
    this._reviewed = choice(t("Review"), {"": t("any game"), yes: t("reviewed"), no: t("not reviewed")}, {onchange});
    this._names = el("datalist", {id: "library-players"});
    const field = (/** @type {string} */ label, /** @type {object} */ props = {}) =>
      el("input", {type: "text", "aria-label": label, autocomplete: "off", oninput: onchange, ...props});
    this._player = field(t("Player"), {list: "library-players"});
    this._side = choice(t("Side"), {"": t("either side"), black: t("as Black"), white: t("as White")}, {onchange});
    this._opening = field(t("Opening"));
    this._years = field(t("Years"), {placeholder: "1900-1950"});
    this._removed = /** @type {HTMLInputElement} */ (check(t("Deleted games"), false, onchange).firstElementChild);
    const lists = [this._folder, this._tag, this._result, this._source, this._reviewed, this._side],
      fields = [this._player, this._opening, this._years];
    this._lists = lists;
    this._fields = fields;
    this.form = el(
      "div",
      {class: "form paired", hidden: true},
      ...[this._folder, this._tag, this._player, this._side, this._opening, this._result, this._years].map(labelled),
      ...[this._source, this._reviewed].map(labelled),
      this._removed.parentElement,
      this._names,
    );
    this.folds = button(t("Filters"), () => this._fold(), {class: "folds", "aria-expanded": "false"});
    this._on = new FiltersOn(onchange, this.text);
    this.chips = this._on.element;
  }

  _fold() {
    this.form.hidden = !this.form.hidden;
    this.folds.setAttribute("aria-expanded", String(!this.form.hidden));
    if (!this.form.hidden) this._folder.focus();
  }

  /** The folder that is shown; "" for none or any. */
  get folder() {
    return this._folder.value === UNFILED ? "" : this._folder.value;
  }

  set folder(name) {
    this._folder.value = name;
  }

  /** Looks for games of one opening or player. @param {"opening" | "player"} by @param {string} name */
  narrow(by, name) {
    (by === "opening" ? this._opening : this._player).value = name;
  }

  get isOfRemoved() {
    return this._removed.checked;
  }

  /** @returns {Filter} */
  get filter() {
    const {_folder: folder, _tag: tag, _source: source, _result: result, _reviewed: reviewed, _side: side} = this,
      [from = "", to = from] = this._years.value.trim().split(/\s*[-–]\s*/);
    return {
      text: this.text.value,
      player: this._player.value,
      opening: this._opening.value,
      from,
      to,
      removed: this._removed.checked,
      ...(folder.value && {folder: this.folder}),
      ...(tag.value && {tag: tag.value}),
      ...(source.value && {source: /** @type {import("./cards.js").Source} */ (source.value)}),
      ...(result.value && {result: result.value}),
      ...(reviewed.value && {reviewed: reviewed.value === "yes"}),
      ...(side.value && {side: /** @type {import("./cards.js").Side} */ (side.value)}),
    };
  }

  /** Offers what the library has. @param {Library} library */
  offer(library) {
    // what is chosen stays, though its last game has gone
    const names = (/** @type {{name: string, games: number}[]} */ list, /** @type {string} */ chosen) =>
        [...list, ...(!chosen || list.some(({name}) => name === chosen) ? [] : [{name: chosen, games: 0}])].map(
          ({name, games}) => /** @type {[string, string]} */ ([name, `${visible(name)} (${games})`]),
        ),
      [folder, tag] = [this._folder.value, this._tag.value];
    offer(
      this._folder,
      [["", t("any folder")], [UNFILED, t("no folder")], ...names(library.folders(), this.folder)],
      folder,
    );
    offer(this._tag, [["", t("any tag")], ...names(library.tags(), tag)], tag);
    this._names.replaceChildren(
      ...library
        .players()
        .filter(({name}) => name !== YOU)
        .slice(0, MOST_PLAYERS)
        .map(({name}) => el("option", {value: playerName(name)})),
    );
  }

  /** Shows what is on. @param {number} found games */
  show(found) {
    const filters = [
      ...[this.text, ...this._fields]
        .filter(field => field.value.trim())
        .map(field => ({
          name: filterName(field.getAttribute("aria-label") ?? "", field.value.trim()),
          off: () => {
            field.value = "";
          },
        })),
      ...chosenIn(this._lists),
      ...(this._removed.checked
        ? [
            {
              name: t("Deleted games"),
              off: () => {
                this._removed.checked = false;
              },
            },
          ]
        : []),
    ];
    this._on.show(filters, found ? "" : t("No game with:"));
  }
}
