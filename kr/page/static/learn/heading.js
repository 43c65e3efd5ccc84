// What stands above a puzzle: its title, where it comes from, and the door to the rules.

import {el} from "../dom.js";
import {t} from "../texts.js";
import {aboutWords, dayWords, titleOf} from "./state.js";

/** @import {Puzzle} from "./state.js" */

export class Heading {
  constructor() {
    this._title = el("h2", {class: "title"});
    this._about = el("p", {class: "about muted"});
    this.door = el("a", {href: "#lessons", class: "door", hidden: true}, t("Never played? Learn the rules"));
    this.elements = [this._title, this._about, this.door];
  }

  /**
   * @param {Puzzle} puzzle
   * @param {{day: Date | null, isOver: boolean, gain: number}} now day: whose puzzle it is; isOver: its origin and its
   *     themes may be told, which tell at times what its answer is; gain: of the rating
   */
  show(puzzle, {day, isOver, gain}) {
    const title = titleOf(puzzle);
    this._title.textContent = !day
      ? title
      : puzzle.title
        ? t("Puzzle of the day: {title}", {title})
        : t("Puzzle of the day, {day}", {day: dayWords(day)});
    this._about.textContent = aboutWords(puzzle, isOver, gain);
  }
}
