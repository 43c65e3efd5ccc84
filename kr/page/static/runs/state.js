// Runs as the server tells them: sentences, numbers, and where the lines of a chart go. Nothing here touches the
// document.

import {decimal, said, spoken, t} from "../texts.js";

/** @import {Said} from "../texts.js" */
/** @typedef {"running" | "done" | "stopped" | "ended" | "damaged"} RunState */
/**
 * @typedef {{name: string, kind: Said, state: RunState, progress: Said, share: number | null, changed: number}} Row
 *     share: that is done, 0 to 1, if it can be known; changed: in seconds
 */
/** @typedef {[number, number, number?]} Point x, y and its error */
/** @typedef {{name: Said, kind: "line" | "band" | "points" | "guide", points: Point[]}} ChartLine */
/** @typedef {{title: Said, x: Said, y: Said, lines: ChartLine[]}} Chart */
/** @typedef {Said | null} Cell null if it isn't known */
/**
 * @typedef {{title: Said, head: Said[], rows: Cell[][], games?: number[]}} Table games: one for each row to open
 */
/**
 * A run with all that is known of it. reading: what is still being read
 * @typedef {Row & {facts: Array<[Said, Said]>, tables?: Table[], charts?: Chart[], reading?: Said}} Run
 */

const SETTLED = 4; // a curve's errors count from a quarter of it on: the first ones are wide

/** @param {RunState} state @returns {[string, string]} a mark and a word */
export const stateWords = state =>
  /** @type {Record<string, () => [string, string]>} */ ({
    running: () => ["▶", t("running")],
    done: () => ["✓", t("done")],
    stopped: () => ["■", t("stopped")],
    ended: () => ["■", t("ended")],
    damaged: () => ["✗", t("damaged")],
  })[state]?.() ?? ["", state];

/** @param {number} seconds since 1970; 0 if it isn't known */
export const time = seconds =>
  seconds ? new Date(seconds * 1000).toLocaleString(locale(), {dateStyle: "medium", timeStyle: "short"}) : "";

const locale = () => (spoken() === "en" ? "en-GB" : spoken());

/** A number with the minus and the decimal sign of the language. @param {string | number} number */
const written = number => String(+number).replace("-", "−").replace(".", decimal(0.5, 1)[1]);

/** A number of an axis. @param {number} number */
export function short(number) {
  const size = Math.abs(number);
  if (size >= 1e6) return `${written((number / 1e6).toPrecision(3))}M`;
  return size >= 1e4 ? `${written((number / 1e3).toPrecision(3))}k` : written(number.toPrecision(6));
}

/** True for each column of a table that holds numbers alone. @param {Table} table */
export const numeric = ({head, rows}) =>
  head.map((_, i) => rows.length > 0 && rows.every(row => row[i] === null || isNumber(row[i])));

/** @param {Cell} cell */
const isNumber = cell =>
  typeof cell === "number" || (cell !== null && typeof cell === "object" && ("number" in cell || "seconds" in cell));

// --- charts

/**
 * Round steps that cut a range into about as many parts.
 * @param {number} low
 * @param {number} high
 * @param {number} parts
 */
export function ticks(low, high, parts) {
  const rough = (high - low) / parts,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find(each => each * power >= rough) ?? 10) * power;
  const numbers = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) numbers.push(n * step);
  return numbers;
}

/**
 * The range to show: all points, and their errors but for the first ones.
 * @param {ChartLine[]} lines
 * @param {0 | 1} axis
 * @returns {[number, number]}
 */
export function range(lines, axis) {
  /** @type {number[]} */
  const values = [];
  for (const {points, kind} of lines) {
    points.forEach(([x, y, error], i) => {
      values.push(axis ? y : x);
      const settled = kind === "points" || i >= points.length / SETTLED;
      if (axis && error !== undefined && settled) values.push(y - error, y + error);
    });
  }
  let low = Math.min(...values),
    high = Math.max(...values);
  if (low === high) [low, high] = [low - 1, high + 1];
  const edge = axis ? (high - low) * 0.06 : lines.some(line => line.kind === "points") ? 0.5 : 0;
  return [low - edge, high + edge];
}

/**
 * Where values of a chart lie in a box.
 * @param {Chart} chart
 * @param {{left: number, right: number, top: number, bottom: number}} box
 */
export function scales({lines}, {left, right, top, bottom}) {
  const [x0, x1] = range(lines, 0),
    [y0, y1] = range(lines, 1);
  const whole = lines.every(line => line.points.every(([x]) => Number.isInteger(x)));
  const width = right - left;
  return {
    x: (/** @type {number} */ value) => +(left + (width * (value - x0)) / (x1 - x0)).toFixed(1),
    y: (/** @type {number} */ value) =>
      +(bottom - ((bottom - top) * (Math.min(Math.max(value, y0), y1) - y0)) / (y1 - y0)).toFixed(1),
    acrossTicks: ticks(x0, x1, Math.max(2, width / 80)).filter(at => !whole || Number.isInteger(at)),
    upTicks: ticks(y0, y1, 4),
  };
}

/** The class of each line, by which it is drawn. @param {ChartLine[]} lines */
export function lineClasses(lines) {
  let number = 0;
  return lines.map(({kind}) => (kind === "guide" ? "guide" : `line${number++ % 4}`));
}

/** What a chart shows last, in words. @param {Chart} chart */
export function chartWords({title, x, lines}) {
  const ends = lines
    .filter(line => line.kind !== "guide")
    .map(({name, points}) => {
      const [at, value, error] = points[points.length - 1];
      const shown = error === undefined ? short(value) : `${short(value)} ± ${short(error)}`;
      return t("{name} {value} at {at} {unit}", {name: said(name), value: shown, at: short(at), unit: said(x)});
    });
  return `${said(title)}: ${ends.join(", ")}`;
}

/** @param {number} number */
const decimals = number => String(number).split(".")[1]?.length ?? 0;

/** The numbers of a chart as a table. @param {Chart} chart @returns {Table} */
export function numbers({title, x, lines}) {
  const shown = lines.filter(line => line.kind !== "guide");
  /** @type {Map<number, Cell[]>} */
  const rows = new Map();
  shown.forEach(({points}, i) => {
    for (const [at, number, error] of points) {
      const row = rows.get(at) ?? shown.map(() => null);
      row[i] = {number, digits: Math.max(decimals(number), decimals(error ?? 0)), ...(error !== undefined && {error})};
      rows.set(at, row);
    }
  });
  const sorted = [...rows].sort((a, b) => a[0] - b[0]);
  return {
    title: t("Numbers of {title}", {title: said(title)}),
    head: [x, ...shown.map(line => line.name)],
    rows: sorted.map(([at, row]) => [{number: at, digits: decimals(at)}, ...row]),
  };
}

// --- words

/** @returns {Array<[string[], string, string]>} in names of which sentences a word occurs, the word, its meaning */
const allWords = () => [
  [["elo"], said({say: "label.elo"}), t("the difference in strength: who has 100 Elo more gets 64 of 100 points")],
  [["±"], "±", t("the error: the true number is within it in 95 of 100 cases")],
  [
    ["normalized"],
    said({say: "label.normalized_elo"}),
    t("the difference in strength, measured by what chance does to a pair of games"),
  ],
  [["superiority"], said({say: "label.superiority"}), t("the chance that the first player is the stronger one")],
  [["los"], said({say: "runs.los"}), t("the chance that a player is stronger than the one below it")],
  [["llr", "likelihood"], said({say: "runs.llr"}), t("the evidence of a test, which ends at one of its two bounds")],
  [["pairs"], said({say: "label.pairs"}), t("two games from one opening, each player once with each colour")],
  [["gate", "gates"], t("Gate"), t("the match that new weights must pass before they take the place of the old ones")],
  [["loss"], said({say: "label.loss"}), t("how far predictions are from what happened: less is better")],
  [["held", "validation"], t("Held out, validation"), t("what was not learned from, kept to test what was")],
  [["calibration"], said({say: "label.calibration"}), t("whether a predicted chance comes true as often as it says")],
  [["epoch"], t("Epoch"), t("one pass through all that is learned from")],
  [["centimen"], t("Logit"), t("a measure of chances; 0 is an even chance")],
  [["plies"], t("Ply"), t("one move of one side")],
  [["shard", "shards"], t("Shard"), t("a file with a part of the games")],
];

/**
 * The parts of the names of sentences, and ± for each number with an error.
 * @param {Cell} told
 * @returns {string[]}
 */
function parts(told) {
  if (Array.isArray(told)) return told.flatMap(parts);
  if (told === null || typeof told !== "object") return [];
  if ("say" in told) return [...told.say.split(/[._]/), ...Object.values(told.with ?? {}).flatMap(parts)];
  return "error" in told ? ["±"] : [];
}

/**
 * The special words that a run's page uses, with their meanings.
 * @param {Run} run
 * @returns {Array<[string, string]>}
 */
export function glossary({facts, charts = [], tables = []}) {
  const used = new Set(
    [
      ...facts.flat(),
      ...charts.flatMap(({title, x, y, lines}) => [title, x, y, ...lines.map(line => line.name)]),
      ...tables.flatMap(({title, head, rows}) => [title, ...head, ...(rows[0] ?? [])]),
    ].flatMap(parts),
  );
  return allWords()
    .filter(([names]) => names.some(name => used.has(name)))
    .map(([, word, meaning]) => [word, meaning]);
}
