// What is known of the move on the board: who is to move, its mark, comments, and the better line.

import {el, unbroken} from "./dom.js";
import {visible} from "./escapes.js";
import {betterNode, judgement, told} from "./graph.js";
import {markName, number, sign} from "./move-words.js";
import {commentText} from "./story.js";
import {t} from "./texts.js";

// [%clk 0:04:59], of the player who moved, or [%clock w0:10:00 B0:09:57], of each that is named
const CLOCK = /\[%(?:clk|clock)\s+([wb]?[\d:.]+)(?:[\s,]+([wb]?[\d:.]+))?\s*\]/i;

/** @typedef {any} Node a node of a GameTree */

/**
 * The last time that a player's clock showed on the way to a node, as its comments tell: {black, white}, "" if unknown.
 * @param {Node[]} line nodes from the root
 * @returns {{black: string, white: string}}
 */
export function clocksOf(line) {
  const clocks = {black: "", white: ""};
  for (const node of line.slice(1)) {
    const mover = node.fen[0] === "W" ? "black" : "white";
    for (const comment of node.comments) {
      const [, ...times] = CLOCK.exec(comment) ?? [];
      for (const text of times.filter(Boolean)) {
        const [, letter, time] = /^([wb]?)(.*)/i.exec(text) ?? [],
          side = !letter ? mover : letter.toLowerCase() === "w" ? "white" : "black";
        clocks[side] = time.replace(/^(0+:)?0?(?=\d+:)/, "").replace(/\.\d+$/, "");
      }
    }
  }
  return clocks;
}

/**
 * The better line that a review found beside a move, as text; "" without one.
 * @param {Node} node
 */
function betterLine(node) {
  const moves = [];
  for (let each = betterNode(node); each; each = each.children[0]) moves.push(visible(each.text));
  return moves.join(" ");
}

/** @param {string} fen */
const sideWords = fen => (fen[0] === "W" ? t("White to move") : t("Black to move"));

export class Current {
  constructor() {
    this.turn = el("p", {class: "turn"});
    this._words = el("div");
    this.element = el(
      "div",
      {class: "said always", tabindex: 0, role: "region", "aria-label": t("The move on the board")},
      this.turn,
      this._words,
    );
    // to set it back costs a layout, so only where somebody has scrolled
    this._isScrolled = false;
    this.element.addEventListener("scroll", () => {
      this._isScrolled = this.element.scrollTop > 0;
    });
  }

  /**
   * @param {Node} node
   * @param {string} over how the game has ended there, or ""
   */
  show(node, over = "") {
    const words = judgement(node),
      line = betterLine(node);
    const made = node.parent ? `${number(node)} ${visible(node.text)}${node.nags.map(sign).join("")} · ` : "";
    this.turn.textContent = made + (over || sideWords(node.fen));
    // kr's story of the whole game stands by itself, where there is room for all of it
    const comments = [...node.starting_comments, ...node.comments]
      .filter(text => !text.includes("[%kr game"))
      .map(text => visible(commentText(text)))
      .filter(Boolean);
    this._words.replaceChildren(
      ...[
        line ? el("p", {class: "better"}, unbroken(t("Better: {moves}", {moves: line}))) : "",
        ...comments.map(text => el("p", null, el("bdi", {class: "comment"}, unbroken(text)))),
        words ? el("p", {class: "muted"}, told(words)) : "",
      ],
    );
    if (this._isScrolled) this.element.scrollTop = 0;
  }

  /**
   * What is told of a step to a node: the move, its marks, and what stands beside it.
   * @param {Node} node as it is shown
   */
  heard(node) {
    if (!node.parent) return t("The start.");
    const move = [visible(node.text), ...node.nags.map(markName)].join(", "),
      beside = [...this._words.children].map(each => each.textContent);
    return beside.length ? [`${move}.`, ...beside].join(" ") : move;
  }

  /** A position that is being set up, which no move has led to. @param {string} fen */
  place(fen) {
    this.turn.textContent = sideWords(fen);
    this._words.replaceChildren();
  }
}
