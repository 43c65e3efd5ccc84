// The files that a server was started with.

import {Unanswered} from "../../messenger.js";
import {decodedBytes} from "../text.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../house.js").FilesPort} FilesPort */

/** @implements {FilesPort} */
export class RemoteFiles {
  /** @param {Answering} server */
  constructor(server) {
    this._server = server;
  }

  names() {
    return this._server.api("port/files");
  }

  /** @param {number} file @returns {ReturnType<FilesPort["read"]>} */
  read(file) {
    return new Promise((resolve, reject) => {
      /** @type {Uint8Array<ArrayBuffer>[]} */
      const pieces = [];
      /** @type {import("../../texts.js").Sentence | null} */
      let fault = null;
      this._server.live("file", {file}, async event => {
        if (event.error !== undefined) reject(new Unanswered({error: event.error, lost: event.lost}));
        else if (event.data) pieces.push(decodedBytes(event.data));
        else if (event.fault) fault = event.fault;
        else if (event.end) resolve({bytes: new Uint8Array(await new Blob(pieces).arrayBuffer()), fault});
      });
    });
  }
}
