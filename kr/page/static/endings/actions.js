// What the page Endings asks the server.

/** @import {Answer, ExactMove, Goal, Known, Pieces, Position} from "./state.js" */
/** @import {Side} from "../squares.js" */
/**
 * @typedef {{pieces: Pieces, goal: Goal, difficulty: string, side: string}} Wanted side: by chance unless it is a
 * side
 */

export class Actions {
  /** @param {import("../shell.js").App} app */
  constructor({api}) {
    this._api = api;
  }

  /** @returns {Promise<Known>} */
  known() {
    return this._api("endings/known");
  }

  /**
   * A position of a class; null if none was found.
   * @param {Wanted} wanted
   * @returns {Promise<{fen: string} | null>}
   */
  async find({pieces: [own, own_kings, other, other_kings], goal, difficulty, side}) {
    /** @type {Side[]} */
    const sides = ["black", "white"];
    const chosen = sides.find(each => each === side) ?? sides[Math.floor(Math.random() * 2)];
    const seed = Math.floor(Math.random() * 2 ** 32);
    const wanted = {own, own_kings, other, other_kings, goal, difficulty, side: chosen, seed};
    return (await this._api("endings/new", wanted)).position;
  }

  /** @param {string} fen @returns {Promise<ExactMove[]>} best first */
  async values(fen) {
    return (await this._api("endings/values", {fen})).moves;
  }

  /**
   * @param {string} start
   * @param {string[]} moves
   * @param {Goal} goal
   * @param {boolean} on play on after a slip
   * @returns {Promise<Answer>}
   */
  move(start, moves, goal, on) {
    return this._api("endings/move", {start, moves, goal, on});
  }
}
