// The players whom a person meets: levels of kr, its full strength, what people play, evolved players, other programs.

import {choiceOf} from "../book.js";
import {Draws} from "./draws.js";
import {likelyMoves, searchAt} from "./levels.js";
import {HUMAN, levelNumbered, programNumber, readSpec} from "./opponents.js";
import {Refused} from "../text.js";

/** @typedef {import("../house.js").House} House */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("./levels.js").Level} Level */

/**
 * A move, with the score of its search, depth, nodes and seconds; weight: people's games with it, of a move from the
 * book.
 * @typedef {{move: Move, score: number, depth: number, nodes: number, time: number, weight?: number}} Reply
 */
/**
 * @typedef {{
 *   position: Position, history: readonly Position[], limits: import("./clock.js").Limits, signal: AbortSignal,
 * }} Task history: earlier positions, oldest first; signal: the move is no longer waited for
 */
/** @typedef {{newGame: () => void, search: (task: Task) => Promise<Reply>}} Player */

/** Score of a side without a move, as the static evaluation has it. */
const LOST = -28000;
/**
 * Who has the small engine's memory: a game keeps what it knows while no other one searches.
 * @type {WeakMap<House, Player>}
 */
const remembering = new WeakMap();

/**
 * The player of a text; null for a person.
 * @param {House} house
 * @param {string} spec
 * @returns {Promise<Player | null>}
 */
export async function playerOf(house, spec) {
  if (spec === HUMAN) return null;
  const read = readSpec(spec);
  if (!read || "people" in read.opponent) throw new Refused("refused.nobody", {name: spec});
  const {opponent, seed} = read;
  if ("generation" in opponent) return searching(house, async () => opponent);
  if ("engine" in opponent) {
    // at each move: a server of other engines may have taken the place of this one
    const now = async () => ({engine: await programNumber(house, opponent.engine, opponent.program)});
    await now();
    return searching(house, now);
  }
  if (!opponent.level) return people(house, seed);
  const level = await levelNumbered(house, opponent.level),
    {nodes} = level,
    player = nodes === null ? searching(house) : ownLevel(house, {...level, nodes}, seed);
  if (!level.database) return player;
  return withBook(house, opponent.against ? forMistakes(house, player) : player, seed);
}

/**
 * A player that plays from the book as long as that has the position; without it if the book can't be had. Its choice
 * depends only on the seed, the position and the length of the history.
 * @param {House} house
 * @param {Player} player
 * @param {string} seed
 * @returns {Player}
 */
function withBook(house, player, seed) {
  const opened = house.book().catch(() => null);
  return {
    newGame: player.newGame,
    async search(task) {
      const {position, history} = task,
        book = await opened,
        source = new Draws(`${seed} ${position.key} ${history.length}`),
        choice = book && (await choiceOf(book, position, history, source));
      if (!choice) return player.search(task);
      const {move, value, depth, weight} = choice;
      return {move, score: value, depth, nodes: 0, time: 0, weight};
    },
  };
}

/**
 * A player that plays a known draw for people's mistakes.
 * @param {House} house
 * @param {Player} player
 * @returns {Player}
 */
const forMistakes = (house, player) => ({
  newGame: player.newGame,
  async search(task) {
    const move = await house.engine.forMistakes?.([...task.history, task.position]);
    return move ? {move, score: 0, depth: 0, nodes: 0, time: 0} : player.search(task);
  },
});

/**
 * The move of a search that was ended before it had found one: it will be taken back.
 * @param {Position} position
 * @param {number} time
 * @returns {Reply}
 */
const anyMove = (position, time) => ({move: position.legalMoves()[0], score: 0, depth: 0, nodes: 0, time});

/** @param {House} house @param {Level & {nodes: number}} level @param {string} seed @returns {Player} */
function ownLevel(house, level, seed) {
  /** @type {Player} */
  const player = {
    newGame() {
      if (remembering.get(house) === player) remembering.delete(house);
    },
    async search({position, history, limits, signal}) {
      const fresh = remembering.get(house) !== player;
      remembering.set(house, player);
      const reply = await searchAt(house, level, position, history, {limits, seed, signal, fresh});
      return reply ?? anyMove(position, 0);
    },
  };
  return player;
}

/**
 * Full strength, of kr or of another engine.
 * @param {House} house
 * @param {() => Promise<{engine?: number, generation?: number}>} [whose]
 * @returns {Player}
 */
const searching = (house, whose = async () => ({})) => ({
  newGame() {},
  async search(task) {
    const {move, score, depth, nodes, seconds} = await house.engine.search({...task, ...(await whose())});
    return move ? {move, score, depth, nodes, time: seconds} : anyMove(task.position, seconds);
  },
});

/**
 * Plays the moves that people are likely to play, without a search.
 * @param {House} house
 * @param {string} seed
 * @returns {Player}
 */
const people = (house, seed) => ({
  newGame() {},
  async search({position, history}) {
    const [choices, score] = await Promise.all([likelyMoves(house, position, history), bestSeen(house, position)]),
      source = new Draws(`${seed} ${position.key} ${history.length}`);
    const {move} = choices[source.weighted(choices.map(each => each.probability))];
    return {move, score, depth: 0, nodes: 0, time: 0};
  },
});

/** The score of the best move, as sight of captures sees it. @param {House} house @param {Position} position */
async function bestSeen(house, position) {
  /** @type {Position[]} */
  const quiet = [];
  /** The best of scores that are known later. @param {Position} at @returns {() => number} */
  const best = at => {
    const seen = at.entries.map(move => afterCaptures(at.after(move)));
    return () => Math.max(...seen.map(score => -score()));
  };
  /** The score after all captures that are due. @param {Position} at @returns {() => number} */
  const afterCaptures = at => {
    if (at.isOver) return () => LOST;
    if (at.entries[0].captured) return best(at);
    const place = quiet.push(at) - 1;
    return () => scores[place];
  };
  const score = best(position),
    scores = await house.engine.scores(quiet);
  return score();
}
