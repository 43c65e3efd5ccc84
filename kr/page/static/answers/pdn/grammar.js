// The grammar of PDN: text to drafts of games, whose moves are not yet checked (kr/pdn/grammar.py, which describes it).
//
// A game is read from a buffer that may be continued: text near its end is not judged before there is more (NeedMore).
// No part of a text is scanned more than a fixed number of times, whatever it holds.

import {grouped, quoted} from "../text.js";
import {BLANK, lengthOf, stripped, words} from "../blanks.js";
import {Draft, DraftLine, Fault, Judgement, MOST_LEFT_OUT, NeedMore, repeats, say, setUp, warn} from "./drafts.js";
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
/** @type {Record<string, string>} */
const COMPLAINTS = {
  "}": "a comment ends here that was not opened; comments do not nest",
  "[": 'a tag is written [Name "value"]',
};

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
      draft = new Draft();
    /** @type {[number, DraftLine][]} */
    const stack = [];
    /** @type {DraftLine} */
    let line = draft;
    let at = offset;
    // end of the last move or its judgements: a star there praises the move
    let touch = -1;
    // begin of a move behind a star, which praises it; any other star is a result
    let praised = -1;
    // end of the last result
    let ended = -1;
    for (let token = tokenAt(text, at); token; token = tokenAt(text, at)) {
      const {begin} = token;
      let kind = /** @type {import("./tokens.js").Kind | "praise"} */ (token.kind);
      at = token.end;
      if (at > this.#sure) this.#more(offset);
      if (kind === "star") kind = begin === touch ? "nag" : this.#praises(at, offset) ? "praise" : "result";
      if (draft.result && line === draft && kind !== "comment" && kind !== "line") {
        if (kind !== "result" || !this.#endsAgain(draft, text.slice(begin, at), ended, begin)) return [draft, begin];
        ended = at;
        continue;
      }
      const remark = kind === "open" ? this.#remark(begin, offset) : null;
      if (kind === "move" || kind === "joined") {
        const written = text.slice(begin, at);
        line.moves.push(kind === "move" ? written : joinedMove(written));
        line.offsets.push(begin);
        if (begin === praised) line.notes.push([line.moves.length, new Judgement("*")]);
        touch = at;
      } else if (kind === "praise") {
        praised = at;
      } else if (kind === "number" || kind === "bare") {
        if (line === draft && this.#beginsGame(draft, text.slice(begin, at), begin)) {
          draft.warnings.push("the game ends without a result, where moves begin again at 1");
          return [draft, begin];
        }
      } else if (kind === "comment") {
        at = this.#closingBrace(begin, offset, draft) + 1;
        line.notes.push([line.moves.length, stripped(text.slice(begin + 1, at - 1))]);
      } else if (kind === "line") {
        line.notes.push([line.moves.length, stripped(text.slice(begin + 1, at))]);
      } else if (kind === "tag") {
        if (stack.length) line = this.#closeAll(draft, line, stack, begin - 1);
        if (!this.#takeTag(draft, token)) return [draft, begin];
      } else if (kind === "nag") {
        line.notes.push([line.moves.length, new Judgement(text.slice(begin, at))]);
        touch = line.moves.length ? at : -1;
      } else if (remark) {
        at = remark.end;
        say(line, draft, words(remark.words).join(" "));
      } else if (kind === "open") {
        if (stack.length === MOST_NESTED)
          throw new Fault(begin, `variations are nested more than ${grouped(MOST_NESTED)} deep`);
        stack.push([begin, line]);
        line = new DraftLine();
      } else if (kind === "close") {
        const opened = stack.pop();
        if (!opened) {
          this.#passOver(draft, () => this.#fault(begin, "a variation ends here that was not opened"));
          continue;
        }
        const inner = line;
        line = opened[1];
        line.notes.push([line.moves.length, inner]);
      } else if (kind === "result") {
        const result = plainResult(text.slice(begin, at));
        if (line === draft) {
          draft.result = result;
          ended = at;
        } else line.notes.push([line.moves.length, result]);
      } else if (kind === "word" && (line !== draft || draft.moves.length || this.forgiving)) {
        at = this.#words(line, draft, begin, at);
      } else if (kind === "unknown") {
        const shown = quoted(text.slice(begin, at));
        if (line === draft && !line.moves.length)
          this.#passOver(draft, () => new Fault(begin, `${shown}: no move of this game is known`));
        else if (line.known === null) {
          line.known = line.moves.length;
          warn(draft, begin, `${shown} is a move that nobody wrote down: moves end here`);
        }
      } else if (kind === "setup") {
        setUp(draft, line, token.fen ?? "", begin);
      } else if (kind === "letter" && begin === touch) {
        say(line, draft, token.value ?? "");
      } else if (kind === "rule" && !stack.length) {
        if (draft.offset >= 0) return [draft, at];
        continue;
      } else {
        if (!this.final && text[begin] === "/" && isCutSetup(text, begin)) this.#more(offset);
        this.#passOver(draft, () => this.#fault(begin));
        const illegible = line === draft && line.moves.length && line.known === null ? illegibleAt(text, begin) : "";
        if (illegible) {
          line.known = line.moves.length;
          line.illegible = illegible;
        }
        at = illegible ? begin + illegible.length : leftOutEnd(text, begin);
        continue;
      }
      if (draft.offset < 0) draft.offset = begin;
    }
    if (!this.final) this.#more(offset);
    if (stack.length) this.#closeAll(draft, line, stack, text.length);
    return [draft.offset < 0 ? null : draft, text.length];
  }

  /** Asks for more text unless the game is already too long. @param {number} offset @returns {never} */
  #more(offset) {
    if (this.text.length - offset >= MAX_GAME_LENGTH)
      throw new Fault(offset, `a game of more than ${grouped(MAX_GAME_LENGTH)} characters`, this.text.length);
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
      draft.warnings.push(`the game ends with ${draft.result} and again with ${result}: the first is read`);
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

  /**
   * Ends the variations that were left open; returns the line that was played.
   * @param {Draft} draft
   * @param {DraftLine} line
   * @param {[number, DraftLine][]} stack
   * @param {number} resume
   */
  #closeAll(draft, line, stack, resume) {
    const [begin] = stack[stack.length - 1];
    this.#passOver(draft, () => new Fault(begin, "the variation that begins here is never closed", resume));
    let inner = line;
    for (let opened = stack.pop(); opened; opened = stack.pop()) {
      opened[1].notes.push([opened[1].moves.length, inner]);
      inner = opened[1];
    }
    return inner;
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
      this.#passOver(draft, () => this.#fault(begin, "the comment that begins here is never closed"));
      const end = text.indexOf("\n", begin);
      return end >= 0 ? end : brace;
    }
    const lost = forgottenAt(text.slice(begin, brace));
    if (lost >= 0) {
      const message = "the comment that begins here is never closed before the next game";
      this.#passOver(draft, () => new Fault(begin, message, begin + lost + 1));
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

  /** @param {number} begin @param {string} [message] */
  #fault(begin, message) {
    const junk = junkAt(this.text, begin),
      complaint = COMPLAINTS[junk[0]] ?? "write moves as 11-15 or 22x15, other text in braces";
    return new Fault(begin, `${quoted(junk)} is not PDN: ${message ?? complaint}`);
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
