// The rules on one page, with small boards.

import {Board} from "../board.js";
import {dialog} from "../dialog.js";
import {el} from "../dom.js";
import {START} from "../squares.js";
import {t} from "../texts.js";

/** @typedef {{fen: string, arrows: number[][], title: string, words: string}} Rule */

/** @returns {Rule[]} */
const RULES = () => [
  {
    fen: START,
    arrows: [[11, 15]],
    title: t("The board"),
    words: t(
      "Twelve men each on the dark squares. Black begins; then the sides move by turns. Whoever can't move, " +
        "because no piece is left or all are blocked, loses.",
    ),
  },
  {
    fen: "B:W22:B10",
    arrows: [
      [10, 14],
      [10, 15],
    ],
    title: t("A man"),
    words: t("A man moves one square diagonally forward, to an empty square."),
  },
  {
    fen: "B:W15,23:B11",
    arrows: [[11, 18, 27]],
    title: t("Captures"),
    words: t(
      "A piece captures by jumping over an enemy beside it, to the empty square behind. If it can jump on from " +
        "there, it must: one move may take several pieces. Men capture forward only.",
    ),
  },
  {
    fen: "B:W16,17:B12,13,1",
    arrows: [
      [12, 19],
      [13, 22],
    ],
    title: t("You must capture"),
    words: t(
      "If you can capture, you must. Among several captures you choose freely, also one that takes fewer pieces.",
    ),
  },
  {
    fen: "W:WK11,6:B29",
    arrows: [
      [11, 15],
      [11, 16],
      [11, 7],
      [11, 8],
      [6, 1],
      [6, 2],
    ],
    title: t("Kings"),
    words: t(
      "A man that reaches the last row becomes a king, and its move ends there. A king moves and captures " +
        "forward and backward, one square at a time.",
    ),
  },
  {
    fen: "B:WK32:BK1",
    arrows: [],
    title: t("Draws"),
    words: t(
      "The game is drawn if both agree, if a position is on the board for the third time with the same side to " +
        "move, and after 40 moves each without a capture or a man's move.",
    ),
  },
];

/** @param {Rule} rule */
function picture({fen, arrows, title}) {
  const board = new Board({label: title, numbers: false});
  board.show(fen);
  board.arrows(arrows.map(path => ({path, kind: "best"})));
  // a picture: nothing to reach by keys
  board.element.inert = true;
  return board.element;
}

/** Opens the rules. */
export function showRules() {
  dialog(
    t("Rules of English draughts"),
    [
      el(
        "div",
        {class: "rules"},
        RULES().map(rule =>
          el("section", null, picture(rule), el("div", null, el("h3", null, rule.title), el("p", null, rule.words))),
        ),
      ),
    ],
    {wide: true},
  );
}
