// The page Runs: self-play, fits, training and matches, watched while they run. What they are is the server's matter:
// here are facts, tables and charts.

import {decoded} from "../address.js";
import {el} from "../dom.js";
import {t} from "../texts.js";
import {Detail} from "./detail.js";
import {Watch} from "./stream.js";
import {card} from "./view.js";

/** @import {Listing} from "./stream.js" */

/** @param {import("../shell.js").App} app */
export function page(app) {
  return new Runs(app).page;
}

class Runs {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    this.app = app;
    this._chosen = "";
    this._entered = this._missing = false;
    this._note = el("p", {class: "muted", hidden: true});
    this._list = el("ul", {class: "run-list"});
    this._detail = new Detail(game => this._open(game));
    this._watch = new Watch(app, {
      list: listing => this._showList(listing),
      run: run => this._detail.show(run),
      lost: why => this._say(why),
      missing: why => {
        this._missing = true;
        app.fail(why);
      },
    });
    this._element = el(
      "div",
      {class: "runs"},
      el("section", {class: "all", "aria-label": t("All runs")}, this._note, this._list),
      this._detail.element,
    );
    app.onback(() => this._entered && this._start());
    this.page = {
      name: "runs",
      title: t("Runs"),
      element: this._element,
      enter: (/** @type {string} */ rest) => this.enter(rest),
      leave: () => this.leave(),
    };
  }

  /** @param {string} text above the list; "" for none */
  _say(text) {
    this._note.textContent = text;
    this._note.hidden = !text;
  }

  /** @param {Listing} listing */
  _showList({runs, directories}) {
    const {activeElement} = document;
    const focused = this._list.contains(activeElement) && /** @type {HTMLAnchorElement} */ (activeElement).hash;
    this._say(
      !directories
        ? t("Start kr web with --runs DIR to watch the self-play, fits, training runs and matches in a directory.")
        : runs.length
          ? ""
          : t("There are no runs in the directory yet."),
    );
    this._list.replaceChildren(...runs.map(run => card(run, run.name === this._chosen)));
    // it is there now, or again
    if (this._missing && runs.some(run => run.name === this._chosen)) {
      this._missing = false;
      this._watch.one(this._chosen);
    }
    if (focused) [...this._list.querySelectorAll("a")].find(link => link.hash === focused)?.focus();
  }

  /** @param {number} game */
  _open(game) {
    return this.app.attempt(
      () => this._watch.game(this._chosen, game),
      document => this.app.open(document),
    );
  }

  // --- coming and going

  _start() {
    this._missing = false;
    this._watch.start(this._chosen);
  }

  /** @param {string} rest of the address */
  enter(rest) {
    const name = decoded(rest);
    if (this._entered && name === this._chosen) return;
    this._entered = true;
    if (name !== this._chosen) this._detail.clear();
    this._chosen = name;
    this._element.classList.toggle("chosen", Boolean(name));
    this._start();
  }

  leave() {
    this._entered = false;
    this._watch.stop();
  }
}
