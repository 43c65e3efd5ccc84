// A person's games in figures: results by colour and opening, accuracy over time, kinds of mistakes, endings; and which
// mistakes stand behind each. A share or a mean is silent (null) where fewer than LEAST_GAMES games are behind it.
// Nothing here touches the document.

import {grouped} from "../review/summary.js";

/** @typedef {import("./game.js").GameFacts} GameFacts */
/** @typedef {import("./game.js").Slip} Slip */
/** A mistake and its game. @typedef {Slip & {id: string}} Puzzle */
/** score: of a hundred points; null without enough games. @typedef {{win: number, draw: number, loss: number,
 *   unknown: number, games: number, score: number | null}} Score */
/**
 * A mean with half the width of its 95% interval.
 * @typedef {{value: number, error: number, games: number}} Mean
 */
/** @typedef {{from: string, to: string, accuracy: Mean}} Period */

/** Least games behind a share or a mean. */
export const LEAST_GAMES = 5;
/** Most points of the course of the accuracy. */
const MOST_PERIODS = 12;
/** Kinds of mistakes, by what they are told from. @type {Record<"kind" | "turn" | "phase", readonly string[]>} */
export const KINDS = {
  kind: ["blunder", "mistake", "inaccuracy"],
  turn: ["thrown", "missed", "draw_lost", "fallen", "worse"],
  phase: ["shot", "opening", "middle", "ending"],
};

/** Themes of puzzles that train what a reason names. @type {Record<string, string>} */
export const THEMES = {
  shot: "shot",
  shot_missed: "shot",
  two_for_one: "two-for-one",
  two_for_one_missed: "two-for-one",
  breeches: "breeches",
  breeches_missed: "breeches",
  lost_ending: "only-move",
  drawn_ending: "only-move",
  draw_missed: "only-move",
  win_missed: "only-move",
  move_lost: "only-move",
  move_missed: "only-move",
  first_position: "first-position",
  first_position_missed: "first-position",
};

const summed = (/** @type {readonly number[]} */ numbers) => numbers.reduce((sum, each) => sum + each, 0);

/** @param {readonly GameFacts[]} games @returns {Score} */
export function scoreOf(games) {
  const count = (/** @type {string} */ result) => games.filter(each => each.result === result).length,
    [win, draw, loss] = ["win", "draw", "loss"].map(count),
    known = win + draw + loss;
  return {
    ...{win, draw, loss},
    unknown: games.length - known,
    games: games.length,
    score: known >= LEAST_GAMES ? (100 * (win + draw / 2)) / known : null,
  };
}

/**
 * Mean of some figures, one of each game; null of too few.
 * @param {readonly number[]} figures
 * @returns {Mean | null}
 */
export function meanOf(figures) {
  const {length: games} = figures;
  if (games < LEAST_GAMES) return null;
  const value = summed(figures) / games,
    variance = summed(figures.map(each => (each - value) ** 2)) / (games - 1);
  return {value, error: 1.96 * Math.sqrt(variance / games), games};
}

/** Accuracies of the games that have one. @param {readonly GameFacts[]} games */
const accuracies = games => games.map(({accuracy}) => accuracy).filter(each => each !== null);

/** The mistakes of some games that can be tried again. @param {readonly GameFacts[]} games @returns {Puzzle[]} */
const puzzlesOf = games => games.flatMap(({id, slips}) => slips.map(slip => ({id, ...slip})));

/** The one that gave away most. @param {readonly Puzzle[]} puzzles at least one */
export const worstOf = puzzles => puzzles.reduce((one, other) => ((other.loss ?? 0) > (one.loss ?? 0) ? other : one));

/** The worst of some mistakes that the database knows not to be lost before; null without one.
 * @param {readonly Puzzle[]} puzzles
 */
export function endingOf(puzzles) {
  const open = puzzles.filter(({value}) => value === "win" || value === "draw");
  return open.length ? worstOf(open) : null;
}

/** @param {readonly GameFacts[]} games */
const byColour = games =>
  ["black", "white"].map(side => ({side, ...scoreOf(games.filter(each => each.side === side))}));

/** Openings of each colour, those of most games first. @param {readonly GameFacts[]} games */
function byOpening(games) {
  const named = games.filter(({opening}) => opening);
  return [...grouped(named, ({side, opening}) => `${side} ${opening}`).values()]
    .map(some => ({
      name: some[0].opening,
      side: some[0].side,
      ...scoreOf(some),
      accuracy: meanOf(accuracies(some)),
      puzzles: puzzlesOf(some).filter(({phase}) => phase === "opening"),
    }))
    .sort((a, b) => b.games - a.games);
}

/**
 * Games in their order, cut into as many parts of equal number as each has enough for; none if that is fewer than two.
 * @param {readonly GameFacts[]} games with dates
 * @param {number} most parts
 * @returns {GameFacts[][]}
 */
function parts(games, most) {
  const count = Math.min(most, Math.floor(games.length / LEAST_GAMES)),
    sorted = [...games].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)),
    at = (/** @type {number} */ part) => Math.round((part * games.length) / count);
  if (count < 2) return [];
  return Array.from({length: count}, (_, part) => sorted.slice(at(part), at(part + 1)));
}

/** @param {readonly GameFacts[]} games of a part, in their order */
const span = games => ({from: games[0].date, to: games[games.length - 1].date});

/** @param {readonly GameFacts[]} games @returns {Period[]} */
function course(games) {
  const known = games.filter(({accuracy, date}) => accuracy !== null && date);
  return parts(known, MOST_PERIODS).map(some => ({
    ...span(some),
    accuracy: /** @type {Mean} */ (meanOf(accuracies(some))),
  }));
}

/**
 * What kinds of mistakes there are in reviewed games: of each how many a game, in all and in the earlier and the later
 * half of those with a date.
 * @param {readonly GameFacts[]} reviewed
 */
function byKind(reviewed) {
  const halves = parts(
      reviewed.filter(({date}) => date),
      2,
    ),
    puzzles = puzzlesOf(reviewed),
    aGame = (/** @type {readonly GameFacts[]} */ games, /** @type {(slip: Slip) => boolean} */ isSuch) =>
      games.length < LEAST_GAMES ? null : summed(games.map(({slips}) => slips.filter(isSuch).length)) / games.length;
  // what goes wrong most comes first, what nobody knows last
  const reasons = [...grouped(puzzles, ({why}) => why)]
    .sort(([one, some], [other, others]) => Number(!one) - Number(!other) || others.length - some.length)
    .map(([name]) => name);
  const kinds = Object.entries({why: reasons, ...KINDS}).flatMap(([field, names]) =>
    names.map(name => {
      const isSuch = (/** @type {Slip} */ slip) => slip[/** @type {"kind"} */ (field)] === name;
      return {
        field,
        name,
        puzzles: puzzles.filter(isSuch),
        rate: aGame(reviewed, isSuch),
        halves: halves.map(games => aGame(games, isSuch)),
      };
    }),
  );
  return {
    kinds: kinds.filter(each => each.puzzles.length),
    halves: halves.map(games => ({...span(games), games: games.length})),
  };
}

/** Endings that were reached, those of most games first. @param {readonly GameFacts[]} games */
function byEnding(games) {
  const reached = games.flatMap(game => game.endings.map(ending => ({game, ending})));
  return [...grouped(reached, ({ending}) => ending.name).entries()]
    .map(([name, some]) => {
      const from = (/** @type {string} */ value) => {
        const such = some.filter(({ending}) => ending.value === value),
          of = (/** @type {boolean} */ isHeld) => such.filter(({ending}) => ending.isHeld === isHeld).length;
        return {games: such.length, held: of(true), spoiled: of(false)};
      };
      return {
        name,
        games: new Set(some.map(({game}) => game.id)).size,
        ...{won: from("win"), drawn: from("draw"), lost: from("loss").games},
        puzzles: some.flatMap(({game: {id, slips}, ending: {from: first, to}}) =>
          slips.filter(({ply}) => ply > first && ply <= to).map(slip => ({id, ...slip})),
        ),
      };
    })
    .sort((a, b) => b.games - a.games);
}

/**
 * All figures of a person.
 * @param {readonly GameFacts[]} games
 */
export function figuresOf(games) {
  const reviewed = games.filter(({isReviewed}) => isReviewed),
    unnamed = games.filter(({opening}) => !opening).length;
  return {
    games: games.length,
    reviewed: reviewed.length,
    undated: games.filter(({date}) => !date).length,
    unnamed,
    all: scoreOf(games),
    accuracy: meanOf(accuracies(reviewed)),
    colours: byColour(games),
    openings: byOpening(games),
    course: course(reviewed),
    ...byKind(reviewed),
    endings: byEnding(games),
    puzzles: puzzlesOf(reviewed),
  };
}

/** @typedef {ReturnType<typeof figuresOf>} Figures */
