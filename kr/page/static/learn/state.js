// Puzzles, what has been solved of them, and the words for both. Nothing here touches the document.

import {isOf, placed} from "../squares.js";
import {many, said, signed, spoken, t} from "../texts.js";
import {uncertainty} from "./training.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Side} from "../squares.js" */
/** @import {Done, SolverRating, Training} from "./training.js" */
/** @typedef {"win" | "draw"} Goal */
/** @typedef {"rules" | "database" | "solution" | "search"} Source of a judgement; rules: of a lesson */
/** @typedef {"classic" | "collection" | "own" | "course"} Origin */
/**
 * A puzzle of the list. key: under which progress is kept; fen: not of the collection
 * @typedef {{
 *   id: string, key: string, title: string, origin: Origin, pieces: number, goal: Goal | null, themes: Theme[],
 *   rating: number | null, fen?: string,
 * }} Listed
 */
/**
 * What the server lists; rows: id, goal, pieces, rating, numbers of themes, side to move, source
 * @typedef {{
 *   puzzles: (Omit<Listed, "key"> & {author: string, fen: string})[],
 *   collection: {themes: Theme[], rows: [string, Goal, number, number | null, number[], Side, string][]},
 *   daily: string, daily_easy: string,
 * }} Listing
 */
/** @typedef {"shot" | "two-for-one" | "first-position" | "bridge" | "breeches" | "in-and-out" | "only-move"} Theme */
/**
 * A puzzle as it is begun. moves: the opponent's, if that is the first one
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} key
 * @property {Origin} origin
 * @property {Theme[]} themes
 * @property {number | null} rating
 * @property {"proved" | "likely" | "searched" | ""} evidence
 * @property {string} title
 * @property {string} author
 * @property {string} source
 * @property {Goal} goal
 * @property {{chance: number | null, composed: boolean} | null} guess where a search guessed it: the share of such
 *   guesses that come true, null if the value is unclear; composed: those of composed problems
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
 * @property {import("../texts.js").Sentence | null} ended
 * @property {import("../texts.js").Sentence[]} why a wrong move is worse than a right one
 */
/**
 * "" for all; pieces and rating: such as 2-5
 * @typedef {{goal: string, pieces: string, solved: string, origin: string, theme: string, rating: string}} Filter
 */
/** @typedef {import("../line/page.js").Words} Words */

/** A day as the server takes it. */
export function today(now = new Date()) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** Ratings at which the next difficulty begins. */
const DIFFICULTIES = [1200, 1600, 2000];
/** Two puzzles to win come before one to draw, of which there are more; all of them where puzzles are easy. */
const DRAWS_EVERY = 3;
/** Rating by which a puzzle may be farther away than one with the other goal. */
const OTHER_GOAL = 150;

/**
 * Puzzles in the order of their difficulty, and in each so that two wins come before one draw.
 * @param {Listed[]} puzzles by rating
 */
function mixed(puzzles) {
  const bandOf = (/** @type {Listed} */ {rating}) => DIFFICULTIES.filter(each => (rating ?? Infinity) >= each).length;
  return [0, ...DIFFICULTIES].flatMap((_, band) => {
    const those = puzzles.filter(each => bandOf(each) === band),
      wins = those.filter(each => each.goal !== "draw"),
      draws = those.filter(each => each.goal === "draw");
    return those.map((_, place) => {
      const [first, second] = band && place % DRAWS_EVERY === DRAWS_EVERY - 1 ? [draws, wins] : [wins, draws];
      return /** @type {Listed} */ (first.shift() ?? second.shift());
    });
  });
}

/** The puzzles of a listing: the classics and those of files, then the collection. @param {Listing} listing */
export function listed({puzzles, collection: {themes, rows}}) {
  /** @type {Listed[]} */
  const own = puzzles.map(({author, ...each}) => ({...each, key: each.fen, title: named(each)}));
  /** @type {Listed[]} */
  const collected = rows.map(([id, goal, pieces, rating, numbers, side, source]) => {
    const own = numbers.map(number => themes[number]);
    const title = ideaWords({themes: own, goal, source}) || goalWords(side, goal);
    return {id, key: id, title, origin: "collection", pieces, goal, themes: own, rating};
  });
  return [...own, ...mixed(collected)];
}

/** @param {string} text such as 2-5 */
function range(text) {
  const [low, high] = text.split("-").map(Number);
  return (/** @type {number} */ number) => low <= number && number <= high;
}

/**
 * @param {Listed[]} puzzles
 * @param {Filter} filter
 * @param {Training} training
 * @param {number} day
 */
export function matching(puzzles, {goal, pieces, solved, origin, theme, rating}, training, day) {
  const hasPieces = range(pieces),
    hasRating = rating ? range(rating) : null;
  /** @type {Record<string, (each: Listed) => boolean>} */
  const done = {
    "": () => true,
    yes: ({key}) => training.of(key).solved,
    no: ({key}) => !training.of(key).solved,
    missed: ({key}) => training.isMissed(key),
    due: ({key}) => training.isDue(key, day),
  };
  return puzzles.filter(
    each =>
      (!goal || each.goal === goal) &&
      hasPieces(each.pieces) &&
      (!hasRating || (each.rating !== null && hasRating(each.rating))) &&
      (!theme || each.themes.some(one => one === theme)) &&
      done[solved](each) &&
      (!origin || each.origin === origin),
  );
}

/**
 * The puzzle to solve next: an unsolved one of those to choose from, near the rating of the solver; those without a
 * rating, and all where the order of the list is asked for, by the order of the list, round it. Undefined if there is
 * no other. What has been looked at, and what was missed and waits for its day, comes last; two to win come before one
 * to draw. A beginner gets those to win, near the rating less its deviation. tests/cases/training.json holds what it
 * has in common with kr/problems/lessons.py.
 * @param {Listed[]} puzzles all of them, in order
 * @param {Listed[]} matches those to choose from
 * @param {Training} training
 * @param {{day: number, id?: string, seen?: Set<string>, inOrder?: boolean}} now id: of the one that is on the board
 */
export function following(puzzles, matches, training, {day, id = "", seen = new Set(), inOrder = false}) {
  const here = puzzles.findIndex(each => each.id === id),
    solver = training.ratingOn(day),
    isBeginner = training.isBeginner,
    rating = isBeginner ? solver.rating - solver.deviation : solver.rating,
    places = new Map(puzzles.map((each, place) => [each, place]));
  const behind = (/** @type {Listed} */ each) =>
    ((places.get(each) ?? 0) - here - 1 + puzzles.length) % Math.max(puzzles.length, 1);
  const isLate = (/** @type {Listed} */ {id, key}) =>
    seen.has(id) || (training.isMissed(key) && !training.isDue(key, day));
  const isDrawNext = seen.size % DRAWS_EVERY === DRAWS_EVERY - 1;
  const isForLater = (/** @type {Listed} */ {goal}) => isBeginner && !inOrder && goal === "draw";
  const far = (/** @type {Listed} */ each) =>
    inOrder || each.rating === null
      ? Number.MAX_VALUE
      : Math.abs(each.rating - rating) + (isBeginner || (each.goal === "draw") === isDrawNext ? 0 : OTHER_GOAL);
  const isOpen = (/** @type {Listed} */ each) =>
    each.id !== id && (!training.of(each.key).solved || training.isDue(each.key, day));
  return matches
    .filter(isOpen)
    .sort(
      (one, other) =>
        Number(isLate(one)) - Number(isLate(other)) ||
        Number(isForLater(one)) - Number(isForLater(other)) ||
        far(one) - far(other) ||
        behind(one) - behind(other),
    )[0];
}

/**
 * How many puzzles are solved, how many of them without a wrong move or a hint, and how many by likely moves.
 * @param {Listed[]} puzzles
 * @param {Training} training
 */
export function counted(puzzles, training) {
  const solved = puzzles.map(each => training.of(each.key)).filter(each => each.solved);
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

/** @type {Record<Theme, () => string>} */
const THEMES = {
  shot: () => t("Shot"),
  "two-for-one": () => t("Two for one"),
  "first-position": () => t("First Position"),
  bridge: () => t("Bridge"),
  breeches: () => t("Breeches"),
  "in-and-out": () => t("In and out"),
  "only-move": () => t("Only move"),
};

/** Names of the themes, by their values. */
export const themeNames = () =>
  /** @type {Record<Theme, string>} */ (
    Object.fromEntries(Object.entries(THEMES).map(([theme, name]) => [theme, name()]))
  );

/** @param {Theme[]} themes */
export const themeWords = themes => themes.map(theme => THEMES[theme]?.() ?? theme).join(", ");

/**
 * The name of a problem. Those of people's files stay as they are; among the classics is First Position, which names a
 * theme and a course too.
 * @param {{title: string, origin: Origin}} puzzle
 */
const named = ({title, origin}) => (origin === "own" ? title : t(title));

/** Of several themes the one that says most of the idea comes first. @type {Theme[]} */
const TELLING = ["in-and-out", "two-for-one", "first-position", "breeches", "bridge", "shot"];
const INITIALS = /^(?:[A-Z]\.?[ -]?)+$/;

/**
 * Players and year of a source such as "US National 1974, Crawford, C. v Cox, J., ply 39"; null if it is no game.
 * @param {string} source
 */
function gameOf(source) {
  const sides = source.split(" v ").map(side => side.split(/\s*,\s*/)),
    year = /\b(?:18|19|20)[0-9]{2}\b/.exec(source)?.[0];
  // the event may be that of two countries
  if (sides.length < 2 || !year) return null;
  const [before, [white]] = sides.slice(-2),
    black = before.findLast(part => !INITIALS.test(part));
  return before.length > 1 && black ? {year, black, white} : null;
}

/**
 * The name of a puzzle of the collection: its theme or task, and where it comes from; "" without a theme.
 * @param {{themes: Theme[], goal: Goal | null, source: string}} puzzle
 */
export function ideaWords({themes, goal, source}) {
  const theme = TELLING.find(each => themes.includes(each)),
    only = themes.includes("only-move") && (goal === "draw" ? t("The only draw") : t("The only win")),
    idea = theme ? THEMES[theme]() : only;
  if (!idea) return "";
  const game = gameOf(source);
  return game ? t("{idea}, {black} v {white} {year}", {idea, ...game}) : idea;
}

/** The name of a puzzle; one of the collection has its idea for it. @param {Puzzle} puzzle */
export const titleOf = puzzle =>
  puzzle.title ? named(puzzle) : ideaWords(puzzle) || goalWords(puzzle.solver, puzzle.goal);

/** What a puzzle of the list is about. @param {Listed} puzzle @param {Done} done */
export function listedWords({goal, pieces, rating}, {solved, tries, hints}) {
  const goals = {win: t("win"), draw: t("draw")},
    what = goal ? goals[goal] : t("win or draw?");
  const state = solved ? t("solved") : tries || hints ? t("tried") : "";
  return [what, many(pieces, "piece"), rating === null ? "" : String(rating), state].filter(Boolean).join(", ");
}

/** @param {SolverRating} solver */
export const ratingWords = solver =>
  t("{rating} ± {error}", {rating: Math.round(solver.rating), error: uncertainty(solver)});

/**
 * Facts of a puzzle below its name; what tells of the answer only once it is over.
 * @param {Puzzle} puzzle
 * @param {boolean} isOver
 * @param {number} gain of the rating by this try
 */
export function aboutWords({id, origin, author, source, rating, themes, evidence}, isOver, gain) {
  const rest = [
    themes.length ? themeWords(themes) : "",
    evidence && {proved: t("proved"), likely: t("likely, not proved"), searched: t("not proved")}[evidence],
    source,
    gain && t("Your rating: {change}", {change: signed(gain, 0)}),
  ];
  const code = origin === "collection" ? t("no. {id}", {id}) : "";
  return [author, rating === null ? "" : t("rated {rating}", {rating}), ...(isOver ? [code, ...rest] : [])]
    .filter(Boolean)
    .join(". ");
}

/** How often the solver has come back for the puzzle of the day. @param {number} days */
export const streakWords = days => (days > 1 ? t("{days} in a row", {days: many(days, "day")}) : "");

/** A day such as "Thursday, 26 November". @param {Date} now */
export const dayWords = (now = new Date()) =>
  now.toLocaleDateString(spoken() === "en" ? "en-GB" : spoken(), {weekday: "long", day: "numeric", month: "long"});

/** @param {Side} side @param {Goal} goal */
const goalWords = (side, goal) =>
  side === "black"
    ? goal === "win"
      ? t("Black to play and win")
      : t("Black to play and draw")
    : goal === "win"
      ? t("White to play and win")
      : t("White to play and draw");

/** @param {Puzzle} puzzle */
export function taskWords({solver, goal, guess}) {
  const task = goalWords(solver, goal);
  if (!guess || guess.chance === 1) return task;
  if (guess.chance === null) return t("{task} (unclear: kr guesses)", {task});
  const chance = Math.round(100 * guess.chance);
  return guess.composed
    ? t("{task} (likely in a composed problem: {chance}%)", {task, chance})
    : t("{task} (likely: {chance}%)", {task, chance});
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
    rules: () => t("By the rules."),
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
export function verdictWords(move, {kept, by, reply, why}, {goal, published}) {
  if (kept) {
    const replied = reply ? t("Reply: {move}.", {move: reply.text}) : "";
    const more = [replied, t("Your move again."), sourceWords(by)].filter(Boolean).join(" ");
    return {mark: "✓", head: t("{move} is right.", {move}), more};
  }
  if (kept === false) {
    const head = goal === "win" ? t("{move} does not win.", {move}) : t("{move} gives the draw away.", {move});
    const reasons = why.map(each => said(each));
    return {mark: "✗", head, more: [sourceWords(by), ...reasons, t("Try another move.")].join(" ")};
  }
  const head = goal === "win" ? t("{move} may keep the win.", {move}) : t("{move} may keep the draw.", {move});
  const other = published ? `${t("It is not the published move.")} ` : "";
  return {mark: "?", head, more: `${other}${t("kr can't tell. Try another move; this one does not count.")}`};
}

/** @param {string} move @param {Answer} answer @returns {Words} */
export function endWords(move, {solved, ended}) {
  const reason = ended ? said(ended) : "";
  return solved
    ? {mark: "✓", head: t("Solved!"), more: t("{move}: {reason}.", {move, reason})}
    : {mark: "✗", head: t("Not solved."), more: t("{reason}. Start again.", {reason: sentence(reason)})};
}

/** How many pieces a side has more than the other. @param {string} fen @param {Side} side */
function lead(fen, side) {
  const pieces = Object.values(placed(fen)),
    own = pieces.filter(piece => isOf(piece, side)).length;
  return 2 * own - pieces.length;
}

/**
 * Why a puzzle was solved: its line, what it has won, and what the value rests on.
 * @param {Puzzle} puzzle
 * @param {Answer} answer to the last move
 * @param {{texts: string[], fen: string}} line all moves, and the position after them
 */
export function whyWords({goal, solver, start, evidence}, {by, position}, {texts, fen}) {
  const gained = lead(fen, solver) - lead(start, solver),
    // an exchange that is under way has won nothing yet
    isQuiet = !position.moves.some(move => move.captured?.length);
  const proof = {
    database: goal === "win" ? t("It is won, by the endgame database.") : t("It is a draw, by the endgame database."),
    proved: goal === "win" ? t("That it is won is proved.") : t("That it is a draw is proved."),
    none: "",
  }[by === "database" ? by : evidence === "proved" ? evidence : "none"];
  return [
    texts.length > 1 ? t("The line: {moves}.", {moves: texts.join(" ")}) : "",
    gained > 0 && isQuiet ? t("It wins {pieces}.", {pieces: many(gained, "piece")}) : "",
    proof,
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * not: a wrong move that looks natural
 * @param {{square: number, by: Source, move?: BoardMove,
 *   not?: {move: string, reason: import("../texts.js").Sentence} | null}} hint
 * @returns {Words}
 */
export function hintWords({square, by, move, not}) {
  const why = not ? [t("Why not {move}? {reason}", {move: not.move, reason: said(not.reason)})] : [];
  return move
    ? {mark: "", head: t("{move} is right.", {move: move.text}), more: [sourceWords(by), ...why].join(" ")}
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
