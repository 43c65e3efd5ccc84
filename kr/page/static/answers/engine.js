// The engine, as the answers have it: one Worker, which searches one position at a time. Whoever asks waits for a turn;
// a patient search, an analysis that somebody watches, gives way to others and goes on after them. What works in the
// background gives way to those too.

import {timed} from "./limits.js";
import {Stopped} from "./news.js";
import {heard, nothing} from "./results.js";
import {KrError} from "./text.js";
import {bitsOf, moveOf} from "./wire.js";

/** @typedef {import("./kr.js").Result} Result */
/** @typedef {import("./kr.js").Progress} Progress */
/** @typedef {import("./house.js").EnginePort} EnginePort */
/** @typedef {import("./house.js").Search & import("./house.js").Choice} Asked */
/** @typedef {import("./rules.js").Position} Position */
/**
 * A thread that does what it is asked, one thing at a time. ask: the answer to a message; hear gets what it tells
 * before; stop: ends what is under way, which then answers.
 * @typedef {{
 *   ask: (message: any, hear?: (told: any) => void) => Promise<any>, stop: () => void, close: () => void,
 * }} Thread
 */

const SHARE_MS = 1000;
/** Time after other jobs before a patient search goes on: whoever asks for one often asks for the next. */
const REST_MS = 250;
export const HASH_MB = 16;

/** A thread did not hear that it should stop, and was ended. */
export class Deaf extends Error {}

/** A job: a search, a proof with what hears of it, or something short. */
class Job {
  /**
   * @param {any} message
   * @param {Asked | null} [search]
   * @param {{signal: AbortSignal, hear: (told: any) => void} | null} [proof]
   */
  constructor(message, search = null, proof = null) {
    this.message = message;
    this.search = search;
    this.proof = proof;
    /** @type {Promise<any>} */
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    /** @type {Result | null} */
    this.best = null;
    // of the times that it has run before
    this.nodes = this.seconds = 0;
    this.hasRun = this.yields = false;
  }

  get isPatient() {
    return Boolean(this.search?.patient) || this.isBackground;
  }

  get isBackground() {
    return Boolean(this.search?.background);
  }

  /** 0: it goes first; 1: an analysis that has not had its first turn; 2: what may wait. */
  get rank() {
    if (!this.isPatient) return 0;
    return this.isBackground || this.hasRun ? 2 : 1;
  }

  get isEnded() {
    return Boolean((this.search ?? this.proof)?.signal?.aborted);
  }

  /** What is known so far. @param {Result} result */
  take(result) {
    const whole = {...result, nodes: this.nodes + result.nodes, seconds: this.seconds + result.seconds};
    // a search that goes on begins again at the first ply, with what it has in its memory
    if (!result.lines.length || (this.best && result.depth < this.best.depth)) return false;
    this.best = whole;
    return true;
  }
}

/** @implements {EnginePort} */
export class Engine {
  /**
   * @param {() => Promise<Thread>} start begins the thread; it is called again if that had to be ended
   * @param {number} [restMs]
   */
  constructor(start, restMs = REST_MS) {
    this._start = start;
    this._restMs = restMs;
    this._rests = false;
    /** @type {Promise<Thread> | null} */
    this._thread = null;
    /** @type {Job[]} */
    this._waiting = [];
    /** @type {Job | null} */
    this._running = null;
    /** @type {any} */
    this._timer = 0;
    /** @type {any} */
    this._resting = 0;
  }

  /** True if somebody else's search has to end first. */
  get isBusy() {
    return Boolean(this._running && !this._running.isPatient);
  }

  prepare() {
    return this._ready().then(() => {});
  }

  /** @param {Asked} search @returns {Promise<import("./house.js").Result>} */
  async search(search) {
    const {position, history = [], limits, lines = 1, fresh = false, small, background, database = true} = search,
      {signal} = search;
    const positions = [...history, position].map(bitsOf),
      memory = small ? "small" : background ? "background" : "usual";
    const job = new Job({search: {positions, limits: timed(limits), lines, fresh, memory, database}}, search);
    if (this.isBusy) search.onWaiting?.();
    const result = await this._until(signal, job),
      [best] = result.lines;
    return {...result, hash: HASH_MB, score: best?.score ?? 0, move: best?.moves[0]};
  }

  /**
   * Has what proves do some work; it rejects once the signal ends it.
   * @param {any} message
   * @param {{signal: AbortSignal, onWaiting: () => void}} calls
   * @param {(told: any) => void} [hear]
   */
  async prove(message, {signal, onWaiting}, hear = () => {}) {
    if (this.isBusy) onWaiting();
    const found = await this._until(signal, new Job(message, null, {signal, hear}));
    if (signal.aborted) throw new Stopped();
    return found;
  }

  /** Has something short done. @param {any} message @returns {Promise<any>} */
  ask(message) {
    return this._do(new Job(message));
  }

  /**
   * There is but one for all.
   * @param {import("./house.js").Choice} choice
   * @returns {import("./house.js").Loan}
   */
  borrow({onTurn, onWaiting, ...choice}) {
    if (this.isBusy) onWaiting?.();
    onTurn?.();
    return {turn: Promise.resolve(), search: search => this.search({...search, ...choice}), end() {}};
  }

  /** @param {Position} position */
  evaluate(position) {
    return this._do(new Job({evaluate: bitsOf(position)}));
  }

  /** @param {readonly Position[]} positions @returns {Promise<number[]>} */
  scores(positions) {
    return this._do(new Job({scores: positions.map(bitsOf)}));
  }

  /**
   * @param {readonly Position[]} positions
   * @param {number} [group]
   * @returns {Promise<{move: import("./rules.js").Move, probability: number}[]>}
   */
  async people(positions, group = -1) {
    /** @type {any[]} */
    const choices = await this._do(new Job({people: positions.map(bitsOf), group}));
    return choices.map(({move, probability}) => ({move: moveOf(move), probability}));
  }

  /**
   * @param {Position} position
   * @param {readonly import("./rules.js").Move[]} played
   * @param {readonly import("./rules.js").Move[]} better
   * @returns {Promise<import("./house.js").Fact[]>}
   */
  facts(position, played, better) {
    return this._do(new Job({facts: {position: bitsOf(position), played, better}}));
  }

  // --

  _ready() {
    if (!this._thread) {
      const starting = this._start();
      this._thread = starting;
      // the next one who asks begins anew
      starting.catch(() => (this._thread = null));
    }
    return this._thread;
  }

  /** Does a job that a signal ends. @param {AbortSignal | undefined} signal @param {Job} job */
  async _until(signal, job) {
    const end = () => this._end(job);
    signal?.addEventListener("abort", end);
    try {
      return await this._do(job);
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }

  /** @param {Job} job */
  _do(job) {
    // what is short goes first
    if (job.search ?? job.proof) this._waiting.push(job);
    else this._waiting.unshift(job);
    this._next();
    return job.done;
  }

  /** Its signal has ended it. @param {Job} job */
  _end(job) {
    const place = this._waiting.indexOf(job);
    if (place >= 0) {
      this._waiting.splice(place, 1);
      job.resolve?.(job.best ?? nothing());
    } else if (this._running === job) {
      this._stop();
    }
  }

  _stop() {
    this._thread?.then(thread => thread.stop()).catch(() => {});
  }

  _next() {
    if (this._running) {
      this._crowd();
      return;
    }
    const rank = Math.min(...this._waiting.map(job => job.rank));
    if (!this._waiting.length || (rank && this._rests)) return;
    const place = this._waiting.findIndex(job => job.rank === rank),
      [job] = this._waiting.splice(place, 1);
    this._running = job;
    job.hasRun = true;
    this._run(job).then(
      found => found && job.resolve?.(found),
      error => job.reject?.(error),
    );
  }

  /** A patient search ends when others wait: at once, or for one that may wait too after a while. */
  _crowd() {
    const {_running: running} = this;
    if (!running?.isPatient || running.yields || !this._waiting.length) return;
    const yieldNow = () => {
      clearTimeout(this._timer);
      this._timer = 0;
      if (this._running !== running || !this._waiting.length) return;
      running.yields = true;
      this._stop();
    };
    if (this._waiting.some(job => job.rank <= (running.isBackground ? 1 : 0))) yieldNow();
    else this._timer ||= setTimeout(yieldNow, SHARE_MS);
  }

  /** @param {Job} job @returns {Promise<any>} null if it goes on later */
  async _run(job) {
    const {search} = job;
    try {
      const thread = await this._ready();
      if (job.isEnded) return job.best ?? nothing();
      if (!search) return await thread.ask(job.message, job.proof?.hear);
      search.onTurn?.();
      this._crowd();
      const part = heard(await thread.ask(this._left(job), told => this._heard(job, told)));
      const isNew = job.take(part);
      job.nodes += part.nodes;
      job.seconds += part.seconds;
      if (job.yields && !job.isEnded) {
        if (isNew && job.best) search.onLines?.(job.best);
        return this._later(job);
      }
      return {...(job.best ?? nothing()), nodes: job.nodes, seconds: job.seconds};
    } catch (error) {
      // a thread that has failed isn't asked again
      if (!(error instanceof KrError)) {
        this._thread?.then(thread => thread.close()).catch(() => {});
        this._thread = null;
      }
      if (!(error instanceof Deaf)) throw error;
      if (job.isEnded) return job.best ?? nothing();
      return this._later(job);
    } finally {
      clearTimeout(this._timer);
      this._timer = 0;
      this._running = null;
      if (!job.isPatient) this._rest();
      this._next();
    }
  }

  /** Patient searches wait a moment. */
  _rest() {
    clearTimeout(this._resting);
    this._rests = this._restMs > 0;
    if (!this._rests) return;
    this._resting = setTimeout(() => {
      this._rests = false;
      this._next();
    }, this._restMs);
  }

  /** Has a search go on once others have had their turn. @param {Job} job */
  _later(job) {
    job.yields = false;
    job.message.search.fresh = false;
    this._waiting.push(job);
    return null;
  }

  /** The message of a search, with what is left of its limits. @param {Job} job */
  _left(job) {
    const {limits} = job.message.search,
      left = {...limits};
    if (limits.nodes) left.nodes = Math.max(1, limits.nodes - job.nodes);
    if (limits.seconds) left.seconds = Math.max(0.001, limits.seconds - job.seconds);
    return {search: {...job.message.search, limits: left}};
  }

  /** @param {Job} job @param {{lines?: Result, progress?: Progress}} told */
  _heard(job, {lines, progress}) {
    const {search} = job;
    if (!search || job.isEnded) return;
    if (lines && job.take(heard(lines)) && job.best) search.onLines?.(job.best);
    if (progress) {
      const {depth, nodes, seconds} = progress;
      search.onProgress?.({
        depth: Math.max(depth, job.best?.depth ?? 0),
        nodes: job.nodes + nodes,
        seconds: job.seconds + seconds,
      });
    }
  }
}
