// The endgame database of a server.

import {Reach} from "../reach.js";
import {bitsOf, positionOf} from "../wire.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../house.js").DatabasePort} DatabasePort */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("../weighing.js").Known} Known */
/** @typedef {{position: Position, resolve: (known: Known) => void, reject: (why: Error) => void}} Asked */

/** Positions of a request. */
export const MOST_LOOKED_UP = 2000;
/** Positions that are remembered; the oldest go. */
const MOST_REMEMBERED = 20_000;

/** @implements {DatabasePort} */
export class RemoteDatabase extends Reach {
  /** @type {Map<string, Promise<Known>>} */
  #remembered = new Map();
  /** What is asked for at the end of this turn. @type {Asked[]} */
  #waiting = [];

  /** The database; null if the server has none. @param {Answering} server */
  static async open(server) {
    const {database} = await server.api("port/database");
    return database && new RemoteDatabase(server, database);
  }

  /** @param {Answering} server @param {{pieces: number, classes: string[], distancePieces: number}} is */
  constructor(server, is) {
    super(is);
    this._server = server;
  }

  /**
   * What is asked for in one turn, by whomever, is one request.
   * @param {readonly Position[]} positions
   * @returns {Promise<Known[]>}
   */
  look(positions) {
    return Promise.all(positions.map(each => this.#remembered.get(each.key) ?? this.#asked(each)));
  }

  /** @param {import("../house.js").Drawing} drawing */
  async draw(drawing) {
    return (await this._server.api("port/draw", drawing)).positions.map(positionOf);
  }

  /** @param {Position} position @returns {Promise<Known>} */
  #asked(position) {
    const remembered = this.#remembered,
      {key} = position;
    /** @type {Promise<Known>} */
    const known = new Promise((resolve, reject) => {
      if (!this.#waiting.length) queueMicrotask(() => this.#askAll());
      this.#waiting.push({position, resolve, reject});
    });
    remembered.set(key, known);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MOST_REMEMBERED) break;
      remembered.delete(oldest);
    }
    known.catch(() => remembered.delete(key));
    return known;
  }

  #askAll() {
    const asked = this.#waiting;
    this.#waiting = [];
    for (let start = 0; start < asked.length; start += MOST_LOOKED_UP)
      void this.#ask(asked.slice(start, start + MOST_LOOKED_UP));
  }

  /** @param {Asked[]} asked */
  async #ask(asked) {
    try {
      const {known} = await this._server.api("port/look", {positions: asked.map(({position}) => bitsOf(position))});
      for (const [i, {resolve}] of asked.entries()) resolve(known[i]);
    } catch (error) {
      for (const {reject} of asked) reject(/** @type {Error} */ (error));
    }
  }
}
