// What the explorer asks the server for: what was played, games, names, and scores that deepen while one stays.

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Archive} Archive */
/** @typedef {import("./state.js").Game} Game */
/** @typedef {import("./state.js").BookAnswer} BookAnswer */
/** @typedef {import("./state.js").Step} Step */
/** @typedef {import("./state.js").Results} Results */
/** @typedef {import("./state.js").Scores} Scores */

/** @typedef {{fen: string, side: "black" | "white", total: Results, moves: (Step & Results)[]}} Played */
/** @typedef {{start: string, moves: Step[], title: string}} Line */
/** @typedef {{games: Game[], found: number, start: number}} Page */
/** @typedef {{archives: number[], fen: string} & Record<string, unknown>} Wanted */

export class Questions {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
  }

  /**
   * Moves played in a position.
   * @param {Wanted} wanted
   * @returns {Promise<Played>}
   */
  moves(wanted) {
    return this._app.api("explorer/moves", wanted);
  }

  /**
   * What the book says of a position.
   * @param {string} fen
   * @returns {Promise<BookAnswer>}
   */
  book(fen) {
    return this._app.api("book/moves", {fen});
  }

  /**
   * What kr's games against itself came to.
   * @param {string} fen
   * @returns {Promise<import("./state.js").SelfPlay>}
   */
  selfPlay(fen) {
    return this._app.api("selfplay/moves", {fen});
  }

  /**
   * The names that a line of moves comes to.
   * @param {{start: string, moves: string[]}} line
   * @returns {Promise<{names: {name: string, ply: number}[], ballot: {number: number} | null}>}
   */
  names(line) {
    return this._app.api("openings/names", line);
  }

  /**
   * Names of openings that match a text.
   * @param {string} text
   * @returns {Promise<{openings: import("./search.js").Opening[]}>}
   */
  openings(text) {
    return this._app.api("openings", {deck: "named", wanted: text.slice(0, 100)});
  }

  /**
   * The game that a text of moves from the start tells; null for other texts.
   * @param {string} text
   * @returns {Promise<Line | null>}
   */
  async line(text) {
    return (await this._app.api("openings/line", {wanted: text.slice(0, 400)})).line;
  }

  /**
   * An opening with a name, by its number.
   * @param {number} number
   * @returns {Promise<Line>}
   */
  opening(number) {
    return this._app.api("opening", {deck: "named", number});
  }

  /**
   * A page of games.
   * @param {Wanted & {here: boolean, order: string, start: number}} wanted
   * @returns {Promise<Page>}
   */
  games(wanted) {
    return this._app.api("explorer/games", wanted);
  }

  /**
   * A game of an archive.
   * @param {Game} game
   * @returns {Promise<{document: any, archive: string, line: number}>}
   */
  async game({archive, number}) {
    const {pdn, ...from} = await this._app.api("explorer/game", {archive, number});
    return {...(await this._app.api("games/read", {text: pdn})), ...from};
  }

  /**
   * Names of players that complete a text.
   * @param {number[]} archives
   * @param {string} text
   * @returns {Promise<{players: {name: string, games: number}[]}>}
   */
  players(archives, text) {
    return this._app.api("explorer/players", {archives, wanted: text.slice(0, 100)});
  }
}

/** The search that scores the moves of a position, all of them together: it deepens while one stays. */
const SCORING = {limit: "30s,nodes=60000000", within: 50},
  MOST_LINES = 64;

/**
 * Of the events of an analysis, one after another, the scores of all moves from the side to move; null where an event
 * has none. Moves that are worse than the best by more than the margin have `worse` and no score.
 * @param {string[]} moves
 * @returns {(event: any) => Record<string, import("./state.js").Score> | null}
 */
export function scoring(moves) {
  /** @type {string[]} the first moves of the lines, of which one that stays is told once */
  const first = [];
  return ({exact, lines, depth}) => {
    if (exact) {
      const entries = exact.moves.map((/** @type {any} */ {text, value, plies}) => [text, {score: null, value, plies}]);
      return Object.fromEntries(entries);
    }
    if (!lines) return null;
    /** @type {Record<string, any>} */
    const scores = Object.fromEntries(moves.map(text => [text, {score: null, depth, worse: true}]));
    for (const [rank, {pv, score, value, plies}] of lines.entries()) {
      if (pv) first[rank] = pv[0].text;
      scores[first[rank]] = {score, depth, value, plies};
    }
    return scores;
  };
}

/** kr's search of a position while it is in sight; what it says goes into Scores. */
export class Scoring {
  /**
   * @param {App} app
   * @param {Scores} scores
   * @param {(fen: string) => void} hear called as there is something new of a position
   */
  constructor(app, scores, hear) {
    this._app = app;
    this._scores = scores;
    this._hear = hear;
    /** @type {{stop: () => void} | null} */
    this._stream = null;
  }

  /**
   * Searches a position, unless that was done to the end.
   * @param {string} fen
   * @param {string[]} moves its legal ones
   */
  begin(fen, moves) {
    this.stop();
    if (this._scores.isWhole(fen)) return;
    const asked = {start: fen, lines: Math.min(moves.length, MOST_LINES), ...SCORING},
      scoresOf = scoring(moves);
    this._stream = this._app.live("analysis", asked, (/** @type {any} */ event) => {
      const scores = scoresOf(event);
      if (scores) this._scores.put(fen, scores, event.depth);
      else if (event.end || event.error !== undefined) this._stream = null;
      if (event.end) this._scores.finish(fen);
      this._hear(fen);
    });
  }

  stop() {
    this._stream?.stop();
    this._stream = null;
  }
}
