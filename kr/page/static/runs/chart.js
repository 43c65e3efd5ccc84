// Charts of a run, drawn as they fit.

import {el, svg} from "../dom.js";
import {said, t} from "../texts.js";
import {chartWords, lineClasses, numbers, scales, short} from "./state.js";
import {table} from "./view.js";

/** @import {Chart, ChartLine} from "./state.js" */
/** @typedef {ReturnType<typeof scales>} Scales */
/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

const HEIGHT = 230;
const ROOM = {left: 52, right: 12, top: 12, bottom: 38};

/**
 * A chart with its title, its key and its numbers.
 * @param {Chart} chart
 * @param {number} width
 */
export function figure(chart, width) {
  const details = el("details", null, el("summary", null, t("Numbers")));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(table(numbers(chart)));
  });
  return el(
    "figure",
    {class: "run-card"},
    el("figcaption", null, said(chart.title)),
    chart.lines.length ? drawn(chart, width) : el("p", {class: "muted"}, t("nothing yet")),
    chart.lines.length > 1 && key(chart.lines),
    details,
  );
}

/** @param {ChartLine[]} lines */
function key(lines) {
  const classes = lineClasses(lines);
  const sample = (/** @type {ChartLine} */ {kind}, /** @type {string} */ name) =>
    kind === "points" ? svg("circle", {class: name, cx: 13, cy: 6, r: 5}) : svg("path", {class: name, d: "M0 6H26"});
  const frame = {width: 26, height: 12, "aria-hidden": "true", class: "chart"};
  return el(
    "ul",
    {class: "key"},
    lines.map((line, i) => el("li", null, svg("svg", frame, sample(line, classes[i])), ` ${said(line.name)}`)),
  );
}

/** @param {Chart} chart @param {number} width */
function drawn(chart, width) {
  const box = {left: ROOM.left, right: width - ROOM.right, top: ROOM.top, bottom: HEIGHT - ROOM.bottom};
  const scale = scales(chart, box),
    classes = lineClasses(chart.lines);
  const frame = {class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT};
  return svg(
    "svg",
    {...frame, role: "img", "aria-label": chartWords(chart)},
    ...axes(chart, scale, box),
    ...chart.lines.flatMap((line, i) => lineShapes(line, classes[i], scale)),
  );
}

/** @param {Chart} chart @param {Scales} scale @param {Box} box */
function axes(chart, {x, y, acrossTicks, upTicks}, {left, right, top, bottom}) {
  return [
    ...acrossTicks.map(at => svg("text", {x: x(at), y: bottom + 16, class: "middle"}, short(at))),
    ...upTicks.flatMap(at => [
      svg("path", {class: Math.abs(at) < 1e-9 ? "zero" : "rule", d: `M${left} ${y(at)}H${right}`}),
      svg("text", {x: left - 6, y: y(at) + 4, class: "end"}, short(at)),
    ]),
    svg("text", {x: (left + right) / 2, y: HEIGHT - 4, class: "middle"}, said(chart.x)),
    svg("text", {x: -(top + bottom) / 2, y: 12, class: "middle", transform: "rotate(-90)"}, said(chart.y)),
  ];
}

/** @param {ChartLine} line @param {string} name its class @param {Scales} scale */
function lineShapes({kind, points}, name, {x, y}) {
  if (kind === "points") {
    return points.flatMap(([at, value, error = 0]) => {
      const from = x(at),
        low = y(value - error),
        high = y(value + error);
      const bar = `M${from} ${low}V${high}M${from - 5} ${low}h10M${from - 5} ${high}h10`;
      return [svg("path", {class: name, d: bar}), svg("circle", {class: name, cx: from, cy: y(value), r: 5})];
    });
  }
  const [first] = points;
  const path = points.map(([at, value], i) => `${i ? "L" : "M"}${x(at)} ${y(value)}`).join("");
  const shape =
    points.length > 1
      ? svg("path", {class: name, d: path})
      : svg("circle", {class: name, cx: x(first[0]), cy: y(first[1]), r: 3});
  if (kind !== "band") return [shape];
  const side = (/** @type {number} */ sign) =>
    points.map(([at, value, error = 0]) => `${x(at)} ${y(value + sign * error)}`);
  return [svg("path", {class: `area ${name}`, d: `M${[...side(1), ...side(-1).reverse()].join("L")}Z`}), shape];
}
