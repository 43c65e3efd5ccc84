// What the answers share: data, database and engine, each loaded when it is first asked for.

import {ChancesOfScores} from "./chances.js";
import {Engine} from "./engine.js";

/** @typedef {import("./engine.js").Thread} Thread */
/** @typedef {import("./database.js").Database} Database */
/** @typedef {import("./krb.js").PackedBook} PackedBook */

export class House {
  /**
   * @param {{
   *   loadJson: (name: string) => Promise<any>, openDatabase: () => Promise<Database>, openBook: () =>
   * Promise<PackedBook>, startThread: () => Promise<Thread>,
   *   clock?: () => number, random?: () => number,
   * }} parts
   */
  constructor({loadJson, openDatabase, openBook, startThread, clock, random}) {
    this._loadJson = loadJson;
    this._openDatabase = openDatabase;
    this._openBook = openBook;
    this.engine = new Engine(startThread);
    /** Seconds, from any moment on. */
    this.clock = clock ?? (() => performance.now() / 1000);
    this.random = random ?? Math.random;
    /** @type {Map<string, Promise<any>>} */
    this._known = new Map();
  }

  /** JSON that kr/page/data.py has made. @param {string} name */
  data(name) {
    return this._once(`data/${name}`, () => this._loadJson(name));
  }

  /** The endgame database. @returns {Promise<Database>} */
  database() {
    return this._once("database", this._openDatabase);
  }

  /** The opening book. @returns {Promise<PackedBook>} */
  book() {
    return this._once("book", this._openBook);
  }

  /** Chances behind the engine's scores. @returns {Promise<ChancesOfScores>} */
  get chances() {
    return this._once("chances", async () => new ChancesOfScores((await this.data("engine")).scale));
  }

  /** @param {string} name @param {() => Promise<any>} make */
  _once(name, make) {
    let known = this._known.get(name);
    if (!known) {
      known = make();
      this._known.set(name, known);
      // what has failed is tried again by the next one who asks
      known.catch(() => this._known.delete(name));
    }
    return known;
  }
}
