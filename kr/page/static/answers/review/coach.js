// Why a marked move is worse than the better one, in words: kr/analysis/annotation/coach.py.

import {squareName} from "../notation.js";
import {MARKS} from "./judging.js";

/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("../../texts.js").Sentence} Sentence */
/** @typedef {import("../house.js").Fact} Fact */
/** @typedef {import("../pdn/tree.js").Game} Game */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("./judging.js").JudgedMove} JudgedMove */

/** Moves of a line that are looked at; where a search left off before, it is searched on. */
const LONG_ENOUGH = 12;

/**
 * Judgements with the reasons for their marks.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves
 * @param {Pick<import("../house.js").EnginePort, "facts">} port
 * @param {(position: Position, line: readonly Move[]) => Promise<readonly Move[]>} longer a line, searched on if short
 */
export async function withReasons(game, moves, port, longer) {
  const positions = game.positions(),
    /** @type {JudgedMove[]} */
    found = [];
  for (const judged of moves) {
    const {ply} = judged,
      position = positions[ply];
    if (judged.refutation.length) {
      const refutation = await longer(position, judged.refutation),
        line = await longer(position, judged.line),
        why = reasons({...judged, refutation, line}, await port.facts(position, refutation, line));
      found.push({...judged, refutation, line, why});
    } else found.push(judged);
  }
  return found;
}

/**
 * A line, searched on from its end where it is short and nothing is known.
 * @param {Position} position
 * @param {readonly Move[]} line
 * @param {import("../house.js").DatabasePort | null} database
 * @param {(position: Position) => Promise<readonly Move[]>} search the best line of a position
 */
export async function continued(position, line, database, search) {
  const whole = [...line];
  let at = line.reduce((before, move) => before.after(move), position);
  while (whole.length < LONG_ENOUGH && !at.isOver && (!database?.has(at) || at.legalMoves()[0].captured)) {
    const moves = await search(at);
    if (!moves.length) break;
    whole.push(...moves);
    at = moves.reduce((before, move) => before.after(move), at);
  }
  return whole;
}

/**
 * The reasons for the mark of a move, the most telling first.
 * @param {Pick<JudgedMove, "mark" | "refutation" | "line">} judged
 * @param {readonly Fact[]} facts of the two lines
 * @returns {Sentence[]}
 */
export const reasons = ({mark, refutation, line: better}, facts) =>
  // that one says little of a mark that a tempo may make
  facts
    .filter(({kind}) => kind !== "too_late" || mark === MARKS.at(-1))
    .map(({kind, better: isBetter, plies, count, given, taken, square, origin}) => {
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
