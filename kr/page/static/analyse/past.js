// What this browser has kept of earlier visits: the game against kr that goes on, and the last games. Nothing here
// touches the document.

import {visible} from "../escapes.js";
import {movesOf, nameOf} from "../files/state.js";
import {KeptGames} from "../play/kept.js";
import {playerNames} from "../play/words.js";
import {many, t} from "../texts.js";

/** @import {Game} from "../play/state.js" */
/**
 * A game that was looked at, or played, by the address of its page.
 * @typedef {{name: string, moves: number, game?: import("../files/state.js").Stored, address?: string}} Last
 */
/**
 * unfinished: of the page Play, with words about it
 * @typedef {{
 *   unfinished: {id: string, fen: string, isFlipped: boolean, words: string} | null, last: Last[],
 * }} Past
 */
/** @typedef {{kept: (name: string, otherwise?: any) => any, keep: (name: string, value: unknown) => boolean}} Store */

const MOST_LAST = 4;

/** @param {Game} game */
const playersOf = ({settings}) => {
  const {black, white} = playerNames(settings);
  return `${black} – ${white}`;
};

/** @param {Store} store @returns {Past} */
export function pastOf(store) {
  const kept = new KeptGames(store),
    played = kept.ids.map(id => kept.get(id)?.game).filter(game => game && game.document.nodes.length > 1),
    open = played.find(game => !game?.over);
  return {
    unfinished: open ? goingOn(open) : null,
    last: lastGames(store, /** @type {Game[]} */ (played.filter(game => game?.over))),
  };
}

/** @param {Game} game */
function goingOn(game) {
  const {id, settings, document} = game,
    moves = many(document.nodes.length - 1, "move");
  return {
    id,
    fen: document.nodes[document.nodes.length - 1].fen,
    isFlipped: settings.side !== "white",
    words: t("{players}, after {moves}", {players: playersOf(game), moves}),
  };
}

/**
 * The last games: those that were on the board of Analyse, then those of the page Play.
 * @param {Store} store
 * @param {Game[]} played that are over, the last one first
 * @returns {Last[]}
 */
function lastGames(store, played) {
  const recent = store.kept("recent", []),
    seen = (Array.isArray(recent) ? recent : []).filter(each => each?.document?.nodes);
  return [
    ...seen.map(game => ({
      name: visible(nameOf(game.document.headers)) || t("A game"),
      moves: movesOf(game.document.nodes),
      game,
    })),
    ...played.map(game => ({
      name: playersOf(game),
      moves: game.document.nodes.length - 1,
      address: `play/${game.id}`,
    })),
  ].slice(0, MOST_LAST);
}
