// The endgame database of a server, and its certificates.

import {countOf} from "../notation.js";
import {bitsOf} from "../wire.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("../weighing.js").Database} Database */
/** @typedef {import("../weighing.js").Known} Known */

/** @implements {Database} */
export class RemoteDatabase {
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
   * where they aren't known.
   * @param {readonly Position[]} positions
   * @returns {Promise<Known[]>}
   */
  async look(positions) {
    return (await this._server.api("port/look", {positions: positions.map(bitsOf)})).known;
  }
}
