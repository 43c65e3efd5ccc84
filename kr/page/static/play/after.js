// What stands below a game that is over: what decided it, and what to do next.

import {button, el} from "../dom.js";
import {fileName, give} from "../send.js";
import {piecesOn} from "../squares.js";
import {t} from "../texts.js";
import {decidedWords, endingToPlay} from "./decided.js";

/** @typedef {import("./state.js").Game} Game */

/** Most pieces of positions that are looked up: no database that a page has knows more. */
const MOST_PIECES = 10;

export class AfterGame {
  /**
   * @param {import("../shell.js").App} app
   * @param {HTMLButtonElement[]} buttons what to do next, before what depends on the game
   */
  constructor(app, buttons) {
    this._app = app;
    this._id = "";
    /** @type {Game | null} */
    this._game = null;
    /** @type {ReturnType<typeof endingToPlay>} */
    this._ending = null;
    this._words = el("p", {class: "decided", role: "status"});
    this._practise = button(t("Practise the ending"), () => this._play());
    this._save = button(t("Save PDN"), () => void this._give());
    this.element = el(
      "div",
      {class: "after", hidden: true},
      this._words,
      el("div", {class: "row", role: "group", "aria-label": t("What next")}, ...buttons, this._practise, this._save),
    );
  }

  /** @param {Game | null} game null: none is over */
  show(game) {
    this.element.hidden = !game;
    this._game = game;
    const id = game?.id ?? "";
    if (this._id === id) return;
    this._id = id;
    this._take("", null);
    if (game) void this._look(game);
  }

  /** @param {string} words @param {ReturnType<typeof endingToPlay>} ending */
  _take(words, ending) {
    this._words.textContent = words;
    this._ending = ending;
    this._practise.hidden = !ending;
    this._save.hidden = Boolean(ending);
  }

  /** @param {Game} game */
  async _look({id, over, settings, document: {nodes}}) {
    const pieces = nodes.map(({fen}) => piecesOn(fen)),
      few = nodes.filter((_, i) => pieces[i].black + pieces[i].white <= MOST_PIECES),
      winner = over?.winner ?? null;
    let found = [];
    try {
      found = (await this._app.api("endings/game", {fens: few.map(({fen}) => fen)})).values;
    } catch {
      // what the pieces tell is left
    }
    if (this._id !== id) return;
    // pieces only get fewer: these positions are the last ones
    const values = [...Array(nodes.length - few.length).fill(null), ...(found.length ? found : few.map(() => null))];
    const ending = endingToPlay(nodes, values, winner, settings.people ? "" : settings.side);
    this._take(decidedWords(nodes, values, winner), ending);
  }

  _play() {
    if (this._ending) this._app.go("endings", `${this._ending.goal}/${this._ending.fen}`);
  }

  async _give() {
    if (!this._game) return;
    const {document} = this._game;
    try {
      const {pdn} = await this._app.api("games/pdn", {document, results: this._app.kept("results", "english")});
      await give(fileName(document.headers, "pdn"), pdn, "application/x-draughts-pdn");
    } catch (error) {
      this._app.fail(error);
    }
  }
}
