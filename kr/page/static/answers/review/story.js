// Story of a judged game in a few sentences: how it ended, where it turned, what decided it. Each has its name in
// kr/language, and values, so that pages can tell it in every language; docs/reference/sentences.md has what must be
// true for it. A side is Black or White, or the person who asks.

import {YOU, said} from "../../texts.js";
import {openingPlies} from "../pdn/opening.js";
import {BLACK, NO_PROGRESS, REPETITION, sideName, WHITE} from "../rules.js";
import {opposite} from "../chances.js";
import {greatest, rounded} from "./figures.js";
import {OVERSIGHT, TRAP} from "./judging.js";
import {certainOf} from "./searches.js";

/** @typedef {import("../chances.js").Value} Value */
/** @typedef {import("../pdn/tree.js").Game} Game */
/** @typedef {import("./judging.js").JudgedMove} JudgedMove */
/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("../../texts.js").Sentence} Sentence */
/** @typedef {Record<string, Said>} Values */
/** @typedef {{judged: JudgedMove, kind: string}} Turn a move after which the game had another result in sight */
/**
 * kr/analysis/annotation/story.json, and names of the sentences about ends in some standing.
 * @typedef {{thresholds: Record<string, number>, decided_elsewhere: string[], ends: string[]}} StoryFacts
 */

/** @param {string} name @param {Values} [values] @returns {Sentence} */
const sentence = (name, values = {}) => ({say: `story.${name}`, with: values});

/** A sentence with its values marked, to be kept in a comment of PDN. @param {Sentence} told */
export const sentenceCommand = told => said(told, (name, value) => value && `<${name}=${value}>`);

/**
 * The story of a game.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves all its moves, judged
 * @param {StoryFacts} facts
 * @param {number | null} [you] side of the person to whom it is told, if any
 * @returns {Sentence[]}
 */
export const tell = (game, moves, facts, you = null) =>
  moves.length ? [...new Story(game, moves, facts, you).sentences()] : [];

/** What is known of a game whose story is told. */
class Story {
  /** @param {Game} game @param {readonly JudgedMove[]} moves @param {StoryFacts} facts @param {number | null} you */
  constructor(game, moves, facts, you) {
    this._facts = facts;
    this._game = game;
    this._moves = moves;
    this._you = you;
    this._end = game.end().position;
    this._result = game.result;
    // nobody has written down what the board shows
    if (this._result === "*" && this._end.isOver) this._result = this._end.side === WHITE ? "1-0" : "0-1";
    /** @type {number | null} */
    this._winner = this._result === "1-0" ? BLACK : this._result === "0-1" ? WHITE : null;
    this._brokenOff = game.breaksOff && !this._end.isOver;
    this._turns = moves.map(judged => turnOf(judged, facts.thresholds)).filter(turn => turn !== null);
  }

  /** The end, then the turns in their order, or what there is to say without any. */
  *sentences() {
    if (this._brokenOff) yield sentence("broken_off");
    if (!this._brokenOff || this._result !== "*") yield this.#ending();
    const {length} = this._turns;
    if (length > this._facts.thresholds.turns) yield sentence("many_turns", {count: length});
    for (const turn of this._turns.slice(-this._facts.thresholds.turns)) yield* this.#turned(turn);
    if (this._brokenOff) return;
    if (this._winner !== null) yield* this.#loss(1 - this._winner);
    else if (!length) yield* this.#quietGame();
  }

  /** @param {number} side @param {string} name @param {Values} [values] */
  #about(side, name, values) {
    return sentence(name, {side: side === this._you ? YOU : sideName(side), ...values});
  }

  /** Name of the sentence about an end in some standing, or about that end in any. @param {string[]} name */
  #end(...name) {
    const whole = name.join(".");
    return this._facts.ends.includes(whole) ? whole : name[0];
  }

  /** @param {JudgedMove} judged */
  #label(judged) {
    return String(this._game.mainline()[judged.ply]);
  }

  // the end

  #ending() {
    const reason = (this._game.headers.get("Termination") ?? "").toLowerCase(),
      end = this._end;
    if (this._result === "0-0") return sentence("both_lost");
    if (this._winner === null) return this.#endWithoutWinner(reason);
    const loser = 1 - this._winner;
    if (end.isOver && end.side === loser) return this.#about(loser, end.own ? "no_move" : "no_pieces");
    if (reason.includes("time")) return this.#about(loser, this.#end("overtime", this.#standing(loser)));
    if (this.#isDecidedElsewhere(reason)) return this.#about(loser, "adjudicated");
    // a tag that names the winner is at odds with the result
    const hasResigned = reason.includes("resign") && !reason.includes(sideName(this._winner));
    return this.#about(loser, this.#end(hasResigned ? "resigned" : "lost", this.#standing(loser)));
  }

  /** @param {string} reason */
  #endWithoutWinner(reason) {
    const rule = this._moves[this._moves.length - 1].draw,
      isRepeated = rule === REPETITION || reason.includes(REPETITION);
    let kind = reason.includes("agree") ? "agreed" : "drawn";
    if (this._result === "*") kind = "unfinished";
    else if (rule || isRepeated || reason.includes(NO_PROGRESS)) kind = isRepeated ? "repeated" : "no_progress";
    else if (this.#isDecidedElsewhere(reason) && !reason.includes("time")) return sentence("adjudicated_draw");
    const standings = [BLACK, WHITE].map(side => this.#standing(side, false));
    for (const side of [BLACK, WHITE])
      if (["better", "won"].includes(standings[side])) return this.#about(side, this.#end(kind, standings[side]));
    return sentence(this.#end(kind, standings[BLACK]));
  }

  /**
   * Standing of a side in the last position; "" if that was not searched, or the game went on.
   * @param {number} side
   * @param {boolean} [byRule] draws by rule count
   */
  #standing(side, byRule = true) {
    const last = this._moves[this._moves.length - 1];
    if (last.expected === null || this._brokenOff) return "";
    const value = (byRule ? certainOf(last) : null) ?? last.verdict;
    return last.side === side
      ? this.#standingOf(last.expected, value)
      : this.#standingOf(1 - last.expected, value && opposite(value));
  }

  /** True if neither the board nor the players decided the game. @param {string} reason its Termination tag */
  #isDecidedElsewhere(reason) {
    return this._facts.decided_elsewhere.some(word => reason.includes(word));
  }

  /** @param {number} expected @param {Value | null} value */
  #standingOf(expected, value) {
    return standingOf(expected, value, this._facts.thresholds);
  }

  // the turns

  /** @param {Turn} turn */
  *#turned(turn) {
    const {judged, kind} = turn,
      isLast = turn === this._turns[this._turns.length - 1],
      isLost =
        isLast &&
        this._winner === 1 - judged.side &&
        this.#standing(judged.side) === "lost" &&
        // of a worse position nobody knows whether it was lost already
        standingBefore(judged, this._facts.thresholds) !== "worse";
    const name = `turn.${kind === "fallen" && isLost ? "lost" : kind}`;
    yield this.#about(judged.side, name, {move: this.#label(judged), slip: slipped(judged)});
    if (!isLast || !judged.best || judged.bestExpected === null) return;
    yield sentence(`better.${standingBefore(judged, this._facts.thresholds)}`, {better: String(judged.best)});
  }

  /** Sentences about a loss that no turn explains. @param {number} loser */
  *#loss(loser) {
    const last = this._turns.at(-1);
    if (last && last.judged.side === loser && ["fallen", "thrown", "worse"].includes(last.kind)) return;
    const standing = this.#standing(loser),
      {turn, fall} = this._facts.thresholds;
    // of a position without a verdict nobody knows whether it is lost
    if (["drawn", "won"].includes(standing) && !last) yield sentence("not_lost");
    if (!["lost", "worse"].includes(standing)) return;
    const own = this._moves.filter(judged => judged.judged && judged.side === loser),
      worst = greatest(own, judged => judged.loss);
    if (!worst) return;
    if (worst.loss >= turn) yield this.#about(loser, "most", {move: this.#label(worst)});
    else if (standing === "lost" && this.#beganEven(loser) && own.reduce((sum, {loss}) => sum + loss, 0) >= fall)
      yield this.#about(loser, "gradually", {move: this.#label(worst)});
  }

  /** True if a side was no worse at the first position that was searched. @param {number} side */
  #beganEven(side) {
    const first = this._moves.find(judged => judged.expected !== null);
    if (!first || first.expected === null) return false;
    const expected = first.bestExpected ?? first.expected;
    return (first.side === side ? expected : 1 - expected) >= this._facts.thresholds.even_from;
  }

  /** Sentences about a game without a winner that never turned. */
  *#quietGame() {
    if (["won", "lost"].includes(this.#standing(BLACK, false))) return;
    const assessed = this._moves.filter(judged => judged.expected !== null),
      passedOver = this._moves.length - assessed.length,
      isWhole = passedOver <= Math.max(this._facts.thresholds.opening, openingPlies(this._game));
    if (!isWhole || !assessed.some(({judged}) => judged)) return;
    const best = greatest(assessed, judged => Math.abs((judged.expected || 0.5) - 0.5));
    if (!best || best.expected === null) return;
    const side = best.expected >= 0.5 ? best.side : 1 - best.side;
    if (Math.max(best.expected, 1 - best.expected) < this._facts.thresholds.safe) yield sentence("never_close");
    else if (best.confirmed) yield this.#about(side, "closest", {move: this.#label(best)});
  }
}

/**
 * Standing of a side by a certain or likely value, or else by its expected result.
 * @param {number} expected
 * @param {Value | null} value
 * @param {Record<string, number>} thresholds
 */
function standingOf(expected, value, {even_from: evenFrom, even_to: evenTo}) {
  if (value) return {win: "won", draw: "drawn", loss: "lost"}[value];
  return expected < evenFrom ? "worse" : expected > evenTo ? "better" : "even";
}

/**
 * Standing of a side before its move, by the best one.
 * @param {JudgedMove} judged
 * @param {Record<string, number>} thresholds
 */
const standingBefore = ({bestExpected, bestValue, verdictBefore}, thresholds) =>
  standingOf(bestExpected ?? 0.5, bestValue ?? verdictBefore, thresholds);

/**
 * Standings of a side before and after its move, if that turned the game.
 * @param {JudgedMove} judged
 * @param {Record<string, number>} thresholds
 * @returns {[string, string] | null}
 */
export function standings(judged, thresholds) {
  const {bestExpected, expected, loss} = judged;
  if (!judged.judged || bestExpected === null || expected === null || loss < thresholds.turn) return null;
  const before = standingBefore(judged, thresholds),
    after = standingOf(expected, certainOf(judged) ?? judged.verdict, thresholds);
  if (before === "won") return after === "won" ? null : [before, after];
  const hasTurned =
    (after === "lost" && before !== "lost") || (after === "worse" && before !== "lost" && before !== "worse");
  return hasTurned ? [before, after] : null;
}

/**
 * The turn that a move is, if it is one.
 * @param {JudgedMove} judged
 * @param {Record<string, number>} thresholds
 * @returns {Turn | null}
 */
function turnOf(judged, thresholds) {
  const [before, after] = standings(judged, thresholds) ?? [];
  if (!before || !after) return null;
  if (before === "won") return {judged, kind: {lost: "thrown", drawn: "slipped"}[after] ?? "spoiled"};
  return {judged, kind: after === "lost" ? "fallen" : "worse"};
}

/**
 * End of a sentence about a move that people often or rarely play; "" of one that they play now and then.
 * @param {JudgedMove} judged
 * @returns {Sentence | string}
 */
function slipped({likely, likelyHolds, slip}) {
  if (likely === null || (slip !== TRAP && slip !== OVERSIGHT)) return "";
  if (slip === TRAP)
    return likelyHolds ? sentence("slip.trap", {percent: rounded(100 * likely)}) : sentence("slip.trap_uncounted");
  if (!likelyHolds) return sentence("slip.oversight_uncounted");
  if (likely < 0.01) return sentence("slip.rare_oversight");
  return sentence("slip.oversight", {percent: Math.trunc(100 * likely) + 1});
}
