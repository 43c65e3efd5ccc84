// The engine of a server: each search is a stream, for which the server lends an engine of its own.

import {Unanswered} from "../../messenger.js";
import {heard, nothing} from "../results.js";
import {bitsOf, moveOf} from "../wire.js";

/** @typedef {import("../../messenger.js").Answering} Answering */
/** @typedef {import("../house.js").EnginePort} EnginePort */
/** @typedef {import("../house.js").Search} Search */
/** @typedef {import("../kr.js").Result} Result */
/** @typedef {import("../rules.js").Position} Position */

/** @implements {EnginePort} */
export class RemoteEngine {
  /** @param {Answering} server */
  constructor(server) {
    this._server = server;
  }

  /** The server makes its engine as it starts. */
  async prepare() {}

  /**
   * Searches. It resolves with what has been found when its signal ends it, perhaps nothing.
   * @param {Search} search
   * @returns {Promise<import("../house.js").Found & {score: number, move: import("../rules.js").Move | undefined}>}
   */
  search({position, history = [], signal, onLines, onProgress, onTurn, onWaiting, ...how}) {
    const {limits, lines = 1, fresh = false, small = false, database = true, engine = 0, generation = null} = how,
      positions = [...history, position].map(bitsOf);
    return new Promise((resolve, reject) => {
      /** @type {import("../house.js").Found} */
      let best = nothing();
      const done = () => {
        signal?.removeEventListener("abort", stop);
        resolve({...best, score: best.lines[0]?.score ?? 0, move: best.lines[0]?.moves[0]});
      };
      const hear = (/** @type {any} */ event) => {
        if (event.error !== undefined) {
          signal?.removeEventListener("abort", stop);
          reject(new Unanswered({error: event.error, lost: event.lost}));
        } else if (event.end) done();
        else if (event.waiting) onWaiting?.();
        else if (event.turn) onTurn?.();
        else if (event.progress) onProgress?.(event.progress);
        else if (event.lines) {
          best = heard(event);
          if (!event.final) onLines?.(best);
        }
      };
      const asked = {positions, limits, lines, fresh, small, database, engine, generation},
        stream = this._server.live("search", asked, hear);
      const stop = () => stream.say({stop: true});
      signal?.addEventListener("abort", stop);
      if (signal?.aborted) stop();
    });
  }

  /**
   * Static score, and the share of each region: centi-men of the side to move, squares as sets.
   * @param {Position} position
   */
  evaluate(position) {
    return this._server.api("port/evaluate", {positions: [bitsOf(position)]});
  }

  /** Static scores. @param {readonly Position[]} positions @returns {Promise<number[]>} */
  async scores(positions) {
    return (await this._server.api("port/scores", {positions: positions.map(bitsOf)})).scores;
  }

  /**
   * The last position's moves as people play them, the likeliest first.
   * @param {readonly Position[]} positions up to two before it, oldest first, then the position
   * @param {number} [group] of the mover, 0 for the strongest; -1 for any player
   * @returns {Promise<{move: import("../rules.js").Move, probability: number}[]>}
   */
  async people(positions, group = -1) {
    const {moves} = await this._server.api("port/people", {positions: positions.map(bitsOf), group});
    return moves.map((/** @type {any} */ {move, probability}) => ({move: moveOf(move), probability}));
  }
}
