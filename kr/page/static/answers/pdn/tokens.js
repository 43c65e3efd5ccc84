// The tokens of PDN (the patterns of kr/pdn/grammar.py), and the words among them.
//
// Python's patterns have possessive repetitions, so that hostile text takes no longer than other text. Here a repeated
// group is followed step by step instead, and what can be repeated at will is a single class of characters, which ends
// before anything that may come after it.

import {BLANK} from "../blanks.js";

/** @typedef {"line" | "comment" | "tag" | "nag" | "star" | "result" | "rule" | "move" | "number" | "open" | "close" |
 *   "joined" | "bare" | "setup" | "unknown" | "letter" | "word" | "junk"} Kind */
/** @typedef {{kind: Kind, begin: number, end: number, name?: string, value?: string, fen?: string}} Token */

/** Most characters of words in round brackets that are a remark. */
export const MOST_REMARK = 400;

const DASHES = "\\u2010-\\u2014\\u2212",
  LETTER = "\\p{L}\\p{Nl}\\p{No}",
  WORD = "\\p{L}\\p{N}_",
  QUOTE = "\u201c\u201d\u201e\u201f",
  AWAY = `[${BLANK}]*`,
  APART = `[${BLANK}]+`,
  DASH = `[ ]?[-${DASHES}][ ]?`,
  STEP = `[ ]?[-xX:\\u00d7${DASHES}][ ]?\\p{Nd}{1,3}`,
  SMALL = "[-x:]?[a-h][1-8]",
  CAPITAL = "[-xX:]?[A-H][1-8]",
  SQUARE_PAIR = "(?:0[1-9]|[12]\\p{Nd}|3[0-2]){2}";

/** A pattern that matches at a place alone. @param {string} source */
const placed = source => new RegExp(source, "uy");

const BETWEEN = placed(`[${BLANK},\\0\\x1a\\ufeff]*`);
const NAME = placed(`\\[${AWAY}([${WORD}]+)${APART}`);
const PLAIN_VALUE = placed('[^"\\\\\\n]*');
const CURLY_VALUE = placed(`[${QUOTE}]([^\\n"${QUOTE}\\]]*)[${QUOTE}]`);
const TAG_END = placed(`${AWAY}\\]`);
const NUMBERED_NAG = placed("\\$\\p{Nd}{1,3}");
const BRACKETED_NAG = placed("\\([!?]+\\)");
const SIGNS = placed("[!?]+");
const RESULT = placed(
  `(?:[12]${DASH}0|0${DASH}[012]|1${DASH}1|1/2${DASH}1/2|\u00bd${DASH}\u00bd)(?![-\\p{Nd}/:xX])|` +
    "(?:1/2|\u00bd)(?![-\\p{Nd}/:x])",
);
const RULE = placed("[-=_~]{3,}[ \\t]*(?![^\\n])");
// moves are followed by so many steps at once
const STEPS = placed(`(?:${STEP}){1,20}`),
  SMALL_STEPS = placed(`(?:${SMALL}){1,20}`),
  CAPITAL_STEPS = placed(`(?:${CAPITAL}){1,20}`);
const FIRST_NUMBER = placed("\\p{Nd}{1,3}"),
  FIRST_SMALL = placed("[a-h][1-8]"),
  FIRST_CAPITAL = placed("[A-H][1-8]");
const DIGIT = placed("\\p{Nd}");
const NUMBER = placed("\\p{Nd}{1,6}[ ]?(?:\\.(?:[ ]?\\.{2,3})?|\u2026)|\\.{3}|\u2026");
const JOINED_PAIR = `${SQUARE_PAIR}(?![${WORD}.\u2026])`;
const JOINED = placed(JOINED_PAIR);
/** A number without a dot, before a move. */
const BARE = placed(
  `\\p{Nd}{1,3}(?=[${BLANK}]{1,20}\\*?(?:[1-9]\\p{Nd}?[ ]?[-xX:\\u00d7${DASHES}][ ]?[1-9]|${JOINED_PAIR}))`,
);
const SETUP = placed(`/${AWAY}FEN${APART}["${QUOTE}]([^"${QUOTE}/\\n]*)["${QUOTE}]${AWAY}/`);
const UNKNOWN = placed(`[-\\u2013\\u2014][ ]?[-\\u2013\\u2014](?![-${WORD}])`);
/** The letter of a note, behind a move. */
const LETTER_OF_NOTE = placed(`[-\\u2013\\u2014]{1,5}([${LETTER}]\\p{Nd}?)(?![${WORD}])`);
const LETTERS = placed(`[${LETTER}]+`);
const MOVE_FOLLOWS = placed(`\\p{Nd}{1,2}[-xX:]\\p{Nd}{1,2}(?![-${WORD}])`);
const WORD_REST = placed(`[^${BLANK}(){}\\[\\]]*`);

const REMARK = placed(`\\(([^(){}\\[\\]]{1,${MOST_REMARK}})\\)`);
const HAS_WORD = new RegExp(`[${LETTER}]|(?<![${WORD}.])\\p{Nd}+(?!\\p{Nd}|${AWAY}[.\u2026])`, "u");
const HAS_MOVE = new RegExp(
  `\\p{Nd}[ ]?[-xX:\\u00d7${DASHES}][ ]?\\p{Nd}|(?<![${WORD}])(?:` +
    `[a-h][1-8](?=((?:${SMALL})+))\\1|[A-H][1-8](?=((?:${CAPITAL})+))\\2)(?![${WORD}])`,
  "u",
);
const JOINED_MOVES = new RegExp(`^[${BLANK}.\\p{Nd},!?]*$`, "u");
const JOINED_MOVE = new RegExp(`^${SQUARE_PAIR}$`, "u");
const PLAIN_NUMBERS = /\p{Nd}+(?![\p{Nd}.])/gu;
/** A number among words. */
const COUNT = placed(`[${BLANK},]*\\p{Nd}{1,6}(?![-\\p{Nd}xX:./\u2026])(?=[${BLANK},]*[${LETTER}])`);
/** A setup command that may continue behind the end of the text. */
const SETUP_BEGUN = placed(`/(?:${AWAY}(?:FEN${AWAY}(?:["${QUOTE}][^"${QUOTE}/\\n]*["${QUOTE}]?${AWAY})?|FE|F)?)?$`);
const HEADER = placed(`\\[${AWAY}[${WORD}]+${APART}["${QUOTE}]`);
const FORGOTTEN_TAG = placed(`\\[[${WORD}]+${APART}"[^"\\n]*"\\][ \\t]*\\n\\[[${WORD}]+${APART}"`);
const SHORT_JUNK = placed(`[^${BLANK}]{1,20}`);
/** A move whose second square can't be read. */
const ILLEGIBLE = placed(`\\d{1,2}[-xX:\u00d7\u2010-\u2014\u2212][^${BLANK}]{0,17}`);
const LEFT_OUT = placed("\\[[^\\[\\]\\n]{0,200}\\]|[#&+<>@^|~]+|[^]");

/**
 * Where a pattern ends that begins at a place; -1 if it doesn't.
 * @param {RegExp} pattern
 * @param {string} text
 * @param {number} at
 */
function endOf(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** @param {RegExp} pattern @param {string} text @param {number} at */
function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** True at the start of a line. @param {string} text @param {number} at */
const beginsLine = (text, at) => at === 0 || text[at - 1] === "\n";

/** The next token from a place on; null at the end. @param {string} text @param {number} at @returns {Token | null} */
export function tokenAt(text, at) {
  const begin = endOf(BETWEEN, text, at);
  if (begin < 0 || begin >= text.length) return null;
  const token = (/** @type {Kind} */ kind, /** @type {number} */ end) => ({kind, begin, end});
  const first = text[begin];
  let end = -1;
  switch (first) {
    case "{":
      return token("comment", begin + 1);
    case ";":
      return token("line", lineEnd(text, begin));
    case "%":
      if (beginsLine(text, begin)) return token("line", lineEnd(text, begin));
      break;
    case "[":
      return tagAt(text, begin) ?? token("junk", begin + 1);
    case "*":
      return token("star", begin + 1);
    case "$":
      if ((end = endOf(NUMBERED_NAG, text, begin)) >= 0) return token("nag", end);
      break;
    case "!":
    case "?":
      return token("nag", endOf(SIGNS, text, begin));
    case "(":
      if ((end = endOf(BRACKETED_NAG, text, begin)) >= 0) return token("nag", end);
      return token("open", begin + 1);
    case ")":
      return token("close", begin + 1);
    case "/": {
      const setup = matchAt(SETUP, text, begin);
      if (setup) return {kind: "setup", begin, end: SETUP.lastIndex, fen: setup[1]};
      break;
    }
    default:
      return (
        numberAt(text, begin) ??
        lineAt(text, begin) ??
        wordAt(text, begin) ??
        token("junk", begin + sizeAt(text, begin))
      );
  }
  return token("junk", begin + 1);
}

/** @param {string} text @param {number} begin */
function lineEnd(text, begin) {
  const end = text.indexOf("\n", begin);
  return end < 0 ? text.length : end;
}

/** Units of the character at a place. @param {string} text @param {number} at */
const sizeAt = (text, at) => (/** @type {number} */ (text.codePointAt(at)) > 0xffff ? 2 : 1);

/** @param {string} text @param {number} begin @returns {Token | null} */
function tagAt(text, begin) {
  const named = matchAt(NAME, text, begin);
  if (!named) return null;
  const at = NAME.lastIndex;
  let value, valueEnd;
  if (text[at] === '"') {
    let end = endOf(PLAIN_VALUE, text, at + 1);
    // a backslash and what follows it
    while (text[end] === "\\" && end + 1 < text.length && text[end + 1] !== "\n")
      end = endOf(PLAIN_VALUE, text, end + 1 + sizeAt(text, end + 1));
    if (text[end] !== '"') return null;
    value = text.slice(at + 1, end).replace(/\\(["\\])/g, "$1");
    valueEnd = end + 1;
  } else {
    const curly = matchAt(CURLY_VALUE, text, at);
    if (!curly) return null;
    value = curly[1];
    valueEnd = CURLY_VALUE.lastIndex;
  }
  const end = endOf(TAG_END, text, valueEnd);
  return end < 0 ? null : {kind: "tag", begin, end, name: named[1], value};
}

/** A result, move or number of a move. @param {string} text @param {number} begin @returns {Token | null} */
function numberAt(text, begin) {
  let end = endOf(RESULT, text, begin);
  if (end >= 0) return {kind: "result", begin, end};
  end = moveEnd(text, begin);
  if (end >= 0) return {kind: "move", begin, end};
  end = endOf(NUMBER, text, begin);
  if (end >= 0) return {kind: "number", begin, end};
  end = endOf(JOINED, text, begin);
  if (end >= 0) return {kind: "joined", begin, end};
  end = endOf(BARE, text, begin);
  return end < 0 ? null : {kind: "bare", begin, end};
}

/** @param {string} text @param {number} begin */
function moveEnd(text, begin) {
  const end = stepsEnd(FIRST_NUMBER, STEPS, text, begin);
  if (end >= 0 && endOf(DIGIT, text, end) < 0) return end;
  const small = stepsEnd(FIRST_SMALL, SMALL_STEPS, text, begin);
  return small >= 0 ? small : stepsEnd(FIRST_CAPITAL, CAPITAL_STEPS, text, begin);
}

/**
 * Where a move ends: after its first square and all steps that follow.
 * @param {RegExp} first
 * @param {RegExp} steps
 * @param {string} text
 * @param {number} begin
 */
function stepsEnd(first, steps, text, begin) {
  const origin = endOf(first, text, begin);
  let end = origin < 0 ? -1 : endOf(steps, text, origin);
  for (let next = end; next >= 0; next = endOf(steps, text, next)) end = next;
  return end;
}

/**
 * A line of dashes, the dashes of an unknown move, or those before the letter of a note, which is the value.
 * @param {string} text
 * @param {number} begin
 * @returns {Token | null}
 */
function lineAt(text, begin) {
  let end = beginsLine(text, begin) ? endOf(RULE, text, begin) : -1;
  if (end >= 0) return {kind: "rule", begin, end};
  end = endOf(UNKNOWN, text, begin);
  if (end >= 0) return {kind: "unknown", begin, end};
  const letter = matchAt(LETTER_OF_NOTE, text, begin);
  return letter && {kind: "letter", begin, end: begin + letter[0].length, value: letter[1]};
}

/** @param {string} text @param {number} begin @returns {Token | null} */
function wordAt(text, begin) {
  const letters = endOf(LETTERS, text, begin);
  if (letters < 0) return null;
  const end = endOf(MOVE_FOLLOWS, text, letters) >= 0 ? letters : endOf(WORD_REST, text, begin + sizeAt(text, begin));
  return {kind: "word", begin, end};
}

/**
 * Where a number ends that stands among words; the same place if there is none.
 * @param {string} text
 * @param {number} at
 */
export const countEnd = (text, at) => Math.max(at, endOf(COUNT, text, at));

/**
 * Words and numbers in round brackets without a move, and their end; null for anything else, with `open` true if the
 * brackets don't close.
 * @param {string} text
 * @param {number} begin
 * @returns {{words: string, end: number} | {open: boolean}}
 */
export function remarkAt(text, begin) {
  const remark = matchAt(REMARK, text, begin);
  if (!remark) return {open: true};
  const [, words] = remark;
  if (!HAS_WORD.test(words) || HAS_MOVE.test(words)) return {open: false};
  const joined = JOINED_MOVES.test(words) && (words.match(PLAIN_NUMBERS) ?? []).every(each => JOINED_MOVE.test(each));
  return joined ? {open: false} : {words, end: begin + remark[0].length};
}

/** True if a setup command begins that the end of the text cuts. @param {string} text @param {number} begin */
export const isCutSetup = (text, begin) => endOf(SETUP_BEGUN, text, begin) >= 0;

/** The first characters of what is not PDN. @param {string} text @param {number} begin */
export const junkAt = (text, begin) => matchAt(SHORT_JUNK, text, begin)?.[0] ?? "";

/** A move whose second square can't be read; "" if none begins there. @param {string} text @param {number} begin */
export const illegibleAt = (text, begin) => matchAt(ILLEGIBLE, text, begin)?.[0] ?? "";

/**
 * Where the text ends that is left out at once: a remark in square brackets, or a character.
 * @param {string} text
 * @param {number} begin
 */
export const leftOutEnd = (text, begin) => endOf(LEFT_OUT, text, begin);

/**
 * Where tags follow an empty line inside a comment, whose closing brace is then missing; -1 if none do.
 * @param {string} comment
 */
export function forgottenAt(comment) {
  for (let at = comment.indexOf("\n\n["); at >= 0; at = comment.indexOf("\n\n[", at + 1))
    if (endOf(FORGOTTEN_TAG, comment, at + 2) >= 0) return at;
  return -1;
}

/**
 * The first tag after a line that is not one, from the line of a place on; -1 if there is none.
 * @param {string} text
 * @param {number} from
 */
export function headerAfter(text, from) {
  let line = from && text.lastIndexOf("\n", from - 1) + 1;
  for (let end = text.indexOf("\n", line); end >= 0; end = text.indexOf("\n", line)) {
    if (text[line] !== "[" && text[end + 1] === "[" && endOf(HEADER, text, end + 1) >= 0) return end + 1;
    line = end + 1;
  }
  return -1;
}
