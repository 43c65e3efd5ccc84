// Elements of the panel Proof.

import {button, el, unbroken} from "../dom.js";
import {head, moveRow} from "../tables.js";
import {moves, t} from "../texts.js";
import {claimStanding, claimWords, endWords, extent} from "./state.js";

/** @typedef {import("./state.js").Move} Move */

/**
 * A reply with its answer, or why the line ends.
 * @param {import("./state.js").Reply} reply
 * @param {{play: (moves: Move[]) => void, point: (path: number[]) => void}} acts
 */
export function replyRow(reply, {play, point}) {
  const {answer, end, left} = reply,
    label = answer
      ? t("Play {move} and the answer {answer}", {move: reply.text, answer: answer.text})
      : t("Play {move}", {move: reply.text});
  return moveRow(
    reply,
    {play: () => play(answer ? [reply, answer] : [reply]), point, label},
    el("td", null, answer ? unbroken(answer.text) : el("span", {class: "muted"}, end ? endWords(end) : "")),
    el("td", {class: "right muted"}, left === null ? "" : moves(left)),
  );
}

/** The table of replies, and its body. */
export function replyTable() {
  const rows = el("tbody");
  const heads = [t("Reply"), t("Answer"), t("Left")];
  return {table: el("table", {class: "of-moves replies", hidden: true}, head(heads)), rows};
}

/**
 * The moves from the root of a certificate to the position, each a button.
 * @param {any[]} nodes of the game
 * @param {(node: any) => void} pick
 */
export const crumbs = (nodes, pick) =>
  nodes.map((node, i) =>
    button(unbroken(i ? node.text : t("Beginning")), () => pick(node), {
      "aria-current": i === nodes.length - 1 ? "step" : null,
    }),
  );

/** @param {import("./state.js").Claim} claim */
export const claimRow = claim => el("li", null, unbroken(claimStanding(claim)));

/**
 * @param {import("./state.js").Certificate} certificate
 * @param {{step: () => void, save: () => void}} acts
 * @param {boolean} current whether it is the one that is stepped through
 */
export const certificateRow = (certificate, {step, save}, current) =>
  el(
    "li",
    null,
    el("b", null, claimWords(certificate)),
    el("span", {class: "muted"}, ` · ${extent(certificate)}`),
    el(
      "div",
      {class: "row"},
      button(t("Step through"), step, {"aria-pressed": String(current)}),
      button(t("Save certificate"), save),
    ),
  );
