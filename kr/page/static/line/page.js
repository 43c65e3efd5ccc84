// A page with a task on a board, and one line of moves from there: puzzles and endings are such pages.

import {decoded} from "../address.js";
import {readAloud} from "../aloud.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {giveLink} from "../send.js";
import {toEnd} from "../setup/fen.js";
import {Tabs} from "../tabs.js";
import {t} from "../texts.js";
import {LineStage} from "./stage.js";

/** @import {Errand} from "../errands.js" */
/** @import {Panel} from "../tabs.js" */
/** @typedef {{mark: string, head: string, more: string}} Words a verdict: in brief, and what else there is to say */

export class LinePage {
  /**
   * @param {import("../shell.js").App} app
   * @param {string} label of the board
   */
  constructor(app, label) {
    this.app = app;
    this.stage = new LineStage(app, {label, more: () => this._more()});
    this._active = false;
    this._tasks = new Errands();
    this._entries = new Errands();
    /** @type {Record<string, string> | null} tags of the task as a game; null as long as there is none */
    this._headers = null;
    this._verdict = el("div", {class: "verdict", role: "status", tabindex: 0});
    this._side = el("div", {class: "side"});
    this._rest = "";
    app.onback(() => {
      this._forget();
      if (this._active) void this.enter(this._rest);
    });
  }

  /**
   * The page, once all its parts are there.
   * @param {object} parts
   * @param {string} parts.name
   * @param {string} parts.title
   * @param {HTMLElement} parts.facts between the verdict and the moves
   * @param {Panel[]} parts.panels the first one is the task itself, the second one what it is chosen in
   */
  _made({name, title, facts, panels}) {
    const [own, beside] = panels,
      onchange = (/** @type {string} */ shown) => this._side.classList.toggle("open", shown !== own.name);
    this._tabs = new Tabs(panels, {label: t("Panels"), onchange});
    this._fitted = fitted(this._tabs, own.name, beside.name);
    this._side.append(this._verdict, facts, this.stage.list, this._tabs.element, this._tabs.body);
    return {
      name,
      title,
      element: el("div", {class: `screen plain study ${name}`}, this.stage.element, this._side),
      enter: (/** @type {string} */ rest) => this.enter(rest),
      leave: () => this.leave(),
    };
  }

  /** Actions of the menu. @returns {ReturnType<import("../menu.js").Items>} */
  _more() {
    return [
      [t("Turn the board"), () => this.stage.stage.flip()],
      [t("Copy link"), () => giveLink(this.app, this._link()), {disabled: !this._headers}],
      [t("Analyse"), () => this._analyse(), {disabled: !this._headers}],
    ];
  }

  /** What stands behind # in the address of the task. */
  _link() {
    return location.hash.slice(1);
  }

  _analyse() {
    const {line, board} = this.stage;
    if (!this._headers) return;
    const document = line.document(this._headers);
    this.app.open(document, toEnd(document), board.flipped);
  }

  // --- what is said

  /**
   * @param {Words} words
   * @param {Array<[string, () => unknown]>} [next] what to do next, the first of them before all
   */
  _tell({mark, head, more}, next = []) {
    const brief = el("p", {class: "brief"}),
      buttons = next.map(([name, act], i) => button(name, act, {class: i ? null : "primary"}));
    judge(brief, mark, head);
    this._verdict.replaceChildren(
      brief,
      ...(more ? [" ", el("p", {class: "why"}, more)] : []),
      ...(next.length ? [el("div", {class: "row", role: "group", "aria-label": t("What next")}, buttons)] : []),
    );
    readAloud(`${head} ${more}`);
  }

  /** What stands there until the verdict comes, which screen readers tell alone. @param {string} text */
  _wait(text) {
    this._verdict.replaceChildren(el("p", {class: "brief", "aria-hidden": "true"}, text));
  }

  /** @param {unknown} error */
  _fail(error) {
    this._tell({mark: "", head: /** @type {Error} */ (error).message, more: ""});
  }

  // --- tasks

  /**
   * Another task: no move can be made while it is asked for.
   * @template Task
   * @param {() => Promise<Task>} ask
   * @param {(task: Task) => void} take
   */
  async _change(ask, take) {
    const errand = this._tasks.begin();
    this.stage.hold(true);
    try {
      const task = await ask();
      if (errand.isStale) return;
      take(task);
      this._fitted?.toTask();
    } catch (error) {
      if (errand.isStale) return;
      this.stage.hold(false);
      this._fail(error);
    }
  }

  // --- coming and going

  /** @param {string} rest of the address */
  async enter(rest) {
    const entry = this._entries.begin();
    this._rest = rest;
    if (!this._active) this.stage.listen();
    this._active = true;
    if (this.stage.line.length) this.stage.reveal();
    try {
      await this._enter(decoded(rest), entry);
    } catch (error) {
      this._fail(error);
    }
  }

  /**
   * Fetches what the page needs, and the task of the address.
   * @param {string} _rest of the address
   * @param {Errand} _entry
   */
  async _enter(_rest, _entry) {}

  /** The server may be another one: what it has is asked for anew. */
  _forget() {}

  leave() {
    this._active = false;
    this._entries.end();
    this.stage.unlisten();
  }
}

/**
 * Marks a verdict as good or bad.
 * @param {HTMLElement} element
 * @param {string} mark ✓, ✗, ? or none
 * @param {string} text
 */
function judge(element, mark, text) {
  element.textContent = mark ? `${mark} ${text}` : text;
  element.classList.toggle("good", mark === "✓");
  element.classList.toggle("bad", mark === "✗");
}

/**
 * Opens the panel of the task where it has a tab, on a phone, and else one beside the task; again as the window
 * changes.
 * @param {import("../tabs.js").Tabs} tabs
 * @param {string} own name of the panel that is always in sight in a wide window
 * @param {string} beside name of the other
 */
function fitted(tabs, own, beside) {
  /** @type {boolean | null} */
  let before = null;
  const isNarrow = () => Boolean(tabs.element.querySelector(`.tab-${own}`)?.checkVisibility());
  new ResizeObserver(() => {
    if (!tabs.element.isConnected || isNarrow() === before) return;
    before = isNarrow();
    tabs.open(before ? own : beside);
  }).observe(tabs.element);
  return {
    /** On a phone the task takes the place of the panel that it was chosen in. */
    toTask() {
      if (isNarrow()) tabs.open(own);
    },
  };
}
