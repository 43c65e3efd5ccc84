// The panel Set up: the start, ballots by number or name, any FEN, and an editor of positions.

import {Composing} from "../composing/panel.js";
import {fenField, form, labelled} from "../controls.js";
import {button, el} from "../dom.js";
import {START} from "../squares.js";
import {t} from "../texts.js";
import {Editor} from "./editor.js";
import {isBare, newDocument, toEnd} from "./fen.js";
import {finder} from "./finder.js";

export class Setup {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    this.app = app;
    const {board, tree} = app;
    this._fen = fenField("FEN");
    this._editor = new Editor(board, {
      onchange: fen => {
        app.acted();
        app.placing(fen);
        this._fen.value = fen;
        this._composing.follow(fen);
      },
      ondone: fen => this._take(fen),
      oncancel: () => this.cancel(),
    });
    this._composing = new Composing(app, this._editor);
    this._opener = el(
      "div",
      {class: "row"},
      button(t("New game"), () => this.begin(START)),
      button(t("Place pieces"), () => this.edit()),
    );
    this._ballots = finder(app, (deck, number) => this._choose(deck, number));
    for (const change of ["node", "game"]) {
      tree.on(change, () => {
        // a step through the game leaves the editor
        this.stopEditing();
        this._fen.value = tree.node.fen;
      });
    }
    this._fen.value = tree.node.fen;
    const element = el(
      "div",
      {class: "setup"},
      this._opener,
      this._editor.element,
      this._composing.element,
      form(
        {class: "form with-button"},
        () => this._take(this._fen.value),
        labelled(this._fen),
        el("button", {type: "submit"}, t("Set")),
      ),
      el("h2", null, t("Ballots")),
      this._ballots.element,
    );
    this.panel = {
      name: "setup",
      title: t("Set up"),
      element,
      untabbed: true,
      show: () => this._ballots.search(),
      hide: () => this._composing.stop(),
    };
  }

  get isEditing() {
    return this._editor.isOpen;
  }

  edit() {
    this._opener.hidden = true;
    this._composing.open();
    this._editor.open(this.app.tree.node.fen);
  }

  stopEditing() {
    if (!this._editor.isOpen) return;
    this._editor.close();
    this._composing.close();
    this._opener.hidden = false;
  }

  // leaves the editor, if it is open, for the position of the game
  cancel() {
    if (!this.isEditing) return;
    this.stopEditing();
    this.app.tree.select(this.app.tree.node);
  }

  /**
   * Begins another game; undo brings the former one back.
   * @param {string} start FEN
   * @param {Array<{text: string, path: number[], captured: number[], fen: string}>} [moves]
   * @param {Record<string, string>} [headers]
   */
  begin(start, moves = [], headers = {}) {
    if (this.app.tree.root.children.length) this.app.say(t("Undo brings the former game back"));
    const document = newDocument(start, moves, headers);
    this.app.open(document, toEnd(document));
  }

  /** @param {string} text of a position that was typed or placed */
  _take(text) {
    return this.app.attempt(
      () => this.app.api("position", {fen: text}),
      position => {
        // a FEN may lack the pieces of a side, which has lost, or of both
        if (isBare(position.fen)) throw new Error(t("The board is empty: a position needs pieces"));
        this.stopEditing();
        this.begin(position.fen);
      },
    );
  }

  /**
   * @param {string} deck
   * @param {number} number
   */
  _choose(deck, number) {
    return this.app.attempt(
      () => this.app.api("opening", {deck, number}),
      ({start, moves, title}) => {
        this.stopEditing();
        this.begin(start, moves, {Event: title});
        // a name stands above the moves anyway
        (deck === "named" ? this.app.announce : this.app.say)(title);
      },
    );
  }
}
