// Training with a repertoire on the board of Analyse: the game there stays as it is.

import {tellIn} from "../aloud.js";
import {button, el} from "../dom.js";
import {Errands} from "../errands.js";
import {dayNumber} from "../learn/training.js";
import {pause} from "../line/view.js";
import {sound} from "../sounds.js";
import {t} from "../texts.js";
import {Drill} from "./drill.js";

/** @import {BoardMove} from "../board-state.js" */
/** @import {App} from "../shell.js" */
/** @import {Side} from "../squares.js" */
/** @import {RepertoireRecord} from "./record.js" */
/** @import {Shares} from "./drill.js" */

const WRONG_MS = 900; // for which a wrong move stands on the board

export class Trainer {
  /**
   * @param {App} app
   * @param {RepertoireRecord} record
   * @param {{onend: () => void, nameOf: (start: string, moves: BoardMove[]) => Promise<string>}} hears
   */
  constructor(app, record, {onend, nameOf}) {
    this._app = app;
    this._record = record;
    this._onend = onend;
    this._nameOf = nameOf;
    /** @type {Drill | null} */
    this.drill = null;
    /** @type {Side} */
    this._side = "black";
    this._tasks = new Errands();
    /** The node that was shown before. @type {any} */
    this._from = null;
    /** @type {string | null} */
    this._begin = null;
    this._heading = el("h2", null);
    this._said = el("p", {role: "status"});
    this._answer = button(t("Show the answer"), () => this._show());
    this._next = button(t("Next line"), () => this._go(), {class: "primary"});
    this._leave = button(t("Leave"), () => this.end(this._from));
    this.element = el(
      "div",
      {class: "drill", hidden: true},
      this._heading,
      this._said,
      el("div", {class: "row"}, this._answer, this._next, this._leave),
    );
    for (const change of ["node", "edit", "game"]) app.tree.on(change, () => this.end());
  }

  /**
   * @param {Side} side
   * @param {{queue?: string[] | null, from?: string | null}} what queue: positions to ask for; from: where lines begin
   */
  begin(side, {queue = null, from = null}) {
    this._side = side;
    this._begin = from;
    this.drill = new Drill(this._record.lines(side), {queue});
    this._from = this._app.tree.node;
    this.element.hidden = false;
    this._app.trial = (/** @type {BoardMove} */ move) => this._try(move);
    this._app.practise(true, side);
    this._app.board.arrows([]);
    this._go();
  }

  /** Leaves the game as it is. @param {any} node to show then */
  end(node = this._app.tree.node) {
    if (!this.drill) return;
    this.drill = null;
    this._tasks.end();
    this.element.hidden = true;
    this._app.trial = null;
    this._app.practise(false);
    this._app.tree.select(node);
    this._onend();
  }

  // --- steps

  _go() {
    const {drill} = this;
    if (!drill) return;
    const errand = this._tasks.begin(),
      step = drill.begin(this._begin);
    if (step === "over") {
      this._tell(drill.result());
      this._leave.focus({preventScroll: true});
      return;
    }
    this._board(false);
    void this._name(drill);
    if (step === "own") void this._ask(drill, errand);
    else void this._reply(drill, errand);
    this._app.board.element.querySelector("[tabindex='0']")?.focus({preventScroll: true});
  }

  /** @param {Drill} drill */
  async _name(drill) {
    const words = drill.queue ? t("Missed before") : t("Training");
    this._heading.textContent = words;
    const name = await this._nameOf(drill.start, drill.moves);
    if (this.drill === drill) this._heading.textContent = name ? `${words}: ${name}` : words;
  }

  // the position in question; moves can be made once they are known
  /** @param {boolean} animate */
  _board(animate) {
    const {drill} = this;
    this._app.board.show(drill?.fen, {last: drill?.moves.at(-1)?.path ?? null, animate});
  }

  /**
   * @param {Drill} drill
   * @param {import("../errands.js").Errand} errand
   * @param {string} [reply]
   */
  async _ask(drill, errand, reply = "") {
    this._tell(drill.task(reply));
    await this._open(drill, errand);
  }

  // the position in question, with moves that can be made
  /** @param {Drill} drill @param {import("../errands.js").Errand} errand */
  async _open(drill, errand) {
    try {
      const {moves} = await this._app.position(drill.fen);
      if (errand.isStale) return;
      this._app.board.show(drill.fen, {moves, last: drill.moves.at(-1)?.path ?? null});
    } catch (error) {
      if (!errand.isStale) this._app.fail(error);
    }
  }

  /** @param {Drill} drill @param {import("../errands.js").Errand} errand */
  async _reply(drill, errand) {
    const shares = await this._shares(drill.fen);
    await pause();
    if (errand.isStale) return;
    const move = drill.reply(shares);
    this._board(true);
    void this._name(drill);
    void this._ask(drill, errand, move.text);
  }

  // without an answer all replies are as likely
  /** @param {string} fen @returns {Promise<Shares>} */
  async _shares(fen) {
    try {
      const {moves} = await this._app.api("people", {fen});
      return new Map(moves.map((/** @type {{fen: string, people: number}} */ each) => [each.fen, each.people]));
    } catch {
      return new Map();
    }
  }

  /** A move on the board; gives true, for no move is one of the game meanwhile. @param {BoardMove} move */
  _try(move) {
    const {drill} = this;
    if (!drill) return false;
    if (drill.step !== "asking" && drill.step !== "wrong" && drill.step !== "shown") return true;
    const before = drill.fen,
      wasShown = drill.step === "shown";
    this._app.board.arrows([]);
    this._app.board.show(move.fen, {last: move.path, animate: true});
    const isRight = drill.answer(move);
    if (!isRight) void this._wrong(drill, move);
    else {
      if (drill.isClean) this._record.solve(this._side, before, dayNumber());
      void this._right(drill, move, wasShown);
    }
    return true;
  }

  /** @param {Drill} drill @param {BoardMove} move */
  async _wrong(drill, move) {
    const errand = this._tasks.begin();
    this._record.miss(this._side, drill.fen, dayNumber());
    sound("wrong");
    this._tell(t("✗ {move} is not your move here. Try again.", {move: move.text}));
    await pause(WRONG_MS);
    if (!errand.isStale) await this._open(drill, errand);
  }

  /** @param {Drill} drill @param {BoardMove} move @param {boolean} wasShown */
  async _right(drill, move, wasShown) {
    const errand = this._tasks.begin(),
      goesOn = drill.goesOn;
    const [comment] = this._comments(drill, move);
    sound("right");
    this._tell(
      [
        wasShown ? `${move.text}.` : t("✓ {move} is right.", {move: move.text}),
        comment ?? "",
        goesOn || drill.queue ? "" : t("The line ends here."),
        goesOn || drill.queue?.length ? "" : drill.result(),
      ]
        .filter(Boolean)
        .join(" "),
    );
    if (goesOn) await this._reply(drill, errand);
    else this._next.focus({preventScroll: true});
  }

  /** @param {Drill} drill @param {BoardMove} move */
  _comments({lines, moves, start}, move) {
    const before = moves.at(-2)?.fen ?? start;
    return lines.of(before).find(each => each.fen === move.fen)?.comments ?? [];
  }

  _show() {
    const {drill} = this;
    if (drill?.step !== "asking" && drill?.step !== "wrong") return;
    const errand = this._tasks.begin(),
      move = drill.show();
    this._record.miss(this._side, drill.fen, dayNumber());
    this._app.board.arrows([{path: move.path, kind: "better"}]);
    void this._ask(drill, errand);
    this._tell(t("Your move here is {move}. Play it.", {move: move.text}));
  }

  /** @param {string} text */
  _tell(text) {
    const {drill} = this;
    if (!drill) return;
    tellIn(this._said, text);
    const isOpen = drill.step === "asking" || drill.step === "wrong",
      isDone = drill.step === "right" && !drill.goesOn;
    this._answer.hidden = !isOpen;
    this._next.hidden = !isDone || drill.queue?.length === 0;
    this._next.textContent = drill.queue ? t("Next move") : t("Next line");
    this._leave.textContent = drill.step === "over" || (isDone && this._next.hidden) ? t("Done") : t("Leave");
  }
}
