// Judged moves with the likelihood that people play them: kr/analysis/annotation/people.py. A losing move is a trap if
// people are likely to play it, and an oversight if few do. A draw that gives people no chance to lose is a missed
// chance if another does, and the opponent did not lose it all the same.

import {harderDraw} from "../harder.js";
import {slipOf} from "./judging.js";

/** @typedef {import("./judging.js").JudgedMove} JudgedMove */
/** @typedef {import("../pdn/tree.js").Game} Game */

/**
 * The judgements of a game's moves, with the probabilities that people play them for each that had a choice.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves
 * @param {Pick<import("../persons.js").Persons, "moves">} persons
 * @param {import("./judging.js").Thresholds} thresholds
 * @param {import("../house.js").DatabasePort | null} database
 * @param {import("../persons.js").How} [how]
 */
export async function withPeople(game, moves, persons, thresholds, database, how) {
  const positions = game.positions(),
    begins = game.historyBegins(),
    {winner} = game;
  // who won in the end, or whose opponent lost the draw later, has missed nothing
  const lost = new Map(moves.filter(({value}) => value === "loss").map(({side, ply}) => [side, ply]));
  if (winner !== null) lost.set(1 - winner, positions.length);
  return Promise.all(
    moves.map(async judged => {
      const {ply, move} = judged,
        line = positions.slice(Math.max(begins[ply], ply - 2), ply + 1),
        choices = await persons.moves(line, {...how, judged: lossOf(judged)});
      if (choices.length < 2) return judged;
      // captures of the same pieces along different paths are one choice
      const own = choices.find(each => each.move.leadsAs(move)),
        [{move: likeliest, probability, holds}] = choices;
      const judgement = {
        ...judged,
        ...{likely: own?.probability ?? null, likelyHolds: own?.holds ?? false},
        ...{likeliest, likeliestProbability: probability, likeliestHolds: holds},
      };
      const isMissable = judged.value === "draw" && (lost.get(1 - judged.side) ?? -1) < ply,
        played = positions.slice(begins[ply], ply + 1),
        harder = isMissable ? await harderDraw(database, persons, played, move) : null;
      return {...judgement, slip: slipOf(judgement, thresholds), harder};
    }),
  );
}

/**
 * What the judgement knows of the losses of moves; null if the move was not judged.
 * @param {JudgedMove} judged
 */
function lossOf({move, expected, othersExpected}) {
  if (expected === null || othersExpected === null) return null;
  const lead = expected - othersExpected;
  return {move, loss: Math.max(0, -lead), others: Math.max(0, lead)};
}
