// The page Learn: puzzles on one screen. The solver's moves are judged by the server one by one; what has been solved
// is kept in the browser.

import {el} from "../dom.js";
import {iconButton} from "../icons.js";
import {LinePage} from "../line/page.js";
import {pause} from "../line/view.js";
import {sound} from "../sounds.js";
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

class Learn extends LinePage {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    super(app, t("Board of the puzzle"));
    this._ask = new Actions(app);
    this._progress = new Progress(app);
    this._daily = "";
    this._day = "";
    this._streak = 0;
    /** @type {Puzzle | null} */
    this._puzzle = null;
    this._step = 0; // of the hint: the piece, then the move
    this._over = this._busy = this._searched = this._helped = false;
    this._list = new PuzzleList(this._progress, id => this._open(id));
    this._panel = new ProgressPanel();
    this._title = el("h2", {class: "title"});
    this._about = el("p", {class: "about muted"});
    this._hint = iconButton("hint", t("Hint"), () => this._showHint(), {key: "h", shown: true});
    this._solution = iconButton("solution", t("Solution"), () => this._showSolution(), {key: "s", shown: true});
    this._next = iconButton("skip", t("Next puzzle"), () => this._open(this._following()), {key: "n", shown: true});
    this.stage.offer([this._hint, this._solution, this._next]);
    this.stage.board.onmove = move => this._play(move);
    this._keys();
    this.page = this._made({
      name: "learn",
      title: t("Learn"),
      facts: el("div", {class: "name-row", tabindex: 0}, this._title, this._about),
      panels: [
        {name: "puzzle", title: t("Puzzle"), element: null},
        {name: "list", title: t("All puzzles"), element: this._list.element, show: () => this._list.reveal()},
        {name: "progress", title: t("Progress"), element: this._panel.element},
      ],
    });
    this._showButtons();
  }

  // --- parts

  _keys() {
    Object.assign(this.stage.keys, {
      h: () => this._hint.disabled || this._showHint(),
      s: () => this._solution.disabled || this._showSolution(),
      n: () => this._open(this._following()),
      r: () => this._puzzle && this._load(this._puzzle.id),
    });
  }

  /** @override */
  _more() {
    const puzzle = this._puzzle;
    const solved = this._list.puzzles.some(each => each.id === this._daily && this._progress.of(each.fen).solved);
    /** @type {ReturnType<import("../menu.js").Items>} */
    const own = [
      [t("Start again"), () => puzzle && this._load(puzzle.id), {disabled: !puzzle}],
      [solved ? t("Puzzle of the day ✓") : t("Puzzle of the day"), () => this._open(this._daily)],
    ];
    return [...own, null, ...super._more()];
  }

  // --- what is shown

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
  _load(id) {
    return this._change(
      () => this._ask.start(id),
      puzzle => {
        this._puzzle = puzzle;
        this._headers = {Event: puzzle.title};
        this._over = this._busy = this._searched = this._helped = false;
        this._step = 0;
        this._title.textContent =
          puzzle.id === this._daily ? t("Puzzle of the day: {title}", {title: puzzle.title}) : puzzle.title;
        this.stage.tell(taskWords(puzzle), puzzle.solver);
        this._showAbout();
        this._tell(beginWords(puzzle));
        this.stage.begin(puzzle.start, puzzle.moves, puzzle.solver);
        this.stage.allow(puzzle.position.moves);
        this._showButtons();
        this._showList();
      },
    );
  }

  /** @param {BoardMove} move */
  async _play(move) {
    const {stage, _puzzle: puzzle} = this,
      errand = this._tasks.current(),
      {length} = stage.line;
    if (!puzzle) return;
    stage.play(move);
    this._tell({mark: "", head: `${move.text} …`, more: ""});
    this._busy = true;
    this._showButtons();
    try {
      const answer = await this._ask.answer(puzzle.id, stage.line.texts);
      if (errand.isStale) return;
      this._step = 0;
      if (answer.kept && answer.reply) {
        await pause();
        if (errand.isStale) return;
      }
      this._busy = false;
      this._judge(move, answer, puzzle, length);
    } catch (error) {
      if (errand.isStale) return;
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
    const errand = this._tasks.current(),
      line = this.stage.line.texts.join();
    return () => errand.isStale || line !== this.stage.line.texts.join();
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

  /**
   * @override
   * @param {string} id of a puzzle; "" for the one of the day
   * @param {import("../errands.js").Errand} entry
   */
  async _enter(id, entry) {
    const date = today();
    // a page that is open overnight gets the next day's puzzle
    if (!this._list.puzzles.length || this._day !== date) {
      const {puzzles, daily} = await this._ask.list(date);
      if (entry.isStale) return;
      this._daily = daily;
      this._day = date;
      this._list.take(puzzles);
      this._showList();
    }
    if (!this._puzzle || (id && id !== this._puzzle.id)) await this._load(id || this._daily);
  }
}
