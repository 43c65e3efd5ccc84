// kr's proofs in WebAssembly, called from JavaScript: a position's value, certificates, problems.

import {Kr, MOVE_BYTES, POSITION_BYTES, VALUES, wasm} from "./kr.js";
import {formatFen} from "./notation.js";
import {Position, sideName} from "./rules.js";

/** @typedef {import("../texts.js").Said} Said */
/** @typedef {import("../texts.js").Sentence} Sentence */
/** @typedef {import("./house.js").Soundness} Soundness */
/** @typedef {import("./house.js").Way} Way */
/** @typedef {import("./kr.js").Value} Value */
/**
 * How far a claim has come: proof and disproof numbers, and the line that it has most trouble with.
 * @typedef {{
 *   side: number, goal: "win" | "draw", holds: boolean | null, searches: number, proof: number, disproof: number,
 *   nodes: number, resists: string[],
 * }} ClaimState
 */
/**
 * limit: what has ended it before it was answered.
 * @typedef {{
 *   least: Value, most: Value, isAnswered: boolean, seconds: number, limit: Sentence | "", claims: ClaimState[],
 * }} ProofState
 */
/** @typedef {{seconds: number, memory: number}} WorkLimits memory: bytes that the work may hold */
/** @typedef {{boards: Uint32Array, moves: Uint8Array, ranks: Uint16Array}} Columns of a certificate */
/**
 * fault: the name of its sentence, undefined if there is none; fen: where it is.
 * @typedef {{report: import("./proofs/told.js").CheckReport, fault: string | undefined, fen: string}} ColumnReport
 */

/** Sentences of the faults of a certificate, by their numbers. */
const FAULTS = [
  ...[undefined, "fault.form", "fault.move", "fault.gap", "fault.against", "fault.rank", "fault.unused"],
  "fault.database",
];
const VERDICTS = /** @type {const} */ (["sound", "cook", "dual", "unsound", "undecided"]);
/** Why a line ends. */
const ENDS = ["", "plain", "over", "repeated", "dual"];
/** What proves an answer. */
const GROUNDS = ["", "rules", "database", "certificate"];
/** What is done to a piece. */
const KINDS = ["move", "add", "remove", "crown", "uncrown"];
/** A man and a king of either side. */
const PIECES = ["bB", "wW"];
const CLAIM_BYTES = 56,
  PROOF_BYTES = 48,
  PROBLEM_BYTES = 32,
  STEP_BYTES = 20,
  CHANGED_BYTES = 36,
  WAY_BYTES = 24,
  CERTIFICATE_BYTES = 16,
  REPORT_BYTES = 36;

/** How many positions there are. @param {Uint8Array} bytes of `changedPositions` */
export const changedCount = bytes => bytes.length / CHANGED_BYTES;

/**
 * A changed position, and the changes that lead to it.
 * @param {Uint8Array} bytes of `changedPositions`
 * @param {number} index
 * @returns {{position: Position, changes: import("../composing/state.js").Change[]}}
 */
export function changedAt(bytes, index) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + index * CHANGED_BYTES, CHANGED_BYTES),
    [black, white, kings, side, count] = [0, 4, 8, 12, 16].map(field => view.getUint32(field, true));
  return {
    position: new Position(black, white, kings, side),
    changes: counted(count, i => {
      const [kind, ofSide, king, square, target] = [0, 1, 2, 3, 4].map(field => view.getUint8(20 + 8 * i + field));
      return {kind: KINDS[kind], piece: PIECES[ofSide][king], square, target: target || null};
    }),
  };
}

/** The proved claims from which others follow: the win, or what each side has at least. @param {ClaimState[]} claims */
export function telling(claims) {
  const proved = claims.filter(({holds}) => holds),
    wins = proved.filter(({goal}) => goal === "win");
  return wins.length ? wins : proved;
}

/** The functions of the module that prove as well. */
export class ProvingKr extends Kr {
  /**
   * @param {WebAssembly.Module} module
   * @param {(kr: Kr) => void | Promise<void>} [onClock] as for Kr
   */
  constructor(module, onClock) {
    const hear = (/** @type {number} */ at) => this._hear(at);
    super(module, onClock, {kr_hear_proof: hear, kr_hear_check: hear});
    /** What hears of a proof after each of its searches. @type {((at: number) => void) | null} */
    this._hearer = null;
    this._proof = this._room(PROOF_BYTES);
    this._problem = this._room(PROBLEM_BYTES);
    this._certificate = this._room(CERTIFICATE_BYTES);
    this._report = this._room(REPORT_BYTES);
  }

  /**
   * Proves the value of a position.
   * @param {number} engine
   * @param {Position} position
   * @param {WorkLimits} limits
   * @param {(state: ProofState) => void} hear gets how far it is, after each search
   * @param {boolean} pauses where its clock says so; meanwhile nothing but `stop` and `progress` may be called
   * @returns {Promise<{state: ProofState, proved: {claim: ClaimState, columns: Columns}[]}>} the claims from which all
   *   that is proved follows
   */
  async prove(engine, position, limits, hear, pauses) {
    const {seconds, memory} = limits;
    this._put([position]);
    this._check(this._kr.kr_open_proof(this._pointer, engine, this._positions, 0, memory));
    const handle = this._view.getUint32(this._pointer, true);
    try {
      const given = [handle, this._limitsOf({seconds}), this._proof];
      await this._run("kr_prove_heard", given, pauses, at => hear(this._stateOf(at, position, limits)));
      const state = this._stateOf(this._proof, position, limits),
        proved = telling(state.claims).map(claim => ({
          claim,
          columns: this._columns(handle, state.claims.indexOf(claim)),
        }));
      return {state, proved};
    } finally {
      this._kr.kr_close_proof(handle);
    }
  }

  /**
   * Checks whether a position is a sound problem whose side to move is to reach a result, "" for the proved one.
   * @param {number} engine
   * @param {Position} position
   * @param {{result: "win" | "draw" | "", strict: boolean, seconds: number, memory: number}} asked as for `prove`
   * @param {(progress: {nodes: number, seconds: number}) => void} hear gets how far it is, after each search
   * @param {boolean} pauses as for `prove`
   * @returns {Promise<Soundness>}
   */
  async checkProblem(engine, position, {result, strict, seconds, memory}, hear, pauses) {
    const at = this._problem,
      view = this._view,
      limits = {seconds, memory};
    this._begun(engine, position);
    [VALUES.indexOf(result || null), strict ? 1 : 0, 0, 0].forEach((field, i) => {
      view.setInt32(at + POSITION_BYTES + 4 * i, field, true);
    });
    const given = [engine, at, this._limitsOf({seconds}), memory, this._pointer];
    await this._run("kr_check_problem_heard", given, pauses, told => hear(this._progressOf(told)));
    return this._taken(found => this._soundnessOf(found, position, limits));
  }

  /**
   * Checks a position as a problem whose side to move is to reach a goal, "value" for either; of what is not sound but
   * for duals nothing but the verdict counts.
   * @param {number} engine
   * @param {Position} position
   * @param {{goal: "win" | "draw" | "value", strict: boolean, seconds: number, memory: number}} asked
   * @param {boolean} pauses as for `prove`
   * @returns {Promise<{found: Soundness, rank: number}>}
   */
  async checkVariation(engine, position, {goal, strict, seconds, memory}, pauses) {
    this._begun(engine, position);
    const flags = [goal !== "draw", goal !== "win", strict].map(Number),
      given = [engine, this._problem, ...flags, this._limitsOf({seconds}), memory, this._pointer];
    await this._run("kr_check_variation_heard", given, pauses, () => {});
    return this._taken(at => ({
      found: this._soundnessOf(at, position, {seconds, memory}),
      rank: this._view.getInt32(at + 92, true),
    }));
  }

  /**
   * Puts down the position of a problem; a stop that came late is withdrawn.
   * @param {number} engine
   * @param {Position} position
   */
  _begun(engine, position) {
    this._put([position], this._problem);
    this._check(this._kr.kr_set_game(engine, this._problem, 1));
  }

  /** Reads what was found, and frees it. @template Found @param {(at: number) => Found} read */
  _taken(read) {
    const at = this._view.getUint32(this._pointer, true);
    try {
      return read(at);
    } finally {
      this._kr.kr_free_soundness(at);
    }
  }

  /**
   * The positions after at most so many changes of one in which a key is possible, for `changedAt`.
   * @param {Position} position
   * @param {number} most
   * @param {boolean} captures also those where the side to move captures
   */
  changedPositions(position, most, captures) {
    this._put([position], this._problem);
    const count = this._kr.kr_changed_positions(this._problem, most, Number(captures), this._pointer);
    this._check(count);
    const at = this._view.getUint32(this._pointer, true),
      bytes = new Uint8Array(this._kr.memory.buffer.slice(at, at + count * CHANGED_BYTES));
    this._kr.kr_free_positions(at);
    return bytes;
  }

  /**
   * Calls a function of the module that tells how far it is.
   * @param {string} name
   * @param {number[]} given
   * @param {boolean} pauses
   * @param {(at: number) => void} hear
   */
  async _run(name, given, pauses, hear) {
    const call = pauses ? wasm.promising(this._kr[name]) : this._kr[name];
    this._failed = null;
    this._hearer = hear;
    try {
      this._check(await call(...given));
    } finally {
      this._hearer = null;
    }
    if (this._failed) throw this._failed;
  }

  /** What is told after a search. @param {number} at @returns {number} anything but 0 ends the work */
  _hear(at) {
    try {
      this._hearer?.(at);
      return 0;
    } catch (error) {
      // it may not pass through the module
      this._failed = error;
      return 1;
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

  /** @param {number} at @param {Position} position @param {WorkLimits} limits @returns {ProofState} */
  _stateOf(at, position, limits) {
    const view = this._view,
      first = view.getUint32(at + 16, true),
      isAnswered = Boolean(view.getInt32(at + 8, true)),
      seconds = view.getFloat64(at + 32, true);
    return {
      least: /** @type {Value} */ (VALUES[view.getInt32(at, true)]),
      most: /** @type {Value} */ (VALUES[view.getInt32(at + 4, true)]),
      isAnswered,
      seconds,
      limit: isAnswered ? "" : reached(limits, seconds, view.getInt32(at + 44, true)),
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
      goal: goalOf(view.getInt32(at + 4, true)),
      holds: truth(holds),
      searches: view.getInt32(at + 12, true),
      proof: view.getFloat64(at + 16, true),
      disproof: view.getFloat64(at + 24, true),
      nodes: Number(view.getBigUint64(at + 32, true)),
      resists: resists.map(String),
    };
  }

  /** @param {number} at @param {Position} position @param {WorkLimits} limits @returns {Soundness} */
  _soundnessOf(at, position, limits) {
    const view = this._view,
      int = (/** @type {number} */ field) => view.getInt32(at + field, true),
      list = (/** @type {number} */ field) => view.getUint32(at + field, true),
      line = [],
      positions = [position];
    for (let i = 0; i < int(68); i++) {
      const move = this._move(list(76) + i * MOVE_BYTES, positions[i]);
      line.push(String(move));
      positions.push(positions[i].after(move));
    }
    const steps = counted(int(80), i => {
        const step = list(84) + i * STEP_BYTES,
          [ply, number, plain, count] = [0, 4, 8, 12].map(field => view.getInt32(step + field, true)),
          [played, ...others] = this._ways(view.getUint32(step + 16, true), count, positions[ply]);
        return {ply, number, plain: Boolean(plain), played, others};
      }),
      number = int(16) || null,
      verdict = VERDICTS[int(0)],
      seconds = view.getFloat64(at + 104, true),
      open = positions[steps.find(step => step.number === number)?.ply ?? 0];
    return {
      ...{verdict, value: VALUES[int(4)], by: groundsOf(int(8), int(12)), number, line, steps},
      ended: ENDS[int(20)],
      refutation: int(24) ? {side: sideName(int(28)), goal: goalOf(int(32))} : null,
      keys: this._ways(list(56), int(52), position).filter(({keeps}) => keeps),
      unsettled: counted(int(60), i => String(this._move(list(64) + i * MOVE_BYTES, open))),
      limit: verdict === "undecided" ? reached(limits, seconds, int(88)) : "",
      ...{nodes: Number(view.getBigUint64(at + 96, true)), seconds},
    };
  }

  /** @param {number} at @param {number} count @param {Position} position @returns {Way[]} */
  _ways(at, count, position) {
    const view = this._view;
    return counted(count, i => {
      const way = at + i * WAY_BYTES,
        [keeps, by, positions, transposes] = [8, 12, 16, 20].map(field => view.getInt32(way + field, true));
      return {
        ...{move: String(this._move(way, position)), keeps: truth(keeps), by: groundsOf(by, positions)},
        transposes: truth(transposes),
      };
    });
  }
}

/** @template Made @param {number} count @param {(index: number) => Made} make */
const counted = (count, make) => Array.from({length: count}, (_, index) => make(index));

/** @param {number} holds below 0 where that is open */
const truth = holds => (holds < 0 ? null : holds > 0);

/**
 * The limit that work has reached; "" for none.
 * @param {WorkLimits} limits
 * @param {number} taken seconds
 * @param {number} isFull 1 if its memory is
 * @returns {Sentence | ""}
 */
function reached({seconds, memory}, taken, isFull) {
  if (isFull) return {say: "limit.memory", with: {size: `${memory / 2 ** 20}MB`}};
  return taken >= seconds ? {say: "limit.time", with: {time: `${seconds} s`}} : "";
}

/** @param {number} value @returns {"win" | "draw"} */
const goalOf = value => (value === VALUES.indexOf("win") ? "win" : "draw");

/** What proves an answer. @param {number} by @param {number} positions of the certificate @returns {Said} */
function groundsOf(by, positions) {
  if (!by) return "";
  return {say: `grounds.${GROUNDS[by]}`, with: GROUNDS[by] === "certificate" ? {count: positions} : {}};
}
