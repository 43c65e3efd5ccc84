// Proofs by a server.

import {encoded, PIECE} from "../../pieces.js";
import {Unanswered} from "../../messenger.js";
import {Stopped} from "../news.js";
import {MOST_CHECKED, unpacked} from "../proofs/certificate.js";
import {decodedBytes} from "../text.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../house.js").ProverPort} ProverPort */

/** @implements {ProverPort} */
export class RemoteProver {
  /** @param {Answering} server */
  constructor(server) {
    this._server = server;
  }

  /** @type {ProverPort["prove"]} */
  async prove({position: {fen}, seconds, signal, onWaiting, onProgress}) {
    const last = await this._streamed("proving", {fen, seconds}, signal, event => {
      if (event.waits) onWaiting();
      else if (event.proof) onProgress(event.proof);
    });
    const proved = last.certificates.map(async (/** @type {any} */ {data, report}) => ({
      certificate: await unpacked(decodedBytes(data), MOST_CHECKED),
      report,
    }));
    return {proof: last.proof, proved: await Promise.all(proved)};
  }

  /** @type {ProverPort["check"]} */
  async check(certificate, {signal, onChecked}) {
    const file = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (await certificate.file())]);
    let upload = null;
    for (let start = 0; start < file.size; start += PIECE) {
      const data = await encoded(file.slice(start, start + PIECE), "");
      ({upload} = await this._server.api("checking/send", {data, upload}));
    }
    const {report} = await this._streamed("checking", {upload}, signal, ({checked}) => checked && onChecked(checked));
    return report;
  }

  /** @type {ProverPort["checkProblem"]} */
  async checkProblem({position: {fen}, signal, onWaiting, onProgress, ...asked}) {
    const {found} = await this._streamed("problem", {fen, ...asked}, signal, ({waits, progress}) => {
      if (waits) onWaiting();
      else if (progress) onProgress(progress);
    });
    return found;
  }

  /** @type {ProverPort["vary"]} */
  async vary({position: {fen}, signal, onTotal, onWaiting, onChecked, ...asked}) {
    await this._streamed("varying", {fen, ...asked}, signal, ({total, waits, checked}) => {
      if (total !== undefined) onTotal(total);
      else if (waits) onWaiting();
      else if (checked) onChecked(checked);
    });
  }

  /**
   * The last event of a stream before its end.
   * @param {string} what
   * @param {object} args
   * @param {AbortSignal} signal
   * @param {(event: import("../../messenger.js").Event) => void} hear
   * @returns {Promise<any>}
   */
  _streamed(what, args, signal, hear) {
    return new Promise((resolve, reject) => {
      /** @type {any} */
      let last = {};
      const stop = () => {
        stream.stop();
        reject(new Stopped());
      };
      const stream = this._server.live(what, args, event => {
        const {error, lost, end} = event;
        if (error === undefined && !end) {
          last = event;
          hear(event);
          return;
        }
        signal.removeEventListener("abort", stop);
        if (end) resolve(last);
        else reject(new Unanswered({error, lost}));
      });
      signal.addEventListener("abort", stop, {once: true});
      if (signal.aborted) stop();
    });
  }
}
