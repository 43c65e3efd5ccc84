// Ballots and openings to choose from, found by number, name or moves.

import {choice} from "../controls.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {FiltersOn, filterName} from "../filters.js";
import {formatted, t} from "../texts.js";

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
  const found = el("ul", {class: "found"});
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
      let from = deck.value;
      const isWord = from !== NAMED && /\p{L}/u.test(text),
        [first, named] = await Promise.all([ask(from), isWord ? ask(NAMED) : null]);
      let answer = first;
      // many a name is that of a line which is no ballot; numbers are those of the deck
      if (!answer.found && from !== NAMED && /\D/.test(text)) {
        from = NAMED;
        if (!errand.isStale) answer = named ?? (await ask(from));
      }
      if (errand.isStale) return;
      const {openings, found: count} = answer;
      const item = (/** @type {string} */ name, /** @type {Ballot} */ each) => {
        const title = titleOf(each),
          words = name === from ? title : `${each.name}: ${each.moves}`;
        return el(
          "li",
          null,
          button(words, () => choose(name, each.number, title, each.name)),
        );
      };
      const items = openings.map((/** @type {Ballot} */ each) => item(from, each));
      // the opening that the text names stands above the ballots that lead through it
      if (named && from !== NAMED) {
        const ballots = new Set(openings.map((/** @type {Ballot} */ each) => each.moves)),
          meant = named.openings.slice(0, named.meant).filter((/** @type {Ballot} */ each) => !ballots.has(each.moves));
        items.unshift(...meant.map((/** @type {Ballot} */ each) => item(NAMED, each)));
      }
      if (count && from !== deck.value)
        items.unshift(el("li", {class: "muted"}, t("Not among these, but among the openings with a name:")));
      if (count > openings.length)
        items.push(
          el(
            "li",
            {class: "muted"},
            t("{count} more: say more to find them", {count: formatted(count - openings.length)}),
          ),
        );
      showFilter(text, !count);
      found.replaceChildren(...items);
    } catch (error) {
      app.fail(error);
    }
  }
  return {element: el("div", null, el("div", {class: "row"}, deck, wanted), on.element, found), search};
}
