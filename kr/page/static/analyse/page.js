// The page Analyse: one screen for a game. The board with its players; beside it the engine's lines, the moves, the
// move on the board and the graph, which are always in sight, and one panel that is chosen by a tab.

import {Analysis} from "../analysis/panel.js";
import {el} from "../dom.js";
import {takeAnywhere} from "../files/anywhere.js";
import {better, judgement, points} from "../graph.js";
import {iconButton} from "../icons.js";
import {pressing, stepKeys} from "../keys.js";
import {later} from "../later.js";
import {menu} from "../menu.js";
import {unloaded} from "../offers.js";
import {retold} from "../comments.js";
import {SIDES, START} from "../squares.js";
import {Stage, stepButtons, stepsOf} from "../stage.js";
import {Tabs} from "../tabs.js";
import {said, t} from "../texts.js";
import {GameTree} from "../tree.js";
import {Current, clocksOf} from "../current.js";
import {moves} from "./moves.js";
import {isBlank} from "./blank.js";

const KNOWN = 300; // positions whose legal moves are remembered

/** @param {import("../shell.js").App} app */
export function page(app) {
  return new Analyse(app).page;
}

class Analyse {
  /** @param {import("../shell.js").App} app */
  constructor(app) {
    this.app = app;
    this.isActive = false;
    /** How the board was before a game turned it. @type {boolean | null} */
    this._unturned = null;
    /** Points while a game is judged; null for those that the comments tell. @type {any[] | null} */
    this._judged = null;
    /** @type {Map<string, Promise<any>>} */
    this._known = new Map();
    this.tree = app.tree = new GameTree();
    /** @type {import("../graph.js").Point[]} */
    this._points = [];
    this._controls = el("div", {class: "row"});
    this._send = iconButton("share", t("Send"), () => {}, {disabled: true});
    /** @type {Promise<void> | null} */
    this._filled = null;
    /** What is there after the board. @type {ReturnType<typeof import("./panels.js").panels> | null} */
    this._late = null;
    const steps = stepsOf(this.tree);
    this.stage = new Stage(app, {
      label: t("Board"),
      bar: true,
      controls: [stepButtons(steps), this._controls],
    });
    this.board = app.board = this.stage.board;
    /** @type {import("../keys.js").Keys} */
    this.keys = app.keys = {
      ...stepKeys(steps),
      f: () => this.stage.flip(),
      " ": () => {
        this.analysis.toggle();
        this._greet();
      },
    };
    this._press = pressing(this.keys);
    this._share();
    this._current = new Current();
    this.analysis = new Analysis(app, this.stage);
    this.analysis.onexpect = () => this._expect();
    /** @type {import("../graph-drawing.js").Graph | null} */
    this._graph = null;
    this._graphPlace = el("div", {class: "graph-place always"});
    this._moves = moves(app);
    this._welcome = el("section", {class: "welcome", hidden: true});
    this._isRecalled = false; // a game from before is on the board, or there is none
    this._tabs = this._makeTabs();
    this._fillControls();
    this._follow();
    // what comes in waits until somebody reads it
    takeAnywhere({
      files: files => this._filling(() => this._late?.games.reading.files(files)),
      text: text => this._filling(() => this._late?.games.reading.text(text)),
    });
    const fill = () => this._filling();
    this._position(START).then(fill, fill);
    this.page = {
      name: "analyse",
      title: t("Analyse"),
      element: this._element(),
      enter: (/** @type {string} */ rest) => this.enter(rest),
      leave: () => this.leave(),
    };
  }

  // --- what others use

  _share() {
    const {app, tree} = this;
    // the legal moves of a position: asked for once, then remembered
    app.position = (/** @type {string} */ fen) => this._position(fen);
    // flipped: as the board was that the game comes from
    app.open = (/** @type {any} */ document, /** @type {number[]} */ path, flipped = this._unturned) => {
      if (flipped !== null) this.stage.flip(flipped);
      this._unturned = null;
      tree.load(document, path);
      app.go("analyse");
    };
    // hears of the points of the graph while a game is judged
    app.graph = {
      show: (/** @type {any[] | null} */ list) => {
        this._judged = list;
        this._draw();
      },
    };
    // hears of the position that is being set up
    app.placing = (/** @type {string} */ fen) => this._current.place(fen);
    app.panel = (/** @type {string} */ name) => this._tabs.open(name);
    // what other panels do waits until they are there
    app.onrest = (/** @type {string} */ rest) => this._filling(() => app.onrest(rest));
    app.review = () => this._filling(() => app.review());
    app.reopen = async (/** @type {string} */ id) => {
      await this._filling();
      if (this._late) await app.reopen(id);
    };
  }

  /** @param {string} fen */
  async _position(fen) {
    if (!this._known.has(fen)) {
      if (this._known.size >= KNOWN) this._known.delete(this._known.keys().next().value ?? "");
      const asked = this.app.api("position", {fen});
      this._known.set(fen, asked);
      asked.catch(() => this._known.delete(fen));
    }
    return this._known.get(fen);
  }

  // --- parts

  _makeTabs() {
    const {app} = this,
      own = {name: "notation", title: t("Moves"), element: null},
      later = (/** @type {string} */ name, /** @type {string} */ title) => ({name, title, element: el("div")}),
      setup = {...later("setup", t("Set up")), untabbed: true},
      proof = {...later("proof", t("Proof")), untabbed: true},
      played = [
        later("people", t("People")),
        later("regions", t("Regions")),
        later("repertoire", t("Repertoire")),
        later("game", t("Games")),
      ];
    return new Tabs([own, later("review", t("Review")), later("explorer", t("Explorer")), ...played, setup, proof], {
      label: t("Panels"),
      closes: true,
      onchange: name => {
        this.side?.classList.toggle("open", name !== "notation");
        if (name !== "setup") this._late?.setup.cancel();
        this._offerProofs();
        this._setUp?.setAttribute("aria-expanded", String(name === "setup"));
        app.keep("panel", name);
      },
    });
  }

  /** What is being set up has proofs of its own. */
  _offerProofs() {
    for (const opener of this._late?.openers ?? []) opener.hidden = this._tabs.current === "setup";
  }

  /**
   * Does something once the panels are there, which come after the board: their scripts are fetched once, again if that
   * failed.
   * @param {() => void} [act]
   */
  async _filling(act) {
    this._filled ??= this._fill();
    const filled = this._filled;
    try {
      await filled;
    } catch {
      if (this._filled !== filled) return;
      this._filled = null;
      this.app.fail(unloaded());
      return;
    }
    act?.();
  }

  async _fill() {
    const [{panels}, {Graph}] = await Promise.all([import("./panels.js"), import("../graph-drawing.js"), later()]),
      {games, opening, departure, review, openers, all} = (this._late = panels(
        this.app,
        this._moves.list,
        this,
        this._welcome,
      ));
    this._graph = new Graph({onpick: ply => this.tree.select(this._points[ply].node)});
    this._graphPlace.append(this._graph.element);
    this._draw();
    this._send.disabled = false;
    this.analysis.element.before(this._late.welcome.line, games.strip, games.reading.element);
    this._moves.list.element.before(opening.element, departure.element);
    void opening.follow(this.tree.line());
    this.analysis.element.firstElementChild?.prepend(review);
    this.analysis.element.firstElementChild?.append(...openers);
    this._offerProofs();
    this.analysis.complete();
    games.begun.then(() => {
      this._isRecalled = true;
      this._greet();
      if (!isBlank(this.tree) && games.isRestored) this._late?.welcome.showLine();
    });
    for (const panel of all) this._tabs.fill(panel);
    // what is asked for later is there then, even if the server has gone by that time
    await Promise.all([import("../aloud.js"), import("../analysis/preview.js")]);
  }

  _element() {
    const notation = el("div", {class: "move-list always"}, this._moves.list.element);
    this.side = el(
      "div",
      {class: "side"},
      this.analysis.element,
      this._welcome,
      notation,
      this._current.element,
      this._graphPlace,
      this._tabs.element,
      this._tabs.body,
    );
    this._greet();
    return el("div", {class: "screen analyse"}, this.stage.element, this.side);
  }

  _fillControls() {
    const {app, tree} = this,
      more = iconButton("more", t("More"), () => {}),
      isMoved = () => this.tree.root.children.length > 0;
    /** @type {(name: string) => [string, () => void, Record<string, unknown>]} */
    const sending = name => {
      const {label, act, title} = this._late?.sending.find(each => each.name === name) ?? {
        label: "",
        act() {},
        title: "",
      };
      return [label, act, {title}];
    };
    this._setUp = iconButton(
      "setup",
      t("Set up"),
      () => this._tabs.open(this._tabs.current === "setup" ? "notation" : "setup"),
      {shown: true, "aria-expanded": "false"},
    );
    this._controls.replaceChildren(
      iconButton("flip", t("Turn the board"), () => this.stage.flip(), {key: "f"}),
      iconButton("play", t("Play from here"), () => app.playFrom?.(tree), {shown: true}),
      this._setUp,
      menu(this._send, t("Send"), () => [
        t("To share"),
        ...[...(isMoved() ? ["page", "copy-link"] : []), "copy-place"].map(sending),
        t("The game"),
        ...["pdn", "copy-pdn", ...(isMoved() ? ["gif", "gif-here"] : [])].map(sending),
        t("The position"),
        ...["png", "copy-picture", "copy-fen", "svg", "copy-svg"].map(sending),
      ]),
      menu(more, t("More"), () => [
        [t("New game"), () => this._filling(() => this._late?.setup.begin(START))],
        [t("Undo"), () => tree.undo(), {disabled: !tree.canUndo}],
        [t("Redo"), () => tree.redo(), {disabled: !tree.canRedo}],
        null,
        [t("Prove…"), () => this._tabs.open("proof")],
        [t("Mark or comment…"), () => this._filling(() => this._late?.sheet.open(tree.node))],
        null,
        [t("Library"), () => app.go("library"), {title: t("All your games")}],
        [t("Players and their mistakes…"), () => app.go("player")],
      ]),
    );
  }

  // --- the game

  _follow() {
    const {app, board, tree} = this;
    board.onmove = (/** @type {any} */ move) => {
      app.acted();
      // a move that is an answer to a puzzle is not one of the game
      if (app.trial?.(move)) return;
      tree.play(move);
    };
    // what is drawn while one looks for a better move is forgotten with the puzzle
    board.ondraw = (/** @type {any} */ drawn) => app.trial || tree.annotate(tree.node, drawn);
    for (const change of ["edit", "game"]) tree.on(change, () => app.acted());
    tree.on("game", () => this._turn());
    tree.on("node", () => this._show());
    tree.on("game", () => this._show(false));
    for (const change of ["edit", "game"])
      tree.on(change, () => {
        this._draw();
        this._name();
        this._greet();
        if (change === "edit" && !this._late?.setup.isEditing) this._told();
      });
    app.onback(() => this.isActive && !this._late?.setup.isEditing && this._show(false));
    this._draw();
    this._name();
  }

  /** Turns the board as the game on it asks for, and back for one that does not. */
  _turn() {
    const {below} = this.tree;
    if (below) {
      this._unturned ??= this.board.flipped;
      this.stage.flip(below === "black");
    } else if (this._unturned !== null) {
      this.stage.flip(this._unturned);
      this._unturned = null;
    }
  }

  async _show(animate = true) {
    const {app, board, tree} = this,
      {node} = tree,
      last = node.path || null,
      before = node.parent;
    if (animate && before && before === this._shown) this.stage.hear(node, before.fen);
    const isStep = animate && node !== this._shown && this.isActive && !app.trial;
    this._shown = node;
    // a move that is being chosen goes on
    if (board.fen !== node.fen) board.show(node.fen, {last, animate});
    this._told();
    if (isStep) app.announce(this._current.heard(node));
    try {
      const position = await this._position(node.fen);
      if (tree.node !== node || board.fen !== node.fen) return;
      board.show(node.fen, {moves: position.moves, last});
      if (!position.over) return;
      this._current.show(node, said(position.over));
      this.stage.rest();
    } catch (error) {
      app.fail(error);
    }
  }

  // what stands around the board of the move that led to its position
  _told() {
    const {node} = this.tree;
    this.board.drawings(node);
    this.stage.betterArrows(better(node));
    this.stage.material(node.fen, this.tree.origin().fen);
    const clocks = clocksOf(this.tree.line());
    for (const side of SIDES) this.stage.clock(side, clocks[side]);
    this._current.show(node);
    void this._late?.opening.follow(this.tree.line());
    this._expect();
    this._cursor();
  }

  // what is empty has no place before there is a game, nor an engine that nobody has asked
  _greet() {
    const isBlankNow = isBlank(this.tree),
      isBare = !this.tree.root.children.length;
    this.side?.classList.toggle("bare", isBare);
    this._tabs.offer("review", !isBare);
    this.side?.classList.toggle("blank", isBlankNow);
    this.side?.classList.toggle("idle", isBlankNow && !this.analysis.on);
    this._welcome.hidden = !isBlankNow || !this._isRecalled;
    // once all others have heard of it: the game before is then among the last ones
    if (!this._welcome.hidden && this.isActive) queueMicrotask(() => void this._late?.welcome.show());
  }

  _name() {
    const {headers} = this.tree,
      known = (/** @type {string} */ name) => (headers[name] || "").trim().replace(/^\?+$/, "");
    this.stage.name("black", retold(known("Black")));
    this.stage.name("white", retold(known("White")));
  }

  // the bar shows what the engine says of the position, else what a review said
  _expect() {
    const live = this.analysis.expected(),
      known = judgement(this.tree.node);
    if (live) this.stage.expect(live.chances, live.score);
    else if (known) this.stage.expect([known.expected, 0, 1 - known.expected]);
    else this.stage.expect(null);
  }

  _draw() {
    this._points = this._judged ?? points(this.tree);
    this._graph?.show(this._points);
    // nothing is known of a game that nobody has reviewed
    this._graphPlace.hidden = this._points.every(({expected}) => expected === null);
    this._cursor();
  }

  // the cursor stands at the last position of the game as it was played, on the way to the one that is shown
  _cursor() {
    const shown = this.tree.line().findLast((/** @type {any} */ node) => this._points[node.ply]?.node === node);
    this._graph?.cursor(shown?.ply ?? 0);
  }

  // --- coming and going

  /** @param {string} rest of the address */
  enter(rest) {
    if (rest) this.app.onrest(rest);
    if (this.isActive) return;
    this.isActive = true;
    document.addEventListener("keydown", this._press);
    // while one looks for a better move nothing gives it away
    if (!this.app.trial) this.analysis.show();
    this._moves.show();
    this._greet();
    if (!this._tabs.current) this._tabs.open(this.app.kept("panel", "notation"));
    else this._tabs.show();
    // a position that is being set up stays on the board
    if (!this._late?.setup.isEditing) this._show(false);
  }

  leave() {
    this.isActive = false;
    document.removeEventListener("keydown", this._press);
    this.analysis.hide();
    this._moves.hide();
    this._tabs.hide();
  }
}
