// Elements of the panel Regions.

import {place} from "../board.js";
import {el, svg} from "../dom.js";
import {COUNTS} from "../offers.js";
import {head} from "../tables.js";
import {t} from "../texts.js";
import {inMen, roughly} from "./state.js";

/** @typedef {import("./state.js").Region} Region */

const outlined = (/** @type {number[]} */ squares) => squares.map(square => `M${place(square)}h1v1h-1z`).join("");
const DARK = outlined(Array.from({length: 32}, (_, i) => i + 1));

/** A region on a small board, which turns with the board. @param {Region} region */
const picture = ({squares, score}) =>
  svg(
    "svg",
    {class: "mini", viewBox: "0 0 8 8", "aria-hidden": "true"},
    svg("path", {class: "dark", d: DARK}),
    svg("path", {class: score < 0 ? "helps-white" : "helps-black", d: outlined(squares)}),
  );

/**
 * @param {Region} region
 * @param {boolean} counted it is known how often regions were seen
 * @param {(squares: number[]) => void} point shows squares on the board
 */
export function regionRow(region, counted, point) {
  const light = () => point(region.squares);
  const dark = () => point([]);
  const {score, seen} = region;
  return el(
    "tr",
    {tabindex: 0, onmouseenter: light, onmouseleave: dark, onfocus: light, onblur: dark},
    el("td", {class: "right"}, inMen(score, 2)),
    el("td", null, score > 0 ? t("Black") : score < 0 ? t("White") : ""),
    COUNTS && el("td", {class: "right"}, !counted ? "–" : seen ? roughly(seen) : t("never")),
    el("td", null, picture(region), el("span", null, region.squares.join(" "))),
  );
}

/** The table of regions, and its body. */
export function regionTable() {
  const rows = el("tbody");
  const heads = [t("men"), t("helps"), ...(COUNTS ? [t("seen")] : []), t("squares")];
  const table = el("table", {class: "strongest"}, head(heads), rows);
  const scroll = el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": t("Strongest regions")}, table);
  return {table: scroll, rows};
}
