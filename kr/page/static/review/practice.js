// From moment to moment of a reviewed game: the board stops before a mistake, and the person looks for a better move.
// The game stays as it is: what is tried or told is shown on the board alone.

import {tellIn} from "../aloud.js";
import {button, el, unbroken} from "../dom.js";
import {kindName, refutationOf} from "../graph.js";
import {visible} from "../escapes.js";
import {actions} from "../send.js";
import {sound} from "../sounds.js";
import {t} from "../texts.js";
import {turnName, turnOf} from "../turns.js";
import {Tour, question, stepsFrom, verdictText, worthsOf} from "./moments.js";
import {tried} from "./stream.js";
import {Variations} from "./variations.js";
import {chancesText, reasonsView, storyView, whyView} from "./view.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./moments.js").Moment} Moment */
/** @typedef {import("./moments.js").Trial} Trial */
/**
 * Moments of several games, one after another: of this one number and all of them, and who hears what became of it as
 * the next is wanted, or that the person leaves.
 * @typedef {{
 *   number: number, total: number, you: import("./state.js").Side, next: (outcome: string) => void, leave: () => void,
 * }} Series
 */

export class Practice {
  /**
   * @param {App} app
   * @param {import("./state.js").Review} review
   * @param {{onend: () => void}} hears onend: the person has left
   */
  constructor(app, review, {onend}) {
    this._app = app;
    this._review = review;
    this._onend = onend;
    /** @type {Tour | null} */
    this.tour = null;
    /** @type {Series | null} */
    this._series = null;
    this._moving = false;
    /** The node that was shown before. @type {any} */
    this._from = null;
    /** What was asked of the engine at this moment, by the position after the move. */
    this._asked = /** @type {Map<string, ReturnType<typeof tried>>} */ (new Map());
    this._heading = el("h2", null);
    this._said = el("p", {role: "status"});
    this._reasons = el("div");
    this._more = el("div");
    this._lines = new Variations(step => {
      app.board.arrows([]);
      app.board.show(step.fen, {last: step.path, animate: true});
    });
    this._answer = button(t("Show it"), () => this._show(), {"aria-keyshortcuts": "s"});
    this._next = button(t("Next moment"), () => this._go(), {"aria-keyshortcuts": "n"});
    this._again = button(t("Try again"), () => this._retry());
    this._leave = button(t("Leave"), () => this._end());
    const [link] = actions(/** @type {any} */ (app)).filter(({name}) => name === "copy-link");
    this._link = button(link.label, link.act, {title: t("This moment as an address")});
    this.element = el(
      "div",
      {class: "practice", hidden: true},
      this._heading,
      this._said,
      el("div", {class: "row"}, this._again, this._answer, this._next, this._leave, this._link),
      this._reasons,
      this._lines.element,
      this._more,
    );
    for (const change of ["node", "edit", "game"]) app.tree.on(change, () => this._left(change));
    this._press = (/** @type {KeyboardEvent} */ event) => this._hear(event);
  }

  /** The move of the moment that is shown; null if none is. */
  get moment() {
    return this.tour && this.tour.stage !== "over" ? this.tour.moment.node : null;
  }

  /**
   * @param {Moment[]} moments
   * @param {number} index of the first
   * @param {Series | null} [series] that this is one of
   */
  begin(moments, index, series = null) {
    this._series = series;
    const sides = new Set(moments.map(({side}) => side)),
      shown = this._app.board.flipped ? "black" : "white";
    this.tour = new Tour(moments, index);
    this._from = this._app.tree.node;
    this.element.hidden = false;
    this._app.trial = (/** @type {any} */ move) => this._try(move);
    // before the page's own keys
    document.addEventListener("keydown", this._press, true);
    this._app.practise(true, this._you ?? (sides.size > 1 ? shown : moments[0].side));
    this._place();
  }

  /**
   * Leaves the game as it is.
   * @param {any} node to show then
   */
  end(node = this._app.tree.node) {
    if (!this.tour) return;
    this.tour = null;
    this._stop();
    this.element.hidden = true;
    this._app.trial = null;
    document.removeEventListener("keydown", this._press, true);
    this._app.practise(false);
    this._app.tree.select(node);
    this._onend();
  }

  // at the move that was the moment, from which the next one follows; after the last one where one was
  _end() {
    const {tour, _series: series} = this;
    this.end(tour && tour.stage !== "over" ? tour.moment.node : this._from);
    series?.leave();
  }

  get _you() {
    return this._series?.you ?? this._review.person;
  }

  _stop() {
    for (const {stop} of this._asked.values()) stop();
    this._asked.clear();
  }

  // a step through the game, another game and a change of this one leave it
  /** @param {string} change */
  _left(change) {
    const {tour} = this;
    if (!tour || this._moving) return;
    if (change === "node" && tour.stage !== "over" && this._app.tree.node === tour.before) return;
    this.end();
  }

  /** @param {KeyboardEvent} event */
  _hear(event) {
    const isTyped = event.target instanceof Element && event.target.matches("input, select, textarea");
    if (isTyped || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const act = {
      n: () => this._go(),
      r: () => this._go(),
      s: () => this._show(),
      ArrowLeft: () => this._lines.step(-1),
      ArrowRight: () => this._lines.step(1),
    }[event.key];
    // without lines the arrows go about the board
    if (!act || (event.key.startsWith("Arrow") && this._lines.isEmpty)) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  get _canGo() {
    return this.tour !== null && this.tour.stage !== "over" && this.tour.stage !== "checking";
  }

  // the board stands before the mistake
  _place() {
    const {tour} = this;
    if (!tour) return;
    this._moving = true;
    this._app.tree.select(tour.before);
    this._moving = false;
    this._app.board.arrows([]);
    this._lines.show([]);
    this._tell();
    // its answer is wanted whatever is tried
    void this._trial(tour.moment.node).catch(() => {});
    this._app.board.element.querySelector("[tabindex='0']")?.focus({preventScroll: true});
  }

  /**
   * What is known of a move at this moment, searched once.
   * @param {{text: string, fen: string}} move
   * @returns {Promise<Trial>}
   */
  _trial(move) {
    const {moment} = /** @type {Tour} */ (this.tour),
      asked = this._asked.get(move.fen) ?? tried(this._app, moment, move.text);
    this._asked.set(move.fen, asked);
    // what failed is asked for again
    asked.result.catch(() => this._asked.delete(move.fen));
    return asked.result;
  }

  /** @param {string} [said] in place of what its stage says */
  _tell(said) {
    const {tour} = this;
    if (!tour) return;
    const {stage, index, moments} = tour,
      over = stage === "over",
      {number, total} = this._series ?? {number: index + 1, total: moments.length},
      isLast = number >= total;
    this._heading.textContent = over ? t("All moments") : t("Moment {number} of {total}", {number, total});
    tellIn(this._said, said ?? this._words(tour));
    this._answer.hidden = !tour.isOpen;
    this._again.hidden = stage !== "not" && stage !== "playable";
    this._next.hidden = !this._canGo;
    this._next.textContent = isLast ? t("To the result") : t("Next moment");
    this._next.classList.toggle("primary", tour.isRevealed || stage === "playable");
    this._leave.textContent = over ? t("Done") : t("Leave");
    this._leave.classList.toggle("primary", over);
    this._link.hidden = over;
    this._reasons.replaceChildren(...(tour.isRevealed && !over ? reasonsView(tour.moment.node) : []));
    this._more.replaceChildren(...(over ? storyView(this._review.summary()) : []));
    if (tour.isRevealed && !over) this._more.append(this._facts(tour));
  }

  /** @param {Tour} tour */
  _words(tour) {
    if (tour.stage === "over") return tour.result();
    if (tour.stage === "checking") return t("Looking at that move…");
    const {moment} = tour;
    if (tour.stage === "shown")
      return t("{move}: better was {better}.", {
        move: visible(moment.point.label),
        better: visible(moment.line.text),
      });
    return visible(question(moment, this._you));
  }

  /** @param {Tour} tour */
  _facts({moment}) {
    const {node, point} = moment,
      facts = [kindName(point.kind), turnName(turnOf(node))].filter(Boolean).join(", ");
    return el("p", null, el("b", null, visible(point.label)), ` ${facts}. `, ...unbroken(chancesText(moment)));
  }

  /**
   * A move on the board; gives true if it was taken as an answer.
   * @param {any} move
   */
  _try(move) {
    const {tour} = this;
    if (!tour || this._app.tree.node !== tour.before) return false;
    if (tour.stage !== "asking") return true;
    this._app.board.show(move.fen, {last: move.path, animate: true});
    void this._check(tour, move);
    return true;
  }

  /**
   * @param {Tour} tour
   * @param {any} move
   */
  async _check(tour, move) {
    const {moment} = tour,
      known = tour.known(move),
      isHere = () => this.tour === tour && tour.moment === moment && tour.stage === "checking";
    tour.check();
    this._tell();
    try {
      const trial =
        known === "right"
          ? {verdict: known, expected: worthsOf(moment).best, line: stepsFrom(moment.line)}
          : await this._trial(move);
      if (isHere()) this._judge(tour, move, {...trial, verdict: known ?? trial.verdict});
    } catch (error) {
      if (!isHere()) return;
      tour.retry();
      this._place();
      this._app.fail(error);
    }
  }

  /**
   * @param {Tour} tour
   * @param {any} move
   * @param {Trial} trial
   */
  _judge(tour, move, trial) {
    tour.judge(trial.verdict);
    sound(trial.verdict === "not" ? "wrong" : "right");
    this._tell(visible(verdictText(tour.moment, move, trial)));
    if (tour.isRevealed) void this._reveal(tour, move.fen === tour.moment.line.fen ? null : trial.line);
    else {
      // the answer shows why, and words say it
      this._reasons.replaceChildren(...whyView(trial.why ?? []));
      this._lines.show([{name: t("Tried"), steps: trial.line}]);
      this._lines.go(0, trial.verdict === "not" && trial.line.length > 1 ? 1 : 0);
    }
    (trial.verdict === "not" ? this._again : this._next).focus({preventScroll: true});
  }

  /**
   * The better line, and what happens to the move that was played.
   * @param {Tour} tour
   * @param {import("./moments.js").Step[] | null} own line of another right move
   */
  async _reveal(tour, own) {
    const {moment} = tour,
      better = {name: t("Better"), steps: stepsFrom(moment.line)},
      found = own ? [{name: t("Tried"), steps: own}] : [],
      played = {name: t("Played"), steps: [moment.node, ...refutationOf(moment.node)]};
    this._lines.show([...found, better, played]);
    this._lines.go(0, 0);
    // a line of the review may end where its search did
    const [longer, line] = await Promise.all(
      [moment.line, moment.node].map(move =>
        this._trial(move).then(
          trial => trial.line,
          () => [],
        ),
      ),
    );
    if (this.tour !== tour || tour.moment !== moment || !tour.isRevealed) return;
    if (longer.length > better.steps.length) better.steps = longer;
    if (line.length > played.steps.length) played.steps = line;
    this._lines.show([...found, better, played]);
  }

  _retry() {
    this.tour?.retry();
    this._place();
  }

  _show() {
    const {tour} = this;
    if (!tour?.isOpen) return;
    tour.show();
    this._tell();
    void this._reveal(tour, null);
    this._next.focus({preventScroll: true});
  }

  _go() {
    const {tour} = this;
    if (!tour || !this._canGo) return;
    this._stop();
    tour.next();
    if (tour.stage !== "over") {
      this._place();
      return;
    }
    if (this._series) {
      const {next} = this._series;
      this.end(this._from);
      next(tour.outcomes[0]);
      return;
    }
    this._lines.show([]);
    this._tell();
    this._leave.focus({preventScroll: true});
  }
}
