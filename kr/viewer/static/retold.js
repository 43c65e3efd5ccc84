// English texts that come from elsewhere, told in the language of the page: kr's comments in a game, and what the
// server says of a game, a puzzle or a position.

import {words} from "./move-words.js";
import {decimal, spoken, t} from "./texts.js";

/**
 * All that is known of them, with {places}. Of two that begin alike the longer one stands first. A value may be such a
 * text itself, or several with commas between.
 */
export const ENGLISH = [
  // kr/analysis/annotation/marking.py: a move
  "Inaccuracy: Black expects {points}, with {better} {best}.",
  "Inaccuracy: White expects {points}, with {better} {best}.",
  "Mistake: Black expects {points}, with {better} {best}.",
  "Mistake: White expects {points}, with {better} {best}.",
  "Blunder: Black expects {points}, with {better} {best}.",
  "Blunder: White expects {points}, with {better} {best}.",
  "The only move: any other and Black expects {others}, not {points}.",
  "The only move: any other and White expects {others}, not {points}.",
  "A trap: {percent}% of people play this.",
  "An oversight: fewer than 1% of people play this.",
  "An oversight: {percent}% of people play this.",
  "A trap avoided: {percent}% of people play {move}.",
  "Drawn by repetition if claimed: the position is on the board for the {time} time.",
  "Drawn for lack of progress if claimed: {count} plies without a capture or a man's move.",
  "Black can now draw by repetition.",
  "White can now draw by repetition.",
  "Black can now draw for lack of progress.",
  "White can now draw for lack of progress.",
  "The position is on the board for the {time} time.",
  "second",
  "third",
  "fourth",
  "fifth",
  "{number}th",
  "Known: {before} before, now {now}.",
  "Known: {now}.",
  "a draw",
  "Black wins",
  "White wins",
  "Black wins in 1 ply",
  "White wins in 1 ply",
  "Black wins in {count} plies",
  "White wins in {count} plies",
  // and annotation.py: a game
  "Black: {figures}.",
  "White: {figures}.",
  "no move judged",
  "accuracy {number}",
  "{best} of 1 judged move best",
  "{best} of {count} judged moves best",
  "{percent}% without a mark",
  "loss {number}",
  "no inaccuracies",
  "1 inaccuracy",
  "{count} inaccuracies",
  "no mistakes",
  "1 mistake",
  "{count} mistakes",
  "no blunders",
  "1 blunder",
  "{count} blunders",
  "1 trap avoided",
  "{count} traps avoided",
  "1 trap",
  "{count} traps",
  "1 oversight",
  "{count} oversights",
  "The first ply is not judged.",
  "The first {count} plies are not judged.",
  // kr/viewer/positions.py: the end of a game
  "Black has no move: White wins",
  "White has no move: Black wins",
  "Black has no piece left: White wins",
  "White has no piece left: Black wins",
  // kr/problems/puzzles.py: the end of a puzzle
  "Black wins: {reason}",
  "White wins: {reason}",
  "drawn: {reason}",
  "the win is plain: {lead} pieces ahead",
  "the win is plain",
  "the solution is complete",
  "the draw is held",
  "the draw is safe",
  "this step is done",
  // kr/play: players of a game
  "human",
  "kr level {number}",
  // kr/book/book.py: a move from the book
  "book, {number}, 1 game or more",
  "book, {number}, {count} games or more",
  "book, {number}",
  // kr/game/outcome.py: reasons
  "no pieces left",
  "no legal move",
  "repetition",
  "no progress",
  // kr/evaluation: what a static score rests on
  "{games} games that the tables were fitted to ({positions} quiet positions)",
  "{games} games of self-play by these tables ({positions} quiet positions)",
  "{games} games of self-play ({positions} quiet positions)",
];

const NUMBER = /^([+-]?)(\d[\d,]*)(?:\.(\d+))?(%?)$/;

/** @typedef {{text: string, names: string[], form: RegExp}} Form */

/** @param {string} name of a value @returns {string} the values of that name as an expression */
const valueOf = name => (/^(count|done|number|percent)$/.test(name) ? "([+-]?[\\d.,]+)" : "(.+?)");

/** @param {string} text @returns {Form} */
function formOf(text) {
  const parts = text.split(/\{(\w+)\}/);
  const names = parts.filter((_, i) => i % 2);
  const form = parts.map((part, i) => (i % 2 ? valueOf(part) : part.replace(/[.()|?*+]/g, "\\$&"))).join("");
  return {text, names, form: new RegExp(`^${form}$`)};
}

/** A number as the language writes it; "" if the text is none. @param {string} text */
function numberOf(text) {
  const [whole, sign, digits, decimals = "", percent] = NUMBER.exec(text) ?? [];
  if (!whole || (!decimals && !digits.includes(","))) return whole ?? "";
  const number = Number(`${digits.replaceAll(",", "")}.${decimals}`);
  return sign + decimal(number, decimals.length) + percent;
}

/**
 * What tells English texts in the language of the page; those that aren't known stay as they are.
 * @param {string[]} english the texts, with {places}
 * @returns {{whole: (text: string) => string, parts: (text: string) => string}} whole: a single one of them; parts: a
 *     number, or one of them, or several with commas between
 */
export function retelling(english) {
  /** @type {Form[]} */
  let forms = [];
  /** @param {string} text @param {string} [within] what a text must have @returns {string} */
  function whole(text, within = "") {
    if (!forms.length) forms = english.map(formOf);
    for (const {text: known, names, form} of forms) {
      const found = known.includes(within) && form.exec(text);
      if (found) return t(known, Object.fromEntries(names.map((name, i) => [name, parts(found[i + 1])])));
    }
    return text;
  }
  /** @param {string} text @returns {string} */
  function parts(text) {
    const separator = [" ± ", ", "].find(each => text.includes(each)) ?? "";
    const said = numberOf(text) || whole(text, separator);
    return said === text && separator ? text.split(separator).map(parts).join(separator) : said;
  }
  return {whole, parts};
}

const own = retelling(ENGLISH);

/**
 * A text in the language of the page, sentence by sentence; sentences that aren't known stay in English.
 * @param {string} text
 */
export function retold(text) {
  if (spoken() === "en") return text;
  return text
    .split(/(?<=\.) (?=[A-Z])/)
    .map(each => own.whole(each))
    .join(" ");
}

/** Whether a comment tells of a move that kr has played from its book. @param {string} comment */
export const isOfBook = comment => /^book, [+-]\d+\.\d\d(,|$)/.test(comment);

/** Words of a comment, kr's own in the language of the page. @param {string} comment */
export function commentWords(comment) {
  const said = words(comment);
  return comment.includes("[%kr ") || isOfBook(said) ? retold(said) : said;
}
