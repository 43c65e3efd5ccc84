// The choice of a game: against kr at a level, two people at this board, or engines against each other.

import {choices} from "../choices.js";
import {check, choose, form, labelled} from "../controls.js";
import {button, el} from "../dom.js";
import {MATCHES} from "../offers.js";
import {t} from "../texts.js";
import {MatchForm} from "./matchform.js";
import {Openings} from "./openings.js";
import {Opponents} from "./opponents.js";
import {showRules} from "./rules.js";
import {CLOCKS} from "./state.js";

/** @typedef {import("./state.js").Settings} Settings */

/** @param {string} label */
const nameField = label => el("input", {type: "text", maxlength: 40, autocomplete: "off", "aria-label": label});

class ClockField {
  /** @param {string} kept "" for none, such as "5+3" */
  constructor(kept) {
    const isOffered = ["", ...CLOCKS].includes(kept);
    this._chosen = isOffered ? kept : "other";
    this._own = el("input", {
      type: "text",
      size: 8,
      value: isOffered ? "" : kept,
      hidden: isOffered,
      placeholder: "20+5",
      "aria-label": t("Minutes + seconds a move"),
      title: t("Minutes for the game + seconds for each move; also 40/2h:1h or G/45;d5"),
    });
    this.element = choices(
      t("Clock"),
      "clock",
      [["", t("none")], ...CLOCKS.map(each => /** @type {[string, string]} */ ([each, each])), ["other", t("other")]],
      this._chosen,
      clock => {
        this._chosen = clock;
        this._own.hidden = clock !== "other";
      },
      {title: t("Minutes for the game + seconds for each move")},
    );
    this.element.lastElementChild?.append(this._own);
  }

  get value() {
    return this._chosen === "other" ? this._own.value : this._chosen;
  }
}

export class Form {
  /**
   * @param {import("../shell.js").App} app
   * @param {{onplay: (settings: Settings, casual: boolean) => void, onmatch: (settings: object) => void,
   *     onback: () => void}} listener onback: what is on the board goes on
   */
  constructor(app, listener) {
    this.app = app;
    this._listener = listener;
    const kept = app.kept("play-form", {});
    this._mode = "kr";
    this._chosen = {side: kept.side || "black", casual: kept.casual !== false};
    this._opponents = new Opponents(app, kept);
    this._openings = new Openings(app, kept.opening);
    this._clock = new ClockField(kept.clock || "");
    this._match = MATCHES ? new MatchForm(app) : null;
    this._names = {black: nameField(t("Black's name")), white: nameField(t("White's name"))};
    this._people = el(
      "div",
      {class: "form"},
      labelled(this._names.black),
      labelled(this._names.white),
      check(t("Turn the board to whoever is to move"), app.kept("turn-board", false), on => app.keep("turn-board", on)),
    );
    this._side = this._sides();
    this._modes = this._makeModes();
    this._options = el(
      "details",
      {class: "options"},
      el("summary", null, t("Options")),
      el(
        "div",
        {class: "form"},
        this._openings.element,
        check(t("Hints and taking moves back"), this._chosen.casual, on => {
          this._chosen.casual = on;
        }),
      ),
    );
    this._own = el(
      "div",
      {class: "form"},
      this._opponents.element,
      this._people,
      this._side,
      this._clock.element,
      this._options,
    );
    this._wrong = el("p", {role: "alert", class: "wrong"});
    this._submit = el("button", {type: "submit", class: "primary big"}, t("Play"));
    this._back = button(t("Back to the game"), () => listener.onback(), {hidden: true});
    this.element = this._layout();
    this.mode("kr");
  }

  /** @param {string} message */
  fail(message) {
    this._wrong.textContent = message;
  }

  /** @param {string} mode kr, two or match */
  mode(mode) {
    this._mode = mode;
    choose(this._modes, "mode", mode);
    this._own.hidden = mode === "match";
    if (this._match) this._match.element.hidden = mode !== "match";
    this._opponents.element.hidden = this._side.hidden = mode !== "kr";
    this._people.hidden = mode !== "two";
    this._submit.textContent = mode === "match" ? t("Start the match") : t("Play");
    this._wrong.textContent = "";
    if (mode === "match") this._match?.show();
  }

  /** A game at a level at once, from the start and without a clock. @param {number} level */
  begin(level) {
    const {casual} = this._chosen;
    this._opponents.choose(String(level));
    this.app.keep("play-form", {...this.app.kept("play-form", {}), level: String(level)});
    this._listener.onplay({level, side: "black", ballot: "", clock: ""}, casual);
  }

  /**
   * A game from a position.
   * @param {string} fen
   */
  from(fen) {
    this._openings.from(fen);
    this._options.open = true;
    this._match?.from(fen);
  }

  /** @param {boolean} back whether something goes on behind it */
  show(back) {
    this._back.hidden = !back;
    this._opponents.show();
  }

  // --- parts

  _makeModes() {
    return choices(
      t("Who plays"),
      "mode",
      {kr: t("You and kr"), two: t("Two people"), ...(MATCHES ? {match: t("Engines")} : {})},
      "kr",
      mode => this.mode(mode),
      {class: "choices modes"},
    );
  }

  _sides() {
    return choices(
      t("You play"),
      "side",
      {black: t("Black, who begins"), white: t("White"), random: t("random")},
      this._chosen.side,
      side => {
        this._chosen.side = side;
      },
    );
  }

  _layout() {
    return form(
      {class: "new-game", "aria-label": t("New game")},
      () => this._begin(),
      el("div", {class: "form fields-of-game"}, this._modes, this._own, this._match?.element),
      this._wrong,
      el("div", {class: "row begin"}, this._submit, this._back, button(t("Rules"), showRules)),
    );
  }

  _begin() {
    this._wrong.textContent = "";
    if (this._match && this._mode === "match") {
      this._listener.onmatch(this._match.settings());
      return;
    }
    const ballot = this._openings.settings();
    if (ballot === null) {
      this.fail(t("Choose a ballot in the list first."));
      return;
    }
    const {side, casual} = this._chosen,
      {level, generation, against} = this._opponents,
      clock = this._clock.value;
    this.app.keep("play-form", {level, generation, against, side, opening: this._openings.opening, clock, casual});
    const players =
      this._mode === "two"
        ? {people: 2, names: [this._names.black.value, this._names.white.value]}
        : {...this._opponents.settings(), side};
    this._listener.onplay(/** @type {Settings} */ ({...players, ballot, clock}), casual);
  }
}
