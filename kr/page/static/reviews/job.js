// The background reviews of the page: one for all that show or add to them. It goes on where an earlier page stopped,
// and again when a server comes back.

import {libraryOf} from "../library/games.js";
import {many, t} from "../texts.js";
import {Reviews} from "./state.js";
import {Work} from "./work.js";

/** @typedef {import("../shell.js").App} App */

/** @type {WeakMap<object, Job>} */
const JOBS = new WeakMap();

/** That of the page. @param {App} app */
export function reviewsOf(app) {
  const job = JOBS.get(app) ?? new Job(app);
  JOBS.set(app, job);
  return job;
}

export class Job {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this.reviews = new Reviews(app);
    this.library = libraryOf(app);
    const {library} = this;
    /** The card of the game that was read last. @type {Map<string, number>} */
    const revisions = new Map();
    this.work = new Work(this.reviews, {
      live: app.live,
      games: {
        read: async id => {
          await library.ready;
          const game = await library.get(id);
          if (game) revisions.set(id, game.card.rev);
          return game && !game.card.removed ? game.document : null;
        },
        write: (id, document) => library.update(id, {document, rev: revisions.get(id)}),
      },
      onchange: () => this._changed(),
    });
    /** @type {Set<() => void>} */
    this._hear = new Set();
    app.onback(() => this._go());
    app.onkept((/** @type {string} */ name) => {
      if (name !== "reviews" || !this.reviews.refresh()) return;
      // another window has paused it, or gone on
      if (this.reviews.all.paused || this.reviews.isOver) this.work.stop();
      this._changed();
      this._go();
    });
    this._go();
  }

  /** Calls f as something changes; gives what ends that. @param {() => void} f */
  onchange(f) {
    this._hear.add(f);
    return () => this._hear.delete(f);
  }

  /**
   * Has games of the library reviewed.
   * @param {readonly import("../library/cards.js").Card[]} cards
   */
  add(cards) {
    const games = cards.map(({id, black, white, event, moves}) => ({
      ...{id, moves},
      name: black || white ? `${black || "?"} – ${white || "?"}` : event || t("A game"),
    }));
    if (!this.reviews.add(games, this._app.kept("judge-limit", "nodes=200000")))
      this._app.fail(t("This browser has no room for the list of games to be reviewed."));
    this._changed();
    this._go();
  }

  /** @param {boolean} paused */
  pause(paused) {
    this.reviews.pause(paused);
    if (paused) this.work.stop();
    this._changed();
    this._go();
  }

  cancel() {
    this.reviews.cancel();
    this.work.stop();
    this._changed();
  }

  async _go() {
    const {reviews, work} = this;
    if (reviews.isOver || reviews.all.paused) return;
    try {
      await work.run();
    } catch (error) {
      this._app.fail(error);
    }
    if (reviews.isOver && reviews.all.total && !reviews.all.isTold) {
      reviews.tell();
      this._app.say(t("{games} reviewed", {games: many(reviews.all.total - reviews.all.faults.length, "game")}));
    }
  }

  _changed() {
    for (const hear of this._hear) hear();
  }
}
