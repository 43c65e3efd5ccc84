// The panel Games: games to open, from files, texts, links and from before; what the game on the board is called.

import {filePicker, resultsChoice} from "../controls.js";
import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {many, t} from "../texts.js";
import {told} from "../told.js";
import {About} from "./about.js";
import {Opened} from "./opened.js";
import {Reading} from "./reading.js";
import {Shelf} from "./shelf.js";
import {linkIn} from "./link.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("../texts.js").Said} Said */

const FILES = ".pdn,.gz,.xz,.bz2,.fen,.txt,.krproof";

/** @param {App} app */
export const panel = app => new Games(app).panel;

class Games {
  _hint = el("p", {class: "muted hint"}, t("Or drop a file anywhere on the page, or paste a game with Ctrl+V."));
  _remarks = el("details", {class: "faults", hidden: true});

  /** @type {HTMLInputElement | null} */
  _picker = null;
  /** @type {((on: boolean) => void) | null} shows or hides the form for a text */
  _paste = null;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this._convention = resultsChoice(app, () => this.shelf.search());
    const results = () => this._convention.value;
    this.opened = new Opened(app);
    this.about = new About(app);
    // another game is not what the remarks are about
    app.tree.on("game", () => this._remark([]));
    this.shelf = new Shelf(app, {
      results,
      open: (document, warnings, kept, stays) => this._open(document, [], warnings, kept, stays),
    });
    this.reading = new Reading(app, this.shelf, {
      results,
      open: (document, path, warnings, kept) => this._open(document, path, warnings, kept),
    });
    // what stands behind #analyse/ in the address
    app.onrest = (/** @type {string} */ rest) => this.reading.link(linkIn(`#analyse/${rest}`));
    const start = this._begin().then(() => this.opened.begin());
    // the game from before would come over it
    app.reopen = async (/** @type {string} */ id) => {
      await start;
      await this.opened.keeper.open(id);
    };
    app.onback(() => this._named());
    const element = this._element(),
      {opened} = this;
    this.panel = {
      name: "game",
      strip: this.opened.element,
      reading: this.reading,
      begun: start,
      /** True if the game on the board was left at another visit. */
      get isRestored() {
        return opened.isRestored;
      },
      pick: () => this._picker?.click(),
      paste: () => this._paste?.(true),
      title: t("Games"),
      element,
      show: () => this._show(),
    };
  }

  // --- elements

  _element() {
    const picker = filePicker(FILES, (_, files) => this.reading.files(files), {multiple: true});
    this._picker = picker;
    const area = el("textarea", {
      rows: 5,
      "aria-label": t("PDN, moves, a FEN or a link"),
      placeholder: "1. 11-15 23-19 2. 8-11 …",
      spellcheck: "false",
    });
    const pasting = el(
      "form",
      {
        hidden: true,
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          this.reading.text(area.value);
        },
      },
      area,
      el("div", {class: "row"}, el("button", {type: "submit", class: "primary"}, t("Open this"))),
    );
    const open = button(t("Open…"), () => picker.click(), {
      title: t("A PDN file; or drop one on the page"),
      class: "primary",
    });
    this._paste = (/** @type {boolean} */ on) => {
      pasting.hidden = !on;
      paste.setAttribute("aria-expanded", String(on));
      open.classList.toggle("primary", !on);
      if (on) area.focus();
    };
    const paste = button(t("Paste…"), () => this._paste?.(pasting.hidden !== false), {
      "aria-expanded": "false",
      title: t("PDN, moves, a FEN or a link; Ctrl+V works anywhere"),
    });
    const library = button(t("Library"), () => this.app.go("library"), {title: t("All your games")});
    return el(
      "div",
      null,
      el("div", {class: "row"}, open, picker, paste, library, this._convention),
      pasting,
      this._hint,
      this._remarks,
      this.shelf.element,
      this.about.title,
      this.about.element,
    );
  }

  _show() {
    if (!this.shelf.isWhole) this.shelf.readOn();
    this._hint.hidden = Boolean(this.shelf.source);
  }

  // --- opening

  /**
   * @param {any} document
   * @param {number[]} path
   * @param {Said[]} [warnings] remarks on its text
   * @param {import("../library/keeper.js").Kept} [kept] of it
   * @param {boolean} [stays] the page that is shown
   */
  _open(document, path, warnings = [], kept = undefined, stays = false) {
    this.opened.keeper.expect(kept);
    if (stays) this.app.tree.load(document, path);
    else this.app.open(document, path);
    void this._remark(warnings);
  }

  /** @param {Said[]} faults */
  async _remark(faults) {
    const remarks = await Promise.all(faults.map(each => told(each)));
    this._remarks.hidden = !faults.length;
    this._remarks.open = faults.length > 0 && faults.length < 4;
    const title =
      faults.length === 1
        ? t("A remark on the text")
        : t("{remarks} on the text", {remarks: many(faults.length, "remark")});
    this._remarks.replaceChildren(
      el("summary", null, title),
      el("ul", null, ...remarks.map(remark => el("li", null, visible(remark)))),
    );
  }

  // --- the beginning: files of the command line, and the games from before

  async _begin() {
    const {app, opened, reading, shelf} = this,
      {tree} = app;
    try {
      const {files, mark} = await app.api("games/files");
      shelf.offer(files);
      const kind = linkIn(location.hash)?.kind,
        isLinked = kind === "game" || kind === "position",
        {own, state} = opened.recall();
      // what the person has done meanwhile stays; another page is no reason to forget the game
      const errand = {
        get isStale() {
          return isLinked || reading.count > 0 || tree.canUndo || Boolean(app.board.onedit);
        },
      };
      if (files.length && !shelf.source && !reading.count) await shelf.choose(shelf.named[0]);
      if (state?.document && !errand.isStale) {
        const {document} = await app.api("games/check", {document: state.document});
        if (!errand.isStale) opened.restore(state, document);
      }
      // a new window of a new server shows the file that was named; Undo leads back to the former game
      if (
        files.length &&
        !own &&
        !errand.isStale &&
        shelf.source === shelf.named[0] &&
        app.kept("files-mark") !== mark
      ) {
        app.keep("files-mark", mark);
        await this._first(errand);
      }
    } catch (error) {
      app.fail(error);
    }
  }

  /** Another server may have other files. */
  async _named() {
    const {app, shelf} = this,
      {source} = shelf;
    try {
      shelf.offer((await app.api("games/files")).files);
      const isHere = source?.file === undefined || shelf.named[source.file - 1]?.name === source.name;
      if (!isHere || !source) await shelf.choose(shelf.named[0] ?? null);
    } catch (error) {
      app.fail(error);
    }
  }

  /** @param {{isStale: boolean}} errand */
  async _first(errand) {
    const {app, shelf} = this,
      {source} = shelf;
    const game = await shelf.pick(0, {errand, quiet: true, stays: true});
    if (!game || !source) return;
    // an address that names another page counts
    if (app.shown() !== "analyse") app.say(t("{name} is open on the page Analyse", {name: source.name}));
    else if (!source.isTold) app.say(t("Game {number}", {number: game.number}));
  }
}
