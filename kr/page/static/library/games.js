// The library: all games of the person on this device, one list, the same with and without a server. The contract:
//
//   const library = libraryOf(app)    the one of the page; what is there before the panels imports this as it needs it
//   await library.ready               its cards are there; never rejects
//   library.list(filter, order)       cards, those used last first (cards.js: Card, Filter, Order); in under 20 ms
//   library.card(id)                  a card; undefined without one
//   await library.get(id)             {card, document, play}, the game itself with its moves checked; null without one
//   await library.add({document | pdn, source, path, folder, tags, play, id, isGoing})    its card; the same game
//                                     (moves, variations, comments, players) is not added twice: its card comes back.
//                                     Folder, tags and so on that a game has as tags of PDN become the card's
//   await library.addAll(games, {source, folder})    {cards, added, known}: many games, a document or PDN text each
//   await library.update(id, {document, rev, path, folder, tags, source, play, isGoing})  what is named changes; gives
//                                     the card. rev: that of the card when you got the moves: if somebody else, such as
//                                     another window, has changed them since, both stay, and the card is that of a new
//                                     game, whose id you go on with. Without rev the document takes their place
//   await library.changeAll(ids, {folder, tags})     tags: a function from the tags of a game to others
//   await library.remove(ids), restore(ids)          a game that is removed stays as "deleted" until
//   await library.erase(ids)          there is nothing left of it
//   library.folders(), tags()         [{name, games}]; a folder is there while it has games, "a/b" is within "a"
//   await library.rename(folder, name)
//   library.statistics(by, {player, ...filter})      rows by "opening" or "opponent" (cards.js: Row)
//   await library.pdn(ids, results)   PDN of games, with folder and tags in tags of PDN
//   library.onchange(f)               calls f(ids) after a change here or in another window
//   library.trouble                   "" or why games are not kept: "forbidden" (until the page ends), "full"
//
// A game that has been judged is marked in its document, so its marks are kept with it; `card.review` has the accuracy.
// All that is written is in the store when the promise resolves. A store that is full or forbidden loses nothing while
// the page is open. `fail` hears of it in a line.

import {t} from "../texts.js";
import {
  KEPT_TAGS,
  counted,
  folderName,
  foldersOf,
  isIn,
  matching,
  playersOf,
  sorted,
  statistics,
  tagNames,
} from "./cards.js";
import {takeOver} from "./earlier.js";
import {BrowserStore, MemoryStore} from "./store.js";
import {asTags, fromTags} from "./tags.js";

/** @typedef {import("../tree.js").GameDocument} GameDocument */
/** @typedef {import("./cards.js").Card} Card */
/** @typedef {import("./cards.js").Facts} Facts */
/** @typedef {import("./cards.js").Filter} Filter */
/** @typedef {import("./cards.js").Order} Order */
/** @typedef {import("./cards.js").Source} Source */
/** @typedef {import("./store.js").Body} Body */
/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./store.js").Written} Written */
/**
 * A game that is added; id: as it is known elsewhere, such as one that is played.
 * @typedef {Body & {source: Source, path?: number[], folder?: string, tags?: string[], id?: string, isGoing?: boolean}}
 *   Added
 */
/**
 * What changes of a game.
 * @typedef {{document?: GameDocument, rev?: number, path?: number[], folder?: string, tags?: string[], source?: Source,
 *   play?: any, isGoing?: boolean}} Changes
 */

const CHANNEL = "kr-library"; // other windows hear there which games have changed
const AT_ONCE = 100; // games that one request or transaction is about

export class Library {
  /**
   * @param {{api: (path: string, body?: object) => Promise<any>, fail: (text: string) => void}} app
   * @param {{open?: () => Promise<Store>, now?: () => number}} [place]
   */
  constructor({api, fail}, {open = BrowserStore.open, now = Date.now} = {}) {
    this._api = api;
    this._fail = fail;
    this._now = now;
    /** @type {"" | "forbidden" | "full"} */
    this.trouble = "";
    /** @type {Map<string, Card>} */
    this._cards = new Map();
    /** @type {Store} */
    this._store = new MemoryStore();
    /** Games for which the store had no room. */
    this._spare = new MemoryStore();
    /** @type {((ids: string[]) => void)[]} */
    this._hear = [];
    this._channel = new BroadcastChannel(CHANNEL);
    this._channel.onmessage = ({data}) => void this._reread(data);
    // node.js would wait for more
    /** @type {any} */ (this._channel).unref?.();
    this.ready = this._begin(open);
    /** What was asked for last: one change after the other. @type {Promise<unknown>} */
    this._last = this.ready;
  }

  /** @param {() => Promise<Store>} open */
  async _begin(open) {
    try {
      const store = await open();
      for (const card of await store.cards()) this._cards.set(card.id, card);
      this._store = store;
    } catch {
      // a private window, or a browser told to keep nothing
      this._tell("forbidden");
    }
  }

  // --- what there is

  /** @param {Filter} [filter] @param {Order} [order] */
  list(filter = {}, order = "used") {
    return sorted(matching([...this._cards.values()], filter), order);
  }

  /** @param {string} id */
  card(id) {
    return this._cards.get(id);
  }

  /** @param {string} id */
  async get(id) {
    await this._last;
    const body = await this._body(id),
      card = this._cards.get(id);
    if (!body || !card) return null;
    const path = body.document ? "games/check" : "library/open",
      {document} = await this._api(path, {document: body.document, pdn: body.pdn});
    return {card, document: /** @type {GameDocument} */ (document), play: body.play};
  }

  /** @param {string} id */
  async _body(id) {
    return (await this._spare.body(id)) ?? (await this._store.body(id));
  }

  folders() {
    return counted(this.list(), card => foldersOf(card.folder));
  }

  tags() {
    return counted(this.list(), card => card.tags);
  }

  /** @param {Filter} [filter] */
  players(filter) {
    return playersOf(this.list(filter));
  }

  /** @param {"opening" | "opponent"} by @param {Filter} [filter] player: whose games, by the whole name, or YOU */
  statistics(by, {player = "", ...filter} = {}) {
    return statistics(this.list(filter), by, player);
  }

  /** @param {(ids: string[]) => void} f */
  onchange(f) {
    this._hear.push(f);
  }

  // --- changes

  /** @param {Added} game @returns {Promise<Card>} */
  add(game) {
    return this._after(async () => (await this._addSome([game]))[0].card);
  }

  /**
   * @param {readonly (string | GameDocument)[]} games
   * @param {{source: Source, folder?: string}} how
   * @param {(done: number) => void} [progress]
   */
  addAll(games, how, progress) {
    return this._after(async () => {
      const added = [];
      for (let start = 0; start < games.length; start += AT_ONCE) {
        const some = games.slice(start, start + AT_ONCE);
        added.push(
          ...(await this._addSome(
            some.map(game => ({...(typeof game === "string" ? {pdn: game} : {document: game}), ...how})),
          )),
        );
        progress?.(Math.min(start + AT_ONCE, games.length));
      }
      return {
        cards: added.map(each => each.card),
        added: added.filter(each => each.isNew).map(each => each.card),
        known: added.filter(each => !each.isNew).length,
      };
    });
  }

  /** @param {readonly Added[]} games */
  async _addSome(games) {
    /** @type {{games: {facts: Facts, tags: Record<string, string>, pdn?: string}[]}} */
    const {games: read} = await this._api("library/facts", {
      games: games.map(({document, pdn}) => ({document, pdn})),
    });
    const prints = new Map([...this._cards.values()].filter(card => !card.isGoing).map(card => [card.print, card]));
    /** @type {Written[]} */
    const writing = [];
    const cards = games.map((game, i) => {
      const {facts, tags, pdn} = read[i],
        now = this._now(),
        {id} = game,
        known = id ? this._cards.get(id) : prints.get(facts.print);
      // in the order in which they came, although at the same moment
      const said = {...taken(game), ...fromTags(tags), used: now - i / 1000, removed: 0};
      if (known && !id) {
        writing.push({card: known, change: {used: said.used, removed: 0}});
        return {id: known.id, isNew: false};
      }
      const added = now - i / 1000,
        fresh = {folder: "", tags: [], path: [], source: game.source, isGoing: false},
        card = {...fresh, ...facts, ...said, id: id ?? newId(now), added, rev: 0},
        {document, play} = game;
      prints.set(card.print, card);
      writing.push({
        card,
        change: {...facts, ...said},
        body: {...(document ? {document: without(document)} : {pdn}), play},
      });
      return {id: card.id, isNew: true};
    });
    await this._write(writing);
    return cards.map(({id, isNew}) => ({card: /** @type {Card} */ (this._cards.get(id)), isNew}));
  }

  /** @param {string} id @param {Changes} changes @returns {Promise<Card | undefined>} */
  update(id, changes) {
    return this._after(() => this._update(id, changes));
  }

  /** @param {string} id @param {Changes} changes */
  async _update(id, {document, rev, play, ...others}) {
    const card = this._cards.get(id);
    if (!card) return undefined;
    /** @type {Partial<Card>} */
    const change = {...taken(others), used: this._now()};
    if (!document) {
      await this._write([{card, change}]);
      return this._cards.get(id);
    }
    const {games} = await this._api("library/facts", {games: [{document}]}),
      // a game that is deleted comes back with a move
      all = {...change, ...games[0].facts, removed: 0},
      before = await this._body(id),
      body = {document: without(document), play: play ?? before?.play};
    // somebody has written the same
    if (rev !== undefined && rev !== card.rev && card.print === all.print) {
      await this._write([{card, change: {...change, removed: 0}}]);
      return this._cards.get(id);
    }
    if (await this._write([{card, change: all, body, base: rev}])) return this._cards.get(id);
    const copy = {...card, ...all, id: newId(this._now()), added: this._now()};
    await this._write([{card: copy, body}]);
    return this._cards.get(copy.id);
  }

  /** @param {readonly string[]} ids @param {{folder?: string, tags?: (tags: string[]) => string[]}} changes */
  changeAll(ids, {folder, tags}) {
    return this._changeAll(ids, card => ({
      ...(folder !== undefined && {folder: folderName(folder)}),
      ...(tags && {tags: tagNames(tags(card.tags))}),
    }));
  }

  /** @param {readonly string[]} ids */
  remove(ids) {
    return this._changeAll(ids, () => ({removed: this._now()}));
  }

  /** @param {readonly string[]} ids */
  restore(ids) {
    return this._changeAll(ids, () => ({removed: 0}));
  }

  /** @param {string} folder @param {string} name */
  rename(folder, name) {
    const ids = [...this._cards.values()].filter(card => isIn(card.folder, folder)).map(({id}) => id);
    return this._changeAll(ids, card => ({folder: folderName(name + card.folder.slice(folder.length))}));
  }

  /** @param {readonly string[]} ids @param {(card: Card) => Partial<Card>} changeOf */
  _changeAll(ids, changeOf) {
    return this._after(async () => {
      const cards = ids.flatMap(id => this._cards.get(id) ?? []);
      await this._write(cards.map(card => ({card, change: changeOf(card)})));
    });
  }

  /** @param {string[]} ids */
  erase(ids) {
    return this._after(async () => {
      await Promise.all([this._store.erase(ids), this._spare.erase(ids)]);
      this._channel.postMessage(ids);
      for (const id of ids) this._cards.delete(id);
      this._changed(ids);
      await this._spend();
    });
  }

  // --- out

  /** @param {readonly string[]} ids @param {"english" | "white"} [results] @returns {Promise<string>} */
  async pdn(ids, results = "english") {
    await this._last;
    const texts = [];
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const games = [];
      for (const id of ids.slice(start, start + AT_ONCE)) {
        const body = await this._body(id),
          card = this._cards.get(id);
        if (body && card) games.push({document: body.document, pdn: body.pdn, tags: asTags(card)});
      }
      texts.push((await this._api("library/pdn", {games, results})).pdn);
    }
    return texts.join("");
  }

  // --- within

  /**
   * Does something once all before it is done.
   * @template Result
   * @param {() => Promise<Result>} act
   * @returns {Promise<Result>}
   */
  _after(act) {
    const done = this._last.then(act);
    // what failed is told to who asked for it
    this._last = done.catch(() => {});
    return done;
  }

  /** Writes games, here if there is no room. False if one was left out. @param {Written[]} games */
  async _write(games) {
    let cards;
    const spared = await this._spare.cards(games.map(({card}) => card.id));
    try {
      // a game that lies here goes to the store as a whole
      const whole = await Promise.all(
        games.map(async game =>
          game.body || !spared.some(({id}) => id === game.card.id)
            ? game
            : {...game, body: (await this._spare.body(game.card.id)) ?? undefined},
        ),
      );
      cards = await this._store.write(whole);
      if (spared.length) await this._spare.erase(spared.map(({id}) => id));
    } catch {
      for (const game of games) game.body ??= (await this._body(game.card.id)) ?? undefined;
      cards = await this._spare.write(games);
      this._tell("full");
    }
    for (const card of cards) this._cards.set(card.id, card);
    const ids = cards.map(({id}) => id);
    this._channel.postMessage(ids);
    this._changed(ids);
    return cards.length === games.length;
  }

  /** There may be room again for games that lie here. */
  async _spend() {
    const cards = await this._spare.cards();
    if (!cards.length) return;
    this.trouble = "";
    await this._write(cards.map(card => ({card, change: card})));
  }

  /** Another window has changed games. @param {string[]} ids */
  async _reread(ids) {
    await this.ready;
    const cards = await this._store.cards(ids).catch(() => null);
    if (!cards) return;
    for (const id of ids) this._cards.delete(id);
    for (const card of cards) this._cards.set(card.id, card);
    this._changed(ids);
  }

  /** @param {string[]} ids */
  _changed(ids) {
    for (const hear of this._hear) hear(ids);
  }

  /** @param {"forbidden" | "full"} trouble */
  _tell(trouble) {
    if (this.trouble) return;
    this.trouble = trouble;
    this._fail(
      trouble === "full"
        ? t("This browser has no room for more games: save those you want to keep as PDN")
        : t("This browser keeps no games: save those you want to keep as PDN"),
    );
  }
}

/** @type {WeakMap<object, Library>} */
const LIBRARIES = new WeakMap();

/** The library of the page. @param {import("../shell.js").App} app */
export function libraryOf(app) {
  const there = LIBRARIES.get(app);
  if (there) return there;
  const library = new Library(app);
  LIBRARIES.set(app, library);
  library.ready = library.ready.then(() => takeOver(app, library)).catch(error => app.fail(error));
  // the first screen asks for the library only if there is something in it
  library.onchange(() => app.keep("library", library.list().length > 0));
  return library;
}

/** What a card takes of changes. @param {Partial<Added & Changes>} changes @returns {Partial<Card>} */
const taken = ({path, folder, tags, source, isGoing}) => ({
  ...(path && {path}),
  ...(folder !== undefined && {folder: folderName(folder)}),
  ...(tags && {tags: tagNames(tags)}),
  ...(source && {source}),
  ...(isGoing !== undefined && {isGoing}),
});

/** A document without the tags that its card has. @param {GameDocument} document */
const without = document => ({
  ...document,
  headers: Object.fromEntries(Object.entries(document.headers ?? {}).filter(([name]) => !KEPT_TAGS.includes(name))),
});

/** @param {number} now */
const newId = now => `${now.toString(36)}-${Math.floor(Math.random() * 2 ** 52).toString(36)}`;
