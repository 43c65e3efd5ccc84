// A game at the board between people and engines, with clocks and draw offers.

import {Unanswered} from "../../messenger.js";
import {words} from "../blanks.js";
import {Move, sideName} from "../rules.js";
import {KrError} from "../text.js";
import {readMove} from "./input.js";
import {givesUp, OFFER_AGAIN, offersDraw, refusal} from "./manners.js";

/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("./clock.js").Clock} Clock */
/** @typedef {import("./players.js").Player} Player */
/** @typedef {import("./players.js").Reply} Reply */
/** @typedef {import("./record.js").PlayRecord} PlayRecord */
/** @typedef {import("../../texts.js").Said} Said */

/**
 * player: null for a person; clock: null for a person without one.
 * @typedef {{player: Player | null, clock: Clock | null}} Seat
 */
/**
 * @typedef {{kind: "move", ply: number, side: string, fen: string} | {kind: "undo", plies: number}
 *   | {kind: "offer", side: number} | {kind: "answer", why: string, number: number} | {kind: "hint", hint: object}
 *   | {kind: "say", told: Said} | {kind: "end"}} Event
 */
/**
 * Who shows the game, and asks people for lines. ask: the next line, "" once so many seconds are over; think: what a
 * search finds that its signal ends; advise: a hint, null if there is none.
 * @typedef {{
 *   tell: (event: Event) => void, ask: (seconds: number | null) => Promise<string>,
 *   think: <T>(find: (signal: AbortSignal) => Promise<T>) => Promise<T>,
 *   advise: (position: Position, history: Position[], signal: AbortSignal) => Promise<object | null>,
 * }} Table
 */

const AGREEMENT = "agreement",
  OVERTIME = "time forfeit",
  RESIGNATION = "resignation",
  RESULTS = ["1-0", "0-1"],
  DRAWN = "1/2-1/2";
/** Seconds by which a clock may be overdrawn. */
export const MARGIN = 0.2;

/** The game has ended. winner: null for a draw. */
class Over {
  /** @param {number | null} winner @param {string} reason */
  constructor(winner, reason) {
    this.winner = winner;
    this.reason = reason;
  }

  get result() {
    return this.winner === null ? DRAWN : RESULTS[this.winner];
  }
}

export class Play {
  /**
   * @param {PlayRecord} record
   * @param {readonly (Player | null)[]} players of Black and White
   * @param {import("./clock.js").TimeControl | null} control
   * @param {Table} table
   * @param {() => number} now seconds of a running clock
   */
  constructor(record, players, control, table, now) {
    this._record = record;
    this._control = control;
    this._table = table;
    this._now = now;
    this.board = record.board();
    /** @type {Seat[]} */
    this._seats = players.map(player => ({player, clock: null}));
    this._setClocks();
    /** Side whose draw offer is open. @type {number | null} */
    this._offer = null;
    /** @type {Map<number, number>} */
    this._offeredAt = new Map();
    this._began = 0;
    /** Seconds that a person had spent on the first move here before. */
    this._spent = 0;
  }

  /** The game, with times and the engine's scores as comments. */
  get game() {
    return this._record.game;
  }

  /** Seconds on the clocks of Black and White when the last move was made; null without a clock. */
  get clocks() {
    return this._seats.map(({clock}) => clock?.allowed ?? null);
  }

  /** The person to move has no more seconds left than this; an engine thinks anew. @param {number} left */
  goOn(left) {
    const {player, clock} = this._seats[this.board.side];
    if (!player && clock?.allowed) this._spent = Math.max(clock.allowed - left, 0);
  }

  /** Plays to the end. */
  async run() {
    try {
      for (const {player} of this._seats) player?.newGame();
      for (;;) {
        const outcome = this.board.outcome();
        if (outcome) throw new Over(outcome.winner, outcome.reason);
        const {side} = this.board,
          seat = this._seats[side];
        if (seat.player) await this._engineTurn(side, seat.player);
        else await this._humanTurn(side);
      }
    } catch (over) {
      if (!(over instanceof Over)) throw over;
      this._record.finish(over.result, over.reason);
      this._table.tell({kind: "end"});
    }
  }

  // --- turns

  /** @param {number} side @param {Player} player */
  async _engineTurn(side, player) {
    const {board} = this,
      {position, recent: history} = board,
      {clock} = this._seats[side],
      legal = position.legalMoves();
    if (!clock) throw new Error("an engine without a clock");
    if (legal.length === 1) {
      clock.stop(0);
      this._play(side, legal[0], 0, null);
      return;
    }
    const limits = clock.limits(),
      reply = await this._table.think(signal => player.search({position, history, limits, signal}));
    if (clock.stop(reply.time) > MARGIN) throw new Over(1 - side, OVERTIME);
    const scores = [...this._record.scores(side), reply.score];
    if (givesUp(scores)) throw new Over(1 - side, RESIGNATION);
    this._play(side, reply.move, reply.time, reply);
    if (offersDraw(scores, board.moves.length) && this._mayOffer(side)) this._offerDraw(side);
  }

  /** Obeys lines until the side has moved, or moves have been taken back. @param {number} side */
  async _humanTurn(side) {
    const {board} = this,
      ply = board.moves.length;
    this._began = this._now() - this._spent;
    this._spent = 0;
    /** @type {readonly number[]} */
    let prefix = [];
    while (board.moves.length === ply) {
      const text = await this._table.ask(this._timeLeft(side)),
        left = this._timeLeft(side);
      if (left !== null && left <= 0) throw new Over(1 - side, OVERTIME);
      const squares = prefix;
      prefix = [];
      try {
        if (/^[a-z]/.test(text)) await this._obey(text, side);
        else if (text) prefix = this._take(side, text, squares);
      } catch (error) {
        // a hint can't be had without the engine; all else can
        if (!(error instanceof KrError || error instanceof Unanswered)) throw error;
        this._say(words(error.message).join(" "));
      }
    }
  }

  /**
   * Makes the move of a text; the squares so far if more are needed.
   * @param {number} side
   * @param {string} text
   * @param {readonly number[]} begun
   */
  _take(side, text, begun) {
    const read = readMove(text, this.board.position, begun);
    if (!(read instanceof Move)) return read;
    const seconds = this._now() - this._began;
    this._seats[side].clock?.stop(seconds);
    this._play(side, read, seconds, null);
    return [];
  }

  /** @param {number} side @param {Move} move @param {number} seconds @param {Reply | null} reply */
  _play(side, move, seconds, reply) {
    this.board.play(move);
    const {clock} = this._seats[side];
    this._record.add(move, seconds, clock?.control ? clock.left : null, reply);
    // a move declines an open offer
    if (this._offer === 1 - side) this._offer = null;
    const {fen} = this.board.position;
    this._table.tell({kind: "move", ply: this.board.moves.length, side: sideName(side), fen});
  }

  /** Seconds until the side to move loses on time. @param {number} side */
  _timeLeft(side) {
    const left = this._seats[side].clock?.allowed ?? null;
    return left === null ? null : left + MARGIN - (this._now() - this._began);
  }

  // --- commands

  /** @param {string} command @param {number} side */
  async _obey(command, side) {
    if (command === "hint") await this._hint();
    else if (command === "undo") this._undo();
    else if (command === "draw") this._draw(side);
    else if (command === "agree") throw new Over(null, AGREEMENT);
    else if (command === "resign") throw new Over(1 - side, RESIGNATION);
  }

  /** The person's clock stands still meanwhile. */
  async _hint() {
    const began = this._now(),
      {position, history} = this.board;
    try {
      const hint = await this._table.think(signal => this._table.advise(position, history, signal));
      if (hint) this._table.tell({kind: "hint", hint});
    } finally {
      this._began += this._now() - began;
    }
  }

  /** Plies before the last move of a person; null if there is none to take back. */
  get undoPly() {
    const {board, _record: record} = this;
    let ply = board.moves.length - 1;
    while (ply >= record.opening && this._seats[(board.start.side + ply) % 2].player) ply--;
    return ply < record.opening ? null : ply;
  }

  /** Goes back to the last position with a person to move. */
  _undo() {
    const {board, undoPly: ply} = this;
    if (ply === null) {
      this._say({say: "play.nothing_to_take_back"});
      return;
    }
    const plies = board.moves.length - ply;
    this._record.undo(plies);
    board.undo(plies);
    this._setClocks();
    this._offer = null;
    for (const [side, at] of this._offeredAt) if (at > ply) this._offeredAt.delete(side);
    this._table.tell({kind: "undo", plies});
  }

  /** Accepts the open offer, or makes one. kr answers at once, a person by their next line. @param {number} side */
  _draw(side) {
    if (this._offer === 1 - side) throw new Over(null, AGREEMENT);
    if (!this._mayOffer(side)) {
      const plies = (this._offeredAt.get(side) ?? 0) + OFFER_AGAIN - this.board.moves.length;
      this._say({say: "play.offered_already", with: {count: Math.ceil(plies / 2)}});
      return;
    }
    this._offerDraw(side);
  }

  /** @param {number} side */
  _mayOffer(side) {
    const at = this._offeredAt.get(side);
    return at === undefined || this.board.moves.length >= at + OFFER_AGAIN;
  }

  /** @param {number} side */
  _offerDraw(side) {
    const {length} = this.board.moves,
      other = 1 - side;
    this._offeredAt.set(side, length);
    this._table.tell({kind: "offer", side});
    if (!this._seats[other].player) {
      this._offer = side;
      return;
    }
    const why = refusal(this._record.scores(other), length);
    if (!why) throw new Over(null, AGREEMENT);
    this._table.tell({kind: "answer", ...why});
  }

  /** @param {Said} told */
  _say(told) {
    this._table.tell({kind: "say", told});
  }

  _setClocks() {
    for (const [side, seat] of this._seats.entries())
      seat.clock = this._control || seat.player ? this._record.clock(side, this._control) : null;
  }
}
