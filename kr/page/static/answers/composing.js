// Problems under construction, live for the editor of positions: whether one is sound, and its variations.
//
//   {do: "soundness", fen: FEN, result: "win", strict: false, seconds: 10}
//
// checks a position as a problem whose side to move is to reach a result, "win" or "draw", or "" for the proved one, as
// `kr problem check` does: {waits: true} if others must end their searches first, {progress: {nodes, seconds}} of all
// searches so far, at last {verdict} (`verdictJson`).
//
//   {do: "variations", fen: FEN, goal: "win", changes: 1, duals: false, captures: false, strict: false, seconds: 1}
//
// checks the positions that differ from one by a piece or two, as `kr problem vary` does: {total, done, found, counts},
// how many there are and are checked, those sound (with `duals` those with duals too) since the last event, and how
// often each verdict came; {waits: true} as above. The last event has {ended}: "all", "time" after LONGEST_SECONDS, or
// "most" after MOST_FOUND.

import {reported} from "./reported.js";
import {lineJson} from "./rules.js";
import {Refused} from "./text.js";

/** @typedef {import("../composing/state.js").Variation} Variation */
/** @typedef {import("./answers.js").Inbox} Inbox */
/** @typedef {import("./house.js").CheckedVariation} CheckedVariation */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./house.js").Soundness} Soundness */
/** @typedef {import("./house.js").Way} Way */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./rules.js").Position} Position */

/** Least and most time of the proofs about a position. */
const PROOF_SECONDS = /** @type {const} */ ([0.01, 60]);
/** The same for one variation. */
const VARIATION_SECONDS = /** @type {const} */ ([0.01, 10]);
/** Time after which variations end. */
const LONGEST_SECONDS = 900;
/** Variations that are sent. */
const MOST_FOUND = 500;
/** Pieces that are changed. */
const MOST_CHANGES = 2;
/** Plies of a line that are sent. */
const LONGEST_SHOWN = 100;

/** The position of a request, with pieces of both sides. @param {PageRequest} request */
function positionOf(request) {
  const position = request.position();
  if (!position.black || !position.white) throw new Refused("refused.one_side");
  return position;
}

/** @param {House} house @param {PageRequest} request @param {Inbox} inbox */
async function* soundness(house, request, inbox) {
  const position = positionOf(request),
    result = /** @type {"win" | "draw" | ""} */ (request.choice("result", ["win", "draw", ""], "")),
    strict = request.flag("strict"),
    seconds = request.fraction("seconds", ...PROOF_SECONDS, 10),
    prover = await house.prover();
  const found = yield* reported(inbox, (signal, tell) =>
    prover.checkProblem({
      ...{position, result, strict, seconds, signal},
      onWaiting: () => tell({waits: true}),
      onProgress: progress => tell({progress}),
    }),
  );
  yield {verdict: verdictJson(position, found, strict)};
}

/**
 * A verdict for the page: the line with the position after each move, of the solver's moves those that count, and of
 * the others those that keep the result.
 * @param {Position} position
 * @param {Soundness} found
 * @param {boolean} strict
 * @returns {import("../composing/state.js").Verdict}
 */
export function verdictJson(position, {line, keys, steps, ...found}, strict) {
  return {
    ...found,
    keys: keys.map(wayJson),
    line: lineJson(position, line.slice(0, LONGEST_SHOWN)),
    steps: steps
      .filter(({ply, plain}) => (strict || !plain) && ply < LONGEST_SHOWN)
      .map(({ply, number, played, others}) => ({
        ...{ply, number, move: played.move, forced: !others.length},
        only: others.every(({keeps}) => keeps === false),
        others: others.filter(({keeps}) => keeps).map(wayJson),
      })),
  };
}

/** @param {Way} way */
const wayJson = ({move, by, transposes}) => ({move, by, transposes: Boolean(transposes)});

/** @param {House} house @param {PageRequest} request @param {Inbox} inbox */
async function* variations(house, request, inbox) {
  const position = positionOf(request),
    [duals, strict, captures] = ["duals", "strict", "captures"].map(name => request.flag(name)),
    goal = /** @type {"win" | "draw" | "value"} */ (request.choice("goal", ["win", "draw", "value"])),
    changes = request.number("changes", 1, MOST_CHANGES, 1),
    seconds = request.fraction("seconds", ...VARIATION_SECONDS, 1),
    prover = await house.prover(),
    course = new Course(duals, house.clock() + LONGEST_SECONDS, () => house.clock());
  inbox.signal.addEventListener("abort", () => course.end(""), {once: true});
  yield* reported(
    inbox,
    (_, tell) =>
      prover
        .vary({
          ...{position, goal, changes, captures, strict, seconds, signal: course.signal},
          onTotal: total => tell(course.begin(total)),
          onWaiting: () => tell({waits: true}),
          onChecked: checked => tell(course.take(checked)),
        })
        .catch(error => {
          if (!course.ended) throw error;
        }),
    (older, newer) =>
      newer.found ? {...newer, found: [...(older.found ?? []), ...newer.found]} : {...older, ...newer},
  );
  yield {ended: course.ended || "all"};
}

/** How far a search for variations is. */
class Course {
  /**
   * @param {boolean} duals those with duals are kept too
   * @param {number} until when it ends
   * @param {() => number} clock
   */
  constructor(duals, until, clock) {
    this._duals = duals;
    this._until = until;
    this._clock = clock;
    this._ending = new AbortController();
    this._total = this._done = this._kept = 0;
    /** @type {Record<string, number>} */
    this._counts = {};
    /** Why it ended before all were checked. */
    this.ended = "";
  }

  /** Aborted at its end. */
  get signal() {
    return this._ending.signal;
  }

  /** @param {string} why */
  end(why) {
    this.ended = why;
    this._ending.abort();
  }

  /** @param {number} total */
  begin(total) {
    this._total = total;
    return this._event([]);
  }

  /** @param {CheckedVariation[]} checked */
  take(checked) {
    const found = [];
    for (const each of checked) {
      if (this.ended) break;
      const {verdict} = each.found;
      this._done++;
      this._counts[verdict] = (this._counts[verdict] ?? 0) + 1;
      if (verdict === "sound" || (this._duals && verdict === "dual")) found.push(variationJson(each));
      if (this._kept + found.length === MOST_FOUND) this.end("most");
    }
    this._kept += found.length;
    if (!this.ended && this._clock() > this._until) this.end("time");
    return this._event(found);
  }

  /** @param {Variation[]} found */
  _event(found) {
    return {total: this._total, done: this._done, found, counts: {...this._counts}};
  }
}

/** A sound variation for the page. @param {CheckedVariation} variation @returns {Variation} */
function variationJson({fen, changes, rank, found}) {
  const {verdict, number, keys, steps} = /** @type {Soundness} */ (found),
    moves = steps.filter(({plain}) => !plain).length;
  return {
    fen,
    changes,
    verdict: /** @type {"sound" | "dual"} */ (verdict),
    move_number: number,
    rank,
    key: keys[0].move,
    moves,
  };
}

export const LIVE = {soundness, variations};
