// Searches, static scores and people's moves, one after another: what the engine's Worker does, and tests do without
// one.

import {ProvingKr} from "./proving.js";
import {release} from "./release.js";
import {moveOf, positionOf} from "./wire.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./kr.js").Limits} Limits */
/** @typedef {import("./kr.js").Progress} Progress */
/** @typedef {import("./kr.js").Result} Result */
/** @typedef {import("./proving.js").ProofState} ProofState */

const SMALL_HASH = 1 << 19,
  BACKGROUND_HASH = 4 << 20;
const STOP_MS = 80,
  PROGRESS_MS = 500;
const ALL_PIECES = 24;
/** Bytes of a proof, and of those about a problem: a phone has room for them. */
const PROOF_BYTES = 64 << 20;

/** small: of the levels below full strength. @typedef {"usual" | "small" | "background"} Memory */
/**
 * A search as it goes to the Worker. positions: the game so far, the one to search last, as [black, white, kings,
 * side]. fresh: forget everything first; memory: of which engine; database: look positions up.
 * @typedef {{
 *   positions: number[][], limits: Limits, lines: number, fresh: boolean, memory: Memory, database: boolean,
 * }} Request
 */

export class Searcher {
  /**
   * @param {WebAssembly.Module} module
   * @param {{tables: Uint8Array, policy: Uint8Array, database: Uint8Array[] | null}} files
   * @param {number} hashBytes
   * @param {() => number} [now] milliseconds
   */
  constructor(module, files, hashBytes, now = () => performance.now()) {
    this._kr = new ProvingKr(module, () => this._tick());
    this._now = now;
    this._tables = this._kr.readTables(files.tables);
    release(files.tables);
    this._policy = this._kr.readPolicy(files.policy);
    release(files.policy);
    this._database = files.database ? this._kr.readDatabase(files.database) : 0;
    this._engine = this._kr.openEngine(this._tables, this._database, hashBytes);
    /** @type {Record<Memory, number>} */
    this._engines = {usual: this._engine, small: 0, background: 0};
    this._running = 0;
    /** @type {() => boolean | Promise<void>} */
    this._look = () => false;
    /** @type {(progress: Progress) => void} */
    this._tell = () => {};
    this._stopAt = this._tellAt = 0;
  }

  /** Bytes of its memory. */
  get bytes() {
    return this._kr.bytes;
  }

  /**
   * @param {Request} request
   * @param {{isStopped?: () => boolean, onLines?: (result: Result) => void, onProgress?: (progress: Progress) => void}}
   * [calls]
   * @returns {Result}
   */
  search(request, {isStopped, onLines, onProgress} = {}) {
    const engine = this._start(request, isStopped ?? (() => false), onProgress);
    try {
      // without a limit a listener has to be there
      return this._kr.search(engine, positionsOf(request), request.limits, request.lines, onLines ?? (() => {}));
    } finally {
      this._running = 0;
    }
  }

  /**
   * A search that now and then lets its thread do what else there is, such as call `stop`.
   * @param {Request} request
   * @param {{onLines: (result: Result) => void, onProgress: (progress: Progress) => void}} calls
   * @returns {Promise<Result>}
   */
  async searchPausing(request, {onLines, onProgress}) {
    const engine = this._start(request, turn, onProgress);
    try {
      return await this._kr.searchPausing(engine, positionsOf(request), request.limits, request.lines, onLines);
    } finally {
      this._running = 0;
    }
  }

  /**
   * Proves the value of a position, as far as the time allows.
   * @param {{position: number[], seconds: number}} request
   * @param {{isStopped?: () => boolean, onProof: (state: ProofState) => void}} calls isStopped: else it pauses
   */
  prove({position, seconds}, {isStopped, onProof}) {
    const limits = {seconds, memory: PROOF_BYTES};
    return this._proving(isStopped, engine =>
      this._kr.prove(engine, positionOf(position), limits, this._seldom(onProof), !isStopped),
    );
  }

  /**
   * Checks a problem, as far as the time allows.
   * @param {{position: number[], result: "win" | "draw" | "", strict: boolean, seconds: number}} request
   * @param {{isStopped?: () => boolean, onChecked: (progress: {nodes: number, seconds: number}) => void}} calls
   *   isStopped: else it pauses
   */
  checkProblem({position, ...request}, {isStopped, onChecked}) {
    const asked = {...request, memory: PROOF_BYTES};
    return this._proving(isStopped, engine =>
      this._kr.checkProblem(engine, positionOf(position), asked, this._seldom(onChecked), !isStopped),
    );
  }

  /**
   * The positions in which a key is possible after some changes of one.
   * @param {{position: number[], changes: number, captures: boolean}} request
   */
  changed({position, changes, captures}) {
    return this._kr.changedPositions(positionOf(position), changes, captures);
  }

  /**
   * Checks a variation.
   * @param {{position: number[], goal: "win" | "draw" | "value", strict: boolean, seconds: number}} request
   * @param {{isStopped?: () => boolean}} calls isStopped: else it pauses
   */
  checkVariation({position, ...request}, {isStopped}) {
    const asked = {...request, memory: PROOF_BYTES};
    return this._proving(isStopped, engine => this._kr.checkVariation(engine, positionOf(position), asked, !isStopped));
  }

  /**
   * @template Found
   * @param {(() => boolean) | undefined} isStopped
   * @param {(engine: number) => Promise<Found>} prove
   */
  async _proving(isStopped, prove) {
    const engine = this._start({fresh: true, memory: "usual", database: true}, isStopped ?? turn, undefined);
    try {
      return await prove(engine);
    } finally {
      this._running = 0;
    }
  }

  /** Tells no more than a few times a second. @template Told @param {(told: Told) => void} tell */
  _seldom(tell) {
    let next = 0;
    return (/** @type {Told} */ told) => {
      const now = this._now();
      if (now < next) return;
      next = now + PROGRESS_MS / 2;
      tell(told);
    };
  }

  /**
   * Checks columns of a certificate.
   * @param {{
   *   root: number[], side: number, goal: "win" | "draw", columns: import("./proving.js").Columns,
   *   reach: {pieces: number, classes: readonly string[]},
   * }} request
   */
  checkColumns({root, side, goal, columns, reach}) {
    return this._kr.checkColumns(this._database, {root: positionOf(root), side, goal}, columns, reach);
  }

  /** Ends the running search. */
  stop() {
    if (this._running) this._kr.stop(this._running);
  }

  /**
   * @param {Pick<Request, "fresh" | "memory" | "database">} request
   * @param {() => boolean | Promise<void>} look
   * @param {((progress: Progress) => void) | undefined} tell
   */
  _start({fresh, memory, database}, look, tell) {
    const engine = (this._engines[memory] ||= this._kr.openEngine(
      this._tables,
      this._database,
      memory === "small" ? SMALL_HASH : BACKGROUND_HASH,
    ));
    if (fresh) this._kr.clear(engine);
    if (this._database) this._kr.limitDatabase(engine, database ? ALL_PIECES : 0);
    this._running = engine;
    this._look = look;
    this._tell = tell ?? (() => {});
    this._stopAt = this._tellAt = this._now();
    return engine;
  }

  /** @param {number[]} bits */
  evaluate(bits) {
    return this._kr.evaluate(this._engine, positionOf(bits));
  }

  /** @param {number[][]} positions */
  scores(positions) {
    return positions.map(bits => this.evaluate(bits).score);
  }

  /** @param {number[][]} positions @param {number} group */
  people(positions, group) {
    return this._kr.people(this._policy, this._tables, positions.map(positionOf), group);
  }

  /** @param {{position: number[], played: Move[], better: Move[]}} lines */
  facts({position, played, better}) {
    const [first, second] = [played, better].map(line => line.map(moveOf));
    return this._kr.facts(this._database, positionOf(position), first, second);
  }

  // a search asks for the time every few thousand nodes: the only moment at which it can be spoken to
  _tick() {
    if (!this._running) return;
    const now = this._now();
    if (now >= this._tellAt + PROGRESS_MS) {
      this._tellAt = now;
      this._tell(this._kr.progress(this._running));
    }
    if (now >= this._stopAt + STOP_MS) {
      this._stopAt = now;
      const stops = this._look();
      if (stops instanceof Promise) return stops;
      if (stops) this.stop();
    }
  }
}

/** @param {Request} request */
const positionsOf = ({positions}) => positions.map(positionOf);

/** @type {MessageChannel | null} */
let channel = null;
/** @type {() => void} */
let wake = () => {};

/** Lets the thread take what waits for it. @returns {Promise<void>} */
function turn() {
  if (!channel) {
    // one for all: what a port holds would wait long for the garbage collector
    channel = new MessageChannel();
    channel.port1.onmessage = () => wake();
  }
  const {port2} = channel;
  return new Promise(resolve => {
    wake = resolve;
    port2.postMessage(0);
  });
}
