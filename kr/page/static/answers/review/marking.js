// Marks in the tree of a game: judgements, comments and better lines, tagged [%kr ...] so that they can be removed, as
// kr/analysis/annotation/marking.py describes and writes them:
//
//     11-15?! {[%eval -0.31] [%kr exp=0.32 nag=?!] Inaccuracy: Black expects 0.32, with 9-14 0.41.}
//
// When a game is marked again, every comment with [%kr is removed, together with the sign that its nag= names; so is
// every variation whose first comment has [%kr line or [%kr refutation, unless something was added to it. All else
// stays as it is.

import {said} from "../../texts.js";
import {BLANK, stripped} from "../blanks.js";
import {opposite} from "../chances.js";
import {SIGNS} from "../pdn/writer.js";
import {BLACK, NO_PROGRESS_PLIES, REPETITION, sideName} from "../rules.js";
import {signOf} from "../weighing.js";
import {fixed} from "./figures.js";
import {AVOIDED, isBad, MARKS, ONLY, OPENING, OVERSIGHT, TRAP} from "./judging.js";
import {certainOf} from "./searches.js";
import {sentenceCommand, standings} from "./story.js";

/** @typedef {import("../chances.js").Value} Value */
/** @typedef {import("../pdn/tree.js").ChildNode} ChildNode */
/** @typedef {import("../pdn/tree.js").Game} Game */
/** @typedef {import("../pdn/tree.js").GameNode} GameNode */
/** @typedef {import("./judging.js").JudgedMove} JudgedMove */
/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("../../texts.js").Sentence} Sentence */

const OWN = "[%kr",
  OWN_LINE = "[%kr line",
  OWN_REFUTATION = "[%kr refutation",
  OWN_GAME = "[%kr game",
  OWN_STORY = "[%kr story";
const ONCE = "once";
const BEST = "best";
/** Names of the marks, in sentences and in style sheets. @type {Record<string, string>} */
export const MARK_KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "only"};
const ANNOTATOR = "Annotator";

const EVAL = new RegExp(`\\[%eval[${BLANK}][^[\\]]*\\]`, "gu");
const SIGN = /\[%kr [^[\]]{0,80}(?<![\p{L}\p{N}_])nag=([?!]{1,2})/u;
const SIGNATURE = /(?:^|; )kr \p{Nd}[^;]*$/u;

/**
 * Puts judgements into a game, in place of earlier ones.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves
 * @param {readonly Sentence[]} story story, accuracy and report: for the comment before the first move
 * @param {readonly (number | null)[]} accuracy of Black and White
 * @param {string} report
 * @param {string} signature text for the Annotator tag, without a semicolon
 * @param {number} linePlies most plies of a better line
 * @param {Record<string, number>} thresholds of the story
 */
export function markGame(game, moves, story, accuracy, report, signature, linePlies, thresholds) {
  unmarkGame(game);
  const others = (game.headers.get(ANNOTATOR) ?? "").replace(SIGNATURE, "");
  game.headers.set(ANNOTATOR, others ? `${others}; ${signature}` : signature);
  game.comments.push(gameComment(expectedAtStart(moves), story, accuracy, report));
  /** @type {JudgedMove | null} */
  let before = null;
  for (const [ply, node] of game.mainline().entries()) {
    const judged = moves[ply],
      words = explained(judged, before);
    before = node.setup ? null : judged;
    if (judged.expected === null) continue;
    replaceScores(node, judged);
    const signs = node.nags.map(nag => SIGNS.get(nag) ?? nag),
      sign = signs.includes(judged.mark) ? "" : judged.mark;
    if (sign) node.nags.push(sign);
    node.comments.push(moveComment(judged, judged.expected, sign, words, standings(judged, thresholds)));
    if (!isBad(judged.mark)) continue;
    // as far as the reasons tell of
    const plies = Math.max(linePlies, ...judged.why.map(each => String(each.with?.line).split(" ").length));
    addLine(node, judged, plies);
    addRefutation(node, judged, moves, plies);
  }
}

/**
 * Removes scores of another program from a move, and its signs that a judgement replaces.
 * @param {ChildNode} node
 * @param {JudgedMove} judged
 */
function replaceScores(node, judged) {
  const rests = node.comments.map(comment => {
    const rest = comment.replace(EVAL, "");
    return rest === comment ? comment : stripped(rest);
  });
  if (rests.every((rest, index) => rest === node.comments[index])) return;
  node.comments = rests.filter((rest, index) => rest || !node.comments[index]);
  if (!judged.judged) return;
  const replaced = [...MARKS, ONLY].filter(sign => sign !== judged.mark);
  node.nags = node.nags.filter(nag => !replaced.includes(SIGNS.get(nag) ?? nag));
}

/** Removes everything that `markGame` put into a game. @param {Game} game */
function unmarkGame(game) {
  const annotator = game.headers.get(ANNOTATOR);
  if (annotator !== undefined && SIGNATURE.test(annotator)) {
    const others = annotator.replace(SIGNATURE, "");
    if (others) game.headers.set(ANNOTATOR, others);
    else game.headers.delete(ANNOTATOR);
  }
  for (const node of [game, ...game.descendants()]) {
    node.variations = node.variations.filter((child, index) => !index || !isOwnLine(child));
    const own = node.comments.filter(comment => comment.includes(OWN));
    if (!own.length) continue;
    node.comments = node.comments.filter(comment => !comment.includes(OWN));
    const signs = own.map(comment => SIGN.exec(comment)?.[1]);
    node.nags = node.nags.filter(nag => !signs.includes(nag));
  }
}

/**
 * @param {number | null} start
 * @param {readonly Sentence[]} story
 * @param {readonly (number | null)[]} accuracy
 * @param {string} report
 */
function gameComment(start, story, accuracy, report) {
  const facts = [OWN_GAME];
  if (start !== null) facts.push(`exp=${fixed(start, 2)}`);
  if (accuracy.some(each => each !== null))
    facts.push(`accuracy=${accuracy.map(each => (each === null ? "-" : fixed(each, 1))).join("/")}`);
  const commands = story.map(told => `${OWN_STORY} ${sentenceCommand(told)}]`);
  return [`${facts.join(" ")}]`, ...commands, ...story.map(each => said(each)), report].join(" ");
}

/**
 * Black's expected result before the first move; null if that position was not searched.
 * @param {readonly JudgedMove[]} moves
 */
function expectedAtStart([first]) {
  if (!first || first.reason === OPENING) return null;
  // without a choice it is that after the move
  const expected = first.judged ? first.bestExpected : first.expected;
  return expected === null ? null : pov(first.side, expected);
}

/** Black's expected result, from that of a side. @param {number} side @param {number} expected */
export const pov = (side, expected) => (side === BLACK ? expected : 1 - expected);

/**
 * A score as in [%eval]: men, positive for Black; #3 or #-3 for a known win in three moves of the winner.
 * @param {number} side
 * @param {number} score
 * @param {Value | null} value
 * @param {number | null} plies
 */
function evaluation(side, score, value, plies) {
  const sign = side === BLACK ? 1 : -1;
  if (value === "draw") return "0.00";
  if (value && plies !== null) return `#${sign * signOf(value) * Math.floor((plies + 1) / 2)}`;
  return fixed((sign * score) / 100, 2);
}

/**
 * A judgement in words; "" if there is nothing to say.
 * @param {JudgedMove} judged
 * @param {JudgedMove | null} before the previous move, of the other side
 */
function explained(judged, before) {
  const {mark, side, value} = judged,
    sentences = [mark && judgement(judged), ...judged.why, slipped(judged), missedChance(judged), ofHistory(judged)];
  const previous = before?.value ? opposite(before.value) : null;
  // once, not at every move of an ending
  if (value && value !== previous) {
    /** @type {Said} */
    const now = [known(side, value, judged.plies)],
      {certificates} = judged,
      names = certificates.join(" and ");
    if (names) now.push({say: certificates.length === 1 ? "value.by" : "value.by_several", with: {names}});
    sentences.push(
      previous ? comment("known.before", {before: known(side, previous, null), now}) : comment("known", {now}),
    );
  }
  return sentences
    .filter(each => each !== "")
    .map(each => said(each))
    .join(" ");
}

/** @param {string} name @param {Record<string, Said>} [values] @returns {Sentence} */
const comment = (name, values = {}) => ({say: `comment.${name}`, with: values});

/** What the mark of a move means. @param {JudgedMove} judged */
function judgement({mark, side, best, expected, bestExpected, othersExpected}) {
  const [points, bestPoints, others] = [expected, bestExpected, othersExpected].map(each => fixed(each ?? 0, 2));
  /** @type {Record<string, string>} */
  const figures = mark === ONLY ? {others} : {better: String(best), best: bestPoints};
  return comment(MARK_KINDS[mark], {side: sideName(side), points, ...figures});
}

/** Another draw, which is harder for people; "" without one. @param {JudgedMove} judged */
const missedChance = ({harder}) => (harder ? comment("harder", {move: String(harder)}) : "");

/** Repetition or draw that a move makes by the history of the game; "" if none. @param {JudgedMove} judged */
function ofHistory({side, draw, drawNext, occurrence}) {
  const time = occurrence > 5 ? comment("time.more", {number: occurrence}) : comment(`time.${occurrence}`);
  if (draw === REPETITION) return comment("repetition", {time});
  if (draw) return comment("no_progress", {count: NO_PROGRESS_PLIES / 2});
  if (drawNext) return comment(`next.${drawNext.replace(" ", "_")}`, {side: sideName(1 - side)});
  return occurrence > 1 ? comment("occurrence", {time}) : "";
}

/** Likelihood that people slip here; "" if there is nothing to say. @param {JudgedMove} judged */
function slipped({slip, likely, likelyHolds, likeliest, likeliestProbability, likeliestHolds}) {
  const percent = fixed(100 * ((slip === AVOIDED ? likeliestProbability : likely) ?? 0), 0);
  if (slip === TRAP) return likelyHolds ? comment("trap", {percent}) : comment("trap_uncounted");
  if (slip === OVERSIGHT) {
    if (!likelyHolds) return comment("oversight_uncounted");
    return (likely ?? 0) < 0.01 ? comment("rare_oversight") : comment("oversight", {percent});
  }
  if (slip !== AVOIDED) return "";
  const move = String(likeliest);
  return likeliestHolds ? comment("trap_avoided", {percent, move}) : comment("trap_avoided_uncounted", {move});
}

/** A proved value. @param {number} side @param {Value} value @param {number | null} plies @returns {Sentence} */
function known(side, value, plies) {
  if (value === "draw") return {say: "value.draw"};
  const winner = sideName(value === "win" ? side : 1 - side);
  if (plies === null) return {say: "value.wins", with: {side: winner}};
  return {say: "value.wins_in", with: {side: winner, count: Math.ceil(plies / 2)}};
}

/**
 * @param {JudgedMove} judged
 * @param {number} expected
 * @param {string} sign
 * @param {string} words
 * @param {[string, string] | null} turned standings before and after a move that turned the game
 */
function moveComment(judged, expected, sign, words, turned) {
  const mark = sign ? `nag=${sign}` : judged.mark && `mark=${judged.mark}`,
    best = judged.judged && judged.best?.equals(judged.move) ? BEST : "",
    turn = turned ? `turn=${turned.join("/")}` : "",
    once = judged.confirmed ? "" : ONCE,
    facts = [`exp=${fixed(pov(judged.side, expected), 2)}`, mark, best, turn, judged.reason, once];
  const score = evaluation(judged.side, judged.score ?? 0, certainOf(judged), judged.plies);
  return `[%eval ${score}] ${OWN} ${facts.filter(Boolean).join(" ")}] ${words}`.trimEnd();
}

/** Writes a better line as a variation. @param {ChildNode} node @param {JudgedMove} judged @param {number} plies */
function addLine(node, {side, line, bestScore, bestExpected, bestValue}, plies) {
  /** @type {ChildNode | null} */
  let head = null;
  /** @type {GameNode | null} */
  let last = node.parent;
  for (const move of line.slice(0, plies)) {
    if (!last) return;
    /** @type {ChildNode} */
    const next = last.addVariation(move);
    head ??= next;
    last = next;
  }
  if (!head || bestScore === null || bestExpected === null) return;
  const score = evaluation(side, bestScore, bestValue, null);
  head.comments.push(`[%eval ${score}] ${OWN_LINE} exp=${fixed(pov(side, bestExpected), 2)}]`);
}

/**
 * Writes what refutes a marked move as a variation, from where the game goes on otherwise.
 * @param {ChildNode} marked
 * @param {JudgedMove} judged
 * @param {readonly JudgedMove[]} moves
 * @param {number} plies
 */
function addRefutation(marked, {ply, refutation}, moves, plies) {
  const line = refutation.slice(1, plies);
  /** @type {ChildNode} */
  let last = marked;
  for (const [index, move] of line.entries()) {
    const next = last.variations[0];
    if (last.setup || !next) return;
    if (next.move.leadsAs(move)) {
      last = next;
      continue;
    }
    const later = moves[ply + 1 + index];
    if (isBad(later.mark) && later.line[0].leadsAs(move)) return;
    for (const [number, each] of line.slice(index).entries())
      last = last.addVariation(each, {comment: number ? "" : `${OWN_REFUTATION}]`});
    return;
  }
}

/** True if a variation holds only moves and kr's own comment on the first. @param {ChildNode} head */
function isOwnLine(head) {
  if (!head.comments.some(comment => [OWN_LINE, OWN_REFUTATION].some(own => comment.includes(own)))) return false;
  for (let node = /** @type {ChildNode | null} */ (head); node; node = node.next()) {
    const others = node.comments.filter(comment => node !== head || !comment.includes(OWN));
    if (others.length || node.nags.length || node.startingComments.length || node.variations.length > 1) return false;
  }
  return true;
}
