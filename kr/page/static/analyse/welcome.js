// What can be done where there is no game yet: how the board is used, and ways to a game, one click each.

import {el} from "../dom.js";
import {icon} from "../icons.js";
import {START} from "../squares.js";
import {t} from "../texts.js";

/**
 * @typedef {{
 *   open: () => void, paste: () => void, opening: () => void, setUp: () => void, play: () => void,
 *   lessons: () => void,
 * }} Ways */

/**
 * True if nothing has been done yet: the start of a game without moves, comments, names or a result.
 * @param {import("../tree.js").GameTree} tree
 */
export const isBlank = ({root, headers, result}) =>
  root.fen === START &&
  !root.children.length &&
  !root.comments.length &&
  result === "*" &&
  !["Event", "Black", "White"].some(name => (headers[name] ?? "").replace(/[?\s]/g, ""));

/** @param {Ways} ways */
export function welcome({open, paste, opening, setUp, play, lessons}) {
  /** @type {(name: string, title: string, more: string, act: () => void) => HTMLElement} */
  const way = (name, title, more, act) =>
    el(
      "li",
      null,
      el(
        "button",
        {type: "button", onclick: act},
        icon(name),
        el("span", null, el("b", null, title), " ", el("small", null, more)),
      ),
    );
  return el(
    "section",
    {class: "welcome", "aria-label": t("Begin")},
    el("p", null, t("Black to move: drag a man, or click it and then its square."), " ", t("Or begin with:")),
    el(
      "ul",
      null,
      way("game", t("a file of games"), t("PDN; or drop one on the page"), open),
      way("notation", t("a game as text"), t("moves, a FEN or a link; Ctrl+V works anywhere"), paste),
      way("explorer", t("an opening"), t("by its name or its moves"), opening),
      way("setup", t("a position"), t("set up on the board"), setUp),
      way("play", t("a game against kr"), t("from beginner to champion"), play),
      way("lessons", t("never played?"), t("learn the rules by moving men"), lessons),
    ),
  );
}
