// Texts in the language of the person, by their English ones, which stand in the scripts, or by names, as those of
// kr/language/CODE.json: {"Turn the board": "Gira la damiera", "game|games": "partita|partite"}.

let language = "en";
let numbers = new Intl.NumberFormat(language);
/** @type {Intl.NumberFormat[]} by number of decimals */
let decimals = [];
/** @type {Record<string, string>} */
let english = {};
/** @type {Record<string, string>} */
let texts = {};

/**
 * Has all texts that are asked for from now on in a language.
 * @param {string} code such as "it"
 * @param {Record<string, string>} found its texts by name or by English text; none for English
 * @param {Record<string, string>} [named] English texts by name
 */
export function speak(code, found, named = {}) {
  language = code;
  numbers = new Intl.NumberFormat(language);
  decimals = [];
  english = named;
  texts = found;
}

export const spoken = () => language;

/** The language with its texts, as another page needs them. */
export const spokenTexts = () => ({language, texts});

/**
 * A text, with values in place of {names}: t("Level {level}", {level: 3}). What the language lacks is English.
 * @param {string} text
 * @param {Record<string, unknown>} [values]
 */
export function t(text, values = {}) {
  const found = texts[text] ?? english[text] ?? text;
  return found.replace(/\{(\w+)\}/g, (place, name) => (Object.hasOwn(values, name) ? String(values[name]) : place));
}

/** @param {number} number */
export const formatted = number => numbers.format(number);

/**
 * A number with so many decimals: "0.42", or "0,42".
 * @param {number} number
 * @param {number} digits
 */
export function decimal(number, digits) {
  decimals[digits] ??= new Intl.NumberFormat(language, {minimumFractionDigits: digits, maximumFractionDigits: digits});
  return decimals[digits].format(number);
}

/**
 * A number with its sign: "+0.4", "−1.2", "0.0".
 * @param {number} number
 * @param {number} digits
 */
export function signed(number, digits) {
  const size = Math.round(Math.abs(number) * 10 ** digits) / 10 ** digits;
  const sign = !size ? "" : number > 0 ? "+" : "−";
  return sign + decimal(size, digits);
}

/**
 * "1 game", "2,500 games".
 * @param {number} count
 * @param {string} one
 * @param {string} [several] of words such as ply
 */
export function many(count, one, several = `${one}s`) {
  const words = (texts[`${one}|${several}`] ?? `${one}|${several}`).split("|");
  return `${formatted(count)} ${words[count === 1 ? 0 : 1]}`;
}

/** @param {string[]} list @param {"conjunction" | "disjunction"} type */
const listed = (list, type) => new Intl.ListFormat(language === "en" ? "en-GB" : language, {type}).format(list);

/**
 * "15, 16 or 19".
 * @param {string[]} list
 */
export const either = list => listed(list, "disjunction");

/**
 * "15, 16 and 19".
 * @param {string[]} list
 */
export const all = list => listed(list, "conjunction");
