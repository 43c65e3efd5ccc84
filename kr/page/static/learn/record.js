// The panel "Progress" of the page Learn: the rating and its curve, what has been solved, and all of it as a file.

import {filePicker} from "../controls.js";
import {button, el, svg} from "../dom.js";
import {download} from "../send.js";
import {formatted, t} from "../texts.js";
import {counted, progressWords, ratingWords, streakWords} from "./state.js";
import {uncertainty} from "./training.js";

/** @import {Listed} from "./state.js" */
/** @import {Training} from "./training.js" */

const MOST_FILE = 10_000_000; // bytes of progress
const WIDTH = 300,
  HEIGHT = 90,
  LEAST_SPAN = 200; // of the ratings on the curve

export class RecordPanel {
  /**
   * @param {import("../shell.js").App} app
   * @param {Training} training
   * @param {{
   *   loaded: () => void, run: (kind: import("./challenge.js").Kind) => void,
   *   best: (kind: import("./challenge.js").Kind) => number,
   * }} acts loaded: another progress has been read from a file
   */
  constructor(app, training, {loaded, run, best}) {
    this._app = app;
    this._training = training;
    this._loaded = loaded;
    this._shown = el("div", {class: "solved"});
    this._best = best;
    this._runs = {streak: el("span", {class: "muted"}), minutes: el("span", {class: "muted"})};
    const chosen = filePicker(".json,application/json", file => this._load(file));
    this.element = el(
      "section",
      null,
      el(
        "div",
        {class: "runs-of-puzzles"},
        button(t("Streak"), () => run("streak")),
        el("span", null, t("Ever harder wins, until the first miss."), " ", this._runs.streak),
        button(t("Three minutes"), () => run("minutes")),
        el("span", null, t("As many wins as you can."), " ", this._runs.minutes),
      ),
      this._shown,
      el(
        "div",
        {class: "row"},
        button(t("Save progress"), () => this._save()),
        button(t("Load progress"), () => chosen.click()),
        chosen,
      ),
    );
  }

  _save() {
    download("kr-learn.json", JSON.stringify(this._training.all), "application/json");
  }

  /** @param {File} file */
  async _load(file) {
    try {
      if (file.size > MOST_FILE || !this._training.replace(JSON.parse(await file.text()))) throw new Error();
      this._app.say(t("The progress of {name} is loaded", {name: file.name}));
      this._loaded();
    } catch {
      this._app.fail(
        t("{name} has no progress: choose a file that Save progress or kr learn has made", {name: file.name}),
      );
    }
  }

  /**
   * @param {Listed[]} puzzles
   * @param {{day: number, streak: number}} now streak: puzzles solved in a row without a wrong move or a hint
   */
  show(puzzles, {day, streak}) {
    const training = this._training;
    const counts = counted(puzzles, training);
    for (const [kind, place] of /** @type {["streak" | "minutes", HTMLElement][]} */ (Object.entries(this._runs)))
      place.textContent = t("Best: {best}", {best: this._best(kind) || "–"});
    /** @type {Array<[string, Listed[]]>} */
    const groups = [
      [t("Wins"), puzzles.filter(each => each.goal === "win")],
      [t("Draws"), puzzles.filter(each => each.goal === "draw")],
      [t("Problem files"), puzzles.filter(each => each.origin === "own")],
    ];
    const days = streakWords(training.streak(day));
    this._shown.replaceChildren(
      this._rating(training, day),
      ...progressWords(counts).map(text => el("p", null, text)),
      ...(streak > 1
        ? [el("p", {class: "streak"}, t("{count} in a row without a wrong move or a hint.", {count: streak}))]
        : []),
      ...(days ? [el("p", {class: "muted"}, `${t("Puzzle of the day")}: ${days}`)] : []),
      ...groups.filter(([, some]) => some.length).map(([name, some]) => bar(name, counted(some, training))),
    );
  }

  /** @param {Training} training @param {number} day */
  _rating(training, day) {
    const {curve} = training.all;
    if (!curve.length) return el("p", null, t("Solve a puzzle that has a rating, and yours begins here."));
    return el(
      "div",
      {class: "own-rating"},
      el("p", null, `${t("Your rating")} `, el("strong", null, ratingWords(training.ratingOn(day)))),
      el(
        "p",
        {class: "muted"},
        t("You can expect to solve every second puzzle of this rating at once; ± is its 95% uncertainty."),
      ),
      ...(curve.length > 1 ? [drawn(curve)] : []),
    );
  }
}

/**
 * The curve of the rating, day by day, within its uncertainty.
 * @param {[number, number, number][]} curve
 */
function drawn(curve) {
  const points = curve.map(([day, rating, deviation]) => ({day, rating, error: uncertainty({rating, deviation})}));
  const highest = Math.max(...points.map(({rating, error}) => rating + error)),
    lowest = Math.min(...points.map(({rating, error}) => rating - error)),
    span = Math.max(highest - lowest, LEAST_SPAN),
    days = Math.max(points[points.length - 1].day - points[0].day, 1);
  const x = (/** @type {number} */ day) => (WIDTH * (day - points[0].day)) / days,
    y = (/** @type {number} */ rating) => HEIGHT - (HEIGHT * (rating - lowest)) / span;
  const at = (/** @type {number} */ day, /** @type {number} */ rating) =>
    `${x(day).toFixed(1)} ${y(rating).toFixed(1)}`;
  const upper = points.map(({day, rating, error}) => at(day, rating + error)),
    lower = points.map(({day, rating, error}) => at(day, rating - error)).reverse();
  const [first, last] = [points[0], points[points.length - 1]],
    words = t("Your rating, from {first} to {last}", {first: Math.round(first.rating), last: Math.round(last.rating)});
  return svg(
    "svg",
    {class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words, preserveAspectRatio: "none"},
    svg("path", {class: "band", d: `M${[...upper, ...lower].join("L")}Z`}),
    svg("path", {class: "course", d: `M${points.map(({day, rating}) => at(day, rating)).join("L")}`}),
  );
}

/**
 * @param {string} name
 * @param {{all: number, solved: number}} counts
 */
function bar(name, {all, solved}) {
  const words = t("{solved} of {all}", {solved: formatted(solved), all: formatted(all)});
  return el(
    "p",
    {class: "solved-bar"},
    el("span", null, name),
    el("progress", {max: all, value: solved, "aria-label": `${name}: ${words}`}),
    el("span", {class: "muted"}, words),
  );
}
