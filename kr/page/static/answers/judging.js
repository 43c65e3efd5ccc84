// Whole games judged while the page watches: each move as it is known, from the last to the first, then the marked
// game; and single moves that somebody tries in its place.
//
// Request of "annotate": document; nodes or seconds of each search; background: whether all others go first. Events:
// total, the number of moves; waits if others must end their searches first; moves, those judged since the last event,
// each with ply (of the position after it), expected (of Black), kind of mark, reason and once (seen by one search
// only); judged when all are. Then the page sends its document, to which comments and variations may have been added
// meanwhile, and receives it with the marks, the players' table, the story about you, the side of the person who played
// the game here, if one did, and the accuracy of Black and White (null if no move mattered).
//
// Request of "annotate/trial": start, moves and the move that is tried after them; nodes or seconds of its search;
// best, the expected result of its side after the best move; better, the moves of its line. One event, after one with
// waits if it has to wait: verdict, right, playable or not; expected, after the move; line, with it and the answer that
// was found; why, reasons that it is worse, but for those that name the best move.

import {gameDocument, readDocument} from "./document.js";
import {formatDuration} from "./durations.js";
import {accuracies, mark, tableOf} from "./review/annotation.js";
import {rounded} from "./review/figures.js";
import {openingPlies} from "./pdn/opening.js";
import {personsOf} from "./persons.js";
import {judgeMoves, verdictOf} from "./review/judging.js";
import {MARK_KINDS, pov} from "./review/marking.js";
import {continued, reasons, withReasons} from "./review/coach.js";
import {withPeople} from "./review/people.js";
import {Searches} from "./review/searches.js";
import {tell} from "./review/story.js";
import {Game} from "./pdn/tree.js";
import {BLACK, moveJson, sideName, WHITE} from "./rules.js";
import {LONGEST_LINE} from "./request.js";
import {Refused} from "./text.js";
import {MOST_LINE} from "./wire.js";

/** @typedef {import("./answers.js").Inbox} Inbox */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./review/judging.js").JudgedMove} JudgedMove */
/** @typedef {import("./review/searches.js").Limits} Limits */

/** Moves of a game that is judged. */
const MOST_PLIES = 1000;
/** Least and most nodes of a search. */
const NODES = [1000, 5_000_000];
const USUAL_NODES = 200_000;
/** Least and most time of a search. */
const SECONDS = [0.01, 10];
/** Seconds between two events. */
const EVENT_SECONDS = 0.05;
/** Time in which the page sends its game for the marks. */
const DOCUMENT_SECONDS = 20;
/** Tags of a game that was played here. */
const SPEC_TAGS = ["BlackPlayer", "WhitePlayer"];
const HUMAN = "human";
/** Most moves of the line of a move that is tried. */
const TRIAL_PLIES = 8;

/**
 * The engine of a review, and all that judges beside it.
 * @param {House} house
 * @param {AbortSignal} signal
 * @param {boolean} [background]
 */
async function borrowed(house, signal, background = false) {
  // the engine is on its way while the database is
  house.engine.prepare().catch(() => {});
  const [database, certificates, chances, facts] = await Promise.all([
    house.database(),
    house.certificates(),
    house.chances,
    house.data("annotation"),
    house.speak(),
  ]);
  let onWaiting = () => {};
  const waiting = new Promise(resolve => (onWaiting = () => resolve(true))),
    engine = house.engine.borrow({signal, background, onWaiting}),
    waits = Promise.race([waiting, engine.turn]);
  return {judge: {engine, database, certificates, chances, signal}, facts, waits};
}

/** @param {House} house @param {PageRequest} request @param {Inbox} inbox */
async function* annotate(house, request, inbox) {
  const game = readDocument(request.object("document").fields),
    {length} = game.moves;
  if (!length) throw new Refused("refused.no_moves");
  if (length > MOST_PLIES) throw new Refused("refused.long_game", {length, most: MOST_PLIES});
  const limits = limitsOf(request);
  yield {total: length};
  const {signal} = inbox,
    background = request.flag("background"),
    [{name, version}, {judge, waits, facts: data}] = await Promise.all([
      house.data("engine"),
      borrowed(house, signal, background),
    ]),
    {thresholds, story: facts} = data,
    {database, engine} = judge;
  if (await waits) yield {waits: true};
  /** @type {JudgedMove[]} */
  const backwards = [];
  /** @type {Record<string, any>[]} */
  let untold = [],
    /** @type {JudgedMove[]} */
    explained = [],
    last = -Infinity;
  try {
    for await (const judged of judgeMoves(game, {limits, fromPly: firstPly(game), thresholds}, judge)) {
      backwards.push(judged);
      untold.push(eventOf(judged));
      if (house.clock() < last + EVENT_SECONDS) continue;
      yield {moves: untold};
      untold = [];
      last = house.clock();
    }
    explained = await withReasons(
      game,
      backwards.reverse(),
      house.engine,
      (position, line) => continued(position, line, database, bestLine(judge, limits)),
      new Searches(game, limits, judge),
      thresholds,
    );
  } finally {
    engine.end();
  }
  if (untold.length) yield {moves: untold};
  const moves = await likely(house, game, explained, thresholds, {signal, background}),
    story = tell(game, moves, facts);
  yield {judged: true};
  const now = await current(game, inbox);
  const endings = database ? `endgames ${database.reach}` : "no endgame database";
  const signature = `kr ${version} (${limitsText(limits)} a position, weights ${name}, ${endings})`;
  mark(now, moves, story, signature, facts.thresholds);
  const you = personOf(now);
  yield {
    document: gameDocument(now),
    table: tableOf(moves, now.headers),
    story: tell(now, moves, facts, you),
    accuracy: accuracies(moves).map(figure => (figure === null ? null : rounded(figure, 1))),
    you: you === null ? null : sideName(you),
  };
}

/** @param {House} house @param {PageRequest} request @param {Inbox} inbox */
async function* trial(house, request, inbox) {
  const moves = [...request.texts("moves", LONGEST_LINE, 100), request.text("move", 100)],
    game = new Game([], request.position("start"), moves, "*"),
    best = request.fraction("best", 0, 1),
    better = request.texts("better", MOST_LINE, 100, []),
    limits = limitsOf(request),
    {judge, waits, facts} = await borrowed(house, inbox.signal);
  try {
    if (await waits) yield {waits: true};
    const found = await new Searches(game, limits, judge).tried(),
      expected = rounded(found.expected, 2),
      verdict = verdictOf(expected, best, facts.thresholds),
      before = game.positions()[moves.length - 1],
      compared = verdict === "right" ? [] : new Game([], before, better, "*").moves,
      refutation = compared.length
        ? await continued(before, found.line, judge.database, bestLine(judge, limits))
        : found.line,
      all = compared.length ? await house.engine.facts(before, refutation, compared) : [],
      // the better move is not told
      own = all.filter(each => !each.better),
      shown = Math.max(TRIAL_PLIES, ...own.map(({plies}) => plies));
    let at = before;
    const line = refutation.slice(0, shown).map(move => {
      at = at.after(move);
      return {...moveJson(move), fen: at.fen};
    });
    yield {verdict, expected, line, why: reasons({mark: "", refutation, line: compared}, own)};
  } finally {
    judge.engine.end();
  }
}

/**
 * Searches for the best line of a position.
 * @param {import("./review/searches.js").Judge} judge
 * @param {Limits} limits
 */
const bestLine =
  ({engine, signal}, limits) =>
  async (/** @type {import("./rules.js").Position} */ position) => {
    const {lines} = await engine.search({position, limits});
    signal.throwIfAborted();
    return lines[0]?.moves ?? [];
  };

/**
 * The judgements with what people play.
 * @param {House} house
 * @param {Game} game
 * @param {JudgedMove[]} moves
 * @param {import("./review/judging.js").Thresholds} thresholds
 * @param {import("./house.js").Choice} choice
 */
async function likely(house, game, moves, thresholds, choice) {
  const persons = await personsOf(house),
    engine = house.engine.borrow({...choice, small: true});
  try {
    return await withPeople(game, moves, persons, thresholds, await house.database(), {engine});
  } finally {
    engine.end();
  }
}

/**
 * First ply that is judged: in a game that was played here, the first that no ballot chose; elsewhere nobody knows, and
 * the judge's own rule holds (null).
 * @param {Game} game
 */
const firstPly = game => (SPEC_TAGS.some(tag => game.headers.has(tag)) ? openingPlies(game) : null);

/** Side of the person in a game against kr; null for other games. @param {Game} game */
function personOf({headers}) {
  const people = [BLACK, WHITE].filter(side => headers.get(SPEC_TAGS[side]) === HUMAN);
  return people.length === 1 && headers.get(SPEC_TAGS[1 - people[0]]) ? people[0] : null;
}

/** @param {PageRequest} request @returns {Limits} */
function limitsOf(request) {
  if (request.has("seconds")) return {seconds: request.fraction("seconds", SECONDS[0], SECONDS[1])};
  return {nodes: request.number("nodes", NODES[0], NODES[1], USUAL_NODES)};
}

/** @param {Limits} limits */
const limitsText = ({seconds, nodes}) => (seconds === undefined ? `nodes=${nodes}` : formatDuration(seconds));

/** @param {JudgedMove} judged */
const eventOf = ({ply, side, expected, mark: sign, reason, confirmed}) => ({
  ply: ply + 1,
  expected: expected === null ? null : rounded(pov(side, expected), 2),
  kind: MARK_KINDS[sign] ?? "",
  reason,
  once: expected !== null && !confirmed,
});

/** The game as the page has it now. @param {Game} game @param {Inbox} inbox */
async function current(game, inbox) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    const error = new Refused("refused.no_document");
    timer = setTimeout(() => reject(error), 1000 * DOCUMENT_SECONDS);
  });
  try {
    /** @type {PageRequest} */
    const message = await Promise.race([inbox.get(), late]);
    const now = readDocument(message.object("document").fields);
    if (playedText(now) === playedText(game)) return now;
  } finally {
    clearTimeout(timer);
  }
  throw new Refused("refused.moves_changed");
}

/** The main line, equal for equal ones alone. @param {Game} game */
const playedText = game =>
  game
    .stretches()
    .map(([start, moves]) => [start.key, ...moves.map(({path, captured}) => `${path}x${captured}`)].join(" "))
    .join("; ");

export const LIVE = {annotate, "annotate/trial": trial};
