// Reasons for a hint: the line that follows, the pieces that it wins, and what the best alternative gives up.
//
//   {"text", "path", "captured",            the move
//    "forced": true,                        there is no other; left out if there is
//    "score": 120, "plies": 7,              of the side to move; plies to the end of a win or loss seen to its end
//    "line": [{move, "fen"}, ...],          the move and what follows
//    "gain": {"pieces": 1, "plies": 5},     pieces won by the line, negative for lost ones, and the plies it takes;
//                                           null if as many are taken as lost
//    "crowned": 3,                          plies after which a man of this side is crowned; null if none is
//    "other": {...}}                        the same of the best alternative, its "value", and "why" it is worse, where
//                                           it gives away as much as a mistake, by a fact of the lines;
//                                           null if there is none
//
// Gains are counted where no capture is due: within an exchange the count means nothing.

import {opposite, SCORE_DECIDED, SCORE_PROVED, SCORE_WIN, valueOfSign} from "./chances.js";
import {countOf} from "./notation.js";
import {BLACK, lineJson, moveJson} from "./rules.js";
import {continued, isSeen, reasons} from "./review/coach.js";
import {known} from "./weighing.js";

/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./weighing.js").Info} Line */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./house.js").DatabasePort} DatabasePort */

/**
 * What tells why the alternative is worse. mistake: expected result that it gives away, as much as a mistake; search:
 * the best line of a position
 * @typedef {{
 *   mistake: number, chances: import("./chances.js").ChancesOfScores,
 *   port: Pick<import("./house.js").EnginePort, "facts">, search: (position: Position) => Promise<readonly Move[]>,
 * }} Coach
 */

/** Moves of a line that are shown. */
const MOST_HINT_MOVES = 12;

/**
 * A hint as JSON.
 * @param {Position} position
 * @param {readonly Line[]} lines of a search with two, the best first
 * @param {DatabasePort | null} database
 * @param {Coach} coach
 */
export async function hintJson(position, lines, database, coach) {
  const [best, ...rest] = lines,
    other = rest.find(line => !line.moves[0].equals(best.moves[0]));
  return {
    ...prospects(position, best),
    ...(position.entries.length === 1 && {forced: true}),
    other: other
      ? {
          ...prospects(position, other),
          value: await valueOf(position, other, database),
          why: await whyNot(position, other, best, database, coach),
        }
      : null,
  };
}

/**
 * Why the alternative is worse than the best move.
 * @param {Position} position
 * @param {Line} other
 * @param {Line} best
 * @param {DatabasePort | null} database
 * @param {Coach} coach
 */
async function whyNot(position, other, best, database, {mistake, chances, port, search}) {
  const [most, less] = [best, other].map(({score}) => chances.of(score, null).expected);
  if (most - less < mistake) return [];
  const refutation = await continued(position, other.moves, database, search),
    line = await continued(position, best.moves, database, search),
    facts = await port.facts(position, refutation, line),
    scores = {score: other.score, bestScore: best.score};
  return reasons(
    {mark: "", refutation, line},
    facts.filter(fact => isSeen(fact, position, scores)),
  ).slice(0, 1);
}

/**
 * Pieces that the side to move wins by a line, negative for lost ones, and the plies after which it has; null if the
 * line ends with as many as it began.
 * @param {Position} position
 * @param {readonly Move[]} line
 */
export function gainOf(position, line) {
  const before = lead(position, position.side),
    /** @type {{plies: number, count: number}[]} */
    counts = [];
  let at = position;
  for (const [index, move] of line.entries()) {
    at = at.after(move);
    if (!at.entries[0]?.captured) counts.push({plies: index + 1, count: lead(at, position.side) - before});
  }
  const pieces = counts.at(-1)?.count ?? 0;
  if (!pieces) return null;
  let plies = line.length;
  for (const each of counts.reverse()) {
    if (each.count * pieces < 0 || Math.abs(each.count) < Math.abs(pieces)) break;
    plies = each.plies;
  }
  return {pieces, plies};
}

/** @param {Position} position @param {Line} line */
function prospects(position, {moves, score}) {
  let at = position,
    /** @type {number | null} */
    crowned = null;
  for (const [index, move] of moves.entries()) {
    const {side, kings} = at;
    at = at.after(move);
    const isCrowned = !((kings >>> move.origin) & 1) && (at.kings >>> move.target) & 1;
    if (isCrowned && side === position.side) crowned ??= index + 1;
  }
  return {
    ...moveJson(moves[0]),
    score,
    plies: Math.abs(score) > SCORE_DECIDED ? SCORE_WIN - Math.abs(score) : null,
    line: lineJson(position, moves.slice(0, MOST_HINT_MOVES)),
    gain: gainOf(position, moves),
    crowned,
  };
}

/** @param {Position} position @param {number} side */
function lead({black, white}, side) {
  const difference = countOf(black) - countOf(white);
  return side === BLACK ? difference : -difference;
}

/**
 * Proved value of a line's first move; null if unknown.
 * @param {Position} position
 * @param {Line} line
 * @param {DatabasePort | null} database
 * @returns {Promise<Value | null>}
 */
async function valueOf(position, {moves, score}, database) {
  if (Math.abs(score) > SCORE_PROVED) return valueOfSign(score);
  const [{value}] = await known(database, [position.after(moves[0])]);
  return value && opposite(value);
}
