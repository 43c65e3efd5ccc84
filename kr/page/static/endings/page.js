// The page Endings: random positions of a class, won or held move by move against exact play.

import {el} from "../dom.js";
import {FiltersOn} from "../filters.js";
import {iconButton} from "../icons.js";
import {LinePage} from "../line/page.js";
import {pause} from "../line/view.js";
import {BUILDS} from "../offers.js";
import {sound} from "../sounds.js";
import {said, t} from "../texts.js";
import {
  Ending,
  Record,
  advice,
  beginWords,
  bestWords,
  costWords,
  countWords,
  endWords,
  reasonWords,
  slipWords,
  taskWords,
} from "./state.js";
import {MoreEndings} from "./more.js";
import {EndingForm, ValuesPanel, countTerms} from "./view.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Answer, Known, Words} from "./state.js" */

/** @param {import("../shell.js").App} app */
export function page(app) {
  return new Endings(app).page;
}

class Endings extends LinePage {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    super(app, t("Board of the ending"));
    this._record = new Record(app);
    /** @type {Known | null} */
    this._known = null;
    /** @type {Ending | null} */
    this._ending = null;
    this._drawn = ""; // the position that was found by the form
    this._form = new EndingForm(app, {find: () => this._find(), distances: () => this._told()});
    this._values = new ValuesPanel(() => this._showValues());
    this._build = BUILDS ? new MoreEndings(app, this._values.more) : null;
    this._tally = el("section");
    this._counts = el("dl", {class: "counts"});
    this._back = iconButton("undo", t("Take back"), () => this._takeBack(), {key: "z", shown: true});
    this._on = iconButton("play", t("Play on"), () => this._send(true), {shown: true});
    this._best = iconButton("hint", t("Best move"), () => this._showBest(), {key: "h", shown: true});
    this._another = iconButton("skip", t("New ending"), () => this._find(), {key: "n", shown: true});
    this._wanted = new FiltersOn(() => this._find(), this._another);
    this.stage.offer([this._back, this._on, this._best, this._another]);
    this.stage.board.onmove = move => this._play(move);
    this.stage.onshow = () => this._values.hide();
    this._keys();
    this.page = this._made({
      name: "endings",
      title: t("Endings"),
      facts: el("div", {class: "name-row"}, this._counts, this._wanted.element),
      panels: [
        {name: "ending", title: t("Ending"), element: null},
        {name: "begin", title: t("Choose"), element: this._form.element},
        {name: "values", title: t("Exact values"), element: this._values.element},
        {name: "progress", title: t("Your endings"), element: this._tally},
      ],
    });
    this._showButtons();
    this._showRecord();
  }

  // --- parts

  _keys() {
    Object.assign(this.stage.keys, {
      z: () => this._back.disabled || this._takeBack(),
      h: () => this._best.disabled || this._showBest(),
      n: () => this._another.disabled || this._find(),
      r: () => this._ending && this._begin(this._ending.start),
    });
  }

  /** @override @returns {ReturnType<import("../menu.js").Items>} */
  _more() {
    const ending = this._ending;
    return [[t("Same again"), () => ending && this._begin(ending.start), {disabled: !ending}], null, ...super._more()];
  }

  // --- what is shown

  _showButtons() {
    const ending = this._ending,
      isWaiting = Boolean(ending?.isWaiting);
    this._on.hidden = !isWaiting;
    this._best.hidden = isWaiting;
    this._back.disabled = !ending || !this.stage.line.length;
    this._best.disabled = !ending || ending.isOver;
    this._another.disabled = !this._known?.pieces;
    this._values.allow(Boolean(ending && !ending.isOver));
    this._back.classList.toggle("primary", isWaiting);
  }

  // the counts, with or without distances
  _told() {
    const {_ending: ending, _known: known} = this;
    this.app.keep("endings-distances", this._form.distances);
    if (!ending || !known) return;
    const counts = countWords(ending, this.stage.line.length, known, this._form.distances);
    this._counts.replaceChildren(...countTerms(counts));
  }

  _showRecord() {
    this._tally.replaceChildren(...this._record.words().map(text => el("p", null, text)));
  }

  // what to do in the position at the end of the line
  _advise() {
    const {line} = this.stage,
      {mark} = /** @type {Ending} */ (this._ending);
    return advice(line.fen, line.allowed, mark.value, mark.left);
  }

  // --- choosing

  async _find() {
    this._form.wrong.textContent = "";
    const choice = this._form.wanted(),
      errand = this.app.errand();
    try {
      const {position} = await this.app.api("endings/new", choice);
      if (errand.isStale) return;
      this._drawn = position?.fen ?? "";
      if (position) this.app.go("endings", `${choice.goal}/${position.fen}`);
      else this._notFound(t("No such ending was found: try another difficulty or other pieces."));
    } catch (error) {
      this._notFound(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} why */
  _notFound(why) {
    this._tabs?.open("begin");
    this._form.wrong.textContent = why;
  }

  /** @param {string} start */
  _begin(start) {
    return this._change(
      async () => {
        const [position, {moves}] = await Promise.all([this.app.position(start), this._valuesOf(start)]);
        return {position, moves};
      },
      ({position, moves}) => {
        if (!moves.length)
          throw new Error((position.over && said(position.over)) || t("This position is not in the endgame database."));
        const ending = new Ending({start: position.fen, side: position.side}, moves[0]);
        this._ending = ending;
        this._wanted.show(start === this._drawn ? this._form.filters : []);
        this._headers = {Event: ending.goal === "draw" ? "Ending, draw" : "Ending, win"};
        this.stage.tell(taskWords(ending, /** @type {Known} */ (this._known)), ending.side);
        this.stage.begin(ending.start, [], ending.side);
        this.stage.allow(position.moves);
        this._tell(beginWords(this._advise()));
        this._showButtons();
        this._told();
      },
    );
  }

  // --- playing

  /** @param {BoardMove} move */
  _play(move) {
    const ending = this._ending;
    if (!ending) return;
    // an ending that is still looked for does not take the place of this one
    this.app.acted();
    this.stage.play(move);
    if (!ending.isBegun) {
      this._record.count(ending.goal, "tried");
      this._showRecord();
    }
    ending.isBegun = true;
    this._send(false);
  }

  /** @param {boolean} goOn after a slip */
  async _send(goOn) {
    const errand = this._tasks.current(),
      ending = /** @type {Ending} */ (this._ending),
      {line} = this.stage;
    ending.isWaiting = false;
    this._showButtons();
    try {
      const answer = await this.app.api("endings/move", {
        start: ending.start,
        moves: line.texts,
        goal: ending.goal,
        on: goOn,
      });
      if (errand.isStale) return;
      if (answer.reply) {
        this._wait("…");
        await pause();
        if (errand.isStale) return;
      }
      this._take(ending, answer, goOn);
    } catch (error) {
      if (errand.isStale) return;
      this._cut(line.length - 1);
      this._fail(error);
    }
  }

  /**
   * @param {Ending} ending
   * @param {Answer} answer to the last move
   * @param {boolean} goOn
   */
  _take(ending, answer, goOn) {
    const {line} = this.stage,
      move = line.texts.at(-1) ?? "";
    const {reply, over} = answer;
    if (reply) this.stage.play(reply);
    if (!over && reply) this.stage.allow(answer.position.moves);
    ending.take(line.length, answer);
    if (!answer.kept && !goOn) {
      ending.slips += 1;
      ending.isWaiting = !over;
      sound("wrong");
      this._tell(slipWords(move, answer));
    } else if (reply && !over) {
      this._tell(this._replied(move, answer));
    }
    if (over) this._finish(ending, answer);
    this._showButtons();
    this._told();
  }

  /** @param {string} move @param {Answer} answer @returns {Words} */
  _replied(move, answer) {
    const {distances} = this._form;
    const words = [
      answer.reasons && reasonWords(answer.reasons, distances),
      distances && costWords(move, answer),
      this._advise(),
    ];
    return {
      mark: "",
      head: t("kr plays {move}. Your move.", {move: answer.reply?.text}),
      more: words.filter(Boolean).join(" "),
    };
  }

  /** @param {Ending} ending @param {Answer} answer */
  _finish(ending, {over, reply}) {
    if (!over) return;
    ending.isOver = true;
    const words = endWords(ending, over, this.stage.line.length, reply);
    if (words.mark === "✓") {
      sound("end");
      this._record.count(ending.goal, "done");
      if (ending.isClean) this._record.count(ending.goal, "clean");
    }
    this._showRecord();
    this._tell(words, [
      [t("New ending"), () => this._find()],
      [t("Same again"), () => this._begin(ending.start)],
      [t("Analyse"), () => this._analyse()],
    ]);
  }

  // back to the person's last decision
  _takeBack() {
    const ending = /** @type {Ending} */ (this._ending),
      {length} = this.stage.line;
    this.app.acted();
    if (!ending.isWaiting && !ending.isOver) ending.slips += 1;
    this._tasks.end();
    this._cut(length - (length % 2 === 1 ? 1 : 2));
    this._tell({mark: "", head: t("Taken back."), more: this._advise()});
  }

  /** @param {number} length */
  _cut(length) {
    this.stage.cut(length);
    this._ending?.cut(length);
    this._showButtons();
    this._told();
  }

  // --- exact values

  /**
   * The moves of a position, best first.
   * @param {string} fen
   * @param {boolean} [harder] of draws the harder ones for people first
   * @returns {Promise<{moves: import("./state.js").ExactMove[], harder: boolean}>}
   */
  _valuesOf(fen, harder = false) {
    return this.app.api("endings/values", {fen, harder});
  }

  /** The values of the position that is shown; null if it is not shown any more. @param {boolean} [harder] */
  async _valued(harder) {
    const errand = this._tasks.current(),
      {fen} = this.stage.line;
    const isStale = () => errand.isStale || this.stage.line.fen !== fen;
    try {
      const found = await this._valuesOf(fen, harder);
      return isStale() ? null : found;
    } catch (error) {
      if (!isStale()) this._fail(error);
      return null;
    }
  }

  async _showValues() {
    const found = await this._valued(true);
    if (!found?.moves.length) return;
    const {moves, harder} = found,
      [{value}] = moves;
    this._help();
    this._values.show(moves, harder);
    const best = moves.filter(each => each.value === value).slice(0, 3);
    this.stage.mark({arrows: best.map(({path}, i) => ({path, kind: i ? "other" : "best"}))});
  }

  async _showBest() {
    const {stage} = this;
    if (!stage.line.isLast) stage.go(stage.line.length);
    const found = await this._valued();
    if (!found?.moves.length) return;
    const {moves} = found;
    this._help();
    stage.mark({arrows: [{path: moves[0].path, kind: "best"}]});
    this._tell(bestWords(moves, this._form.distances));
  }

  _help() {
    if (this._ending) this._ending.hints += 1;
  }

  // --- coming and going

  /** @override */
  _forget() {
    this._known = null;
  }

  /**
   * What the address says of the task is for people, since the database knows it.
   * @override
   * @param {string} rest
   * @param {import("../errands.js").Errand} entry
   */
  async _enter(rest, entry) {
    this._build?.begin();
    if (!this._known) {
      const known = await this.app.api("endings/known");
      if (entry.isStale) return;
      this._setUp(known);
    }
    if (!this._known?.pieces) return;
    const start = rest.split("/").slice(1).join("/");
    if (start && this._ending?.start !== start) await this._begin(start);
    else if (!this._ending) await this._find();
    else if (!start) this.app.go("endings", `${this._ending.goal}/${this._ending.start}`);
  }

  /** @param {Known} known */
  _setUp(known) {
    this._known = known;
    if (known.pieces) this._form.fill(known);
    else this.stage.tell(t("There is no endgame database here: kr egdb build makes one."));
    this._form.element.toggleAttribute("inert", !known.pieces);
    this._showButtons();
  }
}
