// What an analysis is told to do: begin and stop, the threat, and options that are folded away.

import {check, choice, labelled} from "../controls.js";
import {button, el} from "../dom.js";
import {iconButton} from "../icons.js";
import {t} from "../texts.js";

const NEAR = "near";
const WITHIN = 25; // centi-men from the best to the last move that is near it
const BESIDE_NEAR = 3; // lines of an engine that can't tell which moves are near the best

/** @typedef {{toggle: () => void, threat: () => void, again: () => void, draw: () => void}} Acts */

/** @returns {Array<[string, string]>} */
const limits = () => [
  ["", t("no limit")],
  ["2s", t("2 seconds")],
  ["10s", t("10 seconds")],
  ["60s", t("1 minute")],
  ...[10, 16, 20, 25, 30].map(
    depth => /** @type {[string, string]} */ ([`depth=${depth}`, t("depth {depth}", {depth})]),
  ),
];
/** @returns {Array<[string, string]>} */
const counts = () => [
  ...Array.from({length: 10}, (_, i) => /** @type {[string, string]} */ ([String(i + 1), String(i + 1)])),
  [NEAR, t("all near the best")],
];

export class Controls {
  /**
   * @param {import("../shell.js").App} app
   * @param {Acts} acts
   */
  constructor(app, acts) {
    this._app = app;
    this._acts = acts;
    /** Numbers of the engines; -1 for none. */
    this.chosen = [Number(app.kept("engine", 0)), Number(app.kept("beside", -1))];
    this.engines = ["kr"];
    this._go = button("", acts.toggle, {class: "primary go", title: t("Space")});
    this._threat = button(t("Threat"), acts.threat, {
      "aria-pressed": "false",
      title: t("What if the other side moved?"),
    });
    this._count = this._select(t("Lines"), "lines", counts(), "3", acts.again);
    this._limit = this._select(t("Until"), "limit", limits(), "", acts.again);
    this._view = this._select(
      t("Score for"),
      "view",
      [
        ["mover", t("the side to move")],
        ["black", t("Black")],
      ],
      "mover",
      acts.draw,
    );
    this._arrows = check(t("Arrows"), app.kept("arrows", true), on => {
      app.keep("arrows", on);
      acts.draw();
    });
    this._sides = el("div", {class: "form paired across", hidden: true});
    this._options = el(
      "div",
      {class: "form paired options", hidden: true},
      this._count.label,
      this._limit.label,
      this._view.label,
      this._arrows,
      this._sides,
    );
    const opener = iconButton(
      "settings",
      t("Options of the analysis"),
      () => {
        this._options.hidden = !this._options.hidden;
        opener.setAttribute("aria-expanded", String(!this._options.hidden));
      },
      {"aria-expanded": "false"},
    );
    this.elements = [el("div", {class: "row head"}, this._go, this._threat, opener), this._options];
  }

  get lines() {
    return this.within ? BESIDE_NEAR : Number(this._count.list.value);
  }

  /** Centi-men; 0 for a fixed number of lines. */
  get within() {
    return this._count.list.value === NEAR ? WITHIN : 0;
  }

  get limit() {
    return this._limit.list.value;
  }

  get view() {
    return this._view.list.value === "black" ? "black" : "mover";
  }

  get points() {
    return /** @type {HTMLInputElement} */ (this._arrows.firstElementChild).checked;
  }

  /** The name of an engine, where there are several side by side. @param {number} block */
  nameOf(block) {
    return this.engines.length > 1 && this.chosen[1] >= 0 ? this.engines[this.chosen[block]] : "";
  }

  /**
   * @param {string} go what the button of the analysis does
   * @param {boolean} threat
   */
  name(go, threat) {
    this._go.textContent = go;
    this._threat.setAttribute("aria-pressed", String(threat));
  }

  /**
   * @param {string[]} engines their names, kr's own first
   * @param {Record<string, string>} faults of those that did not start, by their numbers
   */
  offer(engines, faults) {
    this.engines = engines;
    for (const i of [0, 1]) if (!(this.chosen[i] < engines.length)) this.chosen[i] = -i;
    this._sides.hidden = engines.length < 2;
    /** @type {Array<[string, string]>} */
    const names = engines.map((name, i) => [
      String(i),
      faults[i] ? t("{engine}: does not start", {engine: name}) : name,
    ]);
    this._sides.replaceChildren(
      this._engine(0, t("Engine"), "engine", names),
      this._engine(1, t("Beside it"), "beside", [["-1", t("none")], ...names]),
    );
  }

  /**
   * @param {number} i
   * @param {string} label
   * @param {string} name
   * @param {Array<[string, string]>} options
   */
  _engine(i, label, name, options) {
    const made = this._select(label, name, options, String(-i), () => {
      this.chosen[i] = Number(made.list.value);
      this._acts.again();
    });
    made.list.value = String(this.chosen[i]);
    return made.label;
  }

  /**
   * @param {string} label
   * @param {string} name under which the choice is kept
   * @param {Array<[string, string]>} options
   * @param {string} otherwise
   * @param {() => void} change
   */
  _select(label, name, options, otherwise, change) {
    const onchange = (/** @type {string} */ value) => {
      this._app.keep(name, value);
      change();
    };
    const list = choice(label, options, {value: this._app.kept(name, otherwise), onchange});
    return {list, label: labelled(list)};
  }
}
