// Endings to practise against exact play. The page keeps the game: each request has its start and moves.
//
// endings/known {} -> the pieces up to which the database is complete, and classes of more such as "4v4"
// endings/new {"own": 2, "own_kings": null, "other": 1, "other_kings": 1, "goal": "win", "difficulty": "any",
//     "side": "black", "seed": 7} -> a position, null if none was found
// endings/move {"start", "moves", "goal", "on": false} -> true if the last move kept the value, what it cost, the reply
//     with its reasons, the counts. After a move that gave the value away there is a reply only with "on".
// endings/values {"fen", "moves": [], "harder": false} -> value and distance of every move, best first; if wanted, of
//     draws the harder ones for people, and whether these differ in that. moves: played from there, the game's history
// endings/game {"fens"} -> value of each position for its side to move, null where it is not known

import {exactMoves, hardestMove} from "./exact.js";
import {harderFirst} from "./harder.js";
import {DIFFICULTIES, findExercise, FOR_PEOPLE, hardDraw, material} from "./exercise.js";
import {LONGEST_FEN, LONGEST_LINE} from "./request.js";
import {BLACK, moveJson, NO_PROGRESS_PLIES, Position, positionJson, WHITE} from "./rules.js";
import {opposite} from "./chances.js";
import {personsOf} from "./persons.js";
import {Refused} from "./text.js";
import {known} from "./weighing.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./rules.js").Board} Board */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./house.js").DatabasePort} DatabasePort */
/** @typedef {import("./exact.js").ExactMove} ExactMove */

/** Moves after which a drawn ending counts as held. */
const HOLD_MOVES = 20;
const GOALS = ["win", "draw"];
/** Limits of the search by which kr wins where the distance is not known. */
const CONVERSION = {seconds: 0.3, nodes: 100_000};

/** Reach of the database; 0 pieces without one. @param {House} house */
async function knownEndings(house) {
  const database = await house.database();
  return {
    pieces: database?.pieces ?? 0,
    classes: database?.classes ?? [],
    distance_pieces: database?.distancePieces ?? 0,
    hold_moves: HOLD_MOVES,
    no_progress: NO_PROGRESS_PLIES,
  };
}

/** A random position with the person to move. @param {House} house @param {PageRequest} request */
async function newEnding(house, request) {
  const database = await databaseOf(house),
    most = mostOfASide(database),
    own = request.number("own", 1, most),
    other = request.number("other", 1, most);
  if (!database.hasClass(own, other)) {
    const reach = [{say: "count.pieces", with: {count: database.pieces}}, ...database.classes];
    throw new Refused("refused.no_class", {own, rival: other, reach});
  }
  const ownKings = request.has("own_kings") ? request.number("own_kings", 0, own) : null,
    otherKings = request.has("other_kings") ? request.number("other_kings", 0, other) : null,
    shapes = material([own, ownKings], [other, otherKings]),
    goal = /** @type {Value} */ (request.choice("goal", GOALS)),
    difficulty = request.choice("difficulty", DIFFICULTIES, DIFFICULTIES[0]),
    side = request.choice("side", ["black", "white"]) === "black" ? BLACK : WHITE,
    seed = request.number("seed", 0, 2 ** 53),
    found =
      difficulty === FOR_PEOPLE && goal === "draw"
        ? hardDraw(await house.data("hard-draws"), shapes, side, seed)
        : await findExercise(database, shapes, goal, difficulty === FOR_PEOPLE ? "hard" : difficulty, side, seed);
  return found ? {position: positionJson(found.position), goal, distance: found.distance} : {position: null};
}

/** The verdict on the person's last move, and kr's reply. @param {House} house @param {PageRequest} request */
async function playEnding(house, request) {
  const database = await databaseOf(house),
    board = request.board(),
    person = board.start.side,
    goal = /** @type {Value} */ (request.choice("goal", GOALS));
  if (!board.moves.length || board.side === person) throw new Refused("refused.not_yours");
  const [before, after] = board.positions.slice(-2),
    moves = await exactMoves(database, before),
    [best] = moves,
    [{value: answered, distance}] = await known(database, [after]);
  if (!moves.length || answered === null) throw new Refused("refused.not_in_database", {fen: before.fen});
  const value = opposite(answered),
    keeps = value === best.value,
    made = /** @type {ExactMove} */ (moves.find(each => each.after.equals(after)));
  let over = ended(board, person, goal, value),
    reply = null,
    reasons = null;
  if (!over && (keeps || request.flag("on"))) {
    const move = await replyTo(house, database, board);
    reply = {...moveJson(move), fen: board.position.play(move).fen};
    reasons = await reasonsOf(database, board.position, move);
    board.play(move);
    over = ended(board, person, goal, value);
  }
  const {position, history} = board;
  return {
    kept: keeps,
    value,
    was: best.value,
    distance,
    better: keeps ? [] : moves.filter(each => each.value === best.value).map(each => moveJson(each.move)),
    best: {...moveJson(best.move), distance: best.distance},
    cost: keeps ? costOf(best, made) : null,
    reply,
    reasons,
    position: positionJson(position),
    quiet: history.length,
    seen: 1 + history.filter(each => each.equals(position)).length,
    over,
  };
}

/**
 * Every move of a position with its value and distance, best first.
 * @param {House} house
 * @param {PageRequest} request
 */
async function showValues(house, request) {
  const {position, history} = request.board("fen"),
    database = await databaseOf(house),
    exact = await exactMoves(database, position),
    {moves, isOrdered} = request.flag("harder", false)
      ? await harderFirst(database, await personsOf(house), [...history, position], exact)
      : {moves: exact, isOrdered: false};
  return {
    fen: position.fen,
    moves: moves.map(({move, value, distance}) => ({...moveJson(move), value, distance})),
    harder: isOrdered,
  };
}

/**
 * The values of the positions of a game, as far as they are known.
 * @param {House} house
 * @param {PageRequest} request
 */
async function showKnown(house, request) {
  const positions = request.texts("fens", LONGEST_LINE, LONGEST_FEN).map(each => Position.fromFen(each));
  return {values: (await known(await house.database(), positions)).map(({value}) => value)};
}

/** @param {House} house @returns {Promise<DatabasePort>} */
async function databaseOf(house) {
  const database = await house.database();
  if (!database) throw new Refused("refused.no_endings");
  return database;
}

/** Most pieces of a side in positions of the database. @param {DatabasePort} database */
const mostOfASide = ({pieces, classes}) => Math.max(pieces - 1, ...classes.map(name => Number(name.split("v")[0])));

/**
 * Plies by which a move makes a win longer or a loss shorter than the best one; null where no distance is known.
 * @param {ExactMove} best
 * @param {ExactMove} made
 */
const costOf = (best, made) =>
  best.distance === null || made.distance === null ? null : Math.abs(made.distance - best.distance);

/**
 * What speaks for kr's reply: its choice, its value and distance for kr, and the answers that keep the person's.
 * @param {DatabasePort} database
 * @param {Position} position
 * @param {Move} reply
 */
async function reasonsOf(database, position, reply) {
  const moves = await exactMoves(database, position),
    chosen = /** @type {ExactMove} */ (moves.find(each => each.move.equals(reply))),
    answers = await exactMoves(database, chosen.after);
  return {
    choice: moves.length,
    capture: reply.isCapture,
    value: chosen.value,
    distance: chosen.distance,
    answers: answers.length,
    right: answers.filter(each => each.value === opposite(chosen.value)).length,
  };
}

/** @param {House} house @param {DatabasePort} database @param {Board} board */
async function replyTo(house, database, board) {
  // a move adds no piece, so that the database has every answer
  const hardest = /** @type {ExactMove} */ (await hardestMove(database, board.position, board.history));
  if (hardest.value === "draw") {
    const {history, position} = board;
    return (await house.engine.forMistakes?.([...history, position])) ?? hardest.move;
  }
  if (hardest.value !== "win" || hardest.distance !== null) return hardest.move;
  return (await converting(house, database, board)) ?? hardest.move;
}

/**
 * A winning move by a search, which makes progress where the database knows no distance.
 * @param {House} house
 * @param {DatabasePort} database
 * @param {Board} board
 */
async function converting(house, database, {position, history}) {
  const winning = (await exactMoves(database, position)).filter(each => each.value === "win"),
    {move} = await house.engine.search({position, history, limits: CONVERSION, fresh: true}),
    reached = move && position.play(move);
  return reached && winning.find(each => each.after.equals(reached))?.move;
}

/**
 * Result of the exercise here, "won", "lost", "drawn" by rule or "held", and the reason; null if it goes on.
 * @param {Board} board
 * @param {number} person
 * @param {Value} goal
 * @param {Value} value
 */
function ended(board, person, goal, value) {
  const outcome = board.outcome();
  if (outcome) {
    const {winner, reason} = outcome;
    return {result: winner === null ? "drawn" : winner === person ? "won" : "lost", why: reason};
  }
  const held = Math.ceil(board.moves.length / 2) >= HOLD_MOVES && board.side !== person;
  return goal === "draw" && value === "draw" && held ? {result: "held", why: `${HOLD_MOVES} moves`} : null;
}

export const ROUTES = {
  "endings/known": knownEndings,
  "endings/new": newEnding,
  "endings/move": playEnding,
  "endings/values": showValues,
  "endings/game": showKnown,
};
