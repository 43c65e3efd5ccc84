// kr compiled to WebAssembly: kr/_engine/kr.h, called from JavaScript. Everything here is synchronous, but for a search
// that pauses.

import {formatFen} from "./notation.js";
import {Position} from "./rules.js";
import {KrError} from "./text.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {"win" | "draw" | "loss"} Value */
/** @typedef {{seconds?: number, usualSeconds?: number, nodes?: number, depth?: number, within?: number}} Limits */
/** @typedef {{depth: number, score: number, moves: Move[]}} Line */
/** @typedef {{depth: number, lines: Line[], nodes: number, seconds: number, value: Value | null}} Result */
/** @typedef {{depth: number, nodes: number, seconds: number}} Progress */
/**
 * How far a claim has come: proof and disproof numbers, and the line that it has most trouble with.
 * @typedef {{
 *   side: number, goal: "win" | "draw", holds: boolean | null, searches: number, proof: number, disproof: number,
 *   nodes: number, resists: string[],
 * }} ClaimState
 */
/**
 * isFull: its memory is.
 * @typedef {{
 *   least: Value, most: Value, isAnswered: boolean, seconds: number, isFull: boolean, claims: ClaimState[],
 * }} ProofState
 */
/** @typedef {{boards: Uint32Array, moves: Uint8Array, ranks: Uint16Array}} Columns of a certificate */
/**
 * fault: the name of its sentence, undefined if there is none; fen: where it is.
 * @typedef {{report: import("./proofs/told.js").CheckReport, fault: string | undefined, fen: string}} ColumnReport
 */

/** @type {(Value | null)[]} */
const VALUES = ["loss", "draw", "win", null];
/** Sentences of the faults of a certificate, by their numbers. */
const FAULTS = [
  ...[undefined, "fault.form", "fault.move", "fault.gap", "fault.against", "fault.rank", "fault.unused"],
  "fault.database",
];
const POSITION_BYTES = 16,
  MOVE_BYTES = 8,
  LINE_BYTES = 12,
  LIMITS_BYTES = 40,
  RESULT_BYTES = 56,
  SHARE_BYTES = 16,
  SHARES_BYTES = 8 * 32 + 8 + 4 * 32,
  EVALUATION_BYTES = 32 + 32 * SHARE_BYTES,
  CHOICE_BYTES = 12,
  CLAIM_BYTES = 56,
  PROOF_BYTES = 48,
  CERTIFICATE_BYTES = 16,
  REPORT_BYTES = 36,
  MOST_CHOICES = 128,
  MOST_POSITIONS = 1024,
  MOST_PIECES = 8;

/** @type {any} */
const wasm = WebAssembly;
/** A function of this engine can wait for JavaScript amid its work, without blocking its thread. */
export const CAN_PAUSE = typeof wasm.Suspending === "function" && typeof wasm.promising === "function";

/** The proved claims from which others follow: the win, or what each side has at least. @param {ClaimState[]} claims */
export function telling(claims) {
  const proved = claims.filter(({holds}) => holds),
    wins = proved.filter(({goal}) => goal === "win");
  return wins.length ? wins : proved;
}

/** The functions of the module, on one memory. */
export class Kr {
  /**
   * @param {WebAssembly.Module} module
   * @param {(kr: Kr) => void | Promise<void>} [onClock] called whenever a search asks for the time, which is often; one
   * that pauses waits for its promise
   */
  constructor(module, onClock) {
    const clock = (/** @type {number} */ _id, /** @type {bigint} */ _precision, /** @type {number} */ at) => {
      const tell = () => {
        this._view.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      };
      const waits = onClock?.(this);
      return waits ? waits.then(tell) : tell();
    };
    const {exports} = new WebAssembly.Instance(module, {
      wasi_snapshot_preview1: {clock_time_get: CAN_PAUSE ? new wasm.Suspending(clock) : clock},
      env: {
        kr_listen: (/** @type {number} */ at) => this._heard(at),
        kr_hear_proof: (/** @type {number} */ at) => this._heardOfProof(at),
        kr_hear_check: () => 0,
      },
    });
    /** @type {any} */
    this._kr = exports;
    this._kr._initialize();
    /** @type {{position: Position, hear: (result: Result) => void} | null} */
    this._listener = null;
    /** What hears of a proof, and its root. @type {{position: Position, hear: (state: ProofState) => void} | null} */
    this._proofListener = null;
    /** @type {any} */
    this._failed = null;
    this._positions = this._room(MOST_POSITIONS * POSITION_BYTES);
    this._limits = this._room(LIMITS_BYTES);
    this._result = this._room(RESULT_BYTES);
    this._evaluation = this._room(EVALUATION_BYTES);
    this._shares = this._room(SHARES_BYTES);
    this._choices = this._room(MOST_CHOICES * CHOICE_BYTES);
    this._proof = this._room(PROOF_BYTES);
    this._certificate = this._room(CERTIFICATE_BYTES);
    this._report = this._room(REPORT_BYTES);
    this._pointer = this._room(64);
  }

  /** Bytes of its memory. */
  get bytes() {
    return this._kr.memory.buffer.byteLength;
  }

  /** Version of kr. */
  get version() {
    return this._text(this._kr.kr_version());
  }

  /** Region tables, from the bytes of their file. @param {Uint8Array} bytes @returns {number} a handle */
  readTables(bytes) {
    return this._read(bytes, (at, size) => this._kr.kr_read_tables(this._pointer, at, size));
  }

  /** A policy of what people play, from the bytes of its file. @param {Uint8Array} bytes @returns {number} a handle */
  readPolicy(bytes) {
    return this._read(bytes, (at, size) => this._kr.kr_read_policy(this._pointer, at, size));
  }

  /**
   * An endgame database from its files, whose bytes stay in memory.
   * @param {Uint8Array[]} files
   * @returns {number} a handle
   */
  readDatabase(files, unpacked = 0) {
    const list = this._room(8 * files.length);
    files.forEach((bytes, i) => {
      const at = this._copied(bytes);
      this._view.setUint32(list + 8 * i, at, true);
      this._view.setUint32(list + 8 * i + 4, bytes.length, true);
    });
    const error = this._kr.kr_read_database(this._pointer, list, files.length, unpacked);
    this._kr.free(list);
    this._check(error);
    return this._view.getUint32(this._pointer, true);
  }

  /** An engine. @param {number} tables @param {number} database 0 for none @param {number} hashBytes */
  openEngine(tables, database, hashBytes) {
    this._check(this._kr.kr_open_engine(this._pointer, tables, database, hashBytes));
    return this._view.getUint32(this._pointer, true);
  }

  /** Forgets everything, for a new game. @param {number} engine */
  clear(engine) {
    this._check(this._kr.kr_clear(engine));
  }

  /** Looks up positions with this many pieces or fewer alone. @param {number} engine @param {number} pieces */
  limitDatabase(engine, pieces) {
    this._check(this._kr.kr_limit_database(engine, pieces));
  }

  /**
   * Searches the last of some positions; those before are the game so far.
   * @param {number} engine
   * @param {readonly Position[]} positions
   * @param {Limits} limits
   * @param {number} lines
   * @param {(result: Result) => void} [hear] gets what each iteration has found; it may call stop
   * @returns {Result} what was found by then
   */
  search(engine, positions, limits, lines, hear) {
    const position = this._begin(engine, positions, limits, lines, hear);
    try {
      const {kr_search: search, kr_search_heard: searchHeard} = this._kr;
      this._check(
        hear ? searchHeard(engine, this._limits, this._result) : search(engine, this._limits, 0, 0, this._result),
      );
    } finally {
      this._listener = null;
    }
    return this._end(position);
  }

  /**
   * A search that pauses where its clock says so. Meanwhile nothing but `stop` and `progress` may be called.
   * @param {number} engine
   * @param {readonly Position[]} positions
   * @param {Limits} limits
   * @param {number} lines
   * @param {(result: Result) => void} hear
   */
  async searchPausing(engine, positions, limits, lines, hear) {
    const position = this._begin(engine, positions, limits, lines, hear);
    try {
      this._check(await wasm.promising(this._kr.kr_search_heard)(engine, this._limits, this._result));
    } finally {
      this._listener = null;
    }
    return this._end(position);
  }

  /**
   * @param {number} engine
   * @param {readonly Position[]} positions
   * @param {Limits} limits
   * @param {number} lines
   * @param {((result: Result) => void) | undefined} hear
   */
  _begin(engine, positions, limits, lines, hear) {
    const position = positions[positions.length - 1],
      count = this._put(positions);
    this._check(this._kr.kr_set_game(engine, this._positions, count));
    this._limitsOf(limits, lines);
    this._failed = null;
    this._listener = hear ? {position, hear} : null;
    return position;
  }

  /** Writes limits, and returns where. @param {Limits} limits */
  _limitsOf({seconds = 0, usualSeconds, nodes = 0, depth = 0, within = 0}, lines = 1) {
    const view = this._view,
      at = this._limits;
    view.setFloat64(at, seconds, true);
    view.setFloat64(at + 8, usualSeconds ?? 0, true);
    view.setBigUint64(at + 16, BigInt(nodes), true);
    view.setInt32(at + 24, depth, true);
    view.setInt32(at + 28, lines, true);
    view.setInt32(at + 32, usualSeconds === undefined ? 0 : 1, true);
    view.setInt32(at + 36, within, true);
    return at;
  }

  /** @param {Position} position */
  _end(position) {
    if (this._failed) throw this._failed;
    return this._found(this._result, position);
  }

  /**
   * Proves the value of a position.
   * @param {number} engine
   * @param {Position} position
   * @param {{seconds: number, memory: number}} limits memory: bytes that the proof may hold
   * @param {(state: ProofState) => void} hear gets how far it is, after each search
   * @param {boolean} pauses where its clock says so; meanwhile nothing but `stop` and `progress` may be called
   * @returns {Promise<{state: ProofState, proved: {claim: ClaimState, columns: Columns}[]}>} the claims from which all
   *   that is proved follows
   */
  async prove(engine, position, {seconds, memory}, hear, pauses) {
    this._put([position]);
    this._check(this._kr.kr_open_proof(this._pointer, engine, this._positions, 0, memory));
    const handle = this._view.getUint32(this._pointer, true),
      prove = pauses ? wasm.promising(this._kr.kr_prove_heard) : this._kr.kr_prove_heard;
    this._failed = null;
    this._proofListener = {position, hear};
    try {
      this._check(await prove(handle, this._limitsOf({seconds}), this._proof));
      if (this._failed) throw this._failed;
      const state = this._stateOf(this._proof, position),
        proved = telling(state.claims).map(claim => ({
          claim,
          columns: this._columns(handle, state.claims.indexOf(claim)),
        }));
      return {state, proved};
    } finally {
      this._proofListener = null;
      this._kr.kr_close_proof(handle);
    }
  }

  /** The certificate of a claim, by its number. @param {number} proof @param {number} claim @returns {Columns} */
  _columns(proof, claim) {
    const at = this._certificate;
    this._check(this._kr.kr_certify(proof, claim, at));
    const view = this._view,
      count = view.getInt32(at, true),
      bytes = (/** @type {number} */ field, /** @type {number} */ size) =>
        this._kr.memory.buffer.slice(view.getUint32(at + field, true), view.getUint32(at + field, true) + size);
    return {
      boards: new Uint32Array(bytes(4, 12 * count)),
      moves: new Uint8Array(bytes(8, count)),
      ranks: new Uint16Array(bytes(12, 2 * count)),
    };
  }

  /**
   * Checks that columns prove a claim.
   * @param {number} database
   * @param {{root: Position, side: number, goal: "win" | "draw"}} claim
   * @param {Columns} columns
   * @param {{pieces: number, classes: readonly string[]}} reach of the database whose values end lines
   * @returns {ColumnReport}
   */
  checkColumns(database, {root, side, goal}, {boards, moves, ranks}, {pieces, classes}) {
    const given = [boards, moves, ranks, Uint8Array.from(classes, name => Number(name[0]) * 16 + Number(name[2]))],
      places = given.map(({buffer, byteOffset, byteLength}) =>
        this._copied(new Uint8Array(buffer, byteOffset, byteLength)),
      ),
      at = this._certificate,
      report = this._report;
    this._view.setInt32(at, moves.length, true);
    places.slice(0, 3).forEach((place, i) => {
      this._view.setUint32(at + 4 + 4 * i, place, true);
    });
    this._put([root]);
    const error = this._kr.kr_check_certificate(
      ...[database, this._positions, side, VALUES.indexOf(goal), at, pieces, places[3], classes.length, report],
    );
    for (const place of places) this._kr.kr_give_room(place);
    this._check(error);
    const view = this._view,
      [positions, leaves, longest, quiet, fault] = [0, 4, 8, 12, 16].map(field => view.getInt32(report + field, true)),
      [black, white, kings, mover] = [20, 24, 28, 32].map(field => view.getUint32(report + field, true)),
      known = (/** @type {number} */ plies) => (plies < 0 ? null : plies);
    return {
      report: {positions, in_database: leaves, longest: known(longest), quiet: known(quiet)},
      fault: FAULTS[fault],
      fen: fault ? formatFen({black, white, kings, side: mover}) : "",
    };
  }

  /** Ends the running search, from its clock. @param {number} engine */
  stop(engine) {
    this._kr.kr_stop(engine);
  }

  /** How far the running search is, from its clock. @param {number} engine @returns {Progress} */
  progress(engine) {
    this._kr.kr_progress(engine, this._pointer);
    return {
      depth: this._view.getInt32(this._pointer, true),
      nodes: Number(this._view.getBigUint64(this._pointer + 8, true)),
      seconds: this._view.getFloat64(this._pointer + 16, true),
    };
  }

  /**
   * Static score of a position and the shares of regions and of the piece on each square, in centi-men of the side to
   * move; worths: what the score loses without the piece.
   * @param {number} engine
   * @param {Position} position
   */
  evaluate(engine, position) {
    this._put([position]);
    this._check(this._kr.kr_evaluate(engine, this._positions, this._evaluation));
    this._check(this._kr.kr_share_out(engine, this._positions, this._shares));
    const view = this._view,
      at = this._evaluation,
      regions = [];
    for (let i = 0; i < view.getInt32(at + 24, true); i++) {
      const share = at + 32 + i * SHARE_BYTES;
      regions.push({squares: view.getUint32(share, true), score: view.getFloat64(share + 8, true)});
    }
    return {
      score: view.getInt32(at, true),
      material: view.getFloat64(at + 8, true),
      turn: view.getFloat64(at + 16, true),
      regions,
      shares: Array.from({length: 32}, (_, square) => view.getFloat64(this._shares + 8 * square, true)),
      empty: view.getFloat64(this._shares + 256, true),
      worths: Array.from({length: 32}, (_, square) => view.getInt32(this._shares + 264 + 4 * square, true)),
    };
  }

  /** Groups of players that a policy distinguishes by their strength. @param {number} policy */
  groups(policy) {
    return this._kr.kr_policy_groups(policy);
  }

  /**
   * The moves of the last position as people play them, the likeliest first.
   * @param {number} policy
   * @param {number} tables
   * @param {readonly Position[]} positions up to two before it, the oldest first, then the position
   * @param {number} group of the mover: 0 the strongest, -1 for any player
   */
  people(policy, tables, positions, group) {
    const position = positions[positions.length - 1],
      given = this._put(positions),
      count = this._kr.kr_people(policy, tables, this._positions, given, group, this._choices);
    this._check(count);
    return Array.from({length: count}, (_, i) => {
      const at = this._choices + i * CHOICE_BYTES;
      return {move: this._move(at, position), probability: this._view.getFloat32(at + 8, true)};
    });
  }

  /**
   * Most pieces up to which every position has a value, and a distance; and the classes with more pieces that have
   * values, such as "4v4".
   * @param {number} database
   */
  reach(database) {
    const pieces = this._kr.kr_database_pieces(database),
      classes = [];
    for (let count = pieces + 1; count <= MOST_PIECES; count++)
      for (let own = Math.ceil(count / 2); own < count; own++)
        if (this.hasClass(database, own, count - own)) classes.push(`${own}v${count - own}`);
    return {pieces, classes, distancePieces: this._kr.kr_distance_pieces(database)};
  }

  /** Whether all positions with these pieces of the two sides have values. */
  hasClass(/** @type {number} */ database, /** @type {number} */ own, /** @type {number} */ other) {
    return Boolean(this._kr.kr_has_class(database, own, other));
  }

  /**
   * Value of a position for the side to move; null if it isn't known.
   * @param {number} database
   * @param {Position} position
   */
  value(database, position) {
    this._put([position]);
    const value = this._kr.kr_value(database, this._positions);
    this._check(value);
    return VALUES[value];
  }

  /**
   * Plies to the end of a win or loss; null if they aren't known.
   * @param {number} database
   * @param {Position} position
   * @returns {number | null}
   */
  distance(database, position) {
    this._put([position]);
    const plies = this._kr.kr_distance(database, this._positions);
    if (plies < -1) this._check(plies);
    return plies < 0 ? null : plies;
  }

  // --

  // the memory may have grown, and its buffer with it
  get _view() {
    return new DataView(this._kr.memory.buffer);
  }

  /** @param {number} bytes */
  _room(bytes) {
    const at = this._kr.malloc(bytes);
    if (!at) throw new KrError("not enough memory");
    return at;
  }

  /** @param {Uint8Array} bytes */
  _copied(bytes) {
    const at = this._kr.kr_take_room(bytes.length);
    if (!at) throw new KrError("not enough memory");
    new Uint8Array(this._kr.memory.buffer).set(bytes, at);
    return at;
  }

  /** @param {Uint8Array} bytes @param {(at: number, size: number) => number} read @returns {number} */
  _read(bytes, read) {
    const at = this._copied(bytes),
      error = read(at, bytes.length);
    this._kr.kr_give_room(at);
    this._check(error);
    return this._view.getUint32(this._pointer, true);
  }

  /** @param {number} error */
  _check(error) {
    if (error < 0) throw new KrError(this._text(this._kr.kr_error_text(error)));
  }

  /** @param {number} at */
  _text(at) {
    const bytes = new Uint8Array(this._kr.memory.buffer);
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  /** Writes the last positions, and returns their number. @param {readonly Position[]} positions */
  _put(positions) {
    const last = positions.slice(-MOST_POSITIONS),
      view = this._view;
    last.forEach(({black, white, kings, side}, i) => {
      const at = this._positions + i * POSITION_BYTES;
      view.setUint32(at, black, true);
      view.setUint32(at + 4, white, true);
      view.setUint32(at + 8, kings, true);
      view.setInt32(at + 12, side, true);
    });
    return last.length;
  }

  /** @param {number} at @param {Position} position */
  _move(at, position) {
    const view = this._view;
    return position.findMove(view.getUint8(at) - 1, view.getUint8(at + 1) - 1, view.getUint32(at + 4, true));
  }

  /** @param {number} at @param {Position} position @returns {Result} */
  _found(at, position) {
    const view = this._view,
      depth = Math.max(view.getInt32(at, true), 1),
      lines = [];
    for (let i = 0; i < view.getInt32(at + 4, true); i++) {
      const line = view.getUint32(at + 8, true) + i * LINE_BYTES,
        first = view.getUint32(line + 8, true),
        moves = [];
      let here = position;
      for (let j = 0; j < view.getInt32(line + 4, true); j++) {
        const move = this._move(first + j * MOVE_BYTES, here);
        moves.push(move);
        here = here.after(move);
      }
      lines.push({depth, score: view.getInt32(line, true), moves});
    }
    return {
      depth,
      lines,
      nodes: Number(view.getBigUint64(at + 16, true)),
      seconds: view.getFloat64(at + 40, true),
      value: VALUES[view.getInt32(at + 48, true)],
    };
  }

  /** @param {number} at @param {Position} position @returns {ProofState} */
  _stateOf(at, position) {
    const view = this._view,
      first = view.getUint32(at + 16, true);
    return {
      least: /** @type {Value} */ (VALUES[view.getInt32(at, true)]),
      most: /** @type {Value} */ (VALUES[view.getInt32(at + 4, true)]),
      isAnswered: Boolean(view.getInt32(at + 8, true)),
      seconds: view.getFloat64(at + 32, true),
      isFull: Boolean(view.getInt32(at + 44, true)),
      claims: Array.from({length: view.getInt32(at + 12, true)}, (_, i) =>
        this._claim(first + i * CLAIM_BYTES, position),
      ),
    };
  }

  /** @param {number} at @param {Position} position @returns {ClaimState} */
  _claim(at, position) {
    const view = this._view,
      moves = view.getUint32(at + 52, true),
      holds = view.getInt32(at + 8, true),
      resists = [];
    let here = position;
    for (let i = 0; i < view.getInt32(at + 48, true); i++) {
      const move = this._move(moves + i * MOVE_BYTES, here);
      resists.push(move);
      here = here.after(move);
    }
    return {
      side: view.getInt32(at, true),
      goal: view.getInt32(at + 4, true) === VALUES.indexOf("win") ? "win" : "draw",
      holds: holds < 0 ? null : holds > 0,
      searches: view.getInt32(at + 12, true),
      proof: view.getFloat64(at + 16, true),
      disproof: view.getFloat64(at + 24, true),
      nodes: Number(view.getBigUint64(at + 32, true)),
      resists: resists.map(String),
    };
  }

  /** What a proof tells after a search. @param {number} at @returns {number} anything but 0 ends it */
  _heardOfProof(at) {
    if (!this._proofListener) return 0;
    try {
      this._proofListener.hear(this._stateOf(at, this._proofListener.position));
      return 0;
    } catch (error) {
      this._failed = error;
      return 1;
    }
  }

  /** What the search tells after an iteration. @param {number} at @returns {number} anything but 0 ends it */
  _heard(at) {
    if (!this._listener) return 0;
    try {
      this._listener.hear(this._found(at, this._listener.position));
      return 0;
    } catch (error) {
      // it may not pass through the module
      this._failed = error;
      return 1;
    }
  }
}
