// The engine of a server: searches are a stream, for which the server lends an engine.

import {Unanswered} from "../../messenger.js";
import {heard, nothing} from "../results.js";
import {quietPlies} from "../rules.js";
import {bitsOf, MOST_LINE, moveOf} from "../wire.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../house.js").Choice} Choice */
/** @typedef {import("../house.js").EnginePort} EnginePort */
/** @typedef {import("../house.js").Found} Found */
/** @typedef {import("../house.js").Loan} Loan */
/** @typedef {import("../house.js").Result} Result */
/** @typedef {import("../house.js").Search} Search */
/** @typedef {import("../rules.js").Position} Position */

/** Searches of one message. */
export const MOST_TOGETHER = 20;

/** A search that has not ended. */
class Asked {
  /** @param {Search} search */
  constructor(search) {
    this.search = search;
    /** @type {Found} */
    this.best = nothing();
    /** @type {Promise<Result>} */
    this.found = new Promise((resolve, reject) => {
      this._resolve = resolve;
      this.fail = reject;
    });
  }

  /** As the server takes it. */
  get message() {
    const {position, history = [], limits, lines = 1, fresh = false, onLines, onProgress} = this.search,
      // what can't come back does not matter
      since = history.slice(history.length - quietPlies(position, history));
    return {positions: [...since, position].map(bitsOf), limits, lines, fresh, watched: Boolean(onLines || onProgress)};
  }

  end() {
    const [line] = this.best.lines;
    this._resolve?.({...this.best, score: line?.score ?? 0, move: line?.moves[0]});
  }
}

/** @implements {Loan} */
class RemoteLoan {
  /**
   * @param {Answering} server
   * @param {Choice} choice
   * @param {Search} [only] the one search of the loan
   */
  constructor(server, choice, only) {
    const {engine = 0, generation = null, small = false, background = false, database = true} = choice,
      {signal, onTurn, onWaiting} = choice;
    /** @type {Asked[]} */
    this._asked = [];
    /** @type {Asked[]} */
    this._unsent = [];
    this._sent = 0;
    this._onTurn = onTurn;
    this._onWaiting = onWaiting;
    this._signal = signal;
    /** @type {Promise<void>} */
    this.turn = new Promise((resolve, reject) => {
      this._begin = resolve;
      this._refuse = reject;
    });
    this.turn.catch(() => {});
    if (only) this._asked.push(new Asked(only));
    const args = {engine, generation, small, background, database, more: !only},
      searches = this._asked.map(each => each.message);
    this._stream = server.live("search", {...args, searches}, event => this._hear(event));
    // one search ends with its last lines
    this._stop = () => (only ? this._stream.say({stop: true}) : this.end());
    signal?.addEventListener("abort", this._stop);
    if (signal?.aborted) this._stop();
  }

  /** @param {Search} search */
  search(search) {
    const asked = new Asked(search);
    this._asked.push(asked);
    if (this._signal?.aborted) this.end();
    else {
      // those of a moment go together
      if (!this._unsent.length) queueMicrotask(() => this._send());
      this._unsent.push(asked);
    }
    return asked.found;
  }

  /** Gives the engine back; searches that have not ended have what they found. */
  end() {
    this._stream.stop();
    this._over();
  }

  /** What the only search has found. */
  get found() {
    return this._asked[0].found;
  }

  // the server keeps few messages: as many searches are there as do not let it wait, and the next ones go together
  _send() {
    while (this._unsent.length && this._sent <= MOST_TOGETHER) {
      const next = this._unsent.splice(0, MOST_TOGETHER);
      this._stream.say({searches: next.map(each => each.message)});
      this._sent += next.length;
    }
  }

  /** @param {Error} [why] */
  _over(why) {
    this._signal?.removeEventListener("abort", this._stop);
    const asked = this._asked;
    this._asked = [];
    if (why) this._refuse?.(why);
    this._begin?.();
    for (const each of asked) {
      if (why) each.fail?.(why);
      else each.end();
    }
  }

  /** @param {any} event */
  _hear(event) {
    const [asked] = this._asked;
    if (event.error !== undefined) this._over(new Unanswered({error: event.error, lost: event.lost}));
    else if (event.end) this._over();
    else if (event.waiting) this._onWaiting?.();
    else if (event.turn) {
      this._onTurn?.();
      this._begin?.();
    } else if (event.progress) asked?.search.onProgress?.(event.progress);
    else {
      if (event.lines && asked) asked.best = heard(event);
      if (event.final) {
        this._asked.shift()?.end();
        this._sent -= 1;
        this._send();
      } else if (asked) asked.search.onLines?.(asked.best);
    }
  }
}

/** @implements {EnginePort} */
export class RemoteEngine {
  /** @param {Answering} server */
  constructor(server) {
    this._server = server;
  }

  /** The server makes its engine as it starts. */
  async prepare() {}

  /** @param {Search & Choice} search */
  search(search) {
    return new RemoteLoan(this._server, search, search).found;
  }

  /** @param {Choice} choice */
  borrow(choice) {
    return new RemoteLoan(this._server, choice);
  }

  /** @param {Position} position */
  evaluate(position) {
    return this._server.api("port/evaluate", {positions: [bitsOf(position)]});
  }

  /** @param {readonly Position[]} positions @returns {Promise<number[]>} */
  async scores(positions) {
    return (await this._server.api("port/scores", {positions: positions.map(bitsOf)})).scores;
  }

  /**
   * @param {readonly Position[]} positions
   * @param {number} [group]
   * @returns {Promise<{move: import("../rules.js").Move, probability: number}[]>}
   */
  async people(positions, group = -1) {
    const {moves} = await this._server.api("port/people", {positions: positions.map(bitsOf), group});
    return moves.map((/** @type {any} */ {move, probability}) => ({move: moveOf(move), probability}));
  }

  /** @param {readonly Position[]} positions */
  async forMistakes(positions) {
    const {move} = await this._server.api("port/mistakes", {positions: positions.map(bitsOf)});
    return move && moveOf(move);
  }

  /**
   * @param {Position} position
   * @param {readonly import("../rules.js").Move[]} played
   * @param {readonly import("../rules.js").Move[]} better
   * @returns {Promise<import("../house.js").Fact[]>}
   */
  async facts(position, played, better) {
    const [first, second] = [played, better].map(line => line.slice(0, MOST_LINE).map(String));
    const asked = {positions: [bitsOf(position)], played: first, better: second};
    return (await this._server.api("port/facts", asked)).facts;
  }
}
