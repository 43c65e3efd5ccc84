// Requests and streams by their names, each answered by the module of its feature, as kr/web/app.py does.

import {Stopped} from "./news.js";
import {PageRequest} from "./request.js";
import {KrError} from "./text.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {{get: () => Promise<PageRequest>, signal: AbortSignal}} Inbox signal: the page has stopped the stream */
/** @typedef {(house: House, request: PageRequest) => any} Route */
/** @typedef {(house: House, request: PageRequest, inbox: Inbox) => AsyncGenerator<any>} Stream */
/** @typedef {{ROUTES?: Record<string, Route>, LIVE?: Record<string, Stream>}} Feature */

/** @type {Record<string, () => Promise<Feature>>} */
const FEATURES = {
  position: () => import("./positions.js"),
  opening: () => import("./opening_requests.js"),
  openings: () => import("./opening_requests.js"),
  games: () => import("./games.js"),
  send: () => import("./sending.js"),
  engines: () => import("./searches.js"),
  analysis: () => import("./searches.js"),
  annotate: () => import("./judging.js"),
  people: () => import("./people.js"),
  regions: () => import("./regions.js"),
  play: () => import("./playing.js"),
  puzzles: () => import("./puzzles.js"),
  endings: () => import("./endings.js"),
};
/** Requests that another module answers than that of the others of their kind. */
const ELSEWHERE = {"games/svg": "send"};

/** @param {string} name @returns {Promise<Feature>} */
async function featureOf(name) {
  const kind = /** @type {Record<string, string>} */ (ELSEWHERE)[name] ?? name.split("/")[0],
    load = FEATURES[kind];
  if (!load) throw new KrError("this page has no such thing");
  return load();
}

/** The answer to a request. @param {House} house @param {string} path @param {any} body */
export async function answer(house, path, body) {
  const route = (await featureOf(path)).ROUTES?.[path];
  if (!route) throw new KrError("this page has no such thing");
  return await route(house, new PageRequest(body));
}

/**
 * The events of a stream.
 * @param {House} house
 * @param {string} what
 * @param {any} args
 * @param {Inbox} inbox
 */
export async function* events(house, what, args, inbox) {
  const stream = (await featureOf(what)).LIVE?.[what];
  if (!stream) throw new KrError("this page has no such thing");
  yield* stream(house, new PageRequest(args), inbox);
}

/** What a page says to a stream, in order, until it is taken. */
export class Messages {
  constructor() {
    /** @type {PageRequest[]} */
    this._come = [];
    /** @type {{resolve: (request: PageRequest) => void, reject: (error: Error) => void}[]} */
    this._waiting = [];
    this._ending = new AbortController();
  }

  /** Aborted once the page has stopped the stream. */
  get signal() {
    return this._ending.signal;
  }

  /** @param {any} said */
  put(said) {
    const request = new PageRequest(said),
      next = this._waiting.shift();
    if (next) next.resolve(request);
    else this._come.push(request);
  }

  /** The next one; it rejects when the page stops the stream. @returns {Promise<PageRequest>} */
  get() {
    const first = this._come.shift();
    if (first) return Promise.resolve(first);
    if (this.signal.aborted) return Promise.reject(new Stopped());
    return new Promise((resolve, reject) => this._waiting.push({resolve, reject}));
  }

  /** Ends the stream. */
  stop() {
    this._ending.abort();
    for (const {reject} of this._waiting) reject(new Stopped());
    this._waiting = [];
  }
}

/** What went wrong, as a person reads it. @param {unknown} error */
export function errorLine(error) {
  if (error instanceof KrError) return error.message;
  console.error(error);
  return `an error in kr; please report it (${error instanceof Error ? error.message : error})`;
}
