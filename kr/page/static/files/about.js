// Players, event and result of the game on the board, and a form that changes them.

import {choice, labelled} from "../controls.js";
import {el} from "../dom.js";
import {visible} from "../escapes.js";
import {retold} from "../comments.js";
import {t} from "../texts.js";
import {dated, tag} from "./state.js";

/** @typedef {import("../shell.js").App} App */

const FIELDS = ["Black", "White", "Event", "Site", "Date", "Round"];
const fieldName = (/** @type {string} */ name) =>
  ({Black: t("Black"), White: t("White"), Event: t("Event"), Site: t("Place"), Date: t("Date"), Round: t("Round")})[
    name
  ] ?? name;
const results = () =>
  Object.entries({
    "*": t("not finished"),
    "1-0": t("1-0, Black won"),
    "0-1": t("0-1, White won"),
    "1/2-1/2": t("½-½, drawn"),
    "0-0": t("0-0, both lost"),
  });

export class About {
  /** @param {App} app */
  constructor(app) {
    this._tree = app.tree;
    this.title = el("p", {class: "players"});
    const onchange = () => this._change();
    /** @type {Record<string, HTMLInputElement>} */
    this._inputs = Object.fromEntries(
      FIELDS.map(name => [name, el("input", {type: "text", maxlength: 200, "aria-label": fieldName(name), onchange})]),
    );
    this._result = choice(t("Result"), results(), {onchange});
    this.element = el(
      "details",
      {class: "about"},
      el("summary", null, t("Players and result")),
      el(
        "div",
        {class: "form paired fields"},
        FIELDS.map(name => labelled(this._inputs[name])),
        labelled(this._result),
      ),
    );
    for (const what of ["game", "edit"]) this._tree.on(what, () => this._show());
    this._show();
  }

  _change() {
    const headers = {...this._tree.headers};
    for (const name of FIELDS) {
      const value = this._inputs[name].value.trim();
      if (value) headers[name] = value;
      else delete headers[name];
    }
    if (headers.Result) headers.Result = this._result.value;
    this._tree.describe(headers, this._result.value);
  }

  _show() {
    const {headers, result} = this._tree,
      known = (/** @type {string} */ name) => visible(tag(headers, name));
    const [black, white] = [retold(known("Black")), retold(known("White"))];
    const players = black || white ? `${black || "?"} – ${white || "?"}` : "";
    const facts = [players, known("Event"), dated(known("Date")), result === "*" ? "" : result].filter(Boolean);
    this.title.replaceChildren(...facts.flatMap((fact, i) => [i ? " · " : "", el("bdi", null, fact)]));
    for (const name of FIELDS) this._inputs[name].value = headers[name] || "";
    this._result.value = result;
  }
}
