// A match of engines, watched move by move: the game under way on the board, the score and the games beside it.

import {choice} from "../controls.js";
import {button, el} from "../dom.js";
import {download} from "../send.js";
import {toEnd} from "../setup/fen.js";
import {sound} from "../sounds.js";
import {SIDES} from "../squares.js";
import {head} from "../tables.js";
import {formatted, said, t} from "../texts.js";
import {LineView} from "./line.js";
import {eloWords, matchWords, openingWords, playerName, resultText, scoreText} from "./matchwords.js";
import {clocksAt} from "./state.js";

import {follow} from "./stream.js";

/** @typedef {import("./matchwords.js").Match} Match */
/** @typedef {import("./matchwords.js").Score} Score */
/** @typedef {import("./matchwords.js").Row} Row */
/** @typedef {{number: number, black: "a" | "b", opening: string, start: string, nodes: any[]}} Game */

/** @returns {Array<[string, string]>} */
const paces = () => [
  ["0", t("as fast as they play")],
  ...["0.4", "1", "3"].map(
    seconds =>
      /** @type {[string, string]} */ ([
        seconds,
        t("{seconds} s a move at least", {seconds: formatted(Number(seconds))}),
      ]),
  ),
];

export class MatchTable {
  /**
   * @param {import("../shell.js").App} app
   * @param {import("../stage.js").Stage} stage
   * @param {{onopen: () => void, onnew: () => void, onrefuse: (why: string) => void}} listener
   */
  constructor(app, stage, listener) {
    this.app = app;
    this.stage = stage;
    this._listener = listener;
    /** @type {Match | null} */
    this.match = null;
    /** @type {Score | null} */
    this._score = null;
    /** @type {Row[]} */
    this._rows = [];
    /** @type {Game | null} */
    this._game = null;
    /** @type {{clocks: Array<number | null> | null, ticking: import("./state.js").Side | null}} */
    this._clocks = {clocks: null, ticking: null};
    this._heardAt = 0;
    this._isActive = false;
    this._lost = false;
    /** @type {ReturnType<typeof follow> | null} */
    this._stream = null;
    this.line = new LineView(stage, () => this._showBoard());
    /** @type {[string, string]} */
    this._names = ["", ""];
    this._ticking = 0;
    this._title = el("p", {class: "turn score"});
    this._elo = el("p", {role: "status"});
    this._status = el("p", {class: "muted", role: "status"});
    this._opening = el("p", {class: "muted opening"});
    this._games = el("tbody");
    this._pace = choice(t("Pace"), paces(), {value: app.kept("pace", "0.4"), onchange: () => this._setPace()});
    this._stop = button(t("Stop"), () => this._stream?.say({do: "stop"}));
    this._resume = button(t("Resume"), () => this._again(), {class: "primary"});
    this._save = button(t("Save as PDN"), () => this._saveGames());
    this._another = button(t("New match"), () => this._listener.onnew());
    this.element = this._layout();
    app.onback(() => {
      if (this._isActive && this._lost && this.match) this.open(this.match.id, this.match.state === "running");
    });
  }

  _layout() {
    return el(
      "div",
      {class: "match"},
      el(
        "div",
        {class: "saying", tabindex: 0, role: "region", "aria-label": t("The match")},
        this._title,
        this._status,
        this._elo,
      ),
      this._opening,
      this.line.element,
      el(
        "div",
        {class: "scroll games-of-match", tabindex: 0, role: "region", "aria-label": t("Games of the match")},
        el("table", null, head([t("Game"), t("Black"), t("White"), t("Result"), t("Why")]), this._games),
      ),
      el(
        "div",
        {class: "row acts", role: "group", "aria-label": t("Match")},
        this._stop,
        this._resume,
        this._pace,
        this._save,
        this._another,
      ),
    );
  }

  /** @param {object} settings */
  begin(settings) {
    this._connect(settings);
  }

  /**
   * A match by its id.
   * @param {string} id
   * @param {boolean} [resume] whether it plays on
   */
  open(id, resume = false) {
    if (this._stream?.isOpen && this.match?.id === id) return;
    this._connect({match: id, resume});
  }

  get isLive() {
    return Boolean(this._stream?.isOpen);
  }

  enter() {
    this._isActive = true;
    this.line.reveal();
  }

  leave() {
    this._isActive = false;
    this._stream?.stop();
    this._stream = null;
    clearInterval(this._ticking);
  }

  /** @param {object} asked */
  _connect(asked) {
    this._stream?.stop();
    this._lost = false;
    let hasBegun = false;
    /** @type {Row[]} */
    this._rows = [];
    this._games.replaceChildren();
    this._stream = follow(this.app, "match", asked, {
      hear: event => {
        this._hear(event);
        if (hasBegun) return;
        hasBegun = true;
        this.app.keep("match", this.match?.id);
        this.app.go("play", `match/${this.match?.id}`);
        this._setPace();
        this._listener.onopen();
      },
      fail: event => this._fail(event, hasBegun),
    });
  }

  /**
   * @param {import("./stream.js").Event} event
   * @param {boolean} begun
   */
  _fail({error, lost}, begun) {
    this._stream = null;
    this._clocks = {...this._clocks, ticking: null};
    this._showClocks();
    if (lost && (begun || this.match)) {
      this._lost = true;
      this._status.textContent = t("{error} The match goes on when it does.", {error});
    } else this._listener.onrefuse(error);
  }

  /** @param {import("./stream.js").Event} event */
  _hear(event) {
    if (event.match) this._take(event.match);
    if (event.games) {
      this._rows.push(...event.games);
      this._score = event.score;
      this._showScore();
      this._addRows(event.games);
      this._showLast();
    }
    if (event.game) {
      this._game = event.game;
      this._showGame();
    }
    if (event.moves) this._add(event.ply, event.moves);
    if ("clocks" in event) {
      this._clocks = {clocks: event.clocks, ticking: event.ticking};
      this._heardAt = performance.now();
      this._showClocks();
    }
    if (event.say) this.app.fail(said(event.say));
  }

  /** @param {Match} match */
  _take(match) {
    const another = this.match?.id !== match.id;
    if (!another && this.match?.state === "running" && match.state === "done") sound("end");
    this.match = match;
    if (another) {
      this._game = null;
      this.line.load([]);
      this.stage.flip(true);
    }
    const running = match.state === "running";
    this._stop.hidden = !running;
    this._resume.hidden = running || match.state === "done";
    this._another.classList.toggle("primary", match.state === "done");
    if (!running) this._clocks = {...this._clocks, ticking: null};
    this._names = /** @type {[string, string]} */ ([
      playerName(match.settings.a, match.names[0]),
      playerName(match.settings.b, match.names[1]),
    ]);
    if (this._names[0] === this._names[1])
      this._names = /** @type {[string, string]} */ ([
        t("{name} (first)", {name: this._names[0]}),
        t("{name} (second)", {name: this._names[1]}),
      ]);
    this._showScore();
    this._showNames();
  }

  /**
   * @param {number} ply of the first of the moves, from 0
   * @param {any[]} moves
   */
  _add(ply, moves) {
    const game = this._game;
    if (!game || !moves.length || game.nodes.length > ply) return;
    const before = game.nodes.at(-1)?.fen ?? game.start;
    game.nodes.push(...moves);
    if (this._isActive && moves.length === 1) this.stage.hear(moves[0], before);
    const {looked} = this.line;
    this._load();
    this.line.looked = looked;
    this._showBoard(moves.length === 1);
  }

  // a match that is not being played shows its last game
  async _showLast() {
    const {match} = this,
      row = this._rows.at(-1);
    if (!match || match.state === "running" || this._game || !row) return;
    try {
      const {document} = await this.app.api("match/game", {match: match.id, number: row.number});
      if (this._game || this.match !== match) return;
      const [start, ...nodes] = document.nodes;
      this._game = {...row, start: start.fen, nodes};
      this._showGame();
    } catch (error) {
      this.app.fail(error);
    }
  }

  _load() {
    if (this._game) this.line.load([{text: "", path: [], captured: [], fen: this._game.start}, ...this._game.nodes]);
  }

  _again() {
    if (this._stream?.isOpen) this._stream.say({do: "resume"});
    else if (this.match) this._connect({match: this.match.id, resume: true});
  }

  _setPace() {
    this.app.keep("pace", this._pace.value);
    this._stream?.say({do: "pace", seconds: Number(this._pace.value)});
  }

  async _saveGames() {
    if (!this.match) return;
    try {
      const {pdn} = await this.app.api("match/pdn", {match: this.match.id});
      download(`match-${this.match.id.slice(0, 15)}.pdn`, pdn, "text/plain");
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** @param {number} number */
  async _analyse(number) {
    if (!this.match) return;
    try {
      const {document} = await this.app.api("match/game", {match: this.match.id, number});
      this.app.expect?.({source: "played"});
      this.app.open(document, toEnd(document));
    } catch (error) {
      this.app.fail(error);
    }
  }

  // --- what is shown

  _showScore() {
    const names = this._names;
    if (!this.match) return;
    const score = this._score ?? {wins: 0, draws: 0, losses: 0, elo: null, error: null, superior: null};
    this._title.textContent = t("{score}, {a} against {b}", {score: scoreText(score), a: names[0], b: names[1]});
    this._elo.textContent = eloWords(score, names);
    this._status.textContent = matchWords(this.match, this._rows.length);
    this._save.disabled = !this._rows.length;
  }

  _showNames() {
    const black = this._game?.black === "b" ? 1 : 0;
    this.stage.name("black", this._names[black]);
    this.stage.name("white", this._names[1 - black]);
  }

  _showGame() {
    if (!this._game) return;
    this._opening.textContent = openingWords(this._game.opening);
    this._showNames();
    this._showScore();
    this._load();
    this._showBoard();
  }

  _showBoard(animate = false) {
    this.line.show({animate});
  }

  _showClocks() {
    const clocks = clocksAt(this._clocks, (performance.now() - this._heardAt) / 1000);
    for (const side of SIDES) this.stage.clock(side, clocks[side].text, clocks[side]);
    clearInterval(this._ticking);
    if (this._isActive && this._clocks.ticking) this._ticking = window.setInterval(() => this._showClocks(), 200);
  }

  /** @param {Row[]} rows */
  _addRows(rows) {
    const [a, b] = this._names;
    this._games.prepend(
      ...rows
        .map(row =>
          el(
            "tr",
            null,
            el(
              "td",
              null,
              button(String(row.number + 1), () => this._analyse(row.number), {
                "aria-label": t("Open game {number} in Analyse", {number: row.number + 1}),
              }),
            ),
            [row.black === "a" ? a : b, row.black === "a" ? b : a, resultText(row), said(row.reason)].map(each =>
              el("td", null, each),
            ),
          ),
        )
        .reverse(),
    );
  }
}
