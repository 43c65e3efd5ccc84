// A problem under construction, below the editor of positions: is it sound, and which variations of it are?

import {check, choice, labelled} from "../controls.js";
import {button, el} from "../dom.js";
import {t} from "../texts.js";
import {courseWords, progressWords, ranked} from "./state.js";
import {variationView, verdictView} from "./view.js";

/** @typedef {import("./state.js").Verdict} Verdict */
/** @typedef {import("./state.js").Variation} Variation */
/**
 * @typedef {{fen: string, look: (fen: string, path: number[]) => void, resume: () => void,
 *   set: (fen: string) => void}} Editor
 */
/** @typedef {import("../shell.js").App} App */

const MOST_SHOWN = 60;
const EMPTY = {total: 0, done: 0, found: 0, counts: {}, ended: /** @type {string | null} */ (null)};

export class Composing {
  /**
   * @param {App} app
   * @param {Editor} editor
   */
  constructor(app, editor) {
    this._app = app;
    this._editor = editor;
    /** The proof, or the search for variations, under way. @type {{stop: () => void} | null} */
    this._stream = null;
    /** What that is. @type {"" | "soundness" | "variations"} */
    this._doing = "";
    /** @type {Verdict | null} */
    this._verdict = null;
    this._ply = 0;
    /** The position that the verdict is about. */
    this._fen = "";
    /** The position that is varied. */
    this._origin = "";
    /** @type {Variation[]} */
    this._found = [];
    this._course = {...EMPTY};
    const kept = (/** @type {string} */ name) => Boolean(app.kept(`composing-${name}`, false));
    this._on = {strict: kept("strict"), duals: kept("duals"), captures: kept("captures")};
    this._parts = this._make();
    this.element = this._layout();
    this._draw();
  }

  // --- parts

  _make() {
    const keeping = (/** @type {string} */ name) => (/** @type {string | boolean} */ value) =>
      this._app.keep(`composing-${name}`, value);
    const chosen = (
      /** @type {string} */ name,
      /** @type {string} */ label,
      /** @type {Array<[string, string]>} */ of,
    ) => choice(label, of, {value: this._app.kept(`composing-${name}`, of[0][0]), onchange: keeping(name)});
    const checkbox = (/** @type {"strict" | "duals" | "captures"} */ name, /** @type {string} */ text) =>
      check(text, this._on[name], on => {
        this._on[name] = on;
        keeping(name)(on);
      });
    return {
      result: chosen("result", t("Stipulation"), [
        ["", t("Not given")],
        ["win", t("To win")],
        ["draw", t("To draw")],
      ]),
      limit: chosen("limit", t("Time of the proof"), [
        ["10", t("10 seconds")],
        ["60", t("1 minute")],
      ]),
      changes: chosen("changes", t("Changes"), [
        ["1", t("One piece")],
        ["2", t("One or two pieces")],
      ]),
      each: chosen("each", t("Time of each variation"), [
        ["1", t("1 second")],
        ["0.2", t("0.2 seconds")],
        ["10", t("10 seconds")],
      ]),
      boxes: [
        checkbox("strict", t("Strict: transposed ways count, and those after the result is plain")),
        checkbox("duals", t("Variations with duals too")),
        checkbox("captures", t("Variations whose key is a capture too")),
      ],
      ask: button(t("Is it sound?"), () => this._toggle("soundness")),
      vary: button(t("Variations"), () => this._toggle("variations")),
      progress: /** @type {HTMLProgressElement} */ (el("progress", {"aria-label": t("Checked so far"), hidden: true})),
      status: el("p", {class: "muted status-line"}),
      facts: el("div", {class: "soundness"}),
      head: el("p", null),
      list: el("ol", {class: "variants", "aria-label": t("Variations")}),
    };
  }

  _layout() {
    const choices = [this._parts.result, this._parts.limit, this._parts.changes, this._parts.each].map(labelled);
    return el(
      "div",
      {class: "composing", role: "group", "aria-label": t("Problem"), hidden: true},
      el("div", {class: "row"}, this._parts.ask, this._parts.vary),
      el(
        "details",
        {class: "options"},
        el("summary", null, t("Options")),
        el("div", {class: "form"}, choices, this._parts.boxes),
      ),
      this._parts.progress,
      this._parts.status,
      this._parts.facts,
      this._parts.head,
      this._parts.list,
    );
  }

  // --- what the editor tells

  open() {
    this.element.hidden = false;
  }

  close() {
    this.stop();
    this.element.hidden = true;
    this._verdict = null;
    this._found = [];
    this._course = {...EMPTY};
    this._parts.status.textContent = "";
    this._draw();
  }

  /** Hears of each position that is set up: a verdict on another one goes. @param {string} fen */
  follow(fen) {
    if (this._doing === "soundness" && fen !== this._fen) this.stop();
    if (!this._verdict || fen === this._fen) return;
    this._verdict = null;
    this._parts.status.textContent = "";
    this._draw();
  }

  /** Ends what is under way. */
  stop() {
    if (!this._stream) return;
    this._stream.stop();
    if (this._doing === "variations") this._course.ended = "left";
    this._end(this._doing === "variations" ? courseWords(this._course) : t("Stopped."));
  }

  // --- streams

  /** @param {"soundness" | "variations"} what */
  _toggle(what) {
    const own = this._doing === what;
    this.stop();
    if (!own) this._begin(what);
  }

  /** @param {"soundness" | "variations"} what */
  _begin(what) {
    const fen = this._editor.fen,
      {strict, duals, captures} = this._on;
    this._editor.resume();
    this._verdict = null;
    this._fen = fen;
    this._parts.status.textContent = "";
    if (what === "variations") {
      this._origin = fen;
      this._found = [];
      this._course = {...EMPTY, counts: {}};
    }
    this._doing = what;
    const asked =
      what === "soundness"
        ? {fen, result: this._parts.result.value, strict, seconds: Number(this._parts.limit.value)}
        : {
            fen,
            goal: this._parts.result.value || "value",
            strict,
            duals,
            captures,
            changes: Number(this._parts.changes.value),
            seconds: Number(this._parts.each.value),
          };
    this._parts.progress.removeAttribute("value");
    this._stream = this._app.live(what, asked, event => this._hear(event));
    this._draw();
  }

  /** @param {string} said */
  _end(said) {
    this._stream = null;
    this._doing = "";
    this._parts.status.textContent = said;
    if (said) this._app.announce(said);
    this._draw();
  }

  /** @param {any} event */
  _hear(event) {
    if (event.error !== undefined) this._end(event.error);
    else if (event.progress) this._proving(event.progress);
    else if (event.verdict) this._take(event.verdict);
    else if (event.found) this._add(event);
    else if (event.ended) {
      this._course.ended = event.ended;
      this._end(courseWords(this._course));
    }
    // it may come with what there is so far
    if (event.waits) this._parts.status.textContent = t("All engines are busy; waiting for one.");
  }

  /** @param {{nodes: number, seconds: number}} progress */
  _proving(progress) {
    this._parts.progress.max = Number(this._parts.limit.value);
    this._parts.progress.value = progress.seconds;
    this._parts.status.textContent = progressWords(progress);
  }

  /** @param {Verdict} verdict */
  _take(verdict) {
    this._verdict = verdict;
    this._ply = 0;
    this._end("");
    // it stands below the pieces to choose from, where a small window does not reach
    this._parts.facts.scrollIntoView({block: "start"});
    this._app.announce(this._parts.facts.textContent ?? "");
  }

  /** @param {{total: number, done: number, found: Variation[], counts: Record<string, number>}} event */
  _add({total, done, found, counts}) {
    this._course = {...this._course, total, done, counts, found: this._course.found + found.length};
    this._parts.progress.max = this._course.total || 1;
    this._parts.progress.value = done;
    this._parts.status.textContent = courseWords(this._course);
    if (found.length) {
      const isFirst = !this._found.length;
      this._found = ranked([...this._found, ...found]).slice(0, MOST_SHOWN);
      this._drawVariations();
      if (isFirst) this._parts.list.firstElementChild?.scrollIntoView({block: "nearest"});
    }
  }

  // --- drawing

  /** Shows the position after so many plies of the line; 0 is the editor's. @param {number} ply */
  _step(ply) {
    if (!this._verdict) return;
    this._ply = ply;
    const move = this._verdict.line[ply - 1];
    if (move) this._editor.look(move.fen, move.path);
    else this._editor.resume();
    this._drawVerdict();
  }

  _draw() {
    const doing = this._doing;
    this._parts.ask.textContent = doing === "soundness" ? t("Stop") : t("Is it sound?");
    this._parts.vary.textContent = doing === "variations" ? t("Stop") : t("Variations");
    this._parts.progress.hidden = !doing;
    this._drawVerdict();
    this._drawVariations();
  }

  _drawVerdict() {
    const verdict = this._verdict,
      {facts} = this._parts,
      focused = facts.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
    facts.replaceChildren(
      ...(verdict ? verdictView(verdict, this._fen, this._ply, ply => this._step(ply)) : []).filter(
        each => each !== null,
      ),
    );
    const again = [...facts.querySelectorAll("button")].find(
      each => focused && each.getAttribute("aria-label") === focused,
    );
    again?.focus();
  }

  _drawVariations() {
    const found = this._found,
      {head, list} = this._parts;
    head.hidden = !found.length;
    if (found.length)
      head.replaceChildren(button(t("Back to the position that is varied"), () => this._editor.set(this._origin)));
    const {flipped} = this._app.board;
    list.replaceChildren(...found.map(each => variationView(each, flipped, () => this._editor.set(each.fen))));
  }
}
