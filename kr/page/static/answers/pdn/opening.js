// The moves that a game's Opening tag names: opening_plies of kr/openings/decks.py.

import {words} from "../blanks.js";
import {Replay} from "./replay.js";

/** @typedef {import("./tree.js").Game} Game */

/**
 * Number of moves at the beginning of a game that its Opening tag names; 0 if it names others, or none.
 * @param {Game} game
 */
export function openingPlies(game) {
  const title = game.headers.get("Opening") ?? "",
    end = title.lastIndexOf(": "),
    texts = end < 0 ? [] : words(title.slice(end + 2));
  if (!texts.length) return 0;
  const {error, moves} = new Replay(game.start, texts),
    first = game.moves.slice(0, texts.length);
  const isPlayed = moves.length === first.length && moves.every((move, ply) => move.equals(first[ply]));
  return !error && isPlayed ? texts.length : 0;
}
