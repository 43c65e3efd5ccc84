// The games under way that this browser keeps: each goes on after its page, or the browser, has been closed. The
// library (library/games.js) has them too, and alone once they are over.

import {keptGame, keptTime} from "./state.js";

/** @typedef {import("./state.js").Game} Game */
/** @typedef {import("./state.js").Time} Time */
/** @typedef {{game: Game, casual: boolean, time: Time | null}} Kept */
/** @typedef {{kept: (name: string) => any, keep: (name: string, value: unknown) => boolean}} Store */

const MOST = 50;
const INDEX = "games";
/** Where earlier versions kept the last game. */
const BEFORE = "play";

/** A game as the library takes it. @param {Kept} kept @returns {import("../library/games.js").Added} */
export function asAdded({game, casual}) {
  const document = {...game.document, nodes: [...game.document.nodes]};
  return {
    id: game.id,
    document,
    path: Array(document.nodes.length - 1).fill(0),
    source: "played",
    isGoing: !game.over,
    play: {game: {...game, document}, casual},
  };
}

export class KeptGames {
  /** @param {Store} store */
  constructor(store) {
    /** @type {Store} */
    this._store = store;
    /** The last game if there is no room for it: it goes on as long as the page. @type {Kept | null} */
    this._unkept = null;
    const before = store.kept(BEFORE),
      game = keptGame(before);
    if (!game) return;
    this.put(game, before.casual, null);
    store.keep(BEFORE, undefined);
  }

  /** Their ids, the last one that was played first. @returns {string[]} */
  get ids() {
    const kept = this._store.kept(INDEX),
      ids = Array.isArray(kept) ? kept.filter(id => typeof id === "string") : [],
      id = this._unkept?.game.id;
    return id ? [id, ...ids.filter(each => each !== id)] : ids;
  }

  /** Where a game is kept. @param {string} id */
  static place(id) {
    return `game-${id}`;
  }

  /**
   * A game, whether its person may take moves back, and the time of who was to move; null if it is not kept.
   * @param {string} id
   * @returns {Kept | null}
   */
  get(id) {
    if (this._unkept?.game.id === id) return this._unkept;
    const kept = this._store.kept(KeptGames.place(id)),
      game = keptGame(kept);
    return game && {game, casual: kept.casual !== false, time: keptTime(kept)};
  }

  /**
   * Keeps a game as it stands, the oldest ones no longer if there are many, or no room. False if there is none even so.
   * @param {Game} game
   * @param {boolean} casual
   * @param {Time | null} time
   */
  put(game, casual, time) {
    const ids = this.ids.filter(id => id !== game.id),
      put = () => this._store.keep(KeptGames.place(game.id), {game, casual, time});
    let isKept = put();
    while (ids.length && (!isKept || ids.length >= MOST)) {
      this._store.keep(KeptGames.place(/** @type {string} */ (ids.pop())), undefined);
      isKept ||= put();
    }
    isKept = this._store.keep(INDEX, [game.id, ...ids]) && isKept;
    this._unkept = isKept ? null : {game, casual, time};
    return isKept;
  }

  /** Keeps a game no longer. @param {string} id */
  drop(id) {
    if (this._unkept?.game.id === id) this._unkept = null;
    this._store.keep(
      INDEX,
      this.ids.filter(each => each !== id),
    );
    this._store.keep(KeptGames.place(id), undefined);
  }

  /** Keeps the time of who is to move in a game that is kept. @param {string} id @param {Time} time */
  putTime(id, time) {
    if (this._unkept?.game.id === id) this._unkept.time = time;
    const place = KeptGames.place(id),
      kept = this._store.kept(place);
    if (keptGame(kept)) this._store.keep(place, {...kept, time});
  }
}
