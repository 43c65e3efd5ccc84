// The choice of a match between engines.

import {choices} from "../choices.js";
import {choice, choose, fenField, labelled, offer} from "../controls.js";
import {el} from "../dom.js";
import {t} from "../texts.js";
import {contenderName} from "./matchwords.js";

const USUAL = {a: "level:7", b: "level:5"};
const GAMES = ["2", "10", "20", "50", "100", "200"];

export class MatchForm {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    this.app = app;
    const kept = app.kept("match-form", {});
    this._chosen = {games: "2", tc: "0.3s", ballot: "3move", ...USUAL, ...kept};
    if (this._chosen.ballot === "fen") this._chosen.ballot = "3move";
    this._asked = false;
    const player = (/** @type {"a" | "b"} */ which, /** @type {string} */ label) =>
      choice(label, [], {
        onchange: value => {
          this._chosen[which] = value;
        },
      });
    this._players = {a: player("a", t("First player")), b: player("b", t("Second player"))};
    const pick = (/** @type {"games" | "tc" | "ballot"} */ name) => (/** @type {string} */ value) => {
      this._chosen[name] = value;
      this._show();
    };
    this._games = choices(
      t("Games"),
      "games",
      GAMES.map(each => [each, each]),
      this._chosen.games,
      pick("games"),
    );
    this._fen = fenField(t("FEN for the match"));
    this._position = labelled(this._fen);
    this._ballot = choice(
      t("Openings"),
      {
        "3move": t("random three-move ballots"),
        "11man": t("random 11-man ballots"),
        "": t("the start (two games)"),
        fen: t("a position (two games)"),
      },
      {value: this._chosen.ballot, onchange: pick("ballot")},
    );
    this._time = choices(
      t("Time"),
      "tc",
      {
        "0.1s": t("0.1 s a move"),
        "0.3s": t("0.3 s a move"),
        "1s": t("1 s a move"),
        "5s": t("5 s a move"),
        "1+1": "1+1",
        "3+2": "3+2",
      },
      this._chosen.tc,
      pick("tc"),
    );
    this._last = el("a", {hidden: true}, t("To the last match"));
    this.element = this._layout();
    this._show();
    app.onback(() => {
      this._asked = false;
      if (this.element.checkVisibility()) void this.show();
    });
  }

  _layout() {
    return el(
      "div",
      {class: "form match-form", hidden: true},
      labelled(this._players.a),
      labelled(this._players.b),
      this._time,
      this._games,
      labelled(this._ballot),
      this._position,
      el(
        "p",
        {class: "muted"},
        t(
          "Two games from each opening. Levels below the strongest think only as long as their strength allows. The " +
            "match goes on while you look at something else, and gives way to all that you do.",
        ),
      ),
      this._last,
    );
  }

  /** @param {string} fen */
  from(fen) {
    this._fen.value = fen;
    this._chosen.ballot = this._ballot.value = "fen";
    this._show();
  }

  /** The players are asked for once. */
  async show() {
    const last = this.app.kept("match");
    this._last.hidden = !last;
    this._last.href = `#play/match/${last}`;
    if (this._asked) return;
    this._asked = true;
    try {
      const {players} = await this.app.api("match/players");
      /** @type {Array<[string, string]>} */
      const options = players.map((/** @type {import("./matchwords.js").Contender} */ each) => [
        each.key,
        contenderName(each, true),
      ]);
      for (const which of /** @type {const} */ (["a", "b"])) {
        const isOffered = options.some(([key]) => key === this._chosen[which]);
        if (!isOffered) this._chosen[which] = USUAL[which];
        offer(this._players[which], options, this._chosen[which]);
      }
    } catch (error) {
      this._asked = false;
      this.app.fail(error);
    }
  }

  /** What the server takes. */
  settings() {
    const {a, b, tc, ballot} = this._chosen;
    this.app.keep("match-form", this._chosen);
    return {a, b, tc, games: Number(this._many()), ballot: ballot === "fen" ? this._fen.value : ballot};
  }

  _many() {
    return ["3move", "11man"].includes(this._chosen.ballot) ? this._chosen.games : "2";
  }

  _show() {
    const {ballot} = this._chosen;
    this._position.hidden = ballot !== "fen";
    if (ballot === "fen" && !this._fen.value) this._fen.value = this.app.tree?.node.fen ?? "";
    this._games.disabled = !["3move", "11man"].includes(ballot);
    choose(this._games, "games", this._many());
  }
}
