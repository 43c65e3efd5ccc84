// What the panel Review shows, as elements made from what is known.

import {button, el, unbroken} from "../dom.js";
import {kindName, refutationOf, signOf} from "../graph.js";
import {visible} from "../escapes.js";
import {reasonsIn} from "../comments.js";
import {SIDES, sideName} from "../squares.js";
import {head} from "../tables.js";
import {decimal, said, t} from "../texts.js";
import {turnName, turnOf} from "../turns.js";
import {stepsFrom, worthsOf} from "./moments.js";
import {firmness} from "./state.js";

/** @typedef {import("./state.js").Mark} Mark */
/** @typedef {import("./state.js").Side} Side */

/** Name of a side, or of the person. @param {Side} side @param {Side | null} you */
export const nameOf = (side, you) => (side === you ? t("You") : sideName(side));

/** @param {string[]} sentences */
export const storyView = sentences => sentences.map(sentence => el("span", null, unbroken(visible(sentence)), " "));

/**
 * The accuracy of both sides, and how it is defined.
 * @param {{black: number | null, white: number | null}} accuracy
 * @param {Side | null} you
 */
export function accuracyView(accuracy, you) {
  if (accuracy.black === null && accuracy.white === null) return [];
  const figures = SIDES.map(side =>
    el(
      "span",
      {class: "figure"},
      el("i", {class: `disc ${side}`, "aria-hidden": "true"}),
      `${nameOf(side, you)} `,
      el("b", null, accuracy[side] === null ? "–" : decimal(accuracy[side], 0)),
    ),
  );
  return [
    el(
      "details",
      null,
      el("summary", null, el("span", null, t("Accuracy")), figures),
      el("p", {class: "muted"}, accuracyText()),
    ),
  ];
}

const accuracyText = () =>
  t(
    "Each move that mattered counts 100 if it gave nothing away, and half of that for each .08 of the expected " +
      "result that it gave away; forced and obvious moves and those of a decided game do not count.",
  );

/**
 * The marked moves, as buttons that go there.
 * @param {Mark[]} marks
 * @param {any} node that is shown
 * @param {(mark: Mark) => void} go
 */
export function marksView(marks, node, go) {
  return marks.map(mark => {
    const {point} = mark,
      here = mark.node === node;
    const chip = button("", () => go(mark), {
      class: "chip",
      "aria-label": `${point.label}, ${kindName(point.kind)}`,
      "aria-current": here ? "step" : null,
    });
    chip.append(visible(point.label), el("span", {class: `sign ${point.kind}`}, signOf(point.kind)));
    return el("li", null, chip);
  });
}

/**
 * The nodes of the lines of a mark: of the better move, and of what refutes the marked one.
 * @param {Mark} mark
 */
const linesOf = ({node, line}) => ({better: stepsFrom(line), refutation: line ? refutationOf(node) : []});

/** True if a node that is no move of the game stands in a line of a mark. @param {Mark} mark @param {any} node */
export function isWithin(mark, node) {
  const {better, refutation} = linesOf(mark);
  return better.includes(node) || (refutation.includes(node) && node.parent?.children[0] !== node);
}

/**
 * The moves of a line behind its name, as buttons that go there.
 * @param {string} named with a tab in place of the moves
 * @param {any[]} nodes
 * @param {any} shown
 * @param {(node: any) => void} go
 */
function lineView(named, nodes, shown, go) {
  const [before, after] = named.split("\t"),
    moves = nodes.flatMap(node => [
      " ",
      button(visible(node.text), () => go(node), {"aria-current": node === shown ? "step" : null}),
    ]);
  return el("span", {class: "variations"}, before.trimEnd(), ...moves, after);
}

/**
 * The chances of the mover after the better move and after the marked one, in words; "" if they are not known.
 * @param {Mark} mark
 */
export function chancesText(mark) {
  const {node, line} = mark,
    {best, played} = worthsOf(mark);
  if (best === null || played === null) return "";
  return t("Chances of the side to move after {better}: {best} in 100; after {move}: {own}.", {
    better: visible(line.text),
    best: Math.round(100 * best),
    move: visible(node.text),
    own: Math.round(100 * played),
  });
}

/** Why a move is worse than another. @param {import("../texts.js").Sentence[]} reasons */
export const whyView = reasons => reasons.map(each => el("p", {class: "why"}, unbroken(visible(said(each)))));

/** Why a move is marked. @param {any} node */
export const reasonsView = ({comments}) => whyView(reasonsIn(comments));

/**
 * A marked move in words: what it was, what was better, why, how firm that is, what people play.
 * @param {Mark} mark
 * @param {string} limit words of the limit with which it was judged
 * @param {string} people in words; "" as long as it isn't known
 * @param {any} shown node on the board
 * @param {(node: any) => void} go
 */
export function markView(mark, limit, people, shown, go) {
  const {node, point, line} = mark,
    gap = chancesText(mark),
    {better, refutation} = linesOf(mark),
    name = [kindName(point.kind), turnName(turnOf(node))].filter(Boolean).join(", ");
  return [
    el(
      "p",
      null,
      el("b", null, visible(point.label)),
      el("span", {class: `sign ${point.kind}`}, `${signOf(point.kind)} ${name}`),
      ...(line ? [". ", lineView(t("Better: {moves}", {moves: "\t"}), better, shown, go)] : []),
    ),
    ...reasonsView(node),
    refutation.length ? el("p", null, lineView(t("Answer: {moves}", {moves: "\t"}), refutation, shown, go)) : "",
    gap ? el("p", null, unbroken(gap)) : "",
    point.kind === "only" ? el("p", null, t("Any other move would have given much away.")) : "",
    people ? el("p", {class: "people-say"}, unbroken(people)) : "",
    el("p", {class: "muted"}, firmness(point, limit)),
  ];
}

/** Name of a column of the players' table. @param {string} name as the server gives it */
function columnName(name) {
  const names = {
    Player: t("Player"),
    accuracy: t("Accuracy"),
    judged: t("judged"),
    best: t("best"),
    unmarked: t("unmarked"),
    loss: t("loss a move"),
  };
  return names[/** @type {keyof typeof names} */ (name)] ?? name;
}

/**
 * The players' table, as the server gives it.
 * @param {string[][]} table
 */
export function tableView([names, ...rows]) {
  const cell = (/** @type {string} */ text, /** @type {number} */ i, /** @type {Side} */ side) =>
    el(
      "td",
      null,
      i === 0 && el("span", {class: `disc ${side}`, title: nameOf(side, null)}),
      // who has no name is called by the side
      i === 0 && text.toLowerCase() === side ? nameOf(side, null) : text,
    );
  return el(
    "table",
    {class: "count"},
    head(names.map(columnName)),
    el(
      "tbody",
      null,
      rows.map((cells, row) =>
        el(
          "tr",
          null,
          cells.map((text, i) => cell(text, i, SIDES[row])),
        ),
      ),
    ),
  );
}
