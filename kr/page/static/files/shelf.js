// The games of a file or a text to choose from: found by words, and opened one after the other.

import {offer} from "../controls.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {FiltersOn, filterName} from "../filters.js";
import {visible} from "../escapes.js";
import {formatted, many, t} from "../texts.js";
import {told} from "../told.js";
import {GameList, PAGE} from "./list.js";
import {listWords, matching} from "./state.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("../texts.js").Said} Said */
/** @typedef {import("./state.js").Row} Row */
/**
 * Where games come from: a text whose games are all known, an upload, or a file of the command line by its number.
 * @typedef {{name: string, source?: "pasted" | "file", games?: Row[], upload?: string, file?: number,
 *   left_out?: number, faults?: Said[], isTold?: boolean}} Source
 */
/** @typedef {import("../errands.js").Errand} Errand */

export class Shelf {
  filter = el("input", {type: "search", placeholder: t("player, event, year"), "aria-label": t("Find games")});
  _count = el("p", {class: "muted"});
  _on = new FiltersOn(() => this.search(), this.filter);
  _done = el("progress", {max: 1, "aria-label": t("Games read"), hidden: true});
  // the files of the command line stay at hand, whatever is opened
  _files = el("select", {"aria-label": t("Files")});
  _others = el("div", {class: "row", hidden: true}, this._files);
  // what could not be read, and why; it stays as long as the games that could
  lost = el("details", {class: "lost", hidden: true});
  _shelf = el("div", {hidden: true});
  list = new GameList({pick: index => this.pick(index), load: page => this._page(page)});

  /**
   * @param {App} app
   * @param {{open: (document: any, warnings: Said[] | undefined, kept: import("../library/keeper.js").Kept,
   *   stays: boolean) => void, results: () => string}} does
   *     open: shows a game; results: the convention of results in files
   */
  constructor(app, {open, results}) {
    this._app = app;
    this._open = open;
    this._results = results;
    /** @type {Source | null} */
    this.source = null;
    /** @type {{name: string, file: number}[]} the files of the command line */
    this.named = [];
    this.isWhole = true;
    this._listings = new Errands();
    this._turns = 0;
    this._newest = 0;
    /** @type {Row[]} */
    this._games = [];
    this.element = this._element();
    app.onback(() => this.isWhole || this.readOn());
  }

  _element() {
    this.filter.addEventListener("input", () => this.search());
    this._files.addEventListener("change", () => this.choose(this.named[Number(this._files.value) - 1]));
    const before = button(t("Previous game"), () => this.pick(this.list.at - 1));
    const after = button(t("Next game"), () => this.pick(this.list.at + 1));
    this._keep = button(t("Keep all"), () => void this._takeAll(false), {
      title: t("Into the library, as a folder"),
      hidden: true,
    });
    this._review = button(t("Review all…"), () => void this._takeAll(true), {
      title: t("Into the library, as a folder, and reviewed in the background"),
      hidden: true,
    });
    const steps = el("div", {class: "row"}, before, after, this.filter, this._keep, this._review);
    this._shelf.append(
      steps,
      el("div", {class: "row counted"}, this._count, this._on.element),
      this._done,
      this.list.element,
    );
    return el("div", null, this.lost, this._others, this._shelf);
  }

  /** Takes the files of the command line. @param {string[]} names */
  offer(names) {
    this.named = names.map((name, i) => ({name, file: i + 1}));
    offer(
      this._files,
      this.named.map(({name, file}) => [String(file), name]),
    );
    this._files.prepend(el("option", {value: "", hidden: true}, t("Files")));
    this._choices();
  }

  _choices() {
    this._files.value = String(this.source?.file ?? "");
    this._others.hidden = this.named.length < (this.source?.file ? 2 : 1);
  }

  /** Lists the games of another source, or of none. @param {Source | null} source */
  async choose(source) {
    this.source = source;
    this._shelf.hidden = !source;
    this.filter.value = "";
    void this.lose(source ?? {});
    if (!source) this._listings.end();
    this._choices();
    if (source) await this.search();
  }

  /**
   * Says what could not be read.
   * @param {{left_out?: number, faults?: Said[], cut?: Said}} what
   */
  async lose({left_out: count = 0, faults = [], cut = ""}) {
    const words = [
      count && t("{games} could not be read", {games: many(count, "game")}),
      cut && t("not all games are listed"),
    ]
      .filter(Boolean)
      .join("; ");
    const key = JSON.stringify([count, faults.length, cut]),
      {lost} = this;
    lost.hidden = !words;
    if (lost.dataset.key === key) return;
    lost.dataset.key = key;
    lost.open = Boolean(words) && faults.length < 4;
    const others = count > faults.length && t("and {others}", {others: many(count - faults.length, "other")});
    const why = await Promise.all([...faults, others || "", cut].map(each => told(each)));
    if (lost.dataset.key !== key) return;
    const items = why.filter(Boolean).map(each => el("li", null, visible(each)));
    lost.replaceChildren(el("summary", null, words), el("ul", {tabindex: 0, "aria-label": t("Why")}, ...items));
  }

  /** Shows the games that the words leave: all of a text, those of a file as they are read. */
  async search() {
    const {source} = this;
    if (!source) return;
    this._listings.end();
    this.list.clear();
    this.isWhole = true;
    this._done.hidden = true;
    if (source.games) {
      this._games = matching(source.games, this.filter.value);
      this._count.textContent = t("{name}: {found} of {games}", {
        name: source.name,
        found: formatted(this._games.length),
        games: many(source.games.length, "game"),
      });
      this._showFilter(this._games.length);
      this.list.grow(this._games.length);
      return;
    }
    this.isWhole = false;
    this._count.textContent = t("{name}: reading …", {name: source.name});
    try {
      await this._ask({start: 0});
    } catch (error) {
      this._app.fail(error);
      return;
    }
    void this.readOn();
  }

  /** The games that the words leave go into the library, and are reviewed there. @param {boolean} isReviewed */
  async _takeAll(isReviewed) {
    const {_app: app, source, list, _done: done} = this,
      buttons = [this._keep, this._review];
    if (!source) return;
    for (const each of buttons) if (each) each.disabled = true;
    try {
      const [{takeAll}, {reviewsOf}] = await Promise.all([import("../library/taking.js"), import("../reviews/job.js")]),
        listing = this._listings.current(),
        job = isReviewed && reviewsOf(app),
        cards = await takeAll(app, {
          name: source.name,
          count: list.count,
          source: source.source ?? "file",
          documentOf: async index => {
            const game = listing.isStale ? null : await list.game(index);
            return game && (await this._document(source, game)).document;
          },
          progress: share => {
            done.hidden = listing.isStale;
            done.value = share;
          },
        });
      if (job) job.add(cards.filter(({review}) => !review));
    } catch (error) {
      app.fail(error);
    } finally {
      done.hidden = this.isWhole;
      for (const each of buttons) if (each) each.disabled = false;
    }
  }

  /** @param {number} found games */
  _showFilter(found) {
    for (const each of [this._keep, this._review]) if (each) each.hidden = !found || !this.isWhole;
    const text = this.filter.value.trim();
    const filter = {
      name: filterName(t("Find games"), text),
      off: () => {
        this.filter.value = "";
      },
    };
    this._on.show(text ? [filter] : [], !found && this.isWhole ? t("No game with:") : "");
  }

  /** Reads the rest of a file, so that the list is as long as it will be. */
  async readOn() {
    const listing = this._listings.current();
    try {
      while (!this.isWhole && !listing.isStale && this._shelf.checkVisibility()) {
        await this._ask({start: 0, on: true});
      }
    } catch (error) {
      this._app.fail(error);
    }
  }

  /** @param {Record<string, unknown>} wanted */
  async _ask(wanted) {
    const listing = this._listings.current(),
      turn = ++this._turns,
      {file, upload} = /** @type {Source} */ (this.source);
    const answer = await this._app.api("games/list", {
      file,
      upload,
      wanted: this.filter.value.slice(0, 100),
      results: this._results(),
      ...wanted,
    });
    if (listing.isStale) return null;
    // answers to several requests may come in another order
    if (turn > this._newest) {
      this._newest = turn;
      this._take(answer);
    }
    return answer;
  }

  /** @param {any} answer */
  _take(answer) {
    const source = /** @type {Source} */ (this.source),
      {left_out: left} = answer;
    this.isWhole = answer.whole;
    this._count.textContent = listWords(source.name, answer, Boolean(this.filter.value.trim()));
    this._showFilter(answer.found);
    this._done.hidden = this.isWhole || answer.share === null;
    this._done.value = answer.share ?? 0;
    void this.lose(answer);
    // the panel may be closed
    if (this.isWhole && (left || answer.cut) && !source.isTold) {
      source.isTold = true;
      const games = left && t("{games} could not be read", {games: many(left, "game")});
      void told(answer.cut).then(cut => this._app.say(`${source.name}: ${[games, cut].filter(Boolean).join("; ")}`));
    }
    this.list.put(answer.start / PAGE, answer.games);
    this.list.grow(answer.found);
  }

  /** @param {number} page @returns {Promise<Row[] | null>} */
  async _page(page) {
    if (this.source?.games) return this._games.slice(page * PAGE, (page + 1) * PAGE);
    const answer = await this._ask({start: page * PAGE});
    return answer?.games ?? null;
  }

  /**
   * Opens a game by its number in the list, from 0.
   * @param {number} index
   * @param {{errand?: Errand, stays?: boolean, quiet?: boolean}} [options] stays: on the page that is shown; quiet:
   *     nothing is said of a game that isn't there
   * @returns {Promise<Row | undefined>}
   */
  async pick(index, {errand = this._app.errand(), stays = false, quiet = false} = {}) {
    const {_app: app, source, list} = this;
    if (!source || index < 0 || index >= list.count) {
      if (!quiet) app.say(t("There is no other game"));
      return undefined;
    }
    try {
      const listing = this._listings.current(),
        game = await list.game(index);
      if (!game || errand.isStale) return undefined;
      const answer = await this._document(source, game);
      if (errand.isStale) return undefined;
      if (!listing.isStale) list.mark(index);
      const kept = {source: source.source ?? "file", isListed: list.count > 1};
      this._open(answer.document, answer.warnings || game.warnings, kept, stays);
      if (!quiet) app.say(t("Game {number}", {number: game.number}));
      return game;
    } catch (error) {
      app.fail(error);
      return undefined;
    }
  }

  /**
   * @param {Source} source
   * @param {Row} game
   * @returns {Promise<{document: any, warnings?: Said[]}>}
   */
  async _document(source, game) {
    if (game.document) return {document: game.document};
    if (source.games) return this._app.api("games/read", {text: game.pdn});
    const {file, upload} = source;
    return this._app.api("games/open", {file, upload, number: game.number, results: this._results()});
  }
}
