// The stream of a game or a match from the server: events in their order, some of them held back a little.

import {pause} from "../line/view.js";

/** @typedef {Record<string, any>} Event */

/**
 * Opens a stream.
 * @param {import("../shell.js").App} app
 * @param {string} what
 * @param {object} asked
 * @param {{hear: (event: Event) => void, fail: (event: Event) => void, rest?: (event: Event) => number}} listener fail:
 *     hears {error, lost}, the last event; rest: milliseconds before an event is heard
 */
export function follow(app, what, asked, {hear, fail, rest = () => 0}) {
  let waiting = Promise.resolve(),
    open = true;
  const stream = app.live(what, asked, (/** @type {Event} */ event) => {
    waiting = waiting.then(() => take(event));
  });

  /** @param {Event} event */
  async function take(event) {
    const ms = rest(event);
    if (ms > 0) await pause(ms);
    if (!open) return;
    if (event.end) open = false;
    else if (event.error !== undefined) {
      open = false;
      fail(event);
    } else hear(event);
  }

  return {
    get isOpen() {
      return open;
    },
    /** @param {object} message */
    say(message) {
      if (open) stream.say(message);
    },
    stop() {
      open = false;
      stream.stop();
    },
  };
}
