// The list of the keys of pages.

import {dialog} from "./dialog.js";
import {el} from "./dom.js";
import {t} from "./texts.js";

/** @returns {Array<[string[], string]>} */
const GAME = () => [
  [["←", "→"], t("a move back, forward")],
  [["Home", t("End")], t("to the start, to the end")],
  [["f"], t("turn the board")],
];
/** @returns {Record<string, Array<[string[], string]>>} */
const OWN = () => ({
  analyse: [
    ...GAME(),
    [["↑", "↓"], t("to the variation above, below")],
    [["n", "p"], t("to the next mark, the one before")],
    [["r"], t("review the game, then go to its next moment")],
    [["n", "s"], t("in a moment: on to the next one, show it")],
    [["m", "t"], t("in Repertoire: mark the last move as yours, train")],
    [[t("Space")], t("begin or stop the analysis")],
    [["Ctrl", "z"], t("undo")],
    [["Ctrl", "y"], t("redo")],
    [["Ctrl", "v"], t("open the game or the position that was copied")],
  ],
  play: GAME(),
  learn: [
    ...GAME(),
    [["n"], t("to the next unsolved puzzle")],
    [["h"], t("a hint, then the move")],
    [["s"], t("the solution")],
    [["r"], t("start the puzzle again")],
  ],
  lessons: [
    ...GAME(),
    [["n"], t("to the next step that is not done")],
    [["h"], t("a hint, then the move")],
    [["r"], t("start the step again")],
  ],
  library: [
    [["↑", "↓"], t("to the game above, below")],
    [[t("Enter")], t("open the game")],
    [["x"], t("choose it")],
    [[t("Del")], t("delete what is chosen")],
  ],
  endings: [
    ...GAME(),
    [["h"], t("the best move")],
    [["z"], t("take the last move back")],
    [["n"], t("a new ending")],
    [["r"], t("the same ending again")],
  ],
});
/** @returns {Array<[string[], string]>} */
const BOARD = () => [
  [["Tab"], t("to the board")],
  [["←", "→", "↑", "↓"], t("to another square")],
  [[t("Enter")], t("take up a piece, put it down")],
  [["Esc"], t("put it back")],
];
/** @returns {Array<[string[], string]>} where a person can draw */
const DRAWING = () => [
  [["a"], t("begin an arrow, end it")],
  [["c"], t("draw a circle, or take it away")],
];

/** @param {Array<[string[], string]>} rows */
const list = rows =>
  el(
    "dl",
    {class: "keys"},
    rows.flatMap(([keys, words]) => [
      el(
        "dt",
        null,
        keys.flatMap((key, i) => [i ? " " : "", el("kbd", null, key)]),
      ),
      el("dd", null, words),
    ]),
  );

/**
 * Shows the keys of a page.
 * @param {string} page
 */
export function showKeys(page) {
  if (document.querySelector("dialog[open]")) return;
  const own = OWN()[page];
  dialog(t("Keys"), [
    ...(own ? [list(own), el("h3", null, t("On a square of the board"))] : []),
    list([...BOARD(), ...(page === "analyse" ? DRAWING() : [])]),
    el(
      "p",
      {class: "muted"},
      t("? shows this list. Drag with the right button to draw an arrow, click with it to draw a circle."),
    ),
  ]);
}
