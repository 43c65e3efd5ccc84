// A game that people play: against kr, or two at this board. The game and its clocks are those of the answers; this
// shows them. What it keeps brings the game back after a reload, or in another window of this browser.

import {tellIn} from "../aloud.js";
import {button, el} from "../dom.js";
import {visible} from "../escapes.js";
import {Errands} from "../errands.js";
import {toEnd} from "../setup/fen.js";
import {sound} from "../sounds.js";
import {SIDES, sideName} from "../squares.js";
import {many, said, t} from "../texts.js";
import {AfterGame} from "./after.js";
import {ask} from "./ask.js";
import {Filing} from "./filing.js";
import {KeptGames} from "./kept.js";
import {LineView} from "./line.js";
import {Played, rematch, timeLeft} from "./state.js";
import {follow} from "./stream.js";
import {hintArrows, hintWords} from "./hints.js";
import {answerWords, endWords, forcedWords, playerNames, shortName, turnWords} from "./words.js";

/** @typedef {import("./state.js").Settings} Settings */
/** @typedef {import("./stream.js").Event} Event */

const REPLY_MS = 350;
const seconds = () => performance.now() / 1000;
/** By the machine's clock, which goes on while the page is closed. */
const date = () => Date.now() / 1000;

export class GameTable {
  /**
   * @param {import("../shell.js").App} app
   * @param {import("../stage.js").Stage} stage
   * @param {{onopen: () => void, onnew: () => void, onrefuse: (why: string) => void}} listener onopen: a game is on the
   *     board; onnew: another one is wanted; onrefuse: it could not be begun
   */
  constructor(app, stage, listener) {
    this.app = app;
    this.stage = stage;
    this._listener = listener;
    this.played = new Played();
    this.line = new LineView(stage, () => {
      stage.board.arrows([]);
      this._show();
    });
    /** @type {ReturnType<typeof follow> | null} */
    this._stream = null;
    this.games = new KeptGames(app);
    this._filing = new Filing(app, this.games);
    /** @type {{id: string, isElsewhere: boolean} | null} a game that waits for the server, or in another window */
    this._waits = null;
    this._movedAt = 0;
    this._isUnkept = false; // the person has been told
    this._finds = new Errands();
    this._ticking = 0;
    this._turn = el("p", {class: "turn", role: "status"});
    this._note = el("p", {class: "note", role: "status"});
    this._opening = el("p", {class: "muted opening"});
    this._buttons = this._makeButtons();
    const {review, rematch: again, ...others} = this._buttons;
    this._after = new AfterGame(app, [review, again]);
    this.element = el(
      "div",
      {class: "game"},
      el("div", {class: "saying", tabindex: 0, role: "region", "aria-label": t("The game")}, this._turn, this._note),
      this._after.element,
      this._opening,
      this.line.element,
      el("div", {class: "row acts", role: "group", "aria-label": t("Game")}, Object.values(others)),
    );
    this._isActive = false;
    app.onback(() => this._return(false));
    // the window that the person is at has the game
    addEventListener("focus", () => this._return(true));
    stage.board.element.addEventListener("pointerdown", () => this._return(true));
    addEventListener("pagehide", () => this._keepTime());
    app.onkept((/** @type {string} */ name) => {
      const id = this._isActive && this._waits?.isElsewhere && this._waits.id;
      if (id && name === KeptGames.place(id)) this._mirror(id);
    });
  }

  _makeButtons() {
    return {
      hint: button(t("Hint"), () => this._say("hint", {ply: this.played.state?.ply})),
      undo: button(t("Take back"), () => this._say("undo")),
      draw: button(t("Offer a draw"), () => this._draw()),
      resign: button(t("Resign"), () => this._resign()),
      rematch: button(
        t("Rematch"),
        () => this.played.game && this.begin(rematch(this.played.game.settings), this.played.casual),
        {title: t("With colours swapped")},
      ),
      review: button(t("Review"), () => void this._review()),
      analyse: button(t("Analyse"), () => void this._analyse()),
      again: button(t("New game"), () => this._listener.onnew()),
    };
  }

  get isOpen() {
    return Boolean(this.played.game);
  }

  // --- beginning, coming back, leaving

  /**
   * A new game.
   * @param {Settings} settings
   * @param {boolean} casual hints and taking back
   */
  begin(settings, casual) {
    this._connect(settings, () => {
      this.played.casual = casual;
      this._keep();
      this._told();
      this.app.go("play", this.played.game?.id);
      this.stage.board.focus();
    });
  }

  /**
   * A game by its id.
   * @param {string} id
   */
  async find(id) {
    this._disconnect();
    const errand = this._finds.begin(),
      kept = this.games.get(id) ?? (await this._filing.find(id));
    if (errand.isStale) return;
    if (kept) {
      this.played.casual = kept.casual;
      if (kept.game.over) this._filing.take(kept.game);
      this._begin(kept.game, kept.time);
      if (this.played.isOver) {
        this._listener.onopen();
        return;
      }
    }
    const time = kept?.time && timeLeft(kept.time, date());
    this._connect({game: id, ...(kept && {document: kept.game.document, time})}, () => {});
  }

  /** A game that waited goes on. @param {boolean} isElsewhere for which it waited */
  _return(isElsewhere) {
    if (this._isActive && this._waits?.isElsewhere === isElsewhere) this.find(this._waits.id);
  }

  /** What another window does in the game. @param {string} id */
  _mirror(id) {
    const kept = this.games.get(id);
    if (!kept) {
      // it has ended there
      void this.find(id);
      return;
    }
    this.line.looked = null;
    this._begin(kept.game);
  }

  /** @param {string} id */
  isLive(id) {
    return Boolean(this._stream?.isOpen && this.played.game && (!id || id === this.played.game.id));
  }

  /** Shows everything again, such as after a change of preferences. */
  refresh() {
    if (this._isActive) this._told();
  }

  enter() {
    this._isActive = true;
    const {board} = this.stage;
    board.onmove = (/** @type {any} */ move) => this._move(move);
    board.onidle = () => this._idle();
    this.line.reveal();
  }

  leave() {
    this._isActive = false;
    this._disconnect();
    clearInterval(this._ticking);
    const {board} = this.stage;
    board.onmove = board.onidle = null;
    board.arrows([]);
  }

  /**
   * Opens the stream of a game, new or under way.
   * @param {object} asked
   * @param {() => void} onfirst called after the first event
   */
  _connect(asked, onfirst) {
    this._disconnect();
    let hasBegun = false;
    this._stream = follow(this.app, "play", asked, {
      hear: event => {
        this._hear(event);
        if (hasBegun) return;
        hasBegun = true;
        onfirst();
        this._listener.onopen();
      },
      fail: event => this._fail(event, hasBegun ? {game: this.played.game?.id} : asked),
      // a reply is seen as one, after the move that it answers
      rest: event =>
        event.move && !this.played.isShared && event.move.side !== this.played.you
          ? REPLY_MS - (performance.now() - this._movedAt)
          : 0,
    });
  }

  _disconnect() {
    this._finds.end();
    this._waits = null;
    this._stream?.stop();
    this._stream = null;
  }

  /**
   * @param {Event} event
   * @param {{game?: string}} asked
   */
  _fail({error, lost}, asked) {
    this._stream = null;
    const {game} = this.played;
    if (lost && asked.game) {
      this._wait(asked.game, false);
      return;
    }
    this.played.lose();
    this._listener.onrefuse(error);
    // the game before goes on
    if (!asked.game && game && !game.over) {
      this.find(game.id);
      return;
    }
    if (game) {
      this.line.looked = null;
      this._told();
      this._turn.textContent = "";
    }
    // the next server may have what this one lacks, such as its engine
    if (asked.game) this._waits = {id: asked.game, isElsewhere: false};
  }

  /** @param {string} id @param {boolean} isElsewhere */
  _wait(id, isElsewhere) {
    this._waits = {id, isElsewhere};
    this.played.lose();
    this.line.looked = null;
    this._told();
  }

  // --- what is heard

  /** @param {Event} event */
  _hear(event) {
    const {played} = this;
    if (event.game) this._begin(event.game);
    else if (event.move) this._take(event.move);
    else if (event.state) {
      played.hear(event.state, seconds());
      this.line.looked = null;
      this._keepTime();
      if (event.state.opening) this._name(event.state.opening);
      if (played.isShared && this.app.kept("turn-board", false)) this.stage.flip(event.state.side === "black");
      this._told();
    } else if (event.hint) this._advise(event.hint);
    else if (event.undo)
      this._tell(
        event.undo === 1 ? t("One move taken back.") : t("{moves} taken back.", {moves: many(event.undo, "move")}),
      );
    else if (event.offer)
      this._tell(event.offer === played.you ? t("You offer a draw.") : t("{name} offers a draw.", {name: this._rival}));
    else if (event.answer) this._tell(answerWords(event.answer, this._rival));
    else if (event.say) this._tell(said(event.say));
    else if (event.elsewhere && played.game) this._wait(played.game.id, true);
  }

  /** @param {import("./state.js").Game} game @param {import("./state.js").Time | null} [time] that was kept with it */
  _begin(game, time) {
    const ended = Boolean(game.over) && this.played.isGoing && this.played.game?.id === game.id,
      another = this.played.begin(game, time);
    if (another) {
      this.stage.flip(game.settings.side !== "white");
      this._tell("");
    }
    const names = playerNames(game.settings);
    for (const side of SIDES) this.stage.name(side, names[side]);
    // the name that play came to stays as the game ends
    if (another || game.document.headers.Opening) this._name(game.document.headers.Opening || "");
    this.line.load(game.document.nodes);
    this.stage.board.arrows([]);
    if (game.over) this._tell("");
    if (ended) sound("end");
    this._told(ended);
    this._keep();
  }

  /** @param {import("./state.js").Node & {ply: number, side: import("./state.js").Side}} move */
  _take(move) {
    const before = this.played.nodes.at(-1)?.fen ?? "";
    if (!this.played.add(move)) return;
    // the person's own move has been heard as it was made
    if (this.stage.board.fen !== move.fen) this.stage.hear(move, before);
    this.line.load(this.played.nodes);
    this.stage.board.arrows([]);
    this._movedAt = performance.now();
    if (this.played.isShared || move.side === this.played.you) this._tell("");
    this._told(true);
    this._keep();
  }

  /** @param {import("./hints.js").Hint} hint */
  _advise(hint) {
    this._tell(t("Hint: {words}", {words: hintWords(hint).join(" ")}));
    this.stage.board.arrows(hintArrows(hint));
  }

  // --- what is done

  /**
   * @param {string} what
   * @param {object} [others]
   */
  _say(what, others = {}) {
    this._stream?.say({do: what, ...others});
  }

  /** @param {import("./state.js").Move} move */
  _move(move) {
    const {state} = this.played;
    if (!state?.moves.length) return;
    this._say("move", {ply: state.ply, path: move.path});
    this.stage.hear(move, state.fen);
    this.played.chose();
    this._movedAt = performance.now();
    this.stage.board.arrows([]);
    this.stage.board.show(move.fen, {last: move.path, animate: true});
    this._tell("");
    this._showButtons();
  }

  _idle() {
    if (!this.played.isGoing) return "";
    if (this.line.looked !== null) return t("This is an earlier position: End, or ⇥, leads to the game");
    return this.played.state?.thinking ? t("It is {name}'s move", {name: this._rival}) : "";
  }

  /** What the opponent is called. */
  get _rival() {
    const {game} = this.played;
    return game ? shortName(game.settings) : "";
  }

  _draw() {
    if (!this.played.isShared) {
      this._say("draw");
      return;
    }
    ask(t("Do both of you agree to a draw?"), {
      yes: t("Agree to a draw"),
      no: t("Play on"),
      act: () => this._say("draw"),
    });
  }

  _resign() {
    const {state, isShared} = this.played;
    const question = isShared
      ? t("{side} resigns?", {side: sideName(state?.side ?? "black")})
      : t("Resign this game? {name} wins it then.", {name: this._rival});
    ask(question, {yes: t("Resign"), no: t("Play on"), act: () => this._say("resign")});
  }

  async _analyse() {
    const {game} = this.played;
    if (!game) return;
    // with what was made of it since
    if (game.over && this.app.reopen && (await this._filing.library()).card(game.id)) {
      await this.app.reopen(game.id);
      return;
    }
    this.app.expect?.({source: "played"});
    this.app.open(game.document, toEnd(game.document), this.stage.board.flipped);
  }

  // the marks and the story of the game, without another press
  async _review() {
    await this._analyse();
    this.app.review();
  }

  // --- what is shown

  /** @param {string} text */
  _tell(text) {
    tellIn(this._note, text);
  }

  /** The name of the opening, as far as it is known; a ballot keeps its number. @param {string} name */
  _name(name) {
    const ballot = visible(this.played.game?.document.headers.Opening || "");
    const text = ballot && !ballot.includes(name) ? `${ballot} · ${visible(name)}` : visible(name);
    this._opening.textContent = text;
    this._opening.hidden = !text;
  }

  _keep() {
    const {game, casual} = this.played;
    if (!game || this._waits) return;
    void this._filing.add({game, casual, time: null});
    if (game.over && this._filing.has(game) && !this.games.get(game.id)) return;
    if (this.games.put(game, casual, this.played.time(seconds(), date()))) return;
    if (!this._isUnkept) this.app.fail(t("This browser has no room to keep the game: it ends with the page."));
    this._isUnkept = true;
  }

  // another window may have the game that is not played here
  _keepTime() {
    const {game} = this.played,
      time = this._stream?.isOpen && !this._waits && this.played.time(seconds(), date());
    if (game && time) this.games.putTime(game.id, time);
  }

  /** Everything that follows from the state. */
  _told(animate = false) {
    this._show(animate);
    this._showButtons();
    this._showClocks();
    clearInterval(this._ticking);
    if (this._isActive && this.played.state?.ticking) this._ticking = window.setInterval(() => this._showClocks(), 100);
  }

  // the game as it stands, or the earlier position that is looked at
  _show(animate = false) {
    const {played, line} = this,
      {game, state} = played;
    if (!game) return;
    line.show({moves: state?.moves ?? [], animate, forced: this.app.kept("forced", true)});
    if (game.over && line.looked === null) this.stage.rest();
    // a move comes before the state after it, which says what must be captured: both are told at once
    const isKnown = state && (state.thinking || state.moves.length > 0);
    if (isKnown || game.over || this._waits || line.looked !== null) tellIn(this._turn, this._words());
  }

  /** What is said of the position on the board. */
  _words() {
    const {played, line} = this,
      {game} = played;
    if (line.looked === 0) return t("The start.");
    if (line.looked !== null)
      return t("After {move}, {number} of {moves}.", {
        move: line.node?.text,
        number: line.looked,
        moves: many(line.length, "move"),
      });
    if (game?.over) return endWords(game.over, game.settings);
    if (!this._waits) return this._turnWords();
    return this._waits.isElsewhere
      ? t("This game goes on in another window; a click on the board brings it here.")
      : t("The game goes on when the server answers again.");
  }

  _turnWords() {
    const must = this.app.kept("forced", true) ? forcedWords(this.played.state?.moves ?? []) : "";
    return [turnWords(this.played), must].filter(Boolean).join(" ");
  }

  _showButtons() {
    const {accept, ...known} = this.played.buttons(),
      {isShared} = this.played;
    for (const [name, state] of Object.entries(known)) {
      const shown = this._buttons[/** @type {keyof typeof known} */ (name)];
      shown.hidden = state === "hidden";
      shown.disabled = state === "off";
    }
    const {draw} = this._buttons;
    draw.textContent = accept ? t("Accept the draw") : isShared ? t("Agree to a draw") : t("Offer a draw");
    draw.classList.toggle("primary", accept);
    const {review, rematch: again} = this._buttons;
    review.classList.toggle("primary", !review.hidden);
    again.classList.toggle("primary", Boolean(review.hidden));
    this.element.classList.toggle("over", this.played.isOver);
    this._after.show(this.played.isOver ? this.played.game : null);
    this.line.reveal();
  }

  _showClocks() {
    const now = seconds(),
      clocks = this.played.clocks(now);
    for (const side of SIDES) this.stage.clock(side, clocks[side].text, clocks[side]);
    if (this.played.isLow(now)) sound("low");
  }
}
