// Games of people, against kr and others or of two at one board.
//
//   {do: "play", level: 3, side: "black", ballot: "3move 68", clock: "5+3"}   a new game; level 0: as people play
//   {do: "play", level: 3, ballot: "Old Fourteenth"}                          from an opening by its name
//   {do: "play", generation: 20, side: "white"}                               against an evolved player
//   {do: "play", engine: 1}                                                   against the engine of another program
//   {do: "play", people: 2, names: ["Ann", "Ben"], clock: "5+3"}              two people at one board
//   {do: "play", game: "20261122-224501-9f86d081884c7d659a2f", document}      one that is under way
//
// The last one may have time, {ply: 4, left: 71.5}: after so many plies the person to move has no more seconds left.
// The stream begins with {game}, reports events, {move}, {undo}, {offer}, {answer}, {hint}, {say}, each followed by
// {state}, and ends after {game} with its `over`. A game runs here, with or without viewers, as long as its page is
// open; the page keeps its document, with which it goes on. If another window of the browser takes it up, the last
// event is {elsewhere: true}. The stream takes {do: "move", ply: 4, path: [11, 15]}, {do: "undo"}, {do: "hint", ply:
// 4}, {do: "draw"} (offers a draw, or accepts one; two people at one board agree on one) and {do: "resign"}, by the
// side to move of two people.

import {openingsOf} from "./openings.js";
import {clockFromText, MOST_SECONDS} from "./play/clock.js";
import {LiveGame, MOST_PLY, wholeGame} from "./play/live.js";
import {levels, seatsOf} from "./play/opponents.js";
import {playerOf} from "./play/players.js";
import {PlayRecord} from "./play/record.js";
import {CONTROL_TAG, ENGINE_CONTROL_TAG, newSetup, storedSetup} from "./play/setup.js";
import {KrError, Refused} from "./text.js";

/** @typedef {import("./answers.js").Inbox} Inbox */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./play/live.js").Time} Time */
/** @typedef {import("./play/live.js").Viewer} Viewer */
/** @typedef {import("./play/setup.js").Setup} Setup */
/** @typedef {import("./request.js").PageRequest} PageRequest */

const LONGEST_ID = 40;
/** The time, and something random. */
const ID = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{20}$/;
const RANDOM_DIGITS = 20;

/** @param {House} house */
function newId(house) {
  const now = new Date(),
    two = (/** @type {number} */ number) => String(number).padStart(2, "0"),
    date = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(two).join(""),
    time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(""),
    random = Array.from({length: RANDOM_DIGITS}, () => Math.floor(16 * house.random()).toString(16));
  return `${date}-${time}-${random.join("")}`;
}

/** What the page knows of the time of who was to move. @param {PageRequest} request @returns {Time | null} */
function timeOf(request) {
  if (!request.has("time")) return null;
  const time = request.object("time");
  return {ply: time.number("ply", 0, MOST_PLY), left: time.fraction("left", 0, MOST_SECONDS)};
}

/** The games of this page that are under way. */
class Games {
  /** @param {House} house */
  constructor(house) {
    this._house = house;
    /** @type {Map<string, LiveGame>} */
    this._running = new Map();
    // the windows of the page keep one record of a game: the one that took it up last has it
    this._windows = new BroadcastChannel("kr-games");
    this._windows.onmessage = ({data}) => {
      this._running.get(data)?.giveAway();
      this._running.delete(data);
    };
    // node.js would wait for more
    /** @type {any} */ (this._windows).unref?.();
  }

  /** Begins a game. @param {PageRequest} request */
  async begin(request) {
    const setup = await newSetup(this._house, request);
    let id = newId(this._house);
    while (this._running.has(id)) id = newId(this._house);
    return this._start(id, setup, PlayRecord.begin(setup));
  }

  /**
   * A game by its id: one that is under way, or goes on from the page's document; the events of one that is over.
   * @param {PageRequest} request
   */
  async find(request) {
    const id = request.text("game", LONGEST_ID);
    if (!ID.test(id)) throw new Refused("refused.game_id");
    const running = this._running.get(id);
    if (running) return running;
    if (!request.has("document")) throw new Refused("refused.game_gone");
    const game = await request.document();
    seatsOf(game.headers);
    clockFromText(game.headers.get(CONTROL_TAG) ?? "");
    if (game.headers.has(ENGINE_CONTROL_TAG)) throw new Refused("refused.one_clock", {tag: ENGINE_CONTROL_TAG});
    const whole = wholeGame(id, game);
    if (whole.game.over) return whole;
    const setup = storedSetup(this._house, game.headers);
    return this._start(id, setup, PlayRecord.resume(game, setup), timeOf(request));
  }

  /** @param {string} id @param {Setup} setup @param {PlayRecord} record @param {Time | null} [time] */
  async _start(id, {specs, control}, record, time = null) {
    const [players, openings] = await Promise.all([
      Promise.all(specs.map(spec => playerOf(this._house, spec))),
      openingsOf(this._house),
    ]);
    // a page that loads again at once finds one game
    let game = this._running.get(id);
    if (!game) {
      const live = new LiveGame(id, this._house, openings, record, {players, control, time}, () => {
        if (this._running.get(id) === live) this._running.delete(id);
      });
      this._running.set(id, (game = live));
      this._windows.postMessage(id);
    }
    return game;
  }
}

/** @type {WeakMap<House, Games>} */
const GAMES = new WeakMap();

/** @param {House} house */
function gamesOf(house) {
  const games = GAMES.get(house) ?? new Games(house);
  GAMES.set(house, games);
  return games;
}

/**
 * A game, new or under way.
 * @param {House} house
 * @param {PageRequest} request
 * @param {Inbox} inbox
 */
async function* play(house, request, inbox) {
  const games = gamesOf(house),
    game = await (request.has("game") ? games.find(request) : games.begin(request));
  if (!(game instanceof LiveGame)) {
    yield game;
    return;
  }
  const viewer = game.watch(inbox.signal);
  // it ends with the stream
  hear(game, viewer, inbox).catch(() => {});
  try {
    yield* viewer.told();
  } finally {
    game.unwatch(viewer);
  }
}

/** Passes on what the page says. @param {LiveGame} game @param {Viewer} viewer @param {Inbox} inbox */
async function hear(game, viewer, inbox) {
  for (;;) {
    const message = await inbox.get();
    try {
      game.hear(message);
    } catch (error) {
      if (!(error instanceof KrError)) throw error;
      viewer.put({say: error.told});
    }
  }
}

export const ROUTES = {"play/levels": levels};
export const LIVE = {play};
