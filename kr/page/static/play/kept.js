// The games that this browser keeps: each goes on after its page, or the browser, has been closed.

import {keptGame} from "./state.js";

/** @typedef {import("./state.js").Game} Game */
/** @typedef {{kept: (name: string) => any, keep: (name: string, value: unknown) => boolean}} Store */

const MOST = 50;
const INDEX = "games";
/** Where earlier versions kept the last game. */
const BEFORE = "play";

export class KeptGames {
  /** @param {Store} store */
  constructor(store) {
    /** @type {Store} */
    this._store = store;
    const before = store.kept(BEFORE),
      game = keptGame(before);
    if (!game) return;
    this.put(game, before.casual);
    store.keep(BEFORE, undefined);
  }

  /** Their ids, the last one that was played first. @returns {string[]} */
  get ids() {
    const kept = this._store.kept(INDEX);
    return Array.isArray(kept) ? kept.filter(id => typeof id === "string") : [];
  }

  /** Where a game is kept. @param {string} id */
  static place(id) {
    return `game-${id}`;
  }

  /**
   * A game, and whether its person may take moves back; null if it is not kept.
   * @param {string} id
   * @returns {{game: Game, casual: boolean} | null}
   */
  get(id) {
    const kept = this._store.kept(KeptGames.place(id)),
      game = keptGame(kept);
    return game && {game, casual: kept.casual !== false};
  }

  /**
   * Keeps a game as it stands, the oldest ones no longer if there are many, or no room. False if there is none even so.
   * @param {Game} game
   * @param {boolean} casual
   */
  put(game, casual) {
    const ids = this.ids.filter(id => id !== game.id),
      put = () => this._store.keep(KeptGames.place(game.id), {game, casual});
    let isKept = put();
    while (ids.length && (!isKept || ids.length >= MOST)) {
      this._store.keep(KeptGames.place(/** @type {string} */ (ids.pop())), undefined);
      isKept ||= put();
    }
    return this._store.keep(INDEX, [game.id, ...ids]) && isKept;
  }
}
