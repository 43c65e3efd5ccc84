// Words for a person's figures. Nothing here touches the document.

import {kindName} from "../graph.js";
import {YOU} from "../library/cards.js";
import {decimal, many, said, t} from "../texts.js";
import {TURNS} from "../turns.js";
import {LEAST_GAMES} from "./figures.js";

/** @typedef {import("./figures.js").Figures} Figures */
/** @typedef {import("./figures.js").Mean} Mean */
/** @typedef {import("./figures.js").Score} Score */

/** In place of a figure that too few games are behind. */
const SILENT = "–";

/** @param {string} name */
export const playerName = name => (name === YOU ? t("You, against kr") : name);

/** Wins, draws and losses. @param {Pick<Score, "win" | "draw" | "loss">} score */
export const results = ({win, draw, loss}) => `${win} – ${draw} – ${loss}`;

/** @param {number | null} score of a hundred */
export const scoreText = score => (score === null ? SILENT : `${decimal(score, 0)}%`);

/** @param {Mean | null} mean */
export const meanText = mean => (mean ? `${decimal(mean.value, 0)} ± ${decimal(mean.error, 0)}` : SILENT);

/** How many a game. @param {number | null} rate */
export const rateText = rate => (rate === null ? SILENT : decimal(rate, 2));

/** When games were played. @param {{from: string, to: string}} span */
export const spanText = ({from, to}) => (from === to ? from : `${from} – ${to}`);

/** A kind of mistake that has no name yet. @param {string} _ @param {string} kind */
const unnamed = (_, kind) => kind.replaceAll("_", " ");

/** @param {"why" | "kind" | "turn" | "phase" | string} field @param {string} name */
export function mistakeName(field, name) {
  if (field === "why") return said({say: `kind.${name || "none"}`}).replace(/^kind\.(\w+)$/, unnamed);
  if (field === "kind") return kindName(/** @type {import("../graph.js").Mark} */ (name));
  if (field === "turn") return TURNS[/** @type {keyof typeof TURNS} */ (name)]();
  return {
    shot: t("shot missed"),
    opening: t("in the opening"),
    middle: t("in the middle game"),
    ending: t("in the ending"),
  }[name];
}

/** What the mistakes of a field are told apart by. @param {string} field */
export const fieldName = field =>
  ({
    why: t("What goes wrong"),
    kind: t("How much was given away"),
    turn: t("What became of the game"),
    phase: t("Where"),
  })[field] ?? field;

/** An ending's pieces, one's own first. @param {string} name such as "2v1" */
export const endingName = name => name.replace("v", ` ${t("against")} `);

/** @param {{games: number, held: number, spoiled: number}} ending @returns {string} */
export function keptText({games, held, spoiled}) {
  if (!games) return "";
  const open = games - held - spoiled;
  return [
    t("{count} kept", {count: held}),
    spoiled && t("{count} given away", {count: spoiled}),
    open && t("{count} not known", {count: open}),
  ]
    .filter(Boolean)
    .join(", ");
}

/** What there is, in a sentence or two. @param {Figures} figures @param {boolean} isWhole */
export function summaryText({games, reviewed, accuracy, all}, isWhole) {
  const parts = [
    t("{games}: {win} won, {draw} drawn, {loss} lost", {
      games: many(games, "game"),
      win: all.win,
      draw: all.draw,
      loss: all.loss,
    }),
    t("{count} of them reviewed", {count: reviewed}),
    accuracy && t("accuracy {mean}", {mean: meanText(accuracy)}),
    !isWhole && t("reading them …"),
  ];
  return parts.filter(Boolean).join(", ");
}

/** The rule about silence. */
export const silenceText = () =>
  t("Shares and means stand where at least {count} games are behind them; ± is the 95% uncertainty of a mean.", {
    count: LEAST_GAMES,
  });
