// Requests and streams over messages, between a page and its worker of answers, in either direction.
//
// Messages of who asks            and of who answers
//   {id, ask: path, body}           {id, answer} or {id, error: text}
//   {id, open: what, args}          {id, event} ..., at last {id, end: true} or {id, error: text}
//   {id, say: object}
//   {id, stop: true}
//
// With an error there is lost: true if the link to the server broke.

/** @typedef {Record<string, any>} Event what a stream tells */
/** @typedef {{error: string, lost?: boolean}} Failure */
/** @typedef {{say: (said: object) => void, stop: () => void}} Stream stop: nothing more is heard of it */

/**
 * What answers: a promise of a JSON object, which rejects with an Error whose message a person can read; a stream of
 * events, at last {end: true} or {error}.
 * @typedef {{
 *   api: (path: string, body?: object) => Promise<any>,
 *   live: (what: string, args: object, hear: (event: Event) => void) => Stream,
 * }} Answering
 */

/** As JSON carries it to a server, without what a worker can't get. @param {object} body */
const plain = body => JSON.parse(JSON.stringify(body));

/** Why something was not answered, in a line that a person can read. */
export class Unanswered extends Error {
  /** @param {Failure} failure */
  constructor({error, lost = false}) {
    super(error);
    this.lost = lost;
  }
}

/** The side that asks. */
export class Messenger {
  /** @param {(message: object) => void} post */
  constructor(post) {
    this._post = post;
    this._last = 0;
    /** @type {Map<number, {done: (answer: any) => void, failed: (why: Error) => void}>} */
    this._asked = new Map();
    /** @type {Map<number, (event: Event) => void>} */
    this._streams = new Map();
    /** @type {Failure | null} why nothing answers */
    this._broken = null;
  }

  /**
   * Asks.
   * @param {string} path such as "games/pdn"
   * @param {object} [body]
   * @returns {Promise<any>} the answer
   */
  async api(path, body = {}) {
    if (this._broken) throw new Unanswered(this._broken);
    const id = ++this._last;
    return new Promise((done, failed) => {
      this._asked.set(id, {done, failed});
      this._post({id, ask: path, body: plain(body)});
    });
  }

  /**
   * Opens a stream.
   * @param {string} what its name
   * @param {object} args
   * @param {(event: Event) => void} hear gets its events, at last {end: true} or {error}
   * @returns {Stream}
   */
  live(what, args, hear) {
    const id = ++this._last,
      {_streams: streams, _broken: broken} = this;
    streams.set(id, hear);
    if (!broken) this._post({id, open: what, args: plain(args)});
    // as from afar: the caller has the stream by then
    else queueMicrotask(() => streams.delete(id) && hear({...broken}));
    return {
      say: said => streams.has(id) && this._post({id, say: plain(said)}),
      stop: () => {
        if (streams.delete(id)) this._post({id, stop: true});
      },
    };
  }

  /** A message has come. @param {Record<string, any>} message */
  hear({id, answer, error, lost, event, end}) {
    const request = this._asked.get(id),
      stream = this._streams.get(id);
    if (request) {
      this._asked.delete(id);
      if (error === undefined) request.done(answer);
      else request.failed(new Unanswered({error, lost}));
    } else if (error !== undefined || end) {
      this._streams.delete(id);
      stream?.(end ? {end: true} : {error, ...(lost && {lost})});
    } else stream?.(event);
  }

  /** Nothing will answer any more. @param {string} why */
  fail(why) {
    this._broken = {error: why};
    for (const {failed} of this._asked.values()) failed(new Unanswered(this._broken));
    this._asked.clear();
    const left = [...this._streams.values()];
    this._streams.clear();
    for (const hear of left) hear({...this._broken});
  }
}

/**
 * Has a server do what messages ask for.
 * @param {Answering} server
 * @param {(message: object) => void} post
 * @returns {(message: Record<string, any>) => void} takes a message
 */
export function forwarding({api, live}, post) {
  /** @type {Map<number, Stream>} */
  const streams = new Map();
  return ({id, ask, body, open, args, say, stop}) => {
    if (ask) {
      api(ask, body).then(
        answer => post({id, answer}),
        error => post({id, error: error.message, lost: error.lost}),
      );
    } else if (open) {
      const hear = (/** @type {Event} */ event) => {
        const ends = event.end || event.error !== undefined;
        if (ends) streams.delete(id);
        post(ends ? {id, ...event} : {id, event});
      };
      streams.set(id, live(open, args, hear));
    } else if (say) streams.get(id)?.say(say);
    else if (stop) {
      streams.get(id)?.stop();
      streams.delete(id);
    }
  };
}
