// The panel Review: one button judges the game; then it in three sentences, a button that leads from moment to moment,
// its marks one by one, its story and figures.

import {check, choice, labelled, offer} from "../controls.js";
import {button, el} from "../dom.js";
import {SIDES} from "../squares.js";
import {actions} from "../send.js";
import {t} from "../texts.js";
import {momentsOf, nextOf} from "./moments.js";
import {Practice} from "./practice.js";
import {Review, limitOf, peopleText, personOf} from "./state.js";
import {Job, peopleBefore} from "./stream.js";
import {accuracyView, isWithin, markView, marksView, nameOf, storyView, tableView} from "./view.js";
import {trainButton} from "./train.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./practice.js").Series} Series */
/** @typedef {import("./state.js").Mark} Mark */

/** @returns {Array<[string, string]>} */
const LIMITS = () => [
  ["nodes=50000", t("Quick: 50,000 positions a search")],
  ["nodes=200000", t("Normal: 200,000 positions")],
  ["nodes=1000000", t("Deep: 1 million positions")],
  ["nodes=5000000", t("Very deep: 5 million positions")],
  ["seconds=0.3", t("0.3 seconds a search")],
  ["seconds=1", t("1 second")],
  ["seconds=3", t("3 seconds")],
];
const NORMAL = "nodes=200000";

/** @param {App} app */
export function panel(app) {
  return new Panel(app).panel;
}

class Panel {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this._shown = false;
    /** What is said of a mark is brought into sight: the person has gone there from here. */
    this._near = false;
    /** What people play before marked moves. @type {WeakMap<object, string>} */
    this._people = new WeakMap();
    /** Side whose moves are gone through, or both. @type {string} */
    this._whose = "both";
    app.tree.on("game", () => {
      this._whose = personOf(app.tree.headers) ?? "both";
    });
    this.review = new Review(app.tree);
    this.job = new Job(app, this.review, {
      // where the story is in sight, it says so itself
      ondone: () =>
        this._shown
          ? app.announce(`${t("The game is reviewed.")} ${this.review.said}`)
          : app.say(t("The game is reviewed.")),
    });
    this.practice = new Practice(app, this.review, {onend: () => this._draw()});
    this._parts = this._make();
    this._places = this._layout();
    this.review.on("change", () => {
      app.graph.show(this.review.judging ? this.review.points() : null);
      this._offer();
      this._draw();
    });
    app.tree.on("node", () => {
      this._drawMarks();
      this._near = false;
    });
    // other pages bring a game here to be reviewed
    app.review = () => {
      app.panel("review");
      if (!this.review.isReviewed && !this.review.working) this._toggle();
    };
    app.moment = () => this._leadHere();
    app.lead = () => {
      app.panel("review");
      this._lead();
    };
    app.shownMoment = () => this.practice.moment;
    app.train = (/** @type {number} */ ply, /** @type {Series} */ series) => this._train(ply, series);
    app.keys.r = () => {
      if (this.practice.tour) return;
      if (!this.review.isReviewed) app.review();
      else if (!this.review.working) {
        app.panel("review");
        this._lead();
      }
    };
    this.panel = {
      name: "review",
      title: t("Review"),
      begin: this._parts.begin,
      element: el(
        "div",
        null,
        this._places.work,
        this._parts.progress,
        this._parts.status,
        this._places.results,
        this.practice.element,
      ),
      show: () => {
        this._shown = true;
        this._offer();
        this._draw();
      },
      hide: () => {
        this._shown = false;
        this._offer();
        this.practice.end();
      },
    };
  }

  // --- parts

  _make() {
    const app = this._app,
      limit = choice(t("Limit of each search"), LIMITS(), {
        value: this._app.kept("judge-limit", NORMAL),
        onchange: value => this._app.keep("judge-limit", value),
      });
    const progress = /** @type {HTMLProgressElement} */ (
      el("progress", {"aria-label": t("Moves judged"), hidden: true})
    );
    const figures = el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": t("All figures")});
    return {
      limit,
      progress,
      figures,
      begin: button(t("Review"), () => app.review(), {class: "primary begin", hidden: true}),
      start: button(t("Review this game"), () => this._toggle(), {class: "primary"}),
      before: button(t("‹ mark"), () => this._go(() => this._mark(-1)), {
        title: t("Mark before (p)"),
        "aria-label": t("Mark before"),
      }),
      after: button(t("mark ›"), () => this._go(() => this._mark(1)), {
        title: t("Next mark (n)"),
        "aria-label": t("Next mark"),
      }),
      status: el("p", {class: "muted status-line"}),
      summary: el("p", {class: "summary"}),
      outdated: el(
        "p",
        {class: "muted", hidden: true},
        t("An earlier kr has judged it: which moves were best and which turned the game, a new review tells."),
      ),
      story: el("p", {class: "story"}),
      accuracy: el("div", {class: "accuracy"}),
      ...this._momentParts(),
      send: this._sendButton(),
      marks: el("ol", {class: "marks", "aria-label": t("Marked moves")}),
      mark: el("div", {class: "mark-facts"}),
      details: el("details", {class: "figures"}, el("summary", null, t("The whole story and all figures"))),
    };
  }

  _momentParts() {
    const whose = choice(t("Whose moments"), [], {
      onchange: side => {
        this._whose = side;
        this._drawMoments();
      },
    });
    return {
      whose,
      lead: button("", () => this._lead(), {"aria-keyshortcuts": "r"}),
      inaccuracies: check(t("with inaccuracies"), this._app.kept("moments-all", false), on => {
        this._app.keep("moments-all", on);
        this._drawMoments();
      }),
      moments: el("div", {class: "row moments"}),
      training: el("span", null),
    };
  }

  _sendButton() {
    const sending = actions(/** @type {any} */ (this._app)).find(each => each.name === "page");
    return button(sending?.label ?? "", () => sending?.act(), {class: "send", title: sending?.title});
  }

  _layout() {
    const {limit, start, before, after, summary, story, accuracy, send, marks, mark, details, figures} = this._parts,
      {moments, lead, whose, inaccuracies, training} = this._parts;
    const options = el(
      "details",
      {class: "options"},
      el("summary", null, t("Options")),
      el(
        "div",
        {class: "form"},
        labelled(limit),
        el("p", {class: "muted"}, t("A longer limit takes more time and makes the marks firmer.")),
      ),
    );
    const stepper = el("div", {class: "row stepper", role: "group", "aria-label": t("Marks")}, before, after, marks);
    moments.append(lead, training, whose, inaccuracies);
    details.append(story, accuracy, figures);
    return {
      work: el("div", {class: "row"}, start, options, send),
      results: el("div", {class: "findings"}, summary, this._parts.outdated, moments, stepper, mark, details),
    };
  }

  // --- acts

  _toggle() {
    if (this.review.working) this.job.stop(t("Stopped."));
    else this.job.begin(this._parts.limit.value);
  }

  /** From the last mark to the first one, and from the first to the last. @param {1 | -1} step */
  _mark(step) {
    if (this._app.tree.mark(step)) return;
    const mark = this.review.marks().at(step > 0 ? 0 : -1);
    if (mark) this._app.tree.select(mark.node);
  }

  /** Goes to a mark, and brings what is said of it into sight. @param {() => void} step */
  _go(step) {
    this._near = true;
    step();
    const {mark} = this._parts;
    mark.scrollIntoView({block: "nearest"});
    // what is longer than the panel is read from its beginning, unless one steps through its lines
    if (!mark.querySelector("[aria-current]")) mark.firstElementChild?.scrollIntoView({block: "nearest"});
  }

  /** The moments of the side that is chosen. */
  _moments() {
    const {review} = this;
    if (review.judging) return [];
    const side = this._whose === "both" ? null : /** @type {"black" | "white"} */ (this._whose);
    return momentsOf(review.marks(), side, this._app.kept("moments-all", false));
  }

  /** To the next moment after the position on the board. */
  _lead() {
    const moments = this._moments(),
      {tree} = this._app,
      main = tree.main(),
      shown = main.lastIndexOf(tree.line().findLast((/** @type {any} */ node) => main.includes(node)));
    if (!moments.length) return;
    this.practice.begin(moments, nextOf(moments, shown));
    this._draw();
  }

  /**
   * A moment of the game as one of a series; false if there is none at that ply.
   * @param {number} ply
   * @param {Series} series
   */
  _train(ply, series) {
    const moment = momentsOf(this.review.marks(), series.you, true).find(({point}) => point.ply === ply);
    if (!moment) return false;
    this._app.panel("review");
    this.practice.begin([moment], 0, series);
    this._draw();
    return true;
  }

  /** The moment that the move on the board is, as a link names it. */
  _leadHere() {
    const {tree} = this._app,
      all = momentsOf(this.review.marks(), null, true),
      usual = this._moments(),
      moments = usual.some(each => each.node === tree.node) ? usual : all,
      index = moments.findIndex(each => each.node === tree.node);
    if (index < 0) {
      this._app.fail(t("The link names a moment of a review, but this move is none"));
      return;
    }
    this._app.panel("review");
    this.practice.begin(moments, index);
    this._draw();
  }

  // --- drawing

  /** Beside the analysis the review of a game is one click away, as long as it has none. */
  _offer() {
    const {isReviewed, working, tree} = this.review;
    this._parts.begin.hidden = this._shown || isReviewed || working || !tree.root.children.length;
  }

  _draw() {
    if (!this._shown) return;
    const {review} = this,
      {judging, working} = review,
      learning = Boolean(this.practice.tour);
    this._parts.start.textContent = working
      ? t("Stop")
      : review.isReviewed
        ? t("Review it again")
        : t("Review this game");
    this._parts.start.classList.toggle("primary", !review.isReviewed || working);
    // what has been found stands first
    this.panel.element.classList.toggle("reviewed", review.isReviewed && !judging);
    this._parts.progress.hidden = !working;
    if (judging) {
      this._parts.progress.max = judging.total || 1;
      this._parts.progress.value = judging.known.size;
    }
    if (this._parts.status.textContent !== review.said) {
      this._parts.status.textContent = review.said;
      // how far it is shows in the bar
      if (!working) this._app.announce(review.said);
    }
    this._places.work.hidden = this._parts.status.hidden = this._places.results.hidden = learning;
    this._parts.summary.replaceChildren(...storyView(review.summary()));
    this._parts.outdated.hidden = !review.isOutdated;
    this._parts.story.replaceChildren(...storyView(review.story()));
    this._parts.accuracy.replaceChildren(...accuracyView(review.accuracy(), review.person));
    this._drawMoments();
    this._drawFigures();
    this._drawMarks();
  }

  _drawMoments() {
    const {review} = this,
      {lead, whose, inaccuracies, moments} = this._parts,
      marks = review.judging ? [] : momentsOf(review.marks(), null, true),
      {length} = this._moments();
    lead.textContent = t("Next moment ({count})", {count: length});
    lead.disabled = !length;
    lead.classList.toggle("primary", length > 0);
    /** @type {Array<[string, string]>} */
    const names = SIDES.map(side => [side, nameOf(side, review.person)]);
    offer(whose, [["both", t("Both sides")], ...names], this._whose);
    inaccuracies.hidden = !marks.some(({point}) => point.kind === "inaccuracy");
    moments.hidden = !marks.length;
    const weakest = review.weakest();
    this._parts.training.replaceChildren(...(weakest ? [trainButton(this._app, weakest)] : []));
    this._parts.send.hidden = !review.isReviewed || Boolean(review.judging);
  }

  _drawFigures() {
    const {table} = this.review,
      report = this.review.report();
    this._parts.details.hidden = !table && !report;
    this._parts.figures.replaceChildren(table ? tableView(table) : el("p", null, report));
  }

  _drawMarks() {
    if (!this._shown || this.practice.tour) return;
    const {tree} = this._app,
      marks = this.review.marks(),
      focused = this._parts.marks.contains(document.activeElement);
    this._parts.before.hidden = this._parts.after.hidden = !marks.length;
    this._parts.marks.replaceChildren(...marksView(marks, tree.node, mark => this._go(() => tree.select(mark.node))));
    const here = /** @type {HTMLElement | null} */ (this._parts.marks.querySelector("[aria-current]"));
    if (focused) here?.focus({preventScroll: true});
    if (here && this._near) here.scrollIntoView({block: "nearest", inline: "nearest"});
    const mark = marks.find(each => each.node === tree.node) ?? marks.find(each => isWithin(each, tree.node));
    if (mark && mark.node === tree.node && !this.review.judging) void this._askPeople(mark, this._near);
    this._drawMark(mark);
  }

  /** @param {Mark | undefined} mark */
  _drawMark(mark) {
    const people = (mark && this._people.get(mark.node)) ?? "";
    const {tree} = this._app,
      focused = this._parts.mark.contains(document.activeElement),
      go = (/** @type {any} */ node) => this._go(() => tree.select(node)),
      view = mark ? markView(mark, limitOf(tree.headers), people, tree.node, go) : [];
    this._parts.mark.replaceChildren(...view);
    if (focused) /** @type {HTMLElement | null} */ (this._parts.mark.querySelector("[aria-current]"))?.focus();
  }

  /**
   * @param {Mark} mark
   * @param {boolean} near
   */
  async _askPeople(mark, near) {
    const {node} = mark;
    if (this._people.has(node)) return;
    this._people.set(node, "");
    try {
      this._people.set(node, peopleText(await peopleBefore(this._app, mark), node));
    } catch {
      // it is asked for again when one comes back
      this._people.delete(node);
      return;
    }
    if (!this._shown || this._app.tree.node !== node || this.practice.tour) return;
    this._drawMark(mark);
    if (near) this._parts.mark.scrollIntoView({block: "nearest"});
  }
}
