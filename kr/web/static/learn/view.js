// The panels of the page Learn: the list of puzzles, and what has been solved of them.

import {choice} from "../controls.js";
import {button, el} from "../dom.js";
import {t} from "../texts.js";
import {counted, listedWords, matching, progressWords} from "./state.js";

/** @import {Listed, Progress} from "./state.js" */

const MOST_SHOWN = 200;

export class PuzzleList {
  /**
   * @param {Progress} progress
   * @param {(id: string) => void} open
   */
  constructor(progress, open) {
    /** @type {Listed[]} */
    this.puzzles = [];
    this.current = ""; // id of the one on the board
    this._progress = progress;
    this._open = open;
    const onchange = () => this.show();
    this._goal = choice(t("Goal"), {"": t("Wins and draws"), win: t("Wins"), draw: t("Draws")}, {onchange});
    this._pieces = choice(
      t("Pieces"),
      {
        "2-32": t("Any number of pieces"),
        "2-5": t("Up to 5 pieces"),
        "6-8": t("6 to 8 pieces"),
        "9-32": t("9 pieces or more"),
      },
      {onchange},
    );
    this._solved = choice(t("Progress"), {"": t("Solved or not"), no: t("Not solved"), yes: t("Solved")}, {onchange});
    this._origin = choice(
      t("Origin"),
      {"": t("All puzzles"), classic: t("Classic positions"), own: t("Problem files")},
      {onchange},
    );
    this._count = el("p", {class: "muted"});
    this._list = el("ul", {class: "puzzles"});
    const filters = el("div", {class: "row"}, this._goal, this._pieces, this._solved, this._origin);
    this.element = el("section", null, filters, this._count, this._list);
  }

  /** @param {Listed[]} puzzles */
  take(puzzles) {
    this.puzzles = puzzles;
    this._origin.hidden = puzzles.every(each => each.classic);
    this.show();
  }

  /** The puzzles that were filtered. */
  matching() {
    const filter = {
      goal: this._goal.value,
      pieces: this._pieces.value,
      solved: this._solved.value,
      origin: this._origin.value,
    };
    return matching(this.puzzles, filter, this._progress);
  }

  show() {
    const matches = this.matching(),
      values = {count: matches.length, all: this.puzzles.length, shown: MOST_SHOWN};
    this._count.textContent =
      matches.length > MOST_SHOWN
        ? t("{count} of {all}; the first {shown} are shown", values)
        : t("{count} of {all}", values);
    const hadFocus = this._list.contains(document.activeElement);
    this._list.replaceChildren(...matches.slice(0, MOST_SHOWN).map(each => this._item(each)));
    if (hadFocus) this._current()?.focus({preventScroll: true});
  }

  /** Brings the puzzle on the board into sight. */
  reveal() {
    const item = this._current(),
      panel = this.element.parentElement;
    if (item && panel) panel.scrollTop = item.offsetTop - panel.clientHeight / 2;
  }

  /** @returns {HTMLElement | null} */
  _current() {
    return this._list.querySelector("[aria-current]");
  }

  /** @param {Listed} puzzle */
  _item(puzzle) {
    const done = this._progress.of(puzzle.fen);
    const made = button("", () => this._open(puzzle.id), {
      "aria-current": puzzle.id === this.current && "true",
    });
    made.append(
      el("span", {class: "done"}, done.solved ? "✓ " : ""),
      el("span", {class: "name"}, puzzle.title),
      el("span", {class: "muted"}, ` ${listedWords(puzzle, done)}`),
    );
    return el("li", null, made);
  }
}

export class ProgressPanel {
  constructor() {
    this.element = el("section", {class: "solved"});
  }

  /**
   * @param {Listed[]} puzzles
   * @param {Progress} progress
   * @param {number} streak puzzles solved in a row without a wrong move or a hint
   */
  show(puzzles, progress, streak) {
    const counts = counted(puzzles, progress);
    /** @type {Array<[string, Listed[]]>} */
    const groups = [
      [t("Wins"), puzzles.filter(each => each.goal === "win")],
      [t("Draws"), puzzles.filter(each => each.goal === "draw")],
      [t("Problem files"), puzzles.filter(each => !each.classic)],
    ];
    this.element.replaceChildren(
      ...progressWords(counts).map(text => el("p", null, text)),
      ...(streak > 1
        ? [el("p", {class: "streak"}, t("{count} in a row without a wrong move or a hint.", {count: streak}))]
        : []),
      ...groups.filter(([, some]) => some.length).map(([name, some]) => bar(name, counted(some, progress))),
    );
  }
}

/**
 * @param {string} name
 * @param {{all: number, solved: number}} counts
 */
function bar(name, {all, solved}) {
  const words = t("{solved} of {all}", {solved, all});
  return el(
    "p",
    {class: "solved-bar"},
    el("span", null, name),
    el("progress", {max: all, value: solved, "aria-label": `${name}: ${words}`}),
    el("span", {class: "muted"}, words),
  );
}
