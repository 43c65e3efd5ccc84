// Lessons by moving men, where the rules alone decide (kr/problems/rules.json), and the list of all lessons: those and
// the courses, whose steps are puzzles (puzzles.js).
//
// A task is done once a move reaches its goal: all stars, so many pieces taken at once, a crowned man, a win, a draw by
// repetition. A legal move after which that can't be done any more, within the moves of the task, is told by its
// sentence `otherwise` and taken back. Where the other side has no piece, only the learner moves; else it replies with
// the first legal one of `replies`, or the first of all.
//
// lessons/list {} -> {"rules": [{id, title, tasks: [{id, say}]}, ...], "courses": [...]}
// lessons/start {"id": "moving/1"} -> as puzzles/start, and the stars
// lessons/answer {"id", "moves"} -> as puzzles/answer, and the stars that are left
// lessons/hint {"id", "moves", "whole": false} -> as puzzles/hint

import {countOf} from "./notation.js";
import {drawByRule, moveJson, Position, sideName} from "./rules.js";
import {Refused} from "./text.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {"stars" | "take" | "crown" | "win" | "draw"} Goal */
/**
 * moves: the most that the learner makes
 * @typedef {{
 *   fen: string, say: string, goal: Goal, moves: number, stars?: number[], take?: number, replies?: string[],
 *   otherwise?: string,
 * }} Task
 */
/** @typedef {{id: string, title: string, tasks: Task[]}} Lesson */
/**
 * Before a move of the learner, or at the end. before: earlier positions; stars: those that are left; reply: the last
 * move of the other side
 * @typedef {{
 *   position: Position, before: Position[], stars: number[], moves: number, isDone: boolean, reply: Move | null,
 * }} State
 */

/** Moves of a try, more than any task takes. */
const LONGEST_TRY = 20;

/** @param {Task} task @returns {State} */
const begun = ({fen, stars = []}) => ({
  position: Position.fromFen(fen),
  before: [],
  stars,
  moves: 0,
  isDone: false,
  reply: null,
});

/**
 * After a move of the learner, and the reply to it.
 * @param {Task} task
 * @param {State} state
 * @param {Move} move
 * @returns {State}
 */
function played(task, {position, before, stars, moves}, move) {
  const next = position.play(move),
    isKing = ((position.kings >>> move.origin) & 1) === 1,
    left = stars.filter(star => star !== move.target + 1);
  const isDone = {
    stars: !left.length,
    take: countOf(move.captured) >= (task.take ?? 0),
    crown: !isKing && ((next.kings >>> move.target) & 1) === 1,
    win: next.isOver,
    draw: false,
  }[task.goal];
  const state = {position: next, before: [...before, position], stars: left, moves: moves + 1, isDone, reply: null};
  if (!next.own) return {...state, position: next.withSide(position.side)};
  return isDone || next.isOver ? state : replied(task, state);
}

/** @param {Task} task @param {State} state @returns {State} */
function replied({goal, replies = []}, {position, before, ...state}) {
  const legal = position.legalMoves(),
    reply = replies.map(text => legal.find(move => String(move) === text)).find(Boolean) ?? legal[0],
    after = position.play(reply),
    earlier = [...before, position];
  const isDone = goal === "draw" && Boolean(drawByRule(after, earlier));
  return {...state, position: after, before: earlier, reply, isDone};
}

/**
 * A move by which the task can still be done; null if there is none.
 * @param {Task} task
 * @param {State} state
 * @returns {Move | null}
 */
function rightMove(task, state) {
  if (state.moves >= task.moves) return null;
  const moves = state.position.legalMoves().map(move => ({move, after: played(task, state, move)}));
  const step = moves.find(({after}) => after.isDone) ?? moves.find(({after}) => rightMove(task, after));
  return step?.move ?? null;
}

/** Squares 1-32, and what is legal; the learner is to move again where nobody else is. @param {State} state */
function shown({position, isDone}) {
  const isAlone = !position.withSide(1 - position.side).own;
  const after = (/** @type {Move} */ move) => {
    const next = position.after(move);
    return (isAlone ? next.withSide(position.side) : next).fen;
  };
  const moves = isDone ? [] : position.legalMoves().map(move => ({...moveJson(move), fen: after(move)}));
  return {fen: position.fen, side: sideName(position.side), moves};
}

// --- requests

/** @param {House} house @returns {Promise<Lesson[]>} */
const lessonsOf = async house => (await house.data("rules")).lessons;

/** @param {House} house @param {PageRequest} request @returns {Promise<Task>} */
async function taskOf(house, request) {
  const name = request.text("id"),
    [id, number] = name.split("/"),
    task = (await lessonsOf(house)).find(lesson => lesson.id === id)?.tasks[Number(number) - 1];
  if (!task) throw new Refused("refused.no_puzzle", {name});
  return task;
}

/** All lessons. @param {House} house */
async function listLessons(house) {
  const [rules, {courses}] = await Promise.all([lessonsOf(house), house.data("puzzles")]);
  return {
    rules: rules.map(({id, title, tasks}) => ({
      id,
      title,
      tasks: tasks.map(({say}, place) => ({id: `${id}/${place + 1}`, say})),
    })),
    courses: courses.map((/** @type {import("./puzzles.js").Course} */ {id, title, idea, proved, steps}) => ({
      id,
      title,
      idea,
      proved,
      tasks: steps.map(step => ({id: step.id, say: step.plan})),
    })),
  };
}

/** A task before its first move. @param {House} house @param {PageRequest} request */
async function startTask(house, request) {
  const state = begun(await taskOf(house, request)),
    {position, stars} = state;
  return {start: position.fen, moves: [], solver: sideName(position.side), stars, position: shown(state)};
}

/** The task and its state before the last move, with that move; undefined if there is none yet.
 * @param {House} house @param {PageRequest} request
 */
async function stateOf(house, request) {
  const task = await taskOf(house, request),
    texts = request.texts("moves", LONGEST_TRY, 100);
  let state = begun(task),
    before = state;
  // of the texts, those of the learner: the replies follow from them
  for (let ply = 0; ply < texts.length; ply += state.reply ? 2 : 1) {
    before = state;
    state = played(task, state, state.position.parseMove(texts[ply]));
  }
  return {task, before, state};
}

/** The verdict on the last move. @param {House} house @param {PageRequest} request */
async function answerTask(house, request) {
  const {task, before, state} = await stateOf(house, request),
    {isDone, reply, stars} = state,
    isKept = isDone || Boolean(rightMove(task, state));
  if (!isKept) return {kept: false, why: task.otherwise, reply: null, stars: before.stars, position: shown(before)};
  const json = reply && {...moveJson(reply), fen: state.position.fen};
  return {kept: true, why: "", reply: json, stars, position: shown(state), solved: isDone};
}

/** A right move, or only its piece. @param {House} house @param {PageRequest} request */
async function hintTask(house, request) {
  const {task, state} = await stateOf(house, request),
    move = rightMove(task, state);
  if (!move) throw new Refused("refused.not_to_move", {side: sideName(state.position.side)});
  return {square: move.origin + 1, by: "rules", ...(request.flag("whole") && {move: moveJson(move)})};
}

export const ROUTES = {
  "lessons/list": listLessons,
  "lessons/start": startTask,
  "lessons/answer": answerTask,
  "lessons/hint": hintTask,
};
