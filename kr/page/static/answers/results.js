// Results of searches, as they come from where the engine is.

import {moveOf} from "./wire.js";

/** @typedef {import("./kr.js").Result} Result */

/** A result that has come from another thread. @param {Result} result @returns {Result} */
export const heard = result => ({
  ...result,
  lines: result.lines.map(line => ({...line, moves: line.moves.map(moveOf)})),
});

/** What a search has found before its first line. @returns {Result} */
export const nothing = () => ({depth: 0, lines: [], nodes: 0, seconds: 0, value: null});
