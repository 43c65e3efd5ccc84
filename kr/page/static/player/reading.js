// The games of a person, read one after another: at once what the list knows of them, then their mistakes and endings.

import {endingPositions, listed, read, sideIn} from "./game.js";

/** @typedef {import("./game.js").GameFacts} GameFacts */
/** @typedef {import("../library/cards.js").Card} Card */

/** Positions of which one request asks values. */
const MOST_LOOKED_UP = 1000;
/** Games that are read before others may see what is known. */
const AT_ONCE = 20;

export class Reading {
  /**
   * @param {{api: (path: string, body: object) => Promise<any>}} app
   * @param {Pick<import("../library/games.js").Library, "get" | "list">} library
   */
  constructor(app, library) {
    this._app = app;
    this._library = library;
    /** Facts by game, side and revision, which stay for the next time. @type {Map<string, GameFacts>} */
    this._known = new Map();
    this._turn = 0;
  }

  /**
   * The facts of all games of a person, again and again as more of them are read; `isWhole` with the last ones.
   * @param {ReadonlySet<string>} names
   * @param {(games: GameFacts[], isWhole: boolean) => void} show
   */
  async all(names, show) {
    const turn = ++this._turn,
      games = this._library.list({}, "date").flatMap(card => {
        const side = card.isGoing ? null : sideIn(card, names);
        return side ? [{card, side}] : [];
      }),
      facts = () => games.map(({card, side}) => this._known.get(keyOf(card, side)) ?? listed(card, side)),
      unread = games.filter(({card, side}) => !this._known.has(keyOf(card, side)));
    show(facts(), !unread.length);
    for (let start = 0; start < unread.length; start += AT_ONCE) {
      await this._read(unread.slice(start, start + AT_ONCE));
      // somebody asks for another person
      if (turn !== this._turn) return;
      show(facts(), start + AT_ONCE >= unread.length);
    }
  }

  /** @param {{card: Card, side: import("./game.js").Side}[]} games */
  async _read(games) {
    const bodies = await Promise.all(games.map(({card}) => this._library.get(card.id).catch(() => null))),
      wanted = [...new Set(bodies.flatMap(body => (body ? endingPositions(body.document) : [])))],
      /** @type {Map<string, import("./game.js").Value | null>} */ values = new Map();
    for (let start = 0; start < wanted.length; start += MOST_LOOKED_UP) {
      const fens = wanted.slice(start, start + MOST_LOOKED_UP),
        found = await this._app.api("endings/game", {fens});
      fens.forEach((fen, index) => {
        values.set(fen, found.values[index]);
      });
    }
    games.forEach(({card, side}, index) => {
      const body = bodies[index],
        facts = listed(card, side);
      this._known.set(keyOf(card, side), body ? read(facts, body.document, values) : facts);
    });
  }
}

/** @param {Card} card @param {string} side */
const keyOf = ({id, rev}, side) => `${id} ${rev} ${side}`;
