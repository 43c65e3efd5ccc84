// Proofs by the WebAssembly in this browser.

import {Certificate} from "./proofs/certificate.js";
import {changedAt, changedCount, telling} from "./proving.js";
import {sideName} from "./rules.js";
import {Refused} from "./text.js";
import {bitsOf} from "./wire.js";

/** @typedef {import("./house.js").ProverPort} ProverPort */
/** @typedef {import("./proving.js").ProofState} ProofState */
/** @typedef {import("./proving.js").ProvingKr} Kr */
/** @typedef {import("./proofs/told.js").Told} Told */
/** @typedef {import("./rules.js").Position} Position */

/** Moves of the line that resists. */
const LONGEST_RESISTANCE = 24;

/** @implements {ProverPort} */
export class Prover {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {{version: string, signature: string, reach: string}} made version of kr, and the values that end lines
   */
  constructor(engine, made) {
    this._engine = engine;
    this._made = made;
  }

  /** @type {ProverPort["prove"]} */
  async prove({position, seconds, onProgress, ...calls}) {
    const {version, signature: database, reach} = this._made,
      hear = (/** @type {{proof?: ProofState}} */ {proof}) => proof && onProgress(told(position, proof));
    /** @type {Awaited<ReturnType<Kr["prove"]>>} */
    const {state, proved} = await this._engine.prove({prove: {position: bitsOf(position), seconds}}, calls, hear);
    const certificates = proved.map(async ({claim: {side, goal}, columns}) => {
      const provenance = {command: "page", version, time: new Date().toISOString()},
        certificate = new Certificate({root: position, side, goal, ...columns, database, reach, provenance});
      return {certificate, report: await this._checked(certificate)};
    });
    return {proof: told(position, state), proved: await Promise.all(certificates)};
  }

  /** @type {ProverPort["check"]} */
  check(certificate) {
    return this._checked(certificate);
  }

  /** @type {ProverPort["checkProblem"]} */
  checkProblem({position, signal, onWaiting, onProgress, ...asked}) {
    const message = {problem: {position: bitsOf(position), ...asked}};
    return this._engine.prove(message, {signal, onWaiting}, ({checked}) => checked && onProgress(checked));
  }

  /** @type {ProverPort["vary"]} */
  async vary({position, changes: most, captures, signal, onTotal, onWaiting, onChecked, ...asked}) {
    /** @type {Uint8Array} */
    const bytes = await this._engine.ask({changed: {position: bitsOf(position), changes: most, captures}}),
      total = changedCount(bytes);
    onTotal(total);
    for (let i = 0; i < total; i++) {
      const {position: each, changes} = changedAt(bytes, i),
        message = {variation: {position: bitsOf(each), ...asked}};
      /** @type {Awaited<ReturnType<Kr["checkVariation"]>>} */
      const checked = await this._engine.prove(message, {signal, onWaiting});
      onChecked([{fen: each.fen, changes, ...checked}]);
    }
  }

  /** @param {import("./proofs/certificate.js").Certificate} certificate */
  async _checked({root, side, goal, parts: {boards, moves, ranks}, reach: {pieces, classes}}) {
    const check = {root: bitsOf(root), side, goal, columns: {boards, moves, ranks}, reach: {pieces, classes}};
    /** @type {import("./proving.js").ColumnReport} */
    const {report, fault, fen} = await this._engine.ask({check});
    if (!fault) return report;
    const claim = {say: `claim.${sideName(side)}_${goal}`, with: {}},
      why = {say: fault, with: {fen}};
    throw new Refused("refused.unproved", {claim, why});
  }
}

/** How far a proof has come. @param {Position} position @param {ProofState} state @returns {Told} */
function told({fen, side}, {least, most, isAnswered, seconds, limit, claims}) {
  const shown = isAnswered ? telling(claims) : claims.filter(({searches, holds}) => searches || holds);
  return {
    ...{fen, side: sideName(side), value: least === most ? least : null, least, most, taken: seconds, limit},
    claims: shown.map(({side, goal, holds, proof, disproof, nodes, searches, resists}) => ({
      ...{side: sideName(side), goal, holds, proof: finite(proof), disproof: finite(disproof), nodes, searches},
      resists: resists.slice(0, LONGEST_RESISTANCE).join(" "),
    })),
  };
}

/** @param {number} number */
const finite = number => (Number.isFinite(number) ? Number(number.toPrecision(3)) : null);
