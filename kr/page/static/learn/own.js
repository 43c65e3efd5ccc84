// Problems of a person's own files: opened from this machine, kept in the browser, removed again.

import {encoded} from "../pieces.js";
import {filePicker, resultsChoice} from "../controls.js";
import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {SharedRecord} from "../shared-record.js";
import {many, t} from "../texts.js";
import {told} from "../told.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {{id: string, fen: string}} Problem as the answers have read it, with other fields that only they know */
/** @typedef {{name: string, problems: Problem[]}} OwnFile */

const FILES = ".pdn,.jsonl,.json,.fen,.txt,.gz,.xz,.bz2";
const LARGEST_FILE = 2_900_000; // bytes
const MOST_KEPT = 20_000; // problems of all files

/** The files that are kept; all tabs share them. @extends {SharedRecord<OwnFile[]>} */
export class OwnFiles extends SharedRecord {
  /** @param {import("../shared-record.js").Store} store */
  constructor(store) {
    super(store, "problem-files", {isContent: isFiles, otherwise: () => []});
  }

  /** Adds a file, in place of one of its name; false if the browser has no room for it. @param {OwnFile} file */
  add(file) {
    this.refresh();
    const before = this.all;
    if (this.put([...before.filter(({name}) => name !== file.name), file])) return true;
    this.put(before);
    return false;
  }

  /** @param {string} name */
  remove(name) {
    this.refresh();
    this.put(this.all.filter(each => each.name !== name));
  }

  /** The problems of all files. */
  problems() {
    return this.all.flatMap(({problems}) => problems);
  }
}

/** @param {unknown} told @returns {told is OwnFile[]} */
const isFiles = told =>
  Array.isArray(told) && told.every(each => typeof each?.name === "string" && Array.isArray(each.problems));

/** The files in the panel of the list. */
export class OwnPanel {
  /**
   * @param {App} app
   * @param {OwnFiles} files
   * @param {(added: boolean) => Promise<void>} onchange
   */
  constructor(app, files, onchange) {
    this._app = app;
    this._files = files;
    this._onchange = onchange;
    this._list = el("ul", {class: "own-files"});
    this._faults = el("ul", {class: "faults"});
    this._convention = resultsChoice(app);
    this._chosen = filePicker(FILES, file => void this._open(file));
    this.element = el(
      "details",
      {class: "own"},
      el("summary", null, t("Own problem files")),
      el(
        "div",
        {class: "row"},
        button(t("Open problems…"), () => this.pick()),
        this._chosen,
        this._convention,
      ),
      el("p", {class: "muted hint"}, t("PDN, or a position or a problem as JSON in each line.")),
      el("div", {role: "status"}, this._faults),
      this._list,
    );
    this.show();
  }

  /** Lets a person choose a file. */
  pick() {
    this._chosen.click();
  }

  show() {
    this._files.refresh();
    this._list.replaceChildren(
      ...this._files.all.map(({name, problems}) =>
        el(
          "li",
          {class: "row"},
          el("bdi", null, visible(name)),
          el("span", {class: "muted"}, many(problems.length, "puzzle")),
          button(t("Remove"), () => this._remove(name), {"aria-label": t("Remove {name}", {name: visible(name)})}),
        ),
      ),
    );
  }

  /** @param {File} file */
  async _open(file) {
    const {name} = file;
    this._faults.replaceChildren();
    try {
      if (file.size > LARGEST_FILE) throw new Error(t("{name} is too large for a file of problems", {name}));
      const data = await encoded(file, name),
        {
          problems,
          faults,
          left_out: left,
        } = await this._app.api("puzzles/read", {
          name,
          data,
          results: this._convention.value,
        });
      if (this._files.problems().length + problems.length > MOST_KEPT)
        throw new Error(t("{count} problems are kept at most: remove a file first", {count: MOST_KEPT}));
      if (!this._files.add({name, problems}))
        throw new Error(t("The browser has no room for the problems of {name}", {name}));
      await this._tell(faults, left);
      this.show();
      await this._onchange(true);
      this._app.say(t("{name}: {puzzles}", {name, puzzles: many(problems.length, "puzzle")}));
    } catch (error) {
      this._app.fail(error);
    }
  }

  /** @param {import("../texts.js").Said[]} faults @param {number} left how many there are */
  async _tell(faults, left) {
    const more = left - faults.length,
      reasons = await Promise.all(faults.map(each => told(each)));
    this._faults.replaceChildren(
      ...reasons.map(why => el("li", null, visible(why))),
      ...(more ? [el("li", null, t("{count} more could not be read", {count: more}))] : []),
    );
    if (left) this.element.open = true;
  }

  /** @param {string} name */
  _remove(name) {
    this._files.remove(name);
    this._faults.replaceChildren();
    this.show();
    void this._onchange(false);
  }
}
