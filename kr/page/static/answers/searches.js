// Analysis while a page watches: one stream is one search of one position.
//
//   {start: FEN, moves: ["11-15", ...], engine: 0, lines: 3, limit: "", threat: false, within: 0}
//
// With "within" kr shows all moves that are worse than the best by no more centi-men, however many "lines" there are.
// The first event has the exact values: {exact: {value, plies, moves: [{move, value, plies}, ...]}}, or null where
// neither a database nor a certificate reaches; "certificates" are their names, "excludes" is a win or a loss where
// half of a value is known. And "draw", the rule by which the game can be claimed drawn by its history, left out if
// there is none.
// Then, at most UPDATES a second and always the newest, for each line {score, value, plies, draw, depth, chances, pv},
// where a pv that is the same as in the event before is left out. Scores, values and chances are those of the side to
// move; value and plies are those of the first move without the history, score and chances those of the game
// (weighing.js). The last event of a search that was not stopped has final: true. Without news {progress: {depth,
// nodes, nps, time}} shows how far the search is; for another program's engine, which reports that itself, only its
// time.

import {knownMoves} from "./exact.js";
import {parseLimits} from "./limits.js";
import {News, pause} from "./news.js";
import {drawByRule, moveJson, over, sideName} from "./rules.js";
import {Refused} from "./text.js";
import {known, weighed} from "./weighing.js";

/** @typedef {import("./answers.js").Inbox} Inbox */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./kr.js").Result} Result */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */

const UPDATES = 20;
/** Lines that a page offers, and those of a search. */
const MOST_LINES = 10;
export const MAX_LINES = 64;
const LONGEST_PV = 24;
export const MOST_WITHIN = 10_000;

/** @param {House} house @param {PageRequest} request */
async function questionOf(house, request) {
  const board = request.board(),
    limit = request.text("limit", 100, "");
  let {position, history} = board;
  if (request.flag("threat")) {
    position = position.withSide(1 - position.side);
    history = [];
    if (position.isOver) throw new Refused("refused.no_threat", {side: sideName(position.side)});
  }
  const {engines} = await listEngines(house),
    engine = request.number("engine", 0, engines.length - 1, 0),
    lines = request.number("lines", 1, MAX_LINES, 1),
    within = request.number("within", 0, MOST_WITHIN, 0);
  return {
    position,
    history,
    lines,
    engine,
    limits: {...(limit ? parseLimits(limit) : {}), ...(within ? {within} : {})},
  };
}

/** @param {House} house @param {PageRequest} request @param {Inbox} inbox */
async function* analysis(house, request, inbox) {
  const {position, history, lines, engine, limits} = await questionOf(house, request);
  if (position.isOver) {
    yield {over: over(position)};
    return;
  }
  const ending = new AbortController(),
    end = () => ending.abort();
  inbox.signal.addEventListener("abort", end);
  try {
    // it is under way while the exact values are looked up
    const news = begun(house, {position, history, limits, lines, engine, signal: ending.signal});
    yield* reported(house, {position, history}, engine, Math.max(lines, MOST_LINES), news);
  } finally {
    inbox.signal.removeEventListener("abort", end);
    end();
  }
}

/**
 * Begins a search. Returns what waits for news of it.
 * @param {House} house
 * @param {import("./house.js").Search & import("./house.js").Choice & {signal: AbortSignal}} search
 */
function begun(house, search) {
  const bell = new News(search.signal);
  /** @typedef {import("./kr.js").Progress} Progress */
  /** @type {{result: import("./house.js").Found | null, progress: Progress | null, waits: boolean}} */
  let fresh = {result: null, progress: null, waits: false},
    isDone = false;
  /** @type {unknown} */
  let failed = null;
  const put = (/** @type {Partial<typeof fresh>} */ told) => {
    fresh = {...fresh, ...told};
    bell.ring();
  };
  house.engine
    .search({
      ...search,
      patient: true,
      onWaiting: () => put({waits: true}),
      onLines: result => put({result, progress: null}),
      onProgress: progress => put({progress}),
    })
    .then(
      result => put({result}),
      error => (failed = error),
    )
    .finally(() => {
      isDone = true;
      bell.ring();
    });
  return async () => {
    await bell.wait();
    if (failed) throw failed;
    const told = {...fresh, isDone};
    fresh = {result: null, progress: null, waits: false};
    return told;
  };
}

/**
 * The events of a search: first what is known exactly, then its lines.
 * @param {House} house
 * @param {import("./weighing.js").Task} task
 * @param {number} engine its number
 * @param {number} most lines
 * @param {ReturnType<typeof begun>} news
 */
async function* reported(house, task, engine, most, news) {
  const {position} = task,
    [database, certificates, chances, {name}] = await Promise.all([
      house.database(),
      house.certificates(),
      house.chances,
      house.data("engine"),
    ]),
    [moves, [here]] = await Promise.all([
      knownMoves(database, position, certificates),
      known(database, [position], certificates),
    ]),
    report = new LineReport(task, {moves, here}, chances, most),
    draw = drawByRule(position, task.history);
  yield {exact: report.exact, ...(draw ? {draw} : {})};
  for (;;) {
    const {result, progress, waits, isDone: final} = await news();
    if (waits) yield {waiting: true};
    if (result?.lines.length) {
      yield {...report.event(result, !engine), engine: result.name ?? `kr (${name})`, hash: result.hash, final};
    } else if (progress) {
      const {seconds, depth, nodes} = progress;
      yield {progress: nodes === undefined ? {time: rounded(seconds)} : {depth, ...pace(progress)}};
    }
    if (final) return;
    await pause(1 / UPDATES);
  }
}

/** Lines of a position as its page has them, so that nothing is computed or sent twice. */
class LineReport {
  /**
   * @param {import("./weighing.js").Task} task
   * @param {{moves: import("./exact.js").ExactMove[], here: import("./weighing.js").Known}} known moves: those whose
   *   values are known
   * @param {import("./chances.js").ChancesOfScores} chances
   * @param {number} most lines
   */
  constructor(task, {moves, here}, chances, most) {
    const {position} = task;
    this._task = task;
    this._position = position;
    this._chances = chances;
    this._most = most;
    /** @type {string[]} */
    this._sent = [];
    this._known = new Map(moves.map(each => [String(each.move), each]));
    /** What is known, as JSON. */
    this.exact =
      moves.length || here.value || here.excludes
        ? {
            ...exactly(here),
            moves: moves.map(each => ({...step(position, position.parseMove(String(each.move))), ...exactly(each)})),
          }
        : null;
  }

  /** Lines as JSON, best first. @param {Result} result */
  event({lines, depth, nodes, seconds}, isOwn = true) {
    const shown = lines.slice(0, this._most).map(({depth, score, moves}, rank) => {
      const exact = this._known.get(String(moves[0])),
        worth = weighed({score, moves}, this._task, exact?.value ?? null, exact?.distance ?? null),
        // the chances behind scores of other engines are not known
        odds = isOwn || worth.certain ? this._chances.of(worth.score, worth.certain) : null,
        pv = moves.map(String).join(" "),
        isSent = this._sent[rank] === pv;
      this._sent[rank] = pv;
      return {
        score: worth.score,
        value: worth.value,
        plies: worth.plies,
        draw: worth.draw,
        depth,
        chances: odds && [odds.win, odds.draw, odds.loss].map(each => Number(each.toFixed(4))),
        ...(isSent ? {} : {pv: this._pv(moves.slice(0, LONGEST_PV))}),
      };
    });
    this._sent.length = shown.length;
    return {side: sideName(this._position.side), lines: shown, depth, ...pace({nodes, seconds})};
  }

  /** @param {Move[]} moves */
  _pv(moves) {
    let at = this._position;
    return moves.map(move => {
      const made = step(at, move);
      at = at.after(move);
      return made;
    });
  }
}

/** @param {import("./weighing.js").Known} known */
const exactly = ({value, distance, certificates, excludes}) => ({
  value,
  plies: distance,
  ...(certificates?.length && {certificates}),
  ...(excludes && {excludes}),
});

/** @param {Position} position @param {Move} move */
const step = (position, move) => ({...moveJson(move), fen: position.after(move).fen});

/** @param {number} seconds */
const rounded = seconds => Number(seconds.toFixed(3));

/** @param {{nodes: number, seconds: number}} progress */
const pace = ({nodes, seconds}) => ({
  nodes,
  nps: seconds > 0 ? Math.round(nodes / seconds) : 0,
  time: rounded(seconds),
});

/** The engines by number, what is wrong with some by theirs, and the most lines of one. @param {House} house */
async function listEngines(house) {
  const {name, engines = [], faults = {}} = await house.data("engine");
  return {engines: [`kr (${name})`, ...engines], faults, lines: MOST_LINES};
}

export const ROUTES = {engines: listEngines};
export const LIVE = {analysis};
