// Keys of pages: those that all have, and what they do.

/** @typedef {Record<string, () => unknown>} Keys acts by the name of their key */

/** Keys for the steps through a game. @param {import("./stage.js").Steps} steps @returns {Keys} */
export const stepKeys = ({start, back, next, end}) => ({ArrowLeft: back, ArrowRight: next, Home: start, End: end});

/**
 * A listener that does what keys stand for, except where one types or a key has another meaning.
 * @param {Keys} keys
 * @returns {(event: KeyboardEvent) => void}
 */
export const pressing = keys => event => {
  const place = /** @type {Element} */ (event.target);
  const typing = place.closest("input, textarea, select, dialog, [contenteditable], [role=menu]");
  if (event.ctrlKey || event.metaKey || event.altKey || typing || !Object.hasOwn(keys, event.key)) return;
  // a button that has the focus is pressed by space
  if (event.key === " " && place.closest("button, summary, a")) return;
  event.preventDefault();
  keys[event.key]();
};
