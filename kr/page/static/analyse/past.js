// What this browser has kept of earlier visits: the game against kr that goes on, and the last games of the library.
// Nothing here touches the document.

import {gameTitle} from "../library/words.js";
import {KeptGames} from "../play/kept.js";
import {playerNames} from "../play/words.js";
import {many, t} from "../texts.js";

/** @import {Game} from "../play/state.js" */
/** @typedef {import("../library/cards.js").Card} Card */
/** @typedef {{id: string, fen: string, isFlipped: boolean, words: string}} Unfinished words: about the game */
/** @typedef {{kept: (name: string, otherwise?: any) => any, keep: (name: string, value: unknown) => boolean}} Store */

const MOST_LAST = 4;

/** The game of the page Play that goes on, the one that was played last. @param {Store} store */
export function unfinishedOf(store) {
  const kept = new KeptGames(store),
    games = kept.ids.map(id => kept.get(id)?.game),
    open = games.find(game => game && !game.over && game.document.nodes.length > 1);
  return open ? goingOn(open) : null;
}

/** @param {Game} game @returns {Unfinished} */
function goingOn(game) {
  const {id, settings, document} = game,
    {black, white} = playerNames(settings),
    moves = many(document.nodes.length - 1, "move");
  return {
    id,
    fen: document.nodes[document.nodes.length - 1].fen,
    isFlipped: settings.side !== "white",
    words: t("{players}, after {moves}", {players: `${black} – ${white}`, moves}),
  };
}

/**
 * The last games of the library that don't go on.
 * @param {import("../shell.js").App} app
 * @returns {Promise<{id: string, name: string, moves: number}[]>}
 */
export async function lastGames(app) {
  await app.keepGame?.();
  if (!app.kept("library") && !app.kept("recent") && !app.kept("games")) return [];
  const library = (await import("../library/games.js")).libraryOf(app);
  await library.ready;
  return library
    .list()
    .filter(({isGoing}) => !isGoing)
    .slice(0, MOST_LAST)
    .map(card => ({id: card.id, name: gameTitle(card), moves: card.moves}));
}
