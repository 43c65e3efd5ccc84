// Asking the server about a game: all its moves judged, a single move that is tried, what people play.

import {t} from "../texts.js";
import {lossOf, stepsFrom, worthsOf} from "./moments.js";
import {trialLimit} from "./state.js";

/** @typedef {import("../shell.js").App} App */

/** The judging of a game, into its Review. */
export class Job {
  /**
   * @param {App} app
   * @param {import("./state.js").Review} review
   * @param {{ondone: () => void}} hears ondone: the marks are in the game
   */
  constructor(app, review, {ondone}) {
    this._app = app;
    this._review = review;
    this._ondone = ondone;
    this._sent = "";
    /** @type {{say: (said: object) => void, stop: () => void} | null} */
    this._stream = null;
    review.onstop = why => this.stop(why);
  }

  /** @param {string} limit such as "nodes=200000" or "seconds=1" */
  begin(limit) {
    const [name, value] = limit.split("=");
    this._review.begin();
    const asked = {document: this._review.tree.document(), [name]: Number(value)};
    this._stream = this._app.live("annotate", asked, (/** @type {any} */ event) => this._heard(event));
  }

  /** @param {string} why */
  stop(why) {
    this._stream?.stop();
    this._end(`${why} ${this._review.count()}.`);
  }

  /** @param {string} said */
  _end(said) {
    this._stream = null;
    this._review.end(said);
  }

  /** @param {any} event */
  _heard(event) {
    const review = this._review,
      {tree} = review;
    if (event.moves) review.heard(event.moves);
    else if (event.waits) review.changed(t("All engines are busy; waiting for one."));
    else if (event.judged) {
      this._sent = JSON.stringify(tree.document());
      this._stream?.say({document: tree.document()});
    } else if (event.document) {
      if (JSON.stringify(tree.document()) !== this._sent) {
        this.stop(t("The game was changed as the marks were put in, and stays as it is now: review it again."));
        return;
      }
      this._stream = null;
      review.finish(event);
      this._ondone();
    } else if (event.error !== undefined) this._end(event.error);
  }
}

/**
 * Has a move tried in place of a marked one, by a search as those of the review.
 * @param {App} app
 * @param {import("./moments.js").Moment} moment
 * @param {string} move
 * @returns {{result: Promise<import("./moments.js").Trial>, stop: () => void}}
 */
export function tried(app, moment, move) {
  /** @type {{stop: () => void} | null} */
  let stream = null;
  const {tree} = app,
    best = worthsOf(moment).best ?? 1,
    better = stepsFrom(moment.line).map(({text}) => text),
    asked = {...tree.replay(moment.node.parent), move, best, better, ...trialLimit(tree.headers)};
  const result = new Promise((resolve, reject) => {
    stream = app.live("annotate/trial", asked, (/** @type {any} */ event) => {
      if (event.error !== undefined) reject(new Error(event.error));
      else if (event.verdict) resolve(event);
      else if (event.end) reject(new Error(t("The engine gave no answer.")));
    });
  });
  // who has gone on does not hear of it
  result.catch(() => {});
  return {result, stop: () => stream?.stop()};
}

/**
 * The moves that people play in the position before a marked move, the likeliest first.
 * @param {App} app
 * @param {import("./state.js").Mark} mark
 * @returns {Promise<import("../people/state.js").Move[]>}
 */
export async function peopleBefore(app, mark) {
  const {node} = mark,
    {parent} = node,
    loss = lossOf(mark),
    before = app.tree
      .line(parent)
      .slice(-3, -1)
      .map((/** @type {any} */ each) => each.fen);
  return (await app.api("people", {fen: parent.fen, before, ...(loss !== null && {after: node.fen, loss})})).moves;
}
