// Statistics of the listed games, by opening and by opponent, for one player or for all.

import {choice, offer} from "../controls.js";
import {el} from "../dom.js";
import {visible} from "../escapes.js";
import {playerName, results, scoreText} from "../player/words.js";
import {head} from "../tables.js";
import {t} from "../texts.js";
import {YOU, playersOf, statistics} from "./cards.js";
import {listedName} from "./words.js";

/** @typedef {import("./cards.js").Card} Card */
/** @typedef {import("./cards.js").Row} Row */

const MOST_ROWS = 30;

export class Figures {
  /** @param {(by: "opening" | "player", name: string) => void} narrow */
  constructor(narrow) {
    this._narrow = narrow;
    /** @type {readonly Card[]} */
    this._cards = [];
    this._player = choice(t("Player"), [], {onchange: () => this._draw()});
    this._tables = el("div", {class: "tables"});
    this._link = el("a", {href: "#player"}, t("All about this player"));
    this.element = el(
      "details",
      {class: "figures", ontoggle: () => this._draw()},
      el("summary", null, t("Statistics")),
      el("div", {class: "row"}, el("label", null, t("Player"), " ", this._player), this._link),
      this._tables,
    );
  }

  /** @param {readonly Card[]} cards */
  show(cards) {
    this._cards = cards;
    this._draw();
  }

  _draw() {
    if (!this.element.open) return;
    const players = playersOf(this._cards),
      before = this._player.value;
    offer(
      this._player,
      [
        ["", t("Black, whoever it is")],
        ...players.map(({name, games}) => /** @type {[string, string]} */ ([name, `${nameOf(name)} (${games})`])),
      ],
      before || (players[0]?.name === YOU ? YOU : ""),
    );
    const player = this._player.value;
    this._link.hidden = !player;
    this._link.hash = `player/${encodeURIComponent(player)}`;
    this._tables.replaceChildren(
      this._table(t("By opening"), t("Opening"), statistics(this._cards, "opening", player), "opening"),
      ...(player
        ? [this._table(t("By opponent"), t("Opponent"), statistics(this._cards, "opponent", player), "player")]
        : []),
    );
  }

  /** @param {string} title @param {string} first @param {Row[]} rows @param {"opening" | "player"} by */
  _table(title, first, rows, by) {
    const cells = (/** @type {Row} */ {games, wins: win, draws: draw, losses: loss, score, black, white}) => [
      ...[String(games), results({win, draw, loss}), scoreText(score === null ? null : 100 * score)],
      `${black} / ${white}`,
    ];
    const named = (/** @type {Row} */ {name}) =>
      name
        ? el(
            "button",
            {type: "button", class: "plain", onclick: () => this._narrow(by, name)},
            by === "player" ? listedName(name) : visible(name),
          )
        : t("unknown");
    return el(
      "section",
      {class: "scroll", tabindex: 0, "aria-label": title},
      el("h2", null, title),
      el(
        "table",
        null,
        head([first, t("Games"), t("Won – drawn – lost"), t("Score"), t("Black / White")]),
        el(
          "tbody",
          null,
          ...rows
            .slice(0, MOST_ROWS)
            .map(row =>
              el("tr", null, el("th", {scope: "row"}, named(row)), ...cells(row).map(cell => el("td", null, cell))),
            ),
        ),
      ),
    );
  }
}

/** @param {string} name */
const nameOf = name => (name === YOU ? playerName(name) : listedName(name));
