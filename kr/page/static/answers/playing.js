// Games against kr: kr/web/playing.py, whose beginning describes requests and events. A game runs here, with or without
// viewers, as long as the page is open; the page keeps its document, with which it goes on after a reload.

import {openingsOf} from "./openings.js";
import {clockFromText} from "./play/clock.js";
import {LiveGame, wholeGame} from "./play/live.js";
import {levels, seatsOf} from "./play/opponents.js";
import {playerOf} from "./play/players.js";
import {PlayRecord} from "./play/record.js";
import {CONTROL_TAG, ENGINE_CONTROL_TAG, newSetup, storedSetup} from "./play/setup.js";
import {KrError} from "./text.js";

/** @typedef {import("./answers.js").Inbox} Inbox */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./play/live.js").Viewer} Viewer */
/** @typedef {import("./play/setup.js").Setup} Setup */
/** @typedef {import("./request.js").PageRequest} PageRequest */

const LONGEST_ID = 40;
/** The time, and something random; those of earlier servers are shorter. */
const ID = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{20}$/,
  SHORT_ID = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{12}$/;
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

/** The games of this page that are under way. */
class Games {
  /** @param {House} house */
  constructor(house) {
    this._house = house;
    /** @type {Map<string, LiveGame>} */
    this._running = new Map();
    // the windows of the page keep one record of a game: the one that took it up last has it
    this._windows = new BroadcastChannel("kr-games");
    this._windows.onmessage = ({data}) => this._running.get(data)?.giveAway();
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
    if (!ID.test(id) && !SHORT_ID.test(id)) throw new KrError("that is not the id of a game");
    const running = this._running.get(id);
    if (running) return running;
    if (!request.has("document") || !ID.test(id)) throw new KrError("this game is not kept here any more");
    const game = await request.document();
    seatsOf(game.headers);
    clockFromText(game.headers.get(CONTROL_TAG) ?? "");
    if (game.headers.has(ENGINE_CONTROL_TAG))
      throw new KrError(`a game here has no ${ENGINE_CONTROL_TAG}: both sides have the same clock`);
    const whole = wholeGame(id, game);
    if (whole.game.over) return whole;
    const setup = storedSetup(this._house, game.headers);
    return this._start(id, setup, PlayRecord.resume(game, setup));
  }

  /** @param {string} id @param {Setup} setup @param {PlayRecord} record */
  async _start(id, {specs, control}, record) {
    const [players, openings] = await Promise.all([
      Promise.all(specs.map(spec => playerOf(this._house, spec))),
      openingsOf(this._house),
    ]);
    // a page that loads again at once finds one game
    let game = this._running.get(id);
    if (!game) {
      game = new LiveGame(id, this._house, openings, record, {players, control}, () => this._running.delete(id));
      this._running.set(id, game);
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
      viewer.put({say: error.message});
    }
  }
}

export const ROUTES = {"play/levels": levels};
export const LIVE = {play};
