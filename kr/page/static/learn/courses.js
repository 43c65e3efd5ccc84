// The panel "Courses" of the page Learn: endings to learn, step by step.

import {button, el} from "../dom.js";
import {t} from "../texts.js";

/** @import {Course} from "./state.js" */
/** @import {Training} from "./training.js" */

export class CoursesPanel {
  /**
   * @param {Training} training
   * @param {(id: string) => void} open
   */
  constructor(training, open) {
    this._training = training;
    this._open = open;
    this.element = el("section", {class: "courses"});
  }

  /**
   * @param {Course[]} courses
   * @param {string} current id of the step on the board
   */
  show(courses, current) {
    const hadFocus = this.element.contains(document.activeElement);
    const opened = new Set([...this.element.querySelectorAll("details[open]")].map(each => each.id));
    this.element.replaceChildren(
      ...courses.map(course => {
        const id = `course-${course.id}`,
          isCurrent = course.steps.some(step => step.id === current);
        return this._course(course, id, isCurrent || opened.has(id), current);
      }),
    );
    if (hadFocus) /** @type {HTMLElement | null} */ (this.element.querySelector("[aria-current]"))?.focus();
  }

  /**
   * @param {Course} course
   * @param {string} id
   * @param {boolean} open
   * @param {string} current
   */
  _course({title, idea, steps}, id, open, current) {
    const done = steps.filter(step => this._training.all.steps.includes(step.id)).length,
      words = t("{done} of {all} steps", {done, all: steps.length});
    const items = steps.map((step, i) => {
      const isDone = this._training.all.steps.includes(step.id);
      return el(
        "li",
        null,
        button(isDone ? `${i + 1} ✓` : String(i + 1), () => this._open(step.id), {
          "aria-label": isDone ? t("Step {number}, done", {number: i + 1}) : t("Step {number}", {number: i + 1}),
          "aria-current": step.id === current && "step",
          class: isDone && "done",
        }),
      );
    });
    return el(
      "details",
      {id, open},
      el("summary", null, el("span", {class: "name"}, t(title)), " ", el("span", {class: "muted"}, words)),
      el("p", null, t(idea)),
      el("ol", {class: "course-steps"}, items),
    );
  }
}
