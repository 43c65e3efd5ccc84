// A person's figures as elements.

import {button, el, svg} from "../dom.js";
import {visible} from "../escapes.js";
import {themeNames} from "../learn/state.js";
import {grouped} from "../review/summary.js";
import {sideName} from "../squares.js";
import {head} from "../tables.js";
import {formatted, many, t} from "../texts.js";
import {THEMES, endingOf, worstOf} from "./figures.js";
import {
  endingName,
  fieldName,
  keptText,
  meanText,
  mistakeName,
  rateText,
  results,
  scoreText,
  silenceText,
  spanText,
} from "./words.js";

/** @typedef {import("./figures.js").Figures} Figures */
/** @typedef {import("./figures.js").Puzzle} Puzzle */
/** @typedef {import("./figures.js").Period} Period */
/** @typedef {{practise: (puzzles: readonly Puzzle[]) => void, found: (puzzles: readonly Puzzle[]) => number}} Acts */
/** @typedef {HTMLElement | string} Cell */

const MOST_OPENINGS = 12;
const WIDTH = 320,
  HEIGHT = 120,
  LEAST_SPAN = 20; // of the accuracies on the curve

/**
 * A table that scrolls by itself; the first cell of a row names it.
 * @param {string} name
 * @param {string[]} heads
 * @param {Cell[][]} rows
 */
const table = (name, heads, rows) =>
  el(
    "div",
    {class: "scroll", tabindex: 0, role: "region", "aria-label": name},
    el(
      "table",
      null,
      head(heads),
      el(
        "tbody",
        null,
        rows.map(([first, ...others]) =>
          el(
            "tr",
            null,
            el("th", {scope: "row"}, first),
            ...others.map(cell => el("td", {class: cell instanceof HTMLElement ? "tried" : null}, cell)),
          ),
        ),
      ),
    ),
  );

/** @param {string} title @param {...(HTMLElement | string | false)} content */
const section = (title, ...content) => el("section", null, el("h2", null, title), ...content);

/**
 * Mistakes to try again, and how many were found.
 * @param {readonly Puzzle[]} puzzles
 * @param {string} name whose they are
 * @param {Acts} acts
 * @returns {Cell}
 */
function tries(puzzles, name, {practise, found}) {
  if (!puzzles.length) return "";
  const words = t("{found} of {total} found", {found: formatted(found(puzzles)), total: formatted(puzzles.length)});
  return el(
    "span",
    {class: "tries"},
    button(t("Try again"), () => practise(puzzles), {
      "aria-label": `${t("Try again")}: ${name}, ${words}`,
      "data-tries": name,
    }),
    el("span", {class: "muted"}, words),
  );
}

/**
 * A reason for marks: the mistake that gave away most by it, to open, and puzzles that train it.
 * @param {string} name
 * @param {readonly Puzzle[]} puzzles
 * @param {Acts} acts
 * @returns {Cell[]}
 */
function reason(name, puzzles, {practise}) {
  const worst = worstOf(puzzles),
    theme = /** @type {import("../learn/state.js").Theme | undefined} */ (THEMES[name]);
  return [
    button(worst.label, () => practise([worst])),
    theme ? el("a", {href: `#learn/theme/${theme}`}, themeNames()[theme]) : "",
  ];
}

/** @param {Figures} figures */
const colours = ({colours: sides, all}) =>
  section(
    t("Results"),
    table(
      t("Results"),
      [t("Colour"), t("Games"), t("Won, drawn, lost"), t("Points")],
      [...sides.map(each => [sideName(/** @type {"black"} */ (each.side)), each]), [t("All"), all]].map(
        ([name, score]) => {
          const {games, score: points, ...each} = /** @type {import("./figures.js").Score} */ (score);
          return [/** @type {string} */ (name), formatted(games), results(each), scoreText(points)];
        },
      ),
    ),
    all.unknown > 0 && el("p", {class: "muted"}, t("{games} without a result", {games: many(all.unknown, "game")})),
  );

/** @param {Figures} figures @param {Acts} acts */
function openings({openings: all, unnamed}, acts) {
  const rows = all.map(each => {
    const name = visible(each.name);
    return [
      el("span", null, el("i", {class: `disc ${each.side}`, title: sideName(each.side)}), ` ${name}`),
      tries(each.puzzles, name, acts),
      ...[formatted(each.games), results(each), scoreText(each.score), meanText(each.accuracy)],
    ];
  });
  const heads = [t("Opening"), t("Mistakes there"), t("Games"), t("Won, drawn, lost"), t("Points"), t("Accuracy")],
    rest = rows.slice(MOST_OPENINGS);
  return section(
    t("Openings"),
    rows.length ? table(t("Openings"), heads, rows.slice(0, MOST_OPENINGS)) : el("p", null, t("No game has one.")),
    rest.length > 0 &&
      el(
        "details",
        null,
        el("summary", null, t("{count} more", {count: rest.length})),
        table(t("More openings"), heads, rest),
      ),
    unnamed > 0 && el("p", {class: "muted"}, t("{games} without a named opening", {games: many(unnamed, "game")})),
  );
}

/** @param {Figures} figures */
function course({course: periods, undated, reviewed}) {
  if (!periods.length)
    return section(
      t("Accuracy over time"),
      el("p", null, t("It is drawn once ten reviewed games have a date and an accuracy.")),
    );
  return section(
    t("Accuracy over time"),
    drawn(periods),
    el(
      "details",
      null,
      el("summary", null, t("Numbers")),
      table(
        t("Accuracy over time"),
        [t("Played"), t("Games"), t("Accuracy")],
        periods.map(each => [spanText(each), formatted(each.accuracy.games), meanText(each.accuracy)]),
      ),
    ),
    reviewed > 0 &&
      undated > 0 &&
      el("p", {class: "muted"}, t("{games} without a date", {games: many(undated, "game")})),
  );
}

/** The course of the accuracy within its uncertainty, one point for as many games each. @param {Period[]} periods */
function drawn(periods) {
  const lows = periods.map(({accuracy: {value, error}}) => value - error),
    highs = periods.map(({accuracy: {value, error}}) => value + error),
    middle = (Math.min(...lows) + Math.max(...highs)) / 2,
    span = Math.max(Math.max(...highs) - Math.min(...lows), LEAST_SPAN),
    x = (/** @type {number} */ index) => (WIDTH * index) / (periods.length - 1),
    y = (/** @type {number} */ value) => HEIGHT / 2 - ((value - middle) * HEIGHT) / span,
    at = (/** @type {number} */ value, /** @type {number} */ index) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
  const [first, last] = [periods[0], periods[periods.length - 1]],
    words = t("Accuracy from {first} ({from}) to {last} ({to})", {
      first: meanText(first.accuracy),
      from: spanText(first),
      last: meanText(last.accuracy),
      to: spanText(last),
    });
  return el(
    "figure",
    null,
    svg(
      "svg",
      {
        class: "curve",
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: "img",
        "aria-label": words,
        preserveAspectRatio: "none",
      },
      svg("path", {class: "band", d: `M${[...highs.map(at), ...lows.map(at).reverse()].join("L")}Z`}),
      svg("path", {class: "course", d: `M${periods.map(({accuracy}, index) => at(accuracy.value, index)).join("L")}`}),
    ),
    el("figcaption", {class: "muted"}, words),
  );
}

/** @param {Figures} figures @param {Acts} acts */
function mistakes({kinds, halves, reviewed}, acts) {
  const title = t("Kinds of mistakes");
  if (!reviewed) return section(title, el("p", null, t("Only reviews know of mistakes: no game is reviewed yet.")));
  if (!kinds.length)
    return section(title, el("p", null, t("The reviews of {games} marked none.", {games: many(reviewed, "game")})));
  const heads = [
    t("To try again"),
    t("A game, of {games}", {games: many(reviewed, "reviewed game")}),
    ...halves.map(each => t("{span} ({games})", {span: spanText(each), games: many(each.games, "game")})),
  ];
  return section(
    title,
    ...[...grouped(kinds, ({field}) => field)].map(([field, some]) =>
      table(
        fieldName(field),
        [fieldName(field), ...heads, ...(field === "why" ? [t("The worst"), t("Puzzles")] : [])],
        some.map(({name, rate, halves: parts, puzzles}) => {
          const words = mistakeName(field, name) ?? name,
            more = field === "why" ? reason(name, puzzles, acts) : [];
          return [words, tries(puzzles, words, acts), rateText(rate), ...parts.map(rateText), ...more];
        }),
      ),
    ),
  );
}

/** @param {Figures} figures @param {Acts} acts */
function endings({endings: all}, acts) {
  if (!all.length)
    return section(t("Endings"), el("p", null, t("No game has come to an ending of eight pieces or fewer.")));
  return section(
    t("Endings"),
    table(
      t("Endings"),
      [
        ...[t("Pieces"), t("Mistakes there"), t("Games"), t("Won at first"), t("Drawn at first"), t("Lost at first")],
        t("To train"),
      ],
      all.map(({name, games, won, drawn: draws, lost, puzzles}) => {
        const words = endingName(name),
          open = endingOf(puzzles),
          of = (/** @type {{games: number, held: number, spoiled: number}} */ each) =>
            each.games ? `${formatted(each.games)}: ${keptText(each)}` : "";
        return [
          ...[words, tries(puzzles, words, acts), formatted(games), of(won), of(draws), lost ? formatted(lost) : ""],
          open ? el("a", {href: `#endings/${open.value}/${open.fen}`}, t("Before {move}", {move: open.label})) : "",
        ];
      }),
    ),
    el(
      "p",
      {class: "muted"},
      t(
        "One's own pieces first. Won, drawn and kept are by the endgame database, whatever the moves before; nothing " +
          "is said of what it does not have.",
      ),
    ),
  );
}

/** All of a person. @param {Figures} figures @param {Acts} acts */
export const sections = (figures, acts) => [
  colours(figures),
  openings(figures, acts),
  course(figures),
  mistakes(figures, acts),
  endings(figures, acts),
  el("p", {class: "muted"}, silenceText()),
];
