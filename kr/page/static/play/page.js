// The page Play: the board with its players at the left; beside it the choice of a game, the game, or a match of
// engines.

import {el} from "../dom.js";
import {iconButton} from "../icons.js";
import {pressing, stepKeys} from "../keys.js";
import {menu} from "../menu.js";
import {MATCHES} from "../offers.js";
import {SIDES, START} from "../squares.js";
import {Stage, stepButtons} from "../stage.js";
import {t} from "../texts.js";
import {Form} from "./form.js";
import {GameTable} from "./game.js";
import {MatchTable} from "./match.js";
import {showRules} from "./rules.js";

/** @typedef {"form" | "game" | "match"} View */

/** @param {import("../shell.js").App} app */
export function page(app) {
  return new PlayPage(app).page;
}

class PlayPage {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    this.app = app;
    this._isActive = false;
    /** @type {View} */
    this._view = "form";
    const steps = {
      start: () => this._line?.look(0),
      back: () => this._line?.step(-1),
      next: () => this._line?.step(1),
      end: () => this._line?.look(Infinity),
    };
    this._press = pressing({...stepKeys(steps), f: () => this.stage.flip()});
    this.stage = new Stage(app, {
      label: t("Board of your game"),
      controls: [stepButtons(steps), this._controls()],
    });
    const refused = (/** @type {string} */ why) => {
      this._show("form");
      this.form.fail(why);
    };
    this.game = new GameTable(app, this.stage, {
      onopen: () => {
        this._show("game");
        // a reload finds it, also once it is over
        const address = `#play/${this.game.played.game?.id}`;
        if (this._isActive && location.hash === "#play") history.replaceState(null, "", address);
      },
      onnew: () => this._choose("kr"),
      onrefuse: refused,
    });
    this.match = new MatchTable(app, this.stage, {
      onopen: () => this._show("match"),
      onnew: () => this._choose("match"),
      onrefuse: refused,
    });
    this.form = new Form(app, {
      onplay: (settings, casual) => {
        this.match.leave();
        this.game.enter();
        this.game.begin(settings, casual);
      },
      onmatch: settings => {
        this.game.leave();
        this.match.enter();
        this.match.begin(settings);
      },
      onback: () => this._show(this.match.isLive ? "match" : "game"),
    });
    this._side = el("div", {class: "side"});
    this.element = el("div", {class: "screen play plain"}, this.stage.element, this._side);
    this._show("form");
    /** @type {import("../shell.js").Page} */
    this.page = {
      name: "play",
      title: t("Play"),
      element: this.element,
      enter: rest => this._enter(rest),
      leave: () => this._leave(),
    };
  }

  _controls() {
    return el(
      "div",
      {class: "row"},
      iconButton("flip", t("Turn the board"), () => this.stage.flip(), {key: "f"}),
      menu(
        iconButton("more", t("More"), () => {}),
        t("More"),
        () => {
          const forced = this.app.kept("forced", true);
          /** @type {[string, () => void]} */
          const engines = [t("Engines against each other"), () => this._choose("match")];
          return [
            [t("New game"), () => this._choose("kr")],
            ...(MATCHES ? [engines] : []),
            [t("Rules"), showRules],
            null,
            [
              forced ? t("Don't show what must capture") : t("Show what must capture"),
              () => {
                this.app.keep("forced", !forced);
                this.game.refresh();
              },
            ],
          ];
        },
      ),
    );
  }

  /** The line of moves on the board. */
  get _line() {
    return this._view === "game" ? this.game.line : this._view === "match" ? this.match.line : null;
  }

  /** @param {View} view */
  _show(view) {
    this._view = view;
    const {element} = this[view];
    if (element.parentNode !== this._side) this._side.replaceChildren(element);
    this.element.classList.toggle("choosing", view === "form");
    if (view === "form") {
      this.form.show(this.game.isLive("") || this.match.isLive);
      this._empty();
    } else this._line?.reveal();
  }

  // the board waits for a game
  _empty() {
    const {stage} = this;
    if (this.game.isLive("") || this.match.isLive) return;
    stage.board.arrows([]);
    stage.board.show(START);
    stage.material(START, START);
    for (const side of SIDES) {
      stage.name(side, "");
      stage.clock(side, "");
    }
  }

  /** @param {string} mode */
  _choose(mode) {
    this.form.mode(mode);
    this._show("form");
    /** @type {HTMLElement | null} */ (this.form.element.querySelector("input:checked"))?.focus();
  }

  // --- coming and going

  /** @param {string} rest of the address */
  _enter(rest) {
    if (!this._isActive) document.addEventListener("keydown", this._press);
    this._isActive = true;
    const [first, second] = rest.split("/");
    if (first === "from") {
      this._choose("kr");
      this.form.from(this.app.kept("play-from", START));
    } else if (first === "new") this._choose("kr");
    else if (first === "begin") this._beginAt(Number(this.app.kept("play-level", "")));
    else if (first === "match" && MATCHES) this._enterMatch(second);
    else this._enterGame(first);
  }

  // a step back or a reload begins no other game
  /** @param {number} level */
  _beginAt(level) {
    history.replaceState(null, "", "#play");
    this.app.keep("play-level", undefined);
    if (level) this.form.begin(level);
    else this._enterGame("");
  }

  /** @param {string | undefined} id */
  _enterMatch(id) {
    this.game.leave();
    this.match.enter();
    if (id) this.match.open(id);
    else this._choose("match");
  }

  /** @param {string} rest */
  _enterGame(rest) {
    const id = rest || this.game.games.ids[0] || this.game.played.game?.id;
    if (!rest && this._view === "match" && this.match.match) {
      this._enterMatch(this.match.match.id);
      return;
    }
    this.match.leave();
    this.game.enter();
    if (this.game.isLive(rest)) this._show("game");
    else if (id) this.game.find(id);
    else this._show("form");
  }

  _leave() {
    this._isActive = false;
    document.removeEventListener("keydown", this._press);
    this.game.leave();
    this.match.leave();
  }
}
