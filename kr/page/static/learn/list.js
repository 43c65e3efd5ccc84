// The panel "All puzzles" of the page Learn: thousands of them, filtered; those in sight have their boards.

import {choice} from "../controls.js";
import {button, el} from "../dom.js";
import {chosenIn, FiltersOn} from "../filters.js";
import {sideOf} from "../squares.js";
import {formatted, many, t} from "../texts.js";
import {miniBoard} from "./mini.js";
import {listedWords, matching, themeNames, themeWords} from "./state.js";

/** @import {Listed} from "./state.js" */
/** @import {Training} from "./training.js" */

const CHUNK = 40; // puzzles that are added as the end of the list comes into sight
const MOST_BOARDS = 50; // of a request
const GATHER_MS = 60; // boards that come into sight together are asked for together

/**
 * The choices that narrow the list.
 * @param {() => void} onchange
 */
const filters = onchange => ({
  theme: choice(t("Theme"), {"": t("All themes"), ...themeNames()}, {onchange}),
  rating: choice(
    t("Difficulty"),
    {
      "": t("Any difficulty"),
      "0-1199": t("Easy (up to 1199)"),
      "1200-1599": t("Medium (1200 to 1599)"),
      "1600-1999": t("Hard (1600 to 1999)"),
      "2000-4000": t("Very hard (from 2000)"),
    },
    {onchange},
  ),
  solved: choice(
    t("Progress"),
    {"": t("Solved or not"), no: t("Not solved"), yes: t("Solved"), missed: t("Missed"), due: t("Due today")},
    {onchange},
  ),
  goal: choice(t("Goal"), {"": t("Wins and draws"), win: t("Wins"), draw: t("Draws")}, {onchange}),
  pieces: choice(
    t("Pieces"),
    {
      "2-32": t("Any piece count"),
      "2-5": t("Up to 5 pieces"),
      "6-8": t("6 to 8 pieces"),
      "9-32": t("9 pieces or more"),
    },
    {onchange},
  ),
  origin: choice(
    t("Origin"),
    {
      "": t("All puzzles"),
      classic: t("Classic positions"),
      collection: t("Collection"),
      own: t("Problem files"),
    },
    {onchange},
  ),
});

export class PuzzleList {
  /**
   * @param {Training} training
   * @param {{open: (id: string) => void, review: () => void, boards: (ids: string[]) => Promise<string[]>,
   *   filter: () => void}} acts review: a puzzle that is due; filter: hears that others are filtered
   * @param {HTMLElement} own the person's files
   */
  constructor(training, {open, review, boards, filter}, own) {
    /** @type {Listed[]} */
    this.puzzles = [];
    this.current = ""; // id of the one on the board
    this.day = 0;
    this._training = training;
    this._open = open;
    this._boards = boards;
    /** @type {Map<string, string>} FENs by id */
    this._known = new Map();
    /** @type {Set<string>} */
    this._wanted = new Set();
    this._gathering = 0;
    /** @type {Listed[]} */
    this._matches = [];
    this._filtered = () => {
      this.show();
      filter();
    };
    this._filters = filters(this._filtered);
    this._on = new FiltersOn(this._filtered, this._filters.theme);
    this._due = button("", review, {class: "due"});
    this._count = el("p", {class: "muted"});
    this._list = el("ul", {class: "puzzles", onkeydown: (/** @type {KeyboardEvent} */ event) => this._press(event)});
    this._end = el("div", {class: "end"});
    this._sight = new IntersectionObserver(seen => this._seen(seen), {rootMargin: "200px"});
    this._sight.observe(this._end);
    const row = el("div", {class: "row filters"}, Object.values(this._filters));
    const counted = el("div", {class: "row counted"}, this._count, this._on.element);
    this.element = el("section", null, this._due, row, counted, own, this._list, this._end);
  }

  /** @param {Listed[]} puzzles */
  take(puzzles) {
    this.puzzles = puzzles;
    const origins = new Set(puzzles.map(each => each.origin));
    this._filters.origin.hidden = origins.size < 2;
    for (const option of this._filters.origin.options) {
      option.hidden = option.value !== "" && !origins.has(/** @type {import("./state.js").Origin} */ (option.value));
    }
    this.show();
  }

  /** The filters that are on. */
  get filters() {
    return chosenIn(Object.values(this._filters));
  }

  /** Leaves the person's own puzzles. */
  showOwn() {
    for (const each of Object.values(this._filters)) each.selectedIndex = 0;
    this._filters.origin.value = "own";
    this._filtered();
  }

  /** Leaves the puzzles of a theme. @param {string} theme */
  showTheme(theme) {
    for (const each of Object.values(this._filters)) each.selectedIndex = 0;
    this._filters.theme.value = theme;
    this._filtered();
  }

  /** The puzzles that were filtered. */
  matching() {
    const {theme, rating, solved, goal, pieces, origin} = this._filters;
    const filter = {
      goal: goal.value,
      pieces: pieces.value,
      solved: solved.value,
      origin: origin.value,
      theme: theme.value,
      rating: rating.value,
    };
    return matching(this.puzzles, filter, this._training, this.day);
  }

  /** Whether the list was narrowed to what has an order of its own. */
  get isInOrder() {
    return this._filters.origin.value === "classic" || this._filters.origin.value === "own";
  }

  show() {
    this._matches = this.matching();
    this._count.textContent = t("{count} of {all}", {
      count: this._matches.length,
      all: formatted(this.puzzles.length),
    });
    this._on.show(this.filters, this._matches.length ? "" : t("No puzzle with:"));
    this._showDue();
    const hadFocus = this._list.contains(document.activeElement),
      here = this._matches.findIndex(each => each.id === this.current),
      shown = Math.max(CHUNK, here + CHUNK / 2, hadFocus ? this._list.childElementCount : 0);
    for (const item of this._list.children) this._sight.unobserve(item);
    this._list.replaceChildren();
    this._add(shown);
    if (hadFocus) this._current()?.focus({preventScroll: true});
  }

  /** Missed puzzles that are due, the longest due first. */
  due() {
    const places = new Map(this._training.due(this.day).map((key, place) => [key, place]));
    return this.puzzles
      .filter(({key}) => places.has(key))
      .sort((one, other) => (places.get(one.key) ?? 0) - (places.get(other.key) ?? 0));
  }

  _showDue() {
    const due = this.due().length;
    this._due.hidden = !due;
    this._due.textContent = t("Due today: {puzzles}", {puzzles: many(due, "puzzle")});
  }

  /** @param {number} count of further puzzles */
  _add(count) {
    const from = this._list.childElementCount,
      items = this._matches.slice(from, from + count).map(each => this._item(each));
    this._list.append(...items);
    // one stop of Tab for all of them; arrows go from one to the next
    if (!this._list.querySelector('[tabindex="0"]'))
      this._stop(this._current() ?? buttonIn(this._list.firstElementChild));
    for (const item of items) this._sight.observe(item);
    this._end.hidden = this._list.childElementCount === this._matches.length;
  }

  /** Brings the puzzle on the board into sight. */
  reveal() {
    const item = this._current(),
      panel = this.element.parentElement;
    if (item && panel) panel.scrollTop = item.offsetTop - panel.clientHeight / 2;
  }

  /** Lets Tab stop here. @param {HTMLElement | null} next */
  _stop(next) {
    const before = this._list.querySelector('[tabindex="0"]');
    if (!next) return;
    if (before) /** @type {HTMLElement} */ (before).tabIndex = -1;
    next.tabIndex = 0;
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const item = /** @type {Element} */ (event.target).closest("li");
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const {nextElementSibling: below, previousElementSibling: above} = item,
      {firstElementChild: first, lastElementChild: last} = this._list;
    const next = buttonIn({ArrowDown: below, ArrowUp: above, Home: first, End: last}[event.key] ?? null);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    this._stop(next);
    next.focus();
  }

  /** @returns {HTMLElement | null} */
  _current() {
    return this._list.querySelector("[aria-current]");
  }

  /** @param {Listed} puzzle */
  _item(puzzle) {
    const record = this._training.of(puzzle.key),
      isMissed = this._training.isMissed(puzzle.key);
    const made = button("", () => this._open(puzzle.id), {
      "aria-current": puzzle.id === this.current && "true",
      tabindex: -1,
    });
    const themes = record.solved ? themeWords(puzzle.themes) : "";
    made.append(
      this._mini(puzzle.fen ?? this._known.get(puzzle.id)),
      el(
        "span",
        {class: "about-puzzle"},
        el(
          "span",
          {class: "name"},
          el("span", {class: "done"}, isMissed ? "↻ " : record.solved ? "✓ " : ""),
          puzzle.title,
        ),
        el("span", {class: "muted"}, ` ${listedWords(puzzle, record)}${isMissed ? `, ${t("missed")}` : ""}`),
        themes && el("span", {class: "muted"}, ` ${themes}`),
      ),
    );
    return el("li", {"data-id": puzzle.id}, made);
  }

  /** @param {string} [fen] */
  _mini(fen) {
    return miniBoard(fen, fen !== undefined && sideOf(fen) === "black");
  }

  // --- what comes into sight

  /** @param {IntersectionObserverEntry[]} entries */
  _seen(entries) {
    for (const {isIntersecting, target} of entries) {
      if (!isIntersecting) continue;
      if (target === this._end) this._add(CHUNK);
      else this._want(/** @type {HTMLElement} */ (target));
    }
    // the end may still be in sight, which nothing tells
    this._sight.unobserve(this._end);
    this._sight.observe(this._end);
  }

  /** @param {HTMLElement} item */
  _want(item) {
    const id = item.dataset.id ?? "",
      puzzle = this.puzzles.find(each => each.id === id);
    this._sight.unobserve(item);
    if (!puzzle || puzzle.fen || this._known.has(id)) return;
    this._wanted.add(id);
    this._gathering ||= window.setTimeout(() => this._gather(), GATHER_MS);
  }

  async _gather() {
    this._gathering = 0;
    const ids = [...this._wanted].slice(0, MOST_BOARDS);
    for (const id of ids) this._wanted.delete(id);
    if (this._wanted.size) this._gathering = window.setTimeout(() => this._gather(), GATHER_MS);
    try {
      const fens = await this._boards(ids);
      for (const [i, id] of ids.entries()) this._known.set(id, fens[i]);
    } catch {
      // without their boards they can be chosen too; they are asked for again when they are shown again
      return;
    }
    for (const item of /** @type {NodeListOf<HTMLElement>} */ (this._list.querySelectorAll("li"))) {
      const id = item.dataset.id ?? "";
      if (ids.includes(id)) item.querySelector(".mini")?.replaceWith(this._mini(this._known.get(id)));
    }
  }
}

/** @param {Element | null} item @returns {HTMLElement | null} */
const buttonIn = item => item?.querySelector("button") ?? null;
