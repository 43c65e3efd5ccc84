// Mistakes of several games, tried again one after another: each is opened at its place on the page Analyse, where the
// board stops before it, as in a review.

import {later} from "../later.js";
import {t} from "../texts.js";
import {dayNumber} from "../learn/training.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./figures.js").Puzzle} Puzzle */
/** @typedef {import("../review/state.js").Side} Side */

export class Series {
  /**
   * @param {App} app
   * @param {Array<Puzzle & {side: Side}>} puzzles
   * @param {{
   *   library: Pick<import("../library/games.js").Library, "get">, mistakes: import("./training.js").OwnMistakes,
   *   back: () => void,
   * }} parts back: to where it was begun
   */
  constructor(app, puzzles, {library, mistakes, back}) {
    this._app = app;
    this._puzzles = puzzles;
    this._library = library;
    this._mistakes = mistakes;
    this._back = back;
    this._found = this._passed = 0;
  }

  begin() {
    return this._show(0);
  }

  /** @param {number} index */
  async _show(index) {
    const puzzle = this._puzzles[index],
      {_app: app} = this,
      errand = app.errand();
    if (!puzzle) {
      this._end();
      return;
    }
    try {
      const [game] = await Promise.all([this._library.get(puzzle.id), later()]);
      if (errand.isStale) return;
      if (game) {
        const {id, rev, source} = game.card;
        app.beside(game.document, Array(puzzle.ply - 1).fill(0), `library:${id}`, {id, rev, source});
      }
      const isBegun =
        game &&
        app.train(puzzle.ply, {
          number: index + 1,
          total: this._puzzles.length,
          you: puzzle.side,
          next: (/** @type {string} */ outcome) => this._passOn(index, outcome),
          leave: () => this._end(),
        });
      // the game was changed or deleted since
      if (!isBegun) await this._show(index + 1);
    } catch (error) {
      app.fail(error);
    }
  }

  /** @param {number} index @param {string} outcome */
  _passOn(index, outcome) {
    this._passed += 1;
    if (outcome === "first") this._found += 1;
    this._mistakes.note(this._puzzles[index], outcome, dayNumber(new Date()));
    void this._show(index + 1);
  }

  _end() {
    this._back();
    if (this._passed)
      this._app.say(t("You found {first} of {total} at the first try.", {first: this._found, total: this._passed}));
  }
}
