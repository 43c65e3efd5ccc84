// The page of one player: results, openings, accuracy over time, kinds of mistakes and endings, each with the mistakes
// to try again. A person may have several names.

import {plainName} from "../answers/names.js";
import {check, choice, offer} from "../controls.js";
import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {dayNumber} from "../learn/training.js";
import {libraryOf} from "../library/games.js";
import {noGames} from "../library/none.js";
import {reviewsOf} from "../reviews/job.js";
import {ReviewsView} from "../reviews/view.js";
import {many, t} from "../texts.js";
import {figuresOf} from "./figures.js";
import {Reading} from "./reading.js";
import {Series} from "./series.js";
import {OwnMistakes} from "./training.js";
import {sections} from "./view.js";
import {playerName, summaryText} from "./words.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./figures.js").Puzzle} Puzzle */
/** @typedef {import("./game.js").GameFacts} GameFacts */

const SETTLE_MS = 300;

/** @param {App} app */
export const page = app => new Player(app).page;

/** The address of a player's page. @param {string} name */
const playerAddress = name => `player/${encodeURIComponent(name)}`;

class Player {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this._library = libraryOf(app);
    this._reading = new Reading(app, this._library);
    this._mistakes = new OwnMistakes(app);
    this._job = reviewsOf(app);
    this._reviews = new ReviewsView(this._job);
    this._isActive = false;
    this._name = "";
    this._settling = 0;
    /** @type {GameFacts[]} */
    this._games = [];
    this._who = choice(t("Player"), [], {onchange: name => app.go("player", encodeURIComponent(name))});
    this._summary = el("p", {class: "summary", role: "status"});
    this._same = el("details", {class: "same"}, el("summary", null, t("Other names of this player")));
    this._review = button("", () => this._reviewAll(), {class: "primary"});
    this._none = noGames(
      app,
      t("Your games are not here yet. Play, open or paste some: what they show stands here then."),
    );
    this._figures = el("div", {class: "figures"});
    this._some = el(
      "div",
      null,
      el("div", {class: "row who"}, el("label", null, t("Player"), " ", this._who), this._review),
      this._summary,
      this._same,
      this._reviews.element,
      this._figures,
    );
    this._library.onchange(() => this._isActive && this._settle());
    this.page = {
      name: "player",
      title: t("Player"),
      element: el("div", {class: "player-page"}, this._none, this._some),
      enter: (/** @type {string} */ rest) => this._enter(rest),
      leave: () => this._leave(),
    };
  }

  /** @param {string} rest */
  async _enter(rest) {
    this._isActive = true;
    this._reviews.show();
    await this._library.ready;
    if (!this._isActive) return;
    this._name = named(rest);
    this._mistakes.refresh();
    await this._show();
  }

  _leave() {
    this._isActive = false;
    this._reviews.hide();
  }

  /** Games change one after another: they are counted anew once that has settled. */
  _settle() {
    clearTimeout(this._settling);
    this._settling = window.setTimeout(() => this._isActive && void this._show(), SETTLE_MS);
  }

  // --- who it is

  /** @returns {string[][]} names that are one person */
  get _persons() {
    const kept = this._app.kept("same-players", []);
    return Array.isArray(kept) ? kept.filter(each => Array.isArray(each)) : [];
  }

  /** All names of the person. */
  get _names() {
    const key = plainName(this._name);
    return this._persons.find(names => names.some(name => plainName(name) === key)) ?? [this._name];
  }

  /** @param {string} name @param {boolean} isSame */
  _join(name, isSame) {
    const before = this._names,
      others = this._persons.filter(names => !names.some(each => before.includes(each) || each === name)),
      names = isSame ? [...before, name] : before.filter(each => each !== name);
    this._app.keep("same-players", names.length > 1 ? [...others, names] : others);
    void this._show();
  }

  /** @param {{name: string, games: number}[]} players */
  _offer(players) {
    offer(
      this._who,
      players.map(({name, games}) => [name, `${visible(playerName(name))} (${games})`]),
      this._name,
    );
    const names = this._names,
      others = players.filter(({name}) => name !== this._name),
      likely = others.filter(({name}) => names.includes(name) || isAlike(name, this._name)),
      rest = others.filter(each => !likely.includes(each)),
      box = (/** @type {{name: string, games: number}} */ {name, games}) =>
        check(`${visible(playerName(name))} (${games})`, names.includes(name), on => this._join(name, on));
    this._same.hidden = !others.length;
    this._same.replaceChildren(
      el(
        "summary",
        null,
        names.length > 1 ? t("Also called {names}", {names: this._others(names)}) : t("Other names of this player"),
      ),
      ...likely.map(box),
      ...(rest.length ? [el("details", null, el("summary", null, t("All players")), ...rest.map(box))] : []),
    );
  }

  /** @param {string[]} names */
  _others(names) {
    return visible(
      names
        .filter(name => name !== this._name)
        .map(playerName)
        .join("; "),
    );
  }

  // --- what is shown

  async _show() {
    const players = this._library.players();
    this._none.hidden = players.length > 0;
    this._some.hidden = !players.length;
    if (!players.length) return;
    if (!players.some(({name}) => plainName(name) === plainName(this._name))) {
      if (this._name) this._app.fail(t("No game here has a player {name}", {name: this._name.slice(0, 60)}));
      this._name = players[0].name;
    }
    this._offer(players);
    try {
      await this._reading.all(new Set(this._names.map(playerKey)), (games, isWhole) => this._draw(games, isWhole));
    } catch (error) {
      this._app.fail(error);
    }
  }

  /** @param {GameFacts[]} games @param {boolean} isWhole */
  _draw(games, isWhole) {
    if (!this._isActive) return;
    this._games = games;
    const figures = figuresOf(games),
      unreviewed = this._unreviewed().length,
      open = new Set([...this._figures.querySelectorAll("details[open]")].map(titleOf)),
      tried = this._figures.contains(document.activeElement) && document.activeElement?.getAttribute("data-tries");
    this._summary.textContent = summaryText(figures, isWhole);
    this._review.hidden = !unreviewed;
    this._review.textContent = t("Review {games} in the background", {games: many(unreviewed, "game")});
    this._review.classList.toggle("primary", this._job.reviews.isOver);
    this._figures.replaceChildren(
      ...sections(figures, {
        practise: puzzles => this._practise(puzzles),
        found: puzzles => this._mistakes.count(puzzles),
      }),
    );
    // what the person has opened, and where one is, stays as games come
    for (const details of this._figures.querySelectorAll("details")) details.open = open.has(titleOf(details));
    if (tried)
      /** @type {HTMLElement | null} */ (this._figures.querySelector(`[data-tries="${CSS.escape(tried)}"]`))?.focus();
  }

  /** Games of the person that have no review and wait for none. */
  _unreviewed() {
    const waiting = new Set(this._job.reviews.all.waiting.map(({id}) => id));
    return this._games.filter(({id, isReviewed}) => !isReviewed && !waiting.has(id));
  }

  _reviewAll() {
    const cards = this._unreviewed().flatMap(({id}) => this._library.card(id) ?? []);
    this._job.add(cards);
    this._draw(this._games, true);
  }

  /** @param {readonly Puzzle[]} puzzles */
  _practise(puzzles) {
    const sides = new Map(this._games.map(({id, side}) => [id, side])),
      chosen = this._mistakes
        .series(puzzles, dayNumber())
        .map(puzzle => ({...puzzle, side: /** @type {import("./game.js").Side} */ (sides.get(puzzle.id))})),
      address = playerAddress(this._name);
    void new Series(this._app, chosen, {
      library: this._library,
      mistakes: this._mistakes,
      back: () => {
        location.hash = address;
      },
    }).begin();
  }
}

/** The name that an address has; "" for none. @param {string} rest */
function named(rest) {
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}

/** @param {Element} details */
const titleOf = details => details.querySelector("summary")?.textContent ?? "";

/** A name as it is compared. @param {string} name */
const playerKey = name => plainName(name);

/** True if two names share a word of some length. @param {string} one @param {string} other */
function isAlike(one, other) {
  const words = (/** @type {string} */ name) =>
      plainName(name)
        .split(/[^\p{L}\p{N}]+/u)
        .filter(({length}) => length > 2),
    wanted = new Set(words(one));
  return words(other).some(word => wanted.has(word));
}
