// Blanks, lines, digits and characters of a text as Python's own methods and patterns have them; JavaScript's differ by
// a few characters (it takes U+FEFF for a blank, and not U+001C to U+001F and U+0085), and it counts halves of
// surrogate pairs.

/** Blanks, as a class of a pattern has them. */
export const BLANK = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const BLANKS = new RegExp(`[${BLANK}]+`, "u");
const IS_BLANK = new RegExp(`[${BLANK}]`);
const LINE_ENDS = "\\n-\\r\\x1c-\\x1e\\x85\\u2028\\u2029",
  LINE_END = new RegExp(`\\r\\n|[${LINE_ENDS}]`, "u");
const PAIRS = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;
const DIGIT = /^\p{Nd}$/u;

/** A pattern with Python's blanks in place of each \s. @param {RegExp} pattern */
export const blanked = ({source, flags}) => new RegExp(source.replaceAll("\\s", `[${BLANK}]`), flags);

/** A text without the blanks, or other characters, around it: str.strip(). @param {string} text */
export function stripped(text, character = IS_BLANK) {
  let [begin, end] = [0, text.length];
  while (begin < end && character.test(text[begin])) begin++;
  while (end > begin && character.test(text[end - 1])) end--;
  return text.slice(begin, end);
}

/** The words of a text: str.split(). @param {string} text */
export const words = text => text.split(BLANKS).filter(Boolean);

/** A text without any blanks. @param {string} text */
export const withoutBlanks = text => words(text).join("");

/** The lines of a text: str.splitlines(). @param {string} text */
export function linesOf(text) {
  const lines = text.split(LINE_END);
  if (!lines[lines.length - 1]) lines.pop();
  return lines;
}

/** Number of characters: len(). @param {string} text */
export const lengthOf = text => text.length - (text.match(PAIRS)?.length ?? 0);

/** The first characters of a text. @param {string} text @param {number} most */
export const beginning = (text, most) =>
  text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join("");

/** The number that decimal digits of any script make: int(). @param {string} text */
export function wholeNumber(text) {
  return Number([...text].map(each => digit(/** @type {number} */ (each.codePointAt(0)))).join(""));
}

/** @param {number} code of a decimal digit; each script has its ten one after another, and some stand side by side */
function digit(code) {
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
}
