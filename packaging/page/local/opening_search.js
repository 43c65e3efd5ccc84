// Openings that a text means: the search of kr/web/positions.py.

import {nameKey, plainName} from "./names.js";
import {NAMED, positionsOf} from "./openings.js";

/** @typedef {import("./openings.js").Opening} Opening */
/** @typedef {import("./openings.js").Openings} Openings */
/** @typedef {{number: number, moves: string, name: string, names: string[], standing: string}} Described */
/** @typedef {{fields: Described, keys: Set<string>}} Searched an opening, and the names by which it is found */

/** @type {WeakMap<Openings, Map<string, Searched[]>>} */
const DESCRIBED = new WeakMap();

/**
 * Openings of a deck by number, name or moves, the ones that the text means before those that it may mean.
 * @param {Openings} openings
 * @param {string} deck
 * @param {string} text
 * @returns {Described[]}
 */
export function searched(openings, deck, text) {
  const words = plainName(text.replace(/,/g, " ")),
    key = nameKey(text),
    /** @type {[Described[], Described[]]} */
    ranked = [[], []];
  for (const {fields, keys} of describedDeck(openings, deck)) {
    const rank = rankOf(fields, keys, words, key);
    if (rank !== null) ranked[rank].push(fields);
  }
  return ranked.flat();
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
    keys: new Set(lines.flatMap(line => line?.keys ?? [])),
  };
}

/**
 * 0 for the opening that a text means, 1 for one that it may mean, null for others.
 * @param {Described} opening
 * @param {Set<string>} keys
 * @param {string} words
 * @param {string} key
 */
function rankOf(opening, keys, words, key) {
  if (/^\p{Nd}+$/u.test(words)) return String(opening.number) === words ? 0 : null;
  if (key && key === nameKey(opening.name)) return 0;
  return opening.moves.includes(words) || (key && [...keys].some(each => each.includes(key))) ? 1 : null;
}
