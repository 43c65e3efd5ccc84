// What the page says of its own files: lines at the bottom, below which nothing lies (page.css).

import {button, el} from "./dom.js";

/** @type {HTMLElement | null} */
let place = null;

function made() {
  const made = el("div", {class: "notices"});
  document.body.append(made);
  new ResizeObserver(() => document.documentElement.style.setProperty("--notices", `${made.offsetHeight}px`)).observe(
    made,
  );
  return made;
}

/**
 * A line with a button, hidden until it is shown.
 * @param {string} label of the button
 * @param {() => void} act
 */
export function notice(label, act) {
  place ??= made();
  const text = el("p", {role: "status"}),
    bar = el("progress", {hidden: true}),
    amount = el("p", {"aria-hidden": "true"}),
    again = button(label, act),
    line = el("div", {class: "notice", hidden: true}, bar, text, amount, again);
  place.append(line);
  return {line, text, bar, amount, again};
}
