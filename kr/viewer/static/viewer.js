// The page of a game without a server: the game stands in the page as JSON, its address names the position.

import {choices, looksToChoose} from "./choices.js";
import {Current, clocksOf} from "./current.js";
import {button, el} from "./dom.js";
import {better, judgement, points, told} from "./graph.js";
import {Graph} from "./graph-drawing.js";
import {iconButton} from "./icons.js";
import {MoveList} from "./moves.js";
import {written} from "./numbers.js";
import {Stage, stepButtons, stepsOf} from "./stage.js";
import {accuracyOf} from "./accuracy.js";
import {figuresOf, storyOf} from "./story.js";
import {Tabs} from "./tabs.js";
import {decimal, knowEnglish, said, speak, t} from "./texts.js";
import {GameTree, isLegal} from "./tree.js";

/** @import {GameDocument, TreeNode} from "./tree.js" */
/** @import {Point} from "./graph.js" */
/**
 * @typedef {object} Looks as kr/analysis/annotation/pages.py writes them
 * @property {string} language
 * @property {Record<string, string>} texts by name or by English text
 * @property {Record<string, string>} english those by name in English, to know them by
 * @property {string} board
 * @property {string} pieces
 * @property {string} coordinates
 * @property {boolean} flipped
 */

/** @type {<T extends Element>(selector: string) => T} */
const one = selector => /** @type {any} */ (document.querySelector(selector));

/** The story, the accuracy and the table of both players. @param {TreeNode} root */
function reviewPanel(root) {
  const accuracy = accuracyOf(root),
    table = document.querySelector("main .scroll"),
    figures = table ? "" : figuresOf(root);
  /** @type {(side: string, name: string, value: number | null) => HTMLElement} */
  const shown = (side, name, value) =>
    el(
      "span",
      {class: "accuracy"},
      el("i", {class: `disc ${side}`}),
      `${name} `,
      el("strong", null, value === null ? "–" : decimal(value, 0)),
    );
  return el(
    "div",
    {class: "review"},
    storyOf(root).map(sentence => el("p", {class: "story"}, said(sentence))),
    accuracy &&
      el(
        "p",
        {class: "accuracies"},
        `${t("Accuracy")}: `,
        shown("black", t("Black"), accuracy.black),
        shown("white", t("White"), accuracy.white),
      ),
    table,
    figures && el("p", {class: "muted"}, figures),
  );
}

/** Fields that change the looks of the board while the page is open. */
function looksFields() {
  const {dataset} = document.documentElement;
  return looksToChoose().map(({name, title, options}) =>
    choices(title, `look-${name}`, options, dataset[name] ?? "", value => {
      dataset[name] = value;
    }),
  );
}

class Viewer {
  /** @param {{document: import("./tree.js").GameDocument, looks: Looks}} given */
  constructor({document: game, looks}) {
    this.tree = new GameTree();
    this.tree.load(game);
    const {root} = this.tree;
    this._points = points(this.tree);
    this._isJudged = this._points.some((/** @type {any} */ point) => point.expected !== null);
    this._story = storyOf(root)
      .map(each => said(each))
      .join(" ");
    this.stage = new Stage(
      {say: text => this._say(text), fail: text => this._say(text)},
      {
        label: t("Board"),
        bar: this._isJudged,
        controls: this._controls(),
      },
    );
    this.stage.board.refuse = null;
    this.stage.board.onmove = (/** @type {any} */ move) => this.tree.play(move);
    this._current = new Current();
    this._note = el("p", {class: "muted"});
    this._current.element.append(this._note);
    this._graph = new Graph({onpick: (/** @type {number} */ ply) => this.go(ply)});
    this._moves = new MoveList(this.tree);
    this._spoken = el("p", {class: "unseen", "aria-live": "polite"});
    this._tabs = this._makeTabs(root);
    this._fill();
    this._name();
    this.stage.flip(looks.flipped);
    this._graph.show(this._points);
    this.tree.on("node", () => this._show());
    // a wide window has room for the story beside the moves
    this._tabs.open(this._isJudged && matchMedia("(min-width: 48rem)").matches ? "review" : "notation");
    this.follow();
  }

  // --- parts

  _controls() {
    const {tree} = this;
    return [
      stepButtons(stepsOf(tree)),
      el(
        "div",
        null,
        button("‹?", () => tree.mark(-1), {"aria-label": t("Mark before"), title: `${t("Mark before")} (p)`}),
        button("?›", () => tree.mark(1), {"aria-label": t("Next mark"), title: `${t("Next mark")} (n)`}),
        iconButton("flip", t("Turn the board"), () => this.stage.flip(), {key: "f"}),
      ),
    ];
  }

  /** @param {TreeNode} root */
  _makeTabs(root) {
    const panels = [
      {name: "notation", title: t("Moves"), element: null},
      this._isJudged && {name: "review", title: t("Review"), element: reviewPanel(root)},
      {
        name: "game",
        title: t("Game"),
        element: el("div", null, one(".facts").cloneNode(true), looksFields(), one("main .about")),
      },
    ].filter(panel => panel !== false);
    return new Tabs(panels, {
      label: t("Panels"),
      closes: true,
      onchange: name => this._side?.classList.toggle("open", name !== "notation"),
    });
  }

  _fill() {
    this._side = el(
      "div",
      {class: "side"},
      this._tabs.element,
      this._tabs.body,
      el("div", {class: "move-list always"}, this._moves.element),
      this._current.element,
      el("div", {class: "graph-place always", hidden: !this._isJudged}, this._graph.element),
    );
    one("main").replaceChildren(el("div", {class: "screen"}, this.stage.element, this._side), this._spoken);
    document.body.classList.add("live");
  }

  _name() {
    const {headers} = this.tree;
    for (const [side, name] of /** @type {const} */ ([
      ["black", "Black"],
      ["white", "White"],
    ])) {
      this.stage.name(side, (headers[name] || "").trim().replace(/^\?+$/, ""));
    }
  }

  /** @param {string} text */
  _say(text) {
    this._spoken.textContent = text;
  }

  // --- the game

  /** Goes to a ply of the game as it was played. @param {number} ply */
  go(ply) {
    this.tree.select(this._points[ply].node);
  }

  /** Goes to the ply that the address names, such as #p12, or to the start. */
  follow() {
    this.go(this._plyOf(location.hash));
  }

  /** @param {string} hash */
  _plyOf(hash) {
    const [, ply] = /^#p(\d{1,6})$/.exec(hash) ?? [];
    return Number(ply) in this._points ? Number(ply) : 0;
  }

  // the last position of the game as it was played, on the way to the one that is shown
  _plyShown() {
    const shown = this.tree.line().findLast((/** @type {TreeNode} */ node) => this._points[node.ply]?.node === node);
    return shown?.ply ?? 0;
  }

  _show() {
    const {node} = this.tree,
      {board} = this.stage,
      known = judgement(node);
    const moves = node.children.filter(isLegal);
    board.show(node.fen, {moves, last: node.path, animate: true});
    board.drawings(node);
    this.stage.betterArrows(better(node));
    this.stage.material(node.fen, this.tree.origin().fen);
    const clocks = clocksOf(this.tree.line());
    for (const side of /** @type {const} */ (["black", "white"])) this.stage.clock(side, clocks[side]);
    this.stage.expect(known && [known.expected, 0, 1 - known.expected]);
    this._current.show(node);
    this._note.textContent = this._remark(node, Boolean(known));
    this._say(this._current.heard(node));
    this._graph.cursor(this._plyShown());
    this._name_address();
  }

  /**
   * What is told beside the comments of a node.
   * @param {TreeNode} node
   * @param {boolean} isKnown whether kr has judged it
   */
  _remark(node, isKnown) {
    if (!node.parent) return this._story;
    if (isKnown) return "";
    if (node.draw) return t("The game could be claimed drawn here: {rule}.", {rule: t(node.draw)});
    const isMain = this._points[node.ply]?.node === node;
    return this._isJudged && isMain ? told(this._points[node.ply]) : "";
  }

  _name_address() {
    const ply = this._plyShown();
    if (this._plyOf(location.hash) === ply) return;
    try {
      history.replaceState(null, "", `#p${ply}`);
    } catch {
      // some browsers refuse this for files
    }
  }
}

const given = JSON.parse(one("#game").textContent ?? "");
const {looks} = given;
if (looks.language !== "en") speak(looks.language, looks.texts);
knowEnglish(looks.english ?? {}, written);
for (const name of ["board", "pieces", "coordinates"]) document.documentElement.dataset[name] = looks[name];
const viewer = new Viewer(given),
  {tree, stage} = viewer;

addEventListener("hashchange", () => viewer.follow());
document.addEventListener("keydown", event => {
  const place = /** @type {Element} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || place.closest("input")) return;
  /** @type {Record<string, () => unknown>} */
  const keys = {
    ArrowLeft: () => tree.back(),
    ArrowRight: () => tree.next(),
    ArrowUp: () => tree.sibling(-1),
    ArrowDown: () => tree.sibling(1),
    Home: () => tree.start(),
    End: () => tree.end(),
    n: () => tree.mark(1),
    p: () => tree.mark(-1),
    f: () => stage.flip(),
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});
