// Openings that a text means.

import {stripped} from "./blanks.js";
import {nameKey, plainName} from "./names.js";
import {NAMED, positionsOf} from "./openings.js";

/** @typedef {import("./openings.js").Opening} Opening */
/** @typedef {import("./openings.js").Openings} Openings */
/** @typedef {{number: number, moves: string, name: string, names: string[], standing: string}} Described */
/**
 * An opening, the spellings of its own name, and all names by which it is found.
 * @typedef {{fields: Described, own: string[], keys: Set<string>}} Searched
 */

/** @type {WeakMap<Openings, Map<string, Searched[]>>} */
const DESCRIBED = new WeakMap();

/** A text as moves are compared: without numbers of moves. @param {string} text */
export const wordsOf = text => plainName(text.replace(/,/g, " ")).replace(/(?<![^ ])[0-9]{1,3}\.+ ?(?=[0-9])/g, "");

/**
 * Openings of a deck by number, name or moves, the ones that the text means before those that it may mean.
 * @param {Openings} openings
 * @param {string} deck
 * @param {string} text
 * @returns {{openings: Described[], meant: number}} meant: how many of the first ones are what the text means
 */
export function searched(openings, deck, text) {
  const words = wordsOf(text),
    key = nameKey(text),
    /** @type {[Described[], Described[]]} */
    ranked = [[], []];
  for (const {fields, own, keys} of describedDeck(openings, deck)) {
    const rank = rankOf(fields, own, keys, words, key);
    if (rank !== null) ranked[rank].push(fields);
  }
  return {openings: ranked.flat(), meant: stripped(text) ? ranked[0].length : 0};
}

/** @param {Openings} openings @param {string} name */
function describedDeck(openings, name) {
  const decks = DESCRIBED.get(openings) ?? new Map();
  DESCRIBED.set(openings, decks);
  let all = decks.get(name);
  if (!all) {
    all = openings.deck(name, false).map(each => described(openings, each, name === NAMED));
    decks.set(name, all);
  }
  return /** @type {Searched[]} */ (all);
}

/** @param {Openings} openings @param {Opening} opening @param {boolean} isNamed @returns {Searched} */
function described(openings, {number, moves, position, standing}, isNamed) {
  const positions = /^[0-9]/.test(moves) ? positionsOf(moves) : [];
  // a ballot is found by the names on its way too; among openings with a name, those would be in the way
  const lines = (isNamed ? [position] : positions).map(each => openings.lineAt(each));
  return {
    fields: {
      number,
      moves,
      name: openings.nameAt(position),
      names: openings.namesOf(positions).map(each => each.name),
      standing,
    },
    own: openings.lineAt(position)?.keys ?? [],
    keys: new Set(lines.flatMap(line => line?.keys ?? [])),
  };
}

/**
 * 0 for the opening that a text means, 1 for one that it may mean, null for others.
 * @param {Described} opening
 * @param {string[]} own
 * @param {Set<string>} keys
 * @param {string} words
 * @param {string} key
 */
function rankOf(opening, own, keys, words, key) {
  if (/^\p{Nd}+$/u.test(words)) return String(opening.number) === words ? 0 : null;
  if (words === opening.moves || own.includes(key)) return 0;
  return opening.moves.includes(words) || (key && [...keys].some(each => each.includes(key))) ? 1 : null;
}
