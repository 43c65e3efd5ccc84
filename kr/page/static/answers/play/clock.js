// Time controls of a game, and clocks.

import {blanked, stripped} from "../blanks.js";
import {KrError, quoted, refusal} from "../text.js";
import {formatDuration, parseCount, parseDuration} from "../durations.js";

export const MOST_SECONDS = 1e9;
const MOST_MOVES = 10n ** 9n,
  DAY = 24 * 3600;
const WHOLE_GAME = blanked(/^(?:G|SD|TC)\s*\/\s*/i);
// a colon between minutes and seconds does not separate periods
const PERIODS = blanked(/\s*(?:,|:(?![0-5][0-9](?:\.[0-9]{1,3})?(?![0-9/a-z.])))\s*/i);
const PERIOD_PARTS = [
  /^(?:(?<moves>[^/+|]+)\/)?(?<time>[^/+|d;]+)/,
  /(?:[+|](?<inc>[^/+|d;]+))?/,
  /(?:(?:\s|[;+])*d\s*\/?\s*(?<delay>[^/+|d;]+))?$/,
];
const PERIOD = blanked(new RegExp(PERIOD_PARTS.map(part => part.source).join(""), "i"));
const CLOCK_TIME = /^(?:([0-9]{1,4}):)?([0-9]{1,4}):([0-9]{2}(?:\.[0-9]{1,3})?)$/;

/** @typedef {import("../limits.js").Limits} Limits */

/** Seconds of each engine move where there is no clock. */
const THINKING_SECONDS = 1;

/** @param {string} name @param {number} seconds */
function checkSeconds(name, seconds) {
  if (seconds <= MOST_SECONDS) return;
  const values = {name: `time control ${name}`, time: formatDuration(seconds), most: `${MOST_SECONDS}s`};
  throw refusal("{name}: {time} is out of range; expected 0s to {most}", values);
}

/** Time for a whole game: "5m+3s", "40/30m", "45m d5s" (a delay before the clock runs), "40/2h:1h". */
export class TimeControl {
  /**
   * @param {number} time seconds for the game, or for each `moves` moves
   * @param {number} [inc] seconds added for each move
   * @param {bigint | null} [moves] those for which `time` must last; null for the whole game
   * @param {number} [delay] seconds of each move for which the clock stands still
   * @param {TimeControl | null} [next] the period after these moves, whose time is added; null if this one repeats
   */
  constructor(time, inc = 0, moves = null, delay = 0, next = null) {
    this.time = time;
    this.inc = inc;
    this.moves = moves === null ? null : Number(moves);
    this.delay = delay;
    this.next = next;
    checkSeconds("time", time);
    checkSeconds("inc", inc);
    checkSeconds("delay", delay);
    if (moves !== null && (moves < 1n || moves > MOST_MOVES))
      throw refusal("time control moves: {moves} is out of range; expected 1 to {most}", {
        moves: String(moves),
        most: String(MOST_MOVES),
      });
    const most = time + inc + delay;
    if (!(most > 0 && most <= MOST_SECONDS))
      throw refusal("time control {control}: {time} is out of range; expected more than 0s and at most {most}", {
        ...{control: String(this), time: formatDuration(most), most: `${MOST_SECONDS}s`},
      });
    if (inc && delay) throw refusal("a time control has an increment or a delay for each move, not both");
    if (next && moves === null)
      throw refusal("a period that another follows needs its number of moves, as in 40/2h:1h");
  }

  /** Seconds of all periods, without increments. @returns {number} */
  get longest() {
    return this.time + (this.next?.longest ?? 0);
  }

  /**
   * Without units, times are in minutes and increments in seconds; with several periods, or a delay, all in
   * seconds.
   * @param {string} text
   */
  static parse(text) {
    const plain = stripped(text),
      head = WHOLE_GAME.exec(plain)?.[0] ?? "",
      periods = plain
        .slice(head.length)
        .split(PERIODS)
        .map(part => PERIOD.exec(part)?.groups);
    const alone = periods.length === 1 ? periods[0] : undefined,
      isControl = !alone || alone.moves || alone.inc || alone.delay || alone.time.includes(":") || head;
    if (!isControl || periods.includes(undefined))
      throw refusal("{text} is not a time control such as 5m+3s, 40/30m, 45m d5s or 40/2h:1h", {text: quoted(text)});
    const inSeconds = periods.length > 1 || (alone?.delay && !head);
    /** @type {TimeControl | null} */
    let control = null;
    try {
      for (const {time = "", inc, moves, delay} of periods.reverse().map(each => each ?? {}))
        control = new TimeControl(
          clockTime(time, inSeconds ? "s" : "m"),
          clockTime(inc ?? "0", "s"),
          moves === undefined ? null : parseCount(stripped(moves)),
          clockTime(delay ?? "0", "s"),
          control,
        );
    } catch (error) {
      if (!(error instanceof KrError)) throw error;
      throw refusal("time control {text}: {why}", {text: quoted(text), why: error.told});
    }
    return /** @type {TimeControl} */ (/** @type {unknown} */ (control));
  }

  /** @returns {string} */
  toString() {
    const {time, inc, moves, delay, next} = this,
      added = inc ? `+${formatDuration(inc)}` : delay ? ` d${formatDuration(delay)}` : "",
      lasting = (moves === null ? "" : `${moves}/`) + formatDuration(time) + added;
    // the last period is a period even without an increment
    if (next) return `${lasting}:${String(next).replace(/\+0s$/, "")}`;
    return lasting + (moves || inc || delay ? "" : "+0s");
  }
}

/** Seconds of one part of a time control. @param {string} text @param {string} unit that of a bare number */
function clockTime(text, unit) {
  const part = stripped(text).replaceAll("'", "m").replaceAll('"', "s"),
    match = CLOCK_TIME.exec(part);
  if (match) return 3600 * Number(match[1] ?? 0) + 60 * Number(match[2]) + Number(match[3]);
  return parseDuration(/\p{Nd}$/u.test(part) ? part + unit : part);
}

/** A clock; null without. @param {string} text */
export function clockFromText(text) {
  if (!text) return null;
  const control = TimeControl.parse(text);
  if (control.longest + control.inc + control.delay > DAY)
    throw refusal("the clock {text} is longer than a day", {text});
  return control;
}

/** One player's clock in one game. Without a time control, an engine has the same time for every move. */
export class Clock {
  /** @param {TimeControl | null} control */
  constructor(control) {
    this.control = control;
    this._period = control;
    /** Seconds, before the increment for the next move. */
    this.left = control?.time ?? 0;
    /** Moves to the next time control; null if there is none. */
    this.moves = control?.moves ?? null;
  }

  /** Seconds until the next move is late, with its increment or delay; null without a time control. */
  get allowed() {
    return this._period && this.left + this._period.inc + this._period.delay;
  }

  /** Limits of the next search. A delay is an increment to it. @returns {Limits} */
  limits() {
    if (!this._period) return {seconds: THINKING_SECONDS};
    const increment = this._period.inc + this._period.delay;
    return {left: this.left, increment, ...(this.moves !== null && {moves: this.moves})};
  }

  /**
   * Charges a move.
   * @param {number} seconds
   * @returns {number} seconds by which it was late; 0 or less if it was in time
   */
  stop(seconds) {
    // a page may be put to sleep while kr thinks: it loses no game by that unless there is a clock
    if (!this._period) return 0;
    this.left += this._period.inc - Math.max(seconds - this._period.delay, 0);
    const late = -this.left;
    if (this.moves !== null && --this.moves === 0) {
      this._period = this._period.next ?? this._period;
      this.moves = this._period.moves;
      this.left += this._period.time;
    }
    return late;
  }
}
