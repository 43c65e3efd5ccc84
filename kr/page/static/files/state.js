// Games at hand: the list of open games, those that were open before, and words for them. Nothing here touches
// the document.

import {retold} from "../comments.js";
import {formatted, many, t} from "../texts.js";

/** @typedef {{headers: Record<string, string>, start: string, result: string, nodes: any[]}} GameDocument */
/**
 * A game, which child to follow at each move, and what the library has of it.
 * @typedef {{document: GameDocument, path: number[], kept?: import("../library/keeper.js").Kept}} Stored
 */
/**
 * A game that is open. from: the place that it was opened from, "" for one's own; held: what a tree holds of it.
 * @typedef {Stored & {id: number, from: string, held?: any}} OpenGame
 */
/** @typedef {import("../texts.js").Said} Said */
/** @typedef {{event: string, black: string, white: string, date: string, result: string, moves: number,
 *   number: number, warnings?: Said[], pdn?: string, document?: GameDocument}} Row a game in a list */

const MOST_OPEN = 12;

/** A date without what is unknown: 1901.05.?? is 1901.05. @param {string} date */
export const dated = date => date.replace(/(\.\?\?)+$/, "");

/**
 * A tag of a game; "" if it is unknown.
 * @param {Record<string, string>} headers
 * @param {string} name
 */
export const tag = (headers, name) => (headers[name] || "").trim().replace(/^[?.\s]+$/, "");

/**
 * What a game is called: "Ann – Bob 1901", or as its event is; "" for one without players and event.
 * @param {Record<string, string>} headers
 */
export function nameOf(headers) {
  const black = retold(tag(headers, "Black"));
  const white = retold(tag(headers, "White"));
  const [year = ""] = /\d{4}/.exec(tag(headers, "Date")) ?? [];
  return black || white ? `${black || "?"} – ${white || "?"} ${year}`.trim() : tag(headers, "Event");
}

/** True for a certificate of kr prove. @param {string} name of a file */
export const isCertificate = name => /\.krproof$/i.test(name);

// --- lists

/**
 * The games of a list that have all words of a text.
 * @param {Row[]} games
 * @param {string} text
 */
export function matching(games, text) {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  const words = (/** @type {Row} */ game) =>
    `${game.event} ${game.black} ${game.white} ${game.date} ${game.result}`.toLowerCase();
  return games.filter(game => terms.every(term => words(game).includes(term)));
}

/**
 * How many games of a file are listed.
 * @param {string} name
 * @param {{found: number, read: number, whole: boolean, left_out: number}} answer
 * @param {boolean} narrowed by words
 */
export function listWords(name, {found, read, whole, left_out: left}, narrowed) {
  const games = whole ? many(read, "game") : t("{games} so far", {games: many(read, "game")});
  const values = {name, games, found, left: formatted(left)};
  if (narrowed) {
    return left
      ? t("{name}: {found} of {games}, {left} can't be read", values)
      : t("{name}: {found} of {games}", values);
  }
  return left ? t("{name}: {games}, {left} can't be read", values) : t("{name}: {games}", values);
}

/**
 * How many moves a game has as it was played, without variations.
 * @param {{parent: number | null}[]} nodes of a document: of the moves after a position the first one was played
 */
export function movesOf(nodes) {
  const next = new Map();
  for (const [number, {parent}] of nodes.entries()) if (!next.has(parent)) next.set(parent, number);
  let count = 0;
  for (let at = next.get(0); at !== undefined; at = next.get(at)) count += 1;
  return count;
}

// --- open games

/** The games that are open beside each other; one of them is on the board. One is always one's own, the first. */
export class OpenGames {
  /** @param {Stored} own */
  constructor(own) {
    this._ids = 0;
    /** @type {OpenGame[]} */
    this.list = [];
    /** @type {OpenGame} */
    this.current = this._add(own, "");
  }

  /**
   * Opens a game, or goes to it if it is open already. Many are never open at once: the oldest go.
   * @param {Stored} game
   * @param {string} from
   */
  open(game, from) {
    const there = this.list.find(each => from && each.from === from);
    this.current = there ?? this._add(game, from);
    while (this.list.length > MOST_OPEN) {
      this.list.splice(
        this.list.findIndex(each => each.from && each !== this.current),
        1,
      );
    }
    return this.current;
  }

  /** Goes to a game. @param {number} id */
  go(id) {
    const there = this.list.find(each => each.id === id);
    if (there) this.current = there;
    return this.current;
  }

  /** Closes a game; one's own stays. The one before it is then on the board, if it was. @param {number} id */
  close(id) {
    const at = this.list.findIndex(each => each.id === id);
    if (at < 1) return this.current;
    const [gone] = this.list.splice(at, 1);
    if (gone === this.current) this.current = this.list[at - 1];
    return this.current;
  }

  /**
   * The names of the games as they are shown.
   * @returns {{id: number, name: string, current: boolean, own: boolean}[]}
   */
  names() {
    return this.list.map((each, i) => ({
      id: each.id,
      name: nameOf(each.document.headers) || (i ? t("A game") : t("My game")),
      current: each === this.current,
      own: i === 0,
    }));
  }

  /** What `restored` takes: the game on the board first. */
  state() {
    const beside = this.list.filter(each => each !== this.current);
    return {
      ...stored(this.current),
      from: this.current.from,
      place: this.list.indexOf(this.current),
      beside: beside.map(each => ({...stored(each), from: each.from})),
    };
  }

  /**
   * Takes the place of what is open; false for what is not such a state.
   * @param {any} state
   */
  restore(state) {
    if (!isStored(state)) return false;
    const {beside, place: at, from} = /** @type {any} */ (state);
    const others = (Array.isArray(beside) ? beside : []).filter(isStored).slice(0, MOST_OPEN);
    const place = Math.max(0, Math.min(others.length, Number(at) || 0));
    this.list = [];
    for (const each of others.toSpliced(place, 0, {...state, from})) this._add(each, String(each.from ?? ""));
    this.list[0].from = "";
    this.current = this.list[place];
    return true;
  }

  /**
   * @param {Stored} game
   * @param {string} from
   * @returns {OpenGame}
   */
  _add({document, path, kept}, from) {
    const game = {id: ++this._ids, document, path, from, kept};
    this.list.push(game);
    return game;
  }
}

/** @param {OpenGame} game @returns {Stored} */
const stored = ({document, path, kept}) => ({document, path, kept});

/** @param {any} game @returns {game is Stored & {from?: unknown}} */
const isStored = game =>
  Array.isArray(game?.path) && Array.isArray(game.document?.nodes) && typeof game.document.headers === "object";
