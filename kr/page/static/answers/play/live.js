// A game under way, and the streams that watch it. It is the table of its Play.

import {SCORE_PROVED, valueOfSign} from "../chances.js";
import {gameDocument} from "../document.js";
import {hintJson} from "../hints.js";
import {News, Stopped} from "../news.js";
import {moveJson, Position, positionJson, sideName} from "../rules.js";
import {Refused} from "../text.js";
import {MARGIN, Play} from "./game.js";
import {HUMAN, seatsOf} from "./opponents.js";
import {NAME_TAGS, UNFINISHED} from "./record.js";
import {CONTROL_TAG} from "./setup.js";

/** @typedef {import("../house.js").House} House */
/** @typedef {import("../openings.js").Openings} Openings */
/** @typedef {import("../request.js").PageRequest} PageRequest */
/** @typedef {import("./game.js").Event} Event */
/** @typedef {import("./players.js").Player} Player */
/** @typedef {import("./record.js").PlayRecord} PlayRecord */

/** Of a search that goes on from the end of a line. */
const LINE_LIMITS = {seconds: 0.1};
/** Seconds of a search for a hint, and its lines: the move, and the best alternative. */
const HINT_SECONDS = 1,
  HINT_LINES = 2;
export const MOST_PLY = 1 << 20;
const MOST_PATH = 32,
  MOST_WAITING = 100;
const CHANCE_DIGITS = 4;

/** @param {number} chance */
const rounded = chance => Number(chance.toFixed(CHANCE_DIGITS));

/** Events for one stream, until the game ends. */
export class Viewer {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    /** @type {object[]} */
    this._events = [];
    this._news = new News(signal);
    this._isLast = false;
    /** @type {unknown} */
    this._error = null;
  }

  /** @param {object} event */
  put(event) {
    this._events.push(event);
    this._news.ring();
  }

  /** The game has ended, or failed. @param {unknown} [error] */
  end(error = null) {
    this._isLast = true;
    this._error = error;
    this._news.ring();
  }

  async *told() {
    for (;;) {
      for (let event = this._events.shift(); event; event = this._events.shift()) yield event;
      if (this._isLast && this._error) throw this._error;
      if (this._isLast) return;
      await this._news.wait();
    }
  }
}

/**
 * A person's next line, or a move of kr's or a hint.
 * @typedef {{isPrompt: boolean, seconds: number | null}} Question
 */

/** Seconds that are left to the person to move, after so many plies. @typedef {{ply: number, left: number}} Time */

export class LiveGame {
  /**
   * @param {string} id
   * @param {House} house
   * @param {Openings} openings
   * @param {PlayRecord} record
   * @param {{players: (Player | null)[], control: import("./clock.js").TimeControl | null, time: Time | null}} seats
   * @param {() => void} onend
   */
  constructor(id, house, openings, record, {players, control, time}, onend) {
    this.id = id;
    this._house = house;
    this._openings = openings;
    this._onend = onend;
    this._play = new Play(record, players, control, this, house.clock);
    if (time?.ply === this._play.board.moves.length) this._play.goOn(time.left);
    this._you = seatsOf(record.game.headers).you;
    this._hasVariations = record.game.descendants().length > this._play.board.moves.length;
    /** @type {Set<Viewer>} */
    this._viewers = new Set();
    /** @type {{ply: number | null, line: string}[]} */
    this._lines = [];
    /** @type {Event[]} */
    this._events = [];
    /** @type {Question | null} */
    this._question = null;
    this._isBegun = this._isOver = this._isPaused = this._isGone = this._offer = false;
    /** @type {AbortController | null} */
    this._thinking = null;
    /** @type {() => void} */
    this._wake = () => {};
    /** @type {(number | null)[]} */
    this._clocks = [null, null];
    /** @type {number | null} */
    this._ticking = null;
    this._since = 0;
  }

  // --- for streams

  /** The events of the game from now on, beginning with the whole of it. @param {AbortSignal} signal */
  watch(signal) {
    const viewer = new Viewer(signal);
    // what it thinks about begins anew
    if (this._isPaused) this._setClocks();
    viewer.put(this._whole());
    if (this._question) viewer.put(this._state());
    else if (this._isOver) viewer.end();
    this._viewers.add(viewer);
    if (!this._isBegun) void this._run();
    this._wake();
    return viewer;
  }

  /** Removes a stream. A game that nobody watches does not think. @param {Viewer} viewer */
  unwatch(viewer) {
    this._viewers.delete(viewer);
    if (this._viewers.size) return;
    if (this._thinking && !this._isPersons) {
      this._isPaused = true;
      this._thinking.abort();
    }
    this._wake();
  }

  /** Another window of the page has taken it. */
  giveAway() {
    this._isGone = true;
    this._send({elsewhere: true});
    this._thinking?.abort();
    this._wake();
  }

  /** Takes a message from the person. @param {PageRequest} message */
  hear(message) {
    const what = message.choice("do", ["move", "undo", "hint", "draw", "resign"]),
      ply = what === "move" || what === "hint" ? message.number("ply", 0, MOST_PLY) : null;
    let line = what;
    if (what === "move") {
      const {path} = message.fields;
      if (!Array.isArray(path) || path.length < 2 || path.length > MOST_PATH || !path.every(Number.isInteger))
        throw new Refused("refused.no_path");
      line = path.join("-");
    } else if (what === "draw" && this._you === null) line = "agree";
    if (this._lines.length >= MOST_WAITING) throw new Refused("refused.messages");
    this._lines.push({ply, line});
    // a person need not wait for a move that they take back, or for a hint that they no longer want
    if (this._isPersons ? what !== "hint" : what === "undo" || what === "resign") this._thinking?.abort();
    this._wake();
  }

  // --- the game itself

  async _run() {
    this._isBegun = true;
    /** @type {unknown} */
    let failure = null;
    try {
      await this._play.run();
    } catch (error) {
      if (!(error instanceof Stopped)) failure = error;
    }
    this._question = null;
    if (!this._isGone) this._publish();
    this._isOver = true;
    this._onend();
    for (const viewer of this._viewers) viewer.end(failure);
  }

  /** Collects an event until the step is done. @param {Event} event */
  tell(event) {
    this._events.push(event);
  }

  /** The person's next line; "" once their time is up. @param {number | null} seconds */
  async ask(seconds) {
    const {clock} = this._house,
      until = seconds === null ? Infinity : clock() + seconds;
    this._pose({isPrompt: true, seconds});
    for (;;) {
      if (this._isGone) throw new Stopped();
      const said = this._lines.shift();
      // a line for an earlier position is dropped
      if (said && (said.ply === null || said.ply === this._play.board.moves.length)) {
        this._stopClock();
        return said.line;
      }
      if (said) continue;
      const left = until - clock();
      if (left <= 0 && this._viewers.size) return "";
      await this._waken(left);
    }
  }

  /**
   * What a search finds. One of kr's that nobody waits for is begun anew for the next who watches.
   * @template T
   * @param {(signal: AbortSignal) => Promise<T>} find
   */
  async think(find) {
    this._pose({isPrompt: false, seconds: null});
    for (;;) {
      while (!this._viewers.size && !this._isPersons) {
        this._isPaused = true;
        await this._waken(Infinity);
        if (this._isGone) throw new Stopped();
      }
      this._isPaused = false;
      this._thinking = new AbortController();
      try {
        const reply = await find(this._thinking.signal);
        if (this._isGone) throw new Stopped();
        if (!this._isPaused) return reply;
      } finally {
        this._thinking = null;
      }
    }
  }

  /**
   * A hint; null if the search was ended before it had a line.
   * @param {Position} position
   * @param {Position[]} history
   * @param {AbortSignal} signal
   */
  async advise(position, history, signal) {
    const {engine} = this._house,
      limits = {seconds: HINT_SECONDS},
      {lines, ...found} = await engine.search({position, history, limits, lines: HINT_LINES, signal});
    if (!lines.length) return null;
    const {score} = lines[0],
      value = found.value ?? (Math.abs(score) > SCORE_PROVED ? valueOfSign(score) : null),
      {win, draw, loss} = (await this._house.chances).of(score, value),
      // the engine has gone without it too
      database = await this._house.database().catch(() => null);
    const [chances, {thresholds}] = await Promise.all([this._house.chances, this._house.data("annotation")]),
      search = async (/** @type {Position} */ at) =>
        (await engine.search({position: at, history: [], limits: LINE_LIMITS, signal})).lines[0]?.moves ?? [];
    const hint = await hintJson(position, lines, database, {
      mistake: thresholds.mistake,
      chances,
      port: engine,
      search,
    });
    return {...hint, win: rounded(win), draw: rounded(draw), loss: rounded(loss), value};
  }

  /** Waits until there is something new, or seconds have passed that somebody waits for. @param {number} seconds */
  async _waken(seconds) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    await new Promise(resolve => {
      this._wake = () => resolve(undefined);
      if (this._viewers.size && seconds < Infinity) timer = setTimeout(this._wake, 1000 * Math.max(seconds, 0));
    });
    clearTimeout(timer);
    this._wake = () => {};
  }

  // --- events

  get _side() {
    return this._play.board.side;
  }

  /** True if a person is to move. */
  get _isPersons() {
    return this._you === null || this._side === this._you;
  }

  /** The next question, once all streams have the events before it. @param {Question} question */
  _pose(question) {
    this._question = question;
    this._setClocks();
    this._publish();
    this._send(this._state());
  }

  _publish() {
    const events = this._events;
    this._events = [];
    for (const event of events) this._publishOne(event);
  }

  /** @param {Event} event */
  _publishOne(event) {
    switch (event.kind) {
      case "move": {
        this._offer = false;
        const {ply, side, fen} = event,
          // a reply to which there is no alternative comes in the same step
          node = this._play.game.mainline()[ply - 1];
        this._send({move: {ply, side, fen, ...moveJson(node.move), comments: [...node.comments]}});
        if (this._hasVariations) this._send(this._whole());
        break;
      }
      case "undo":
        this._offer = false;
        this._send({undo: event.plies});
        this._send(this._whole());
        break;
      case "offer":
        this._offer = event.side !== this._you;
        this._send({offer: sideName(event.side)});
        break;
      case "answer":
        this._send({answer: {why: event.why, number: event.number}});
        break;
      case "hint":
        this._send({hint: event.hint});
        break;
      case "say":
        this._send({say: event.told});
        break;
      case "end":
        this._send(this._whole());
    }
  }

  _whole() {
    return wholeGame(this.id, this._play.game);
  }

  /** State that a page shows beside the board. */
  _state() {
    const {board} = this._play,
      isPrompt = this._question?.isPrompt ?? false,
      isPersons = this._isPersons,
      clocks = this._clocks.map((left, side) => this._shown(left, side));
    return {
      state: {
        ply: board.moves.length,
        ...positionJson(board.position),
        ...(!isPrompt && {moves: []}),
        opening: this._openings.nameOf(board.positions)?.name ?? "",
        thinking: !isPersons,
        advising: isPersons && !isPrompt,
        offer: this._offer,
        undoable: this._play.undoPly !== null,
        clocks: clocks.every(left => left === null) ? null : clocks,
        ticking: this._ticking === null ? null : sideName(this._ticking),
      },
    };
  }

  /** @param {object} event */
  _send(event) {
    for (const viewer of this._viewers) viewer.put(event);
  }

  // --- clocks

  /** Sets the clocks for the question. That of the person stands still during a hint. */
  _setClocks() {
    const side = this._side,
      before = this._clocks[side],
      {isPrompt, seconds} = this._question ?? {isPrompt: false, seconds: null};
    this._clocks = this._play.clocks;
    this._ticking = null;
    this._since = this._house.clock();
    if (isPrompt) {
      if (seconds === null) return;
      this._clocks[side] = seconds - MARGIN;
      this._ticking = side;
    } else if (this._isPersons) this._clocks[side] = before;
    else if (this._clocks[side] !== null) this._ticking = side;
  }

  _stopClock() {
    this._clocks = this._clocks.map((left, side) => this._shown(left, side));
    this._ticking = null;
  }

  /** What a clock shows now. @param {number | null} left @param {number} side */
  _shown(left, side) {
    return left !== null && side === this._ticking ? left - (this._house.clock() - this._since) : left;
  }
}

/**
 * A game as its page begins with it.
 * @param {string} id
 * @param {import("../pdn/tree.js").Game} game
 */
export function wholeGame(id, game) {
  const {headers, start, result, winner} = game,
    {you, opponent} = seatsOf(headers),
    header = (/** @type {string} */ tag) => headers.get(tag) ?? "",
    opening = header("Opening"),
    isSetUp = !opening && !start.equals(new Position());
  const over = {result, winner: winner === null ? null : sideName(winner), reason: header("Termination")};
  const settings = {
    ...opponent,
    side: you === null ? "" : sideName(you),
    ballot: isSetUp ? start.fen : opening.split(":")[0],
    clock: header(CONTROL_TAG),
    ...(you === null && {names: NAME_TAGS.map(header).map(name => (name.startsWith(HUMAN) ? "" : name))}),
  };
  return {game: {id, settings, over: result === UNFINISHED ? null : over, document: gameDocument(game)}};
}
