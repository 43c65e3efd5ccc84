// Names as they are compared. tests/cases/names.json holds what they have in common with kr/text.py.

import {words} from "./blanks.js";

// characters whose accents decomposition does not remove, and signs that are typed in several ways
/** @type {Map<string, string>} */
const LETTERS = new Map([
  ..."ø=o ł=l đ=d ð=d þ=th æ=ae œ=oe ı=i ħ=h".split(" ").map(pair => /** @type {[string, string]} */ (pair.split("="))),
  ...[..."\u2018\u2019\u201b\u02bc\u00b4"].map(each => /** @type {[string, string]} */ ([each, "'"])),
  ...[..."\u201c\u201d\u201e\u201f"].map(each => /** @type {[string, string]} */ ([each, '"'])),
  ...[..."\u2010\u2011\u2012\u2013\u2014\u2212"].map(each => /** @type {[string, string]} */ ([each, "-"])),
]);

/** @param {string} text */
const translated = text => [...text].map(each => LETTERS.get(each) ?? each).join("");

// by their class: those of classes above 1 change places with one of class 1, and these with one of class 230
const isCombining = (/** @type {string} */ each) =>
  [`${each}\u0334`, `\u0301${each}`].some(pair => pair.normalize("NFD") !== pair);

/** Without case, as Python's casefold. @param {string} text */
const folded = text =>
  text
    .toUpperCase()
    .toLowerCase()
    .replace(/\u03c2/g, "\u03c3")
    .replace(/\xdf/g, "ss");

/** A name without case and accents; kinds of blanks, quotes and dashes are one each. @param {string} name */
export function plainName(name) {
  let plain = folded(name);
  if (/[^ -~]/.test(plain))
    plain = translated(translated(plain).normalize("NFKD")).replace(/\p{M}/gu, each => (isCombining(each) ? "" : each));
  return words(plain).join(" ");
}

/** A name of an opening as it is compared: letters and digits alone. @param {string} name */
export const nameKey = name =>
  plainName(name)
    .replace(/^the /, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
