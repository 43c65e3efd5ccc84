// The page of the library: all games of the person, to be found, opened, put in order, counted and saved.

import {check, choice} from "../controls.js";
import {button, el} from "../dom.js";
import {many, t} from "../texts.js";
import {ask} from "../play/ask.js";
import {reviewsOf} from "../reviews/job.js";
import {ReviewsView} from "../reviews/view.js";
import {give} from "../send.js";
import {askText, commonTags, retagged} from "./acts.js";
import {sorted} from "./cards.js";
import {Figures} from "./figures.js";
import {libraryOf} from "./games.js";
import {noGames, openGames} from "./none.js";
import {Rows} from "./rows.js";
import {Search} from "./search.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./cards.js").Card} Card */
/** @typedef {import("./cards.js").Order} Order */

const SETTLE_MS = 100;

/** @param {App} app */
export const page = app => new LibraryPage(app).page;

class LibraryPage {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this._library = libraryOf(app);
    this._isActive = false;
    this._settling = 0;
    this._search = new Search(() => this._show(true));
    this._order = choice(
      t("Order"),
      {
        used: t("Last used first"),
        date: t("Last played first"),
        black: t("By Black"),
        white: t("By White"),
        opening: t("By opening"),
        result: t("By result"),
      },
      {
        value: app.kept("library-order", "used"),
        onchange: value => {
          app.keep("library-order", value);
          this._show(true);
        },
      },
    );
    this._rows = new Rows({
      open: card => this._open(card),
      remove: ids => void this._remove(ids),
      onchoose: () => this._offer(),
    });
    this._figures = new Figures((by, name) => this._narrow(by, name));
    this._reviews = new ReviewsView(reviewsOf(app));
    this._count = el("p", {class: "count", role: "status"});
    this._undo = el("p", {class: "undo", hidden: true});
    this._all = check(t("All"), false, on => this._rows.chooseAll(on));
    this._acts = this._makeActs();
    this._none = noGames(app, t("Games that you play, or open and look at, are kept here, and stay on this device."));
    this._some = this._element();
    this._library.onchange(() => this._isActive && this._settle());
    this.page = {
      name: "library",
      title: t("Library"),
      element: el("div", {class: "library-page"}, this._none, this._some),
      enter: () => void this._enter(),
      leave: () => this._leave(),
    };
  }

  _makeActs() {
    return {
      save: button("", () => void this._save()),
      move: button(t("Move…"), () => this._move()),
      tags: button(t("Tags…"), () => this._tag()),
      review: button(t("Review"), () => this._review(), {title: t("In the background")}),
      remove: button(t("Delete"), () => void this._remove([...this._rows.chosen])),
      restore: button(t("Put back"), () => void this._library.restore([...this._rows.chosen])),
      erase: button(t("Delete for good…"), () => this._erase()),
      rename: button(t("Rename the folder…"), () => this._rename()),
    };
  }

  _element() {
    const {_search: search, _acts: acts} = this;
    return el(
      "div",
      // until the games are there
      {hidden: true},
      el(
        "div",
        {class: "row find"},
        search.text,
        search.folds,
        this._order,
        button(t("Open or paste games"), () => openGames(this._app)),
      ),
      search.form,
      this._reviews.element,
      el("div", {class: "row counted"}, this._count, search.chips),
      el("div", {class: "row acts", role: "group", "aria-label": t("Chosen games")}, this._all, ...Object.values(acts)),
      this._undo,
      this._rows.element,
      this._figures.element,
    );
  }

  async _enter() {
    this._isActive = true;
    this._reviews.show();
    await Promise.all([this._library.ready, this._app.keepGame?.()]);
    if (this._isActive) this._show(true);
  }

  _leave() {
    this._isActive = false;
    this._undo.hidden = true;
    this._reviews.hide();
  }

  _settle() {
    clearTimeout(this._settling);
    this._settling = window.setTimeout(() => this._isActive && this._show(false), SETTLE_MS);
  }

  /** @param {boolean} isOther other games are asked for */
  _show(isOther) {
    const {_library: library, _search: search} = this,
      isEmpty = !library.list().length && !library.list({removed: true}).length;
    this._none.hidden = !isEmpty;
    this._some.hidden = isEmpty;
    if (isEmpty) return;
    search.offer(library);
    const cards = library.list(search.filter, /** @type {Order} */ (this._order.value));
    search.show(cards.length);
    this._rows.show(cards, isOther);
    this._figures.show(cards);
    this._offer();
  }

  /** Offers what can be done with what is chosen. */
  _offer() {
    const {chosen, cards} = this._rows,
      {isOfRemoved, folder} = this._search,
      {save, move, tags, review, remove, restore, erase, rename} = this._acts,
      count = many(cards.length, "game"),
      all = /** @type {HTMLInputElement} */ (this._all.firstElementChild);
    this._count.textContent = chosen.size
      ? t("{chosen} of {games} chosen", {chosen: chosen.size, games: count})
      : count;
    all.checked = chosen.size > 0 && chosen.size === cards.length;
    all.indeterminate = chosen.size > 0 && chosen.size < cards.length;
    save.textContent = t("Save {games} as PDN", {games: many(chosen.size || cards.length, "game")});
    save.hidden = this._all.hidden = !cards.length;
    for (const act of [move, tags, review, remove]) act.hidden = !chosen.size || isOfRemoved;
    for (const act of [restore, erase]) act.hidden = !chosen.size || !isOfRemoved;
    rename.hidden = !folder || isOfRemoved;
  }

  // --- what is done

  /** @param {Card} card */
  _open({id, isGoing}) {
    if (isGoing) location.hash = `play/${id}`;
    else this._app.reopen(id);
  }

  /** The chosen games in their order, or all that are listed. */
  get _wanted() {
    const {chosen, cards} = this._rows;
    return chosen.size ? cards.filter(({id}) => chosen.has(id)) : cards;
  }

  async _save() {
    const cards = this._wanted,
      {folder} = this._search;
    try {
      const pdn = await this._library.pdn(
        sorted(cards, /** @type {Order} */ (this._order.value)).map(({id}) => id),
        this._app.kept("results", "english"),
      );
      const name = (folder || "kr").replace(/[^\p{L}\p{N}]+/gu, "-");
      await give(`${name}-${cards.length}.pdn`, pdn, "application/x-draughts-pdn");
    } catch (error) {
      this._app.fail(error);
    }
  }

  _move() {
    const cards = this._wanted;
    askText(t("Move {games}", {games: many(cards.length, "game")}), {
      label: t("Folder"),
      hint: t("A folder within another: Club/2024. Leave it empty for no folder."),
      value: cards.every(({folder}) => folder === cards[0].folder) ? cards[0].folder : "",
      offered: this._library.folders().map(({name}) => name),
      done: t("Move"),
      take: folder =>
        void this._library.changeAll(
          cards.map(({id}) => id),
          {folder},
        ),
    });
  }

  _tag() {
    const cards = this._wanted,
      common = commonTags(cards);
    askText(t("Tags of {games}", {games: many(cards.length, "game")}), {
      label: t("Tags"),
      hint: t("With ; between them, such as: sharp; to learn"),
      value: common.join("; "),
      offered: this._library.tags().map(({name}) => name),
      done: t("Keep"),
      take: text =>
        void this._library.changeAll(
          cards.map(({id}) => id),
          {tags: tags => retagged(tags, common, text.split(";"))},
        ),
    });
  }

  _rename() {
    const {folder} = this._search;
    askText(t("Rename the folder"), {
      label: t("Folder"),
      hint: t("One that is there already takes the games in."),
      value: folder,
      offered: this._library.folders().map(({name}) => name),
      done: t("Rename"),
      take: async name => {
        await this._library.rename(folder, name);
        this._search.offer(this._library);
        this._search.folder = name;
        this._show(true);
      },
    });
  }

  _review() {
    const cards = this._wanted.filter(({review, isGoing}) => !review && !isGoing);
    if (cards.length) reviewsOf(this._app).add(cards);
    else this._app.say(t("All of them are reviewed"));
  }

  /** @param {string[]} ids */
  async _remove(ids) {
    await this._library.remove(ids);
    const line = this._undo;
    line.replaceChildren(
      el("span", {role: "status"}, t("{games} deleted.", {games: many(ids.length, "game")})),
      " ",
      button(t("Undo"), () => {
        line.hidden = true;
        void this._library.restore(ids);
      }),
    );
    line.hidden = false;
  }

  _erase() {
    const ids = [...this._rows.chosen];
    ask(t("Delete {games} for good?", {games: many(ids.length, "game")}), {
      yes: t("Delete for good"),
      no: t("Keep"),
      act: () => void this._library.erase(ids),
    });
  }

  /** @param {"opening" | "player"} by @param {string} name */
  _narrow(by, name) {
    this._search.narrow(by, name);
    this._show(true);
  }
}
