// Where there is no game yet, beside the board: three doors, to a game against kr, to games that are opened or pasted,
// and to today's puzzle; at later visits first what was begun before. Beside a game that was left at another visit, a
// line that leads there.

import {button, el} from "../dom.js";
import {icon} from "../icons.js";
import {miniBoard} from "../learn/mini.js";
import {dayWords, streakWords, taskWords, titleOf, today} from "../learn/state.js";
import {Training, dayNumber} from "../learn/training.js";
import {NAMED_LEVELS, levelName, levelWords} from "../play/words.js";
import {keep, kept} from "../store.js";
import {many, t} from "../texts.js";
import {lastGames, unfinishedOf} from "./past.js";

/** @import {App} from "../shell.js" */
/** @import {Unfinished} from "./past.js" */
/**
 * reading: of what is opened or pasted; form: shows the one for a text
 * @typedef {{pick: () => void, form: () => void, reading: {text: (text: string) => unknown}}} Games
 */

const USUAL_LEVEL = 3;

export class Welcome {
  /**
   * @param {App} app
   * @param {HTMLElement} element that it fills
   * @param {Games} games
   * @param {{leave: () => void, analyse: () => void}} acts leave: the game on the board, for the doors
   */
  constructor(app, element, games, {leave, analyse}) {
    this._app = app;
    this._games = games;
    this._training = new Training(app);
    this._today = el("div", {class: "today"});
    this._day = "";
    this._streak = el("span", {class: "streak muted"});
    this._isNew = !kept("visit", false, "sessionStorage");
    keep("visit", true, "sessionStorage");
    /** What leads on from a game of another visit. */
    this.line = el("div", {class: "row left-off", role: "group", "aria-label": t("Begin"), hidden: true});
    this._leave = leave;
    this._analyse = button(t("Analyse the start"), analyse, {class: "plain-link"});
    this._element = element;
    element.setAttribute("aria-label", t("Begin"));
    this._before = el("div", {class: "before"});
    this._levels = this._makeLevels();
    this._learn = button("", () => app.go("lessons"), {class: "plain-link"});
    this._doors = {play: this._play(), open: this._open(), puzzle: this._puzzle()};
  }

  /** Shows the doors, with what may have changed since. */
  async show() {
    const last = await lastGames(this._app),
      unfinished = unfinishedOf(this._app),
      {play, open, puzzle} = this._doors,
      isFirst = !unfinished && !last.length,
      shown = isFirst ? [play, open, puzzle] : [this._before, puzzle, play, open];
    this.line.hidden = true;
    this._training.refresh();
    this._learn.textContent = this._training.all.steps.length
      ? t("Go on with the lessons")
      : t("Never played? Learn the rules");
    this._showBefore(unfinished, last);
    this._prefer(Boolean(unfinished));
    if (shown.some((each, i) => each !== this._element.children[i]))
      this._element.replaceChildren(...shown, this._hint());
    void this._showToday();
  }

  /** Beside the game that was left at another visit: what else goes on, and the way to the doors. */
  showLine() {
    if (!this._isNew) return;
    this._isNew = false;
    const unfinished = unfinishedOf(this._app),
      day = dayNumber(),
      hide = () => {
        this.line.hidden = true;
      };
    /** @type {(words: (string | HTMLElement)[], act: () => void) => HTMLElement} */
    const way = (words, act) =>
      button(words, () => {
        hide();
        act();
      });
    const days = this._training.hasDaily(day) ? t("Solved ✓") : streakWords(this._training.streak(day));
    this.line.replaceChildren(
      unfinished ? way([t("Your game")], () => this._goTo(`play/${unfinished.id}`)) : "",
      way([t("Today's puzzle"), " ", el("small", {class: "muted"}, days)], () => this._goTo("learn/today")),
      way([t("Last games")], this._leave),
      button("×", hide, {"aria-label": t("Close"), class: "close"}),
    );
    this.line.hidden = false;
  }

  // --- what was begun before

  /** @param {Unfinished | null} unfinished @param {{id: string, name: string, moves: number}[]} last */
  _showBefore(unfinished, last) {
    const names = last.map(({id, name, moves}) =>
      el(
        "li",
        null,
        el(
          "button",
          {type: "button", onclick: () => this._app.reopen(id)},
          el("bdi", null, name),
          " ",
          el("small", null, many(moves, "move")),
        ),
      ),
    );
    this._before.replaceChildren(
      unfinished ? this._goingOn(unfinished) : "",
      ...(names.length
        ? [
            el(
              "div",
              {class: "head"},
              el("h2", null, t("Last games")),
              button(t("Library"), () => this._app.go("library"), {class: "plain-link", title: t("All your games")}),
            ),
            el("ul", null, names),
          ]
        : []),
    );
  }

  /** @param {Unfinished} game */
  _goingOn({id, fen, isFlipped, words}) {
    return el(
      "button",
      {type: "button", class: "going-on", onclick: () => this._goTo(`play/${id}`)},
      miniBoard(fen, isFlipped),
      el("span", null, el("b", null, t("Go on")), " ", el("small", null, words)),
    );
  }

  // --- the doors

  /**
   * @param {string} name of its icon
   * @param {string} title
   * @param {Node | null} beside the title
   * @param {Node[]} content
   */
  _door(name, title, beside, ...content) {
    const head = el("div", {class: "head"}, el("h2", null, icon(name), title), beside);
    return el("div", {class: `door to-${name}`}, head, ...content);
  }

  _makeLevels() {
    return NAMED_LEVELS.map(level => {
      const start = button(levelName(level), () => this._app.playAt(level), {
        title: levelWords(level),
        class: `level-${level}`,
      });
      return {level, start};
    });
  }

  // one button is the first to press
  /** @param {boolean} goesOn a game does */
  _prefer(goesOn) {
    const before = Number(this._app.kept("play-form", {}).level),
      usual = NAMED_LEVELS.includes(before) ? before : USUAL_LEVEL;
    for (const {level, start} of this._levels) start.classList.toggle("primary", !goesOn && level === usual);
  }

  _play() {
    return this._door(
      "play",
      t("Play against kr"),
      this._learn,
      el("p", null, t("One click begins: you have Black, and move first.")),
      el(
        "div",
        {class: "row"},
        this._levels.map(({start}) => start),
      ),
    );
  }

  _open() {
    const {pick} = this._games;
    return this._door(
      "game",
      t("Open or paste a game"),
      this._analyse,
      el("p", null, t("PDN, moves, a FEN or a link. Or drop a file anywhere.")),
      el(
        "div",
        {class: "row"},
        button(t("Open a file…"), pick),
        button(t("Paste"), () => this._paste(), {title: t("Ctrl+V works anywhere")}),
        button(t("A sample with its review"), () => this._sample()),
      ),
    );
  }

  _puzzle() {
    return this._door("puzzle", t("Today's puzzle"), this._streak, this._today);
  }

  _hint() {
    return el("p", {class: "else muted"}, t("Or move a man on the board: drag it, or click it and then its square."));
  }

  // --- acts

  /** @param {string} address */
  _goTo(address) {
    location.hash = address;
  }

  // what is on the clipboard, where the browser tells it; else there is a field for it
  async _paste() {
    const text = await readClipboard();
    if (text.trim()) void this._games.reading.text(text);
    else this._games.form();
  }

  _sample() {
    const {_app: app} = this;
    return app.attempt(
      () => app.api("games/sample"),
      ({document}) => {
        app.expect({source: "file"});
        app.open(document, []);
        app.lead();
      },
    );
  }

  async _showToday() {
    const date = today(),
      day = dayNumber(),
      easy = this._training.isBeginner,
      isSolved = this._training.hasDaily(day),
      key = `${date} ${easy} ${isSolved}`;
    if (key === this._day) return;
    this._day = key;
    const words = el("span", null, el("b", null, dayWords()), " ", el("small", null, isSolved ? t("Solved ✓") : "")),
      door = el("button", {type: "button", onclick: () => this._goTo("learn/today")}, miniBoard(), words);
    this._streak.textContent = streakWords(this._training.streak(day));
    this._today.replaceChildren(door);
    // a browser that is set to save data loads puzzles when they are wanted
    if (/** @type {any} */ (navigator).connection?.saveData) return;
    try {
      const puzzle = await this._app.api("puzzles/today", {date, easy});
      if (this._day !== key) return;
      door.firstChild?.replaceWith(miniBoard(puzzle.fen, puzzle.solver === "black"));
      words.replaceChildren(
        el("b", null, taskWords({...puzzle, guess: null})),
        " ",
        el("small", null, [titleOf(puzzle), isSolved ? t("Solved ✓") : ""].filter(Boolean).join(" · ")),
      );
    } catch {
      // the door leads there all the same
      if (this._day === key) this._day = "";
    }
  }
}

/** What is on the clipboard; "" if the browser does not tell it. */
async function readClipboard() {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return "";
  }
}
