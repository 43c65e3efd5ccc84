// Certificates on a page: opened and checked, or made by proving a position; then stepped through.
//
// proofs/send {data, upload: null} -> {upload}: a piece of a file in base64; the next ones name the upload
// proofs/file {proof} -> {name, content}: a certificate as a file
// proofs/step {proof, fen} -> what the strategy does there (proofs/steps.js)
//
//   {do: "certificate", upload, name: "a.krproof"}
//
// checks a file: {checked, of} while it lasts, then {certificate}. Nothing is stepped through before it is checked.
//
//   {do: "prove", fen: FEN, seconds: 60}
//
// proves the value of a position: {proof} after searches, a few a second; at last with "done" and the
// certificates. A stream that is closed ends its searches.

import {visible} from "../escapes.js";
import {reported} from "./reported.js";
import {MOST_CHECKED, unpacked} from "./proofs/certificate.js";
import {stepAt} from "./proofs/steps.js";
import {sideName} from "./rules.js";
import {Refused} from "./text.js";

/** @typedef {import("./answers.js").Inbox} Inbox */
/** @typedef {import("./house.js").CheckReport} CheckReport */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./proofs/certificate.js").Certificate} Certificate */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {{certificate: Certificate, report: CheckReport, name: string}} Checked */

/** Bytes of a file. */
const LARGEST = 50_000_000;
/** Positions of all certificates that are kept; those used least go first. */
const MOST_KEPT = 1_000_000;
/** Files on their way; the oldest is forgotten. */
const MOST_SENT = 4;
const PROVE_SECONDS = /** @type {const} */ ([1, 600]);

/** Files on their way, and certificates that were checked, by their names here. */
class Kept {
  constructor() {
    /** @type {Map<string, Uint8Array[]>} */
    this._sent = new Map();
    /** @type {Map<string, Checked>} */
    this._checked = new Map();
    this._last = 0;
  }

  /** Adds a piece to a file, null for a new one. @param {string | null} upload @param {Uint8Array} piece */
  extend(upload, piece) {
    const name = upload ?? `${++this._last}`;
    if (upload === null) this._sent.set(name, []);
    const pieces = this._sent.get(name);
    if (!pieces) throw new Refused("refused.file_gone");
    pieces.push(piece);
    if (pieces.reduce((sum, {length}) => sum + length, 0) > LARGEST) {
      this._sent.delete(name);
      throw new Refused("refused.large_certificate", {size: {bytes: LARGEST, digits: 0}});
    }
    for (const oldest of this._sent.keys()) if (this._sent.size > MOST_SENT) this._sent.delete(oldest);
    return name;
  }

  /** The content of a file that has come, which is forgotten. @param {string} upload */
  async take(upload) {
    const pieces = this._sent.get(upload);
    if (!pieces) throw new Refused("refused.file_gone");
    this._sent.delete(upload);
    return new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (pieces)).arrayBuffer());
  }

  /** Keeps a certificate; returns what a page gets of it. @param {Checked} checked */
  keep(checked) {
    const proof = `${++this._last}`,
      {certificate, report, name} = checked;
    this._checked.set(proof, checked);
    let size = 0;
    for (const each of this._checked.values()) size += each.certificate.count;
    for (const [oldest, each] of this._checked) {
      if (size <= MOST_KEPT || oldest === proof) break;
      size -= each.certificate.count;
      this._checked.delete(oldest);
    }
    return {proof, name, ...claimJson(certificate), fen: certificate.root.fen, ...report};
  }

  /** A certificate that was checked. @param {string} proof */
  get(proof) {
    const checked = this._checked.get(proof);
    if (!checked) throw new Refused("refused.certificate_gone");
    this._checked.delete(proof);
    this._checked.set(proof, checked);
    return checked;
  }
}

/** @type {WeakMap<House, Kept>} */
const kept = new WeakMap();

/** @param {House} house */
function keptOf(house) {
  const own = kept.get(house) ?? new Kept();
  kept.set(house, own);
  return own;
}

/** @param {Certificate} certificate */
const claimJson = ({side, goal}) => ({side: sideName(side), goal});

/** @param {House} house @param {PageRequest} request */
const send = (house, request) => ({
  upload: keptOf(house).extend(request.has("upload") ? request.text("upload") : null, request.data()),
});

/** @param {House} house @param {PageRequest} request */
async function file(house, request) {
  const {name, certificate} = keptOf(house).get(request.text("proof"));
  return {name, content: await certificate.file()};
}

/** @param {House} house @param {PageRequest} request */
const step = async (house, request) =>
  stepAt(keptOf(house).get(request.text("proof")).certificate, request.position(), await house.database());

/** @param {House} house @param {PageRequest} request @param {Inbox} inbox */
async function* certificate(house, request, inbox) {
  const content = await keptOf(house).take(request.text("upload")),
    name = visible(request.text("name", 300, "")),
    [opened, prover] = await Promise.all([unpacked(content, MOST_CHECKED), house.prover()]);
  const report = yield* reported(inbox, (signal, tell) =>
    prover.check(opened, {signal, onChecked: checked => tell({checked, of: opened.count})}),
  );
  yield {certificate: keptOf(house).keep({certificate: opened, report, name})};
}

/** @param {House} house @param {PageRequest} request @param {Inbox} inbox */
async function* prove(house, request, inbox) {
  const position = request.position(),
    seconds = request.number("seconds", ...PROVE_SECONDS);
  if (!position.pieces) throw new Refused("refused.empty_board");
  const prover = await house.prover();
  const {proof, proved} = yield* reported(inbox, (signal, tell) =>
    prover.prove({
      ...{position, seconds, signal},
      onWaiting: () => tell({waits: true}),
      onProgress: proof => tell({proof, seconds}),
    }),
  );
  const certificates = proved.map(({certificate, report}) => {
    const {side, goal} = claimJson(certificate);
    const name = `${goal === "win" ? "" : "not-lost-"}${side}.krproof`;
    return keptOf(house).keep({certificate, report, name});
  });
  yield {proof, certificates, done: true};
}

export const ROUTES = {"proofs/send": send, "proofs/file": file, "proofs/step": step};
export const LIVE = {certificate, prove};
