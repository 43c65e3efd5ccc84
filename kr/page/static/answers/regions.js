// Parts of a static score: the share of each piece, and the strongest regions. The WebAssembly's tables lack what a
// weights file also has: how much of an entry is a region's own, and how often it was seen in games.

import {squaresOf} from "./notation.js";
import {Position, sideName} from "./rules.js";
import {Refused} from "./text.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */

/** @param {House} house @param {PageRequest} request */
async function explainPosition(house, request) {
  const position = request.position();
  if (!position.pieces) throw new Refused("refused.no_score");
  const [{name}, explanation] = await Promise.all([house.data("engine"), house.engine.evaluate(position)]),
    {score, material, turn, empty, shares, worths, regions, evidence = ""} = explanation,
    sign = position.side ? -1 : 1,
    // no zero below zero
    black = (/** @type {number | null | undefined} */ centimen) =>
      typeof centimen === "number" ? Number((sign * centimen).toFixed(2)) + 0 : null,
    occupied = squaresOf(position.black | position.white);
  return {
    fen: position.fen,
    weights: name,
    score: black(score),
    material: black(material),
    move: black(turn),
    empty: black(empty),
    shares: Object.fromEntries(occupied.map(square => [square + 1, black(shares[square])])),
    shared: regions.length > 0,
    pieces: occupied.map(square => ({
      square: square + 1,
      side: sideName((position.white >>> square) & 1),
      king: Boolean((position.kings >>> square) & 1),
      worth: black(worths[square]),
    })),
    regions: [...regions]
      .sort((a, b) => Math.abs(b.score) - Math.abs(a.score))
      .map(region => ({
        squares: squaresOf(region.squares).map(square => square + 1),
        score: black(region.score),
        own: black(region.own),
        seen: region.seen ?? null,
      })),
    evidence,
    remark: remarkOf(position),
  };
}

/** Why a static score says little of a position; "" if it does not. @param {Position} position */
function remarkOf(position) {
  if (position.isOver) return "over";
  return position.entries[0].captured ? "capture" : "";
}

export const ROUTES = {regions: explainPosition};
