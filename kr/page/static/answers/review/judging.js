// Judging the moves of a game by the expected result that each one gave away; tests/cases/judging.json holds what
// this folder has in common with kr/analysis/annotation. The positions are searched from the last to the first. A
// move is judged by a search of the position after it, and so is each alternative: both searches are equally deep.
// The expected result before a move is that of its own search, unless the searches after the move contradict it; then
// theirs counts.

import {openingPlies} from "../pdn/opening.js";
import {Position} from "../rules.js";
import {greatest, rounded} from "./figures.js";
import {certainOf, oneMoveEarlier, Searches, turned} from "./searches.js";

/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("../chances.js").Value} Value */
/** @typedef {import("../pdn/tree.js").Game} Game */
/** @typedef {import("./searches.js").Assessment} Assessment */
/** @typedef {import("./searches.js").Judge} Judge */
/**
 * @typedef {object} JudgeSettings
 * @property {import("./searches.js").Limits} limits of each search
 * @property {number | null} fromPly plies at the beginning that are not judged; null for those of a ballot
 * @property {Thresholds} thresholds
 */
/**
 * Those of JudgeSettings in kr/analysis/annotation/judging.py.
 * @typedef {{
 *   inaccuracy: number, mistake: number, blunder: number, only: number, trap: number, oversight: number, tie: number,
 *   ballot: number,
 * }} Thresholds tie: moves whose expected results differ by no more are equally good; ballot: plies that one may have
 *   prescribed
 */
/**
 * A move of the game, from the view of the side that played it. Expected results are from 0 to 1; a draw counts half. A
 * field that was not searched is null.
 * @typedef {object} JudgedMove
 * @property {number} ply number of moves before it
 * @property {number} side side that played it
 * @property {Move} move
 * @property {boolean} judged true if there was a choice of moves and it was searched
 * @property {number | null} score centi-men after the move
 * @property {number | null} expected the expected result after the move
 * @property {Value | null} value proved value after the move, whatever the history of the game
 * @property {number | null} plies from the move to the end of a proved win or loss
 * @property {string[]} certificates names of those that prove the value
 * @property {string} draw rule by which the game can be claimed drawn after the move; "" if there is none
 * @property {string} drawNext the same after the best answer; "" also where it can be claimed already
 * @property {number} occurrence times that the position after the move has then been on the board
 * @property {Value | null} verdict proved or likely value after the move, whatever the history; null if it is unclear
 * @property {Value | null} verdictBefore the same before the move
 * @property {Move | null} best best move; the one played if it is as good as any
 * @property {number | null} bestScore centi-men after the best move
 * @property {number | null} bestExpected the expected result after the best move
 * @property {Value | null} bestValue proved value after the best move
 * @property {readonly Move[]} line line that begins with the best move; empty if the move played is as good
 * @property {readonly Move[]} refutation line that begins with the move played; empty without one of MARKS
 * @property {readonly import("../../texts.js").Sentence[]} why reasons for the mark, as far as facts of its lines tell
 * @property {number | null} othersExpected expected result of the best alternative to the move played
 * @property {number} loss expected result given away
 * @property {string} mark one of MARKS, ONLY, or ""
 * @property {boolean} obvious true if a glance shows the move played, and that any other is worse
 * @property {string} reason not to judge it: OPENING, FORCED or UNSEARCHED; "" if it is judged
 * @property {boolean} confirmed true if the expected result after the move is exact, or if searches further on agree
 * @property {number | null} likely probability that a person plays the move
 * @property {Move | null} likeliest move that people are most likely to play
 * @property {number | null} likeliestProbability
 * @property {boolean} likelyHolds probabilities such as `likely` held in a test: it may be told as a number
 * @property {boolean} likeliestHolds
 * @property {string} slip TRAP, OVERSIGHT or AVOIDED; "" for none of them
 * @property {Move | null} harder a move that draws as well, and is harder for people, where the one played gives them
 *   no chance to lose
 */

/** Marks of moves that gave away expected result, in ascending order. */
export const MARKS = ["?!", "?", "??"];
/** Mark of the only good move, if it is not obvious. */
export const ONLY = "!";
/**
 * Kinds of slips: a losing move that people are likely to play, one that few play, and a trap that was not fallen into.
 */
export const TRAP = "trap",
  OVERSIGHT = "oversight",
  AVOIDED = "avoided";
/** Reasons not to judge a move: in the opening, without an alternative, or with none seen by a short search. */
export const OPENING = "opening",
  FORCED = "forced",
  UNSEARCHED = "unsearched";

/** @param {string} mark */
export const isBad = mark => MARKS.includes(mark);

/**
 * Mark of a move that gave away this much expected result; "" for none.
 * @param {number} loss
 * @param {Thresholds} thresholds
 */
function markOf(loss, {inaccuracy, mistake, blunder}) {
  // so that a loss shown as .14 counts as .14
  const given = rounded(loss, 6);
  return MARKS.filter((_, index) => given >= [inaccuracy, mistake, blunder][index]).at(-1) ?? "";
}

/**
 * What a review says of a move that somebody tries: right if it is as good as the best, not if it would be marked, else
 * playable.
 * @param {number} expected after the move, of the side that tries it
 * @param {number} best after the best move
 * @param {Thresholds} thresholds
 * @returns {"right" | "playable" | "not"}
 */
export function verdictOf(expected, best, thresholds) {
  const loss = rounded(best - expected, 6);
  if (loss <= thresholds.tie) return "right";
  return markOf(loss, thresholds) ? "not" : "playable";
}

/**
 * Slip that a move is, or avoids, by what people play.
 * @param {JudgedMove} judged
 * @param {Thresholds} thresholds
 */
export function slipOf({mark, move, likely, likeliest, likeliestProbability}, {trap, oversight}) {
  if (likely === null || likeliestProbability === null) return "";
  if (MARKS.indexOf(mark) > 0) return likely >= trap ? TRAP : likely < oversight ? OVERSIGHT : "";
  const isLured = mark === ONLY && likeliestProbability >= trap;
  return isLured && !likeliest?.equals(move) ? AVOIDED : "";
}

/**
 * Judges the moves of a game, from the last to the first. The engine's hash table is cleared first: with limits of
 * nodes, judgements of the same game are always the same. Throws the signal's reason once it is aborted.
 * @param {Game} game
 * @param {JudgeSettings} settings
 * @param {Judge} judge
 * @returns {AsyncGenerator<JudgedMove, void, void>}
 */
export async function* judgeMoves(game, settings, judge) {
  const {limits, fromPly, thresholds} = settings,
    search = new Searches(game, limits, judge),
    {moves, positions} = search;
  const first = fromPly ?? (openingPlies(game) || (game.start.equals(new Position()) ? thresholds.ballot : 0));
  const isJudged = moves.length > 0 && first <= moves.length,
    verdict = isJudged ? await search.lastVerdict() : null;
  // while the hash table is empty: with later entries every move would look obvious
  const free = Array.from(moves, (_, ply) => ply).filter(ply => ply >= first && !search.isForced(ply)),
    seen = await Promise.all(free.map(ply => search.glance(ply))),
    glances = new Map(free.map((ply, index) => [ply, seen[index]]));
  let following = isJudged ? await search.position(moves.length) : null;
  if (following) following.verdict ??= verdict;
  for (let ply = moves.length - 1; ply >= 0; ply--) {
    let judged = unjudged(ply, positions[ply].side, moves[ply]);
    if (!following) {
      yield {...judged, reason: OPENING};
      continue;
    }
    // the move is judged by the position it led to
    if (search.wasSetUp(ply + 1)) following = await search.reached(ply);
    const after = turned(following),
      {score, expected, value, plies, certificates, draw, drawNext, verdict} = after,
      occurrence = search.occurrence(ply);
    judged = {...judged, score, expected, value, plies, certificates, draw, drawNext, verdict, occurrence};
    judged.confirmed = after.confirmed || certainOf(judged) !== null;
    const glance = glances.get(ply);
    if (ply < first) {
      following = null;
      judged.reason = OPENING;
    } else if (!glance) {
      // nothing to search: the expected result is that after the move
      following = search.claimable(ply, oneMoveEarlier(after));
      judged.reason = FORCED;
      judged.verdictBefore = verdict;
    } else {
      const before = await search.position(ply);
      judged = await judgement(judged, before, after, search, glance, thresholds);
      judged.verdictBefore = search.verdict(ply, before, judged);
      const {judged: confirmed, verdictBefore} = judged;
      following = {...agreed(before, after, judged, thresholds), confirmed, verdict: verdictBefore};
    }
    yield judged;
  }
}

/**
 * @param {number} ply
 * @param {number} side
 * @param {Move} move
 * @returns {JudgedMove}
 */
const unjudged = (ply, side, move) => ({
  ply,
  side,
  move,
  judged: false,
  score: null,
  expected: null,
  value: null,
  plies: null,
  certificates: [],
  draw: "",
  drawNext: "",
  occurrence: 1,
  verdict: null,
  verdictBefore: null,
  best: null,
  bestScore: null,
  bestExpected: null,
  bestValue: null,
  line: [],
  refutation: [],
  why: [],
  othersExpected: null,
  loss: 0,
  mark: "",
  obvious: false,
  reason: "",
  confirmed: false,
  likely: null,
  likeliest: null,
  likeliestProbability: null,
  likelyHolds: false,
  likeliestHolds: false,
  slip: "",
  harder: null,
});

/**
 * Assessment before a move: by its own search, unless the searches that judged the move contradict it.
 * @param {Assessment} before
 * @param {Assessment} after by the searches further on, from the view of the side that played it
 * @param {JudgedMove} judged
 * @param {Thresholds} thresholds
 * @returns {Assessment}
 */
function agreed(before, after, judged, thresholds) {
  const {best, bestScore, bestExpected} = judged,
    gap = Math.abs(before.expected - (judged.expected ?? 0));
  if (before.draw || (!isBad(judged.mark) && !markOf(gap, thresholds))) return before;
  if (!judged.judged || bestScore === null || bestExpected === null) return {...oneMoveEarlier(after), corrected: true};
  if (before.expected === bestExpected) return before;
  // a win after the best move is a win before it; a draw or loss would have to hold for all moves
  const isBest = best?.equals(judged.move) ?? false,
    value = judged.bestValue === "win" ? "win" : null;
  return {
    score: bestScore,
    expected: bestExpected,
    value,
    plies: value && isBest ? judged.plies : null,
    certificates: value && isBest ? judged.certificates : [],
    draw: "",
    drawNext: isBest ? judged.draw || judged.drawNext : "",
    lines: [],
    corrected: true,
    confirmed: false,
    verdict: null,
  };
}

/**
 * The judgement of a move with a choice.
 * @param {JudgedMove} unjudged
 * @param {Assessment} before
 * @param {Assessment} after
 * @param {Searches} search
 * @param {{move: Move, lead: number}} glance
 * @param {Thresholds} thresholds
 * @returns {Promise<JudgedMove>}
 */
async function judgement(unjudged, before, after, search, glance, thresholds) {
  const {ply, move} = unjudged,
    {expected} = after,
    others = await search.others(ply, before);
  // the search ended before it looked at a second move
  if (!others.length) return {...unjudged, reason: UNSEARCHED};
  // an apparently better move is searched as deeply as the move played
  for (const [number, other] of others.entries())
    if (!other.value && other.expected - expected > thresholds.tie) others[number] = await search.confirmed(ply, other);
  // the move played was judged from further on; do the same for a move that a mark would call better
  if (after.corrected)
    for (const [number, other] of others.entries())
      if (!other.value && markOf(other.expected - expected, thresholds))
        others[number] = await search.answered(ply, other);
  let best = greatest(others, other => other.expected) ?? others[0];
  const obvious = glance.move.equals(move) && glance.lead >= thresholds.only / 2;
  if (!obvious && !best.value && expected - best.expected >= thresholds.only) best = await search.confirmed(ply, best);
  let found = unjudged;
  if (markOf(best.expected - expected, thresholds))
    ({judged: found, best} = await weighedLonger(unjudged, best, search, thresholds));
  const judged = {...found, judged: true, othersExpected: best.expected, obvious},
    loss = best.expected - (judged.expected ?? 0),
    mark = markOf(loss, thresholds);
  // a move that brings a won position back makes no progress: it isn't as good as one that does
  const isIdle = certainOf(judged) === "win" && judged.occurrence > 1 && best.value === "win" && loss > -thresholds.tie;
  if (loss <= thresholds.tie && !isIdle) {
    const {score: bestScore, expected: bestExpected, value: bestValue} = judged,
      only = !obvious && rounded(-loss, 6) >= thresholds.only ? ONLY : "";
    return {...judged, refutation: [], best: move, bestScore, bestExpected, bestValue, mark: only};
  }
  // the value is known from the database, the continuation is not
  if (best.line.length === 1) best = await search.confirmed(ply, best);
  return {
    ...judged,
    best: best.line[0],
    bestScore: best.score,
    bestExpected: best.expected,
    bestValue: best.value,
    line: best.line,
    refutation: mark ? judged.refutation : [],
    loss: Math.max(loss, 0),
    mark,
  };
}

/**
 * A move that would be marked, and the better one, by longer searches; exact values stay.
 * @param {JudgedMove} judged
 * @param {import("./searches.js").Choice} best
 * @param {Searches} search
 * @param {Thresholds} thresholds
 * @returns {Promise<{judged: JudgedMove, best: import("./searches.js").Choice}>}
 */
async function weighedLonger(judged, best, search, thresholds) {
  const {ply, expected} = judged,
    isExact = certainOf(judged) !== null,
    {after, refutation} = await search.played(ply, !isExact);
  if (!best.value || best.line.length === 1) best = await search.confirmed(ply, best, !best.value);
  if (isExact || expected === null) return {judged: {...judged, refutation}, best};
  if (!markOf(after.expected - expected, thresholds)) {
    // as searches further on: the graph keeps their result, and the loss is that of the longer searches
    const bestExpected = best.value ? best.expected : Math.min(expected + best.expected - after.expected, 1);
    return {judged: {...judged, refutation}, best: {...best, expected: bestExpected}};
  }
  const {score, value, plies, certificates, draw, drawNext} = after,
    changed = {score, expected: after.expected, value, plies, certificates, draw, drawNext};
  const verdict = after.verdict ?? judged.verdict,
    confirmed = certainOf(after) !== null;
  return {judged: {...judged, ...changed, verdict, confirmed, refutation}, best};
}
