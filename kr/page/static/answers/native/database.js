// The endgame database of a server.

import {countOf} from "../notation.js";
import {bitsOf, positionOf} from "../wire.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("../weighing.js").Database} Database */
/** @typedef {import("../weighing.js").Known} Known */
/** @typedef {{position: Position, resolve: (known: Known) => void, reject: (why: Error) => void}} Asked */

/** Positions of a request. */
const MOST_ASKED = 2000;
/** Positions that are remembered; the oldest go. */
const MOST_REMEMBERED = 20_000;

/** @implements {Database} */
export class RemoteDatabase {
  /** @type {Map<string, Promise<Known>>} */
  #remembered = new Map();
  /** What is asked for at the end of this turn. @type {Asked[]} */
  #waiting = [];

  /** The database; null if the server has none. @param {Answering} server */
  static async open(server) {
    const {database} = await server.api("port/database");
    return database && new RemoteDatabase(server, database);
  }

  /**
   * @param {Answering} server
   * @param {{pieces: number, classes: string[], distancePieces: number, reach: string}} is
   */
  constructor(server, {pieces, classes, distancePieces, reach}) {
    this._server = server;
    this.pieces = pieces;
    this.classes = classes;
    this.distancePieces = distancePieces;
    this.reach = reach;
  }

  /** Whether the database has a position. @param {Position} position */
  has({black, white}) {
    return this.hasClass(countOf(black), countOf(white));
  }

  /** Whether it has all positions with these pieces of the two sides. @param {number} own @param {number} other */
  hasClass(own, other) {
    return own + other <= this.pieces || this.classes.includes(`${Math.max(own, other)}v${Math.min(own, other)}`);
  }

  /**
   * Of each position its value for the side to move, and the plies to the end of a win or loss under best play; null
   * where they aren't known. What is asked for in one turn, by whomever, is one request.
   * @param {readonly Position[]} positions
   * @returns {Promise<Known[]>}
   */
  look(positions) {
    return Promise.all(positions.map(each => this.#remembered.get(each.key) ?? this.#asked(each)));
  }

  /**
   * Random positions of a shape, drawn by the server, that have a value.
   * @param {import("../weighing.js").Drawing} drawing
   */
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
    for (let start = 0; start < asked.length; start += MOST_ASKED)
      void this.#ask(asked.slice(start, start + MOST_ASKED));
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
