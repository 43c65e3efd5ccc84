// What the server says of runs, in the language of the page.

import {decimal, spoken, t} from "../texts.js";

/** @import {Run, Table} from "./state.js" */

/** English texts of runs, with {places}, as those of `../retold.js`. */
export const ENGLISH = [
  // progress
  "1 game",
  "{count} games",
  "{done} of {games}",
  "1 generation",
  "{count} generations",
  "{generations}; now {number}, {step}",
  "{group} 1 iteration",
  "{group} {count} iterations",
  "{step}: {progress}",
  "{count} batches",
  "{count} iterations",
  "validation loss {number}",
  "held-out loss {losses}",
  "men {number}",
  "kings {number}",
  "reading data",
  "reading shard {number} of {count}",
  "fitted",
  "its files hold values that make no sense",
  "reading {time}",
  "fitting {time}",
  // facts
  "Games",
  "Games of shards under way",
  "Speed",
  "{number} MB",
  "{number} games/s",
  "unknown",
  "Plies a game",
  "from {low} to {high}",
  "Shards",
  "Weights",
  "Nodes a move",
  "Time a move",
  "Openings",
  "Seed",
  "Endgame database",
  "Begun",
  "Command",
  "Begun with",
  "Strongest",
  "Elo over the start",
  "Under way",
  "Warning",
  "generation {number}",
  "Fit",
  "Wins, losses, draws so far",
  "Wins, losses, draws of {name}",
  "Elo",
  "Normalized Elo",
  "Likelihood of superiority",
  "LLR of {low} to {high} Elo",
  "{ratio}; decided for {elo} Elo",
  "{ratio} ({low} to {high})",
  "Limit",
  "Limit of B",
  "Iterations, {group}",
  "Iterations",
  "Quiet positions",
  "Time",
  "Centi-men in a logit",
  "Regions",
  "Target",
  "Loss",
  "Held out",
  "Model",
  "Numbers",
  "Decisions",
  "Training positions",
  "Validation positions",
  "Unforced moves of the test part",
  "{percent}% right",
  "{percent}% within three",
  "Best epoch",
  "Best iteration",
  "Batches",
  "Loss in the epoch under way",
  // tables
  "Results by openings",
  "Ends of the games",
  "Positions by pieces",
  "Last games",
  "Gates",
  "Generations",
  "Pairs",
  "Players",
  "Loss by pieces on the board",
  "Table entries by times seen in training",
  "Calibration",
  "Games fitted to",
  "Learning curve",
  "openings",
  "games",
  "Black wins %",
  "drawn %",
  "White wins %",
  "phase",
  "positions",
  "game",
  "winner",
  "reason",
  "plies",
  "opening",
  "generation",
  "played by",
  "nodes",
  "held-out loss",
  "play",
  "fit",
  "gate",
  "against",
  "wins-losses-draws",
  "pairs, worst first",
  "test",
  "verdict",
  "over the start",
  "points of two games",
  "pairs",
  "player",
  "mean depth",
  "nodes/s",
  "lost on time",
  "failures",
  "group",
  "set",
  "distinct",
  "mean loss",
  "result loss",
  "pieces",
  "run",
  "from",
  "predicted",
  "target",
  "result",
  "epoch",
  "iteration",
  "validation loss",
  "right",
  "right %",
  "first choice",
  "first choice %",
  "first three choices",
  "first three choices %",
  "time",
  "all",
  "Black",
  "White",
  "drawn",
  "men",
  "kings",
  "training",
  "held out",
  "accepted",
  "refused",
  "undecided",
  "{count} pieces",
  "{pieces} pieces, no kings",
  "{pieces} pieces, kings",
  "entries",
  "never",
  "at least {count}",
  // ends of games
  "no move",
  "no legal move",
  "no pieces left",
  "repetition",
  "no progress",
  "proven by search",
  "clear score",
  "length",
  "endgame database",
  "adjudicated win",
  "adjudicated draw",
  "engine failure",
  "time forfeit",
  // charts
  "Games over time",
  "minutes",
  "Results, shard by shard",
  "Length, shard by shard",
  "plies a game",
  "Black wins",
  "White wins",
  "Loss, {group}",
  "predicted points",
  "points scored",
  "held-out games",
  "as predicted",
  "Elo over the start, with 95% errors",
  "Held-out loss",
  "Elo with its 95% error",
  "Elo of {name}",
  "Log likelihood ratio",
  "validation",
  "Right on validation data",
];

const NUMBER = /^([+-]?)(\d[\d,]*)(?:\.(\d+))?(%?)$/;

/** @typedef {{text: string, names: string[], form: RegExp}} Form */

/** @param {string} name of a value @returns {string} the values of that name as an expression */
const valueOf = name => (/^(count|done|number|percent)$/.test(name) ? "([+-]?[\\d.,]+)" : "(.+?)");

/** @param {string} text @returns {Form} */
function formOf(text) {
  const parts = text.split(/\{(\w+)\}/);
  const names = parts.filter((_, i) => i % 2);
  const form = parts.map((part, i) => (i % 2 ? valueOf(part) : part.replace(/[.()|?*+]/g, "\\$&"))).join("");
  return {text, names, form: new RegExp(`^${form}$`)};
}

/** A number as the language writes it; "" if the text is none. @param {string} text */
function numberOf(text) {
  const [whole, sign, digits, decimals = "", percent] = NUMBER.exec(text) ?? [];
  if (!whole || (!decimals && !digits.includes(","))) return whole ?? "";
  const number = Number(`${digits.replaceAll(",", "")}.${decimals}`);
  return sign + decimal(number, decimals.length) + percent;
}

/**
 * What tells English texts in the language of the page; those that aren't known stay as they are.
 * @param {string[]} english the texts, with {places}
 * @returns {{whole: (text: string) => string, parts: (text: string) => string}} whole: a single one of them; parts: a
 *     number, or one of them, or several with commas between
 */
function retelling(english) {
  /** @type {Form[]} */
  let forms = [];
  /** @param {string} text @param {string} [within] what a text must have @returns {string} */
  function whole(text, within = "") {
    if (!forms.length) forms = english.map(formOf);
    for (const {text: known, names, form} of forms) {
      const found = known.includes(within) && form.exec(text);
      if (found) return t(known, Object.fromEntries(names.map((name, i) => [name, parts(found[i + 1])])));
    }
    return text;
  }
  /** @param {string} text @returns {string} */
  function parts(text) {
    const separator = [" ± ", ", "].find(each => text.includes(each)) ?? "";
    const said = numberOf(text) || whole(text, separator);
    return said === text && separator ? text.split(separator).map(parts).join(separator) : said;
  }
  return {whole, parts};
}

const {parts} = retelling(ENGLISH);
// the loss of predictions, not that of a game
const told = (/** @type {string} */ text) => parts(text === "loss" ? "mean loss" : text);

/** @param {Table} table @returns {Table} */
const toldTable = ({title, head, rows, ...others}) => ({
  title: told(title),
  head: head.map(told),
  rows: rows.map(row => row.map(told)),
  ...others,
});

/** Progress of a run. @param {string} text */
export const progressWords = text => (spoken() === "en" ? text : told(text));

/**
 * A run with all that is said of it in the language of the page, but for names and what a person has written.
 * @param {Run} run
 * @returns {Run}
 */
export function retoldRun(run) {
  if (spoken() === "en") return run;
  const {facts, tables, charts, reading} = run;
  return {
    ...run,
    progress: told(run.progress),
    facts: facts.map(([name, text]) => [told(name), name === "Command" ? text : told(text)]),
    tables: tables?.map(toldTable),
    charts: charts?.map(({title, x, y, lines}) => ({
      title: told(title),
      x: told(x),
      y: told(y),
      lines: lines.map(line => ({...line, name: told(line.name)})),
    })),
    reading: reading && told(reading),
  };
}
