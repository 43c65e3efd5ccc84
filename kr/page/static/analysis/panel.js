// The best lines of the position, live, from one engine or two side by side: always beside the board of Analyse.

import {el} from "../dom.js";
import {t} from "../texts.js";
import {Controls} from "./controls.js";
import {Lines} from "./lines.js";
import {Search} from "./search.js";
import {exactly, seen, short} from "./words.js";

const SPOKEN_MS = 4000;
const ARROWS = 5;

export class Analysis {
  /**
   * @param {import("../shell.js").App} app
   * @param {import("../stage.js").Stage} stage
   */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.on = app.kept("analysing", false);
    this._visible = this._threat = this._held = this._drawing = this._asked = this._isWhole = false;
    this._spokenAt = 0;
    this._spoken = this._marked = "";
    this._controls = new Controls(app, {
      toggle: () => this.toggle(),
      threat: () => {
        this._threat = !this._threat;
        if (this._threat) this.on = true;
        this.restart();
      },
      again: () => this.restart(),
      draw: () => this._request(),
    });
    /** @type {() => void} */
    this.onexpect = () => {};
    /** A small board beside a line that one points at. @type {import("./preview.js").Preview | null} */
    this._preview = null;
    /** @type {Element | null} */
    this._pointed = null;
    this._blocks = [0, 1].map(
      () =>
        new Lines({
          hover: (move, place) => void this._point(move, place),
          leave: () => this._unpoint(),
          step: steps => this._step(steps),
        }),
    );
    this._search = new Search(app, app.tree, this._blocks, () => this._request());
    this._known = el("p", {class: "exact", hidden: true});
    this._heard = el("p", {class: "unseen", role: "status"});
    this.element = this._element();
    app.tree.on("node", () => this._changed());
    app.onback(() => {
      this._asked = false;
      if (this._visible) void this._ask();
    });
    this.restart();
  }

  /** The rest of the page is there: the board no more waits for what the panel asks. */
  complete() {
    this._isWhole = true;
    if (this._visible && !this._asked) void this._ask();
  }

  show() {
    if (this._visible) return;
    this._visible = true;
    if (this._isWhole && !this._asked) void this._ask();
    this.restart();
  }

  hide() {
    if (!this._visible) return;
    this._search.end();
    this._unpoint();
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
    const [block] = this._blocks,
      line = this._search.isHere && !this._threat && block.lines[0];
    if (!line) return null;
    const {chances, text} = seen(line, block.told?.side === "white");
    return {chances, score: text};
  }

  restart() {
    this._search.end();
    this._name();
    if (this.on && this._visible) {
      this._marked = "";
      this._search.begin({
        lines: this._controls.lines,
        within: this._controls.within,
        limit: this._controls.limit,
        threat: this._threat,
        engines: this._controls.chosen,
      });
    }
    this._request();
  }

  /** @returns {HTMLElement} */
  _element() {
    const blocks = this._blocks.map(block => block.element);
    const element = el("div", {class: "analysis always"}, this._controls.elements, blocks, this._known, this._heard);
    // nothing moves away from under a finger or a button that is held down
    element.addEventListener("pointerdown", () => {
      this._held = true;
    });
    for (const type of ["pointerup", "pointercancel"]) {
      addEventListener(type, () => {
        this._held = false;
        this._request();
      });
    }
    return element;
  }

  _name() {
    const again = this._search.isHere && this._blocks[0].told;
    this._controls.name(this.on ? t("Stop") : again ? t("Go on") : t("Analyse"), this._threat);
  }

  async _ask() {
    this._asked = true;
    try {
      const {engines, faults} = await this.app.api("engines");
      this._controls.offer(engines, faults);
      for (const fault of Object.values(faults)) this.app.fail(fault);
    } catch {
      this._asked = false;
      return;
    }
    this.restart();
  }

  /**
   * @param {import("./words.js").Move} move
   * @param {HTMLElement} place of the line
   */
  async _point(move, place) {
    this._pointed = place;
    const {Preview} = await import("./preview.js");
    if (!move || this._pointed !== place || !this._search.isHere) return;
    this._preview ??= new Preview();
    this._preview.show(move, place, this.stage.board.flipped);
  }

  _unpoint() {
    this._pointed = null;
    this._preview?.hide();
  }

  // --- positions

  /**
   * Plays moves of a line: those on view belong to the position that was searched, which may be left already.
   * @param {import("./words.js").Move[]} steps
   */
  _step(steps) {
    this._unpoint();
    if (this._threat || !this._search.isHere) return;
    for (const move of steps) this.app.tree.play(move);
  }

  _changed() {
    this._unpoint();
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
    const {exact, draw, node} = this._search,
      {board} = this.stage;
    const most = this._controls.lines > 3 ? 10 : 24;
    for (const [i, block] of this._blocks.entries()) block.draw(this._controls.view, this._controls.nameOf(i), most);
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
    const lines = here ? this._blocks[0].lines : [],
      others = here && this._controls.chosen[1] >= 0 ? this._blocks[1].lines : [];
    const arrows = lines.slice(0, ARROWS).map((line, i) => ({
      path: line.pv[0].path,
      kind: this._threat ? "threat" : i ? "other" : "best",
      label: i || lines.length > 1 ? String(i + 1) : "",
    }));
    if (others.length) arrows.push({path: others[0].pv[0].path, kind: "better", label: ""});
    // the best one on top
    this._mark(this._controls.points ? arrows.reverse() : [], labels);
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
