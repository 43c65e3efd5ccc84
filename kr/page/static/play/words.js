// What is said of a game: who plays, whose move it is, how it ended. Nothing here touches the document.

import {isOfBook} from "../comments.js";
import {said, t} from "../texts.js";

/** @typedef {import("./state.js").Side} Side */
/** @typedef {import("./state.js").Settings} Settings */
/** @typedef {import("./state.js").Played} Played */

/**
 * @param {Record<string, string>} words
 * @param {string | number} name
 * @returns {string | undefined}
 */
const named = (words, name) => words[name];

/** The levels that have a name, from the weakest. */
export const NAMED_LEVELS = [1, 3, 5, 7, 9, 10];

/**
 * A level of kr in a word or two; "" for one between two of those.
 * @param {number} level
 */
export function levelName(level) {
  const names = {
    1: t("Beginner"),
    3: t("Learner"),
    5: t("Club player"),
    7: t("Strong club player"),
    9: t("Expert"),
    10: t("Full strength"),
  };
  return named(names, level) ?? "";
}

/**
 * How a level plays.
 * @param {number} level
 */
export function levelWords(level) {
  const words = {
    1: t("takes what it sees, and overlooks most"),
    3: t("sees simple captures, gives men away"),
    5: t("counts exchanges, falls for shots"),
    7: t("seldom loses a man, errs in plans"),
    9: t("hardly ever errs"),
    10: t("thinks as long as its clock allows"),
  };
  return named(words, level) ?? "";
}

/**
 * The strength of a level as it was measured.
 * @param {{number: number, elo: number, elo_error: number, fifth: number}} level elo: above level 1; fifth: of the
 *     players of recorded games that lose as much by a move, 1 for the weakest
 */
export function strengthWords({number, elo, elo_error, fifth}) {
  const ladder =
    number === 1
      ? t("The weakest of kr's ten levels.")
      : t("Level {number} of 10, {elo} ± {error} Elo above the first, by matches between the levels.", {
          number,
          elo,
          error: elo_error,
        });
  const people = {
    1: t(
      "As kr judges, its moves give away at least as much as those of the weakest fifth of the players of " +
        "22,000 recorded games.",
    ),
    2: t(
      "As kr judges, its moves give away as much as those of the second weakest fifth of the players of 22,000 " +
        "recorded games.",
    ),
    3: t(
      "As kr judges, its moves give away as much as those of the middle fifth of the players of 22,000 recorded games.",
    ),
    4: t(
      "As kr judges, its moves give away as much as those of the second strongest fifth of the players of " +
        "22,000 recorded games.",
    ),
    5: t(
      "As kr judges, its moves give away no more than those of the strongest fifth of the players of 22,000 " +
        "recorded games.",
    ),
  };
  return `${ladder} ${named(people, fifth) ?? ""}`;
}

/**
 * Name of the opponent of a game's settings.
 * @param {Settings} settings
 */
export function opponentName({level, generation, program}) {
  if (program) return program;
  if (generation !== undefined) return said({say: "player.evolved", with: {number: String(generation)}});
  if (!level) return t("kr, like people");
  const name = levelName(level);
  return name ? t("kr, level {level} ({name})", {level, name: name.toLowerCase()}) : t("kr, level {level}", {level});
}

/**
 * What an opponent is called in a sentence, at its beginning or within: kr at all its levels.
 * @param {Settings} settings
 */
export function shortName({level, generation, program}) {
  if (program) return program;
  if (generation !== undefined) return t("Generation {number}", {number: generation});
  return level === 0 ? t("Human-like kr") : "kr";
}

/**
 * Names of both players.
 * @param {Settings} settings
 * @returns {Record<Side, string>}
 */
export function playerNames(settings) {
  if (settings.people) return {black: settings.names?.[0] || t("Black"), white: settings.names?.[1] || t("White")};
  const opponent = opponentName(settings);
  return settings.side === "black" ? {black: t("You"), white: opponent} : {black: opponent, white: t("You")};
}

/** @param {string} reason */
function drawReason(reason) {
  const reasons = {
    repetition: t("A draw: the same position for the third time."),
    "no progress": t("A draw: 40 moves each without a capture or a man's move."),
    agreement: t("A draw: agreed."),
  };
  return named(reasons, reason) ?? t("A draw: {reason}.", {reason});
}

/** @param {string} reason @param {string} name of the opponent */
function winReason(reason, name) {
  const reasons = {
    resignation: t("You win: {name} resigns.", {name}),
    "time forfeit": t("You win: {name}'s time is up.", {name}),
    "no pieces left": t("You win: {name} has no piece left.", {name}),
    "no legal move": t("You win: {name} can't move.", {name}),
  };
  return named(reasons, reason) ?? t("You win: {reason}.", {reason});
}

/** @param {string} reason @param {string} name of the opponent */
function lossReason(reason, name) {
  const reasons = {
    resignation: t("{name} wins: you resigned.", {name}),
    "time forfeit": t("{name} wins: your time is up.", {name}),
    "no pieces left": t("{name} wins: you have no piece left.", {name}),
    "no legal move": t("{name} wins: you can't move.", {name}),
  };
  return named(reasons, reason) ?? t("{winner} wins: {reason}.", {winner: name, reason});
}

/**
 * @param {string} winner
 * @param {string} loser
 * @param {string} reason
 */
function otherReason(winner, loser, reason) {
  const names = {winner, loser};
  const reasons = {
    resignation: t("{winner} wins: {loser} resigns.", names),
    "time forfeit": t("{winner} wins: the time of {loser} is up.", names),
    "no pieces left": t("{winner} wins: {loser} has no piece left.", names),
    "no legal move": t("{winner} wins: {loser} can't move.", names),
  };
  return named(reasons, reason) ?? t("{winner} wins: {reason}.", {winner, reason});
}

/**
 * How a game ended.
 * @param {import("./state.js").Over} over
 * @param {Settings} settings
 */
export function endWords({winner, reason, result}, settings) {
  let words;
  if (!winner) words = drawReason(reason);
  else if (settings.people) {
    const names = playerNames(settings);
    words = otherReason(names[winner], names[winner === "black" ? "white" : "black"], reason);
  } else words = (winner === settings.side ? winReason : lossReason)(reason, shortName(settings));
  return `${words} ${result}`;
}

/**
 * Whose move it is, after which.
 * @param {Played} played
 */
export function turnWords(played) {
  const {state, nodes} = played,
    last = nodes[nodes.length - 1],
    move = nodes.length > 1 ? last.text : "";
  if (!state) return "";
  const name = played.game ? shortName(played.game.settings) : "kr";
  if (state.thinking)
    return move ? t("You play {move}. {name} is thinking …", {move, name}) : t("{name} is thinking …", {name});
  if (state.advising) return t("kr is looking for a hint …");
  const names = played.game ? playerNames(played.game.settings) : null;
  if (played.isShared && names) {
    const values = {name: names[state.side], move, before: names[state.side === "black" ? "white" : "black"]};
    return move ? t("{before} plays {move}. {name} to move.", values) : t("{name} to move.", values);
  }
  const byBook = last?.comments?.some(isOfBook),
    byRival = byBook
      ? t("{name} plays {move}, from its book. Your move.", {name, move})
      : t("{name} plays {move}. Your move.", {name, move}),
    words = move ? byRival : t("Your move.");
  return state.offer ? `${words} ${t("{name} offers a draw: accept it, or play on.", {name})}` : words;
}

/**
 * What captures must be made, before one is missed; "" if none must.
 * @param {import("./state.js").Move[]} moves
 */
export function forcedWords(moves) {
  if (!moves[0]?.captured.length) return "";
  const texts = [...new Set(moves.map(move => move.text))];
  return texts.length === 1
    ? t("You must capture: {move}.", {move: texts[0]})
    : t("You must capture: {moves}.", {moves: texts.join(", ")});
}

/**
 * Why an offer of a draw is declined.
 * @param {{why: string, number: number}} answer number: of moves or plies before which no draw is accepted
 * @param {string} name of the opponent
 */
export function answerWords({why, number}, name) {
  const words = {
    ahead: t("{name} declines the draw: it sees itself ahead.", {name}),
    "was ahead": t("{name} declines the draw: it was ahead a few moves ago.", {name}),
    moves: t("{name} declines the draw: it accepts none before its move {number}.", {name, number}),
    plies: t("{name} declines the draw: in an even game it accepts none before move {number}.", {
      name,
      number: Math.ceil(number / 2),
    }),
  };
  return named(words, why) ?? "";
}
