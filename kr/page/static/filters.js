// The filters that are on, shown where their results are, wherever their form is: each with a cross that takes it off.

import {button, el} from "./dom.js";
import {t} from "./texts.js";

/**
 * A filter that is on.
 * @typedef {{name: string, off: () => void}} Filter off: takes it off; what follows hears of it by `onchange`
 */

/** What a control asks for: "Player: Tinsley". @param {string} label @param {string} value */
export const filterName = (label, value) => t("{filter}: {value}", {filter: label, value});

/** The text of the option that is chosen. @param {HTMLSelectElement} select */
export const optionText = select => select.selectedOptions[0]?.text ?? "";

/**
 * The lists of a form that narrow something, as filters: a list whose first option is chosen narrows nothing.
 * @param {HTMLSelectElement[]} lists
 * @returns {Filter[]}
 */
export const chosenIn = lists =>
  lists
    .filter(list => list.selectedIndex > 0)
    .map(list => ({
      name: filterName(list.getAttribute("aria-label") ?? "", optionText(list)),
      off: () => {
        list.selectedIndex = 0;
      },
    }));

export class FiltersOn {
  /**
   * @param {() => void} onchange hears that some were taken off
   * @param {HTMLElement} home where the focus goes once none is left
   */
  constructor(onchange, home) {
    this._onchange = onchange;
    this._home = home;
    this._drawn = "";
    this._lead = el("span", {role: "status"});
    this._chips = el("span", {class: "chips"});
    this.element = el(
      "div",
      {class: "filters-on", role: "group", "aria-label": t("Filters that are on"), hidden: true},
      this._lead,
      this._chips,
    );
  }

  /**
   * @param {Filter[]} filters
   * @param {string} [lead] what is said before them, such as that nothing meets them
   */
  show(filters, lead = "") {
    const names = JSON.stringify(filters.map(each => each.name));
    this.element.hidden = !filters.length;
    this._lead.textContent = filters.length ? lead : "";
    if (names === this._drawn) return;
    this._drawn = names;
    const hadFocus = this._chips.contains(document.activeElement);
    const chips = filters.map(each =>
      button(`${each.name} ×`, () => this._off([each]), {
        class: "chip",
        "aria-label": t("Take off the filter {filter}", {filter: each.name}),
      }),
    );
    if (filters.length > 1) chips.push(button(t("All off"), () => this._off(filters), {class: "all-off"}));
    this._chips.replaceChildren(...chips);
    if (hadFocus) (chips[0] ?? this._home).focus();
  }

  /** @param {Filter[]} filters */
  _off(filters) {
    for (const each of filters) each.off();
    this._onchange();
  }
}
