// Where the library lies: in the browser's own store, shared by its windows, or in memory where that is forbidden.
//
// Of a game there are two records, written together: its card, which each page holds, and its body, the game itself.

/** @typedef {import("./cards.js").Card} Card */
/** @typedef {import("../tree.js").GameDocument} GameDocument */
/**
 * A game itself: as a page has it, or as it stands in a file; play: what a game against kr goes on by.
 * @typedef {{document?: GameDocument, pdn?: string, play?: any}} Body
 */
/**
 * A record to be written: the card as it is where there is none, and what changes in one that is there, as another
 * window may have changed the rest. body: the game is another one now; base: it rests on that revision, and nothing is
 * written if the store has another one.
 * @typedef {{card: Card, change?: Partial<Card>, body?: Body, base?: number}} Written
 */
/**
 * @typedef {object} Store
 * @property {(ids?: string[]) => Promise<Card[]>} cards all, or those that there are of some
 * @property {(id: string) => Promise<Body | null>} body
 * @property {(games: Written[]) => Promise<Card[]>} write all or nothing; gives the cards as they are now, without
 *   those that were left out
 * @property {(ids: string[]) => Promise<void>} erase
 */

const NAME = "kr-library",
  VERSION = 1;

/** @implements {Store} */
export class MemoryStore {
  constructor() {
    /** @type {Map<string, Card>} */
    this._cards = new Map();
    /** @type {Map<string, Body>} */
    this._bodies = new Map();
  }

  /** @param {string[]} [ids] */
  async cards(ids) {
    if (!ids) return [...this._cards.values()];
    return ids.flatMap(id => this._cards.get(id) ?? []);
  }

  /** @param {string} id */
  async body(id) {
    return structuredClone(this._bodies.get(id) ?? null);
  }

  /** @param {Written[]} games */
  async write(games) {
    /** @type {Card[]} */
    const done = [];
    for (const game of structuredClone(games)) {
      const {id} = game.card,
        now = written(game, this._cards.get(id));
      if (!now) continue;
      this._cards.set(id, now);
      if (game.body) this._bodies.set(id, game.body);
      done.push(now);
    }
    return done;
  }

  /** @param {string[]} ids */
  async erase(ids) {
    for (const id of ids) for (const records of [this._cards, this._bodies]) records.delete(id);
  }
}

/**
 * A card as it is written in place of the one before; null if that rests on another revision, or is gone.
 * @param {Written} written
 * @param {Card | undefined} before
 * @returns {Card | null}
 */
function written({card, change, body, base}, before) {
  if (!before) return body ? {...card, ...change, rev: 1} : null;
  if (base !== undefined && before.rev !== base) return null;
  return {...before, ...change, rev: before.rev + (body ? 1 : 0)};
}

/** The store of the browser. @implements {Store} */
export class BrowserStore {
  /** @param {IDBDatabase} database */
  constructor(database) {
    this._database = database;
    // a later version of the page makes it anew
    database.onversionchange = () => database.close();
  }

  /** Opens it; rejects where it is forbidden. @returns {Promise<BrowserStore>} */
  static open() {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open(NAME, VERSION);
      opening.onupgradeneeded = () => {
        opening.result.createObjectStore("cards", {keyPath: "id"});
        opening.result.createObjectStore("bodies");
      };
      opening.onsuccess = () => resolve(new BrowserStore(opening.result));
      opening.onerror = () => reject(opening.error);
      opening.onblocked = () => reject(new Error("the store is open in a page of another version"));
    });
  }

  /** @param {string[]} [ids] @returns {Promise<Card[]>} */
  cards(ids) {
    return this._do("readonly", ({cards}) => {
      if (!ids) return valueOf(cards.getAll());
      return Promise.all(ids.map(id => valueOf(cards.get(id)))).then(found => found.filter(Boolean));
    });
  }

  /** @param {string} id @returns {Promise<Body | null>} */
  body(id) {
    return this._do("readonly", async ({bodies}) => (await valueOf(bodies.get(id))) ?? null);
  }

  /** @param {Written[]} games @returns {Promise<Card[]>} */
  write(games) {
    return this._do("readwrite", async ({cards, bodies}) => {
      /** @type {Card[]} */
      const done = [];
      for (const game of games) {
        const now = written(game, await valueOf(cards.get(game.card.id)));
        if (!now) continue;
        cards.put(now);
        if (game.body) bodies.put(game.body, now.id);
        done.push(now);
      }
      return done;
    });
  }

  /** @param {string[]} ids @returns {Promise<void>} */
  erase(ids) {
    return this._do("readwrite", async stores => {
      for (const id of ids) for (const store of Object.values(stores)) store.delete(id);
    });
  }

  /**
   * Does something within one transaction: all of it is there afterwards, or nothing.
   * @template Result
   * @param {IDBTransactionMode} mode
   * @param {(stores: {cards: IDBObjectStore, bodies: IDBObjectStore}) => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  async _do(mode, work) {
    const transaction = this._database.transaction(["cards", "bodies"], mode),
      ended = new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve(undefined);
        transaction.onabort = () => reject(transaction.error ?? new Error("the store gave up"));
      });
    // who waits for the work hears of it first
    ended.catch(() => {});
    const result = await work({cards: transaction.objectStore("cards"), bodies: transaction.objectStore("bodies")});
    await ended;
    return result;
  }
}

/** @param {IDBRequest} request @returns {Promise<any>} */
const valueOf = request =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
