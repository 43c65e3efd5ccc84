// Puzzles, what has been solved of them, and the words for both. Nothing here touches the document.

import {retold} from "../retold.js";
import {many, t} from "../texts.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Side} from "../squares.js" */
/** @typedef {"win" | "draw"} Goal */
/** @typedef {"database" | "solution" | "search"} Source of a judgement */
/**
 * @typedef {{id: string, title: string, author: string, classic: boolean, pieces: number, fen: string, goal: Goal |
 * null}} Listed
 */
/**
 * A puzzle as it is begun. moves: the opponent's, if that is the first one
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} title
 * @property {string} author
 * @property {string} source
 * @property {Goal} goal
 * @property {Source} goal_by
 * @property {number | null} goal_chance
 * @property {Side} solver
 * @property {boolean} published
 * @property {string} start
 * @property {BoardMove[]} moves
 * @property {{moves: BoardMove[]}} position
 */
/**
 * The verdict on a move. kept: null if nothing is decided
 * @typedef {object} Answer
 * @property {boolean | null} kept
 * @property {Source} by
 * @property {BoardMove | null} reply
 * @property {{moves: BoardMove[]}} position
 * @property {boolean} solved
 * @property {string} ended
 */
/**
 * What was done with a puzzle. likely: one of the right moves was known by a search alone, so that nothing proves it
 * @typedef {{tries: number, hints: number, solved: boolean, likely?: boolean}} Done
 */
/** @typedef {{goal: string, pieces: string, solved: string, origin: string}} Filter "" for all; pieces: such as 2-5 */
/** @typedef {import("../line/page.js").Words} Words */

/** What has been solved, by FEN, so that a puzzle is known again whatever it is called. */
export class Progress {
  /** @param {{kept: (name: string, otherwise: any) => any, keep: (name: string, value: unknown) => void}} store */
  constructor(store) {
    this._store = store;
    /** @type {Record<string, Done>} */
    this._all = store.kept("puzzles", {});
  }

  /** @param {string} fen @returns {Done} */
  of(fen) {
    return this._all[fen] ?? {tries: 0, hints: 0, solved: false};
  }

  /** @param {string} fen @param {"tries" | "hints"} what */
  count(fen, what) {
    const done = this.of(fen);
    this._keep(fen, {...done, [what]: done[what] + 1});
  }

  /** @param {string} fen @param {boolean} likely */
  solve(fen, likely) {
    const done = this.of(fen);
    this._keep(fen, {...done, likely: likely && (!done.solved || Boolean(done.likely)), solved: true});
  }

  /** @param {string} fen @param {Done} done */
  _keep(fen, done) {
    this._all[fen] = done;
    this._store.keep("puzzles", this._all);
  }
}

/** A day as the server takes it. */
export function today(now = new Date()) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/**
 * @param {Listed[]} puzzles
 * @param {Filter} filter
 * @param {Progress} progress
 */
export function matching(puzzles, {goal, pieces, solved, origin}, progress) {
  const [low, high] = pieces.split("-").map(Number);
  return puzzles.filter(
    each =>
      (!goal || each.goal === goal) &&
      low <= each.pieces &&
      each.pieces <= high &&
      (!solved || progress.of(each.fen).solved === (solved === "yes")) &&
      (!origin || each.classic === (origin === "classic")),
  );
}

/**
 * The unsolved puzzle after one, round the list; undefined if there is no other.
 * @param {Listed[]} puzzles all of them, in order
 * @param {Listed[]} matches those to choose from
 * @param {Progress} progress
 * @param {string} [id] of the one that is on the board
 */
export function following(puzzles, matches, progress, id) {
  const here = puzzles.findIndex(each => each.id === id);
  const open = matches.filter(each => each.id !== id && !progress.of(each.fen).solved);
  return open.find(each => puzzles.indexOf(each) > here) ?? open[0];
}

/**
 * How many puzzles are solved, how many of them without a wrong move or a hint, and how many by likely moves.
 * @param {Listed[]} puzzles
 * @param {Progress} progress
 */
export function counted(puzzles, progress) {
  const solved = puzzles.map(each => progress.of(each.fen)).filter(each => each.solved);
  return {
    all: puzzles.length,
    solved: solved.length,
    clean: solved.filter(each => !each.tries && !each.hints).length,
    likely: solved.filter(each => each.likely).length,
  };
}

// --- words

/** @param {{all: number, solved: number, clean: number, likely: number}} counts */
export function progressWords({all, solved, clean, likely}) {
  if (!solved) return [t("None of {puzzles} solved so far.", {puzzles: many(all, "puzzle")})];
  return [
    t("{solved} of {puzzles} solved, {clean} of them without a wrong move or a hint.", {
      solved,
      clean,
      puzzles: many(all, "puzzle"),
    }),
    t("{proved} by moves that are proved or published, {likely} likely, by kr's search.", {
      proved: solved - likely,
      likely,
    }),
  ];
}

/** What a puzzle of the list is about. @param {Listed} puzzle @param {Done} done */
export function listedWords({goal, pieces}, {solved, tries}) {
  const what = goal === "win" ? t("win") : goal === "draw" ? t("draw") : t("win or draw?");
  return [what, many(pieces, "piece"), solved ? t("solved") : tries ? t("tried") : ""].filter(Boolean).join(", ");
}

/** @param {Puzzle} puzzle */
export function taskWords({solver, goal, goal_by, goal_chance}) {
  const task =
    solver === "black"
      ? goal === "win"
        ? t("Black to play and win")
        : t("Black to play and draw")
      : goal === "win"
        ? t("White to play and win")
        : t("White to play and draw");
  if (goal_by !== "search" || goal_chance === null) return task;
  return t("{task} (likely: {chance}%)", {task, chance: Math.round(100 * goal_chance)});
}

/** @param {Puzzle} puzzle @returns {Words} */
export function beginWords({solver, goal, moves}) {
  const move = moves[0]?.text;
  if (!move) {
    return goal === "win"
      ? {mark: "", head: t("Your move."), more: t("Any move that wins is right.")}
      : {mark: "", head: t("Your move."), more: t("Any move that keeps the draw is right.")};
  }
  const played = solver === "black" ? t("White has played {move}.", {move}) : t("Black has played {move}.", {move});
  return {mark: "", head: t("Your move."), more: played};
}

/** @param {Source} source */
const sourceWords = source =>
  ({
    database: () => t("By the endgame database."),
    solution: () => t("By the published solution."),
    search: () => t("By kr's search."),
  })[source]();

/**
 * The verdict on a move that was not the last one of its puzzle.
 * @param {string} move
 * @param {Answer} answer
 * @param {Puzzle} puzzle
 * @returns {Words}
 */
export function verdictWords(move, {kept, by, reply}, {goal, published}) {
  if (kept) {
    const replied = reply ? ` ${t("Reply: {move}.", {move: reply.text})}` : "";
    return {mark: "✓", head: t("{move} is right.", {move}), more: sourceWords(by) + replied};
  }
  if (kept === false) {
    const head = goal === "win" ? t("{move} does not win.", {move}) : t("{move} gives the draw away.", {move});
    return {mark: "✗", head, more: `${sourceWords(by)} ${t("Try another move.")}`};
  }
  const head = goal === "win" ? t("{move} may keep the win.", {move}) : t("{move} may keep the draw.", {move});
  const other = published ? `${t("It is not the published move.")} ` : "";
  return {mark: "?", head, more: `${other}${t("kr can't tell. Try another move; this one does not count.")}`};
}

/** @param {string} move @param {Answer} answer @returns {Words} */
export function endWords(move, {solved, ended}) {
  return solved
    ? {mark: "✓", head: t("Solved!"), more: t("{move}: {reason}.", {move, reason: retold(ended)})}
    : {mark: "✗", head: t("Not solved."), more: t("{reason}. Start again.", {reason: sentence(retold(ended))})};
}

/** @param {{square: number, by: Source, move?: BoardMove}} hint @returns {Words} */
export function hintWords({square, by, move}) {
  return move
    ? {mark: "", head: t("{move} is right.", {move: move.text}), more: sourceWords(by)}
    : {mark: "", head: t("The piece on {square} can make a right move.", {square}), more: ""};
}

/** @param {{moves: BoardMove[], by: Source}} solution @returns {Words} */
export function solutionWords({moves, by}) {
  const step = t("Step through it below.");
  return {
    mark: "",
    head: t("The solution has {moves}.", {moves: many(moves.length, "move")}),
    more: `${sourceWords(by)} ${step}`,
  };
}

const sentence = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);
