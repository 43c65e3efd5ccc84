// A game as its page knows it: what was told last, the clocks at a moment, what can be done. Nothing here
// touches the document.

import {SIDES} from "../squares.js";
import {clock} from "../numbers.js";
import {decimal} from "../texts.js";

/** @typedef {import("../squares.js").Side} Side */
/** @typedef {{text: string, path: number[], captured: number[], fen: string}} Move */
/** @typedef {Move & {parent?: number | null, comments?: string[], nags?: string[]}} Node */
/**
 * What a game is played by, as the answers take it; people: 2 for two people at one board; program: the name of an
 * engine.
 * @typedef {{level?: number, against?: boolean, generation?: number, engine?: number, program?: string,
 *     people?: number, names?: string[], side: Side | "", ballot: string, clock: string}} Settings
 */
/** @typedef {{result: string, winner: Side | null, reason: string}} Over */
/** @typedef {{headers: Record<string, string>, start: string, nodes: Node[]}} Document */
/** @typedef {{id: string, settings: Settings, over: Over | null, document: Document}} Game */
/**
 * The state of a game under way; offer: the opponent offers a draw; undoable: there is a move to take back.
 * @typedef {{ply: number, fen: string, side: Side, moves: Move[], opening?: string, thinking: boolean,
 *     advising: boolean, offer: boolean, undoable: boolean, clocks: Array<number | null> | null,
 *     ticking: Side | null}} State
 */
/** @typedef {{text: string, ticking: boolean, short: boolean}} Clock */
/**
 * Seconds that were left to the person to move, after so many plies, at a moment by the machine's clock in seconds.
 * @typedef {{ply: number, left: number, at: number}} Time
 */

export const CLOCKS = ["1+2", "3+2", "5+3", "10+5", "15+10"];
const SHORT_SECONDS = 20,
  LOW_SECONDS = 10;

/** @param {Side} side @returns {Side} */
export const other = side => (side === "black" ? "white" : "black");

/**
 * Time on a clock: "4:59", tenths below ten seconds.
 * @param {number} seconds
 */
export function clockText(seconds) {
  if (seconds < 10) return decimal(Math.max(seconds, 0), 1);
  return clock(Math.ceil(seconds));
}

/**
 * Both clocks at a moment.
 * @param {{clocks: Array<number | null> | null, ticking: Side | null}} told
 * @param {number} passed seconds since that was told
 * @returns {Record<Side, Clock>}
 */
export function clocksAt({clocks, ticking}, passed) {
  const show = (/** @type {Side} */ side, /** @type {number} */ i) => {
    const left = clocks?.[i] ?? null;
    if (left === null) return {text: "", ticking: ticking === side, short: false};
    const now = ticking === side ? left - passed : left;
    return {text: clockText(now), ticking: ticking === side, short: now < SHORT_SECONDS};
  };
  return {black: show("black", 0), white: show("white", 1)};
}

/**
 * Where an earlier position is looked at: the number of moves before it; null at the end of a line.
 * @param {number} ply
 * @param {number} length moves of the line
 */
export const lookedAt = (ply, length) => (ply < length ? Math.max(ply, 0) : null);

/**
 * Settings of the next game of the same two, with colours swapped.
 * @param {Settings} settings
 * @returns {Settings}
 */
export function rematch(settings) {
  if (settings.people) return {...settings, names: [...(settings.names ?? [])].reverse()};
  return {...settings, side: settings.side ? other(settings.side) : settings.side};
}

/**
 * The game that a browser has kept; null for none, or for one that this version can't show.
 * @param {any} kept
 * @returns {Game | null}
 */
export function keptGame(kept) {
  const game = kept?.game;
  return typeof game?.id === "string" && game.settings && game.document?.headers && game.document.nodes?.length
    ? game
    : null;
}

/** The time that a browser has kept with a game; null for none. @param {any} kept @returns {Time | null} */
export function keptTime(kept) {
  const time = kept?.time;
  return time && [time.ply, time.left, time.at].every(Number.isFinite) ? time : null;
}

/**
 * What is left of a time: the clock of a person runs on while nobody watches. A machine's clock that was set back gives
 * no time back.
 * @param {Time} time
 * @param {number} now by the machine's clock
 */
export const timeLeft = ({ply, left, at}, now) => ({ply, left: Math.max(left - Math.max(now - at, 0), 0)});

/** A game, and what its page heard of it. */
export class Played {
  constructor() {
    /** @type {Game | null} */
    this.game = null;
    /** @type {State | null} the last one heard; null while nothing can be done */
    this.state = null;
    this.casual = true;
    this._heardAt = 0;
    this._low = false;
    /** The time that was kept, until there is a state. @type {Time | null} */
    this._time = null;
  }

  get isOver() {
    return Boolean(this.game?.over);
  }

  get isGoing() {
    return Boolean(this.game && !this.game.over);
  }

  /** Two people play at this board. */
  get isShared() {
    return Boolean(this.game?.settings.people);
  }

  /** The side of the person; "" where there are two. @returns {Side | ""} */
  get you() {
    return this.game?.settings.side ?? "";
  }

  get nodes() {
    return this.game?.document.nodes ?? [];
  }

  /** Moves played so far. */
  get length() {
    return Math.max(0, this.nodes.length - 1);
  }

  /** True if a person may move now. */
  get isYourMove() {
    return Boolean(this.state?.moves.length);
  }

  /**
   * The whole game, as the server has it or as it was kept here. True if it is another one.
   * @param {Game} game
   * @param {Time | null} [time] that was kept with it
   */
  begin(game, time) {
    const another = this.game?.id !== game.id;
    if (another || time !== undefined) this._time = time ?? null;
    this.game = game;
    this.state = game.over && this.state && !another ? {...this.state, ticking: null, moves: []} : null;
    if (another) this._low = false;
    return another;
  }

  /**
   * @param {State} state
   * @param {number} now seconds of a running clock
   */
  hear(state, now) {
    this.state = state;
    this._heardAt = now;
    this._time = null;
  }

  /**
   * Time of the person to move, to be kept; null if no clock of a person runs.
   * @param {number} now seconds of a running clock
   * @param {number} at seconds of the machine's clock
   * @returns {Time | null}
   */
  time(now, at) {
    const {state} = this;
    if (!state) return this._time;
    const left = state.clocks?.[SIDES.indexOf(state.side)] ?? null;
    if (left === null || state.thinking) return null;
    return {ply: state.ply, left: state.ticking ? left - (now - this._heardAt) : left, at};
  }

  /**
   * A move that the server told; false if it is known already, or doesn't fit.
   * @param {Node & {ply: number, side: Side}} move
   */
  add({ply, side, ...node}) {
    if (!this.game || this.nodes.length !== ply) return false;
    this.nodes.push({parent: ply - 1, nags: [], comments: [], ...node});
    const {isShared, you} = this,
      thinking = !isShared && side === you;
    if (!this.state) return true;
    const undoable = this.state.undoable || isShared || thinking;
    this.state = {...this.state, moves: [], thinking, advising: false, offer: false, undoable};
    return true;
  }

  /** The person has chosen a move: none can be made until the server has told it. */
  chose() {
    if (this.state) this.state = {...this.state, moves: [], undoable: true};
  }

  /** The server does not answer: nothing can be done. */
  lose() {
    this.state = null;
  }

  /**
   * What can be done.
   * @returns {Record<"hint" | "undo" | "draw" | "resign" | "rematch" | "review" | "analyse", "hidden" | "off" | "on"> &
   *     {accept: boolean}}
   */
  buttons() {
    const able = this.isGoing && this.state !== null;
    const when = (/** @type {boolean} */ shown, /** @type {boolean} */ on) => (shown ? (on ? "on" : "off") : "hidden");
    return {
      hint: when(this.isGoing && this.casual, able && this.isYourMove),
      undo: when(this.isGoing && this.casual, able && Boolean(this.state?.undoable)),
      draw: when(this.isGoing, able),
      resign: when(this.isGoing, able),
      rematch: when(this.isOver, true),
      review: when(this.isOver && this.length > 0, true),
      analyse: when(Boolean(this.game) && (this.isOver || this.casual), true),
      accept: able && !this.isShared && Boolean(this.state?.offer),
    };
  }

  /**
   * @param {number} now seconds of a running clock
   * @returns {Record<Side, Clock>}
   */
  clocks(now) {
    const shown = clocksAt(this.state ?? {clocks: null, ticking: null}, now - this._heardAt);
    const over = this.game?.over;
    if (over?.reason === "time forfeit" && over.winner) {
      const late = other(over.winner);
      if (shown[late].text) shown[late].text = clockText(0);
    }
    return shown;
  }

  /**
   * True once in a game, when the clock of a person runs out soon.
   * @param {number} now seconds of a running clock
   */
  isLow(now) {
    const {state} = this;
    if (this._low || !state?.ticking || !state.clocks || (!this.isShared && state.ticking !== this.you)) return false;
    const left = state.clocks[SIDES.indexOf(state.ticking)];
    if (left === null || left - (now - this._heardAt) >= LOW_SECONDS) return false;
    this._low = true;
    return true;
  }
}
