// Games of an opened file, taken into the library as a folder and reviewed in the background.

import {many, t} from "../texts.js";
import {reviewsOf} from "./job.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("../tree.js").GameDocument} GameDocument */

/** Most games of a file that are taken at once. */
const MOST_TAKEN = 2000;
const TOLD_EVERY = 50;

/**
 * @param {App} app
 * @param {string} name of the file, and of the folder
 * @param {number} count of its games
 * @param {(index: number) => Promise<GameDocument | null>} documentOf null: another file is listed now
 */
export async function takeAndReview(app, name, count, documentOf) {
  if (count > MOST_TAKEN)
    throw new Error(t("At most {games} at once: find fewer by words first", {games: many(MOST_TAKEN, "game")}));
  const job = reviewsOf(app),
    /** @type {import("../library/cards.js").Card[]} */ cards = [];
  let lost = 0;
  await job.library.ready;
  for (let index = 0; index < count; index++) {
    try {
      const document = await documentOf(index);
      if (!document) break;
      cards.push(await job.library.add({document, source: "file", folder: name}));
    } catch {
      // why it can't be read the list itself says
      lost += 1;
    }
    if (cards.length % TOLD_EVERY === 0)
      app.say(t("{done} of {games} are in the library", {done: cards.length, games: many(count, "game")}));
  }
  job.add(cards);
  const taken = t("{games} are in the library, and are being reviewed", {games: many(cards.length, "game")});
  app.say(lost ? `${taken}; ${t("{games} could not be read", {games: many(lost, "game")})}` : taken);
}
