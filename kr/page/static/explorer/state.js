// What the explorer knows: archives, results, kr's scores by position, conditions of a search. Nothing here touches the
// document.

import {percent, scoreWords} from "../analysis/words.js";
import {bookScore, lossWords} from "../book.js";
import {ARCHIVES} from "../offers.js";
import {formatted, many, said, t} from "../texts.js";

/**
 * A file whose games are explored. added: a page has sent it; lasting: it is there when the server starts again.
 * @typedef {{number: number, name: string, archive: boolean, added: boolean, lasting: boolean, open: boolean,
 *   opening: boolean, share: number, error: import("../texts.js").Said, games: number | null, left_out: number,
 *   complaints: import("../texts.js").Said[],
 *   chosen?: boolean}} Archive
 */
/**
 * Results of games.
 * @typedef {{games: number, black: number, draws: number, white: number, other: number, average: number | null,
 *   first: number | null, last: number | null}} Results
 */
/** @typedef {{text: string, path: number[], captured: number[], fen: string, opening?: string}} Step */
/**
 * What the book knows of a move. value: in hundredths of a man for the side to move, null if it is only known to be
 * worse than the others; loss: against the best; depth: plies to the end of the search behind the value; games: of
 * people, at least.
 * @typedef {{value: number | null, loss: number | null, depth: number, games: number}} Known
 */
/**
 * What the book says of a position. book: there is one; cook: its best move, if it beats the one that people play most,
 * cooked, clearly.
 * @typedef {{fen: string, side: "black" | "white", opening: string, book: boolean, cook: string | null,
 *   cooked: string | null, moves: (Step & {book: Known | null})[]}} BookAnswer
 */
/** @typedef {import("../answers/selfplay.js").SelfPlay} SelfPlay */
/**
 * own: kr's games against itself, where no archive is explored; mark: its part in a cook.
 * @typedef {Step & Results & {own: import("../answers/selfplay.js").Results | null, book: Known | null,
 *   mark: "" | "cook" | "cooked"}} Move
 */
/**
 * A game in a list. ply: moves before the position; turned: it came with colours and board reversed.
 * @typedef {{archive: number, number: number, event: string, black: string, white: string, date: string, result:
 * string,
 *   moves: number, line: number, ply: number, turned: boolean}} Game
 */
/** @typedef {"win" | "draw" | "loss"} Value */
/**
 * kr's score of a move for the side to move, in hundredths of a man; value and plies: what is proved.
 * @typedef {{score: number | null, value?: Value | null, plies?: number | null, depth?: number,
 * worse?: boolean}} Score worse: that it is worse than the best by a margin is all that is known
 */

const MOST_POSITIONS = 300;
/** @type {Results} */
const NO_RESULTS = {games: 0, black: 0, draws: 0, white: 0, other: 0, average: null, first: null, last: null};

// --- archives

/**
 * Which archives are chosen: as before, else as the person left them, else all that are archives.
 * @param {Archive[]} archives as the server tells them
 * @param {Archive[]} before as they were known
 * @param {string[] | null} names those that were chosen last time
 * @returns {Archive[]}
 */
export function withChoice(archives, before, names) {
  const choices = new Map(before.map(each => [each.number, each.chosen]));
  const left = (/** @type {Archive} */ {name, archive}) =>
    names ? names.includes(name) || (archive && archives.length === 1 && names.length > 0) : archive;
  return archives.map(each => ({...each, chosen: choices.get(each.number) ?? left(each)}));
}

/** Numbers of the archives that are explored. @param {Archive[]} archives */
export const exploredOf = archives => archives.filter(each => each.chosen && each.open).map(each => each.number);

/** The state of an archive in words. @param {Archive} archive */
export function archiveWords({games, error, opening, share, open, added, lasting}) {
  if (error) return said(error);
  if (opening) return t("making its index: {share} %", {share: percent(share)});
  if (!open) return t("not open");
  const count = many(games ?? 0, "game");
  return added && !lasting ? t("{games}, until kr web ends", {games: count}) : count;
}

// --- results

/**
 * Whole per cents that add up to 100; null without results.
 * @param {Pick<Results, "black" | "draws" | "white">} results
 * @returns {[number, number, number] | null} for Black's wins, draws and White's wins
 */
export function percents({black, draws, white}) {
  const parts = [black, draws, white];
  const all = black + draws + white;
  if (!all) return null;
  const exact = parts.map(part => (100 * part) / all);
  const whole = exact.map(Math.floor);
  const order = [0, 1, 2].sort((a, b) => exact[b] - whole[b] - (exact[a] - whole[a]));
  for (const i of order.slice(0, 100 - whole[0] - whole[1] - whole[2])) whole[i] += 1;
  return /** @type {[number, number, number]} */ (whole);
}

/** Results as a sentence. @param {Pick<Results, "black" | "draws" | "white">} results */
export function resultWords(results) {
  const shares = percents(results);
  if (!shares) return t("no results");
  const [black, draws, white] = shares;
  return t("Black won {black} %, drawn {draws} %, White won {white} %", {black, draws, white});
}

/** "1901", "1901–1960", "". @param {Pick<Results, "first" | "last">} results */
export function years({first, last}) {
  if (first === null) return "";
  return first === last ? String(first) : `${first}–${last}`;
}

/**
 * The name of a line: the most specific one, and its three-move ballot.
 * @param {{names: {name: string}[], ballot: {number: number} | null}} line
 */
export function openingWords({names, ballot}) {
  const name = names.at(-1)?.name ?? "";
  if (!ballot) return name;
  return name
    ? t("{name} (ballot {number})", {name, number: ballot.number})
    : t("Ballot {number}", {number: ballot.number});
}

/**
 * How many games there are, and of which years.
 * @param {Results} total
 * @param {boolean} isFiltered the filters say the rest
 */
export const totalWords = (total, isFiltered = false) =>
  total.games || isFiltered
    ? [many(total.games, "game"), years(total)].filter(Boolean).join(", ")
    : t("No game came to this position.");

/** @param {string} result of PDN */
export function resultName(result) {
  const names = {"1-0": t("Black won"), "0-1": t("White won"), "1/2-1/2": t("drawn"), "0-0": t("both lost")};
  return names[/** @type {keyof typeof names} */ (result)] ?? t("unfinished");
}

// --- the book

/**
 * The moves of a position as they stand in the table: the most frequent first, then those of the book, its best first,
 * then those that only kr has played against itself.
 * @param {BookAnswer} book
 * @param {(Step & Results)[] | null} played null if no archive is explored
 * @param {SelfPlay | null} own null if one is
 * @returns {Move[]}
 */
export function joined(book, played, own) {
  const results = new Map((played ?? []).map(move => [move.fen, move]));
  const moves = book.moves.map(move => ({
    ...NO_RESULTS,
    ...results.get(move.fen),
    ...move,
    own: own?.moves[move.fen] ?? null,
    mark: /** @type {Move["mark"]} */ (move.text === book.cook ? "cook" : move.text === book.cooked ? "cooked" : ""),
  }));
  const rank = (/** @type {Move} */ {book: known, own: results}) => (known ? 2 : results ? 1 : 0);
  return moves.sort((a, b) => b.games - a.games || rank(b) - rank(a));
}

/**
 * What the book, and kr's games against itself, have of a position, if no archive says it.
 * @param {BookAnswer} book
 * @param {SelfPlay} own
 */
export const ownState = ({book, moves}, {total}) =>
  [
    total.games ? t("{games} of kr against itself", {games: many(total.games, "game")}) : "",
    !book || moves.some(move => move.book) ? "" : t("The book does not have this position."),
  ]
    .filter(Boolean)
    .join(". ");

/** Where the numbers come from without an archive. @param {SelfPlay} own @param {boolean} book whether there is one */
export const sourceWords = ({games, nodes}, book) =>
  [
    t("Results: {games} that kr played against itself, {nodes} a move, from random ballots; not people's.", {
      games: many(games, "game"),
      nodes: many(nodes, "node"),
    }),
    book && t("Played: by people, as the book counts them."),
    !ARCHIVES && t("kr web, on your own machine, explores files of people's games too."),
  ]
    .filter(Boolean)
    .join(" ");

/** kr's games with a move. @param {import("../answers/selfplay.js").Results} own */
export const ownWords = own =>
  t("{games} of kr against itself: {results}", {games: many(own.games, "game"), results: resultWords(own)});

/**
 * A value of the book as it stands in the table.
 * @param {Known} known
 * @param {boolean} turned for the other side
 */
export const bookWords = (known, turned) =>
  known.value === null ? t("worse") : scoreWords(bookScore(known.value), turned);

/** How often people play a move, by the book: "256+". @param {Known} known */
export const atLeast = ({games}) => (games ? `${formatted(games)}+` : "");

/**
 * The same in full: "book +0.06 (depth 20), played in 256 games or more".
 * @param {Known} known
 * @param {boolean} turned
 */
export function bookTitle(known, turned) {
  const value =
    known.value === null
      ? t("the book has it as worse than its other moves")
      : t("book {score}", {score: scoreTitle({...bookScore(known.value), depth: known.depth}, turned)});
  return known.games ? t("{value}, played in {games} or more", {value, games: many(known.games, "game")}) : value;
}

/**
 * What the mark of a move says; "" if it has none.
 * @param {Move} move
 * @param {Move[]} moves of the position
 */
export function markWords({mark}, moves) {
  const [cook, cooked] = ["cook", "cooked"].map(each => moves.find(move => move.mark === each));
  if (!mark || !cook || !cooked) return "";
  const better = lossWords(cooked.book?.loss ?? null);
  if (mark === "cook")
    return better
      ? t("a cook: {loss} better than {move}, which people play most", {loss: better, move: cooked.text})
      : t("a cook: better than {move}, which people play most", {move: cooked.text});
  return better
    ? t("cooked: people play it most, and {move} is {loss} better", {loss: better, move: cook.text})
    : t("cooked: people play it most, and {move} is better", {move: cook.text});
}

// --- games

/** The year of a date such as 1901.05.??; "" if it is unknown. @param {string} date */
const yearOf = date => /\b(1[5-9]\d\d|20\d\d)\b/.exec(date)?.[0] ?? "";

/**
 * The players of a game: "Stewart, R. – Jordan, A.".
 * @param {{black?: string, white?: string}} game
 */
export const playersOf = ({black, white}) => `${black || "?"} – ${white || "?"}`;

/** Players and year, by which people know a game. @param {Pick<Game, "black" | "white" | "date">} game */
export function gameName(game) {
  const year = yearOf(game.date);
  return year ? t("{players}, {year}", {players: playersOf(game), year}) : playersOf(game);
}

/** What else is told of a game. @param {Game} game */
export const gameFacts = game =>
  [game.event, game.date.replaceAll(/[.-]?\?+-?/g, ""), many(game.moves, "move"), game.turned && t("colours reversed")]
    .filter(Boolean)
    .join(" · ");

/**
 * Where a page of a list of games stands in it.
 * @param {{found: number, start: number, games: Game[]}} page
 * @param {number} most games of a page
 */
export function pageWords({found, start, games}, most) {
  if (!found) return t("No games");
  if (found <= most) return many(found, "game");
  return t("{first} to {last} of {games}", {
    first: formatted(start + 1),
    last: formatted(start + games.length),
    games: many(found, "game"),
  });
}

/**
 * What a search asks the server for.
 * @param {{player: string, against: string, side: string, event: string, year: string, result: string, opening: string,
 *   reversed: boolean}} form
 */
export function conditions({player, against, side, event, year, result, opening, reversed}) {
  const names = [player.trim(), against.trim()];
  const opposite = {black: "white", white: "black"}[side];
  const who = opposite ? {[side]: names[0], [opposite]: names[1]} : {players: names.filter(Boolean)};
  return {reversed, event, year, result, opening, ...who};
}

// --- scores

/**
 * The same with the depth of the search: "+0.44 (depth 14)".
 * @param {Score} score
 * @param {boolean} turned
 */
export function scoreTitle(score, turned) {
  const words = scoreWords(score, turned);
  return words && !score.value && score.depth
    ? t("{score} (depth {depth})", {score: words, depth: score.depth})
    : words;
}

/** kr's scores of the moves of positions: the deepest that were seen, until many others have come. */
export class Scores {
  /** @param {unknown} [state] of `state()` */
  constructor(state) {
    /** @type {Map<string, {moves: Record<string, Score>, whole: boolean}>} */
    this._positions = new Map();
    try {
      for (const [fen, moves, whole] of /** @type {any[]} */ (state ?? [])) {
        this._positions.set(String(fen), {moves: {...moves}, whole: whole === true});
      }
    } catch {
      this._positions.clear();
    }
  }

  /**
   * The scores by move.
   * @param {string} fen
   * @returns {Record<string, Score>}
   */
  of(fen) {
    return this._positions.get(fen)?.moves ?? {};
  }

  /** True if nothing more is to be asked for. @param {string} fen */
  isWhole(fen) {
    return this._positions.get(fen)?.whole ?? false;
  }

  /** The greatest depth of a score in a position. @param {string} fen */
  depth(fen) {
    return Math.max(0, ...Object.values(this.of(fen)).map(each => each.depth ?? 0));
  }

  /**
   * Takes scores: the deeper one stays, and what is proved.
   * @param {string} fen
   * @param {Record<string, Score>} moves
   * @param {number} depth of those that do not say it
   */
  put(fen, moves, depth = 0) {
    const entry = this._entry(fen);
    for (const [text, found] of Object.entries(moves)) {
      const before = entry.moves[text];
      const now = {...found, depth: found.depth ?? depth};
      const isScored = now.score !== null || Boolean(now.worse),
        deeper = !before || before.score === null || (isScored && now.depth >= (before.depth ?? 0));
      const better = deeper ? now : before;
      const proved = now.value ? now : before?.value ? before : null;
      entry.moves[text] = proved ? {...better, value: proved.value, plies: proved.plies} : better;
    }
  }

  /** The search of a position has come to its end. @param {string} fen */
  finish(fen) {
    this._entry(fen).whole = true;
  }

  clear() {
    this._positions.clear();
  }

  /** What `new Scores` takes, as JSON. */
  state() {
    return [...this._positions].map(([fen, {moves, whole}]) => [fen, moves, whole]);
  }

  /** @param {string} fen */
  _entry(fen) {
    const entry = this._positions.get(fen) ?? {moves: {}, whole: false};
    // the last one that was used goes last
    this._positions.delete(fen);
    this._positions.set(fen, entry);
    if (this._positions.size > MOST_POSITIONS) this._positions.delete(this._positions.keys().next().value ?? "");
    return entry;
  }
}
