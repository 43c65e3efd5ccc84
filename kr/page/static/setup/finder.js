// Ballots and openings to choose from, found by number, name or moves.

import {choice, labelled} from "../controls.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {FiltersOn, filterName} from "../filters.js";
import {t} from "../texts.js";

/** @typedef {{number: number, moves: string, name: string, names: string[], standing: string}} Ballot */

const NAMED = "named";

/**
 * An opening in a line: its own name, or in brackets the last one on its way.
 * @param {Ballot} ballot
 */
function titleOf({number, moves, name, names, standing}) {
  const standings = {lost: t("lost by kr's search"), barred: t("barred")};
  const own = name || names[names.length - 1] || "";
  const judged = Object.hasOwn(standings, standing) ? standings[/** @type {"lost"} */ (standing)] : "";
  return [`${number}. ${moves}${own ? ` (${own})` : ""}`, judged].filter(Boolean).join(", ");
}

/**
 * What a text finds in a deck: many a name is that of a line which is no ballot, while numbers are those of the deck.
 * @param {string} deck
 * @param {string} text
 * @param {(name: string) => Promise<any>} ask
 */
async function answerOf(deck, text, ask) {
  const isWord = deck !== NAMED && /\p{L}/u.test(text),
    [answer, named] = await Promise.all([ask(deck), isWord ? ask(NAMED) : null]);
  if (answer.found || deck === NAMED || !/\D/.test(text)) return {from: deck, answer, named};
  return {from: NAMED, answer: named ?? (await ask(NAMED)), named};
}

/**
 * @param {{from: string, answer: any, named: any}} found from: the deck that the answer is of
 * @param {string} deck the one that was asked for
 * @param {(deck: string, number: number, title: string, name: string) => void} choose
 */
function itemsOf({from, answer: {openings, found}, named}, deck, choose) {
  const item = (/** @type {string} */ name, /** @type {Ballot} */ each) => {
    const title = titleOf(each),
      words = name === from ? title : `${each.name}: ${each.moves}`,
      act = () => choose(name, each.number, title, each.name);
    return el("li", null, button(words, act));
  };
  const items = openings.map((/** @type {Ballot} */ each) => item(from, each));
  // the opening that the text names stands above the ballots that lead through it
  if (named && from !== NAMED) {
    const ballots = new Set(openings.map((/** @type {Ballot} */ each) => each.moves)),
      meant = named.openings.slice(0, named.meant).filter((/** @type {Ballot} */ each) => !ballots.has(each.moves));
    items.unshift(...meant.map((/** @type {Ballot} */ each) => item(NAMED, each)));
  }
  const say = (/** @type {string} */ text) => el("li", {class: "muted"}, text);
  if (found && from !== deck) items.unshift(say(t("Not among these, but among the openings with a name:")));
  if (found > openings.length)
    items.push(say(t("{count} more: say more to find them", {count: found - openings.length})));
  return items;
}

/**
 * @param {{api: (path: string, body: object) => Promise<any>, fail: (why: unknown) => void}} app
 * @param {(deck: string, number: number, title: string, name: string) => void} choose hears of the one that is chosen;
 *     name: by which the server knows it in the deck "named"
 * @returns {{element: HTMLElement, search: () => Promise<void>}}
 */
export function finder(app, choose) {
  const deck = choice(
    t("Ballots"),
    {"3move": t("Three-move ballots"), "11man": t("11-man ballots"), [NAMED]: t("Openings with a name")},
    {onchange: () => search()},
  );
  const wanted = el("input", {
    type: "search",
    placeholder: t("number, name or moves"),
    "aria-label": t("Find a ballot"),
    oninput: () => search(),
    onkeydown(/** @type {KeyboardEvent} */ event) {
      if (event.key === "Enter") event.preventDefault();
    },
  });
  const list = el("ul", {class: "found"});
  const errands = new Errands();
  const on = new FiltersOn(() => search(), wanted);

  /** @param {string} text @param {boolean} isNone */
  function showFilter(text, isNone) {
    const off = () => {
      wanted.value = "";
    };
    on.show(isNone ? [{name: filterName(t("Find a ballot"), text), off}] : [], t("No opening is called so."));
  }

  async function search() {
    const errand = errands.begin(),
      text = wanted.value.slice(0, 100),
      ask = (/** @type {string} */ name) => app.api("openings", {deck: name, wanted: text});
    try {
      const reply = await answerOf(deck.value, text, ask);
      if (errand.isStale) return;
      showFilter(text, !reply.answer.found);
      list.replaceChildren(...itemsOf(reply, deck.value, choose));
    } catch (error) {
      app.fail(error);
    }
  }
  return {element: el("div", {class: "form"}, labelled(deck), labelled(wanted), on.element, list), search};
}
