// "Learn from your mistakes": the board stands before a mistake, and the person looks for a better move. The game stays
// as it is: a move that is tried is shown on the board alone.

import {button, el} from "../dom.js";
import {kindName} from "../graph.js";
import {visible} from "../escapes.js";
import {t} from "../texts.js";
import {Lesson, isRight} from "./state.js";
import {worth} from "./stream.js";
import {lineText} from "./view.js";

/** @typedef {import("../shell.js").App} App */

export class Practice {
  /**
   * @param {App} app
   * @param {{onend: () => void}} hears onend: the person has left
   */
  constructor(app, {onend}) {
    this._app = app;
    this._onend = onend;
    /** @type {Lesson | null} */
    this.lesson = null;
    this._moving = false;
    /** The node that was shown before. @type {any} */
    this._from = null;
    /** @type {Array<() => void>} */
    this._stops = [];
    /** The worth of the best move, once it is asked for. @type {Promise<number> | null} */
    this._best = null;
    this._heading = el("h2", null);
    this._said = el("p", {role: "status"});
    this._answer = button(t("Show the answer"), () => this._show());
    this._next = button(t("Next mistake"), () => this._go(), {class: "primary"});
    this._again = button(t("Try again"), () => this._retry());
    this._leave = button(t("Leave"), () => this.end(this._from));
    this.element = el(
      "div",
      {class: "practice", hidden: true},
      this._heading,
      this._said,
      el("div", {class: "row"}, this._again, this._answer, this._next, this._leave),
    );
    for (const change of ["node", "edit", "game"]) app.tree.on(change, () => this._left(change));
  }

  /** @param {import("./state.js").Mark[]} mistakes */
  begin(mistakes) {
    this.lesson = new Lesson(mistakes);
    this._from = this._app.tree.node;
    this.element.hidden = false;
    this._app.trial = (/** @type {any} */ move) => this._try(move);
    this._app.practise(true, mistakes[0].side);
    this._place();
  }

  /**
   * Leaves the game as it is.
   * @param {any} node to show then
   */
  end(node = this._app.tree.node) {
    if (!this.lesson) return;
    this.lesson = null;
    this._stop();
    this.element.hidden = true;
    this._app.trial = null;
    this._app.practise(false);
    this._app.tree.select(node);
    this._onend();
  }

  _stop() {
    for (const stop of this._stops) stop();
    this._stops = [];
    this._best = null;
  }

  // a step through the game, another game and a change of this one leave it
  /** @param {string} change */
  _left(change) {
    if (!this.lesson || this._moving) return;
    if (change === "node" && this.lesson.step !== "over" && this._app.tree.node === this.lesson.before) return;
    this.end();
  }

  // the board stands before the mistake
  _place() {
    const {lesson} = this;
    if (!lesson) return;
    this._moving = true;
    this._app.tree.select(lesson.before);
    this._moving = false;
    this._app.board.arrows([]);
    this._tell();
    this._app.board.element.querySelector("[tabindex='0']")?.focus({preventScroll: true});
  }

  /** @param {string} [said] in place of what its step says */
  _tell(said) {
    const {lesson} = this;
    if (!lesson) return;
    const over = lesson.step === "over",
      {index, mistakes} = lesson;
    this._heading.textContent = over
      ? t("Learn from your mistakes")
      : t("Mistake {number} of {total}", {number: index + 1, total: mistakes.length});
    this._said.textContent = said ?? this._words(lesson);
    this._answer.hidden = over || !lesson.isOpen;
    this._again.hidden = lesson.step !== "wrong";
    this._next.hidden = over || (lesson.step !== "right" && lesson.step !== "shown");
    this._next.textContent = index + 1 < mistakes.length ? t("Next mistake") : t("To the result");
    this._leave.textContent = over ? t("Done") : t("Leave");
  }

  /** @param {Lesson} lesson */
  _words(lesson) {
    if (lesson.step === "over") return lesson.result();
    const {point, line, side} = lesson.mark,
      move = visible(point.label),
      better = visible(line.text);
    if (lesson.step === "asking") {
      const kind = kindName(point.kind);
      return side === "black"
        ? t("{move} was played here ({kind}). Find a better move for Black.", {move, kind})
        : t("{move} was played here ({kind}). Find a better move for White.", {move, kind});
    }
    if (lesson.step === "checking") return t("Looking at that move…");
    if (lesson.step === "right") return t("Right. The line: {moves}", {moves: lineText(line)});
    return t("{better} was better: {moves}", {better, moves: lineText(line)});
  }

  /**
   * A move on the board; gives true if it was taken as an answer.
   * @param {any} move
   */
  _try(move) {
    const {lesson} = this;
    if (!lesson || this._app.tree.node !== lesson.before) return false;
    if (!lesson.isOpen) return true;
    this._app.board.show(move.fen, {last: move.path, animate: true});
    const known = lesson.known(move);
    if (known === null) void this._check(lesson, move);
    else this._judge(lesson, move, known, known ? "" : t("{move} is what was played.", {move: visible(move.text)}));
    return true;
  }

  /**
   * @param {Lesson} lesson
   * @param {any} move
   */
  async _check(lesson, move) {
    const {mark} = lesson,
      replay = this._app.tree.replay(lesson.before);
    lesson.check();
    this._tell();
    const search = (/** @type {string} */ text) => {
      const {result, stop} = worth(this._app, replay, text);
      this._stops.push(stop);
      return result;
    };
    const isHere = () => this.lesson === lesson && lesson.mark === mark && lesson.step === "checking";
    try {
      this._best ??= search(mark.line.text);
      const [best, own] = await Promise.all([this._best, search(move.text)]);
      if (!isHere()) return;
      const said = t("{move} gives away {loss} in 100.", {
        move: visible(move.text),
        loss: Math.round(100 * Math.max(best - own, 0)),
      });
      this._judge(lesson, move, isRight(own, best), said);
    } catch (error) {
      if (!isHere()) return;
      this._best = null;
      lesson.retry();
      this._place();
      this._app.fail(error);
    }
  }

  /**
   * @param {Lesson} lesson
   * @param {any} move
   * @param {boolean} right
   * @param {string} why it is not
   */
  _judge(lesson, move, right, why) {
    lesson.verdict(right);
    const better = visible(lesson.mark.line.text);
    if (!right) this._tell(t("Not that: {why} Try again.", {why}));
    else if (move.fen === lesson.mark.line.fen) this._tell();
    else this._tell(t("Right: {move} is as good as {better}.", {move: visible(move.text), better}));
    (right ? this._next : this._again).focus({preventScroll: true});
  }

  _retry() {
    this._place();
  }

  _show() {
    const {lesson} = this;
    if (!lesson?.isOpen) return;
    const {line} = lesson.mark;
    lesson.show();
    this._app.board.show(line.fen, {last: line.path, animate: true});
    this._app.board.arrows([{path: line.path, kind: "better"}]);
    this._tell();
    this._next.focus({preventScroll: true});
  }

  _go() {
    const {lesson} = this;
    if (!lesson) return;
    this._stop();
    lesson.next();
    if (lesson.step !== "over") {
      this._place();
      return;
    }
    this._tell();
    this._leave.focus({preventScroll: true});
  }
}
