// The grammar of PDN: text to drafts of games, whose moves are not yet checked (kr/pdn/grammar.py, which describes it).
//
// A game is read from a buffer that may be continued: text near its end is not judged before there is more (NeedMore).
// No part of a text is scanned more than a fixed number of times, whatever it holds.

import {quoted} from "../text.js";
import {BLANK, lengthOf, stripped, words} from "../blanks.js";
import {
  Draft,
  DraftLine,
  Fault,
  Judgement,
  MOST_LEFT_OUT,
  NeedMore,
  repeats,
  say,
  setUp,
  told,
  warn,
} from "./drafts.js";
import {
  countEnd,
  forgottenAt,
  headerAfter,
  illegibleAt,
  isCutSetup,
  junkAt,
  leftOutEnd,
  MOST_REMARK,
  remarkAt,
  tokenAt,
} from "./tokens.js";
import {plainResult} from "./writer.js";

/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("./tokens.js").Token} Token */

/** Characters at the end of an unfinished buffer that may belong to something longer. */
const MARGIN = 64;
/** Characters of one game; more is a fault, so that an unclosed comment cannot fill the memory. */
const MAX_GAME_LENGTH = 1 << 24;
/** Variations in variations. */
const MOST_NESTED = 1 << 14;
const EMPTY_LINE = /\n[ \t]*\n/;
const IS_ALPHANUMERIC = /^[\p{L}\p{N}]/u;
const IS_BLANK = new RegExp(`^[${BLANK}]$`, "u");
/** @type {Record<string, Said>} */
const COMPLAINTS = {"}": told("pdn.comment_end"), "[": told("pdn.tag_form")};

/** @typedef {import("./tokens.js").Kind | "praise"} Kind */
/** Where a token stands: in the game, beside it, behind it as the next one's first, or as its own last. */
const PART = "part",
  ASIDE = "aside",
  NEXT = "next",
  LAST = "last";
/** @typedef {typeof PART | typeof ASIDE | typeof NEXT | typeof LAST} Place */

/** A game that is being read. */
class Reading {
  draft = new Draft();
  /** What is written to: the game or a variation. @type {DraftLine} */
  line = this.draft;
  /** The variations that are open: where they begin, and what they leave. @type {[number, DraftLine][]} */
  opened = [];
  /** End of the last move or its judgements: a star there praises the move. */
  touch = -1;
  /** Begin of a move behind a star, which praises it; any other star is a result. */
  praised = -1;
  /** End of the last result. */
  ended = -1;

  /** @param {number} offset where it begins */
  constructor(offset) {
    this.offset = offset;
    /** End of the last token. */
    this.at = offset;
  }

  /** @param {string} text @param {number} begin @returns {Place} */
  move(text, begin) {
    const {line} = this;
    line.moves.push(text);
    line.offsets.push(begin);
    if (begin === this.praised) this.note(new Judgement("*"));
    this.touch = this.at;
    return PART;
  }

  /** @param {DraftLine["notes"][number][1]} note @returns {Place} */
  note(note) {
    this.line.notes.push([this.line.moves.length, note]);
    return PART;
  }

  /** @param {string} result @returns {Place} */
  result(result) {
    if (this.line !== this.draft) return this.note(result);
    this.draft.result = result;
    this.ended = this.at;
    return PART;
  }

  /** A variation begins. @param {number} begin */
  open(begin) {
    this.opened.push([begin, this.line]);
    this.line = new DraftLine();
  }

  /** A variation ends. False if none is open. */
  close() {
    const opened = this.opened.pop();
    if (!opened) return false;
    const inner = this.line;
    this.line = opened[1];
    this.note(inner);
    return true;
  }
}

/** Text in memory from which games are read. */
export class Buffer {
  #sure;
  /** @type {[number, number]} */
  #brace = [0, -1];

  /** @param {string} text @param {boolean} final true if there is no more text @param {boolean} forgiving */
  constructor(text, final, forgiving) {
    this.text = text;
    this.final = final;
    this.forgiving = forgiving;
    this.#sure = final ? text.length : beforeEnd(text, MARGIN);
  }

  /**
   * The game that begins at an offset, or null at the end, and the offset at which to resume. Throws a Fault for text
   * that is not PDN, NeedMore if the text continues.
   * @param {number} offset
   * @returns {[Draft | null, number]}
   */
  game(offset) {
    try {
      return this.#game(offset);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const isSure = this.final || error.offset <= this.#sure || this.text.length - offset >= MAX_GAME_LENGTH;
      throw isSure ? error : new NeedMore();
    }
  }

  /**
   * Offset of the first game whose tags follow something else, from the line of an offset on; -1 for none.
   * @param {number} offset
   */
  nextHeader(offset) {
    return headerAfter(this.text, offset);
  }

  /** @param {number} offset @returns {[Draft | null, number]} */
  #game(offset) {
    const {text} = this,
      reading = new Reading(offset),
      {draft} = reading;
    for (let token = tokenAt(text, offset); token; token = tokenAt(text, reading.at)) {
      const {begin} = token;
      reading.at = token.end;
      if (token.end > this.#sure) this.#more(offset);
      const kind = this.#kindOf(reading, token),
        hasEnded = draft.result && reading.line === draft && kind !== "comment" && kind !== "line",
        place = hasEnded ? this.#afterResult(reading, kind, begin) : this.#take(reading, kind, token);
      if (place === NEXT) return [draft, begin];
      if (place === LAST) return [draft, reading.at];
      if (place === PART && draft.offset < 0) draft.offset = begin;
    }
    if (!this.final) this.#more(offset);
    if (reading.opened.length) this.#closeAll(reading, text.length);
    return [draft.offset < 0 ? null : draft, text.length];
  }

  /** What a token is: a star is a result, a judgement of the move before or behind it. */
  #kindOf(/** @type {Reading} */ {touch, offset}, /** @type {Token} */ {kind, begin, end}) {
    if (kind !== "star") return kind;
    return begin === touch ? "nag" : this.#praises(end, offset) ? "praise" : "result";
  }

  /** @param {Reading} reading @param {Kind} kind @param {number} begin @returns {Place} */
  #afterResult(reading, kind, begin) {
    const written = this.text.slice(begin, reading.at);
    if (kind !== "result" || !this.#endsAgain(reading.draft, written, reading.ended, begin)) return NEXT;
    reading.ended = reading.at;
    return ASIDE;
  }

  /**
   * Takes a token into a game.
   * @param {Reading} reading
   * @param {Kind} kind
   * @param {Token} token
   * @returns {Place}
   */
  #take(reading, kind, token) {
    const {begin} = token,
      {draft, line, at} = reading,
      written = this.text.slice(begin, at);
    if (kind === "move" || kind === "joined")
      return reading.move(kind === "move" ? written : joinedMove(written), begin);
    if (kind === "number" || kind === "bare") {
      if (line !== draft || !this.#beginsGame(draft, written, begin)) return PART;
      draft.warnings.push(told("pdn.no_result"));
      return NEXT;
    }
    if (kind === "comment" || kind === "line") {
      if (kind === "comment") reading.at = this.#closingBrace(begin, reading.offset, draft) + 1;
      return reading.note(stripped(this.text.slice(begin + 1, kind === "line" ? at : reading.at - 1)));
    }
    if (kind === "tag") {
      if (reading.opened.length) this.#closeAll(reading, begin - 1);
      return this.#takeTag(draft, token) ? PART : NEXT;
    }
    if (kind === "nag") {
      reading.touch = line.moves.length ? at : -1;
      return reading.note(new Judgement(written));
    }
    if (kind === "open") return this.#open(reading, begin);
    if (kind === "close") {
      if (reading.close()) return PART;
      this.#passOver(draft, () => this.#fault(begin, told("pdn.variation_end")));
      return ASIDE;
    }
    if (kind === "result") return reading.result(plainResult(written));
    return this.#takeRare(reading, kind, token, written);
  }

  /** @param {Reading} reading @param {Kind} kind @param {Token} token @param {string} written @returns {Place} */
  #takeRare(reading, kind, {begin, fen = "", value = ""}, written) {
    const {draft, line, at} = reading;
    if (kind === "praise") reading.praised = at;
    else if (kind === "word" && (line !== draft || draft.moves.length || this.forgiving))
      reading.at = this.#words(line, draft, begin, at);
    else if (kind === "unknown") this.#unknown(reading, begin, quoted(written));
    else if (kind === "setup") setUp(draft, line, fen, begin);
    else if (kind === "letter" && begin === reading.touch) say(line, draft, value);
    else if (kind === "rule" && !reading.opened.length) return draft.offset >= 0 ? LAST : ASIDE;
    else {
      if (!this.final && this.text[begin] === "/" && isCutSetup(this.text, begin)) this.#more(reading.offset);
      this.#passOver(draft, () => this.#fault(begin));
      reading.at = this.#leftOut(reading, begin);
      return ASIDE;
    }
    return PART;
  }

  /**
   * Where text that is left out ends; a move of the game that nobody can read is kept.
   * @param {Reading} reading
   * @param {number} begin
   */
  #leftOut({draft, line}, begin) {
    const illegible = line === draft && line.moves.length && line.known === null ? illegibleAt(this.text, begin) : "";
    if (!illegible) return leftOutEnd(this.text, begin);
    line.known = line.moves.length;
    line.illegible = illegible;
    return begin + illegible.length;
  }

  /** A variation, or words in round brackets. @param {Reading} reading @param {number} begin @returns {Place} */
  #open(reading, begin) {
    const remark = this.#remark(begin, reading.offset);
    if (remark) {
      reading.at = remark.end;
      say(reading.line, reading.draft, words(remark.words).join(" "));
    } else if (reading.opened.length === MOST_NESTED) {
      throw new Fault(begin, told("pdn.nested", {most: MOST_NESTED}));
    } else reading.open(begin);
    return PART;
  }

  /** A move that nobody wrote down. @param {Reading} reading @param {number} begin @param {string} shown */
  #unknown({draft, line}, begin, shown) {
    if (line === draft && !line.moves.length)
      this.#passOver(draft, () => new Fault(begin, told("pdn.none_known", {move: shown})));
    else if (line.known === null) {
      line.known = line.moves.length;
      warn(draft, begin, told("pdn.unwritten", {move: shown}));
    }
  }

  /** Asks for more text unless the game is already too long. @param {number} offset @returns {never} */
  #more(offset) {
    if (this.text.length - offset >= MAX_GAME_LENGTH)
      throw new Fault(offset, told("pdn.long_game", {most: MAX_GAME_LENGTH}), this.text.length);
    throw new NeedMore();
  }

  /**
   * True if "1." or "1" at the start of a line, after moves that have no result, begins a new game.
   * @param {Draft} draft
   * @param {string} number
   * @param {number} begin
   */
  #beginsGame(draft, number, begin) {
    if ((number !== "1." && number !== "1") || draft.moves.length < 2 || draft.result) return false;
    let at = begin;
    while (at > 0 && this.text[at - 1] !== "\n" && IS_BLANK.test(this.text[at - 1])) at--;
    return at === 0 || this.text[at - 1] === "\n";
  }

  /** True if a move stands right behind a star that ends at an offset. @param {number} at @param {number} offset */
  #praises(at, offset) {
    const {text} = this;
    if (!IS_ALPHANUMERIC.test(text.slice(at, at + 2))) return false;
    const token = tokenAt(text, at);
    if (token && token.end > this.#sure) this.#more(offset);
    return token?.kind === "move" || token?.kind === "joined";
  }

  /**
   * True if a second result belongs to the game, which has one that ends at an offset.
   * @param {Draft} draft
   * @param {string} written
   * @param {number} ended
   * @param {number} begin
   */
  #endsAgain(draft, written, ended, begin) {
    if (!(draft.moves.length || draft.tags.size) || EMPTY_LINE.test(this.text.slice(ended, begin))) return false;
    const result = plainResult(written);
    if (draft.result === "*") draft.result = result;
    else if (result !== "*" && result !== draft.result)
      draft.warnings.push(told("pdn.end_differs", {first: draft.result ?? "", second: result}));
    return true;
  }

  /**
   * Throws a fault, or notes it and continues.
   * @param {Draft} draft
   * @param {() => Fault} fault makes it, if it is told
   */
  #passOver(draft, fault) {
    if (!this.forgiving) throw fault();
    if (draft.leftOut.length < MOST_LEFT_OUT) draft.leftOut.push(fault());
  }

  /** Ends the variations that were left open. @param {Reading} reading @param {number} resume */
  #closeAll(reading, resume) {
    const [begin] = reading.opened[reading.opened.length - 1];
    this.#passOver(reading.draft, () => new Fault(begin, told("pdn.open_variation"), resume));
    while (reading.close());
  }

  /**
   * Offset of the brace that closes a comment; without one a forgiving buffer ends it with its line.
   * @param {number} begin
   * @param {number} offset
   * @param {Draft} draft
   */
  #closingBrace(begin, offset, draft) {
    const {text} = this;
    let [first, brace] = this.#brace;
    if (!(first <= begin && begin <= brace)) {
      brace = text.indexOf("}", begin);
      if (brace < 0) brace = text.length;
      this.#brace = [begin, brace];
    }
    if (brace === text.length) {
      if (!this.final && text.length - begin < MAX_GAME_LENGTH) throw new NeedMore();
      this.#passOver(draft, () => this.#fault(begin, told("pdn.open_comment")));
      const end = text.indexOf("\n", begin);
      return end >= 0 ? end : brace;
    }
    const lost = forgottenAt(text.slice(begin, brace));
    if (lost >= 0) {
      this.#passOver(draft, () => new Fault(begin, told("pdn.open_before_game"), begin + lost + 1));
      return begin + lost;
    }
    if (!this.final && brace > this.#sure) this.#more(offset);
    return brace;
  }

  /** Takes a tag into a game; false if another game begins with it. @param {Draft} draft @param {Token} token */
  #takeTag(draft, {begin, end, name = "", value = ""}) {
    const {tags} = draft;
    if (tags.size && EMPTY_LINE.test(this.text.slice(draft.tagsEnd, begin))) draft.block = begin;
    if (draft.moves.length || (tags.has(name) && !repeats(draft, name, value, begin))) return false;
    draft.tagsEnd = end;
    if (!tags.has(name)) {
      tags.set(name, value);
      draft.tagOffsets.set(name, begin);
    }
    return true;
  }

  /**
   * Words and numbers in round brackets without a move, which are a comment; null for a variation.
   * @param {number} begin
   * @param {number} offset
   */
  #remark(begin, offset) {
    const remark = remarkAt(this.text, begin);
    if ("words" in remark) return remark;
    const most = MOST_REMARK + 2;
    if (remark.open && !this.final && lengthOf(this.text.slice(begin, begin + 2 * most)) < most) this.#more(offset);
    return null;
  }

  /**
   * Reads words outside braces as a comment; returns the offset of their end.
   * @param {DraftLine} line
   * @param {Draft} draft
   * @param {number} begin
   * @param {number} first
   */
  #words(line, draft, begin, first) {
    const {text} = this;
    let end = countEnd(text, first);
    for (let token = tokenAt(text, end); token?.kind === "word"; token = tokenAt(text, end))
      end = countEnd(text, token.end);
    if (!this.final && end > this.#sure) this.#more(Math.max(draft.offset, 0));
    say(line, draft, words(text.slice(begin, end)).join(" "));
    return end;
  }

  /** @param {number} begin @param {Said} [why] */
  #fault(begin, why) {
    const junk = junkAt(this.text, begin);
    return new Fault(
      begin,
      told("pdn.junk", {text: quoted(junk), why: why ?? COMPLAINTS[junk[0]] ?? told("pdn.move_form")}),
    );
  }
}

/**
 * The offset so many characters before the end of a text; -1 if it has fewer.
 * @param {string} text
 * @param {number} characters
 */
function beforeEnd(text, characters) {
  let at = text.length;
  for (let left = characters; left > 0; left--) {
    if (at === 0) return -1;
    at -= at > 1 && /** @type {number} */ (text.codePointAt(at - 2)) > 0xffff ? 2 : 1;
  }
  return at;
}

/** The move of two squares that are written together. @param {string} text */
function joinedMove(text) {
  const squares = [...text];
  return `${squares.slice(0, 2).join("")}-${squares.slice(2).join("")}`;
}
