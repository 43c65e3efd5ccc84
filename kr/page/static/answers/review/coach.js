// Why a marked move is worse than the better one, in words: kr/analysis/annotation/coach.py.

import {squareName} from "../notation.js";

/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("../../texts.js").Sentence} Sentence */
/** @typedef {import("../house.js").Fact} Fact */
/** @typedef {import("../pdn/tree.js").Game} Game */
/** @typedef {import("./judging.js").JudgedMove} JudgedMove */

/**
 * Judgements with the reasons for their marks.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves
 * @param {Pick<import("../house.js").EnginePort, "facts">} engine
 */
export async function withReasons(game, moves, engine) {
  const positions = game.positions(),
    /** @type {JudgedMove[]} */
    found = [];
  for (const judged of moves) {
    const {ply, refutation, line} = judged,
      facts = refutation.length ? await engine.facts(positions[ply], refutation, line) : [];
    found.push({...judged, why: reasons(judged, facts)});
  }
  return found;
}

/**
 * The reasons for the mark of a move, the most telling first.
 * @param {Pick<JudgedMove, "refutation" | "line">} judged
 * @param {readonly Fact[]} facts of the two lines
 * @returns {Sentence[]}
 */
export const reasons = ({refutation, line: better}, facts) =>
  facts.map(({kind, better: isBetter, plies, count, given, taken, square, origin}) => {
    const line = (isBetter ? better : refutation).slice(0, plies);
    /** @type {Record<string, Said>} */
    const values = {line: line.join(" ")};
    if (kind === "threat") values.move = String(line[1]);
    if (kind === "too_late") values.move = String(better[0]);
    if (count) values.count = count;
    if (given || taken) Object.assign(values, {given: String(given), taken: String(taken)});
    if (square >= 0) values.square = squareName(square);
    if (origin >= 0) values.origin = squareName(origin);
    return {say: `why.${kind}`, with: values};
  });
