// Requests and streams by their names, each answered by the module of its feature.

import {Unanswered} from "../messenger.js";
import {Stopped} from "./news.js";
import {PageRequest} from "./request.js";
import {KrError, Refused} from "./text.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {{get: () => Promise<PageRequest>, signal: AbortSignal}} Inbox signal: the page has stopped the stream */
/** @typedef {(house: House, request: PageRequest) => any} Route */
/** @typedef {(house: House, request: PageRequest, inbox: Inbox) => AsyncGenerator<any>} Stream */
/** @typedef {{ROUTES?: Record<string, Route>, LIVE?: Record<string, Stream>}} Feature */

/** @type {Record<import("./answered.js").Answered, () => Promise<Feature>>} */
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
  lessons: () => import("./lessons.js"),
  library: () => import("./library.js"),
  endings: () => import("./endings.js"),
  book: () => import("./book.js"),
  selfplay: () => import("./selfplay.js"),
  certificate: () => import("./proofs.js"),
  proofs: () => import("./proofs.js"),
  prove: () => import("./proofs.js"),
  soundness: () => import("./composing.js"),
  variations: () => import("./composing.js"),
};
/** Requests that another module answers than that of the others of their kind. */
const ELSEWHERE = {"games/svg": "send"};

/** @param {string} name @returns {Promise<Feature>} */
async function featureOf(name) {
  const kind = /** @type {Record<string, string>} */ (ELSEWHERE)[name] ?? name.split("/")[0],
    load = /** @type {Record<string, () => Promise<Feature>>} */ (FEATURES)[kind];
  if (!load) throw new Refused("refused.no_page");
  try {
    return await load();
  } catch (error) {
    console.warn(error);
    throw new Refused("refused.part_missing");
  }
}

/** The answer to a request. @param {House} house @param {string} path @param {any} body */
export async function answer(house, path, body) {
  const route = (await featureOf(path)).ROUTES?.[path];
  if (!route) throw new Refused("refused.no_page");
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
  if (!stream) throw new Refused("refused.no_page");
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

/** What went wrong, for a person. @param {unknown} error @returns {import("../texts.js").Said} */
function toldOf(error) {
  if (error instanceof KrError) return error.told;
  if (error instanceof Unanswered) return error.message;
  console.error(error);
  return {say: "refused.broken_by", with: {detail: error instanceof Error ? error.message : String(error)}};
}

/** What a page is told of an error. @param {unknown} error */
const failureOf = error => ({
  error: toldOf(error),
  ...(error instanceof Unanswered && error.lost && {lost: true}),
});

/** Gives the messages of a page (messenger.js) what they ask for: an answer, or a stream. */
export class Dispatcher {
  /** @param {House} house @param {(message: object) => void} send */
  constructor(house, send) {
    this._house = house;
    this._send = send;
    /** @type {Map<number, {inbox: Messages, run: AsyncGenerator<any>}>} */
    this._streams = new Map();
  }

  /** False for a message that is about something else. @param {any} message */
  take({id, ask, body, open, args, say, stop}) {
    if (ask) void this._answer(id, ask, body);
    else if (open) void this._stream(id, open, args);
    else if (say) this._say(id, say);
    else if (stop) this._stop(id);
    else return false;
    return true;
  }

  /** @param {number} id @param {string} path @param {any} body */
  async _answer(id, path, body) {
    try {
      this._send({id, answer: await answer(this._house, path, body)});
    } catch (error) {
      this._send({id, ...failureOf(error)});
    }
  }

  /** @param {number} id @param {string} what @param {any} args */
  async _stream(id, what, args) {
    const inbox = new Messages(),
      run = events(this._house, what, args, inbox);
    this._streams.set(id, {inbox, run});
    try {
      for await (const event of run) this._send({id, event});
      this._send({id, end: true});
    } catch (error) {
      // what goes wrong once it is stopped is nobody's concern
      this._send(inbox.signal.aborted ? {id, end: true} : {id, ...failureOf(error)});
    } finally {
      this._streams.delete(id);
    }
  }

  /** @param {number} id @param {any} said */
  _say(id, said) {
    try {
      this._streams.get(id)?.inbox.put(said);
    } catch (error) {
      // nothing that a page says
      if (!(error instanceof KrError)) throw error;
    }
  }

  /** @param {number} id */
  _stop(id) {
    const stopped = this._streams.get(id);
    // one that waits is told first, or it would not end before what it waits for
    stopped?.inbox.stop();
    void stopped?.run.return(undefined);
  }
}
