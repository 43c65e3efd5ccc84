// What the lines of a search are worth in their game: exact values, draws by rule and chances;
// tests/cases/judging.json holds what it has in common with kr/analysis/analysis.py. A line's value is exact if the
// endgame database has the position after its first move, or if the search has seen the line to its end. A position
// has two exact facts: its value by the database or the search (`value`), and a draw of its game by the rules about
// repetition and progress (`draw`). Score and chances are those of the game, so that they follow `draw` where there
// is one, and else `value`.

import {chancesBy, KNOWN, opposite, SCORE_DECIDED, SCORE_PROVED, SCORE_WIN, valueOfSign} from "./chances.js";
import {drawByRule, NO_PROGRESS_PLIES, quietPlies, REPETITIONS} from "./rules.js";

/** Plies without a capture or a man's move that come before any draw by rule: a position comes back after four. */
const QUIET_BEFORE_DRAW = 4 * (REPETITIONS - 1);

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./house.js").DatabasePort} DatabasePort */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./chances.js").Value} Value of a position, for its side to move */
/** @typedef {import("./chances.js").Chances} Chances */
/** @typedef {{of: (score: number, value: Value | null) => Chances}} ChancesOf */
/**
 * What is known of a position: its value for the side to move, and plies to the end; by certificates, which value is
 * excluded, and their names.
 * @typedef {{value: Value | null, distance: number | null, excludes?: Value | null, certificates?: string[]}} Known
 */
/**
 * A position to analyse.
 * @typedef {object} Task
 * @property {Position} position
 * @property {Position[]} history earlier positions of its game, oldest first
 */
/** @typedef {{score: number, moves: Move[]}} Info a line of a search */
/**
 * @typedef {object} Worth
 * @property {number} score centi-men, of the side to move
 * @property {Value | null} value proved value, whatever the history of the game
 * @property {number | null} plies to the end of a proved win or loss
 * @property {string} draw rule by which the game can be claimed drawn after the first move, or after an answer that
 *   saves the opponent; "" if there is none
 * @property {number} occurrence times that the position after the first move has then been on the board
 * @property {Value | null} certain certain result of the game: a draw by rule, or else the proved value; null without
 *   either, and for a win that may take longer than the rule about progress allows
 */
/** @typedef {Worth & {rank: number, chances: Chances, pv: Move[]}} Line */
/**
 * @typedef {object} Analysis
 * @property {Task} task
 * @property {Line[]} lines best first; empty if the game is over
 * @property {Value | null} value proved value of the position, whatever the history of its game
 * @property {number | null} plies to the end of a proved win or loss
 * @property {string[]} certificates names of those that prove the value
 * @property {string} draw rule by which the game can be claimed drawn in the position
 */

/** 1 for a win, 0 for a draw, -1 for a loss. @param {Value} value */
export const signOf = value => (value === "win" ? 1 : value === "loss" ? -1 : 0);

/**
 * Worth of a line of a search, by the database value of its first move and by the history of the game. A search takes
 * every repetition for a draw. In a known win or loss only the third occurrence makes one, or the second if the
 * opponent, who would lose, can bring about the third.
 * @param {Info} info
 * @param {Task} task
 * @param {Value | null} value of the first move in the endgame database, for the side that plays it
 * @param {number | null} plies likewise
 * @returns {Worth}
 */
export function weighed(info, task, value, plies) {
  const after = task.position.after(info.moves[0]),
    history = [...task.history, task.position];
  const since = history.slice(-1 - quietPlies(after, history)),
    occurrence = 1 + since.filter(each => each.equals(after)).length;
  let {score} = info;
  // a line searched to its end takes account of draws by rule on the way
  if (Math.abs(score) > SCORE_PROVED) {
    value = valueOfSign(score);
    if (Math.abs(score) > SCORE_DECIDED) plies = SCORE_WIN - Math.abs(score);
  }
  const draw = drawAfter(after, history, value);
  if (draw) return {score: 0, value, plies, draw, occurrence, certain: "draw"};
  let certain = value;
  if ((value === "win" || value === "loss") && Math.abs(score) <= SCORE_PROVED) {
    if (plies !== null && quietPlies(task.position, task.history) + plies >= NO_PROGRESS_PLIES)
      // the win may take longer than the rule about progress allows: the search knows better
      certain = null;
    else score = signOf(value) * (plies !== null ? SCORE_WIN - plies : SCORE_PROVED + 1);
  }
  return {score, value, plies, draw, occurrence, certain};
}

/**
 * Rule by which a game can be claimed drawn after a move, or after an answer to it by the losing side.
 * @param {Position} after
 * @param {Position[]} history positions before the move, the one in which it is played last
 * @param {Value | null} value for the side that played it
 */
export function drawAfter(after, history, value) {
  if (after.isOver) return "";
  const draw = drawByRule(after, history);
  if (draw || value !== "win") return draw;
  if (quietPlies(after, history) + 1 < QUIET_BEFORE_DRAW) return "";
  const played = [...history, after];
  for (const answer of after.entries) {
    const next = drawByRule(after.after(answer), played);
    if (next) return next;
  }
  return "";
}

/**
 * What is known of a position before a move, for the side that plays it, by what is known after it.
 * @param {Known} after
 * @returns {Known}
 */
export const moveEarlier = ({value, distance, excludes, ...others}) => ({
  ...others,
  value: value && opposite(value),
  distance: distance === null ? null : distance + 1,
  ...(excludes && {excludes: opposite(excludes)}),
});

/**
 * What the rules, the endgame database and certificates know of some positions.
 * @param {DatabasePort | null} database
 * @param {readonly Position[]} positions
 * @param {import("./house.js").CertificatesPort | null} [certificates]
 * @returns {Promise<Known[]>}
 */
export async function known(database, positions, certificates = null) {
  const left = positions.filter(each => !each.isOver),
    asked = left.filter(each => database?.has(each)),
    [found, proved] = await Promise.all([
      asked.length && database ? database.look(asked) : [],
      left.length && certificates ? certificates.look(left) : [],
    ]);
  /** @type {Map<string, Known>} */
  const byKey = new Map();
  for (const [index, {key}] of left.entries()) {
    const proof = proved[index];
    if (proof?.certificates.length) byKey.set(key, {...proof, distance: null});
  }
  for (const [index, {key}] of asked.entries()) if (found[index].value !== null) byKey.set(key, found[index]);
  return positions.map(each =>
    each.isOver ? {value: "loss", distance: 0} : (byKey.get(each.key) ?? {value: null, distance: null}),
  );
}

/**
 * The analysis of a position by a search of it.
 * @param {Task} task
 * @param {{lines: Info[], value?: Value | null}} found result of the search; its value once it has ended
 * @param {DatabasePort | null} database
 * @param {ChancesOf} chances
 * @param {import("./house.js").CertificatesPort | null} [certificates]
 * @returns {Promise<Analysis>}
 */
export async function analysisOf(task, found, database, chances, certificates) {
  const {position} = task,
    reached = found.lines.map(({moves}) => position.after(moves[0])),
    [here, ...after] = await known(database, [position, ...reached], certificates),
    lines = found.lines.map((info, index) => lineOf(task, info, index + 1, moveEarlier(after[index]), chances));
  let {value, distance: plies, certificates: names = []} = here;
  if (value === null) {
    value = found.value ?? lines[0]?.value ?? null;
    plies = lines[0]?.plies ?? null;
    names = [];
  }
  return {task, lines, value, plies, certificates: names, draw: drawByRule(task.position, task.history)};
}

/** The analysis of a position in which the game is over. @param {Task} task @returns {Analysis} */
export const overAnalysis = task => ({task, lines: [], value: "loss", plies: 0, certificates: [], draw: ""});

/**
 * @param {Task} task
 * @param {Info} info
 * @param {number} rank
 * @param {Known} first what is known of its first move
 * @param {ChancesOf} chances
 * @returns {Line}
 */
function lineOf(task, info, rank, {value, distance, excludes}, chances) {
  const worth = weighed(info, task, value, distance),
    line = {...worth, rank, chances: chances.of(worth.score, worth.certain), pv: info.moves};
  return excludes && worth.certain === null ? {...line, ...limited(line, excludes)} : line;
}

/**
 * A score and chances without a value that is excluded: that of a draw takes its place.
 * @param {{score: number, chances: Chances}} line
 * @param {Value} excluded
 */
function limited({score, chances: {win, draw, loss}}, excluded) {
  return excluded === "loss"
    ? {score: Math.max(score, 0), chances: chancesBy(win, draw + loss, 0)}
    : {score: Math.min(score, 0), chances: chancesBy(0, draw + win, loss)};
}

/**
 * Chances of the game: those of the best line, unless it can be claimed drawn.
 * @param {Analysis} analysis
 */
export function chancesOf({lines, value, draw}) {
  if (draw) return KNOWN.draw;
  if (!lines.length) return KNOWN.loss;
  // the position's value may be known where that of its best line is not
  return value !== null && lines[0].value === null ? KNOWN[value] : lines[0].chances;
}

/** True if a rule makes the game a draw, here or after the best move. @param {Analysis} analysis */
export const isDrawn = ({lines, draw}) => Boolean(draw || lines[0]?.draw);
