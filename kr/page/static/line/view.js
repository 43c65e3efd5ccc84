// What lines of moves need on every page: the move in sight, and a pause before a reply.

import {isStill} from "../motion.js";

/**
 * Scrolls a list as far as one of its items is in sight, and the page not at all.
 * @param {Element} list
 * @param {Element} item
 */
export function within(list, item) {
  const box = list.getBoundingClientRect(),
    own = item.getBoundingClientRect();
  if (own.top < box.top) list.scrollTop -= box.top - own.top;
  else if (own.bottom > box.bottom) list.scrollTop += own.bottom - box.bottom;
}

/** Waits as long as a reply should seem to take. */
export const pause = (ms = 350) => new Promise(done => setTimeout(done, isStill() ? 0 : ms));
