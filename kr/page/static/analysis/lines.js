// The lines of one engine: a row each with score, chances and moves.

import {el} from "../dom.js";
import {t} from "../texts.js";
import {percent, seen, status} from "./words.js";

/** @typedef {import("./words.js").Line} Line */
/** @typedef {import("./words.js").Move} Move */
/** @typedef {import("./words.js").Told} Told */
/**
 * @typedef {{hover: (step: Move, place: HTMLElement) => void, leave: () => void, step: (steps: Move[]) => void}}
 * Hooks
 */
/**
 * @typedef {object} Row
 * @property {HTMLElement} element
 * @property {HTMLElement} score
 * @property {HTMLElement} odds
 * @property {HTMLElement[]} parts
 * @property {HTMLElement} numbers
 * @property {HTMLElement} moves
 * @property {HTMLButtonElement[]} shown
 * @property {Move[]} pv
 */

export class Lines {
  /** @param {Hooks} hooks */
  constructor(hooks) {
    /** @type {Row[]} */
    this._rows = [];
    /** @type {Line[]} */
    this.lines = [];
    /** @type {Told | null} */
    this.told = null;
    this._status = el("p", {class: "facts muted"});
    this._list = el("ol", {class: "lines"});
    this.element = el("div", {class: "engine"}, this._status, this._list);
    this._listen(hooks);
  }

  /**
   * Forgets the lines; the old ones stay on view, dimmed, until there are others, if there will be.
   * @param {boolean} expected
   */
  begin(expected) {
    this.lines = [];
    this.told = null;
    this.element.classList.add("old");
    if (expected) {
      this._status.textContent ||= t("beginning…");
      return;
    }
    this._status.textContent = "";
    for (const row of this._rows) row.element.hidden = true;
  }

  /** @param {any} event of the server */
  hear(event) {
    if (event.lines) {
      this.lines = event.lines.map((/** @type {Line} */ line, /** @type {number} */ i) => ({
        ...line,
        pv: line.pv || this.lines[i].pv,
      }));
      this.told = event;
    } else if (event.progress) {
      this.told = {...this.told, ...event.progress, waiting: false, depth: this.told?.depth, now: event.progress.depth};
    } else if (event.error || event.over || event.waiting) {
      this.told = event;
      this.lines = [];
    }
  }

  /**
   * @param {"mover" | "black"} view whose score is shown
   * @param {string} name of the engine, if there are several
   * @param {number} most moves of a line
   */
  draw(view, name, most) {
    const {told} = this;
    if (!told) return;
    this.element.classList.remove("old");
    this._status.textContent = status(told, name);
    this._status.classList.toggle("failed", Boolean(told.error));
    while (this._rows.length < this.lines.length) this._add();
    this._rows.forEach((row, i) => {
      row.element.hidden = i >= this.lines.length;
      if (!row.element.hidden) this._fill(row, this.lines[i], view === "black" && told.side === "white", most);
    });
  }

  _add() {
    const parts = ["win", "draw", "loss"].map(name => el("span", {class: name}));
    const numbers = el("span", {class: "numbers"}),
      odds = el("span", {class: "odds", role: "img"}, el("span", {class: "bar"}, parts), numbers);
    const score = el("span", {class: "score"}),
      moves = el("span", {class: "pv"});
    const row = {score, odds, parts, numbers, moves, shown: [], pv: [], element: el("li", null, score, odds, moves)};
    this._rows.push(row);
    this._list.append(row.element);
  }

  /**
   * @param {Row} row
   * @param {Line} line
   * @param {boolean} turned
   * @param {number} most
   */
  _fill(row, line, turned, most) {
    const {text, chances} = seen(line, turned);
    row.score.textContent = text;
    row.odds.hidden = !chances;
    if (chances) {
      row.parts.forEach((part, i) => {
        part.style.width = `${chances[i] * 100}%`;
      });
      row.numbers.textContent = chances.map((share, i) => `${t("WDL")[i]} ${percent(share)}`).join("  ");
      const [win, draw, loss] = chances.map(percent);
      row.odds.setAttribute("aria-label", t("win {win}, draw {draw}, loss {loss} in a hundred", {win, draw, loss}));
    }
    if (row.pv === line.pv) return;
    row.pv = line.pv;
    const moves = line.pv.slice(0, most);
    while (row.shown.length < moves.length) {
      const made = el("button", {type: "button", tabindex: row.shown.length ? -1 : 0});
      row.shown.push(made);
      row.moves.append(made, " ");
    }
    row.shown.forEach((move, i) => {
      move.hidden = i >= moves.length;
      if (!move.hidden && move.textContent !== moves[i].text) move.textContent = moves[i].text;
    });
  }

  /**
   * The move of a line that an event is about.
   * @param {Event} event
   */
  _at(event) {
    const move = /** @type {Element} */ (event.target).closest(".pv button");
    // lines that are still on view may be those of the position before
    if (!move || this.element.classList.contains("old")) return null;
    const row = this._rows.find(each => each.moves.contains(move));
    return row
      ? {row, move: /** @type {HTMLButtonElement} */ (move), number: row.shown.indexOf(/** @type {any} */ (move))}
      : null;
  }

  /** @param {Hooks} hooks */
  _listen(hooks) {
    const hover = (/** @type {Event} */ event) => {
      const place = this._at(event);
      if (place) hooks.hover(place.row.pv[place.number], place.move);
    };
    this._list.addEventListener("pointerover", event => {
      if (event.pointerType === "mouse") hover(event);
    });
    this._list.addEventListener("focusin", hover);
    for (const type of ["pointerleave", "focusout"]) this._list.addEventListener(type, () => hooks.leave());
    // a click leaves the focus where it is, so that the arrow keys go on stepping through the game
    this._list.addEventListener("mousedown", event => event.preventDefault());
    this._list.addEventListener("click", event => {
      const place = this._at(event);
      if (place) hooks.step(place.row.pv.slice(0, place.number + 1));
    });
    this._list.addEventListener("keydown", event => {
      const place = this._at(event),
        step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!place || !step) return;
      event.stopPropagation();
      event.preventDefault();
      const next = place.row.shown[place.number + step];
      if (next && !next.hidden) next.focus();
    });
  }
}
