// The page of lessons, a part of Learn: one task at a time on the board, men are moved, and the answer is kind. What
// the rules decide is answered by answers/lessons.js, the steps of courses are puzzles.

import {el} from "../dom.js";
import {iconButton} from "../icons.js";
import {Training} from "../learn/training.js";
import {endWords, hintWords, taskWords, verdictWords} from "../learn/state.js";
import {LinePage} from "../line/page.js";
import {pause} from "../line/view.js";
import {sound} from "../sounds.js";
import {t} from "../texts.js";
import {LessonsPanel} from "./panel.js";
import {afterWords, following, headWords, placeOf, ruleWords} from "./state.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Begun, Lessons as Listing} from "./state.js" */

/** @param {import("../shell.js").App} app */
export function page(app) {
  return new Lessons(app).page;
}

class Lessons extends LinePage {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    super(app, t("Board of the lesson"));
    this._training = new Training(app);
    /** @type {Listing | null} */
    this._lessons = null;
    this._id = ""; // of the task on the board
    /** @type {Begun | null} */
    this._task = null;
    this._step = 0; // of the hint: the piece, then the move
    this._over = this._busy = false;
    this._list = new LessonsPanel(this._training);
    this._about = el("p", {class: "about"}); // who plays for what
    this._hint = iconButton("hint", t("Hint"), () => this._showHint(), {key: "h", shown: true});
    this._again = iconButton("undo", t("Start again"), () => this._load(this._id), {key: "r", shown: true});
    this._next = iconButton("skip", t("Next step"), () => this._open(), {key: "n", shown: true});
    this.stage.offer([this._hint, this._again, this._next]);
    this.stage.board.onmove = move => this._play(move);
    this.stage.board.refuse = why => this._tell({mark: "", head: t("Not that way."), more: why});
    Object.assign(this.stage.keys, {
      h: () => this._hint.disabled || this._showHint(),
      n: () => this._open(),
      r: () => this._load(this._id),
    });
    this.page = this._made({
      name: "lessons",
      title: t("Lessons"),
      facts: el("div", {class: "name-row"}, this._about),
      panels: [
        {name: "lesson", title: t("Lesson"), element: null},
        {name: "lessons", title: t("All lessons"), element: this._list.element, show: () => this._list.reveal()},
      ],
    });
    this._showButtons();
  }

  get _place() {
    return this._lessons && placeOf(this._lessons, this._id);
  }

  // --- what is shown

  _showButtons() {
    this._hint.disabled = !this._task || this._over || this._busy;
    this._next.classList.toggle("primary", this._over);
  }

  _showList() {
    this._training.refresh();
    if (this._lessons) this._list.show(this._lessons, this._id);
  }

  /** @param {number[]} [stars] that are left */
  _showStars(stars = []) {
    this.stage.board.labels(Object.fromEntries(stars.map(square => [square, "★"])));
  }

  // --- tasks

  /** The next task that is not done. */
  _open() {
    if (!this._lessons) return;
    const next = following(this._lessons, this._id, this._training.all.steps);
    if (next) this.app.go("lessons", next.id);
    else this._tell({mark: "✓", head: t("All lessons are done."), more: ""});
  }

  /** What is asked about the moves on the board. @param {"start" | "answer" | "hint"} what @param {object} [more] */
  _ask(what, more = {}) {
    const room = this._place?.isRules ? "lessons" : "puzzles";
    return this.app.api(`${room}/${what}`, {id: this._id, ...more});
  }

  /** @param {string} id */
  _load(id) {
    if (!this._lessons) return;
    const place = placeOf(this._lessons, id);
    if (!place) {
      this._fail(new Error(t("There is no such lesson.")));
      return;
    }
    this._id = id;
    return this._change(
      () => this._ask("start"),
      (/** @type {Begun} */ task) => {
        this._task = task;
        this._headers = {Event: t(place.lesson.title)};
        this._over = this._busy = false;
        this._step = 0;
        this.page.element.classList.toggle("by-rules", place.isRules);
        this._about.textContent = place.isRules ? "" : taskWords(/** @type {any} */ (task));
        this.stage.tell(headWords(place), task.solver);
        this._tell({mark: "", head: t(place.task.say), more: task.stars?.map(square => `★ ${square}`).join(" ") ?? ""});
        this.stage.begin(task.start, task.moves, task.solver);
        this.stage.allow(task.position.moves);
        this._showStars(task.stars);
        this._showButtons();
        this._showList();
      },
    );
  }

  // --- moves

  /** @param {BoardMove} move */
  async _play(move) {
    const {stage, _task: task} = this,
      errand = this._tasks.current(),
      {length} = stage.line;
    if (!task) return;
    stage.play(move);
    this._busy = true;
    this._showButtons();
    try {
      const answer = await this._ask("answer", {moves: stage.line.texts});
      if (errand.isStale) return;
      if (answer.reply || !answer.kept) {
        await pause();
        if (errand.isStale) return;
      }
      this._judge(move, answer, length);
    } catch (error) {
      if (errand.isStale) return;
      stage.cut(length);
      this._fail(error);
    }
    this._busy = false;
    this._showButtons();
  }

  /**
   * @param {BoardMove} move
   * @param {any} answer of the rules, or of a puzzle
   * @param {number} length of the line before the move
   */
  _judge(move, answer, length) {
    const place = this._place,
      {stage, _task: task} = this;
    if (!place || !task) return;
    this._step = 0;
    if (place.isRules) this._tell(ruleWords(move, answer, place.task));
    else
      this._tell(
        answer.ended ? endWords(move.text, answer) : verdictWords(move.text, answer, /** @type {any} */ (task)),
      );
    if (!answer.kept) {
      stage.cut(length);
      sound("wrong");
      return;
    }
    if (answer.reply) stage.play(answer.reply);
    this._showStars(answer.stars);
    if (answer.solved) this._finish();
    else if (answer.ended) this._over = true;
    else {
      sound("right");
      stage.allow(answer.position.moves);
    }
  }

  _finish() {
    this._over = true;
    this._training.finishStep(this._id);
    sound("end");
    this._showList();
    const more = this._lessons ? afterWords(this._lessons, this._id, this._training.all.steps) : "";
    if (more) this._verdict.append(" ", el("p", {class: "why"}, more));
  }

  async _showHint() {
    const {stage} = this,
      errand = this._tasks.current(),
      texts = stage.line.texts.join();
    const isStale = () => errand.isStale || texts !== stage.line.texts.join();
    if (!stage.line.isLast) stage.go(stage.line.length);
    try {
      const hint = await this._ask("hint", {moves: stage.line.texts, whole: this._step > 0});
      if (isStale()) return;
      stage.mark(hint.move ? {arrows: [{path: hint.move.path, kind: "best"}]} : {squares: [hint.square]});
      this._tell(hintWords(hint));
      this._step = 1;
    } catch (error) {
      if (!isStale()) this._fail(error);
    }
  }

  // --- coming and going

  /** @override */
  _forget() {
    this._lessons = null;
  }

  /**
   * @override
   * @param {string} id of a task; "" for the next one
   * @param {import("../errands.js").Errand} entry
   */
  async _enter(id, entry) {
    if (!this._lessons) {
      const lessons = await this.app.api("lessons/list");
      if (entry.isStale) return;
      this._lessons = lessons;
    }
    this._training.refresh();
    this._showList();
    if (!id && this._id) this.app.go("lessons", this._id);
    else if (!id) this._open();
    else if (id !== this._id) await this._load(id);
  }
}
