// The name of the opening that the line on the board goes through.

import {el} from "../dom.js";
import {t} from "../texts.js";

/** @import {App} from "../shell.js" */
/**
 * @typedef {{names: Array<{name: string, ply: number}>, ballot: {number: number, name: string, ply: number} | null}}
 * Names
 */

const NAMED_PLIES = 9; // no name needs more moves
const KEPT = 200;

/**
 * The name at a ply: the last one that was reached by then.
 * @param {Names} found
 * @param {number} ply
 */
function nameAt({names, ballot}, ply) {
  const name = names.findLast(each => each.ply <= ply)?.name ?? "";
  if (!ballot || ballot.ply > ply) return name;
  const number = t("ballot {number}", {number: ballot.number});
  return name ? `${name} (${number})` : number;
}

export class OpeningName {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this.element = el("p", {class: "opening muted"});
    this._key = "";
    /** @type {Map<string, Promise<Names>>} */
    this._found = new Map();
  }

  /** @param {any[]} line nodes of the game from its root to the position on the board */
  async follow(line) {
    // a line that goes on from a position set up later has no opening
    const moves = line.some(node => node.setup) ? [] : line.slice(1, 1 + NAMED_PLIES).map(node => node.text);
    const key = (this._key = JSON.stringify([line[0].fen, moves]));
    try {
      const names = await this._ask(key, {start: line[0].fen, moves});
      if (this._key === key) this.element.textContent = nameAt(names, line.length - 1);
    } catch {
      if (this._key === key) this.element.textContent = "";
    }
  }

  /**
   * @param {string} key
   * @param {{start: string, moves: string[]}} wanted
   */
  _ask(key, wanted) {
    const names = this._found.get(key);
    if (names) return names;
    if (this._found.size >= KEPT) this._found.clear();
    /** @type {Promise<Names>} */
    const asked = wanted.moves.length
      ? this._app.api("openings/names", wanted)
      : Promise.resolve({names: [], ballot: null});
    this._found.set(key, asked);
    asked.catch(() => this._found.delete(key));
    return asked;
  }
}
