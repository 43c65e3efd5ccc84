// A list of many games, read on demand from a file.

import {
  boundedDocument,
  fensOf,
  MOST_FAULTS,
  positionGames,
  shortened,
  summary,
  withContent,
  withoutComment,
} from "./pasted_games.js";
import {plainName} from "./names.js";
import {lengthOf, linesOf} from "./blanks.js";
import {told} from "./pdn/drafts.js";
import {Reader} from "./pdn/reader.js";
import {Text} from "./pdn/source.js";
import {writeGame} from "./pdn/writer.js";
import {KrError, Refused} from "./text.js";

/** @typedef {import("../texts.js").Said} Said */
/** @typedef {import("./pasted_games.js").NumberedLine} NumberedLine */
/** @typedef {import("./pasted_games.js").Row} Row */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./pdn/source.js").ByteSource} ByteSource */
/** @typedef {import("./pdn/tree.js").Game} Game */
/** @typedef {import("./pdn/writer.js").Results} Results */

/** Games of a list. */
export const MOST_FILE_GAMES = 100_000;
/** Characters that the games of a list take in memory. */
const MOST_LIST_CHARACTERS = 1 << 28;
const GAMES_A_PAGE = 100;
/** Time for which one request reads on; the page asks again for more. */
const READING_SECONDS = 0.4;
/** Characters that are read of an upload. */
const LONGEST_UPLOAD = 128_000_000;
/** Characters of a text of positions alone. */
const LONGEST_POSITIONS = 2_000_000;
/** Words whose games are remembered, so that a list is not searched again for each page. */
const MOST_SEARCHES = 4;

/** The text of some bytes, up to LONGEST_UPLOAD characters. */
class BoundedText {
  #text;
  #length = 0;
  isCut = false;

  /** @param {ByteSource} source */
  constructor(source) {
    this.source = source;
    this.#text = new Text(source);
  }

  read() {
    if (this.#length > LONGEST_UPLOAD) {
      this.isCut = true;
      return "";
    }
    const block = this.#text.read();
    this.#length += lengthOf(block);
    return block;
  }
}

/** Games of a file, read on demand. */
export class UploadList {
  #open;
  #results;
  #name;
  #text;
  /** @type {Iterator<Game> | null} */
  #source = null;
  #whole = false;
  #leftOut = 0;
  /** @type {Said} */
  #cut = "";
  /** @type {Said[]} */
  #faults = [];
  /** Words to search, the row and the text of each game. @type {{words: string, row: Row, pdn: string}[]} */
  #games = [];
  #size = 0;
  /**
   * By the words wanted: numbers of games, and how many games were looked at for them.
   * @type {Map<string, {matches: number[], count: number}>}
   */
  #searches = new Map();

  /** @param {string} name @param {() => ByteSource} open @param {Results} results */
  constructor(name, open, results) {
    this.#name = name;
    this.#open = open;
    this.#results = results;
    this.#text = new BoundedText(open());
  }

  /**
   * A page of the games whose event, players, date or result have all the words. `read` counts the games read so far,
   * `found` those of them with the words, `whole` says that there are no more; `left_out` counts those that could not
   * be read, `faults` says why, `cut` why the list ends before its source. `share` is that of the source read so far.
   * @param {House} house
   * @param {number} start
   * @param {string} wanted
   * @param {boolean} on read on even if the page is full
   */
  page(house, start, wanted, on) {
    const until = house.clock() + READING_SECONDS,
      end = start + GAMES_A_PAGE;
    let matches = this.#search(wanted);
    while ((on || matches.length <= end) && house.clock() < until && this.#read()) matches = this.#search(wanted);
    const {share} = this.#text.source;
    return {
      games: matches.slice(start, end).map(index => this.#games[index].row),
      start,
      more: matches.length > end,
      found: matches.length,
      read: this.#games.length,
      whole: this.#whole,
      faults: this.#faults,
      left_out: this.#leftOut,
      cut: this.#cut,
      share: this.#whole ? 1 : share && Math.min(1, share),
    };
  }

  /** A game by its number, from 1, and its warnings. @param {number} number */
  document(number) {
    while (this.#games.length < number && this.#read());
    const entry = this.#games[number - 1];
    if (!entry) throw new Refused("refused.no_listed_game", {name: this.#name, games: this.#games.length, number});
    const game = new Reader(`${entry.pdn}\n`).readGame();
    if (!game) throw new Error("a game that was read is none");
    return {document: boundedDocument(game), warnings: entry.row.warnings};
  }

  /** Numbers of the games read that have all the words. @param {string} wanted */
  #search(wanted) {
    const key = plainName(wanted),
      words = key.split(" "),
      search = this.#searches.get(key) ?? {matches: [], count: 0};
    for (; search.count < this.#games.length; search.count++)
      if (words.every(word => this.#games[search.count].words.includes(word))) search.matches.push(search.count);
    this.#searches.delete(key);
    this.#searches.set(key, search);
    for (const oldest of this.#searches.keys()) {
      if (this.#searches.size <= MOST_SEARCHES) break;
      this.#searches.delete(oldest);
    }
    return search.matches;
  }

  /** Reads one more game; false if there is none. */
  #read() {
    if (this.#whole) return false;
    const count = this.#games.length;
    if (count >= MOST_FILE_GAMES || this.#size > MOST_LIST_CHARACTERS) {
      this.#cut = told("pdn.cut_games", {number: count});
      this.#whole = true;
      return false;
    }
    const game = this.#next();
    if (!game) {
      this.#whole = true;
      return false;
    }
    const row = summary(game, count + 1),
      words = plainName([row.event, row.black, row.white, row.date, row.result].join(" ")),
      pdn = writeGame(game);
    this.#games.push({words, row, pdn});
    this.#size += words.length + pdn.length + JSON.stringify(row.warnings).length + 400;
    return true;
  }

  #next() {
    try {
      this.#source ??= this.#gamesOf();
      const next = this.#source.next();
      return next.done ? null : next.value;
    } catch (error) {
      if (!(error instanceof KrError) || error.kind !== "pdn") throw error;
      this.#cut = told("pdn.cut_rest", {why: shortened(error.told)});
      return null;
    }
  }

  *#gamesOf() {
    const onFault = (/** @type {Said} */ why) => {
      this.#leftOut++;
      if (this.#faults.length < MOST_FAULTS) this.#faults.push(shortened(why));
    };
    const positions = this.#positionLines();
    if (positions.length) {
      yield* positionGames(positions, onFault);
      return;
    }
    yield* withContent(new Reader(this.#text, {results: this.#results, forgiving: true, onError: onFault}));
    if (this.#text.isCut) this.#cut = told("pdn.cut_text", {most: LONGEST_UPLOAD});
  }

  /** @returns {NumberedLine[]} */
  #positionLines() {
    const source = new BoundedText(this.#open());
    let text = "",
      length = 0,
      first = "";
    try {
      for (let block = source.read(); block && length <= LONGEST_POSITIONS; block = source.read()) {
        text += block;
        length += lengthOf(block);
        if (first) continue;
        // the last line goes on in the next block; comments may come before the first position
        first = linesOf(text).slice(0, -1).map(withoutComment).find(Boolean) ?? "";
        // a text that does not begin as a position is not a list of them
        if (first && !fensOf(first).length) return [];
      }
    } catch (error) {
      if (error instanceof KrError && error.kind === "pdn") return [];
      throw error;
    }
    return length <= LONGEST_POSITIONS ? fensOf(text) : [];
  }
}
