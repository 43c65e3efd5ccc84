// What a list of games knows of each, its card, and what can be asked of many: search, folders, tags, statistics.
// Nothing here touches a store or the document.

import {plainName} from "../answers/names.js";

/** @typedef {"black" | "white"} Side */
/**
 * Where a game comes from: played here, pasted, a file or a link that was opened, an archive, made on the board.
 * @typedef {"played" | "pasted" | "file" | "link" | "archive" | "board"} Source
 */
/**
 * What the answers read off a game ("library/facts"). date: as in PDN, "1901.05.??"; opening: its name, "" without one;
 * person: the side of the person in a game against kr; review: the accuracy of both players if the game has been
 * judged; text: the beginning of its comments, as it is searched; print: the same for the same game.
 * @typedef {{
 *   black: string, white: string, event: string, date: string, result: string, moves: number, opening: string,
 *   person: Side | "", review: Record<Side, number | null> | null, text: string, print: string,
 * }} Facts
 */
/**
 * A game of the list. folder: "" for none, "Club/2024" is within "Club"; path: which child to follow at each move to
 * where one left off; added, used: milliseconds since 1970; rev: how often it was written; removed: when it was
 * deleted, 0 for one that is there; isGoing: it is being played.
 * @typedef {Facts & {
 *   id: string, folder: string, tags: string[], source: Source, path: number[], added: number, used: number,
 *   rev: number, removed: number, isGoing: boolean,
 * }} Card
 */
/**
 * Which games are wanted; what is left out does not matter. text: words, all of which are somewhere in players, event,
 * date, result, opening, folder, tags or comments; player, opening: words of these; folder: with those within, "" for
 * games without one; from, to: dates or their beginnings, "1901" or "1901.05"; side: that of the player; removed: those
 * that were deleted, in place of the others.
 * @typedef {{
 *   text?: string, player?: string, side?: Side, opening?: string, result?: string, from?: string, to?: string,
 *   tag?: string, folder?: string, source?: Source, reviewed?: boolean, removed?: boolean,
 * }} Filter
 */
/** @typedef {"used" | "date" | "black" | "white" | "opening" | "result"} Order */
/**
 * Games with something in common. wins and losses: of the player, of Black where none is named; score: points of games
 * with a result, from 0 to 1, null without one; black, white: games in which the player had that side.
 * @typedef {{
 *   name: string, games: number, wins: number, draws: number, losses: number, score: number | null, black: number,
 *   white: number,
 * }} Row
 */

/** The person at this browser, as a player whose games are counted: the side that no engine has. */
export const YOU = "*you*";

/** The tags in which PDN carries what the list says of a game (tags.js). */
export const KEPT_TAGS = ["Folder", "Tags", "KeptFrom", "LeftAt"];

/** What is searched in a game, by the card, which is not changed but put in place by another. */
/** @type {WeakMap<Card, {all: string, players: [string, string], opening: string}>} */
const WORDS = new WeakMap();

/** @param {Card} card */
function wordsOf(card) {
  let words = WORDS.get(card);
  if (!words) {
    const {black, white, event, date, result, opening, folder, tags, text} = card;
    words = {
      all: plainName([black, white, event, date, result, opening, folder, ...tags, text].join(" ")),
      players: [plainName(black), plainName(white)],
      opening: plainName(opening),
    };
    WORDS.set(card, words);
  }
  return words;
}

/** @param {string} text */
const termsOf = text => plainName(text).split(" ").filter(Boolean);

/**
 * The side of a player; "" in a game of others, or of oneself against oneself.
 * @param {Card} card
 * @param {string} player a name as it is compared, or YOU
 * @returns {Side | ""}
 */
function sideOf(card, player) {
  if (player === YOU) return card.person;
  const [black, white] = wordsOf(card).players;
  if (black === white) return "";
  return black === player ? "black" : white === player ? "white" : "";
}

/**
 * The games that are wanted, in their order.
 * @param {readonly Card[]} cards
 * @param {Filter} [filter]
 * @returns {Card[]}
 */
export function matching(cards, filter = {}) {
  const {side, result, from = "", to = "", tag, folder, source, reviewed, removed = false} = filter,
    terms = termsOf(filter.text ?? ""),
    players = termsOf(filter.player ?? ""),
    openings = termsOf(filter.opening ?? ""),
    isOf = (/** @type {string} */ name) => players.every(term => name.includes(term));
  return cards.filter(card => {
    if (Boolean(card.removed) !== removed || (result !== undefined && card.result !== result)) return false;
    if (folder !== undefined && !isIn(card.folder, folder)) return false;
    if ((tag !== undefined && !card.tags.includes(tag)) || (source !== undefined && card.source !== source))
      return false;
    if (reviewed !== undefined && Boolean(card.review) !== reviewed) return false;
    if ((from || to) && !isWithin(card.date, from, to)) return false;
    const words = wordsOf(card),
      [black, white] = words.players;
    if (!openings.every(term => words.opening.includes(term))) return false;
    if (players.length && !((side !== "white" && isOf(black)) || (side !== "black" && isOf(white)))) return false;
    return terms.every(term => words.all.includes(term));
  });
}

/** @param {string} folder @param {string} wanted */
export const isIn = (folder, wanted) => folder === wanted || (wanted !== "" && folder.startsWith(`${wanted}/`));

/** @param {string} date @param {string} from @param {string} to */
function isWithin(date, from, to) {
  const known = date.replace(/(\.\?\?)+$/, "");
  if (!/^\d/.test(known)) return false;
  // "1901.05" lies within 1901, whichever way round
  return (!from || known >= from || from.startsWith(known)) && (!to || known <= to || known.startsWith(to));
}

/** @type {Record<Order, (card: Card) => string | number>} */
const ORDERS = {
  used: card => -card.used,
  // the last first; what is unknown last
  date: card =>
    card.date ? [...card.date].map(each => String.fromCharCode(0xff - each.charCodeAt(0))).join("") : "\uffff",
  black: card => wordsOf(card).players[0],
  white: card => wordsOf(card).players[1],
  opening: card => wordsOf(card).opening || "\uffff",
  result: card => card.result,
};

/**
 * Games in an order; those that are alike in it by when they were used, the last first.
 * @param {readonly Card[]} cards
 * @param {Order} [order]
 */
export function sorted(cards, order = "used") {
  const keys = new Map(cards.map(card => [card, ORDERS[order](card)]));
  return [...cards].sort((one, other) => {
    const [first, second] = [keys.get(one) ?? "", keys.get(other) ?? ""];
    return first < second ? -1 : first > second ? 1 : other.used - one.used || (one.id < other.id ? 1 : -1);
  });
}

/**
 * How many games each of some names has, by name.
 * @param {readonly Card[]} cards
 * @param {(card: Card) => readonly string[]} namesOf
 * @returns {{name: string, games: number}[]}
 */
export function counted(cards, namesOf) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const card of cards) for (const name of new Set(namesOf(card))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, games]) => ({name, games})).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** A folder and those that it is within: "a/b" is in "a" too. @param {string} folder */
export function foldersOf(folder) {
  const parts = folder.split("/");
  return folder ? parts.map((_, i) => parts.slice(0, i + 1).join("/")) : [];
}

/** A name of a folder as it is kept: without blanks at the ends of its parts. @param {string} name */
export const folderName = name =>
  name
    .split("/")
    .map(part => part.trim().replace(/\s+/g, " "))
    .filter(Boolean)
    .join("/")
    .slice(0, 100);

/** Tags as they are kept: each once, in order, none with the sign between them. @param {readonly string[]} tags */
export const tagNames = tags =>
  [
    ...new Set(tags.map(tag => tag.replaceAll(";", ",").trim().replace(/\s+/g, " ").slice(0, 60)).filter(Boolean)),
  ].sort();

/**
 * Games by opening, or by opponent of a player, those with most games first. Without a player, openings are counted
 * from Black's side, and of opponents there are none. Games that go on, or have another result, count as games alone.
 * @param {readonly Card[]} cards
 * @param {"opening" | "opponent"} by
 * @param {string} [player] a name, or YOU
 * @returns {Row[]}
 */
export function statistics(cards, by, player = "") {
  if (by === "opponent" && !player) return [];
  const wanted = player === YOU ? YOU : plainName(player);
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const card of cards) {
    const side = wanted ? sideOf(card, wanted) : "black";
    if (!side) continue;
    const name = by === "opening" ? card.opening : side === "black" ? card.white : card.black,
      key = by === "opening" ? name : plainName(name),
      row = rows.get(key) ?? {name, games: 0, wins: 0, draws: 0, losses: 0, score: null, black: 0, white: 0};
    rows.set(key, row);
    row.games += 1;
    row[side] += 1;
    if (card.result === "1/2-1/2") row.draws += 1;
    else if (card.result === (side === "black" ? "1-0" : "0-1")) row.wins += 1;
    else if (card.result === (side === "black" ? "0-1" : "1-0")) row.losses += 1;
    const decided = row.wins + row.draws + row.losses;
    row.score = decided ? (row.wins + row.draws / 2) / decided : null;
  }
  return [...rows.values()].sort((one, other) => other.games - one.games || (one.name < other.name ? -1 : 1));
}

/**
 * The players of games, those with most games first; YOU if there are games against kr.
 * @param {readonly Card[]} cards
 */
export function playersOf(cards) {
  const names = new Map();
  for (const {black, white} of cards) for (const name of [black, white]) names.set(plainName(name), name);
  const players = counted(cards, card => [
    ...(card.person ? [YOU] : []),
    ...wordsOf(card).players.filter((name, i) => name && card.person !== (i ? "white" : "black")),
  ]);
  return players
    .map(({name, games}) => ({name: name === YOU ? YOU : names.get(name), games}))
    .sort((one, other) => other.games - one.games);
}
