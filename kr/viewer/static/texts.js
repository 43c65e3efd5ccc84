// Texts in the language of the person, by their English ones, which stand in the scripts, or by the names of
// kr/language/CODE.json: {"Turn the board": "Gira la damiera", "game|games": "partita|partite"}.

/** @typedef {{say: string, with?: Record<string, Said>}} Sentence */
/** @typedef {{number: number, digits: number, signed?: boolean, error?: number}} Figure */
/** @typedef {Figure | {seconds: number} | {bytes: number, digits: number}} Amount */
/** @typedef {string | number | Amount | Sentence | Said[]} Said */

/** In place of a side, the person to whom a sentence is told. */
export const YOU = "you";
/** Names of sentences that games have. */
export const OF_GAMES = /^(?:story|comment|why|value|report|book|player)\./;
export const SIDE_PLACES = ["side", "other"];

let language = "en";
let numbers = new Intl.NumberFormat(language);
/** @type {{rules: Intl.PluralRules, kinds: string[]} | null} how the language counts, once it has to */
let counting = null;
/** @type {Intl.NumberFormat[]} by number of decimals */
let decimals = [];
/** @type {Record<string, string>} */
let english = {};
/** @type {Record<string, string>} */
let texts = {};
/** @type {(told: string | Amount) => string} */
let write = String;

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
  counting = null;
  english = named;
  texts = found;
}

/**
 * Has English texts known by their names from now on, and texts and amounts written.
 * @param {Record<string, string>} named
 * @param {(told: string | Amount) => string} written of numbers.js
 */
export function knowEnglish(named, written) {
  english = named;
  write = written;
}

export const spoken = () => language;

/** English sentences by name. */
export const englishSentences = () => english;

/** The language with its texts, and the English ones by name from which they are known, as another page needs them. */
export const spokenTexts = () => (language === "en" ? {language} : {language, texts, english});

/** A text by its name or by the English one, as it stands in a language's file. @param {string} text */
const found = text => texts[text] ?? english[text] ?? text;

/**
 * @param {string} text
 * @param {(name: string) => string | undefined} value
 */
const filled = (text, value) => text.replace(/\{(\w+)\}/g, (place, name) => value(name) ?? place);

/**
 * Kinds of whole numbers that a language tells apart, in the order in which its texts have forms for them.
 * @param {string} code
 */
export function countForms(code) {
  const rules = new Intl.PluralRules(code),
    found = new Set(Array.from({length: 200}, (_, count) => rules.select(count)));
  return ["zero", "one", "two", "few", "many", "other"].filter(each => found.has(/** @type {any} */ (each)));
}

/**
 * The form of a text for a count: the last one for fractions, millions and whatever else has none of its own.
 * @param {string} text with | between its forms
 * @param {number} count
 */
function counted(text, count) {
  const forms = text.split("|");
  counting ??= {rules: new Intl.PluralRules(language), kinds: countForms(language)};
  return forms[counting.kinds.indexOf(counting.rules.select(count))] ?? forms[forms.length - 1];
}

/**
 * A text, with values in place of {names}: t("Level {level}", {level: 3}). What the language lacks is English. For a
 * {count} that is a number it may have forms.
 * @param {string} text
 * @param {Record<string, unknown>} [values]
 */
export const t = (text, values = {}) =>
  filled(typeof values.count === "number" ? counted(found(text), values.count) : found(text), name => {
    if (!Object.hasOwn(values, name)) return undefined;
    const value = values[name];
    return name === "count" && typeof value === "number" ? formatted(value) : String(value);
  });

/**
 * What kr says, in the language of the page: a sentence of kr/language by its name, with its values; a number, duration
 * or size; a name or a number as text, "+0.03"; or several of these with commas between. A side is in lower case.
 * @param {Said} told
 * @param {(name: string, text: string) => string} [show] a value as it is to stand there, by the name of its place
 * @returns {string}
 */
export function said(told, show = (_, text) => text) {
  if (Array.isArray(told)) return told.map(each => said(each, show)).join(", ");
  if (typeof told === "number") return formatted(told);
  if (typeof told === "string" || !("say" in told)) return write(told);
  const {say, with: values = {}} = told,
    text = found(say),
    persons = text.split("|");
  const form =
    typeof values.count === "number"
      ? counted(text, values.count)
      : persons[values.side === YOU ? persons.length - 1 : 0];
  return filled(form, name => {
    const value = values[name];
    if (value === undefined) return undefined;
    if (SIDE_PLACES.includes(name)) return value === "black" ? t("Black") : t("White");
    const text = said(value, show);
    return typeof value === "object" && !Array.isArray(value) ? text : show(name, text);
  });
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
 * A number with a unit as short as the language has it: "2d", "3.5MB".
 * @param {number} number
 * @param {"day" | "hour" | "megabyte" | "percent"} unit
 * @param {number} [digits]
 */
export const inUnit = (number, unit, digits = 0) =>
  new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: unit === "megabyte" ? "short" : "narrow",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(number);

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
 * @param {string} [several] of words such as search
 */
export function many(count, one, several = `${one}s`) {
  const text = texts[`${one}|${several}`];
  const word = text ? counted(text, count) : count === 1 ? one : several;
  return `${formatted(count)} ${word}`;
}

/**
 * Plies as players count them: the moves of the side that makes the first of them.
 * @param {number} plies
 */
export const moves = plies => many(Math.ceil(plies / 2), "move");

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
