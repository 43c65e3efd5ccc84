// The work of the background: one game after another is judged as the panel Review judges it, and its marks are put
// into the game where it is kept. One window of the browser works at a time; a game that is cut short begins anew.

import {isJudged} from "../accuracy.js";
import {lacksBest, limitIn} from "../review/state.js";
import {t} from "../texts.js";

/** @typedef {import("./state.js").Reviews} Reviews */
/** @typedef {import("../tree.js").GameDocument} GameDocument */
/**
 * Where the games are. read: null for one that is gone; write: in place of the one that was read
 * @typedef {object} Games
 * @property {(id: string) => Promise<GameDocument | null>} read
 * @property {(id: string, document: GameDocument) => Promise<unknown>} write
 */
/**
 * @typedef {(
 *   what: string, args: object, hear: (event: any) => void,
 * ) => {say: (said: object) => void, stop: () => void}} Live
 */
/** Has one window alone do something, in its turn. @typedef {(work: () => Promise<void>) => Promise<void>} Alone */

/** Faults in a row after which something else than the games is at fault, and the work waits for a person. */
const MOST_IN_A_ROW = 20;
/** As many are a fault in a game that was read already. */
const IN_A_GAME = 10;

/** A server has gone: the game is asked for again. */
class Lost extends Error {}

// where a browser has no locks, windows may judge the same game at once, and both put in the same
const locked = (/** @type {() => Promise<void>} */ work) =>
  navigator.locks ? navigator.locks.request("kr-reviews", work) : work();

export class Work {
  /**
   * @param {Reviews} reviews
   * @param {{live: Live, games: Games, onchange: () => void, alone?: Alone, now?: () => number}} parts now: in seconds
   */
  constructor(reviews, {live, games, onchange, alone = locked, now = () => performance.now() / 1000}) {
    this._reviews = reviews;
    this._live = live;
    this._games = games;
    this._onchange = onchange;
    this._alone = alone;
    this._now = now;
    this._isRunning = false;
    /** @type {(() => void) | null} ends the game that is judged */
    this._end = null;
    /** Moves of the game in hand, and of them judged. */
    this.moves = this.judged = 0;
    /** True while this window does the work; another one may. */
    this.isHere = false;
    /** The game in hand was read. */
    this._isRead = false;
  }

  /** Goes on with what is left, unless it is paused; resolves when there is nothing to do. */
  async run() {
    if (this._isRunning) return;
    this._isRunning = true;
    try {
      await this._alone(() => this._all());
    } finally {
      this._isRunning = this.isHere = false;
      this._onchange();
    }
  }

  /** Ends the game in hand, of which nothing stays. */
  stop() {
    this._end?.();
  }

  async _all() {
    this.isHere = true;
    for (let faults = 0; ; ) {
      this._reviews.refresh();
      const {next} = this._reviews;
      if (!next || this._reviews.all.paused) return;
      this.moves = next.moves;
      this.judged = 0;
      this._isRead = false;
      this._onchange();
      const began = this._now();
      try {
        const plies = await this._one(next.id);
        if (plies === null) return;
        this._reviews.finish(next.id, {plies, seconds: plies && this._now() - began});
        faults = 0;
      } catch (error) {
        if (error instanceof Lost) return;
        faults += this._isRead ? IN_A_GAME : 1;
        this._reviews.finish(next.id, {fault: error instanceof Error ? error.message : String(error)});
        if (faults >= MOST_IN_A_ROW) this._reviews.pause(true);
      }
    }
  }

  /**
   * Reviews a game. Gives the moves that were judged, 0 of a game that is so reviewed already; null if it was stopped.
   * @param {string} id
   */
  async _one(id) {
    const {limit} = this._reviews.all,
      document = await this._read(id);
    if (isReviewed(document, limit)) return 0;
    const marked = await this._judge(id, document, limit);
    if (!marked) return null;
    await this._games.write(id, marked);
    return this.judged;
  }

  /** @param {string} id */
  async _read(id) {
    const document = await this._games.read(id);
    if (!document) throw new Error(t("The game is gone."));
    return document;
  }

  /**
   * The game with its marks; null if it was stopped.
   * @param {string} id
   * @param {GameDocument} document
   * @param {string} limit
   * @returns {Promise<GameDocument | null>}
   */
  _judge(id, document, limit) {
    const [name, value] = limit.split("="),
      asked = {document, [name]: Number(value), background: true};
    return new Promise((resolve, reject) => {
      const stream = this._live("annotate", asked, event => {
        if (event.total) {
          this.moves = event.total;
          this._isRead = true;
        }
        if (event.moves) {
          this.judged += event.moves.length;
          this._onchange();
        } else if (event.judged) {
          // comments may have come meanwhile
          this._read(id).then(
            now => stream.say({document: now}),
            error => {
              stream.stop();
              reject(error);
            },
          );
        } else if (event.document) resolve(event.document);
        else if (event.error !== undefined) reject(event.lost ? new Lost() : new Error(event.error));
      });
      this._end = () => {
        stream.stop();
        resolve(null);
      };
    });
  }
}

/**
 * True if a game has a review that is no shorter than one with this limit, and has all that reviews tell now.
 * @param {GameDocument} document
 * @param {string} limit
 */
export function isReviewed({headers, nodes}, limit) {
  const before = limitIn(headers ?? {}),
    [name, value] = limit.split("=");
  if (!before || !isJudged(nodes[0]) || lacksBest(nodes)) return false;
  // how nodes and seconds compare nobody knows
  const had = name === "nodes" ? "nodes" in before && before.nodes : "seconds" in before && before.seconds;
  return had === false || had >= Number(value);
}
