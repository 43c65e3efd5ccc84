// A file on its way to the server, piece by piece.

import {encoded, PIECE} from "../pieces.js";

/** @typedef {import("../shell.js").App} App */

const TRIES = 4;
const WAIT_MS = 1500;

/**
 * Sends a file, and gives the number of its archive and all archives; null if it was given up.
 * @param {App} app
 * @param {File} file
 * @param {{progress: (share: number) => void, isOver: () => boolean}} job
 * @returns {Promise<{archive: number, archives: any[]} | null>}
 */
export async function sendArchive(app, file, {progress, isOver}) {
  const {upload} = await app.api("explorer/upload", {name: file.name, size: file.size});
  for (let start = 0; start < file.size; start += PIECE) {
    const data = await encoded(file.slice(start, start + PIECE), file.name);
    if (!isOver()) await persistently(() => app.api("explorer/upload", {upload, start, data}), isOver);
    if (isOver()) {
      await app.api("explorer/cancel", {upload});
      return null;
    }
    progress(Math.min(1, (start + PIECE) / file.size));
  }
  return app.api("explorer/add", {upload});
}

/**
 * Tries again what fails because the link broke; a piece that has come twice counts once.
 * @param {() => Promise<unknown>} act
 * @param {() => boolean} isOver
 */
async function persistently(act, isOver) {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      const lost = /** @type {{lost?: boolean}} */ (error).lost;
      if (!lost || tries === TRIES || isOver()) throw error;
      await new Promise(done => setTimeout(done, WAIT_MS));
    }
  }
}
