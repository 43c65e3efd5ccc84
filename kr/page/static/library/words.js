// Words for the games of the library. Nothing here touches the document.

import {retold} from "../comments.js";
import {nameOf} from "../files/state.js";
import {visible} from "../escapes.js";
import {t} from "../texts.js";

/** @typedef {import("./cards.js").Card} Card */

/** What a game is called: "Ann – Bob 1901". @param {Card} card */
export const gameTitle = ({black, white, event, date}) =>
  visible(nameOf({Black: black, White: white, Event: event, Date: date})) || t("A game");

/** A player as a list names them. @param {string} name */
export const listedName = name => visible(retold(name)) || "?";

/** @returns {Record<import("./cards.js").Source, string>} */
export const sourceNames = () => ({
  played: t("played here"),
  pasted: t("pasted"),
  file: t("from a file"),
  link: t("from a link"),
  archive: t("from an archive"),
  board: t("made on the board"),
});
