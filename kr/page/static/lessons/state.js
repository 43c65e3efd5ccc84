// Lessons, in their order, and the words of those in which the rules are learnt. Nothing here touches the document.

import {t} from "../texts.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Side} from "../squares.js" */
/** @import {Words} from "../line/page.js" */
/** @typedef {{id: string, say: string}} Task say: what there is to do, in English */
/**
 * idea, proved: of a course. proved: sentences in English, and their numbers
 * @typedef {{
 *   id: string, title: string, tasks: Task[], idea?: string, proved?: {text: string, with: Record<string, number>}[],
 * }} Lesson
 */
/** @typedef {{rules: Lesson[], courses: Lesson[]}} Lessons */
/** A task as it is begun. @typedef {{
 *   start: string, moves: BoardMove[], solver: Side, stars?: number[], position: {moves: BoardMove[]},
 * }} Begun */
/**
 * The verdict on a move by the rules. why: in English
 * @typedef {{
 *   kept: boolean, why: string, reply: BoardMove | null, stars: number[], solved: boolean,
 *   position: {moves: BoardMove[]},
 * }} Answer
 */

/**
 * The lesson of a task, and its number in it.
 * @param {Lessons} lessons
 * @param {string} id
 */
export function placeOf({rules, courses}, id) {
  for (const lesson of [...rules, ...courses]) {
    const number = lesson.tasks.findIndex(task => task.id === id);
    if (number >= 0) return {lesson, number, task: lesson.tasks[number], isRules: rules.includes(lesson)};
  }
  return null;
}

/** @param {Lesson} lesson @param {readonly string[]} done */
export const isDone = ({tasks}, done) => tasks.every(({id}) => done.includes(id));

/**
 * The task after another one that is not done yet, else the first of all that is not; undefined if none is left.
 * @param {Lessons} lessons
 * @param {string} id "" for the first one
 * @param {readonly string[]} done
 */
export function following({rules, courses}, id, done) {
  const tasks = [...rules, ...courses].flatMap(lesson => lesson.tasks),
    here = tasks.findIndex(task => task.id === id);
  const isOpen = (/** @type {Task} */ task) => task.id !== id && !done.includes(task.id);
  return tasks.slice(here + 1).find(isOpen) ?? tasks.find(isOpen);
}

/** What stands above the board. @param {NonNullable<ReturnType<typeof placeOf>>} place */
export const headWords = ({lesson, number}) =>
  t("{title}: {number} of {all}", {title: t(lesson.title), number: number + 1, all: lesson.tasks.length});

/**
 * The answer to a move by the rules.
 * @param {BoardMove} move
 * @param {Answer} answer
 * @param {Task} task
 * @returns {Words}
 */
export function ruleWords(move, {kept, why, reply, solved}, {say}) {
  if (!kept) return {mark: "", head: t(why), more: t("Try again: {task}", {task: t(say)})};
  if (solved) return {mark: "✓", head: t("Well done!"), more: ""};
  const replied = reply ? t("Black plays {move}.", {move: reply.text}) : "";
  return {mark: "✓", head: t("{move}: good, go on.", {move: move.text}), more: `${replied} ${t(say)}`.trim()};
}

/**
 * What follows a task that is done.
 * @param {Lessons} lessons
 * @param {string} id
 * @param {readonly string[]} done
 */
export function afterWords(lessons, id, done) {
  const place = placeOf(lessons, id),
    next = following(lessons, id, done),
    to = next && placeOf(lessons, next.id);
  if (!to) return t("All lessons are done.");
  if (to.lesson === place?.lesson) return "";
  if (place?.isRules && !to.isRules)
    return t("You know the rules now: play a game, or go on with {title}.", {title: t(to.lesson.title)});
  return t("Next: {title}.", {title: t(to.lesson.title)});
}

/** @param {Lesson} lesson */
export const provedWords = ({proved = []}) => proved.map(claim => t(claim.text, claim.with));
