// Runs as the server tells them, while somebody looks.

/** @import {Row, Run} from "./state.js" */
/** @typedef {{runs: Row[], directories: number}} Listing */
/**
 * What a page hears. lost: no list came; missing: there is no run of the name
 * @typedef {object} Hearing
 * @property {(listing: Listing) => void} list
 * @property {(run: Run) => void} run
 * @property {(why: string) => void} lost
 * @property {(why: string) => void} missing
 */

export class Watch {
  /**
   * @param {import("../shell.js").App} app
   * @param {Hearing} hearing
   */
  constructor(app, hearing) {
    this._app = app;
    this._hearing = hearing;
    /** @type {{stop: () => void} | null} */
    this._all = null;
    /** @type {{stop: () => void} | null} */
    this._one = null;
  }

  /** @param {string} name of the run to watch too; "" for none */
  start(name) {
    this._all?.stop();
    this._all = this._app.live("runs", {}, (/** @type {any} */ told) => {
      if (told.runs) this._hearing.list(told);
      else if (told.error !== undefined) this._hearing.lost(told.error);
    });
    this.one(name);
  }

  /** @param {string} name */
  one(name) {
    this._one?.stop();
    const hear = (/** @type {any} */ told) => {
      if (told.run) this._hearing.run(told.run);
      else if (told.error !== undefined) this._hearing.missing(told.error);
    };
    this._one = name ? this._app.live("run", {name}, hear) : null;
  }

  stop() {
    this._all?.stop();
    this._one?.stop();
  }

  /**
   * A game of a run as a document.
   * @param {string} name
   * @param {number} game
   */
  game(name, game) {
    return this._app.api("runs/game", {name, game});
  }
}
