// Games that are reviewed in the background: which are left, how fast it goes, what went wrong. It is kept after each
// game, so that the work goes on where it stopped, whatever ended the page. Nothing here touches the document.

import {SharedRecord} from "../shared-record.js";
import {formatted, many, t} from "../texts.js";
import {clock} from "../numbers.js";

/** @typedef {{id: string, name: string, moves: number}} Waiting a game that is to be reviewed */
/** @typedef {{name: string, why: string}} Fault a game that could not be */
/**
 * limit: of each search, such as "nodes=200000"; total: games when it began; seconds, plies: time that games took, and
 * the moves that they had; isTold: its end was said
 * @typedef {{limit: string, total: number, waiting: Waiting[], faults: Fault[], paused: boolean,
 *   isTold?: boolean, seconds: number, plies: number}} Batch
 */

/** Faults that are kept with their reasons. */
const MOST_FAULTS = 50;
const WORDS = 300;

/** @param {any} told @returns {told is Batch} */
const isBatch = told =>
  Array.isArray(told?.waiting) &&
  told.waiting.every((/** @type {any} */ each) => typeof each?.id === "string" && Number.isFinite(each.moves)) &&
  Array.isArray(told.faults) &&
  /^(nodes|seconds)=[\d.]+$/.test(told.limit) &&
  [told.total, told.seconds, told.plies].every(Number.isFinite);

/** @type {() => Batch} */
const none = () => ({
  ...{limit: "nodes=200000", total: 0, waiting: [], faults: [], paused: false},
  ...{seconds: 0, plies: 0},
});

/** The batch that is kept; all tabs share it. @extends {SharedRecord<Batch>} */
export class Reviews extends SharedRecord {
  /** @param {import("../shared-record.js").Store} store */
  constructor(store) {
    super(store, "reviews", {isContent: isBatch, otherwise: none});
  }

  get isOver() {
    return !this.all.waiting.length;
  }

  /** The game whose turn it is. @returns {Waiting | undefined} */
  get next() {
    return this.all.waiting[0];
  }

  get done() {
    return this.all.total - this.all.waiting.length;
  }

  /**
   * Has games reviewed: after those that wait already, with the same limit, each once.
   * @param {Waiting[]} games
   * @param {string} limit
   */
  add(games, limit) {
    this.refresh();
    const batch = this.isOver ? none() : this.all,
      ids = new Set(batch.waiting.map(({id}) => id)),
      added = games.filter(({id}) => !ids.has(id));
    return this.put({
      ...batch,
      limit: this.isOver ? limit : batch.limit,
      waiting: [...batch.waiting, ...added],
      total: batch.total + added.length,
      paused: false,
      isTold: false,
    });
  }

  /** Its end is said once, by one window. */
  tell() {
    this.put({...this.all, isTold: true});
  }

  /** @param {boolean} paused */
  pause(paused) {
    this.refresh();
    this.put({...this.all, paused});
  }

  /** Gives up what is left. */
  cancel() {
    this.refresh();
    this.put({...this.all, waiting: [], total: this.done});
  }

  /**
   * A game is done.
   * @param {string} id
   * @param {{seconds?: number, plies?: number, fault?: string}} how it went; seconds: left out where it was not judged
   */
  finish(id, {seconds = 0, plies = 0, fault}) {
    this.refresh();
    const {waiting, faults} = this.all,
      game = waiting.find(each => each.id === id);
    if (!game) return;
    this.put({
      ...this.all,
      waiting: waiting.filter(each => each !== game),
      faults: fault ? [...faults, {name: game.name, why: fault.slice(0, WORDS)}].slice(-MOST_FAULTS) : faults,
      seconds: this.all.seconds + seconds,
      plies: this.all.plies + plies,
    });
  }

  /** Seconds until all are done, at the rate so far; null before there is one. */
  get secondsLeft() {
    const {seconds, plies, waiting} = this.all;
    return plies ? (seconds / plies) * waiting.reduce((sum, {moves}) => sum + moves, 0) : null;
  }

  /** How far it is: "12 of 40 games, 3.1 a minute, 9:02 left". */
  words() {
    const {total, seconds, plies} = this.all,
      left = this.secondsLeft,
      games = t("{done} of {games}", {done: formatted(this.done), games: many(total, "game")});
    if (this.isOver || left === null || !seconds) return games;
    return t("{games}, {rate} moves a second, {time} left", {
      games,
      rate: formatted(Number((plies / seconds).toPrecision(2))),
      time: clock(Math.ceil(left)),
    });
  }
}
