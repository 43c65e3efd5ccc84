// Judged moves with the likelihood that people play them: kr/analysis/annotation/policy.py. A losing move is a trap if
// people are likely to play it, and an oversight if few do.

import {slipOf} from "./judging.js";

/** @typedef {import("./judging.js").JudgedMove} JudgedMove */
/** @typedef {import("../pdn/tree.js").Game} Game */

/**
 * The judgements of a game's moves, with the probabilities that people play them for each that had a choice.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves
 * @param {Pick<import("../house.js").EnginePort, "people">} engine
 * @param {import("./judging.js").Thresholds} thresholds
 */
export async function withPolicy(game, moves, engine, thresholds) {
  const positions = game.positions(),
    begins = game.historyBegins();
  return Promise.all(
    moves.map(async judged => {
      const {ply, move} = judged,
        choices = await engine.people(positions.slice(Math.max(begins[ply], ply - 2), ply + 1));
      if (choices.length < 2) return judged;
      // captures of the same pieces along different paths are one choice
      const likely = choices.find(each => each.move.leadsAs(move))?.probability ?? null,
        [{move: likeliest, probability}] = choices;
      const judgement = {...judged, likely, likeliest, likeliestProbability: probability};
      return {...judgement, slip: slipOf(judgement, thresholds)};
    }),
  );
}
