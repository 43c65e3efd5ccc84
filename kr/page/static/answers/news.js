// News for a stream, from what goes on beside it.

/** The page has stopped the stream. */
export class Stopped extends Error {}

export class News {
  /** @param {AbortSignal} signal ends the waiting */
  constructor(signal) {
    this._signal = signal;
    this._isSet = false;
    /** @type {(() => void) | null} */
    this._wake = null;
    signal.addEventListener("abort", () => this._wake?.(), {once: true});
  }

  ring() {
    this._isSet = true;
    this._wake?.();
  }

  /** Waits for news since the last time; it rejects once the stream is stopped. */
  async wait() {
    if (!this._isSet && !this._signal.aborted) await new Promise(resolve => (this._wake = () => resolve(undefined)));
    this._wake = null;
    this._isSet = false;
    if (this._signal.aborted) throw new Stopped();
  }
}

/** @param {number} seconds */
export const pause = seconds => new Promise(resolve => setTimeout(resolve, 1000 * seconds));

/** Events a second of some work. */
const UPDATES = 4;

/**
 * What some work tells, always the newest, at most UPDATES a second; returns its result. The stream's end ends it.
 * join: makes one event of two.
 * @template Result
 * @param {import("./answers.js").Inbox} inbox
 * @param {(signal: AbortSignal, tell: (event: any) => void) => Promise<Result>} work
 * @param {(older: any, newer: any) => any} [join]
 * @returns {AsyncGenerator<object, Result>}
 */
export async function* reported({signal}, work, join = (_, newer) => newer) {
  const news = new News(signal);
  /** @type {object | null} */
  let newest = null;
  let isDone = false;
  const result = work(signal, event => {
    newest = newest ? join(newest, event) : event;
    news.ring();
  }).finally(() => {
    isDone = true;
    news.ring();
  });
  // it is awaited below, unless the stream has been stopped
  result.catch(() => {});
  for (;;) {
    await news.wait();
    if (newest) {
      const event = newest;
      newest = null;
      yield event;
    }
    if (isDone) return await result;
    await Promise.race([pause(1 / UPDATES), result.catch(() => {})]);
  }
}
