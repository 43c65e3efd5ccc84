// The best lines of the position, live, from one engine or two side by side: always beside the board of Analyse.

import {button, el} from "../dom.js";
import {iconButton} from "../icons.js";
import {t} from "../texts.js";
import {Lines} from "./lines.js";
import {Preview} from "./preview.js";
import {Search} from "./search.js";
import {exactly, seen, short} from "./words.js";

const SPOKEN_MS = 4000;
const ARROWS = 5;

/** @returns {Array<[string, string]>} */
const limits = () => [["", t("no limit")], ["2s", t("2 seconds")], ["10s", t("10 seconds")], ["60s", t("1 minute")],
  ...[10, 16, 20, 25, 30].map(depth => /** @type {[string, string]} */ (
    [`depth=${depth}`, t("depth {depth}", {depth})]))];

export class Analysis {
  /**
   * @param {import("../shell.js").App} app
   * @param {import("../stage.js").Stage} stage
   */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.on = app.kept("analysing", false);
    this._visible = this._threat = this._held = this._drawing = this._asked = false;
    this._spokenAt = 0;
    this._spoken = this._marked = "";
    this._engines = ["kr"];
    this._chosen = [Number(app.kept("engine", 0)), Number(app.kept("beside", -1))];
    /** @type {() => void} */
    this.onexpect = () => {};
    this._preview = new Preview();
    this._blocks = [0, 1].map(() => new Lines({
      hover: (move, place) => move && this._search.isHere && this._preview.show(move, place, stage.board.flipped),
      leave: () => this._preview.hide(), step: steps => this._step(steps),
    }));
    this._search = new Search(app, app.tree, this._blocks, () => this._request());
    this._known = el("p", {class: "exact", hidden: true});
    this._heard = el("p", {class: "unseen", role: "status"});
    this._controls();
    this.element = this._element();
    app.tree.on("node", () => this._changed());
    app.onback(() => { if (this._visible && this.on) this.restart(); });
    this.restart();
  }

  show() {
    if (this._visible) return;
    this._visible = true;
    if (!this._asked) this._ask();
    this.restart();
  }

  hide() {
    if (!this._visible) return;
    this._search.end();
    this._preview.hide();
    this._visible = false;
    this._mark([], {});
  }

  toggle() {
    this.on = !this.on;
    this.app.keep("analysing", this.on);
    this.restart();
  }

  /**
   * Black's chances by the first line of the position on the board, and its score; null if nothing is known.
   * @returns {{chances: [number, number, number] | null, score: string} | null}
   */
  expected() {
    const [block] = this._blocks, line = this._search.isHere && !this._threat && block.lines[0];
    if (!line) return null;
    const {chances, text} = seen(line, block.told?.side === "white");
    return {chances, score: text};
  }

  restart() {
    this._search.end();
    this._name();
    if (this.on && this._visible) {
      this._marked = "";
      this._search.begin({lines: Number(this._count.list.value), limit: this._limit.list.value, threat: this._threat,
        engines: this._chosen});
    }
    this._request();
  }

  // --- controls

  _controls() {
    const again = () => this.restart(), draw = () => this._request();
    this._go = button("", () => this.toggle(), {class: "primary go", title: t("Space")});
    this._count = this._select(t("Lines"), "lines", Array.from({length: 10}, (_, i) => [String(i + 1), String(i + 1)]), "3",
      again);
    this._limit = this._select(t("Until"), "limit", limits(), "", again);
    this._view = this._select(t("Score for"), "view", [["mover", t("the side to move")], ["black", t("Black")]], "mover", draw);
    this._pointing = el("input", {type: "checkbox", checked: this.app.kept("arrows", true), onchange: () => {
      this.app.keep("arrows", this._pointing.checked);
      draw();
    }});
    this._threatens = button(t("Threat"), () => {
      this._threat = !this._threat;
      if (this._threat) this.on = true;
      again();
    }, {"aria-pressed": "false", title: t("What if the other side moved?")});
    this._sides = el("div", {class: "row", hidden: true});
  }

  _element() {
    const options = el("div", {class: "options", hidden: true},
      el("div", {class: "row"}, this._count.label, this._limit.label, this._view.label,
        el("label", null, this._pointing, ` ${t("Arrows")}`)), this._sides);
    const opener = iconButton("settings", t("Options of the analysis"), () => {
      options.hidden = !options.hidden;
      opener.setAttribute("aria-expanded", String(!options.hidden));
    }, {"aria-expanded": "false"});
    const element = el("div", {class: "analysis always"}, el("div", {class: "row head"}, this._go, this._threatens, opener),
      options, this._blocks.map(block => block.element), this._known, this._heard);
    // nothing moves away from under a finger or a button that is held down
    element.addEventListener("pointerdown", () => { this._held = true; });
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => {
      this._held = false;
      this._request();
    });
    return element;
  }

  /**
   * @param {string} label
   * @param {string} name under which the choice is kept
   * @param {Array<[string, string]>} options
   * @param {string} otherwise
   * @param {(value: string) => void} change
   */
  _select(label, name, options, otherwise, change) {
    const list = el("select", {onchange: () => {
      this.app.keep(name, list.value);
      change(list.value);
    }}, options.map(([value, text]) => el("option", {value}, text)));
    list.value = this.app.kept(name, otherwise);
    return {list, label: el("label", null, `${label} `, list)};
  }

  _name() {
    this._go.textContent = this.on ? t("Stop") : this._search.isHere && this._blocks[0].told ? t("Go on") : t("Analyse");
    this._threatens.setAttribute("aria-pressed", String(this._threat));
  }

  async _ask() {
    this._asked = true;
    try {
      this._engines = (await this.app.api("engines")).engines;
    } catch {
      this._asked = false;
      return;
    }
    for (const i of [0, 1]) if (!(this._chosen[i] < this._engines.length)) this._chosen[i] = -i;
    this._sides.hidden = this._engines.length < 2;
    /** @type {Array<[string, string]>} */
    const names = this._engines.map((name, i) => [String(i), name]);
    const pick = (/** @type {number} */ i, /** @type {string} */ label, /** @type {string} */ name,
      /** @type {Array<[string, string]>} */ options) => {
      const made = this._select(label, name, options, String(-i), value => {
        this._chosen[i] = Number(value);
        this.restart();
      });
      made.list.value = String(this._chosen[i]);
      return made.label;
    };
    this._sides.replaceChildren(pick(0, t("Engine"), "engine", names),
      pick(1, t("Beside it"), "beside", [["-1", t("none")], ...names]));
    this.restart();
  }

  // --- positions

  /**
   * Plays moves of a line: those on view belong to the position that was searched, which may be left already.
   * @param {import("./words.js").Move[]} steps
   */
  _step(steps) {
    this._preview.hide();
    if (this._threat || !this._search.isHere) return;
    for (const move of steps) this.app.tree.play(move);
  }

  _changed() {
    this._preview.hide();
    if (!this._visible) return;
    this._search.end();
    this._search.forget();
    this._threat = this._threat && this.on;
    for (const block of this._blocks) block.begin(this.on);
    this._name();
    this._request();
    this._search.settle(() => this.restart());
  }

  // --- drawing, once a frame at most

  _request() {
    if (this._drawing || this._held) return;
    this._drawing = true;
    requestAnimationFrame(() => {
      this._drawing = false;
      if (this._visible) this._draw();
    });
  }

  _draw() {
    const {exact, draw, node} = this._search, {board} = this.stage;
    const several = this._engines.length > 1 && this._chosen[1] >= 0, most = Number(this._count.list.value) > 3 ? 10 : 24;
    const view = this._view.list.value === "black" ? "black" : "mover";
    this._blocks.forEach((block, i) => block.draw(view, several ? this._engines[this._chosen[i]] : "", most));
    this._known.hidden = !exact && !draw;
    if (exact || draw) {
      const text = exactly(exact, draw);
      if (this._known.textContent !== text) this._known.textContent = text;
    }
    // what was found for another position is not drawn on the board
    const here = this._search.isHere && board.fen === node.fen;
    /** @type {Record<number, string>} */
    const labels = {};
    // best first: of several moves to one square the best counts
    for (const move of exact && here ? exact.moves : []) labels[move.path.at(-1)] ??= short(move);
    const lines = here ? this._blocks[0].lines : [], others = here && this._chosen[1] >= 0 ? this._blocks[1].lines : [];
    const arrows = lines.slice(0, ARROWS).map((line, i) =>
      ({path: line.pv[0].path, kind: this._threat ? "threat" : i ? "other" : "best",
        label: i || lines.length > 1 ? String(i + 1) : ""}));
    if (others.length) arrows.push({path: others[0].pv[0].path, kind: "better", label: ""});
    // the best one on top
    this._mark(this._pointing.checked ? arrows.reverse() : [], labels);
    this._speak(lines);
    this.onexpect();
  }

  /**
   * @param {Array<{path: number[], kind: string, label: string}>} arrows
   * @param {Record<number, string>} labels
   */
  _mark(arrows, labels) {
    const key = JSON.stringify([arrows, labels]);
    if (key === this._marked) return;
    this._marked = key;
    this.stage.lineArrows(arrows);
    this.stage.board.labels(labels);
  }

  /** @param {import("./words.js").Line[]} lines */
  _speak(lines) {
    if (!lines.length || (performance.now() - this._spokenAt < SPOKEN_MS && !this._blocks[0].told?.final)) return;
    const best = `${lines[0].pv[0].text}, ${seen(lines[0], false).text}`;
    const text = this._threat ? t("Threat: {best}", {best}) : t("Best: {best}", {best});
    if (text === this._spoken) return;
    this._spoken = this._heard.textContent = text;
    this._spokenAt = performance.now();
  }
}
