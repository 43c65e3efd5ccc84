// The choice of an opening: the start, a ballot, or a position.

import {choice, fenField, labelled} from "../controls.js";
import {el} from "../dom.js";
import {finder} from "../setup/finder.js";
import {t} from "../texts.js";

export class Openings {
  /**
   * @param {import("../shell.js").App} app
   * @param {string} kept what was chosen before
   */
  constructor(app, kept) {
    this.app = app;
    this.opening = ["3move", "11man"].includes(kept) ? kept : "";
    this._ballot = "";
    this._list = choice(
      t("From"),
      {
        "": t("the start"),
        "3move": t("a random three-move ballot"),
        "11man": t("a random 11-man ballot"),
        ballot: t("a ballot of your choice"),
        fen: t("a position"),
      },
      {value: this.opening, onchange: opening => this._choose(opening)},
    );
    const chosen = el("p", {role: "status"});
    this._ballots = finder(app, (deck, number, title, name) => {
      this._ballot = deck === "named" ? name : `${deck} ${number}`;
      if (deck === "3move") chosen.textContent = t("Three-move ballot {title}", {title});
      else chosen.textContent = deck === "11man" ? t("11-man ballot {title}", {title}) : title;
    });
    this._found = el("div", {class: "form", hidden: true}, this._ballots.element, chosen);
    this._fen = fenField(t("FEN of the position"));
    this._position = labelled(this._fen);
    this._position.hidden = true;
    this.element = el("div", {class: "form"}, labelled(this._list), this._found, this._position);
  }

  /**
   * A game from a position.
   * @param {string} fen
   */
  from(fen) {
    this._fen.value = fen;
    this._list.value = "fen";
    this._choose("fen");
  }

  /** What the server takes; null if a ballot is still to be chosen. @returns {string | null} */
  settings() {
    if (this.opening === "ballot") return this._ballot || null;
    return this.opening === "fen" ? this._fen.value : this.opening;
  }

  /** @param {string} opening */
  _choose(opening) {
    this.opening = opening;
    this._found.hidden = opening !== "ballot";
    this._position.hidden = opening !== "fen";
    if (opening === "ballot") this._ballots.search();
    if (opening === "fen" && !this._fen.value) this._fen.value = this.app.tree?.node.fen ?? "";
  }
}
