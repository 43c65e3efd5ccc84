// From a review to what trains its weakest part: puzzles, shots among them, the ending itself, the repertoire.

import {button} from "../dom.js";
import {t} from "../texts.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {NonNullable<ReturnType<typeof import("./summary.js").weakest>>} Weakest */

/**
 * The ending as it stood before the worst move, where the database knows that it was not lost; else any.
 * @param {App} app
 * @param {string} fen
 */
async function ending(app, fen) {
  try {
    const [value] = (await app.api("endings/game", {fens: [fen]})).values;
    app.go("endings", value === "win" || value === "draw" ? `${value}/${fen}` : "");
  } catch (error) {
    app.fail(error);
  }
}

/**
 * The button that leads there.
 * @param {App} app
 * @param {Weakest} weakest
 */
export function trainButton(app, {what, worst}) {
  const ways = {
    opening: () => button(t("Train openings"), () => app.panel("repertoire")),
    shot: () => button(t("Train shots"), () => app.go("learn", "theme/shot")),
    middle: () => button(t("Train with puzzles"), () => app.go("learn", "")),
    ending: () => button(t("Train endings"), () => void ending(app, worst.node.parent.fen)),
  };
  return ways[what]();
}
