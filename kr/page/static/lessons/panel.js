// The list of lessons: the rules, then structures and endings, each with what is done of it on this device.

import {el} from "../dom.js";
import {t} from "../texts.js";
import {isDone, placeOf, provedWords} from "./state.js";

/** @import {Training} from "../learn/training.js" */
/** @import {Lesson, Lessons} from "./state.js" */

export class LessonsPanel {
  /** @param {Training} training */
  constructor(training) {
    this._training = training;
    this.element = el("section", {class: "lesson-list"});
  }

  /**
   * @param {Lessons} lessons
   * @param {string} [current] id of the task on the board
   */
  show(lessons, current = "") {
    const hadFocus = this.element.contains(document.activeElement),
      here = placeOf(lessons, current)?.lesson;
    const item = (/** @type {Lesson} */ lesson) => this._lesson(lesson, lesson === here, current);
    this.element.replaceChildren(
      el("h2", null, t("The rules, by moving men")),
      ...lessons.rules.map(item),
      el("h2", null, t("Structures and endings")),
      ...lessons.courses.map(item),
    );
    if (hadFocus) /** @type {HTMLElement | null} */ (this.element.querySelector("[aria-current]"))?.focus();
    this.reveal();
  }

  /** Brings the lesson on the board into sight. */
  reveal() {
    const open = this.element.querySelector("details[open]"),
      panel = this.element.parentElement;
    if (open && panel) panel.scrollTop += open.getBoundingClientRect().top - panel.getBoundingClientRect().top;
  }

  /**
   * @param {Lesson} lesson
   * @param {boolean} open
   * @param {string} current
   */
  _lesson(lesson, open, current) {
    const {steps} = this._training.all,
      {tasks} = lesson,
      done = tasks.filter(task => steps.includes(task.id)).length,
      proved = provedWords(lesson);
    const items = tasks.map((task, i) => {
      const has = steps.includes(task.id),
        number = i + 1;
      return el(
        "li",
        null,
        el(
          "a",
          {
            href: `#lessons/${task.id}`,
            "aria-label": has ? t("Step {number}, done", {number}) : t("Step {number}", {number}),
            "aria-current": task.id === current && "step",
            class: has ? "step done" : "step",
          },
          has ? `${number} ✓` : String(number),
        ),
      );
    });
    return el(
      "details",
      {open},
      el(
        "summary",
        {class: isDone(lesson, steps) ? "done" : ""},
        el("span", {class: "name"}, t(lesson.title)),
        " ",
        el("span", {class: "muted"}, t("{done} of {all} steps", {done, all: tasks.length})),
      ),
      ...(lesson.idea ? [el("p", null, t(lesson.idea))] : []),
      ...(proved.length
        ? [el("p", {class: "proved"}, el("b", null, t("Proved by kr's endgame database:")), ` ${proved.join(" ")}`)]
        : []),
      el("ol", {class: "lesson-steps"}, items),
    );
  }
}
