// Games that come in: a file that is chosen or dropped, a text that is pasted, a link.

import {button, el} from "../dom.js";
import {PIECE, encoded} from "../pieces.js";
import {visible} from "../escapes.js";
import {tooLarge} from "../offers.js";
import {many, t} from "../texts.js";
import {isBare, newDocument} from "../setup/fen.js";
import {linkIn, unpacked} from "./link.js";
import {isCertificate} from "./state.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("../texts.js").Said} Said */
/** @typedef {import("./shelf.js").Shelf} Shelf */
/**
 * A file or text that is read. What the person does meanwhile is not overwritten: `errand.isStale` tells it; `isOver`
 * that another one is read, or this one was given up.
 * @typedef {{name: string, source: "pasted" | "file", errand: import("../errands.js").Errand,
 *   progress: (share: number) => void, isOver: boolean}} Job
 */

const LARGEST_FILE = 64 << 20;
const LONGEST_TEXT = 2_000_000;
const TEXT = /\.(pdn|txt)$/i;

export class Reading {
  /**
   * @param {App} app
   * @param {Shelf} shelf
   * @param {{open: (document: any, path: number[], warnings: Said[],
   *   kept: import("../library/keeper.js").Kept) => void, results: () => string}} does
   */
  constructor(app, shelf, {open, results}) {
    this._app = app;
    this._shelf = shelf;
    this._open = open;
    this._results = results;
    /** Takes a certificate. @type {(file: File) => void} */
    this.oncertificate = () => {};
    /** How often something was read. */
    this.count = 0;
    this.element = el("p", {class: "reading", hidden: true});
  }

  /** Opens a text, or what a link names. @param {string} text */
  text(text) {
    const link = linkIn(text);
    if (link) return this.link(link);
    return this._load(t("Pasted text"), "pasted", async job => {
      if (text.length > LONGEST_TEXT) await this._send(new Blob([text]), job);
      else await this._take(await this._app.api("games/read", {text, results: this._results()}), job);
    });
  }

  /** Opens a file, or several as one list. @param {readonly File[]} files */
  files(files) {
    const [file] = files;
    if (files.length < 2) return this.file(file);
    if (!files.every(({name}) => TEXT.test(name))) {
      this._app.fail(t("Several files at once can only be .pdn or .txt"));
      return undefined;
    }
    const parts = files.flatMap(each => [each, "\n\n"]);
    return this.file(new File(parts, `${file.name} + ${files.length - 1}`));
  }

  /** @param {File | undefined} file */
  file(file) {
    if (!file) return undefined;
    if (isCertificate(file.name)) {
      this.oncertificate(file);
      return undefined;
    }
    return this._load(file.name, "file", async job => {
      if (file.size > LARGEST_FILE) {
        throw new Error(tooLarge(file.name, LARGEST_FILE >> 20));
      }
      if (file.size > PIECE) return this._send(file, job);
      const data = await encoded(file, file.name);
      return this._take(await this._app.api("games/read", {data, results: this._results()}), job);
    });
  }

  /** Opens what a link names; null is one that is damaged. @param {import("./link.js").Link | null} link */
  async link(link) {
    const {_app: app} = this,
      errand = app.errand();
    if (link?.kind === "task") {
      location.hash = link.address;
      return;
    }
    this.count += 1;
    try {
      if (!link) throw new Error(t("The link is damaged: it holds no game"));
      const {document, warnings} =
        link.kind === "game" ? await this._linkedGame(link.data) : await this._position(link.fen);
      if (errand.isStale) {
        app.say(t("The game of the link was not opened: you went on with another"));
        return;
      }
      this._open(document, link.kind === "game" ? link.place : [], warnings, {source: "link"});
      if (link.kind === "game" && link.isMoment) app.moment();
    } catch (error) {
      app.fail(error);
    }
  }

  /** @param {string} data */
  async _linkedGame(data) {
    const {document, games} = await this._app.api("games/read", {text: await unpacked(data)});
    if (!document) throw new Error(t("The link holds more than one game"));
    return {document, warnings: games[0].warnings};
  }

  /** @param {string} fen */
  async _position(fen) {
    const position = await this._app.api("position", {fen});
    if (isBare(position.fen)) throw new Error(t("The board is empty: a position needs pieces"));
    return {document: newDocument(position.fen), warnings: []};
  }

  /**
   * @param {string} name
   * @param {Job["source"]} source
   * @param {(job: Job) => Promise<unknown>} read
   */
  async _load(name, source, read) {
    const number = ++this.count,
      bar = el("progress", {"aria-label": t("Reading {name}", {name}), max: 1});
    const isOver = () => number !== this.count;
    const job = {
      name,
      source,
      errand: this._app.errand(),
      progress: (/** @type {number} */ share) => {
        bar.value = share;
      },
      get isOver() {
        return isOver();
      },
    };
    this.element.replaceChildren(
      el("span", {role: "status"}, t("Reading {name}", {name: visible(name)})),
      " ",
      bar,
      " ",
      button(t("Cancel"), () => {
        this.count += 1;
        this.element.hidden = true;
      }),
    );
    this.element.hidden = false;
    try {
      await read(job);
    } catch (error) {
      if (!job.isOver) this._app.fail(error);
    }
    if (!job.isOver) this.element.hidden = true;
  }

  /** Sends a large file piece by piece. @param {Blob} blob @param {Job} job */
  async _send(blob, job) {
    let upload = null;
    for (let start = 0; start < blob.size; start += PIECE) {
      const data = await encoded(blob.slice(start, start + PIECE), job.name);
      if (job.isOver) return;
      ({upload} = await this._app.api("games/upload", {data, upload}));
      if (job.isOver) return;
      job.progress(Math.min(1, (start + PIECE) / blob.size));
    }
    await this._take({upload}, job);
  }

  /** @param {any} answer @param {Job} job */
  async _take(answer, job) {
    if (job.isOver) return;
    const {_app: app, _shelf: shelf} = this,
      {name, source, errand} = job,
      one = answer.document,
      hasFormer = app.tree.root.children.length;
    const left = answer.left_out && t("{games} could not be read", {games: many(answer.left_out, "game")});
    if (one && !errand.isStale) {
      await shelf.choose(null);
      this._open(one, [], answer.games[0].warnings, {source});
      void shelf.lose(answer);
      if (left) app.panel("game");
      app.say([hasFormer && t("Opened; Undo brings the former game back"), left].filter(Boolean).join(". "));
      return;
    }
    // a game that comes too late to be opened stands in the list
    const games = one ? [{...answer.games[0], document: one}] : answer.games;
    await shelf.choose(
      answer.upload
        ? {name, source, upload: answer.upload}
        : {name, source, games, left_out: answer.left_out, faults: answer.faults},
    );
    // what the person does in another panel goes on
    if (!errand.isStale) app.panel("game");
    if (!shelf.list.count && shelf.isWhole) throw new Error(t("{name}: no game found", {name}));
    if (errand.isStale) {
      app.say(t("{name} is read; its games are listed, and the game on the board stays", {name}));
      return;
    }
    if (games) {
      const listed = many(games.length, "game");
      app.say(left ? t("{games}, {left} could not be read", {games: listed, left: answer.left_out}) : listed);
    }
    await shelf.pick(0, {errand, quiet: true});
  }
}
