// What is said of a match: its players, its score, its state. Nothing here touches the document.

import {many, said, t} from "../texts.js";
import {levelName} from "./words.js";

/** @import {Said} from "../texts.js" */
/** @typedef {{key: string, kind: string, number?: number, name?: string}} Contender */
/**
 * The score of the first player; elo and what belongs to it are null before the first two games.
 * @typedef {{wins: number, draws: number, losses: number, elo: number | null, error: number | null,
 *     superior: number | null}} Score
 */
/**
 * A match; why: what failed.
 * @typedef {{id: string, settings: {a: string, b: string, games: number, tc: string, ballot: string},
 *     names: [string, string], state: "running" | "stopped" | "done" | "failed", why: Said}} Match
 */
/** @typedef {{number: number, black: "a" | "b", opening: string, points: number, reason: Said, plies: number}} Row */

/**
 * Name of a player; long: to choose it by.
 * @param {Contender} player
 * @param {boolean} [long]
 */
export function contenderName({kind, number = 0, name = ""}, long = false) {
  const named = kind === "level" && long ? levelName(number) : "";
  /** @type {Record<string, string>} */
  const names = {
    level: named
      ? t("kr, level {level} ({name})", {level: number, name: named.toLowerCase()})
      : t("kr, level {level}", {level: number}),
    people: t("people, without search"),
    evolved: said({say: "player.evolved", with: {number: String(number)}}),
    weights: t("kr with the evaluation {name}", {name}),
    mcts: t("Monte Carlo, {count} play-outs", {count: number}),
    random: t("random moves"),
    engine: name,
  };
  return names[kind] ?? kind;
}

/**
 * Name of a player of a match, by its key.
 * @param {string} key
 * @param {string} name as the server has it
 */
export function playerName(key, name) {
  const [kind, number] = key.split(":");
  if (kind === "engine") return name;
  return contenderName({key, kind, number: Number(number) || 0, name: number});
}

/**
 * Points as people write them: 3½.
 * @param {number} halves
 */
export function pointsText(halves) {
  const whole = Math.floor(halves / 2);
  return halves % 2 ? `${whole || ""}½` : String(whole);
}

/**
 * Both points, "3½ – 1½".
 * @param {Score} score
 */
export function scoreText({wins, draws, losses}) {
  return `${pointsText(2 * wins + draws)} – ${pointsText(2 * losses + draws)}`;
}

/**
 * What the score says of the strength.
 * @param {Score} score
 * @param {[string, string]} names
 */
export function eloWords({wins, draws, losses, elo, error, superior}, [a, b]) {
  const count = wins + draws + losses;
  const games = t("{games}: {wins} won, {draws} drawn, {losses} lost by {a}.", {
    games: many(count, "game"),
    wins,
    draws,
    losses,
    a,
  });
  if (elo === null || error === null) return count ? games : t("No game is finished yet.");
  if (!Math.round(elo))
    return `${games} ${t("So far neither is the stronger: 0 ± {error} Elo.", {error: Math.round(error)})}`;
  const [stronger, weaker] = elo >= 0 ? [a, b] : [b, a];
  // no match makes it certain
  const sure = Math.min(99, Math.round(100 * Math.max(superior ?? 0.5, 1 - (superior ?? 0.5))));
  const words = t("{stronger} is {elo} ± {error} Elo stronger than {weaker} ({sure}% likely to be the stronger).", {
    stronger,
    weaker,
    elo: Math.abs(Math.round(elo)),
    error: Math.round(error),
    sure,
  });
  return `${games} ${words}`;
}

/**
 * @param {Match} match
 * @param {number} finished games
 */
export function matchWords({state, why, settings}, finished) {
  const values = {number: Math.min(finished + 1, settings.games), games: settings.games, finished};
  if (state === "running") return t("Game {number} of {games}", values);
  if (state === "done") return t("The match is over: {games} games", values);
  if (state === "failed") return t("The match stopped: {why}", {why: said(why)});
  return t(
    "Stopped after {finished} of {games} games. Resume plays on; the game that was cut off begins again.",
    values,
  );
}

/**
 * Result of a game as Black's and White's points.
 * @param {Row} row
 */
export function resultText({black, points}) {
  const own = black === "a" ? points : 2 - points;
  return own === 1 ? "½–½" : own === 2 ? "1–0" : "0–1";
}

/** The opening of a game. @param {string} opening as the server gives it, such as "3move 46: 9-14 23-18 14x23" */
export function openingWords(opening) {
  const [, deck, title] = /^(3move|11man) (.+)$/.exec(opening) ?? [];
  if (!deck) return opening;
  return deck === "3move" ? t("Three-move ballot {title}", {title}) : t("11-man ballot {title}", {title});
}
