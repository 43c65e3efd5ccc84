// A game that people play, in the library: it is there too as it goes, and alone once it is over.

import {asAdded} from "./kept.js";
import {keptGame} from "./state.js";

/** @typedef {import("./state.js").Game} Game */
/** @typedef {import("./kept.js").Kept} Kept */

export class Filing {
  /**
   * @param {import("../shell.js").App} app
   * @param {import("./kept.js").KeptGames} games
   */
  constructor(app, games) {
    this._app = app;
    this._games = games;
    this._filed = ""; // what the library has of the game
  }

  async library() {
    const library = (await import("../library/games.js")).libraryOf(this._app);
    await library.ready;
    return library;
  }

  /** A game of the library. @param {string} id @returns {Promise<Kept | null>} */
  async find(id) {
    const library = await this.library();
    if (!library.card(id)) return null;
    const play = (await library.get(id))?.play,
      game = keptGame(play);
    return game && {game, casual: play.casual !== false, time: null};
  }

  /** True if the library has a game as it stands. @param {Game} game */
  has(game) {
    return mark(game) === this._filed;
  }

  /** A game that the library has. @param {Game} game */
  take(game) {
    this._filed = mark(game);
  }

  /** @param {Kept} kept */
  async add(kept) {
    const {game} = kept;
    if (this.has(game) || game.document.nodes.length < 2) return;
    this.take(game);
    const {id, over} = game,
      filed = this._filed,
      added = asAdded(kept);
    try {
      const library = await this.library();
      // it has gone on since: the library may already have it with its end, from what the browser kept
      if (this._filed !== filed && this._filed.startsWith(`${id} `)) return;
      await library.add(added);
      if (over && !library.trouble) this._games.drop(id);
    } catch (error) {
      this._app.fail(error);
    }
  }
}

/** What a game is known by, as it goes. @param {Game} game */
const mark = ({id, over, document}) => `${id} ${document.nodes.length} ${document.nodes.at(-1)?.fen} ${Boolean(over)}`;
