// What the page Learn asks the server.

/** @import {BoardMove} from "../board-state.js" */
/** @import {Answer, Listing, Puzzle, Source} from "./state.js" */

export class Actions {
  /** @param {import("../shell.js").App} app */
  constructor({api}) {
    this._api = api;
  }

  /** @param {string} date @returns {Promise<Listing>} */
  list(date) {
    return this._api("puzzles/list", {date});
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
