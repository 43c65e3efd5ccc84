// The choice of an opponent: levels by name on cards, all others in a list behind them.

import {choices} from "../choices.js";
import {check, choice, choose, labelled, offer} from "../controls.js";
import {el} from "../dom.js";
import {MISTAKES} from "../offers.js";
import {t} from "../texts.js";
import {NAMED_LEVELS, levelName, levelWords, strengthWords} from "./words.js";

/** @typedef {{number: number, elo: number, elo_error: number, fifth: number, database: boolean}} Level */

const USUAL = "3";
const PROGRAM = "engine:";

/** @returns {Array<[string, Node]>} */
const cards = () =>
  NAMED_LEVELS.map(level => [
    String(level),
    el(
      "span",
      {class: "card", "data-level": level},
      el("b", null, levelName(level)),
      el("small", null, levelWords(level)),
      el("small", {class: "elo"}, "\u00a0"),
    ),
  ]);

/** What is said of whoever is no level. */
const otherWords = () => ({
  evolved: t(
    "A network that evolved from random numbers, by nothing but who won; the later its generation, the " +
      "longer it has. It looks two moves ahead for each side.",
  ),
  people: t("Plays what people of recorded games are likely to play, without a search. Between levels 5 and 6."),
  program: t("The engine of another program. Without a clock it has a second a move."),
});

/** All that may be said of an opponent, as long as it may be: the form keeps room for the longest. */
const allWords = () => [
  ...[1, 2, 3, 4, 5].map(fifth => strengthWords({number: 10, elo: 1000, elo_error: 100, fifth})),
  ...Object.values(otherWords()),
];

/** @typedef {{generations: number[], engines: string[]}} Known evolved players, and the engines of other programs */

/** @param {Known} known @returns {Array<[string, string]>} */
const others = ({generations, engines}) => [
  ["", t("none of these")],
  ...[2, 4, 6, 8].map(level => /** @type {[string, string]} */ ([String(level), t("kr, level {level}", {level})])),
  ["0", t("people, without search")],
  ...(generations.length ? [/** @type {[string, string]} */ (["evolved", t("an evolved player")])] : []),
  ...engines.map((name, i) => /** @type {[string, string]} */ ([`${PROGRAM}${i + 1}`, name])),
];

export class Opponents {
  /**
   * @param {import("../shell.js").App} app
   * @param {{level?: string, generation?: string, against?: boolean}} kept what was chosen before
   */
  constructor(app, kept) {
    this.app = app;
    /** a level, 0 for people, evolved, or the number of an engine */
    this.level = String(kept.level ?? USUAL);
    this._kept = kept.generation;
    this.against = kept.against === true;
    /** @type {Level[]} */
    this._levels = [];
    this._asked = false;
    this._cards = choices(t("Your opponent"), "opponent", cards(), this.level, level => this.choose(level), {
      class: "choices cards",
    });
    this._others = choice(t("More opponents"), others({generations: [], engines: []}), {
      value: this.level,
      onchange: level => this.choose(level || USUAL),
    });
    this._generation = choice(t("Generation"), []);
    this._generations = labelled(this._generation);
    this._mistakes = check(t("Plays for your mistakes in drawn endings"), this.against, on => {
      this.against = on;
    });
    this._strength = el("p", {class: "muted", id: "level-words", role: "status"});
    this.element = el(
      "div",
      {class: "form"},
      this._cards,
      el(
        "div",
        {class: "reserved"},
        this._strength,
        allWords().map(words => el("p", {"aria-hidden": "true", "data-words": words})),
      ),
      labelled(this._others),
      this._generations,
      this._mistakes,
    );
    this._describe();
    app.onback(() => {
      this._asked = false;
      if (this.element.checkVisibility()) void this.show();
    });
  }

  get generation() {
    return this._generation.value;
  }

  /** As a game takes it. */
  settings() {
    if (this.level === "evolved") return {generation: Number(this.generation)};
    if (this._isProgram) return {engine: Number(this.level.slice(PROGRAM.length))};
    return {level: Number(this.level), ...(!this._mistakes.hidden && this.against && {against: true})};
  }

  get _isProgram() {
    return this.level.startsWith(PROGRAM);
  }

  /** Who else there is, and what is known of the levels, is asked for once. */
  async show() {
    if (this._asked) return;
    this._asked = true;
    try {
      const known = await this.app.api("play/levels");
      this._levels = known.levels;
      for (const card of /** @type {NodeListOf<HTMLElement>} */ (this._cards.querySelectorAll(".card"))) {
        const level = this._levels.find(each => String(each.number) === card.dataset.level);
        const elo = card.querySelector(".elo");
        if (elo && level?.elo) elo.textContent = t("+{elo} Elo", {elo: level.elo});
      }
      offer(
        this._generation,
        known.generations.map((/** @type {number} */ each) => [String(each), t("generation {number}", {number: each})]),
      );
      this._generation.value = this._kept || String(known.generations.at(-1) ?? "");
      offer(this._others, others(known));
      // whom it was last time may not be here
      const isHere =
        NAMED_LEVELS.map(String).includes(this.level) ||
        [...this._others.options].some(each => each.value === this.level);
      this.choose(isHere ? this.level : USUAL);
    } catch (error) {
      this._asked = false;
      this.app.fail(error);
    }
  }

  /** @param {string} level */
  choose(level) {
    this.level = level;
    choose(this._cards, "opponent", level);
    this._others.value = level;
    if (this._others.value !== level) this._others.value = "";
    this._describe();
  }

  _describe() {
    this._generations.hidden = this.level !== "evolved";
    const level = this._levels.find(each => String(each.number) === this.level),
      {evolved, people, program} = otherWords();
    this._mistakes.hidden = !MISTAKES || !level?.database;
    if (this.level === "evolved") this._strength.textContent = evolved;
    else if (this.level === "0") this._strength.textContent = people;
    else if (this._isProgram) this._strength.textContent = program;
    else this._strength.textContent = level ? strengthWords(level) : "";
  }
}
