// Games from PDN text: read one after another and replayed, with errors for anything but English draughts in PDN
// (kr/pdn/reader.py).

import {parseFen, SQUARES} from "../notation.js";
import {Position, sideName, WHITE} from "../rules.js";
import {KrError, quoted, Refused} from "../text.js";
import {beginning, lengthOf, stripped, wholeNumber} from "../blanks.js";
import {grown, movedNotes, notesUpTo, plantNotes, replayLine} from "./comments.js";
import {Fault, NeedMore, plainMove, told} from "./drafts.js";
import {Buffer} from "./grammar.js";
import {numberSquares, settlePlayers} from "./headings.js";
import {attempted} from "./replay.js";
import {Text} from "./source.js";
import {Game, NOT_KNOWN, NOT_LEGAL, RESULTS} from "./tree.js";
import {ENGLISH, plainResult, turned} from "./writer.js";

/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("./drafts.js").Draft} Draft */
/** @typedef {import("./writer.js").Results} Results */

/** Other games by their numbers (kr/language: draughts). */
const GAME_TYPES = ["20", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "40", "41"];
/** Moves read for a hint at the game, where the first one is illegal. */
const MOST_HINTING = 80;
const LETTERED = /[a-h][1-8]|(?<![\p{L}\p{N}_])[A-H][1-8][-xX:]?[A-H][1-8]/u;
const NUMBERS = /(?<!\p{Nd})\p{Nd}{1,3}(?!\p{Nd})/gu;

/** Reader of the games of a source. It holds a block of the text and one game at a time. */
export class Reader {
  #text;
  #results;
  #forgiving;
  #onError;
  #buffer;
  /** @type {number | null} */
  #offset = 0;
  // places with line and column: where the buffer begins, where the last game does, and up to where lines are counted
  #first = {offset: 0, line: 1, column: 1};
  #begun = this.#first;
  #counted = this.#first;

  /**
   * @param {string | {read: () => string}} source a text, or what gives its blocks
   * @param {{results?: Results, forgiving?: boolean, onError?: (why: Said) => void}} [options]
   *   onError: told why a game is left out; without it the error is thrown, and the next call resumes after that game.
   *   forgiving: read what people paste: text that is not PDN is left out, and a game ends before its first illegal
   *   move; the warnings of the game say where.
   */
  constructor(source, {results = "english", forgiving = false, onError} = {}) {
    this.#text = typeof source === "string" ? new Text(source) : source;
    this.#results = results;
    this.#forgiving = forgiving;
    this.#onError = onError;
    this.#buffer = new Buffer("", false, forgiving);
  }

  *[Symbol.iterator]() {
    for (let game = this.readGame(); game; game = this.readGame()) yield game;
  }

  /** The next game; null at the end. */
  readGame() {
    while (this.#offset !== null) {
      let draft, following;
      try {
        [draft, following] = this.#buffer.game(this.#offset);
      } catch (error) {
        if (error instanceof NeedMore) {
          this.#readOn(this.#offset);
        } else if (error instanceof Fault) {
          const why = this.#placed(error);
          this.#findHeader(error.resume);
          this.#report(why);
        } else throw error;
        continue;
      }
      this.#offset = following;
      if (!draft) break;
      const [tags, warning] = settlePlayers(draft.tags);
      draft.tags = tags;
      if (warning) draft.warnings.push(warning);
      this.#begun = this.#placeOf(draft.offset);
      const {line} = this.#begun;
      let game;
      try {
        game = gameFromDraft(draft, this.#results, this.#forgiving);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        this.#report(this.#placed(error));
        continue;
      }
      game.line = line;
      game.warnings = [...draft.leftOut.map(fault => this.#placed(fault)), ...game.warnings];
      return game;
    }
    this.#offset = null;
    return null;
  }

  /** Drops the text before an offset of the buffer and reads at least as much as remains. @param {number} offset */
  #readOn(offset) {
    const {line, column} = this.#placeOf(offset),
      rest = this.#buffer.text.slice(offset),
      most = lengthOf(rest),
      blocks = [rest];
    this.#counted = this.#begun = this.#first = {offset: 0, line, column};
    let length = 0;
    while (length <= most) {
      const block = this.#text.read();
      if (!block) break;
      blocks.push(block);
      length += lengthOf(block);
    }
    this.#buffer = new Buffer(blocks.join(""), length <= most, this.#forgiving);
    this.#offset = 0;
  }

  /** Continues at the next game whose tags follow something other than tags. @param {number} offset */
  #findHeader(offset) {
    let from = offset,
      begin = this.#buffer.nextHeader(from);
    while (begin < 0 && !this.#buffer.final) {
      // an incomplete line may turn out to be such a tag, or the line before it
      const {text} = this.#buffer,
        last = lineFeedBefore(text, text.length);
      this.#readOn(Math.max(lineFeedBefore(text, last) + 1, lineFeedBefore(text, from) + 1));
      from = 0;
      begin = this.#buffer.nextHeader(from);
    }
    this.#offset = begin < 0 ? null : begin;
  }

  /** An offset of the buffer with its line and column. Ascending offsets are counted once. @param {number} offset */
  #placeOf(offset) {
    const {text} = this.#buffer,
      isAfter = offset >= this.#counted.offset,
      from = isAfter ? this.#counted : offset >= this.#begun.offset ? this.#begun : this.#first;
    let {offset: at, line, column} = from;
    for (let end = text.indexOf("\n", at); end >= 0 && end < offset; end = text.indexOf("\n", at)) {
      at = end + 1;
      line++;
      column = 1;
    }
    column += lengthOf(text.slice(at, offset));
    const place = {offset, line, column};
    if (isAfter) this.#counted = place;
    return place;
  }

  /** A fault with its place. @param {Fault} fault */
  #placed({offset, why}) {
    const {line, column} = this.#placeOf(offset);
    return told("pdn.at", {line: String(line), column: String(column), why});
  }

  /** @param {import("../../texts.js").Sentence} why */
  #report(why) {
    if (!this.#onError) throw new Refused(why.say, why.with, "pdn");
    this.#onError(why);
  }
}

/** The last line feed before an offset; -1 if there is none. @param {string} text @param {number} offset */
const lineFeedBefore = (text, offset) => (offset > 0 ? text.lastIndexOf("\n", offset - 1) : -1);

/**
 * Replays a draft. Throws a Fault at the first wrong tag or move; forgiving: a draft ends before such a move.
 * @param {Draft} draft
 * @param {Results} results
 * @param {boolean} forgiving
 */
function gameFromDraft(draft, results, forgiving) {
  const gameType = stripped((draft.tags.get("GameType") ?? ENGLISH).split(",")[0]);
  if (gameType !== ENGLISH) {
    const game = {say: GAME_TYPES.includes(gameType) ? `draughts.${gameType}` : "draughts.unknown"},
      values = {type: beginning(gameType, 20), game, english: ENGLISH};
    throw new Fault(draft.tagOffsets.get("GameType") ?? 0, told("pdn.game_type", values));
  }
  const warnings = [...draft.warnings],
    warning = numberSquares(draft);
  if (warning) warnings.push(warning);
  const game = new Game(draft.tags, startOf(draft, warnings)),
    final = play(game, draft, warnings, forgiving);
  let {result} = draft;
  const tagged = game.headers.get("Result");
  if (results === "white") {
    result = result && turned(result);
    if (tagged !== undefined) game.headers.set("Result", turned(tagged));
  }
  let tag = plainResult(stripped(game.headers.get("Result") ?? ""));
  if (!RESULTS.includes(tag)) {
    if (/[^?]/.test(tag))
      warnings.push(told("pdn.result_tag", {tag: quoted(beginning(tag, 20)), results: RESULTS.join(", ")}));
    tag = "";
  }
  // a star only ends the text of a game
  if (result === "*") result = tag || result;
  if (result && tag && result !== tag) warnings.push(told("pdn.result_differs", {tag, result}));
  game.result = result || tag || "*";
  if (game.result !== "*" && game.winner !== 1 - final.side && final.isOver)
    warnings.push(told("pdn.lost", {side: sideName(final.side), result: game.result}));
  game.warnings = warnings;
  return game;
}

/**
 * Adds the moves of a draft with their comments and variations; returns the final position.
 * @param {Game} game
 * @param {Draft} draft
 * @param {Said[]} warnings
 * @param {boolean} forgiving
 */
function play(game, draft, warnings, forgiving) {
  const texts = draft.moves.map(plainMove),
    {replay, notes, refused} = replayLine(game.start, texts.slice(0, draft.played), draft.notes);
  draft.notes = notes;
  if (refused) draft.leftOut.push(new Fault(refused.setup.offset, told("pdn.kept_after", {why: refused.why})));
  const end = replay.failed,
    rest = () => texts.slice(end).join(" ");
  if (replay.error) {
    const isFirst = end === 0 && game.start.equals(new Position()),
      text = texts[end],
      hint = otherGame(text) || (isFirst ? otherGame(texts.slice(0, MOST_HINTING).join(" ")) || whiteFirst(text) : ""),
      values = {ply: String(replay.moves.length + 1), why: replay.error.told, hint},
      fault = new Fault(draft.offsets[end], told("pdn.illegal", values));
    if (!forgiving || (!end && !draft.tags.has("FEN"))) throw fault;
    draft.leftOut.push(fault);
    draft.notes = draft.notes.filter(([ply]) => ply <= end);
    draft.notes.push([end, `${NOT_LEGAL}: ${rest()}`]);
  } else if (end < texts.length || draft.known) {
    draft.notes = notesUpTo(draft.notes, end).map(([ply, note]) => [Math.min(ply, end), note]);
    const unknown = [draft.illegible, rest()].filter(Boolean).join(" ");
    draft.notes.push([end, unknown ? `${NOT_KNOWN}: ${unknown}` : NOT_KNOWN]);
  }
  draft.notes = movedNotes(draft.notes, replay.firsts, end);
  for (const each of replay.ambiguous) warnings.push(each);
  const nodes = grown(game, replay.moves, replay.boards);
  if (draft.notes.length) for (const each of plantNotes(nodes, draft.notes)) warnings.push(each);
  return replay.boards[replay.boards.length - 1];
}

/** @param {Draft} draft @param {Said[]} warnings */
function startOf(draft, warnings) {
  const [fen, offset] = draft.setup ?? [stripped(draft.tags.get("FEN") ?? ""), draft.tagOffsets.get("FEN") ?? 0];
  if (!fen) return new Position();
  const position = attempted(() => Position.fromFen(fen), "");
  if (position instanceof Position) return position;
  const read = attempted(() => parseFen(fen, true), "");
  if (read instanceof KrError) throw new Fault(offset, told("pdn.hinted", {why: read.told, hint: otherGame(fen)}));
  warnings.push(told("pdn.read_so", {why: position.told}));
  return new Position(read.black, read.white, read.kings, read.side);
}

/**
 * Hint at another game in a FEN or move with squares beyond 32 or named by letters; "" for none.
 * @param {string} text
 * @returns {Said}
 */
function otherGame(text) {
  if (LETTERED.test(text)) return told("pdn.hint_letters");
  const isLarger = (text.match(NUMBERS) ?? []).some(number => wholeNumber(number) > SQUARES);
  return isLarger ? told("pdn.hint_larger", {most: SQUARES}) : "";
}

/** @param {string} text @returns {Said} */
function whiteFirst(text) {
  const move = attempted(() => new Position().withSide(WHITE).parseMove(text), "");
  return move instanceof KrError ? "" : told("pdn.hint_white");
}
