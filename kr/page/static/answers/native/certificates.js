// The certificates of a server, which prove values of positions.

import {bitsOf} from "../wire.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../house.js").CertificatesPort} CertificatesPort */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("../house.js").Proved} Proved */

/** @implements {CertificatesPort} */
export class RemoteCertificates {
  /** The certificates; null if the server has none. @param {Answering} server */
  static async open(server) {
    return (await server.api("port/proofs")).proofs ? new RemoteCertificates(server) : null;
  }

  /** @param {Answering} server */
  constructor(server) {
    this._server = server;
  }

  /** @param {readonly Position[]} positions @returns {Promise<Proved[]>} */
  async look(positions) {
    return (await this._server.api("port/proofs", {positions: positions.map(bitsOf)})).known;
  }
}
