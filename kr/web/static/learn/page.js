// The page Learn: puzzles on one screen. The solver's moves are judged by the server one by one; what has been solved
// is kept in the browser.

import {el} from "../dom.js";
import {iconButton} from "../icons.js";
import {pause} from "../line.js";
import {LineStage, fitted, judge} from "../line/stage.js";
import {sound} from "../sounds.js";
import {Tabs} from "../tabs.js";
import {t} from "../texts.js";
import {Actions} from "./actions.js";
import {
  Progress,
  beginWords,
  endWords,
  following,
  hintWords,
  solutionWords,
  taskWords,
  today,
  verdictWords,
} from "./state.js";
import {ProgressPanel, PuzzleList} from "./view.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Answer, Puzzle, Words} from "./state.js" */

/** @param {import("../shell.js").App} app */
export function page(app) {
  return new Learn(app).page;
}

class Learn {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    this.app = app;
    this._ask = new Actions(app);
    this._progress = new Progress(app);
    this._daily = "";
    this._day = "";
    this._active = false;
    this._entries = 0;
    this._streak = 0;
    /** @type {Puzzle | null} */
    this._puzzle = null;
    this._asked = 0;
    this._step = 0; // of the hint: the piece, then the move
    this._over = this._busy = this._searched = this._helped = false;
    this._list = new PuzzleList(this._progress, id => this._open(id));
    this._panel = new ProgressPanel();
    this._hint = iconButton("hint", t("Hint"), () => this._showHint(), {key: "h", shown: true});
    this._solution = iconButton("solution", t("Solution"), () => this._showSolution(), {key: "s", shown: true});
    this._next = iconButton("skip", t("Next puzzle"), () => this._open(this._following()), {key: "n", shown: true});
    this.stage = new LineStage(app, {
      label: t("Board of the puzzle"),
      buttons: [this._hint, this._solution, this._next],
      more: () => this._more(),
    });
    this.stage.board.onmove = move => this._play(move);
    this._keys();
    this._tabs = this._makeTabs();
    this._fitted = fitted(this._tabs, "puzzle", "list");
    this.page = {
      name: "learn",
      title: t("Learn"),
      element: this._element(),
      enter: (/** @type {string} */ rest) => this.enter(rest),
      leave: () => this.leave(),
    };
    app.onback(() => this._active && !this._puzzle && this.enter(""));
    this._showButtons();
  }

  // --- parts

  _element() {
    this._title = el("h2", {class: "title"});
    this._verdict = el("div", {class: "verdict", role: "status", tabindex: 0});
    this._about = el("p", {class: "about muted"});
    this._side = el(
      "div",
      {class: "side"},
      this._verdict,
      el("div", {class: "name-row", tabindex: 0}, this._title, this._about),
      this.stage.list,
      this._tabs.element,
      this._tabs.body,
    );
    return el("div", {class: "screen plain study learn"}, this.stage.element, this._side);
  }

  _makeTabs() {
    return new Tabs(
      [
        {name: "puzzle", title: t("Puzzle"), element: null},
        {name: "list", title: t("All puzzles"), element: this._list.element, show: () => this._list.reveal()},
        {name: "progress", title: t("Progress"), element: this._panel.element},
      ],
      {label: t("Panels"), onchange: name => this._side?.classList.toggle("open", name !== "puzzle")},
    );
  }

  _keys() {
    Object.assign(this.stage.keys, {
      h: () => this._hint.disabled || this._showHint(),
      s: () => this._solution.disabled || this._showSolution(),
      n: () => this._open(this._following()),
      r: () => this._puzzle && this._load(this._puzzle.id),
    });
  }

  /** @returns {ReturnType<Parameters<import("../line/stage.js").Menu>[2]>} */
  _more() {
    const {_puzzle: puzzle, stage} = this,
      off = {disabled: !puzzle};
    const solved = this._list.puzzles.some(each => each.id === this._daily && this._progress.of(each.fen).solved);
    return [
      [t("Start again"), () => puzzle && this._load(puzzle.id), off],
      [solved ? t("Puzzle of the day ✓") : t("Puzzle of the day"), () => this._open(this._daily)],
      null,
      [t("Turn the board"), () => stage.stage.flip()],
      [t("Analyse"), () => this._analyse(), off],
    ];
  }

  _analyse() {
    const {line, board} = this.stage;
    if (this._puzzle)
      this.app.open(
        line.document({Event: this._puzzle.title}),
        line.moves.map(() => 0),
        board.flipped,
      );
  }

  // --- what is shown

  /** @param {Words} words */
  _tell({mark, head, more}) {
    const brief = el("p", {class: "brief"});
    judge(brief, mark, head);
    this._verdict?.replaceChildren(brief, ...(more ? [" ", el("p", {class: "why"}, more)] : []));
  }

  /** @param {unknown} error */
  _fail(error) {
    this._tell({mark: "", head: /** @type {Error} */ (error).message, more: ""});
  }

  _showButtons() {
    const idle = !this._puzzle || this._over || this._busy;
    this._hint.disabled = this._solution.disabled = idle;
    const name = this._step ? t("Show the move") : t("Hint");
    this._hint.setAttribute("aria-label", name);
    this._hint.title = `${name} (h)`;
    const shown = this._hint.querySelector("span");
    if (shown) shown.textContent = name;
    this._next.classList.toggle("primary", this._over);
  }

  // where a puzzle comes from tells at times what its answer is
  _showAbout() {
    if (this._about)
      this._about.textContent = [this._puzzle?.author, this._over && this._puzzle?.source].filter(Boolean).join(". ");
  }

  _showList() {
    this._list.current = this._puzzle?.id ?? "";
    this._list.show();
    this._panel.show(this._list.puzzles, this._progress, this._streak);
  }

  // --- puzzles

  _following() {
    const {puzzles} = this._list;
    return following(puzzles, this._list.matching(), this._progress, this._puzzle?.id)?.id;
  }

  /** @param {string | undefined} id */
  _open(id) {
    if (!id) this._tell({mark: "", head: t("Nothing unsolved is left in the list."), more: ""});
    else if (this._puzzle?.id === id) this._load(id);
    else this.app.go("learn", encodeURIComponent(id));
  }

  /** @param {string} id */
  async _load(id) {
    const number = ++this._asked;
    this.stage.hold(true);
    try {
      const puzzle = await this._ask.start(id);
      if (number !== this._asked) return;
      this._puzzle = puzzle;
      this._over = this._busy = this._searched = this._helped = false;
      this._step = 0;
      if (this._title)
        this._title.textContent =
          puzzle.id === this._daily ? t("Puzzle of the day: {title}", {title: puzzle.title}) : puzzle.title;
      this.stage.tell(taskWords(puzzle), puzzle.solver);
      this._showAbout();
      this._tell(beginWords(puzzle));
      this.stage.begin(puzzle.start, puzzle.moves, puzzle.solver);
      this.stage.allow(puzzle.position.moves);
      this._showButtons();
      this._showList();
      this._fitted.toTask();
    } catch (error) {
      if (number !== this._asked) return;
      this.stage.hold(false);
      this._fail(error);
    }
  }

  /** @param {BoardMove} move */
  async _play(move) {
    const {stage, _puzzle: puzzle, _asked: number} = this,
      {length} = stage.line;
    if (!puzzle) return;
    stage.play(move);
    this._tell({mark: "", head: `${move.text} …`, more: ""});
    this._busy = true;
    this._showButtons();
    try {
      const answer = await this._ask.answer(puzzle.id, stage.line.texts);
      if (number !== this._asked) return;
      this._step = 0;
      if (answer.kept && answer.reply) {
        await pause();
        if (number !== this._asked) return;
      }
      this._busy = false;
      this._judge(move, answer, puzzle, length);
    } catch (error) {
      if (number !== this._asked) return;
      this._busy = false;
      stage.cut(length);
      this._fail(error);
    }
    this._showButtons();
  }

  /**
   * @param {BoardMove} move
   * @param {Answer} answer
   * @param {Puzzle} puzzle
   * @param {number} length of the line before the move
   */
  _judge(move, answer, puzzle, length) {
    this._tell(verdictWords(move.text, answer, puzzle));
    if (answer.kept) {
      this._searched ||= answer.by === "search";
      if (answer.reply) this.stage.play(answer.reply);
      if (answer.ended) this._finish(answer, move, puzzle);
      else this.stage.allow(answer.position.moves);
      return;
    }
    this.stage.cut(length);
    if (answer.kept === false) {
      sound("low");
      this._wrong(puzzle);
    }
  }

  /** @param {Puzzle} puzzle */
  _wrong(puzzle) {
    this._streak = 0;
    this._helped = true;
    this._progress.count(puzzle.start, "tries");
    this._showList();
  }

  /**
   * @param {Answer} answer
   * @param {BoardMove} move
   * @param {Puzzle} puzzle
   */
  _finish(answer, move, puzzle) {
    this._over = true;
    this._tell(endWords(move.text, answer));
    if (answer.solved) {
      sound("end");
      if (!this._helped) this._streak += 1;
      this._progress.solve(puzzle.start, this._searched);
    } else {
      this._wrong(puzzle);
    }
    this._showAbout();
    this._showList();
  }

  // --- help

  // what comes for a line that has gone on since is not about it
  _asking() {
    const number = this._asked,
      line = this.stage.line.texts.join();
    return () => number !== this._asked || line !== this.stage.line.texts.join();
  }

  /** @param {Puzzle} puzzle */
  _help(puzzle) {
    this._helped = true;
    this._streak = 0;
    this._progress.count(puzzle.start, "hints");
  }

  async _showHint() {
    const {stage, _puzzle: puzzle} = this,
      isStale = this._asking();
    if (!puzzle) return;
    if (!stage.line.isLast) stage.go(stage.line.length);
    try {
      const hint = await this._ask.hint(puzzle.id, stage.line.texts, this._step > 0);
      if (isStale()) return;
      if (!this._step) this._help(puzzle);
      stage.mark(hint.move ? {arrows: [{path: hint.move.path, kind: "best"}]} : {squares: [hint.square]});
      this._tell(hintWords(hint));
      this._step = 1;
      this._showButtons();
      this._showList();
    } catch (error) {
      if (!isStale()) this._fail(error);
    }
  }

  async _showSolution() {
    const {stage, _puzzle: puzzle} = this,
      isStale = this._asking();
    if (!puzzle) return;
    try {
      const solution = await this._ask.solution(puzzle.id, stage.line.texts);
      if (isStale()) return;
      this._help(puzzle);
      this._over = true;
      stage.add(solution.moves);
      this._tell(solutionWords(solution));
      this._showAbout();
      this._showButtons();
      this._showList();
    } catch (error) {
      if (!isStale()) this._fail(error);
    }
  }

  // --- coming and going

  /** @param {string} rest of the address */
  async enter(rest) {
    const entry = ++this._entries;
    if (!this._active) this.stage.listen();
    this._active = true;
    if (this.stage.line.length) this.stage.reveal();
    let id = "";
    try {
      id = decodeURIComponent(rest);
    } catch {
      // a damaged address leads to the puzzle of the day
    }
    try {
      // a page that is open overnight gets the next day's puzzle
      if (!this._list.puzzles.length || this._day !== today()) {
        const date = today(),
          {puzzles, daily} = await this._ask.list(date);
        if (entry !== this._entries) return;
        this._daily = daily;
        this._day = date;
        this._list.take(puzzles);
        this._showList();
      }
      if (!this._puzzle || (id && id !== this._puzzle.id)) await this._load(id || this._daily);
    } catch (error) {
      this._fail(error);
    }
  }

  leave() {
    this._active = false;
    this.stage.unlisten();
  }
}
