// The panel Repertoire: the moves that the person means to play. They are marked on the board, trained there, and come
// and go as PDN.

import {PositionPanel} from "../analyse/position.js";
import {check, choice, filePicker} from "../controls.js";
import {button, el} from "../dom.js";
import {dayNumber} from "../learn/training.js";
import {download} from "../send.js";
import {SIDES, START, sideName} from "../squares.js";
import {t} from "../texts.js";
import {readGames, takeGames, writeGames} from "./files.js";
import {RepertoireRecord} from "./record.js";
import {NO_OTHERS, countWords, emptyWords, placeWords, rowsOf, takenWords} from "./state.js";
import {Trainer} from "./trainer.js";
import {openingList, ownRow, ownTable} from "./view.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {App} from "../shell.js" */
/** @import {Side} from "../squares.js" */
/** @import {BoardLine} from "./lines.js" */
/** @import {Others, Row} from "./state.js" */

const NAMED_PLIES = 9; // no name needs more moves
const BALLOT_PLIES = 3;

/** @param {App} app */
export const panel = app => new RepertoirePanel(app).panel;

/** @extends {PositionPanel<Others>} */
class RepertoirePanel extends PositionPanel {
  /** @param {App} app */
  constructor(app) {
    super(app, "repertoire", t("Repertoire"));
    this._record = new RepertoireRecord(app);
    /** @type {Side} */
    this._side = app.kept("repertoire-side") === "white" ? "white" : "black";
    this._trainer = new Trainer(app, this._record, {
      onend: () => this._isShown && this._follow(),
      nameOf: (start, moves) => this._nameOf(start, moves),
    });
    /** @type {Map<string, Promise<string>>} */
    this._names = new Map();
    this._choice = choice(
      t("Repertoire for"),
      SIDES.map(side => /** @type {[string, string]} */ ([side, sideName(side)])),
      {value: this._side, onchange: value => this._choose(value === "white" ? "white" : "black")},
    );
    this._counts = el("p", {role: "status"});
    this._mark = button(t("Mark as mine"), () => this._toggle(), {class: "primary", title: `${t("Mark as mine")} (m)`});
    this._train = button(t("Train"), () => this._begin(), {title: `${t("Train")} (t)`});
    this._due = button("", () => this._review());
    this._undo = button(t("Undo"), () => this._revert());
    this._place = el("p", null);
    this._back = button(t("Go back there"), () => this._return());
    this._moves = ownTable();
    this._list = el("div", null);
    this._save = button(t("Save PDN"), () => this._give());
    this._work = this._body();
    this.panel = {...this._panel, element: this._element(), hide: () => this._leave()};
    this._keys();
    addEventListener("storage", event => {
      if (event.key === "kr-repertoire" && this._record.refresh() && this._isShown) this._draw();
    });
  }

  // --- parts

  _body() {
    const chosen = filePicker(".pdn,.gz,.txt", file => void this._read(file));
    const ballots = check(t("The first three moves are a ballot"), this.app.kept("repertoire-ballots", false), on =>
      this.app.keep("repertoire-ballots", on),
    );
    return el(
      "div",
      null,
      el("div", {class: "head"}, el("label", null, t("Repertoire for"), " ", this._choice), this._counts),
      el("div", {class: "row"}, this._mark, this._train, this._due, this._undo),
      el("div", {class: "row"}, this._place, this._back),
      this._moves.table,
      el(
        "div",
        {class: "row"},
        button(t("Load PDN"), () => chosen.click()),
        this._save,
        chosen,
        ballots,
      ),
      this._list,
    );
  }

  _element() {
    return el(
      "div",
      {
        ondragover: (/** @type {DragEvent} */ event) => {
          if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
        },
        ondrop: (/** @type {DragEvent} */ event) => {
          const file = event.dataTransfer?.files[0];
          if (!file) return;
          event.preventDefault();
          // elsewhere on the page a file is a game to be opened
          event.stopPropagation();
          void this._read(file);
        },
      },
      this._work,
      this._trainer.element,
    );
  }

  _keys() {
    const here = (/** @type {() => unknown} */ act) => () => {
      if (this._isShown && !this._trainer.drill) act();
    };
    Object.assign(this.app.keys, {m: here(() => this._mark.disabled || this._toggle()), t: here(() => this._begin())});
  }

  // --- the position

  /** The line on the board, from the start or the last position that was set up. @returns {BoardLine} */
  get _line() {
    const {tree} = this.app,
      line = tree.line();
    return line.slice(line.indexOf(tree.origin()));
  }

  get _lines() {
    return this._record.lines(this._side);
  }

  /** @override @param {any} node @returns {Promise<Others>} */
  async _fetch({fen}) {
    const {api} = this.app;
    try {
      return this._lines.isOwn(fen)
        ? {...NO_OTHERS, book: (await api("book/moves", {fen})).moves}
        : {...NO_OTHERS, people: (await api("people", {fen})).moves};
    } catch {
      // the repertoire is here without what others play
      return NO_OTHERS;
    }
  }

  /** @override */
  _show() {
    this._record.refresh();
    super._show();
  }

  _leave() {
    this._trainer.end();
    this._hide();
  }

  /** @override */
  _follow() {
    if (!this._isShown) return;
    // the replies of the former position are nobody's here
    this._answer = null;
    this._draw();
    super._follow();
  }

  /** @override @param {Others} _answer */
  _write(_answer) {
    this._draw();
  }

  /** @override @param {string} why */
  _refuse(why) {
    this._place.textContent = why;
  }

  // --- drawing

  _draw() {
    const refocus = this._focusKeeper(),
      lines = this._lines,
      line = this._line,
      due = this._record.due(this._side, dayNumber()).length,
      {fen} = line[line.length - 1],
      left = lines.left(line);
    this._work.hidden = Boolean(this._trainer.drill);
    this._counts.textContent = lines.isEmpty ? "" : countWords(lines, due);
    this._train.hidden = this._save.hidden = lines.isEmpty;
    this._due.hidden = !due;
    this._due.textContent = t("Missed: {count}", {count: due});
    this._undo.hidden = !this._record.canUndo;
    this._place.textContent = lines.isEmpty
      ? emptyWords(this._side)
      : placeWords(lines, line, left, this._answer ?? NO_OTHERS);
    this._back.hidden = !left;
    this._drawMark(line);
    const isIn = lines.isReached(fen),
      rows = isIn ? rowsOf(lines, fen, this._answer ?? NO_OTHERS) : [];
    const acts = {
      play: (/** @type {Row} */ row) => this._play(row),
      accept: lines.isOwn(fen)
        ? (/** @type {Row} */ row) => this._change(() => this._lines.accept(fen, row.move.fen))
        : null,
      unmark: (/** @type {Row} */ row) => this._change(() => this._lines.unmark(fen, row.move.fen)),
      point: (/** @type {number[]} */ path) => this.app.board.outline(path),
    };
    this._moves.rows.replaceChildren(...rows.map(row => ownRow(row, acts)));
    this._moves.table.hidden = !rows.length;
    this._drawOpenings();
    refocus();
  }

  /** What gives the focus back when it has gone with a row or a button: to the same place, or else a button above. */
  _focusKeeper() {
    const focused = document.activeElement,
      row = focused?.closest("tr, li"),
      cell = focused?.closest("td")?.cellIndex ?? 0,
      at = [...(row?.parentElement?.children ?? [])].indexOf(/** @type {Element} */ (row)),
      isTrainer = this._trainer.element.contains(focused);
    if (!focused || !this.panel.element.contains(focused)) return () => {};
    return () => {
      if (focused.getClientRects().length) return;
      const rows = [...(row?.localName === "tr" ? this._moves.rows : this._list).querySelectorAll("tr, li")],
        near = row ? rows[Math.min(at, rows.length - 1)] : null,
        again = near?.children[cell]?.querySelector("button") ?? near?.querySelector("button"),
        others = [again, isTrainer ? this._train : this._mark, this._train, this._choice];
      others.find(each => each?.getClientRects().length && !each.disabled)?.focus({preventScroll: true});
    };
  }

  /** @param {BoardLine} line */
  _drawMark(line) {
    const lines = this._lines,
      last = lines.lastOwn(line),
      {text: move = ""} = line[last],
      isMarked = Boolean(last) && this._isMarked(line, last);
    this._mark.disabled = !last;
    this._mark.textContent = !last
      ? t("Mark as mine")
      : isMarked
        ? t("Unmark {move}", {move})
        : t("Mark {move} as mine", {move});
    // what comes next: a move that is marked is to be trained
    this._mark.classList.toggle("primary", !isMarked);
    this._train.classList.toggle("primary", isMarked);
  }

  /** @param {BoardLine} line @param {number} ply */
  _isMarked(line, ply) {
    return this._lines.answers(line[ply - 1].fen).some(each => each.fen === line[ply].fen);
  }

  _drawOpenings() {
    const lines = this._lines,
      {roots} = lines.graph;
    const openings = Object.entries(roots).map(([fen, root]) => ({
      name: root.name || (root.start === START ? t("From the start") : t("From a position")),
      answers: lines.countAnswers(fen),
      remove: () => this._change(() => this._lines.remove(fen)),
      open: () =>
        // whole, also where another opening has come to the same positions
        this.app.open(
          lines.document(fen),
          root.ballot.map(() => 0),
          this._side === "black",
        ),
    }));
    this._list.replaceChildren(
      ...(openings.length ? [el("h2", null, t("Openings, to look through")), openingList(openings)] : []),
    );
  }

  // --- acts

  /** @param {Side} side */
  _choose(side) {
    this._side = side;
    this._choice.value = side;
    this.app.keep("repertoire-side", side);
    this._follow();
  }

  /**
   * Gives false, and says so, if the browser could not keep it: then nothing has changed.
   * @param {() => unknown} act
   */
  _change(act) {
    const isKept = this._record.change(act) !== "full";
    if (!isKept)
      this.app.fail(
        t("This browser keeps no more for the page. Save the repertoire as PDN, and unmark what you don't play"),
      );
    this._draw();
    return isKept;
  }

  async _toggle() {
    const line = this._line,
      last = this._lines.lastOwn(line);
    if (!last) return;
    const side = this._side;
    if (this._isMarked(line, last)) {
      if (this._change(() => this._lines.unmark(line[last - 1].fen, line[last].fen)))
        this.app.say(t("{move} is not yours any more", {move: line[last].text}));
      return;
    }
    const ballot = await this._ballot(line);
    if (side !== this._side) return;
    let isMarked = false;
    if (!this._change(() => (isMarked = this._lines.mark(line, ballot)))) return;
    this.app.say(
      isMarked
        ? t("{move} is yours", {move: line[last].text})
        : t("{move} is part of the ballot: mark a later move", {move: line[last].text}),
    );
  }

  /** How many moves of a line are drawn by lot, and the name of what begins then. @param {BoardLine} line */
  async _ballot(line) {
    if (!this.app.kept("repertoire-ballots", false) || line[0].fen !== START || line.length <= BALLOT_PLIES) return {};
    try {
      const moves = line.slice(1, BALLOT_PLIES + 1).map(each => each.text);
      const {ballot} = await this.app.api("openings/names", {start: START, moves});
      if (!ballot) return {};
      return {
        ballot: ballot.ply,
        name: [t("Ballot {number}", {number: ballot.number}), ballot.name].filter(Boolean).join(": "),
      };
    } catch (error) {
      this.app.fail(error);
      return {};
    }
  }

  _revert() {
    this._record.undo();
    this._draw();
  }

  /** @param {Row} row */
  _play({move: {text, path, captured, fen}}) {
    this.app.board.outline([]);
    this.app.tree.play({text, path, captured, fen});
  }

  _return() {
    const left = this._lines.left(this._line),
      {tree} = this.app,
      line = tree.line();
    if (left) tree.select(line[line.indexOf(tree.origin()) + left.ply]);
  }

  // --- training

  _begin() {
    if (this._lines.isEmpty) return;
    this._trainer.begin(this._side, {from: this.app.tree.node.fen});
    this._draw();
  }

  _review() {
    this._trainer.begin(this._side, {queue: this._record.due(this._side, dayNumber())});
    this._draw();
  }

  /**
   * The name of the opening that a line goes through.
   * @param {string} start
   * @param {BoardMove[]} moves
   */
  async _nameOf(start, moves) {
    const texts = moves.slice(0, NAMED_PLIES).map(move => move.text),
      key = [start, ...texts].join();
    if (!texts.length) return "";
    const asked =
      this._names.get(key) ??
      this.app
        .api("openings/names", {start, moves: texts})
        .then((/** @type {any} */ {names}) => names.at(-1)?.name ?? "")
        .catch(() => "");
    this._names.set(key, asked);
    return asked;
  }

  // --- files

  /** @param {File} file */
  async _read(file) {
    const errand = this.app.errand();
    try {
      const {documents, left} = await readGames(this.app, file);
      if (errand.isStale) return;
      let taken = {sides: [this._side], left: 0};
      if (!this._change(() => (taken = takeGames(documents, side => this._record.lines(side), this._side)))) return;
      if (!taken.sides.includes(this._side)) this._choose(taken.sides[0]);
      this.app.say(takenWords(file.name, documents.length, left + taken.left));
    } catch (error) {
      this.app.fail(error);
    }
  }

  async _give() {
    try {
      const text = await writeGames(this.app, this._lines);
      download(`kr-repertoire-${this._side}.pdn`, text, "application/x-draughts-pdn");
    } catch (error) {
      this.app.fail(error);
    }
  }
}
