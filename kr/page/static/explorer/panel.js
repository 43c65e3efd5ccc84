// The panel Explorer: the moves of the position with what the games of archives, the book and kr's search say of each;
// those games, and searches of them.

import {choice} from "../controls.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {FiltersOn} from "../filters.js";
import {ARCHIVES} from "../offers.js";
import {newDocument, toEnd} from "../setup/fen.js";
import {keep, kept} from "../store.js";
import {t} from "../texts.js";
import {Archives} from "./archives.js";
import {movesOf, Search} from "./search.js";
import {gameName, joined, openingWords, ownState, pageWords, Scores, sourceWords, totalWords} from "./state.js";
import {Questions, Scoring} from "./stream.js";
import {gameRow, moveRows, MoveTable, tellScore} from "./view.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Game} Game */
/** @typedef {import("./state.js").Move} Move */
/** @typedef {{fen: string, side: "black" | "white", moves: Move[]}} Shown */

const WAIT_MS = 100; // positions that are only passed are not asked for
const SCORE_MS = 300;
const PAGE = 20; // games of a page, as the server gives them
const STORED = "explorer-scores";

/** @param {App} app */
export const panel = app => new Explorer(app).panel;

class Explorer {
  opening = el("b", {class: "opening"});
  _total = el("span", {class: "total"});
  _head = el("div", {class: "head", hidden: true});
  _body = el("div", {hidden: true});
  _gamesHere = el("div", {class: "games-here"});
  _problem = el("p", {class: "failed", role: "alert"});
  _moves = new MoveTable();
  _source = el("p", {class: "muted source"});
  _withScores = el("input", {type: "checkbox"});
  _number = el("h2", null);
  _list = el("ol", {class: "behind"});
  _here = el("input", {type: "checkbox", checked: true});
  _order = choice(
    t("Order"),
    {archive: t("as in the archive"), newest: t("newest first"), oldest: t("oldest first")},
    {onchange: () => this._listGames(0)},
  );
  _before = button(t("‹ Back"), () => this._listGames(this._start - PAGE));
  _after = button(t("More ›"), () => this._listGames(this._start + PAGE));
  _take = button(t("Keep all"), () => void this._takeAll(), {title: t("Into the library, as a folder")});
  _found = 0;
  _pages = el("div", {class: "row"}, this._before, this._after);

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this._active = false;
    this._errands = new Errands();
    this._waiting = 0;
    this._start = 0;
    this._last = "";
    this._hasBook = false;
    /** @type {Shown | null} */
    this._shown = null;
    /** @type {import("./view.js").Place[]} */
    this._places = [];
    this.scores = new Scores(kept(STORED, null, "sessionStorage"));
    this.questions = new Questions(app);
    this.scoring = new Scoring(app, this.scores, fen => this._scored(fen));
    /** None where there is no server to keep them. @type {Archives | null} */
    this.archives = ARCHIVES
      ? new Archives(app, {onchange: () => this._explore(), onlist: () => this._showParts()})
      : null;
    this.search = new Search({
      onchange: () => this.refresh(true),
      complete: async text => (this._hasGames ? (await this.questions.players(this._explored, text)).players : []),
      openings: async text => (await this.questions.openings(text)).openings,
      line: text => this.questions.line(text),
      show: ({number}) => this._begin(() => this.questions.opening(number)),
      play: line => this._begin(async () => ({...line, title: movesOf(line)})),
    });
    const {opener, region} = this._fold(t("Search"), this._options());
    this._opener = opener;
    this._form = region;
    this._filters = new FiltersOn(() => this.refresh(true), opener);
    this._withScores.checked = app.kept("explorer-scores", true);
    this.element = this._element();
    app.tree.on("node", () => {
      clearTimeout(this._waiting);
      if (this._active) this._waiting = window.setTimeout(() => this.refresh(), WAIT_MS);
    });
    app.onback(() => {
      this.scores.clear();
      if (this._active) void this._open();
    });
    addEventListener("pagehide", () => this._store());
    this.panel = {
      name: "explorer",
      title: t("Explorer"),
      element: this.element,
      show: () => this._show(),
      hide: () => this._hide(),
    };
  }

  // --- elements

  _element() {
    const {archives} = this;
    const element = el("div", null, this._head, this._form, this._filters.element, this._problem, this._body);
    this._head.append(el("p", null, this.opening, " ", this._total), this._opener);
    const here = el("label", null, this._here, " ", t("at this position only"));
    this._gamesHere.append(
      this._number,
      this._list,
      el("div", {class: "head"}, this._pages, this._order, here, this._take),
    );
    this._body.append(this._moves.element, this._source, this._gamesHere);
    if (!archives) return element;
    const fold = this._fold(t("Archives"), archives.region);
    this._archiveOpener = fold.opener;
    this._opener.before(fold.opener);
    this._head.after(archives.element);
    element.append(archives.empty);
    for (const name of ["dragover", "drop"]) {
      element.addEventListener(name, event => this._drop(/** @type {DragEvent} */ (event)));
    }
    return element;
  }

  /**
   * A region that is folded, and its button.
   * @param {string} title
   * @param {HTMLElement} region
   */
  _fold(title, region) {
    const turn = () => {
      region.hidden = !region.hidden;
      opener.setAttribute("aria-expanded", String(!region.hidden));
    };
    const opener = button(title, turn, {"aria-expanded": "false", class: "folds"});
    return {opener, region};
  }

  _options() {
    this._withScores.addEventListener("change", () => {
      this.app.keep("explorer-scores", this._withScores.checked);
      this._score();
      this._showScores();
    });
    this._here.addEventListener("change", () => this.refresh(true));
    if (ARCHIVES) this.search.checks.append(el("label", {class: "check"}, this._withScores, t("kr's scores")));
    return el("div", {class: "fold", role: "group", "aria-label": t("Search"), hidden: true}, this.search.element);
  }

  /** Shows what there is something for. */
  _showParts() {
    const games = this._hasGames;
    const count = this.archives?.list.length ?? 0;
    this._head.hidden = !this._shown && !count;
    this._body.hidden = !this._shown;
    this._gamesHere.hidden = !games;
    this.archives?.empty.classList.toggle("below", this._shown !== null);
    if (this._archiveOpener) this._archiveOpener.hidden = !count;
    this.search.showGames(games);
  }

  /** True if there are archives to explore. */
  get _hasGames() {
    return this._explored.length > 0;
  }

  get _explored() {
    return this.archives?.explored ?? [];
  }

  /** A file that is dropped here is an archive, not a game to open. @param {DragEvent} event */
  _drop(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "drop") this.archives?.add([...event.dataTransfer.files]);
  }

  // --- coming and going

  _show() {
    this._active = true;
    this._last = "";
    void this._open();
  }

  /** Asks for the archives, which ask for their games once they are open, and meanwhile for what needs none. */
  async _open() {
    const first = this._hasGames ? null : this.refresh(true);
    await this.archives?.show();
    if (!this._hasGames) await (first ?? this.refresh(true));
  }

  /** The games are others. */
  _explore() {
    void this.refresh(true);
    void this.search.complete();
  }

  _hide() {
    this._active = false;
    clearTimeout(this._waiting);
    this.scoring.stop();
    this.archives?.hide();
    this._store();
  }

  /** Scores live as long as the tab. */
  _store() {
    keep(STORED, this.scores.state(), "sessionStorage");
  }

  /** Puts an opening on the board in place of the search. @param {() => Promise<import("./stream.js").Line>} ask */
  _begin(ask) {
    this.search.clear();
    this._opener.click();
    this._opener.focus();
    void this._showOpening(ask);
  }

  // --- what was played

  /** @returns {import("./stream.js").Wanted} */
  get wanted() {
    return {archives: this._explored, fen: this.app.tree.node.fen, ...this.search.conditions};
  }

  /**
   * Asks for the moves and games of the position, unless they are in sight.
   * @param {boolean} [again] asks anyway
   */
  async refresh(again = false) {
    clearTimeout(this._waiting);
    this._showParts();
    if (!this._active) return;
    const {wanted} = this,
      games = this._hasGames,
      key = JSON.stringify([wanted, this._here.checked]);
    if (key === this._last && !again) return;
    const errand = this._errands.begin();
    this.scoring.stop();
    this._showFilters();
    try {
      const [line, book, own, played, page] = await Promise.all([
        this.questions.names(this.app.tree.replay()),
        this.questions.book(wanted.fen),
        games ? null : this.questions.selfPlay(wanted.fen),
        games ? this.questions.moves(wanted) : null,
        games ? this.questions.games({...wanted, here: this._here.checked, order: this._order.value, start: 0}) : null,
      ]);
      if (errand.isStale || !this._active) return;
      this._last = key;
      this._hasBook = book.book;
      this._shown = {fen: book.fen, side: book.side, moves: joined(book, played?.moves ?? null, own)};
      this._problem.textContent = "";
      this.opening.textContent = openingWords(line);
      this._total.textContent = played
        ? totalWords(played.total, this.search.filters.length > 0)
        : own && ownState(book, own);
      this._source.textContent = own ? sourceWords(own, book.book) : "";
      this._showFilters(played && !played.total.games ? t("No game came to this position with:") : "");
      this._showParts();
      this._showMoves();
      if (page) this._showGames(page);
      this._waiting = window.setTimeout(() => this._score(), SCORE_MS);
    } catch (error) {
      if (!errand.isStale) this._refused(/** @type {Error} */ (error));
    }
  }

  /** What is on, however the form is folded. Without games it only looks for openings. @param {string} [none] */
  _showFilters(none) {
    this._filters.show(this._hasGames ? this.search.filters : [], none);
  }

  /** Another window may have removed an archive. @param {Error & {say?: string}} error */
  _refused(error) {
    this._problem.textContent = error.message;
    if (error.say === "refused.no_archive") void this.archives?.begin();
  }

  _showMoves() {
    const {moves} = /** @type {Shown} */ (this._shown);
    const own = moves.some(move => move.own);
    const columns = {games: this._hasGames, own, book: this._hasBook, scores: ARCHIVES};
    const focused = document.activeElement;
    const at = this._places.findIndex(place => place.button === focused);
    const play = (/** @type {Move} */ move) => this._play(move);
    const {elements, places} = moveRows(moves, columns, play);
    this._places = places;
    this._moves.show(elements, columns);
    if (at >= 0) (places[at] ?? places[0])?.button.focus();
    this._showScores();
  }

  _showScores() {
    if (!this._shown) return;
    const {fen, side} = this._shown;
    const scores = this._withScores.checked ? this.scores.of(fen) : {};
    const turned = this.app.kept("view", "mover") === "black" && side === "white";
    for (const place of this._places) tellScore(place, scores[place.move.text], turned);
  }

  /** @param {Move} move */
  _play({text, path, captured, fen}) {
    this.app.tree.play({text, path, captured, fen});
  }

  _score() {
    this.scoring.stop();
    if (!ARCHIVES || !this._active || !this._withScores.checked || this._body.hidden) return;
    if (!this._shown?.moves.length) return;
    const {fen, moves} = this._shown;
    this.scoring.begin(
      fen,
      moves.map(({text}) => text),
    );
  }

  /** @param {string} fen */
  _scored(fen) {
    if (!this._active || this._shown?.fen !== fen) return;
    this._showScores();
  }

  // --- games

  /** @param {import("./stream.js").Page} page */
  _showGames(page) {
    this._start = page.start;
    this._found = page.found;
    this._take.hidden = !page.found;
    this._number.textContent = pageWords(page, PAGE);
    this._list.setAttribute("start", String(page.start + 1));
    this._list.replaceChildren(...page.games.map(game => gameRow(game, each => this._openGame(each))));
    this._pages.hidden = page.found <= PAGE;
    this._before.disabled = page.start === 0;
    this._after.disabled = page.start + PAGE >= page.found;
  }

  /** All games that are listed go into the library. */
  async _takeAll() {
    const {app} = this,
      wanted = {...this.wanted, here: this._here.checked, order: this._order.value};
    /** @type {Game[]} */
    const games = [];
    this._take.disabled = true;
    try {
      const {takeAll} = await import("../library/taking.js");
      await takeAll(app, {
        name: this.search.filters.map(({name}) => name).join(", ") || t("Archive"),
        count: this._found,
        source: "archive",
        documentOf: async index => {
          if (!games[index]) games.push(...(await this.questions.games({...wanted, start: games.length})).games);
          return (await this.questions.game(games[index])).document;
        },
      });
    } catch (error) {
      app.fail(error);
    } finally {
      this._take.disabled = false;
    }
  }

  /** @param {number} from */
  async _listGames(from) {
    const errand = this._errands.begin();
    try {
      const page = await this.questions.games({
        ...this.wanted,
        here: this._here.checked,
        order: this._order.value,
        start: Math.max(0, from),
      });
      if (!errand.isStale) this._showGames(page);
    } catch (error) {
      if (!errand.isStale) this._refused(/** @type {Error} */ (error));
    }
  }

  /** Opens an opening beside the game on the board. @param {() => Promise<import("./stream.js").Line>} ask */
  _showOpening(ask) {
    const {app} = this;
    return app.attempt(ask, (/** @type {import("./stream.js").Line} */ {start, moves, title}) => {
      const document = newDocument(start, moves, {Event: title});
      app.beside(document, toEnd(document), `opening:${title}`);
      app.say(title);
    });
  }

  /** Opens a game beside the one on the board. @param {Game} game */
  _openGame(game) {
    const {app} = this;
    return app.attempt(
      () => this.questions.game(game),
      ({document, archive, line}) => {
        const name = gameName(game);
        const kept = {source: "archive"};
        app.beside(document, Array(game.ply).fill(0), `${archive}:${line}:${name}`, kept);
        app.say(game.turned ? t("{game}: this position with colours reversed", {game: name}) : name);
      },
    );
  }
}
