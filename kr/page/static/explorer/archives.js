// The archives of the explorer: which are explored, their indexes as they are made, adding and removing them.

import {percent} from "../analysis/words.js";
import {filePicker} from "../controls.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {said, t} from "../texts.js";
import {exploredOf, withChoice} from "./state.js";
import {sendArchive} from "./upload.js";
import {archiveRow, progress} from "./view.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Archive} Archive */

const ENDINGS = ".pdn,.gz,.xz,.bz2,.txt";
const CHANNEL = "kr-archives"; // other windows hear there that archives were added or removed

export class Archives {
  /**
   * @param {App} app
   * @param {{onchange: () => void, onlist: (count: number) => void}} hooks onchange: others are explored; onlist: so
   * many
   *     are known
   */
  constructor(app, {onchange, onlist}) {
    this._app = app;
    this._onchange = onchange;
    this._onlist = onlist;
    /** @type {Archive[]} */
    this.list = [];
    this.isKnown = false;
    this._active = false;
    /** @type {{stop: () => void} | null} */
    this._opening = null;
    this._sending = new Errands();
    this._drawn = "";
    this._picker = filePicker(ENDINGS, file => this.add([file]), {"aria-label": t("File of an archive")});
    this._rows = el("ul", {class: "archives"});
    this._work = el("div", null);
    this._faults = el("div", {role: "status"});
    this.state = el("div", {class: "state"}, this._work, this._faults);
    this._arriving = el("div", {class: "arriving", hidden: true});
    this.region = el(
      "div",
      {class: "fold", role: "group", "aria-label": t("Archives"), hidden: true},
      this._rows,
      this._adder(false),
    );
    this.empty = el(
      "div",
      {class: "empty", hidden: true},
      el(
        "p",
        null,
        t(
          "See what people played here: add a file of games, such as the Open Checkers Archive of CheckerBoard's site.",
        ),
      ),
      this._adder(true),
      el("p", {class: "muted"}, t("A file of games in PDN, also packed (.gz, .xz, .bz2). Choose it, or drop it here.")),
    );
    this.element = el("div", null, this.region, this._arriving, this.state, this._picker);
    this._channel = new BroadcastChannel(CHANNEL);
    this._channel.onmessage = () => this._active && this.begin();
  }

  /** Numbers of those that are explored. */
  get explored() {
    return exploredOf(this.list);
  }

  /** Names of those that are explored. */
  get names() {
    return this.list.filter(each => each.chosen && each.open).map(each => each.name);
  }

  show() {
    this._active = true;
    return this.begin();
  }

  hide() {
    this._active = false;
    this._opening?.stop();
    this._opening = null;
  }

  /** Asks for all archives, and opens those that are chosen. */
  async begin() {
    try {
      this._take((await this._app.api("explorer/archives")).archives);
      if (this._active) this._open();
    } catch (error) {
      this._app.fail(error);
    }
  }

  /** Sends files that the person chose or dropped. @param {File[]} files */
  async add(files) {
    for (const file of files) await this._send(file);
  }

  // --- within

  /** @param {boolean} primary */
  _adder(primary) {
    return button(t("Add an archive…"), () => this._picker.click(), {class: primary ? "primary add" : "add"});
  }

  /** @param {File} file */
  async _send(file) {
    const errand = this._sending.begin(),
      bar = progress({name: file.name, share: 0});
    bar.setAttribute("aria-label", t("Sending {name}", {name: file.name}));
    const stop = button(t("Cancel"), () => {
      this._sending.end();
      this._arriving.hidden = true;
    });
    this._arriving.replaceChildren(t("Reading {name}", {name: file.name}), " ", bar, " ", stop);
    this._arriving.hidden = false;
    try {
      const answer = await sendArchive(this._app, file, {
        progress: share => {
          bar.value = share;
        },
        isOver: () => errand.isStale,
      });
      if (!answer) return;
      this._take(answer.archives);
      this._choose(answer.archive, true);
      this._channel.postMessage("added");
    } catch (error) {
      if (!errand.isStale) this._app.fail(error);
    }
    if (!errand.isStale) this._arriving.hidden = true;
  }

  /**
   * @param {number} number
   * @param {boolean} on
   */
  _choose(number, on) {
    const archive = this.list.find(each => each.number === number);
    if (archive) archive.chosen = on;
    this._app.keep(
      "explored",
      this.list.filter(each => each.chosen).map(each => each.name),
    );
    this._open();
    this._onchange();
  }

  /**
   * @param {string} what
   * @param {Archive} archive
   * @param {string} words said once it is done
   */
  async _act(what, {number}, words) {
    try {
      this._take((await this._app.api(`explorer/${what}`, {archive: number})).archives);
      this._app.say(words);
      this._channel.postMessage(what);
    } catch (error) {
      this._app.fail(error);
      await this.begin();
      return;
    }
    this._open();
    this._onchange();
  }

  _open() {
    this._opening?.stop();
    this._opening = null;
    this._draw();
    const numbers = this.list.filter(each => each.chosen).map(each => each.number);
    if (!numbers.length || !this._active) return;
    this._opening = this._app.live("explorer/open", {archives: numbers}, (/** @type {any} */ event) => {
      if (event.archives) {
        const before = this.explored.join();
        this._take(event.archives);
        if (this.explored.join() !== before) this._onchange();
        return;
      }
      this._opening = null;
      if (event.error && !event.lost) this._app.fail(event.error);
      if (event.end) this._onchange();
    });
  }

  /** @param {Archive[]} archives */
  _take(archives) {
    this.isKnown = true;
    this.list = withChoice(archives, this.list, this._app.kept("explored"));
    this._draw();
  }

  _draw() {
    const focused = this._rows.contains(document.activeElement) ? document.activeElement?.getAttribute("value") : null;
    const key = JSON.stringify(this.list);
    if (key !== this._drawn) {
      this._drawn = key;
      this._rows.replaceChildren(
        ...this.list.map(each =>
          archiveRow(each, {
            choose: ({number}, on) => this._choose(number, on),
            open: () => this._open(),
            keep: archive => this._act("keep", archive, t("{name} is kept for the next time", {name: archive.name})),
            remove: archive => this._act("remove", archive, t("{name} is removed", {name: archive.name})),
          }),
        ),
      );
      if (focused) /** @type {HTMLElement | null} */ (this._rows.querySelector(`[value="${focused}"]`))?.focus();
    }
    this._onlist(this.list.length);
    this.empty.hidden = !this.isKnown || this.list.length > 0;
    this._tell();
  }

  /** What must be seen though the list of archives is folded: work, failures, and that none is chosen. */
  _tell() {
    const chosen = this.list.filter(each => each.chosen),
      work = chosen
        .filter(each => each.opening)
        .map(each => {
          const words = t("Making the index of {name}, once: {share} %", {
            name: each.name,
            share: percent(each.share),
          });
          return el("p", null, words, " ", progress(each));
        });
    const faults = chosen
      .filter(each => !each.opening && each.error)
      .map(each =>
        el(
          "p",
          {class: "failed"},
          `${each.name}: ${said(/** @type {import("../texts.js").Said} */ (each.error))} `,
          button(t("Try again"), () => this._open()),
          each.added && button(t("Remove"), () => this._act("remove", each, t("{name} is removed", {name: each.name}))),
        ),
      );
    if (this.list.length && !chosen.length) {
      faults.push(el("p", null, t("Choose what to explore under Archives. The games of a file are indexed once.")));
    }
    fill(this._work, work);
    fill(this._faults, faults);
  }
}

/**
 * Replaces lines where they say something else: what screen readers tell is told once.
 * @param {Element} place
 * @param {Element[]} lines
 */
function fill(place, lines) {
  const words = lines.map(line => line.textContent).join("");
  if (words !== place.textContent) place.replaceChildren(...lines);
}
