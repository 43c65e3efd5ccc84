// How far the reviews in the background are, with what pauses and ends them.

import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {many, t} from "../texts.js";

/** @typedef {import("./job.js").Job} Job */

export class ReviewsView {
  /** @param {Job} job */
  constructor(job) {
    this._job = job;
    this._bar = /** @type {HTMLProgressElement} */ (el("progress", {"aria-label": t("Games reviewed")}));
    this._words = el("p", {class: "muted"});
    this._pause = button("", () => job.pause(!job.reviews.all.paused));
    this._cancel = button(t("Give up the rest"), () => job.cancel());
    this._faults = el("details", {class: "faults", hidden: true});
    this.element = el(
      "section",
      {class: "reviews", "aria-label": t("Reviews in the background"), hidden: true},
      el("h2", null, t("Reviews in the background")),
      this._bar,
      this._words,
      el("div", {class: "row"}, this._pause, this._cancel),
      this._faults,
    );
    /** @type {(() => void) | null} */
    this._end = null;
  }

  show() {
    this._end ??= this._job.onchange(() => this._draw());
    this._draw();
  }

  hide() {
    this._end?.();
    this._end = null;
  }

  _draw() {
    const {reviews, work} = this._job,
      {total, paused, faults} = reviews.all;
    this.element.hidden = !total || (reviews.isOver && !faults.length);
    this._bar.max = total || 1;
    // games count alike; of the one in hand its moves
    this._bar.value = reviews.done + (work.isHere && work.moves ? Math.min(work.judged / work.moves, 1) : 0);
    this._words.textContent = [reviews.words(), this._state()].filter(Boolean).join(". ");
    this._pause.textContent = paused ? t("Go on") : t("Pause");
    this._pause.classList.toggle("primary", paused);
    this._pause.hidden = this._cancel.hidden = this._bar.hidden = reviews.isOver;
    this._faults.hidden = !faults.length;
    if (this._faults.childElementCount && this._shown === faults.length) return;
    this._shown = faults.length;
    this._faults.replaceChildren(
      el("summary", null, t("{games} could not be reviewed", {games: many(faults.length, "game")})),
      el("ul", null, ...faults.map(({name, why}) => el("li", null, visible(`${name}: ${why}`)))),
    );
  }

  _state() {
    const {reviews, work} = this._job;
    if (reviews.isOver) return "";
    if (reviews.all.paused) return t("Paused");
    if (!work.isHere) return t("Another window does the work");
    return t("Searches on the board go first");
  }
}
