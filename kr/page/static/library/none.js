// What stands where there is no game yet: a sentence, and how games come.

import {button, el} from "../dom.js";
import {t} from "../texts.js";

/** @typedef {import("../shell.js").App} App */

/** Goes to where games are opened and pasted. @param {App} app */
export function openGames(app) {
  app.go("analyse");
  app.panel("game");
}

/**
 * Hidden at first.
 * @param {App} app
 * @param {string} words
 */
export const noGames = (app, words) =>
  el(
    "div",
    {class: "nothing", hidden: true},
    el("p", null, words),
    el(
      "div",
      {class: "row"},
      button(t("Open or paste games"), () => openGames(app), {class: "primary"}),
      button(t("Play against kr"), () => app.go("play")),
    ),
  );
