// What the page Learn asks the server.

import {encoded} from "../explorer/upload.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Problem} from "./own.js" */
/** @import {Answer, Listing, Puzzle, Source} from "./state.js" */

export class Actions {
  /** @param {import("../shell.js").App} app */
  constructor({api}) {
    this._api = api;
  }

  /**
   * @param {string} date
   * @param {Problem[]} own of the person's files
   * @returns {Promise<Listing>}
   */
  list(date, own) {
    return this._api("puzzles/list", {date, own});
  }

  /**
   * Reads a file of problems.
   * @param {File} file
   * @param {string} results what 1-0 means in it: "english" or "white"
   * @returns {Promise<{problems: Problem[], faults: string[], left_out: number}>} faults: the first of those left out
   */
  async read(file, results) {
    const {name} = file;
    return this._api("puzzles/read", {name, data: await encoded(file, name), results});
  }

  /** @param {string[]} ids @returns {Promise<string[]>} FENs */
  async boards(ids) {
    return (await this._api("puzzles/boards", {ids})).boards;
  }

  /** @param {string} id @returns {Promise<Puzzle>} */
  start(id) {
    return this._api("puzzles/start", {id});
  }

  /** @param {string} id @param {string[]} moves @returns {Promise<Answer>} */
  answer(id, moves) {
    return this._api("puzzles/answer", {id, moves});
  }

  /**
   * @param {string} id
   * @param {string[]} moves
   * @param {boolean} whole the move, not only its piece
   * @returns {Promise<{square: number, by: Source, move?: BoardMove}>}
   */
  hint(id, moves, whole) {
    return this._api("puzzles/hint", {id, moves, whole});
  }

  /** @param {string} id @param {string[]} moves @returns {Promise<{moves: BoardMove[], by: Source}>} */
  solution(id, moves) {
    return this._api("puzzles/solution", {id, moves});
  }
}
