// Puzzles. The page keeps a puzzle's state: each request has its id and the moves so far.
//
// puzzles/list {"date": "2026-11-22", "own": [problem, ...]} -> {"puzzles": [...], "collection": {...},
//     "daily": id, "daily_easy": id}, the second one for beginners;
//     those of the collection, which are thousands, are rows of their id, goal, pieces,
//     rating, numbers of their themes and side to move, and their boards are asked for as they come into sight. own:
//     problems of the person's files, as puzzles/read gave them; the page keeps them
// puzzles/today {"date", "easy": false} -> the facts of the puzzle of the day, or of that for beginners
// puzzles/read {"name", "data": base64, "results": "english"} -> {"problems": [...], "faults": [...], "left_out": 2}
// puzzles/boards {"ids": [...]} -> {"boards": [FEN, ...]}
// puzzles/start {"id"} -> the puzzle's facts, its position, and the opponent's move if that is the first
// puzzles/answer {"id", "moves"} -> the verdict on the last move, and the reply to it; why: at most one reason
//     for a wrong move, where that is certain
// puzzles/hint {"id", "moves", "whole": false} -> the square of a piece that can move well, or the whole move; not: a
//     wrong one that looks natural, with the reason, or null
// puzzles/solution {"id", "moves"} -> a line from there on

import {apart, isOver, problemOf} from "./problems.js";
import {copyOf, Puzzle} from "./puzzle.js";
import {Board, lineJson, Position, positionJson, sideName} from "./rules.js";
import {KrError, Refused} from "./text.js";
import {analysisOf, overAnalysis} from "./weighing.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./weighing.js").Analysis} Analysis */
/** @typedef {import("./puzzle.js").Problem} Problem */

/** Limits of a search; a verdict needs at most three. */
const LIMITS = {seconds: 0.3, nodes: 200_000};
/** Searches that are remembered, so that a position is not searched again when its puzzle is tried again. */
const MOST_ANALYSES = 4096;
/** Moves of a try. */
const LONGEST_TRY = 300;
const MS_PER_DAY = 86_400_000;
/** Number of 1 January 1970 among the days, of which 1 is 1 January of the year 1. */
const EPOCH_DAY = 719_163;

/** Boards of a request. */
const MOST_BOARDS = 100;
/** Problems of a person's files. */
const MOST_KEPT = 20_000;

/** @typedef {"classic" | "collection" | "own" | "course"} Origin */
/** @typedef {Problem & {id: string}} Shelved */
/**
 * proved: sentences, and the numbers in them
 * @typedef {{
 *   id: string, title: string, idea: string, proved: {text: string, with: Record<string, number>}[],
 *   steps: (Shelved & {plan: string})[],
 * }} Course
 */
/**
 * As kr/page/data.py has them; own: of the files of a server.
 * @typedef {{
 *   terms: Record<string, number>, daily_ratings: [number, number], themes: string[], classics: Shelved[],
 *   own: Shelved[], courses: Course[],
 * }} Puzzles
 */

/** The puzzles, and the engine's analyses of their positions. */
class Book {
  /** @type {Map<string, Promise<Analysis>>} */
  #analyses = new Map();

  /**
   * @param {House} house
   * @param {Puzzles} puzzles
   * @param {Shelved[]} collection
   */
  constructor(house, {terms, daily_ratings: ratings, themes, classics, own, courses}, collection) {
    this._house = house;
    this.terms = terms;
    this._dailyRatings = ratings;
    this.themes = themes;
    this.classics = classics;
    /** Of the files of a server. */
    this.served = own;
    /** Of files that the page keeps. @type {Shelved[]} */
    this.kept = [];
    this.collection = collection;
    /** By id. @type {Map<string, {origin: Origin, problem: Shelved}>} */
    this.shelf = new Map();
    this.#shelve("classic", classics);
    this.#shelve("collection", collection);
    this.#shelve("own", own);
    for (const course of courses) this.#shelve("course", course.steps);
  }

  /** @param {Origin} origin @param {Shelved[]} problems */
  #shelve(origin, problems) {
    for (const problem of problems) this.shelf.set(problem.id, {origin, problem});
  }

  /** Takes the problems that the page keeps, in place of those before. @param {PageRequest[]} told */
  keep(told) {
    for (const {id} of this.kept) this.shelf.delete(id);
    this.kept = [];
    for (const {fields} of told) {
      const problem = this.#read(fields);
      if (!problem) continue;
      const named = {...problem, id: apart(problem.id, id => this.shelf.has(id))};
      this.kept.push(named);
      this.#shelve("own", [named]);
    }
  }

  /** What a page has kept may be of another version; null for what can't be taken. @param {any} fields */
  #read(fields) {
    try {
      const problem = problemOf(fields, this.themes, 1);
      return isOver(problem) ? null : problem;
    } catch (error) {
      if (!(error instanceof KrError)) throw error;
      return null;
    }
  }

  /** What a page asks for. @param {string} name */
  found(name) {
    const puzzles = this.shelf.get(name);
    if (!puzzles) throw new Refused("refused.no_puzzle", {name});
    return puzzles;
  }

  /** The puzzle that a page asks for. @param {PageRequest} request */
  puzzle(request) {
    return this.puzzleOf(this.found(request.text("id")).problem);
  }

  /** @param {Problem} problem */
  puzzleOf(problem) {
    return new Puzzle(
      problem,
      this.terms,
      () => this._house.database(),
      (position, history) => this.#search(position, history),
      (analysis, after) => this.#guess(analysis, after),
    );
  }

  /**
   * The value that is proved, or likely by two searches, or that of a composed problem; else a guess.
   * @param {Analysis} analysis of a problem whose value is not known @param {Analysis} after of its best move
   * @returns {Promise<import("./puzzle.js").Guess>}
   */
  async #guess({task, lines, value}, after) {
    if (value) return {value, chance: 1, composed: false};
    if (after.value === "loss") return {value: "win", chance: 1, composed: false};
    const chances = await this._house.chances,
      [{score}] = lines,
      likely = chances.likely(score, -after.lines[0].score, task.position.pieces);
    if (likely) return {...likely, composed: false};
    const composed = chances.likelyIfComposed(score);
    return composed
      ? {...composed, composed: true}
      : {value: score > 0 ? "win" : "draw", chance: null, composed: false};
  }

  /**
   * The puzzle of a day, of middling difficulty.
   * @param {number} day
   * @param {boolean} easy an easier one, to win
   */
  daily(day, easy) {
    const [low, high] = this._dailyRatings,
      all = [...this.classics, ...this.collection],
      wins = all.filter(({rating, result}) => rating && rating < low && result !== "draw"),
      middling = all.filter(({rating}) => rating && low <= rating && rating <= high),
      puzzles = middling.length ? middling : all;
    const draws = puzzles.filter(({result}) => result === "draw");
    if (easy && wins.length) return daily(wins, [], {day, every: 1});
    return daily(
      puzzles.filter(({result}) => result !== "draw"),
      draws,
      {day, every: this.terms.draws_every},
    );
  }

  /** @param {Position} position @param {readonly Position[]} history */
  #search(position, history) {
    const line = [...history, position].map(each => each.key).join(" "),
      known = this.#analyses.get(line),
      analysis = known ?? this.#searched(position, [...history]);
    if (!known) analysis.catch(() => this.#analyses.delete(line));
    // the last asked for are the last to go
    this.#analyses.delete(line);
    this.#analyses.set(line, analysis);
    if (this.#analyses.size > MOST_ANALYSES) this.#analyses.delete([...this.#analyses.keys()][0]);
    return analysis;
  }

  /** @param {Position} position @param {Position[]} history @returns {Promise<Analysis>} */
  async #searched(position, history) {
    const task = {position, history};
    if (position.isOver) return overAnalysis(task);
    const [chances, database, found] = await Promise.all([
      this._house.chances,
      this._house.database(),
      this._house.engine.search({position, history, limits: LIMITS, fresh: true}),
    ]);
    return analysisOf(task, found, database, chances);
  }
}

/** @param {House} house @returns {Promise<Book>} */
const bookOf = house =>
  house.once("puzzles", async () => {
    const [puzzles, collection] = await Promise.all([house.data("puzzles"), house.data("collection")]);
    return new Book(house, puzzles, collection);
  });

/** All puzzles, and the one of the day: the same everywhere. @param {House} house @param {PageRequest} request */
async function listPuzzles(house, request) {
  const book = await bookOf(house),
    day = dayNumber(request.text("date", 10));
  book.keep(request.objects("own", MOST_KEPT, []));
  return {
    puzzles: [...book.classics, ...book.served, ...book.kept].map(problem => {
      const {position, goal} = book.puzzleOf(problem);
      return {
        id: problem.id,
        title: problem.title ?? problem.id,
        author: problem.author ?? "",
        origin: book.found(problem.id).origin,
        pieces: position.pieces,
        fen: position.fen,
        goal,
        themes: problem.themes ?? [],
        rating: problem.rating ?? null,
      };
    }),
    collection: {
      themes: book.themes,
      rows: book.collection.map(({id, fen, result, rating, themes = [], source = ""}) => {
        const {pieces, side} = Position.fromFen(fen);
        return [
          id,
          result === "draw" ? "draw" : "win",
          pieces,
          rating ?? null,
          themes.map(theme => book.themes.indexOf(theme)),
          sideName(side),
          source,
        ];
      }),
    },
    daily: book.daily(day, false).id,
    daily_easy: book.daily(day, true).id,
  };
}

/** The puzzle of a day, as a door to it shows it. @param {House} house @param {PageRequest} request */
async function showToday(house, request) {
  const book = await bookOf(house),
    problem = book.daily(dayNumber(request.text("date", 10)), request.flag("easy", false)),
    {position, goal, solver} = book.puzzleOf(problem),
    {id, title = "", source = "", themes = [], rating = null} = problem;
  return {
    id,
    title,
    source,
    themes,
    rating,
    origin: book.found(id).origin,
    fen: position.fen,
    goal,
    solver: sideName(solver),
  };
}

/** Positions of some puzzles. @param {House} house @param {PageRequest} request */
async function showBoards(house, request) {
  const book = await bookOf(house);
  return {boards: request.texts("ids", MOST_BOARDS).map(name => book.found(name).problem.fen)};
}

/** A puzzle before the solver's first move. @param {House} house @param {PageRequest} request */
async function startPuzzle(house, request) {
  const book = await bookOf(house),
    {origin, problem} = book.found(request.text("id")),
    puzzle = book.puzzle(request),
    board = await puzzle.begin(),
    {position, goal, guess, solver, published} = puzzle;
  return {
    id: problem.id,
    key: origin === "classic" || origin === "own" ? position.fen : problem.id,
    origin,
    themes: problem.themes ?? [],
    rating: problem.rating ?? null,
    evidence: problem.evidence ?? "",
    title: problem.title ?? (origin === "collection" ? "" : problem.id),
    author: problem.author ?? "",
    source: problem.source ?? "",
    goal,
    guess: guess && {chance: guess.chance, composed: guess.composed},
    solver: sideName(solver),
    published: published.length > 0,
    start: position.fen,
    moves: lineJson(position, board.moves),
    position: positionJson(board.position),
  };
}

/** The verdict on the solver's last move. @param {House} house @param {PageRequest} request */
async function answerPuzzle(house, request) {
  const puzzle = await (await bookOf(house)).puzzle(request).prepare(),
    board = boardOf(puzzle, request),
    verdict = await puzzle.judge(board),
    {keeps, by, reply, solved, ended} = verdict,
    after = copyOf(board);
  if (reply) after.play(reply);
  return {
    kept: keeps,
    by,
    reply: reply && lineJson(board.position, [reply])[0],
    position: positionJson(after.position),
    solved,
    ended,
    why: await puzzle.why(board, verdict, house.engine),
  };
}

/** A right move, or only the piece that makes it. @param {House} house @param {PageRequest} request */
async function hintPuzzle(house, request) {
  const puzzle = await (await bookOf(house)).puzzle(request).prepare(),
    board = boardOf(puzzle, request);
  if (board.side !== puzzle.solver || board.position.isOver)
    throw new Refused("refused.not_to_move", {side: sideName(puzzle.solver)});
  const [move, by] = await puzzle.best(board),
    isWhole = request.flag("whole"),
    not = isWhole ? await puzzle.natural(board, house.engine) : null,
    whole = isWhole ? {move: lineJson(board.position, [move])[0], not} : {};
  return {square: move.origin + 1, by, ...whole};
}

/** A line to the end, from the moves so far on. @param {House} house @param {PageRequest} request */
async function solvePuzzle(house, request) {
  const puzzle = await (await bookOf(house)).puzzle(request).prepare(),
    board = boardOf(puzzle, request),
    [moves, by] = await puzzle.solution(board);
  return {moves: lineJson(board.position, moves), by};
}

/** @param {Puzzle} puzzle @param {PageRequest} request */
function boardOf(puzzle, request) {
  const board = new Board(puzzle.position);
  for (const move of request.texts("moves", LONGEST_TRY, 100)) board.play(move);
  return board;
}

/** The number of a day such as 2026-11-22, from 1 for the first of the year 1. @param {string} text */
function dayNumber(text) {
  const [year, month, day] = (/^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? []).slice(1).map(Number),
    date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // a day that a month doesn't have is one of the next
  if (!year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) throw new Refused("refused.no_day");
  return Math.floor(date.getTime() / MS_PER_DAY) + EPOCH_DAY;
}

/**
 * The puzzle of a day: each comes once before one of its kind comes again.
 * @param {Shelved[]} wins
 * @param {Shelved[]} draws
 * @param {{day: number, every: number}} turn every: days of which the last has one to draw
 */
function daily(wins, draws, {day, every}) {
  let kind = wins.length ? wins : draws,
    number = day;
  if (wins.length && draws.length) {
    const turn = Math.floor(day / every),
      place = day % every,
      isDraw = place === every - 1;
    kind = isDraw ? draws : wins;
    number = isDraw ? turn : (every - 1) * turn + place;
  }
  let step = Math.round((kind.length * (Math.sqrt(5) - 1)) / 2);
  while (divisor(step, kind.length) > 1) step++;
  return kind[(number * step) % kind.length];
}

/** The greatest common one. @param {number} a @param {number} b @returns {number} */
const divisor = (a, b) => (b ? divisor(b, a % b) : a);

/** The problems of a file, with their exact values. @param {House} house @param {PageRequest} request */
async function readPuzzles(house, request) {
  const [{readFile}, {themes}] = await Promise.all([import("./problem_files.js"), bookOf(house)]);
  return readFile(house, request, themes);
}

export const ROUTES = {
  "puzzles/list": listPuzzles,
  "puzzles/today": showToday,
  "puzzles/read": readPuzzles,
  "puzzles/boards": showBoards,
  "puzzles/start": startPuzzle,
  "puzzles/answer": answerPuzzle,
  "puzzles/hint": hintPuzzle,
  "puzzles/solution": solvePuzzle,
};
