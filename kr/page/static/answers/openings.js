// The openings that have a name, and the decks of ballots. tests/cases/names.json holds what they have in common with
// kr/openings.

import {nameKey} from "./names.js";
import {Position} from "./rules.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {{name: string, moves: string, position: Position, plies: number, keys: string[]}} NamedLine */
/** @typedef {{name: string, ply: number}} ReachedName */
/** @typedef {{number: number, moves: string, name: string}} Ballot */

/**
 * An opening of a deck; position: after its moves.
 * @typedef {{name: string, number: number, position: Position, moves: string, standing: string}} Opening
 */

/**
 * What kr/page/data.py makes of the openings.
 * @typedef {object} OpeningsData
 * @property {[name: string, moves: string, ...spellings: string[]][]} names
 * @property {string[]} three_move
 * @property {string} three_move_standings
 * @property {{black: [number, string, number][], white: [number, string, number][]}} eleven_man
 * @property {string} eleven_man_standings
 */

/** The openings that have a name, as a deck. */
export const NAMED = "named";
const STANDINGS = ["playable", "lost", "barred"];
const BALLOT_PLIES = 3;
const ELEVEN_MAN = "11man";

/** @type {WeakMap<object, Promise<Openings>>} */
const LOADED = new WeakMap();

/**
 * The openings, loaded once.
 * @param {{data: (name: string) => Promise<any>}} house
 * @returns {Promise<Openings>}
 */
export function openingsOf(house) {
  let loading = LOADED.get(house);
  if (!loading) {
    loading = house.data("openings").then(data => new Openings(data));
    // after a failure the next request tries again
    loading.catch(() => LOADED.delete(house));
    LOADED.set(house, loading);
  }
  return loading;
}

/** The positions of a line from the start of the game. @param {string} moves */
export function positionsOf(moves) {
  const positions = [new Position()];
  for (const move of moves.split(" ")) positions.push(positions[positions.length - 1].play(move));
  return positions;
}

/**
 * Start of a game with an opening, and the opening's moves. One that no moves lead to begins in its position.
 * @param {Opening} opening
 * @returns {{start: Position, moves: Move[]}}
 */
export function begun({position, moves}) {
  if (!/^[0-9]/.test(moves)) return {start: position, moves: []};
  const start = new Position(),
    /** @type {Move[]} */
    line = [];
  let at = start;
  for (const text of moves.split(" ")) {
    line.push(at.parseMove(text));
    at = at.play(line[line.length - 1]);
  }
  return {start, moves: line};
}

export class Openings {
  /** @type {Map<string, Opening[]>} */
  #decks = new Map();
  /** @type {Map<string, Ballot> | null} */
  #ballots = null;

  /** @param {OpeningsData} data */
  constructor(data) {
    this._data = data;
    /** @type {NamedLine[]} */
    this.lines = data.names.map(([name, moves, ...spellings]) => {
      const positions = positionsOf(moves);
      return {
        name,
        moves,
        position: positions[positions.length - 1],
        plies: positions.length - 1,
        keys: [name, ...spellings].map(nameKey),
      };
    });
    this._longest = Math.max(...this.lines.map(line => line.plies));
    this._byKey = new Map(this.lines.map(line => [line.position.key, line]));
  }

  /** The named line that leads to a position. @param {Position} position */
  lineAt(position) {
    return this._byKey.get(position.key);
  }

  /** The name of a position; "" if it has none of its own. @param {Position} position */
  nameAt(position) {
    return this.lineAt(position)?.name ?? "";
  }

  /**
   * The names that a game comes to, in order.
   * @param {readonly Position[]} positions its start and the position after each move
   * @returns {ReachedName[]} each with the number of moves before it
   */
  namesOf(positions) {
    /** @type {ReachedName[]} */
    const names = [];
    positions.slice(0, this._longest + 1).forEach((position, ply) => {
      const name = this.nameAt(position);
      if (name && name !== names[names.length - 1]?.name) names.push({name, ply});
    });
    return names;
  }

  /**
   * The most specific name along a game: the last.
   * @param {readonly Position[]} positions
   * @returns {ReachedName | undefined}
   */
  nameOf(positions) {
    return this.namesOf(positions).at(-1);
  }

  /** The lines with this very name, or another spelling of it. @param {string} name @returns {NamedLine[]} */
  linesNamed(name) {
    const key = nameKey(name);
    return /[/\\]/.test(name) ? [] : this.lines.filter(line => line.keys.includes(key));
  }

  /**
   * The three-move ballot of a game, and the ply at which it is reached; one that is set up with its position has it
   * too.
   * @param {readonly Position[]} positions
   * @returns {{ballot: Ballot | null, ply: number}}
   */
  ballotOf(positions) {
    const ply = positions[0].equals(new Position()) ? BALLOT_PLIES : 0;
    return {ballot: (ply < positions.length && this.ballots.get(positions[ply].key)) || null, ply};
  }

  /** The three-move ballots by the keys of their positions. */
  get ballots() {
    this.#ballots ??= new Map(
      this.deck("3move", false).map(({number, position, moves}) => [
        position.key,
        {number, moves, name: this.nameAt(position)},
      ]),
    );
    return this.#ballots;
  }

  /**
   * The openings of a deck: "start", "3move", "11man", NAMED, or the name of one or several openings; none for another.
   * @param {string} name
   * @param {boolean} [playableOnly] leave out those that are lost or barred
   * @returns {Opening[]}
   */
  deck(name, playableOnly = true) {
    let all = this.#decks.get(name);
    if (!all) {
      all = this.#made(name);
      this.#decks.set(name, all);
    }
    return playableOnly ? all.filter(each => each.standing === STANDINGS[0]) : all;
  }

  /** @param {string} name @returns {Opening[]} */
  #made(name) {
    if (name === "start") return [opening(name, 1, new Position(), "")];
    if (name === "3move") {
      const {three_move: lines, three_move_standings: standings} = this._data;
      return lines.map((moves, i) => opening(name, i + 1, positionsOf(moves)[BALLOT_PLIES], moves, standings[i]));
    }
    if (name === ELEVEN_MAN) return this.#elevenMan();
    if (name === NAMED) return this.lines.map((line, i) => opening(name, i + 1, line.position, line.moves));
    const lines = this.linesNamed(name);
    return lines.map((line, i) => {
      const each = opening(line.name, i + 1, line.position, line.moves);
      return lines.length > 1 ? each : {...each, name: line.name};
    });
  }

  #elevenMan() {
    const {eleven_man: halves, eleven_man_standings: standings} = this._data;
    /** @type {Opening[]} */
    const all = [];
    for (const [ownMan, ownMove, black] of halves.black)
      for (const [otherMan, otherMove, white] of halves.white) {
        const moves = `remove ${ownMan} and ${otherMan}; ${ownMove} ${otherMove}`,
          number = all.length + 1;
        all.push(opening(ELEVEN_MAN, number, new Position(black, white, 0), moves, standings[number - 1]));
      }
    return all;
  }
}

/** @param {string} deck @param {number} number @param {Position} position @param {string} moves @returns {Opening} */
const opening = (deck, number, position, moves, standing = "0") => ({
  name: `${deck} ${number}`,
  number,
  position,
  moves,
  standing: STANDINGS[Number(standing)],
});
