// kr compiled to WebAssembly: kr/_engine/kr.h, called from JavaScript. Everything here is synchronous, but for a search
// that pauses.

import {Position} from "./rules.js";
import {KrError} from "./text.js";
import {MOST_LINE} from "./wire.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {"win" | "draw" | "loss"} Value */
/** @typedef {{seconds?: number, usualSeconds?: number, nodes?: number, depth?: number, within?: number}} Limits */
/** @typedef {{depth: number, score: number, moves: Move[]}} Line */
/** @typedef {{depth: number, lines: Line[], nodes: number, seconds: number, value: Value | null}} Result */
/** @typedef {{depth: number, nodes: number, seconds: number}} Progress */
/** @type {(Value | null)[]} */
export const VALUES = ["loss", "draw", "win", null];
export const POSITION_BYTES = 16;
export const MOVE_BYTES = 8;
const LINE_BYTES = 12,
  LIMITS_BYTES = 40,
  RESULT_BYTES = 56,
  SHARE_BYTES = 16,
  SHARES_BYTES = 8 * 32 + 8 + 4 * 32,
  EVALUATION_BYTES = 32 + 32 * SHARE_BYTES,
  CHOICE_BYTES = 12,
  MOST_CHOICES = 128,
  FACT_BYTES = 32,
  MOST_TOLD = 2,
  MOST_POSITIONS = 1024,
  MOST_PIECES = 8;

/** @type {any} */
export const wasm = WebAssembly;
/** A function of this engine can wait for JavaScript amid its work, without blocking its thread. */
export const CAN_PAUSE = typeof wasm.Suspending === "function" && typeof wasm.promising === "function";

/** The functions of the module, on one memory. */
export class Kr {
  /**
   * @param {WebAssembly.Module} module
   * @param {(kr: Kr) => void | Promise<void>} [onClock] called whenever a search asks for the time, which is often; one
   * that pauses waits for its promise
   * @param {Record<string, (at: number) => number>} [hears] functions of the module's own, called by what proves
   */
  constructor(module, onClock, hears) {
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
        kr_hear_proof: () => 0,
        kr_hear_check: () => 0,
        ...hears,
      },
    });
    /** @type {any} */
    this._kr = exports;
    this._kr._initialize();
    /** @type {{position: Position, hear: (result: Result) => void} | null} */
    this._listener = null;
    /** @type {any} */
    this._failed = null;
    this._positions = this._room(MOST_POSITIONS * POSITION_BYTES);
    this._limits = this._room(LIMITS_BYTES);
    this._result = this._room(RESULT_BYTES);
    this._evaluation = this._room(EVALUATION_BYTES);
    this._shares = this._room(SHARES_BYTES);
    this._choices = this._room(MOST_CHOICES * CHOICE_BYTES);
    this._facts = this._room(MOST_TOLD * FACT_BYTES);
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

  /** Ends the running search, from its clock. @param {number} engine */
  stop(engine) {
    this._kr.kr_stop(engine);
  }

  /** How far the running search is, from its clock. @param {number} engine @returns {Progress} */
  progress(engine) {
    this._kr.kr_progress(engine, this._pointer);
    return this._progressOf(this._pointer);
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
   * Why the first of two lines from a position is worse, the most telling first.
   * @param {number} database 0 for none
   * @param {Position} position
   * @param {readonly Move[]} played
   * @param {readonly Move[]} better
   * @returns {import("./house.js").Fact[]}
   */
  facts(database, position, played, better) {
    this._put([position]);
    const at = this._positions,
      first = at + POSITION_BYTES,
      length = this._putMoves(played, first),
      second = first + length * MOVE_BYTES,
      otherLength = this._putMoves(better, second);
    const count = this._kr.kr_line_facts(database, at, first, length, second, otherLength, this._facts);
    this._check(count);
    return Array.from({length: count}, (_, i) => {
      const fact = this._facts + i * FACT_BYTES,
        [better, plies, pieces, given, taken, square, origin] = Array.from({length: 7}, (_, field) =>
          this._view.getInt32(fact + 4 + 4 * field, true),
        );
      return {
        kind: this._text(this._view.getUint32(fact, true)),
        better: Boolean(better),
        ...{plies, count: pieces, given, taken, square: square - 1, origin: origin - 1},
      };
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
  _put(positions, first = this._positions) {
    const last = positions.slice(-MOST_POSITIONS),
      view = this._view;
    last.forEach(({black, white, kings, side}, i) => {
      const at = first + i * POSITION_BYTES;
      view.setUint32(at, black, true);
      view.setUint32(at + 4, white, true);
      view.setUint32(at + 8, kings, true);
      view.setInt32(at + 12, side, true);
    });
    return last.length;
  }

  /** Writes the first moves of a line, and returns their number. @param {readonly Move[]} line @param {number} first */
  _putMoves(line, first) {
    const moves = line.slice(0, MOST_LINE),
      view = this._view;
    moves.forEach(({origin, target, captured}, i) => {
      const at = first + i * MOVE_BYTES;
      view.setUint8(at, origin + 1);
      view.setUint8(at + 1, target + 1);
      view.setUint16(at + 2, 0, true);
      view.setUint32(at + 4, captured, true);
    });
    return moves.length;
  }

  /** @param {number} at @returns {Progress} */
  _progressOf(at) {
    const view = this._view;
    return {
      depth: view.getInt32(at, true),
      nodes: Number(view.getBigUint64(at + 8, true)),
      seconds: view.getFloat64(at + 16, true),
    };
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
