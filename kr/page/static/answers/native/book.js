// The opening book of a server.

import {bitsOf, moveOf} from "../wire.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../book.js").KnownMove} KnownMove */
/** @typedef {import("../house.js").BookPort} BookPort */
/** @typedef {import("../rules.js").Position} Position */

/** @implements {BookPort} */
export class RemoteBook {
  /** The book; null if the server has none. @param {Answering} server */
  static async open(server) {
    return (await server.api("port/book")).book ? new RemoteBook(server) : null;
  }

  /** @param {Answering} server */
  constructor(server) {
    this._server = server;
  }

  /** @param {readonly Position[]} positions @returns {Promise<KnownMove[][]>} */
  async look(positions) {
    const {moves} = await this._server.api("port/book", {positions: positions.map(bitsOf)});
    return moves.map((/** @type {any[]} */ each) => each.map(({move, ...rest}) => ({move: moveOf(move), ...rest})));
  }
}
