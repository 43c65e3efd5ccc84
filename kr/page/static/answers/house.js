// What the answers share: data, database, book and engine, each loaded when it is first asked for. There are two makers
// of each: a server (native/) and WebAssembly in this browser.

import {speak} from "../texts.js";
import {ChancesOfScores} from "./chances.js";

/** @typedef {import("./limits.js").Limits} Limits */
/** @typedef {import("./kr.js").Progress} Progress */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("../texts.js").Said} Said */
/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./weighing.js").Known} Known */

/**
 * A search. patient: it may give way to others, and goes on after them; fresh: forget everything first.
 * @typedef {{
 *   position: Position, history?: readonly Position[], limits: Limits, lines?: number, patient?: boolean,
 *   fresh?: boolean, onLines?: (result: Found) => void, onProgress?: (progress: Progress) => void,
 * }} Search
 */
/**
 * Which engine searches. engine: its number, 0 for kr; generation: of an evolved player that chooses in its place;
 * small: that of the levels below full strength; background: one whose memory is its own, and whose searches give way
 * to all others; database: look positions up; signal: ends it; onTurn: it begins; onWaiting: others have to end first.
 * @typedef {{
 *   engine?: number, generation?: number, small?: boolean, background?: boolean, database?: boolean,
 *   signal?: AbortSignal, onTurn?: () => void, onWaiting?: () => void,
 * }} Choice
 */
/**
 * What a search finds: name and hash are those of an engine of the server.
 * @typedef {import("./kr.js").Result & {name?: string, hash?: number | null}} Found
 */
/** @typedef {Found & {score: number, move: Move | undefined}} Result that of the best line, and its move */
/**
 * The same engine, with its memory, for several searches, one after another. turn: it is there; search resolves with
 * what has been found when the signal or `end` ends it, perhaps nothing.
 * @typedef {{turn: Promise<void>, search: (search: Search) => Promise<Result>, end: () => void}} Loan
 */
/**
 * Parts of a static score, in centi-men of the side to move; squares as sets; own: without the smaller windows in a
 * region; seen: positions of games in which its entry occurred; evidence: those games in words.
 * @typedef {{
 *   score: number, material: number | null, turn: number, empty: number, shares: number[], worths: number[],
 *   regions: {squares: number, score: number, own?: number | null, seen?: number | null}[],
 *   evidence?: import("../texts.js").Said,
 * }} Explanation
 */
/**
 * Why the first move of a line is worse than that of a better one. kind: of the sentence that says it, why.shot;
 * better: the better line shows it, else that of the move played; plies: of that line; count: pieces; given, taken: by
 * who wins them; square, origin: 0-31; 0 or -1 where the kind has none.
 * @typedef {{
 *   kind: string, better: boolean, plies: number, count: number, given: number, taken: number, square: number,
 *   origin: number,
 * }} Fact
 */
/**
 * What only the core of kr can do.
 * @typedef {object} EnginePort
 * @property {() => Promise<void>} prepare begins to load, so that the first search need not wait for it
 * @property {(search: Search & Choice) => Promise<Result>} search resolves with what has been found when its signal
 *   ends it
 * @property {(choice: Choice) => Loan} borrow
 * @property {(position: Position) => Promise<Explanation>} evaluate
 * @property {(positions: readonly Position[]) => Promise<number[]>} scores the static score of each
 * @property {(positions: readonly Position[], group?: number) => Promise<{move: Move, probability: number}[]>} people
 *   the last position's moves as people play them, the likeliest first; positions: up to two before it, oldest first,
 *   then the position; group: of the mover, 0 for the strongest, -1 for any player
 * @property {(positions: readonly Position[]) => Promise<Move | null>} [forMistakes] by which the last position of a
 *   game, a known draw, is played for people's mistakes; null elsewhere; a server's alone
 * @property {(position: Position, played: readonly Move[], better: readonly Move[]) => Promise<Fact[]>} facts why the
 *   first of two lines is worse, the most telling first
 */
/**
 * @typedef {object} DatabasePort
 * @property {number} pieces every position with this many pieces or fewer has a value
 * @property {readonly string[]} classes with more pieces, all of whose positions have values, such as "4v4"
 * @property {string} reach what has values, in words
 * @property {number} distancePieces every position with this many pieces or fewer has a distance
 * @property {(position: Position) => boolean} has whether it has a value
 * @property {(own: number, other: number) => boolean} hasClass by the pieces of the two sides
 * @property {(positions: readonly Position[]) => Promise<Known[]>} look values, and plies to the end
 * @property {(drawing: Drawing) => Promise<Position[]>} draw random positions of a shape that have a value, with Black
 *   to move and no capture, some hundreds at most
 */
/** @typedef {{men: number, kings: number, otherMen: number, otherKings: number}} Shape "other" are the opponent's */
/**
 * What is drawn: of so many positions those that have a value. The same seed, a whole number below 2 ** 53, gives the
 * same positions.
 * @typedef {Shape & {value: Value, count: number, seed: number}} Drawing
 */
/**
 * What certificates prove of a position, for its side to move. excludes: a win or a loss, where half of a value is
 * known; certificates: their names.
 * @typedef {{value: Value | null, excludes: Value | null, certificates: string[]}} Proved
 */
/**
 * @typedef {object} CertificatesPort
 * @property {(positions: readonly Position[]) => Promise<Proved[]>} look what they prove of each position
 */
/** @typedef {import("./proofs/told.js").CheckReport} CheckReport */
/** @typedef {import("./proofs/certificate.js").Certificate} Certificate */
/** @typedef {import("./proofs/told.js").Told} Told how far a proof has come */
/**
 * A move, whether it keeps what is to be reached, null if that is open, and what proves that, "" for nothing;
 * transposes: to the move that is played; null if that is open.
 * @typedef {{move: string, keeps: boolean | null, by: Said, transposes: boolean | null}} Way
 */
/** @typedef {import("../composing/state.js").Verdict} Verdict */
/**
 * What a check of a problem finds. steps: the moves of the solver in the line; plain: the
 * result was plain before it.
 * @typedef {Omit<Verdict, "keys" | "line" | "steps"> & {
 *   keys: Way[], line: string[],
 *   steps: {ply: number, number: number, plain: boolean, played: Way, others: Way[]}[],
 * }} Soundness
 */
/**
 * A position after changes. found: of one that is neither sound nor has duals alone nothing but the verdict counts.
 * rank: points of the others.
 * @typedef {{
 *   fen: string, changes: import("../composing/state.js").Change[], found: Soundness | Pick<Soundness, "verdict">,
 *   rank: number,
 * }} CheckedVariation
 */
/**
 * Proofs. prove: resolves at the end of the time, or once the value is proved, with certificates that were checked;
 * check: that a certificate proves its claim, else it rejects; checkProblem: whether a position is a sound problem
 * whose side to move is to reach a result, "" for the proved one; vary: checks the positions after changes of one, in
 * which a key is possible, as such problems, "value" for a win or a draw, one after another, and resolves at their end;
 * all reject once the signal ends them.
 * @typedef {object} ProverPort
 * @property {(asked: {
 *   position: Position, seconds: number, signal: AbortSignal, onWaiting: () => void, onProgress: (proof: Told) => void,
 * }) => Promise<{proof: Told, proved: {certificate: Certificate, report: CheckReport}[]}>} prove
 * @property {(certificate: Certificate, calls: {signal: AbortSignal, onChecked: (positions: number) => void}) =>
 *   Promise<CheckReport>} check
 * @property {(asked: {
 *   position: Position, result: "win" | "draw" | "", strict: boolean, seconds: number, signal: AbortSignal,
 *   onWaiting: () => void, onProgress: (progress: {nodes: number, seconds: number}) => void,
 * }) => Promise<Soundness>} checkProblem
 * @property {(asked: {
 *   position: Position, goal: "win" | "draw" | "value", changes: number, captures: boolean, strict: boolean,
 *   seconds: number, signal: AbortSignal, onTotal: (positions: number) => void, onWaiting: () => void,
 *   onChecked: (variations: CheckedVariation[]) => void,
 * }) => Promise<void>} vary
 */
/**
 * @typedef {object} BookPort
 * @property {(positions: readonly Position[]) => Promise<import("./book.js").KnownMove[][]>} look of each position the
 *   moves that the book knows, best first
 */
/**
 * Files that the maker was started with. names: a stamp differs once the file has changed, the mark is that of one
 * start; read: the content of a file by its number from 1, plain or packed by gzip, and why that is not all of it.
 * @typedef {object} FilesPort
 * @property {() => Promise<{files: {name: string, stamp: string}[], mark: string}>} names
 * @property {(file: number) => Promise<{bytes: Uint8Array, fault: import("../texts.js").Sentence | null}>} read
 */

export class House {
  /**
   * @param {{
   *   loadJson: (name: string) => Promise<any>, openDatabase: () => Promise<DatabasePort | null>,
   *   openCertificates?: () => Promise<CertificatesPort | null>, openBook: () => Promise<BookPort | null>,
   *   openProver?: () => Promise<ProverPort>, engine: EnginePort, files?: FilesPort, clock?: () => number,
   *   random?: () => number,
   * }} parts null: there is none
   */
  constructor({loadJson, openDatabase, openCertificates, openBook, openProver, engine, files, clock, random}) {
    this._loadJson = loadJson;
    this._openDatabase = openDatabase;
    this._openCertificates = openCertificates ?? (async () => null);
    this._openBook = openBook;
    this._openProver = openProver;
    this.engine = engine;
    /** @type {FilesPort | undefined} */
    this.files = files;
    /** Seconds, from any moment on. */
    this.clock = clock ?? (() => performance.now() / 1000);
    this.random = random ?? Math.random;
    /** @type {Map<string, Promise<any>>} */
    this._known = new Map();
  }

  /** JSON that kr/page/data.py has made. @param {string} name */
  data(name) {
    return this.once(`data/${name}`, () => this._loadJson(name));
  }

  /** The endgame database. @returns {Promise<DatabasePort | null>} */
  database() {
    return this.once("database", this._openDatabase);
  }

  /** Certificates whose values count. @returns {Promise<CertificatesPort | null>} */
  certificates() {
    return this.once("certificates", this._openCertificates);
  }

  /** What proves. @returns {Promise<ProverPort>} */
  prover() {
    return this.once("prover", async () => {
      if (!this._openProver) throw new Error("nothing proves here");
      return this._openProver();
    });
  }

  /** The opening book. @returns {Promise<BookPort | null>} */
  book() {
    return this.once("book", async () => {
      const [book] = await Promise.all([this._openBook(), this.speak()]);
      return book;
    });
  }

  /** Has sentences told in English, as games hold them. @returns {Promise<void>} */
  speak() {
    return this.once("speak", async () => speak("en", {}, await this.data("sentences")));
  }

  /** Chances behind the engine's scores. @returns {Promise<ChancesOfScores>} */
  get chances() {
    return this.once("chances", async () => new ChancesOfScores((await this.data("engine")).chances));
  }

  /**
   * What is made once, until all is forgotten.
   * @template Made
   * @param {string} name
   * @param {() => Promise<Made>} make
   * @returns {Promise<Made>}
   */
  once(name, make) {
    let value = this._known.get(name);
    if (!value) {
      value = make();
      this._known.set(name, value);
      // what has failed is tried again by the next one who asks
      value.catch(() => this._known.get(name) === value && this._known.delete(name));
    }
    return value;
  }

  /** Forgets what it has: the makers may be others now, such as a server that was started anew. */
  forget() {
    this._known.clear();
  }
}
