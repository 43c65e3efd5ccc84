// Many games taken into the library as a folder, such as all of a file: with progress, and with what could not be read.

import {many, t} from "../texts.js";
import {libraryOf} from "./games.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("../tree.js").GameDocument} GameDocument */

/** Most games that are taken at once. */
const MOST_TAKEN = 20_000;
const AT_ONCE = 50;

/**
 * Gives the cards of the games, those that were there already too.
 * @param {App} app
 * @param {{name: string, count: number, source: import("./cards.js").Source,
 *   documentOf: (index: number) => Promise<GameDocument | null>, progress?: (share: number) => void}} games
 *     name: of the folder; documentOf: null if the games are not wanted any more; progress: hears how much is done
 */
export async function takeAll(app, {name, count, source, documentOf, progress}) {
  if (count > MOST_TAKEN)
    throw new Error(t("At most {games} at once: find fewer by words first", {games: many(MOST_TAKEN, "game")}));
  const library = libraryOf(app),
    /** @type {import("./cards.js").Card[]} */ cards = [];
  let lost = 0,
    known = 0,
    isWanted = true;
  await library.ready;
  for (let start = 0; start < count && isWanted; start += AT_ONCE) {
    /** @type {GameDocument[]} */
    const documents = [];
    for (let index = start; index < Math.min(start + AT_ONCE, count) && isWanted; index++) {
      try {
        const document = await documentOf(index);
        if (document) documents.push(document);
        else isWanted = false;
      } catch {
        // why it can't be read the list itself says
        lost += 1;
      }
    }
    const taken = await library.addAll(documents, {source, folder: name});
    cards.push(...taken.cards);
    known += taken.known;
    progress?.(Math.min(start + AT_ONCE, count) / count);
    if (start + AT_ONCE < count)
      app.say(t("In the library: {done} of {games}", {done: cards.length, games: many(count, "game")}));
  }
  app.say(
    [
      t("In the library: {games}", {games: many(cards.length, "game")}),
      known && t("already there: {games}", {games: many(known, "game")}),
      lost && t("{games} could not be read", {games: many(lost, "game")}),
    ]
      .filter(Boolean)
      .join("; "),
  );
  return cards;
}
