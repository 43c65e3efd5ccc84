// Open games beside each other, as a strip of their names; they outlive the page, in this tab and for the next one.

import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {Keeper} from "../library/keeper.js";
import {kept} from "../store.js";
import {t} from "../texts.js";
import {OpenGames} from "./state.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").GameDocument} GameDocument */
/** @typedef {import("./state.js").Stored} Stored */

const LONGEST = 2_000_000;
const SAVING_MS = 300;

export class Opened {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.games = new OpenGames({document: app.tree.document(), path: []});
    this.element = el("div", {class: "opened", role: "group", "aria-label": t("Open games"), hidden: true});
    this._saving = 0;
    this._drawn = "";
    this._switching = false;
    this._isBegun = false;
    this.isRestored = false; // a game from before is on the board
    /** @type {(document: GameDocument, path: number[], from: string, kept?: Stored["kept"]) => void} */
    app.beside = (document, path, from, kept) => this.open({document, path, kept}, from);
    this.keeper = new Keeper(app, () => this._isBegun && this._save());
    app.tree.on("game", () => this._changed());
    app.tree.on("edit", () => this._draw());
    this._draw();
  }

  /**
   * Opens a game beside the one on the board.
   * @param {Stored} game
   * @param {string} from where it comes from: a game that is open already is only gone to
   */
  open(game, from) {
    this._hold();
    const {list} = this.games,
      before = list.length,
      now = this.games.open(game, from);
    if (list.length === before && !now.held) now.path = game.path;
    this._show();
    if (now.held) this._follow(game.path);
    this.app.go("analyse");
  }

  /** Goes to an open game. @param {number} id */
  async go(id) {
    const game = this.games.list.find(each => each.id === id),
      errand = this.app.errand();
    if (!game || game === this.games.current) return;
    try {
      // one that was saved by another page may hold anything
      if (!game.held) game.document = (await this.app.api("games/check", {document: game.document})).document;
    } catch (error) {
      this.app.fail(error);
      return;
    }
    if (errand.isStale) return;
    this._hold();
    this.games.go(id);
    this._show();
  }

  /** Closes a game. @param {number} id */
  async close(id) {
    const {list, current: before} = this.games,
      at = list.findIndex(each => each.id === id),
      gone = list[at];
    if (before === gone) {
      // the one that comes into sight may have to be checked
      await this.go(list[at - 1].id);
      if (this.games.current === gone) return;
    }
    this.games.close(id);
    this._draw();
    this._save();
    /** @type {HTMLElement | null} */ (this.element.querySelector("[aria-current]"))?.focus();
  }

  // --- what outlives the page

  /** Begins to save; what was saved before has been recalled or is given up. */
  begin() {
    this._isBegun = true;
    for (const what of ["node", "edit", "game"]) this.app.tree.on(what, () => this._save());
    addEventListener("pagehide", () => this._saving && this._write());
    // a game may have come meanwhile
    if (this.app.tree.canUndo) this._save();
  }

  /** What this tab or another one has saved: {own, state}; own: true if it was this one. */
  recall() {
    const own = kept("game", null, "sessionStorage");
    return {own: Boolean(own), state: own ?? kept("game")};
  }

  /**
   * Shows what was saved; the game on the board has been checked by the server.
   * @param {any} state
   * @param {GameDocument} document
   */
  restore(state, document) {
    if (!this.games.restore({...state, document})) return;
    this.isRestored = true;
    this._show();
    this.app.tree.forget();
  }

  _save() {
    clearTimeout(this._saving);
    this._saving = window.setTimeout(() => this._write(), SAVING_MS);
  }

  _write() {
    clearTimeout(this._saving);
    this._saving = 0;
    this._take();
    const state = this.games.state();
    let text = JSON.stringify(state);
    // rather the game on the board alone than nothing
    while (text.length > LONGEST && state.beside.length) {
      state.beside.pop();
      text = JSON.stringify(state);
    }
    if (text.length > LONGEST) return;
    for (const place of /** @type {const} */ (["sessionStorage", "localStorage"])) {
      try {
        window[place].setItem("kr-game", text);
      } catch {
        // a full or forbidden store: the game lives as long as the page
      }
    }
  }

  // --- within

  /** The game on the board as it is now. */
  _take() {
    const {current} = this.games,
      {tree} = this.app;
    current.document = tree.document();
    current.path = tree.path();
    current.kept = this.keeper.current;
  }

  _hold() {
    this._take();
    this.games.current.held = this.app.tree.hold();
    this.app.tree.forget();
  }

  _show() {
    const {current} = this.games,
      {tree} = this.app;
    this._switching = true;
    if (current.held) {
      tree.resume(current.held);
    } else {
      this.keeper.expect(current.kept);
      tree.load(current.document, current.path);
      tree.forget();
    }
    this._switching = false;
    this._draw();
  }

  /** Goes to a place in the game on the board. @param {number[]} path */
  _follow(path) {
    const {tree} = this.app;
    let node = tree.root;
    for (const index of path) node = node.children[index] ?? node;
    tree.select(node);
  }

  /** Another game has taken the place of the one on the board. */
  _changed() {
    if (this._switching) return;
    this._take();
    this._draw();
  }

  _draw() {
    const {current} = this.games;
    current.document = {...current.document, headers: this.app.tree.headers};
    const names = this.games.names(),
      key = JSON.stringify(names);
    if (key === this._drawn) return;
    this._drawn = key;
    this.element.hidden = names.length < 2;
    this.element.replaceChildren(...names.map(each => this._entry(each)));
    const now = /** @type {HTMLElement | null} */ (this.element.querySelector(".now"));
    if (now) this.element.scrollLeft = now.offsetLeft - this.element.offsetLeft - 24;
  }

  /** @param {{id: number, name: string, current: boolean, own: boolean}} game */
  _entry({id, name, current, own}) {
    const shown = visible(name);
    const title = own ? t("Back to {game}", {game: shown}) : shown;
    const go = {type: "button", onclick: () => this.go(id), "aria-current": current && "true", title};
    const closing = {class: "close", "aria-label": t("Close {game}", {game: shown})};
    return el(
      "span",
      {class: current ? "now" : null},
      el("button", go, el("bdi", null, shown)),
      !own && button("×", () => this.close(id), closing),
    );
  }
}
