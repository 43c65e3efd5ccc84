// Words for the games of the library. Nothing here touches the document.

import {retold} from "../comments.js";
import {nameOf} from "../files/state.js";
import {visible} from "../escapes.js";
import {t} from "../texts.js";

/** @typedef {import("./cards.js").Card} Card */

/** What a game is called: "Ann – Bob 1901". @param {Card} card */
export const gameTitle = card => {
  const [Black, White] = playersOf(card);
  return visible(nameOf({Black, White, Event: card.event, Date: card.date})) || t("A game");
};

/** The players, the person by that word. @param {Card} card */
export const playersOf = ({black, white, person}) => [
  person === "black" ? t("You") : black,
  person === "white" ? t("You") : white,
];

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
