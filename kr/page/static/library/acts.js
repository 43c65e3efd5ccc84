// What is asked before games are moved or get tags.

import {form} from "../controls.js";
import {dialog} from "../dialog.js";
import {el} from "../dom.js";

/** @typedef {import("./cards.js").Card} Card */

/**
 * Asks for a text, with others to choose from.
 * @param {string} title
 * @param {{label: string, hint: string, value: string, offered: string[], done: string,
 *   take: (text: string) => void}} how
 */
export function askText(title, {label, hint, value, offered, done, take}) {
  const input = el("input", {type: "text", list: "library-offered", "aria-label": label, autocomplete: "off", value});
  const asked = dialog(title, [
    form(
      {},
      () => {
        asked.close();
        take(input.value);
      },
      el("p", {class: "muted"}, hint),
      el("datalist", {id: "library-offered"}, ...offered.map(each => el("option", {value: each}))),
      el("div", {class: "row"}, input, el("button", {type: "submit", class: "primary"}, done)),
    ),
  ]);
  input.focus();
  input.select();
}

/**
 * Tags that all of some games have.
 * @param {readonly Card[]} cards
 */
export const commonTags = cards => (cards[0]?.tags ?? []).filter(tag => cards.every(({tags}) => tags.includes(tag)));

/**
 * The tags of a game once those that all have were replaced by others.
 * @param {readonly string[]} tags
 * @param {readonly string[]} common
 * @param {readonly string[]} wanted
 */
export const retagged = (tags, common, wanted) => [...tags.filter(tag => !common.includes(tag)), ...wanted];
