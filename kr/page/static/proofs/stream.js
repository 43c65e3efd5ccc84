// Certificates that are sent and checked, proofs that are made, and steps.

import {PIECE, encoded} from "../pieces.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Certificate} Certificate */

/** Bytes of a certificate that is opened here. */
export const LARGEST = 50_000_000;

/**
 * Sends a certificate, and hears of its check.
 * @param {App} app
 * @param {File} file
 * @param {{isOver: () => boolean, checked: (share: number) => void}} job
 * @returns {Promise<Certificate | null>} null if it was given up
 */
export async function openCertificate(app, file, {isOver, checked}) {
  let upload = null;
  for (let start = 0; start < Math.max(file.size, 1); start += PIECE) {
    const data = await encoded(file.slice(start, start + PIECE), file.name);
    if (isOver()) return null;
    ({upload} = await app.api("proofs/send", {data, upload}));
  }
  return new Promise((done, failed) => {
    const stream = app.live("certificate", {upload, name: file.name}, (/** @type {any} */ event) => {
      if (isOver()) {
        stream.stop();
        done(null);
      } else if (event.error !== undefined) failed(new Error(event.error));
      else if (event.certificate) done(event.certificate);
      else if (event.of) checked(event.checked / event.of);
    });
  });
}

/**
 * The bytes of a certificate.
 * @param {App} app
 * @param {Certificate} certificate
 * @returns {Promise<{name: string, content: Uint8Array<ArrayBuffer>}>}
 */
export const certificateFile = (app, {proof}) => app.api("proofs/file", {proof});
