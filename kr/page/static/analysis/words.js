// What an engine tells, as people read it. Nothing here touches the document.

import {waitingWords} from "../offers.js";
import {decimal, formatted, moves, said, signed, t} from "../texts.js";

/** @typedef {"win" | "draw" | "loss"} Value */
/** @typedef {{text: string, path: number[], captured?: number[], fen: string}} Move */
/**
 * A line of an engine, for the side to move. score: in hundredths of a man; chances: to win, draw and lose; draw: the
 * rule
 * by which the line ends.
 * @typedef {{score: number, value?: Value | null, plies?: number | null, chances?: [number, number, number] | null,
 *   draw?: string, pv: Move[]}} Line
 */
/**
 * The last event of an engine.
 * @typedef {{engine?: string, lines?: Line[], depth?: number, now?: number, nodes?: number, nps?: number, time?:
 * number,
 *   hash?: number, final?: boolean, waiting?: boolean, error?: string,
 *   over?: import("../texts.js").Sentence, side?: string}} Told
 */

/** @type {Record<Value, Value>} */
const OPPOSITE = {win: "loss", draw: "draw", loss: "win"};
const valueName = (/** @type {Value} */ value) => ({win: t("win"), draw: t("draw"), loss: t("loss")})[value];

/** A number of nodes, short. @param {number} number */
export const big = number =>
  number >= 1e9
    ? `${decimal(number / 1e9, 1)} G`
    : number >= 1e6
      ? `${decimal(number / 1e6, 1)} M`
      : number >= 1e3
        ? `${Math.round(number / 1e3)} k`
        : String(number);

/** @param {number} share */
export const percent = share => Math.round(share * 100);

/**
 * A score in men: "+0.42", "−1.30", "0".
 * @param {number} score in hundredths of a man
 */
export const men = score => (score === 0 ? "0" : signed(score / 100, 2));

/** "W", "D" or "L" @param {Value} value */
const outcomeLetter = value => t("WDL")[["win", "draw", "loss"].indexOf(value)];

/** "W 31" @param {{value: Value, plies: number | null}} known */
export const short = ({value, plies}) =>
  outcomeLetter(value) + (value === "draw" || plies === null ? "" : ` ${Math.ceil(plies / 2)}`);

/** "win in 31 moves" @param {{value: Value, plies?: number | null}} known */
export const long = ({value, plies}) =>
  value === "draw" || plies === null || plies === undefined
    ? valueName(value)
    : t("{value} in {moves}", {value: valueName(value), moves: moves(plies)});

/** @param {string} rule */
const byRule = rule => (rule === "repetition" ? t("draw by repetition") : t("draw for lack of progress"));

/** @param {number} seconds */
const lasted = seconds =>
  seconds < 60
    ? `${Math.floor(seconds)} s`
    : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;

/**
 * A line as a person reads it, turned for the other side or not.
 * @param {Pick<Line, "score" | "value" | "plies" | "chances" | "draw">} line
 * @param {boolean} turned
 * @returns {{text: string, chances: [number, number, number] | null}}
 */
export function seen(line, turned) {
  const {plies = null} = line,
    value = line.value && (turned ? OPPOSITE[line.value] : line.value);
  const [win, draw, loss] = line.chances ?? [0, 0, 0];
  /** @type {[number, number, number] | null} */
  const chances = !line.chances ? null : turned ? [loss, draw, win] : [win, draw, loss];
  if (line.draw) return {text: byRule(line.draw), chances};
  return {text: value ? long({value, plies}) : men(turned ? -line.score : line.score), chances};
}

/**
 * A score as a player reads it: "+0.44", "0", or what is proved in words.
 * @param {{score: number | null, value?: Value | null, plies?: number | null}} score
 * @param {boolean} turned for the other side
 */
export function scoreWords({score, value, plies}, turned) {
  if (score === null && !value) return "";
  return seen({score: score ?? 0, value, plies}, turned).text;
}

/**
 * What stands above the lines of an engine.
 * @param {Told} told
 * @param {string} name of the engine; "" if there is only one
 */
export function status(told, name) {
  const message = told.error || (told.over && said(told.over)) || (told.waiting && waitingWords());
  const facts = () =>
    [
      told.depth && t("depth {depth}", {depth: told.depth}),
      !told.final && (told.now ?? 0) > (told.depth || 0) && t("now {depth}", {depth: told.now}),
      told.nodes !== undefined && t("{nodes} nodes", {nodes: big(told.nodes)}),
      told.nps ? `${big(told.nps)}/s` : "",
      (told.time ?? 0) >= 1 && lasted(told.time ?? 0),
      told.hash ? t("{size} MB hash", {size: formatted(told.hash)}) : "",
      told.final ? t("finished") : "",
    ]
      .filter(Boolean)
      .join(" · ");
  return (name ? `${told.engine || name}: ` : "") + (message || facts());
}

/**
 * A value, or which one is excluded, and the names of the certificates that it rests on, if it is not the database.
 * @typedef {{value?: Value | null, plies?: number | null, certificates?: string[], excludes?: Value}} Exact
 */

/** @param {Exact} known */
function certified(known) {
  const worth = known.value
    ? long({value: known.value, plies: known.plies})
    : known.excludes === "loss"
      ? t("does not lose")
      : known.excludes
        ? t("does not win")
        : "";
  if (!worth || !known.certificates) return worth;
  return t("{value} by certificate {name}", {value: worth, name: known.certificates.join(", ")});
}

export const harderFirst = () => t("Of draws the one that is harder for people comes first.");

/**
 * What is known exactly of a position and its moves, in a sentence. isOrdered: of moves that draw the harder ones for
 * people come first.
 * @param {(Exact & {moves: Array<Exact & {text: string}>, isOrdered?: boolean}) | null} exact
 * @param {string} draw the rule by which the game can be claimed drawn, or ""
 */
export function exactly(exact, draw) {
  const each = exact ? exact.moves.map(move => `${move.text} ${certified(move)}`).join(", ") : "",
    values = exact ? [certified(exact), each].filter(Boolean).join("; ") : "";
  return [
    draw && t("The game can be claimed a {draw} here.", {draw: byRule(draw)}),
    values && t("Exact: {values}", {values}) + (exact?.isOrdered ? "." : ""),
    exact?.isOrdered && harderFirst(),
  ]
    .filter(Boolean)
    .join(" ");
}
