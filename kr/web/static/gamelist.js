// A list of any number of games, loaded as it scrolls: only rows in sight are elements, and only some pages are kept.

import {button, el} from "./dom.js";
import {plain} from "./moves.js";
import {many} from "./texts.js";

export const PAGE = 100;
const KEPT_PAGES = 40, SPARE_ROWS = 6;

export const dated = date => date.replace(/(\.\?\?)+$/, "");

export class GameList {
  // pick: hears the number in the list, from 0, of a game that is chosen; load: fetches a page of games by its number,
  // as a promise of an array, or null if it is not wanted any more
  constructor({pick, load}) {
    this._pick = pick;
    this._load = load;
    this._list = el("ol", {"aria-label": "Games"});
    this.element = el("div", {class: "games", onscroll: () => this._draw()}, this._list);
    this._list.addEventListener("keydown", event => this._press(event));
    new ResizeObserver(() => this._draw()).observe(this.element);
    this.clear();
  }

  // Forgets all games.
  clear() {
    this.count = 0;
    this.at = -1;            // the game that is open
    this._focus = 0;         // the row that Tab leads to
    this._pages = new Map();
    this._asked = new Set();
    this._rows = new Map();
    this._list.replaceChildren();
    this._list.style.height = "0";
    this.element.scrollTop = 0;
  }

  // So many games are known by now; their pages are loaded when they come into sight.
  grow(count) {
    this.count = count;
    // a page that was not full has more games now
    for (const [page, games] of this._pages) {
      if (games.length !== Math.max(0, Math.min(PAGE, count - page * PAGE))) this._pages.delete(page);
    }
    this._draw();
  }

  // Takes a page of games.
  put(page, games) {
    this._pages.delete(page);
    this._pages.set(page, games);
    if (this._pages.size > KEPT_PAGES) this._pages.delete(this._pages.keys().next().value);
    for (const [index, row] of this._rows) if (Math.floor(index / PAGE) === page) this._fill(row, index);
    this._draw();
  }

  // The game of a row; its page is loaded if it has to be.
  async game(index) {
    const page = Math.floor(index / PAGE);
    if (!this._pages.get(page)?.[index % PAGE]) {
      const games = await this._load(page);
      if (!games) return null;
      this.put(page, games);
    }
    return this._pages.get(page)[index % PAGE] || null;
  }

  // Marks the game that is open, and brings it into sight.
  mark(index) {
    this.at = this._focus = index;
    this._reveal(index);
    for (const [each, row] of this._rows) this._fill(row, each);
  }

  get _height() {
    // all rows are equally high
    const first = this._rows.values().next().value;
    return this._known = first && first.offsetHeight || this._known || 34;
  }

  _reveal(index) {
    const top = index * this._height, {element} = this;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + this._height > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + this._height - element.clientHeight;
    }
    this._draw();
  }

  _draw() {
    const height = this._height, {scrollTop, clientHeight} = this.element;
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
      const next = [...this._list.children].find(each => Number(each.dataset.index) > index) || null;
      this._list.insertBefore(row, next);
    }
    if (!before && this._rows.size && this._height !== height) {
      this._draw();
      return;
    }
    for (const [index, row] of this._rows) {
      row.style.top = `${index * height}px`;
      row.setAttribute("aria-setsize", this.count);
    }
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page++) this._need(page);
  }

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

  _fill(row, index) {
    const game = this._pages.get(Math.floor(index / PAGE))?.[index % PAGE],
      focused = row.contains(document.activeElement);
    const facts = game && [game.event, dated(game.date)].filter(Boolean).map(fact => ` · ${plain(fact)}`).join("");
    const content = game ? [
      el("bdi", null, plain(game.black) || "?"), " – ", el("bdi", null, plain(game.white) || "?"),
      game.result === "*" ? "" : ` ${game.result}`,
      el("span", {class: "muted"}, el("bdi", null, facts), ` · ${many(game.moves, "move")}`),
    ] : [el("span", {class: "muted"}, "…")];
    row.setAttribute("aria-posinset", index + 1);
    row.replaceChildren(button(content, () => this._pick(index), {
      "aria-current": index === this.at && "true", tabindex: index === this._focus ? 0 : -1,
      title: game ? content.map(part => typeof part === "string" ? part : part.textContent).join("") : null,
    }));
    if (focused) row.firstChild.focus({preventScroll: true});
  }

  _press(event) {
    const row = event.target.closest("li"),
      rows = Math.max(1, Math.floor(this.element.clientHeight / this._height) - 1);
    const at = row && Number(row.dataset.index);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + rows, PageUp: at - rows, Home: 0,
      End: this.count - 1}[event.key];
    if (!row || to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const index = Math.max(0, Math.min(this.count - 1, to)), before = this._rows.get(this._focus);
    this._focus = index;
    if (before) before.firstChild.tabIndex = -1;
    this._reveal(index);
    const next = this._rows.get(index).firstChild;
    next.tabIndex = 0;
    next.focus({preventScroll: true});
  }
}
