// Elements of a problem under construction: the verdict with its line, and the variations.

import {Board} from "../board.js";
import {button, el, unbroken} from "../dom.js";
import {t} from "../texts.js";
import {changeWords, endWords, reasons, stars, variationWords, verdictWords} from "./state.js";

/** @typedef {import("./state.js").Verdict} Verdict */
/** @typedef {import("./state.js").Variation} Variation */

/**
 * @param {Verdict} found
 * @param {string} fen of the problem
 * @param {number} ply that is shown on the board
 * @param {(ply: number) => void} step shows the position after so many plies of the line
 */
export function verdictView(found, fen, ply, step) {
  const only = stars(found);
  const moves = found.line.map(({text}, i) =>
    button(unbroken(`${text}${only.has(i) ? "*" : ""}`), () => step(i + 1), {
      class: "step",
      "aria-current": i + 1 === ply ? "true" : null,
    }),
  );
  const end = endWords(found);
  const steps = el(
    "div",
    {class: "row", role: "group", "aria-label": t("Line")},
    button("‹", () => step(ply - 1), {"aria-label": t("Step back"), disabled: ply === 0}),
    button("›", () => step(ply + 1), {"aria-label": t("Step on"), disabled: ply === found.line.length}),
    moves,
    end && el("span", {class: "muted"}, end),
  );
  return [
    el("h3", {class: found.verdict}, verdictWords(found)),
    ...reasons(found, fen).map(sentence => el("p", null, unbroken(sentence))),
    found.line.length ? steps : null,
    only.size ? el("p", {class: "muted"}, t("*: proved to be the only way.")) : null,
  ];
}

/**
 * A variation: a small board that opens it.
 * @param {Variation} variation
 * @param {boolean} flipped
 * @param {() => void} open
 */
export function variationView(variation, flipped, open) {
  const words = changeWords(variation.changes),
    board = new Board({label: "", numbers: false});
  if (flipped) board.flip(true);
  board.show(variation.fen);
  // a picture on a button: nothing of it is to be reached by itself
  const picture = el("div", {class: "picture", inert: true, "aria-hidden": "true"}, board.element);
  return el(
    "li",
    null,
    el(
      "button",
      {type: "button", onclick: open},
      picture,
      el("b", null, words),
      el("span", {class: "muted"}, unbroken(variationWords(variation))),
    ),
  );
}
