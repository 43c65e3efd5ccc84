// Story of a judged game in a few sentences: how it ended, where it turned, what decided it (the texts are those of
// kr/analysis/annotation/story.py). Each is an English text with {placeholders} and their values, so that pages can
// tell it in another language. A side is called Black or White, or You for the person who asks.

import {BLACK, NO_PROGRESS, REPETITION, WHITE} from "../rules.js";
import {opposite} from "../chances.js";
import {greatest, rounded} from "./figures.js";
import {OVERSIGHT, TRAP} from "./judging.js";
import {certainOf} from "./searches.js";

/** @typedef {import("../chances.js").Value} Value */
/** @typedef {import("../pdn/tree.js").Game} Game */
/** @typedef {import("./judging.js").JudgedMove} JudgedMove */
/** @typedef {Record<string, string | number>} Values */
/** @typedef {{text: string, values: Values}} Sentence */
/** @typedef {keyof typeof TURNS} TurnKind */
/** @typedef {{judged: JudgedMove, kind: TurnKind}} Turn a move after which the game had another result in sight */

/** Expected results from which a position counts as won, and down to which as lost. */
const WON_FROM = 0.85,
  LOST_TO = 0.15;
/** Expected results between which a position counts as even. */
const EVEN_BETWEEN = [0.35, 0.65];
/** Least expected result given away by a move that can turn the game: that of a mistake. */
const TURN = 0.15;
/** Turns that are told one by one. */
const MOST_TURNS = 3;
/** Expected result below which a side has never come close to a win. */
const SAFE = 0.7;

/** <S> is a side at the beginning of a sentence, <s> within one. */
const YOU = ["You", "you"],
  NAMES = ["Black", "White"];

/** @type {Record<string, string>} */
const RESIGNED = {
  lost: "<S> resigned a lost position.",
  worse: "<S> resigned a worse position, but not a lost one.",
  even: "<S> resigned an even position.",
  drawn: "<S> resigned a drawn position.",
  better: "<S> resigned the better position.",
  won: "<S> resigned a won position.",
  "": "<S> resigned.",
};
/** @type {Record<string, string>} */
const OVERTIME = {
  lost: "<S> lost on time, in a lost position.",
  worse: "<S> lost on time, in a worse position, but not a lost one.",
  even: "<S> lost on time, in an even position.",
  drawn: "<S> lost on time, in a drawn position.",
  better: "<S> lost on time, in the better position.",
  won: "<S> lost on time, in a won position.",
  "": "<S> lost on time.",
};
/** The same texts with other words. @param {Record<string, string>} texts @param {string} old @param {string} words */
const reworded = (texts, old, words) =>
  Object.fromEntries(Object.entries(texts).map(([standing, text]) => [standing, text.replace(old, words)]));
const LOST = reworded(OVERTIME, " on time", "");
/** @type {Record<string, string>} */
const AGREED = {
  even: "The players agreed to a draw in an even position.",
  drawn: "The players agreed to a draw in a drawn position.",
  better: "The players agreed to a draw where <s> had the better position.",
  won: "The players agreed to a draw where <s> had a won position.",
  "": "The players agreed to a draw.",
};
const DRAWN = reworded(AGREED, "The players agreed to a draw", "The game was drawn");
/** @type {Record<string, string>} */
const REPEATED = {
  better: "The game was drawn by repetition where <s> had the better position.",
  won: "The game was drawn by repetition where <s> had a won position.",
  "": "The game was drawn by repetition.",
};
/** @type {Record<string, string>} */
const UNPROGRESSED = {
  better: "The game was drawn for lack of progress where <s> had the better position.",
  won: "The game was drawn for lack of progress where <s> had a won position.",
  "": "The game was drawn for lack of progress.",
};
/** @type {Record<string, string>} */
const UNFINISHED = {
  even: "The game is not finished; the position is even.",
  drawn: "The game is not finished; the position is drawn.",
  better: "The game is not finished; <s> had the better position.",
  won: "The game is not finished; <s> had a won position.",
  "": "The game is not finished.",
};
const NO_MOVE = "<S> had no move left.",
  NO_PIECES = "<S> had no piece left.";
const BROKEN_OFF = "The record breaks off before the end of the game.";
const ADJUDICATED = "The game was adjudicated as lost for <s>.",
  ADJUDICATED_DRAW = "The game was adjudicated as a draw.";
const ELSEWHERE = ["adjudicat", "database", "forfeit", "default", "abandon", "infraction", "failure"];
const BOTH_LOST = "The game was counted as lost for both players.";

const TRAPPED = "a trap into which {percent} of 100 people fall",
  OVERSEEN = "an oversight that fewer than {percent} of 100 people make",
  RARELY_OVERSEEN = "an oversight that hardly anyone makes";
const TURNS = {
  lost: "<S> lost the game at {move}",
  fallen: "<S> came into a lost position at {move}",
  slipped: "<S> had a won position and let it slip at {move}",
  thrown: "<S> turned a won position into a lost one at {move}",
};
/** @type {Record<string, string>} */
const BETTER = {
  won: "{better} would have won.",
  better: "{better} would have kept the better position.",
  even: "{better} would have kept the balance.",
  drawn: "{better} would have drawn.",
  worse: "{better} would have held out.",
};
const MANY_TURNS = "The game turned {count} times; these turns were the last.";
const GRADUALLY = "No single move lost the game: <s> gave it away little by little, most at {move}.";
const NOT_LOST = "On the board nothing was lost yet.";
const NEVER_CLOSE = "Neither side ever came close to a win.",
  CLOSEST = "<S> came closest to a win, after {move}.";

/** @param {string} text @param {Values} [values] @returns {Sentence} */
const sentence = (text, values = {}) => ({text, values});

/**
 * A sentence with its values in place, each shown in some way.
 * @param {Sentence} told
 * @param {(name: string, value: string) => string} show
 */
const filled = ({text, values}, show) =>
  text.replace(/\{(\w+)\}/g, (_, /** @type {string} */ name) => show(name, String(values[name])));

/** A sentence as plain text. @param {Sentence} told */
export const plainSentence = told => filled(told, (_, value) => value);

/** A sentence with its values marked, to be kept in a comment of PDN. @param {Sentence} told */
export const sentenceCommand = told => filled(told, (name, value) => `<${name}=${value}>`);

/**
 * The story of a game.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves all its moves, judged
 * @param {number | null} [you] side of the person to whom it is told, if any
 * @returns {Sentence[]}
 */
export const tell = (game, moves, you = null) => (moves.length ? [...new Story(game, moves, you).sentences()] : []);

/** What is known of a game whose story is told. */
class Story {
  /** @param {Game} game @param {readonly JudgedMove[]} moves @param {number | null} you */
  constructor(game, moves, you) {
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
    this._turns = moves.map(turnOf).filter(turn => turn !== null);
  }

  /** The end, then the turns in their order, or what there is to say without any. */
  *sentences() {
    if (this._brokenOff) yield sentence(BROKEN_OFF);
    if (!this._brokenOff || this._result !== "*") yield this.#ending();
    const {length} = this._turns;
    if (length > MOST_TURNS) yield sentence(MANY_TURNS, {count: length});
    for (const turn of this._turns.slice(-MOST_TURNS)) yield* this.#turned(turn);
    if (this._brokenOff) return;
    if (this._winner !== null) yield* this.#loss(1 - this._winner);
    else if (!length) yield* this.#quietGame();
  }

  /** @param {number} side @param {string} text @param {Values} [values] */
  #about(side, text, values) {
    const [first, within] = side === this._you ? YOU : [NAMES[side], NAMES[side]];
    return sentence(text.replace("<S>", first).replace("<s>", within), values);
  }

  /** @param {JudgedMove} judged */
  #label(judged) {
    return String(this._game.mainline()[judged.ply]);
  }

  // the end

  #ending() {
    const reason = (this._game.headers.get("Termination") ?? "").toLowerCase(),
      end = this._end;
    if (this._result === "0-0") return sentence(BOTH_LOST);
    if (this._winner === null) return this.#endWithoutWinner(reason);
    const loser = 1 - this._winner;
    if (end.isOver && end.side === loser) return this.#about(loser, end.own ? NO_MOVE : NO_PIECES);
    if (reason.includes("time")) return this.#about(loser, OVERTIME[this.#standing(loser)]);
    if (isDecidedElsewhere(reason)) return this.#about(loser, ADJUDICATED);
    return this.#about(loser, (reason.includes("resign") ? RESIGNED : LOST)[this.#standing(loser)]);
  }

  /** @param {string} reason */
  #endWithoutWinner(reason) {
    const rule = this._moves[this._moves.length - 1].draw,
      rules = [rule, reason];
    let texts = reason.includes("agree") ? AGREED : DRAWN;
    if (this._result === "*") texts = UNFINISHED;
    else if (rule || reason === REPETITION || reason === NO_PROGRESS)
      texts = rules.includes(REPETITION) ? REPEATED : UNPROGRESSED;
    else if (isDecidedElsewhere(reason)) return sentence(ADJUDICATED_DRAW);
    const standings = [BLACK, WHITE].map(side => this.#standing(side, false));
    for (const side of [BLACK, WHITE])
      if (["better", "won"].includes(standings[side])) return this.#about(side, texts[standings[side]]);
    return sentence(texts[standings[BLACK]] ?? texts[""]);
  }

  /**
   * Standing of a side in the last position; "" if that was not searched, or the game went on.
   * @param {number} side
   * @param {boolean} [byRule] draws by rule count
   */
  #standing(side, byRule = true) {
    const last = this._moves[this._moves.length - 1];
    if (last.expected === null || this._brokenOff) return "";
    const value = byRule ? certainOf(last) : last.value;
    return last.side === side
      ? standingOf(last.expected, value)
      : standingOf(1 - last.expected, value && opposite(value));
  }

  // the turns

  /** @param {Turn} turn */
  *#turned(turn) {
    const {judged, kind} = turn,
      isLast = turn === this._turns[this._turns.length - 1],
      isLost =
        isLast &&
        !this._brokenOff &&
        this._winner === 1 - judged.side &&
        ["lost", ""].includes(this.#standing(judged.side));
    const text = TURNS[kind === "fallen" && isLost ? "lost" : kind],
      [slip, more] = slipped(judged);
    yield this.#about(judged.side, text + slip, {move: this.#label(judged), ...more});
    if (!isLast || !judged.best || judged.bestExpected === null) return;
    const better = BETTER[standingOf(judged.bestExpected, judged.bestValue)];
    if (better) yield sentence(better, {better: String(judged.best)});
  }

  /** Sentences about a loss that no turn explains. @param {number} loser */
  *#loss(loser) {
    const last = this._turns.at(-1);
    if (last && last.judged.side === loser && last.kind !== "slipped") return;
    if (!["lost", ""].includes(this.#standing(loser))) {
      if (!last) yield sentence(NOT_LOST);
      return;
    }
    const own = this._moves.filter(judged => judged.judged && judged.side === loser),
      worst = greatest(own, judged => judged.loss);
    if (worst && worst.loss > 0) yield this.#about(loser, GRADUALLY, {move: this.#label(worst)});
  }

  /** Sentences about a game without a winner that never turned. */
  *#quietGame() {
    const known = this._moves.filter(judged => judged.expected !== null && judged.confirmed),
      best = greatest(known, judged => Math.abs((judged.expected || 0.5) - 0.5));
    if (!best || best.expected === null) return;
    const side = best.expected >= 0.5 ? best.side : 1 - best.side;
    if (Math.max(best.expected, 1 - best.expected) < SAFE) yield sentence(NEVER_CLOSE);
    else yield this.#about(side, CLOSEST, {move: this.#label(best)});
  }
}

/** True if neither the board nor the players decided the game. @param {string} reason its Termination tag */
const isDecidedElsewhere = reason => ELSEWHERE.some(word => reason.includes(word));

/**
 * Standing of a side by its expected result, or by a certain value.
 * @param {number} expected
 * @param {Value | null} value
 */
function standingOf(expected, value) {
  if (value) return {win: "won", draw: "drawn", loss: "lost"}[value];
  if (expected >= WON_FROM) return "won";
  if (expected <= LOST_TO) return "lost";
  return expected < EVEN_BETWEEN[0] ? "worse" : expected > EVEN_BETWEEN[1] ? "better" : "even";
}

/** The turn that a move is, if it is one. @param {JudgedMove} judged @returns {Turn | null} */
function turnOf(judged) {
  const {bestExpected, expected, loss} = judged;
  if (!judged.judged || bestExpected === null || expected === null || loss < TURN) return null;
  const before = standingOf(bestExpected, judged.bestValue),
    after = standingOf(expected, certainOf(judged));
  if (before === "won" && after !== "won") return {judged, kind: after === "lost" ? "thrown" : "slipped"};
  return before !== "lost" && after === "lost" ? {judged, kind: "fallen"} : null;
}

/**
 * End of a sentence about a move that people often or rarely play, and its values.
 * @param {JudgedMove} judged
 * @returns {[string, Values]}
 */
function slipped({likely, slip}) {
  if (likely === null || (slip !== TRAP && slip !== OVERSIGHT)) return [".", {}];
  if (slip === TRAP) return [`, ${TRAPPED}.`, {percent: rounded(100 * likely)}];
  if (likely < 0.01) return [`, ${RARELY_OVERSEEN}.`, {}];
  return [`, ${OVERSEEN}.`, {percent: Math.trunc(100 * likely) + 1}];
}
