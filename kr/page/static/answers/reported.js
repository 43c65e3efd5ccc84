// News of some work for a stream, a few times a second. Nothing that answers before the board needs it.

import {News, pause} from "./news.js";

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
