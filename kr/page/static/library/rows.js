// The list of games: rows that open, are chosen, and gone through by keys.

import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {dated} from "../files/state.js";
import {many, t} from "../texts.js";
import {gameTitle, listedName, playersOf} from "./words.js";

/** @typedef {import("./cards.js").Card} Card */

const AT_ONCE = 100;

export class Rows {
  /** Games that are chosen, by their ids. @type {Set<string>} */
  chosen = new Set();
  /** @type {readonly Card[]} */
  _cards = [];
  _shown = AT_ONCE;
  _focus = ""; // the game that Tab leads to

  /**
   * @param {{open: (card: Card) => void, remove: (ids: string[]) => void, onchoose: () => void}} acts
   */
  constructor({open, remove, onchoose}) {
    this._open = open;
    this._remove = remove;
    this._onchoose = onchoose;
    this._list = el("ol", {"aria-label": t("Games")});
    this._list.addEventListener("keydown", event => this._press(event));
    this._more = button("", () => {
      this._shown += AT_ONCE;
      this._draw();
    });
    this.element = el("div", {class: "kept-games"}, this._list, this._more);
  }

  /** The games that are listed. */
  get cards() {
    return this._cards;
  }

  /** Lists games. @param {readonly Card[]} cards @param {boolean} isOther they are asked for anew */
  show(cards, isOther) {
    this._cards = cards;
    if (isOther) this._shown = AT_ONCE;
    const there = new Set(cards.map(({id}) => id));
    for (const id of this.chosen) if (!there.has(id)) this.chosen.delete(id);
    this._draw();
  }

  /** Chooses all games that are listed, or none. @param {boolean} all */
  chooseAll(all) {
    this.chosen = new Set(all ? this._cards.map(({id}) => id) : []);
    this._draw();
    this._onchoose();
  }

  _draw() {
    const cards = this._cards.slice(0, this._shown),
      focused = this._list.contains(document.activeElement) && document.activeElement?.localName;
    if (!cards.some(({id}) => id === this._focus)) this._focus = cards[0]?.id ?? "";
    this._list.replaceChildren(...cards.map(card => this._row(card)));
    this._more.hidden = cards.length === this._cards.length;
    this._more.textContent = t("{games} more", {games: many(this._cards.length - cards.length, "game")});
    if (focused) this._control(this._focus, focused)?.focus({preventScroll: true});
  }

  /** @param {Card} card */
  _row(card) {
    const {id, result} = card,
      [black, white] = playersOf(card),
      isFirst = id === this._focus ? 0 : -1;
    return el(
      "li",
      {"data-id": id},
      el("input", {
        type: "checkbox",
        checked: this.chosen.has(id),
        tabindex: isFirst,
        "aria-label": t("Choose {game}", {game: gameTitle(card)}),
        onchange: () => this._choose(id),
        onfocus: () => this._mark(id),
      }),
      button(
        [
          el(
            "span",
            {class: "who"},
            ...(black || white
              ? [el("bdi", null, listedName(black)), " – ", el("bdi", null, listedName(white))]
              : [el("bdi", null, gameTitle(card))]),
            card.isGoing ? ` · ${t("unfinished")}` : result === "*" ? "" : ` ${result}`,
          ),
          el("span", {class: "muted"}, el("bdi", null, factsOf(card))),
        ],
        () => this._open(card),
        {tabindex: isFirst, onfocus: () => this._mark(id)},
      ),
    );
  }

  /** @param {string} id */
  _choose(id) {
    if (this.chosen.has(id)) this.chosen.delete(id);
    else this.chosen.add(id);
    this._onchoose();
  }

  /** @param {string} id */
  _mark(id) {
    if (id === this._focus) return;
    for (const each of [this._focus, id])
      for (const control of /** @type {NodeListOf<HTMLElement>} */ (
        this._list.querySelectorAll(`li[data-id="${CSS.escape(each)}"] > *`)
      ))
        control.tabIndex = each === id ? 0 : -1;
    this._focus = id;
  }

  /** @param {string} id @param {string} name of its element @returns {HTMLElement | null} */
  _control(id, name) {
    return this._list.querySelector(`li[data-id="${CSS.escape(id)}"] > ${name}`);
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const at = this._cards.findIndex(({id}) => id === this._focus),
      name = /** @type {Element} */ (event.target).localName,
      last = Math.min(this._cards.length, this._shown) - 1,
      to = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: last}[event.key];
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Delete") this._remove(this.chosen.size ? [...this.chosen] : [this._focus]);
    else if (event.key === "x") {
      this._choose(this._focus);
      this._draw();
    } else if (to !== undefined) this._control(this._cards[Math.max(0, Math.min(last, to))].id, name)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** What a row tells of a game below its players. @param {Card} card */
function factsOf({black, white, person, event, date, opening, moves, folder, tags, review}) {
  const isOfOthers = (black || white) && !person;
  return [
    opening && visible(opening),
    isOfOthers && event && visible(event),
    dated(date),
    many(moves, "move"),
    review && t("reviewed"),
    folder && `▸ ${visible(folder)}`,
    ...tags.map(tag => `#${visible(tag)}`),
  ]
    .filter(Boolean)
    .join(" · ");
}
