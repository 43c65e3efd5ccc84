// A list of any number of games, loaded as it scrolls: only rows in sight are elements, and only some pages are kept.

import {el} from "../dom.js";
import {visible} from "../escapes.js";
import {many, t} from "../texts.js";
import {dated} from "./state.js";

/** @typedef {import("./state.js").Row} Row */

export const PAGE = 100;
const KEPT_PAGES = 40;
const SPARE_ROWS = 6;
const LEAST_HEIGHT = 30;

export class GameList {
  count = 0;
  at = -1; // the game that is open
  _focus = 0; // the row that Tab leads to
  _known = LEAST_HEIGHT;
  /** @type {Map<number, Row[]>} */
  _pages = new Map();
  /** @type {Set<number>} */
  _asked = new Set();
  /** @type {Map<number, HTMLLIElement>} */
  _rows = new Map();

  /**
   * @param {{pick: (index: number) => void, load: (page: number) => Promise<Row[] | null>}} hooks pick: hears the
   * number
   *     in the list, from 0, of a game that is chosen; load: fetches a page of games by its number, null if it is not
   *     wanted any more
   */
  constructor({pick, load}) {
    this._pick = pick;
    this._load = load;
    this._list = el("ol", {"aria-label": t("Games")});
    this.element = el("div", {class: "games", onscroll: () => this._draw()}, this._list);
    this._list.addEventListener("keydown", event => this._press(event));
    new ResizeObserver(() => this._draw()).observe(this.element);
    this.clear();
  }

  /** Forgets all games. */
  clear() {
    this.count = 0;
    this.at = -1;
    this._focus = 0;
    this._pages = new Map();
    this._asked = new Set();
    this._rows = new Map();
    this._list.replaceChildren();
    this._list.style.height = "0";
    this.element.scrollTop = 0;
  }

  /** So many games are known by now; their pages are loaded when they come into sight. @param {number} count */
  grow(count) {
    this.count = count;
    // a page that was not full has more games now
    for (const [page, games] of this._pages) {
      if (games.length !== Math.max(0, Math.min(PAGE, count - page * PAGE))) this._pages.delete(page);
    }
    this._draw();
  }

  /** Takes a page of games. @param {number} page @param {Row[]} games */
  put(page, games) {
    this._pages.delete(page);
    this._pages.set(page, games);
    if (this._pages.size > KEPT_PAGES) this._pages.delete(this._pages.keys().next().value ?? 0);
    for (const [index, row] of this._rows) if (Math.floor(index / PAGE) === page) this._fill(row, index);
    this._draw();
  }

  /** The game of a row; its page is loaded if it has to be. @param {number} index */
  async game(index) {
    const page = Math.floor(index / PAGE);
    if (!this._pages.get(page)?.[index % PAGE]) {
      const games = await this._load(page);
      if (!games) return null;
      this.put(page, games);
    }
    return this._pages.get(page)?.[index % PAGE] || null;
  }

  /** Marks the game that is open, and brings it into sight. @param {number} index */
  mark(index) {
    this.at = this._focus = index;
    this._reveal(index);
    for (const [each, row] of this._rows) this._fill(row, each);
  }

  get _height() {
    // all rows are equally high
    const first = this._rows.values().next().value;
    this._known = first?.offsetHeight || this._known;
    return this._known;
  }

  /** @param {number} index */
  _reveal(index) {
    const top = index * this._height,
      {element} = this;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + this._height > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + this._height - element.clientHeight;
    }
    this._draw();
  }

  _draw() {
    const height = this._height,
      {scrollTop, clientHeight} = this.element;
    const first = Math.max(0, Math.floor(scrollTop / height) - SPARE_ROWS);
    const last = Math.min(this.count, Math.ceil((scrollTop + (clientHeight || 8 * height)) / height) + SPARE_ROWS);
    this._list.style.height = `${this.count * height}px`;
    for (const [index, row] of this._rows) {
      // the row that has the focus stays
      if ((index < first || index >= last) && !row.contains(document.activeElement)) {
        row.remove();
        this._rows.delete(index);
      }
    }
    const before = this._rows.size;
    for (let index = first; index < last; index++) {
      if (this._rows.has(index)) continue;
      const row = el("li", {"data-index": index});
      this._rows.set(index, row);
      this._fill(row, index);
      // in their order, for those who go from row to row
      const next = [...this._list.children].find(each => Number(each.getAttribute("data-index")) > index) || null;
      this._list.insertBefore(row, next);
    }
    if (!before && this._rows.size && this._height !== height) {
      this._draw();
      return;
    }
    for (const [index, row] of this._rows) {
      row.style.top = `${index * height}px`;
      row.setAttribute("aria-setsize", String(this.count));
    }
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page++) this._need(page);
  }

  /** @param {number} page */
  async _need(page) {
    if (this._pages.has(page) || this._asked.has(page)) return;
    const asked = this._asked;
    asked.add(page);
    try {
      const games = await this._load(page);
      if (games && asked === this._asked) this.put(page, games);
    } catch {
      // tried again when it comes into sight again
    } finally {
      asked.delete(page);
    }
  }

  /** @param {HTMLLIElement} row @param {number} index */
  _fill(row, index) {
    const game = this._pages.get(Math.floor(index / PAGE))?.[index % PAGE];
    const focused = row.contains(document.activeElement);
    const content = game ? gameParts(game) : [el("span", {class: "muted"}, "…")];
    const props = {
      type: "button",
      onclick: () => this._pick(index),
      "aria-current": index === this.at && "true",
      tabindex: index === this._focus ? 0 : -1,
      title: game && content.map(part => (typeof part === "string" ? part : part.textContent)).join(""),
    };
    row.setAttribute("aria-posinset", String(index + 1));
    row.replaceChildren(el("button", props, ...content));
    if (focused) buttonOf(row).focus({preventScroll: true});
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const row = /** @type {Element} */ (event.target).closest("li");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = Math.max(1, Math.floor(this.element.clientHeight / this._height) - 1);
    const at = Number(row.dataset.index);
    const places = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + rows, PageUp: at - rows};
    const to = {...places, Home: 0, End: this.count - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const before = this._rows.get(this._focus);
    this._focus = Math.max(0, Math.min(this.count - 1, to));
    if (before) buttonOf(before).tabIndex = -1;
    this._reveal(this._focus);
    const next = this._rows.get(this._focus);
    if (!next) return;
    buttonOf(next).tabIndex = 0;
    buttonOf(next).focus({preventScroll: true});
  }
}

/** What a row tells of a game. @param {Row} game @returns {(string | HTMLElement)[]} */
function gameParts(game) {
  const facts = [game.event, dated(game.date)].filter(Boolean).map(fact => ` · ${visible(fact)}`);
  return [
    el("bdi", null, visible(game.black) || "?"),
    " – ",
    el("bdi", null, visible(game.white) || "?"),
    game.result === "*" ? "" : ` ${game.result}`,
    el("span", {class: "muted"}, el("bdi", null, facts.join("")), ` · ${many(game.moves, "move")}`),
  ];
}

/** @param {HTMLLIElement} row @returns {HTMLButtonElement} */
const buttonOf = row => /** @type {HTMLButtonElement} */ (row.firstChild);
