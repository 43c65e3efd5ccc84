// The file of a language against the texts that kr has: make language CODE=pl. Makes the file if there is none; UPDATE=1
// gives it the texts that have come since, empty, and takes out those that nothing asks for.

import {existsSync, readFileSync, writeFileSync} from "node:fs";
import {fileURLToPath} from "node:url";
import {countForms} from "../../kr/viewer/static/texts.js";
import {keys} from "./texts.js";

/** @typedef {Record<string, Record<string, string>>} Groups */
/** @typedef {{language: {name: string, unreviewed?: string}, words?: Record<string, string>, sentences: Groups, texts?: Groups}} File */
/** @typedef {{all: number, told: number, missing: Record<string, string[]>, stale: string[], wrong: string[]}} Found */

/** The language whose file is always whole: the groups of texts and their order are from there. */
export const MODEL = "it";
/** The groups that a newcomer sees first, in a new file before all others. */
const FIRST = [
  "viewer/texts.js",
  "page/shell.js",
  "page/settings.js",
  "page/analyse/welcome.js",
  "viewer/board.js",
  "viewer/board-state.js",
  "viewer/stage.js",
  "viewer/current.js",
  "viewer/moves.js",
  "page/analyse/page.js",
  "page/play/form.js",
  "page/play/game.js",
  "page/play/words.js",
  "page/learn/page.js",
  "problems/rules.json",
];
const SHOWN = 3;

export const pathOf = (/** @type {string} */ code) => new URL(`../../kr/language/${code}.json`, import.meta.url);

/** @param {string} code @returns {File} */
export const fileOf = code => JSON.parse(readFileSync(pathOf(code), "utf8"));

/** All texts of a file, with their groups. @param {File} file @returns {Array<[group: string, key: string, text: string]>} */
function listed({sentences = {}, texts = {}}) {
  const named = Object.entries(sentences).flatMap(([subject, group]) =>
    Object.entries(group).map(([name, text]) => [subject, `${subject}.${name}`, text]),
  );
  const own = Object.entries(texts).flatMap(([group, all]) =>
    Object.entries(all).map(([key, text]) => [group, key, text]),
  );
  return /** @type {any} */ ([...named, ...own]);
}

const places = (/** @type {string} */ text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
const isSame = (/** @type {string[]} */ some, /** @type {string[]} */ others) => some.join() === others.join();
const unlike = (/** @type {string} */ text) => [...new Set(places(text))];

/**
 * What is wrong with a text; "" if nothing is.
 * @param {string} text
 * @param {string} english
 * @param {string[]} counts forms for counts that the language tells apart
 * @param {boolean} [isNoun] of one that is counted, "game|games": its {count} is put before it
 */
export function fault(text, english, counts, isNoun = false) {
  const forms = text.split("|"),
    wanted = english.split("|");
  const isCounted = isNoun || english.includes("{count}");
  const numbers = isCounted ? [counts.length, ...(wanted.length > 1 ? [] : [1])] : [wanted.length];
  if (!numbers.includes(forms.length)) {
    const order = isCounted ? ` (${counts.join(", ")})` : " (of the side, to the person)";
    return `has ${forms.length} of ${numbers[0]} forms${numbers[0] > 1 ? order : ""}`;
  }
  // of several forms each may have its own places
  const [own, theirs] = forms.length > 1 ? [unlike(text), unlike(english)] : [places(text), places(english)];
  return isSame(own, theirs) ? "" : `has the places ${own.join(" ") || "of none"} in place of ${theirs.join(" ")}`;
}

/**
 * @param {string} code
 * @param {File} file
 * @param {File} [model]
 * @returns {Found}
 */
export function checked(code, file, model = fileOf(MODEL)) {
  const counts = countForms(code),
    wanted = keys(),
    english = Object.fromEntries(listed(fileOf("en")).map(([, key, text]) => [key, text])),
    texts = listed(file).filter(([, , text]) => text !== ""),
    told = new Set(texts.map(([, key]) => key)),
    groups = Object.fromEntries(listed(model).map(([group, key]) => [key, group]));
  /** @type {Record<string, string[]>} */
  const missing = {};
  for (const key of wanted) if (!told.has(key)) (missing[groups[key] ?? "of no group yet"] ??= []).push(key);
  const stale = [...new Set(listed(file).map(([, key]) => key))].filter(key => !wanted.has(key));
  const wrong = texts.flatMap(([, key, text]) => {
    if (typeof text !== "string") return [`${key}: is not a text`];
    const why = wanted.has(key) && fault(text, english[key] ?? key, counts, key.includes("|"));
    return why ? [`${key}: ${why}`] : [];
  });
  return {all: wanted.size, told: [...told].filter(key => wanted.has(key)).length, missing, stale, wrong};
}

/**
 * A file with all texts, those that it lacks empty: of sentences the names, of the others the English text is the key.
 * @param {string} code
 * @param {File | null} file the one that there is
 * @param {File} [model]
 * @returns {File}
 */
export function laidOut(code, file, model = fileOf(MODEL)) {
  const told = new Map(file ? listed(file).map(([, key, text]) => [key, text]) : []),
    wanted = keys(),
    groups = Object.keys(model.texts ?? {});
  const order = file ? groups : [...new Set([...FIRST, ...groups])];
  const filled = (/** @type {string[]} */ names, prefix = "") =>
    Object.fromEntries(names.map(name => [name, told.get(prefix + name) ?? ""]));
  const texts = order.map(group => [
    group,
    filled(Object.keys(model.texts?.[group] ?? {}).filter(key => wanted.has(key))),
  ]);
  const sentences = Object.entries(fileOf("en").sentences).map(([subject, group]) => [
    subject,
    filled(Object.keys(group), `${subject}.`),
  ]);
  const words = Object.fromEntries(Object.keys(model.words ?? {}).map(word => [word, file?.words?.[word] ?? ""]));
  const name = new Intl.DisplayNames(code, {type: "language"}).of(code) ?? code;
  return {
    language: file?.language ?? {name: name[0].toLocaleUpperCase(code) + name.slice(1), unreviewed: "not reviewed"},
    words,
    texts: Object.fromEntries(texts),
    sentences: Object.fromEntries(sentences),
  };
}

/** A file as it is written. @param {File} file */
export const written = file => `${JSON.stringify(file, null, 2)}\n`;

/** @param {string} code @param {Found} found */
function report(code, {all, told, missing, stale, wrong}) {
  const lines = [`kr/language/${code}.json: ${told} of ${all} texts (${Math.floor((100 * told) / all)}%)`];
  for (const [group, texts] of Object.entries(missing)) {
    const some = texts.slice(0, SHOWN).map(text => JSON.stringify(text));
    lines.push(`missing, ${group}: ${texts.length}: ${some.join(", ")}${texts.length > SHOWN ? ", ..." : ""}`);
  }
  if (stale.length)
    lines.push(`nothing asks for ${stale.length} (UPDATE=1 takes them out):`, ...stale.map(key => `  ${key}`));
  lines.push(...(wrong.length ? [`wrong: ${wrong.length}:`, ...wrong.map(each => `  ${each}`)] : ["wrong: 0"]));
  return lines.join("\n");
}

/** @param {string} code @param {boolean} update */
function main(code, update) {
  if (!/^[a-z]{2}$/.test(code) || code === "en" || !Intl.PluralRules.supportedLocalesOf(code).length) {
    return `CODE=${code} is not one of a language with two letters, such as pl`;
  }
  const path = pathOf(code),
    isNew = !existsSync(path);
  /** @type {File | null} */
  let file = null;
  try {
    if (!isNew) file = fileOf(code);
  } catch (error) {
    return `kr/language/${code}.json: ${/** @type {Error} */ (error).message}`;
  }
  if (isNew || update) writeFileSync(path, written((file = laidOut(code, file))));
  if (!file?.language?.name)
    return `kr/language/${code}.json: has no name of the language: {"language": {"name": ...}}`;
  const found = checked(code, file);
  console.log(report(code, found));
  if (isNew) console.log(`made; of a counted noun its forms are: ${countForms(code).join("|")}`);
  const isWhole = file.language.unreviewed || (found.told === found.all && !found.stale.length);
  return found.wrong.length || !isWhole ? "see above" : "";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const why = main(process.argv[2] ?? "", process.argv[3] === "update");
  if (why) {
    console.error(`kr: ${why}`);
    process.exitCode = 1;
  }
}
