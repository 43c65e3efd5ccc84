// The editor of positions: pieces to put on the board of Analyse, and who is to move.

import {placed} from "../board.js";
import {choice} from "../controls.js";
import {button, el, svg} from "../dom.js";
import {START} from "../squares.js";
import {t} from "../texts.js";
import {fenOf} from "./fen.js";

/** @returns {Array<[string, string]>} */
const tools = () => [
  ["b", t("Black man")],
  ["B", t("Black king")],
  ["w", t("White man")],
  ["W", t("White king")],
  ["", t("Clear a square")],
];
/** @type {Record<string, string>} */
const SYMBOLS = {b: "black-man", B: "black-king", w: "white-man", W: "white-king"};

export class Editor {
  /**
   * @param {import("../board.js").Board} board
   * @param {{onchange: (fen: string) => void, ondone: (fen: string) => void, oncancel: () => void}} hooks
   */
  constructor(board, {onchange, ondone, oncancel}) {
    this._board = board;
    this._onchange = onchange;
    /** @type {Record<number, string>} */
    this._pieces = {};
    this._tool = "b";
    this._isLooking = false;
    this._tools = tools().map(([piece, name]) => this._button(piece, name));
    this._mover = choice(
      t("Side to move"),
      {B: t("Black to move"), W: t("White to move")},
      {onchange: () => this._redraw()},
    );
    this.element = el(
      "div",
      {class: "editor", role: "group", "aria-label": t("Position editor"), hidden: true},
      el("div", {class: "row tools"}, this._tools, this._mover),
      el(
        "div",
        {class: "row"},
        button(t("Clear"), () => this._put({}, this._mover.value)),
        button(t("Start"), () => this._put(placed(START), "B")),
        button(t("Done"), () => ondone(this.fen), {class: "primary"}),
        button(t("Cancel"), oncancel),
      ),
      el(
        "p",
        {class: "muted"},
        t("Choose a piece and click squares; drag a piece to move it, off the board to remove it."),
      ),
    );
  }

  get fen() {
    return fenOf(this._pieces, this._mover.value);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** @param {string} fen the position to begin with */
  open(fen) {
    this.element.hidden = false;
    this._isLooking = false;
    this._hear();
    this.set(fen);
  }

  /** Takes another position. @param {string} fen */
  set(fen) {
    this._put(placed(fen), fen[0]);
  }

  /**
   * Shows a position that follows from the one being edited; nothing can be changed there.
   * @param {string} fen
   * @param {number[]} last squares of the move that led to it
   */
  look(fen, last) {
    this._isLooking = true;
    this._board.onedit = null;
    this._board.show(fen, {last});
  }

  /** Goes back from there to the position being edited. */
  resume() {
    if (!this._isLooking) return;
    this._isLooking = false;
    this._hear();
    this._board.show(this.fen);
  }

  _hear() {
    this._board.onedit = {
      click: (/** @type {number} */ square) => this._set(square, this._pieces[square] === this._tool ? "" : this._tool),
      drag: (/** @type {number} */ from, /** @type {number | null} */ to) => {
        const piece = this._pieces[from];
        delete this._pieces[from];
        if (to) this._pieces[to] = piece;
        this._redraw();
      },
    };
  }

  close() {
    this._board.onedit = null;
    this.element.hidden = true;
  }

  /**
   * @param {string} piece
   * @param {string} name
   */
  _button(piece, name) {
    const made = el(
      "button",
      {
        type: "button",
        title: name,
        "aria-label": name,
        "aria-pressed": String(piece === this._tool),
        onclick: () => {
          this._tool = piece;
          for (const other of this._tools) other.setAttribute("aria-pressed", String(other === made));
        },
      },
      piece
        ? svg(
            "svg",
            {viewBox: "0 0 45 45", width: 32, height: 32, "aria-hidden": "true"},
            svg("use", {href: `#piece-${SYMBOLS[piece]}`}),
          )
        : "✕",
    );
    return made;
  }

  /**
   * @param {number} square
   * @param {string} piece
   */
  _set(square, piece) {
    if (piece) this._pieces[square] = piece;
    else delete this._pieces[square];
    this._redraw();
  }

  /**
   * @param {Record<number, string>} pieces
   * @param {string} side
   */
  _put(pieces, side) {
    this._pieces = pieces;
    this._mover.value = side;
    this._redraw();
  }

  _redraw() {
    this.resume();
    this._board.show(this.fen);
    this._board.drawings();
    this._onchange(this.fen);
  }
}
