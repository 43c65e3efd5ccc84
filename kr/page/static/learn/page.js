// The page Learn: puzzles, and the doors to lessons. The solver's moves are judged by the server one by one; the
// rating, what was missed and what has been solved are kept in the browser.

import {el} from "../dom.js";
import {positionLink} from "../files/link.js";
import {FiltersOn} from "../filters.js";
import {iconButton} from "../icons.js";
import {LinePage} from "../line/page.js";
import {pause} from "../line/view.js";
import {sound} from "../sounds.js";
import {many, t} from "../texts.js";
import {LessonsPanel} from "../lessons/panel.js";
import {Attempt} from "./attempt.js";
import {Heading} from "./heading.js";
import {PuzzleList} from "./list.js";
import {OwnFiles, OwnPanel} from "./own.js";
import {RecordPanel} from "./record.js";
import {Running} from "./running.js";
import {
  beginWords,
  endWords,
  following,
  hintWords,
  listed,
  solutionWords,
  taskWords,
  titleOf,
  today,
  verdictWords,
  whyWords,
} from "./state.js";
import {Training, dayNumber} from "./training.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {Answer, Puzzle, Words} from "./state.js" */

const THEME = "theme/";
/** In the address, for the puzzle of the day. */
const TODAY = "today";

/** @param {import("../shell.js").App} app */
export function page(app) {
  return new Learn(app).page;
}

class Learn extends LinePage {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    super(app, t("Board of the puzzle"));
    this._training = new Training(app);
    this._daily = "";
    this._day = new Date(0); // of the list, and of its puzzle of the day
    this._attempt = new Attempt(this._training);
    /** @type {import("../lessons/state.js").Lessons | null} */
    this._lessons = null;
    /** @type {Set<string>} */
    this._opened = new Set();
    /** @type {Puzzle | null} */
    this._puzzle = null;
    this._step = 0; // of the hint: the piece, then the move
    this._over = this._busy = false;
    this._own = new OwnFiles(app);
    /** @type {import("./own.js").OwnFile[] | null} */
    this._listed = null; // of the list
    this._files = new OwnPanel(app, this._own, added => this._takeOwn(added));
    this._list = new PuzzleList(
      this._training,
      {
        open: id => this._open(id),
        review: () => this._open(this._due()),
        boards: async ids => (await app.api("puzzles/boards", {ids})).boards,
        filter: () => this._showFilters(),
      },
      this._files.element,
    );
    this._steps = new LessonsPanel(this._training);
    this._running = new Running(app, {
      puzzles: () => this._list.puzzles,
      open: id => this._open(id),
      ended: challenge => this._endRun(challenge),
    });
    this._record = new RecordPanel(app, this._training, {
      loaded: () => this._showList(),
      run: kind => this._running.start(kind),
      best: kind => this._running.best(kind),
    });
    this._heading = new Heading();
    this._hint = iconButton("hint", t("Hint"), () => this._showHint(), {key: "h", shown: true});
    this._solution = iconButton("solution", t("Solution"), () => this._showSolution(), {key: "s", shown: true});
    this._next = iconButton("skip", t("Next puzzle"), () => this._another(), {key: "n", shown: true});
    // from where the list is not in sight, the next puzzle is one of those that it leaves
    this._filters = new FiltersOn(() => {
      this._list.show();
      this._showFilters();
    }, this._next);
    this.stage.offer([this._hint, this._solution, this._next]);
    this.stage.board.onmove = move => this._play(move);
    this._keys();
    this.page = this._made({
      name: "learn",
      title: t("Learn"),
      facts: el("div", {class: "name-row", tabindex: 0}, [
        this._running.element,
        ...this._heading.elements,
        this._filters.element,
      ]),
      panels: [
        {name: "puzzle", title: t("Puzzle"), element: null},
        {name: "list", title: t("All puzzles"), element: this._list.element, show: () => this._list.reveal()},
        {name: "lessons", title: t("Lessons"), element: this._steps.element, show: () => this._showLessons()},
        {name: "progress", title: t("Progress"), element: this._record.element},
      ],
    });
    this._showButtons();
  }

  // --- parts

  _keys() {
    Object.assign(this.stage.keys, {
      h: () => this._hint.disabled || this._showHint(),
      s: () => this._solution.disabled || this._showSolution(),
      n: () => this._another(),
      r: () => this._puzzle && this._load(this._puzzle.id),
    });
  }

  /** @override */
  _more() {
    const puzzle = this._puzzle;
    const solved = this._training.hasDaily(dayNumber(this._day));
    const due = this._list.due().length;
    /** @type {ReturnType<import("../menu.js").Items>} */
    const own = [
      [t("Start again"), () => puzzle && this._load(puzzle.id), {disabled: !puzzle}],
      [solved ? t("Puzzle of the day ✓") : t("Puzzle of the day"), () => this._openDaily()],
      [t("Due today: {puzzles}", {puzzles: many(due, "puzzle")}), () => this._open(this._due()), {disabled: !due}],
      [t("Open problems…"), () => this._files.pick()],
    ];
    return [...own, null, ...super._more()];
  }

  /** @override */
  _link() {
    const puzzle = this._puzzle;
    // a problem of the person's files is nowhere else
    return puzzle?.origin === "own" ? positionLink(puzzle.start) : super._link();
  }

  // --- what is shown

  _showButtons() {
    const idle = !this._puzzle || this._over || this._busy || this._running.isOn;
    this._hint.disabled = this._solution.disabled = idle;
    const name = this._step ? t("Show the move") : t("Hint");
    this._hint.setAttribute("aria-label", name);
    this._hint.title = `${name} (h)`;
    const shown = this._hint.querySelector("span");
    if (shown) shown.textContent = name;
    this._next.classList.toggle("primary", this._over);
  }

  _showHeading() {
    const puzzle = this._puzzle;
    if (!puzzle) return;
    this._heading.show(puzzle, {
      day: puzzle.id === this._daily ? this._day : null,
      isOver: this._over,
      gain: this._attempt.gain,
    });
  }

  _showList() {
    const id = this._puzzle?.id ?? "",
      day = dayNumber();
    this._training.refresh();
    this._heading.door.hidden = this._training.solvedCount > 0 || this._training.all.steps.length > 0;
    this._showFilters();
    this._list.current = id;
    this._list.day = day;
    this._list.show();
    if (this._lessons) this._steps.show(this._lessons);
    this._record.show(this._list.puzzles, {day, streak: this._attempt.streak});
  }

  _showFilters() {
    this._filters.show(this._list.filters, t("Next puzzle:"));
  }

  async _showLessons() {
    if (this._lessons) return;
    try {
      this._lessons = await this.app.api("lessons/list");
      this._showList();
    } catch (error) {
      this.app.fail(error);
    }
  }

  // --- puzzles

  _following() {
    const {puzzles, isInOrder} = this._list,
      id = this._puzzle?.id ?? "";
    const now = {day: dayNumber(), id, seen: this._opened, inOrder: isInOrder};
    return following(puzzles, this._list.matching(), this._training, now)?.id;
  }

  // in a streak and in three minutes, a puzzle that is left is missed
  _another() {
    if (this._running.isOn) void this._running.count(false);
    else this._open(this._following());
  }

  async _openDaily() {
    const errand = this._tasks.current();
    try {
      await this._renew(errand);
      if (!errand.isStale) this._open(this._daily);
    } catch (error) {
      if (!errand.isStale) this._fail(error);
    }
  }

  // the puzzle that is longest due, another one than that on the board if there is one
  _due() {
    const due = this._list.due();
    return (due.find(({id}) => id !== this._puzzle?.id) ?? due[0])?.id;
  }

  /** @param {string | undefined} id */
  _open(id) {
    if (!id) {
      const {filters} = this._list,
        names = filters.map(each => each.name).join(", ");
      if (filters.length) this._tell({mark: "", head: t("Nothing unsolved is left with these filters."), more: names});
      else this._tell({mark: "", head: t("Nothing unsolved is left in the list."), more: ""});
    } else if (this._puzzle?.id === id) this._load(id);
    else this.app.go("learn", encodeURIComponent(id));
  }

  /** @param {string} id */
  _load(id) {
    return this._change(
      () => this.app.api("puzzles/start", {id}),
      puzzle => {
        if (puzzle.origin === "course") {
          location.replace(`#lessons/${puzzle.id}`);
          return;
        }
        this._puzzle = puzzle;
        this._headers = {Event: puzzle.title ? titleOf(puzzle) : `${titleOf(puzzle)} (${puzzle.id})`};
        this._over = this._busy = false;
        this._step = 0;
        this._attempt.begin();
        this._opened.add(puzzle.id);
        this._showHeading();
        this.stage.tell(taskWords(puzzle), puzzle.solver);
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
    this._wait(`${move.text} …`);
    this._busy = true;
    this._showButtons();
    try {
      const answer = await this._solver("answer", puzzle);
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
      if (answer.by === "search") this._attempt.isLikely = true;
      if (answer.reply) this.stage.play(answer.reply);
      if (answer.ended) this._finish(answer, move, puzzle);
      else {
        sound("right");
        this.stage.allow(answer.position.moves);
      }
      return;
    }
    this.stage.cut(length);
    if (answer.kept === false) {
      sound("wrong");
      this._miss(puzzle, "tries");
      this._showList();
    }
  }

  /**
   * @param {Puzzle} puzzle
   * @param {"tries" | "hints"} what
   */
  _miss(puzzle, what) {
    void this._running.count(false);
    this._attempt.miss(puzzle, what);
  }

  /**
   * @param {Answer} answer
   * @param {BoardMove} move
   * @param {Puzzle} puzzle
   */
  _finish(answer, move, puzzle) {
    this._over = true;
    const words = endWords(move.text, answer),
      why = answer.solved ? whyWords(puzzle, answer, this.stage.line) : "";
    this._tell({...words, more: `${words.more} ${why}`.trim()});
    if (answer.solved) {
      sound("end");
      this._solved(puzzle);
    } else this._miss(puzzle, "tries");
    this._showHeading();
    this._showList();
  }

  /** @param {Puzzle} puzzle */
  _solved(puzzle) {
    this._attempt.solve(puzzle);
    if (puzzle.id === this._daily) this._training.solveDaily(dayNumber(this._day));
    void this._running.count(true);
  }

  /** @param {import("./challenge.js").Challenge} challenge */
  _endRun(challenge) {
    this._tasks.end();
    this._over = true;
    this.stage.allow([]);
    const {_puzzle: puzzle} = this;
    this._tell(challenge.endWords(), [
      [t("Once more"), () => this._running.start(challenge.kind)],
      ...(puzzle
        ? [/** @type {[string, () => unknown]} */ ([t("This puzzle again"), () => this._load(puzzle.id)])]
        : []),
      [t("Next puzzle"), () => this._another()],
    ]);
    this._showButtons();
    this._showList();
  }

  // --- help

  // what comes for a line that has gone on since is not about it
  _asking() {
    const errand = this._tasks.current(),
      line = this.stage.line.texts.join();
    return () => errand.isStale || line !== this.stage.line.texts.join();
  }

  /**
   * What is answered to the moves on the board.
   * @param {"answer" | "hint" | "solution"} what
   * @param {import("./state.js").Puzzle} puzzle
   * @param {object} [more]
   */
  _solver(what, {id}, more = {}) {
    return this.app.api(`puzzles/${what}`, {id, moves: this.stage.line.texts, ...more});
  }

  async _showHint() {
    const {stage, _puzzle: puzzle} = this,
      isStale = this._asking();
    if (!puzzle) return;
    if (!stage.line.isLast) stage.go(stage.line.length);
    try {
      const hint = await this._solver("hint", puzzle, {whole: this._step > 0});
      if (isStale()) return;
      if (!this._step) this._miss(puzzle, "hints");
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
      const solution = await this._solver("solution", puzzle);
      if (isStale()) return;
      this._miss(puzzle, "hints");
      this._over = true;
      stage.add(solution.moves);
      this._tell(solutionWords(solution));
      this._showHeading();
      this._showButtons();
      this._showList();
    } catch (error) {
      if (!isStale()) this._fail(error);
    }
  }

  // --- the person's own files

  /** @param {boolean} added */
  async _takeOwn(added) {
    try {
      await this._renew({isStale: false});
      const puzzle = this._puzzle;
      if (added) {
        this._tabs?.open("list");
        this._list.showOwn();
      } else if (puzzle?.origin === "own" && !this._list.puzzles.some(each => each.id === puzzle.id)) {
        this._open(this._daily);
      }
    } catch (error) {
      this.app.fail(error);
    }
  }

  // --- coming and going

  /** @override */
  _forget() {
    this._listed = this._lessons = null;
  }

  /**
   * @override
   * @param {string} id of a puzzle; TODAY for the one of the day, "" for the one on the board, or that; theme/NAME for
   *     the next one of a theme
   * @param {import("../errands.js").Errand} entry
   */
  async _enter(id, entry) {
    await this._renew(entry);
    if (entry.isStale) return;
    if (id.startsWith(THEME)) {
      this._list.showTheme(id.slice(THEME.length));
      this._open(this._following());
    } else if (id === TODAY) location.replace(`#learn/${encodeURIComponent(this._daily)}`);
    else if (!id) this.app.go("learn", encodeURIComponent(this._puzzle?.id ?? this._daily));
    else if (id !== this._puzzle?.id) await this._load(id);
  }

  /** @override */
  leave() {
    this._running.end();
    super.leave();
  }

  // a page that is open overnight gets the next day's puzzle
  /** @param {import("../errands.js").Errand} errand */
  async _renew(errand) {
    const now = new Date();
    this._own.refresh();
    if (today(this._day) === today(now) && this._listed === this._own.all) return;
    const {all} = this._own,
      listing = await this.app.api("puzzles/list", {date: today(now), own: this._own.problems()});
    if (errand.isStale) return;
    this._listed = all;
    this._files.show();
    // it stays as the last of the first ten is solved
    this._daily = this._training.isBeginner ? listing.daily_easy : listing.daily;
    this._day = now;
    this._list.take(listed(listing));
    this._showHeading();
    this._showList();
  }
}
