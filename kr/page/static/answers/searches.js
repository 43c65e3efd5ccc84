// Analysis while a page watches: one stream is one search of one position. kr/web/searches.py has the form of its
// events.

import {knownMoves} from "./exact.js";
import {parseLimits} from "./limits.js";
import {News, pause} from "./news.js";
import {drawByRule, moveJson, over, sideName} from "./rules.js";
import {KrError} from "./text.js";
import {known, weighed} from "./weighing.js";

/** @typedef {import("./answers.js").Inbox} Inbox */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./kr.js").Result} Result */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./rules.js").Position} Position */

const UPDATES = 20;
const MOST_LINES = 10;
const LONGEST_PV = 24;
const MOST_WITHIN = 10_000; // of kr/engine/limits.py

/** @param {House} house @param {PageRequest} request */
async function questionOf(house, request) {
  const board = request.board(),
    limit = request.text("limit", 100, "");
  let {position, history} = board;
  if (request.flag("threat")) {
    position = position.withSide(1 - position.side);
    history = [];
    if (position.isOver) throw new KrError(`no threat: ${position.side ? "White" : "Black"} could not move`);
  }
  const {engines} = await listEngines(house),
    engine = request.number("engine", 0, engines.length - 1, 0),
    lines = request.number("lines", 1, MOST_LINES, 1),
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
  // the engine is on its way while the database is
  house.engine.prepare().catch(() => {});
  const [database, chances, {name}] = await Promise.all([house.database(), house.chances, house.data("engine")]),
    report = await LineReport.of(position, history, database, chances),
    draw = drawByRule(position, history);
  yield {exact: report.exact, ...(draw ? {draw} : {})};
  const news = new News(inbox.signal);
  /** @type {Result | null} */
  let fresh = null;
  /** @type {import("./kr.js").Progress | null} */
  let progress = null;
  let isDone = false,
    waits = false;
  /** @type {unknown} */
  let failed = null;
  house.engine
    .search({
      position,
      history,
      limits,
      lines,
      signal: inbox.signal,
      patient: true,
      engine,
      onWaiting() {
        waits = true;
        news.ring();
      },
      onLines(result) {
        fresh = result;
        progress = null;
        news.ring();
      },
      onProgress(now) {
        progress = now;
        news.ring();
      },
    })
    .then(
      result => (fresh = result),
      error => (failed = error),
    )
    .finally(() => {
      isDone = true;
      news.ring();
    });
  for (;;) {
    await news.wait();
    const [result, now, final] = /** @type {[any, any, boolean]} */ ([fresh, progress, isDone]);
    fresh = progress = null;
    if (failed) throw failed;
    if (waits) yield {waiting: true};
    waits = false;
    if (result?.lines.length) {
      yield {...report.event(result, !engine), engine: result.name ?? `kr (${name})`, hash: result.hash, final};
    } else if (now) {
      yield {progress: now.nodes === undefined ? {time: rounded(now.seconds)} : {depth: now.depth, ...pace(now)}};
    }
    if (final) return;
    await pause(1 / UPDATES);
  }
}

/** Lines of a position as its page has them, so that nothing is computed or sent twice. */
class LineReport {
  /**
   * @param {Position} position
   * @param {Position[]} history
   * @param {import("./weighing.js").Database | null} database
   * @param {import("./chances.js").ChancesOfScores} chances
   */
  static async of(position, history, database, chances) {
    const [moves, [here]] = await Promise.all([knownMoves(database, position), known(database, [position])]);
    return new LineReport(position, history, moves, here, chances);
  }

  /**
   * @param {Position} position
   * @param {Position[]} history
   * @param {import("./exact.js").ExactMove[]} moves those whose values are known
   * @param {import("./weighing.js").Known} here
   * @param {import("./chances.js").ChancesOfScores} chances
   */
  constructor(position, history, moves, here, chances) {
    this._position = position;
    this._history = history;
    this._chances = chances;
    /** @type {string[]} */
    this._sent = [];
    this._known = new Map(moves.map(each => [String(each.move), each]));
    /** What the database knows, as JSON. */
    this.exact = moves.length
      ? {
          value: here.value,
          plies: here.distance,
          moves: moves.map(each => {
            const move = position.parseMove(String(each.move));
            return {...step(position, move), value: each.value, plies: each.distance};
          }),
        }
      : null;
  }

  /** Lines as JSON, best first. @param {Result} result */
  event({lines, depth, nodes, seconds}, isOwn = true) {
    const shown = lines.slice(0, MOST_LINES).map(({score, moves}, rank) => {
      const known = this._known.get(String(moves[0])),
        task = {position: this._position, history: this._history},
        worth = weighed({score, moves}, task, known?.value ?? null, known?.distance ?? null),
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
      const found = step(at, move);
      at = at.after(move);
      return found;
    });
  }
}

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

/** The engines by number, and the most lines of one. @param {House} house */
async function listEngines(house) {
  const {name, engines = []} = await house.data("engine");
  return {engines: [`kr (${name})`, ...engines], lines: MOST_LINES};
}

export const ROUTES = {engines: listEngines};
export const LIVE = {analysis};
