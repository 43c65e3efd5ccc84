// Proofs by the WebAssembly in this browser.

import {telling} from "./kr.js";
import {Certificate} from "./proofs/certificate.js";
import {Refused} from "./text.js";

/** @typedef {import("./house.js").ProverPort} ProverPort */
/** @typedef {import("./kr.js").ProofState} ProofState */
/** @typedef {import("./proofs/told.js").Told} Told */
/** @typedef {import("./rules.js").Position} Position */

const SIDES = /** @type {const} */ (["black", "white"]);
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
  async prove({position, onProgress, ...asked}) {
    const {version, signature: database, reach} = this._made,
      onProof = (/** @type {ProofState} */ state) => onProgress(told(position, state)),
      {state, proved} = await this._engine.prove({position, onProof, ...asked});
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

  /** @param {import("./proofs/certificate.js").Certificate} certificate */
  async _checked(certificate) {
    const {report, fault, fen} = await this._engine.check(certificate);
    if (!fault) return report;
    const claim = {say: `claim.${SIDES[certificate.side]}_${certificate.goal}`, with: {}},
      why = {say: fault, with: {fen}};
    throw new Refused("refused.unproved", {claim, why});
  }
}

/** How far a proof has come. @param {Position} position @param {ProofState} state @returns {Told} */
function told({fen, side}, {least, most, isAnswered, seconds, isFull: full, claims}) {
  const shown = isAnswered ? telling(claims) : claims.filter(({searches, holds}) => searches || holds);
  return {
    ...{fen, side: SIDES[side], value: least === most ? least : null, least, most, taken: seconds, full},
    claims: shown.map(({side, goal, holds, proof, disproof, nodes, searches, resists}) => ({
      ...{side: SIDES[side], goal, holds, proof: finite(proof), disproof: finite(disproof), nodes, searches},
      resists: resists.slice(0, LONGEST_RESISTANCE).join(" "),
    })),
  };
}

/** @param {number} number */
const finite = number => (Number.isFinite(number) ? Number(number.toPrecision(3)) : null);
