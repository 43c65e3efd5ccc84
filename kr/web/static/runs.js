// The page Runs: self-play, fits, training and matches, watched while they run. What they are is the server's matter:
// here are facts, tables and charts.

import {button, el, svg, visible} from "./dom.js";

const MARKS = {running: "▶", done: "✓", stopped: "■", ended: "■", damaged: "✗"};
const HEIGHT = 230, LEFT = 52, RIGHT = 12, TOP = 12, BOTTOM = 38;
const NUMBER = /^[-+]?[\d,.]+( ± [\d,.]+)?%?$/;

const time = seconds => seconds ? new Date(seconds * 1000).toLocaleString("en-GB",
  {dateStyle: "medium", timeStyle: "short"}) : "";
const short = number => {
  const size = Math.abs(number);
  if (size >= 1e6) return `${+(number / 1e6).toPrecision(3)}M`;
  return size >= 1e4 ? `${+(number / 1e3).toPrecision(3)}k` : String(+number.toPrecision(6));
};

// a table in a frame that scrolls; the first cell of a row with a game opens it
function table(shown, open) {
  const numeric = shown.head.map((_, i) => shown.rows.length > 0 &&
    shown.rows.every(row => row[i] === "-" || NUMBER.test(row[i])));
  const cell = (text, i, row) => el("td", {class: numeric[i] && "number"},
    i === 0 && shown.games ? button(text, () => open(shown.games[row]),
      {"data-game": shown.games[row], "aria-label": `Analyse game ${text}`}) : text);
  return el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": shown.title},
    el("table", null,
      el("thead", null, el("tr", null,
        shown.head.map((text, i) => el("th", {scope: "col", class: numeric[i] && "number"}, text)))),
      el("tbody", null, shown.rows.map((row, number) => el("tr", null, row.map((text, i) => cell(text, i, number)))))));
}

// round steps that cut a range into about so many parts
function ticks(low, high, parts) {
  const rough = (high - low) / parts, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(each => each * power >= rough) * power;
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) found.push(n * step);
  return found;
}

// the range to show: all points, and their errors but for the first ones, which are wide
function range(lines, axis) {
  const values = [];
  for (const {points, kind} of lines) {
    points.forEach((point, i) => {
      values.push(point[axis]);
      const settled = kind === "points" || i >= points.length / 4;
      if (axis === 1 && point.length > 2 && settled) values.push(point[1] - point[2], point[1] + point[2]);
    });
  }
  let low = Math.min(...values), high = Math.max(...values);
  if (low === high) [low, high] = [low - 1, high + 1];
  const edge = axis === 1 ? (high - low) * .06 : lines.some(line => line.kind === "points") ? .5 : 0;
  return [low - edge, high + edge];
}

function drawn(chart, width) {
  const right = width - RIGHT, bottom = HEIGHT - BOTTOM;
  const [x0, x1] = range(chart.lines, 0), [y0, y1] = range(chart.lines, 1);
  const x = value => +(LEFT + (right - LEFT) * (value - x0) / (x1 - x0)).toFixed(1);
  const y = value => +(bottom - (bottom - TOP) * (Math.min(Math.max(value, y0), y1) - y0) / (y1 - y0)).toFixed(1);
  const parts = [];
  const whole = chart.lines.every(line => line.points.every(point => Number.isInteger(point[0])));
  for (const at of ticks(x0, x1, Math.max(2, width / 90)).filter(at => !whole || Number.isInteger(at))) {
    parts.push(svg("text", {x: x(at), y: bottom + 16, class: "middle"}, short(at)));
  }
  for (const at of ticks(y0, y1, 4)) {
    parts.push(svg("path", {class: Math.abs(at) < 1e-9 ? "zero" : "rule", d: `M${LEFT} ${y(at)}H${right}`}),
      svg("text", {x: LEFT - 6, y: y(at) + 4, class: "end"}, short(at)));
  }
  parts.push(svg("text", {x: (LEFT + right) / 2, y: HEIGHT - 4, class: "middle"}, chart.x),
    svg("text", {x: -(TOP + bottom) / 2, y: 12, class: "middle", transform: "rotate(-90)"}, chart.y));
  let number = 0;
  for (const {kind, points} of chart.lines) {
    const path = points.map((point, i) => `${i ? "L" : "M"}${x(point[0])} ${y(point[1])}`).join("");
    const name = kind === "guide" ? "guide" : `line${number++ % 4}`;
    if (kind === "band") {
      const side = sign => points.map(point => `${x(point[0])} ${y(point[1] + sign * point[2])}`);
      parts.push(svg("path", {class: `area ${name}`, d: `M${[...side(1), ...side(-1).reverse()].join("L")}Z`}));
    }
    if (kind === "points") {
      for (const [at, value, error] of points) {
        const from = x(at), low = y(value - error), high = y(value + error);
        parts.push(svg("path", {class: name,
          d: `M${from} ${low}V${high}M${from - 5} ${low}h10M${from - 5} ${high}h10`}),
          svg("circle", {class: name, cx: from, cy: y(value), r: 5}));
      }
    } else if (points.length > 1) parts.push(svg("path", {class: name, d: path}));
    else if (points.length) parts.push(svg("circle", {class: name, cx: x(points[0][0]), cy: y(points[0][1]), r: 3}));
  }
  return svg("svg", {class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img",
    "aria-label": told(chart)}, parts);
}

// what a chart shows last, in words
function told(chart) {
  const ends = chart.lines.filter(line => line.kind !== "guide").map(({name, points}) => {
    const [at, value, error] = points[points.length - 1];
    return `${name} ${short(value)}${error === undefined ? "" : ` ± ${short(error)}`} at ${short(at)} ${chart.x}`;
  });
  return `${chart.title}: ${ends.join(", ")}`;
}

function numbers(chart) {
  const lines = chart.lines.filter(line => line.kind !== "guide"), rows = new Map();
  lines.forEach(({points}, i) => {
    for (const [at, value, error] of points) {
      if (!rows.has(at)) rows.set(at, lines.map(() => "-"));
      rows.get(at)[i] = error === undefined ? String(value) : `${value} ± ${error}`;
    }
  });
  const sorted = [...rows].sort((a, b) => a[0] - b[0]);
  return {title: `Numbers of ${chart.title}`, head: [chart.x, ...lines.map(line => line.name)],
    rows: sorted.map(([at, row]) => [String(at), ...row])};
}

function figure(chart, width) {
  let kinds = 0;
  const key = chart.lines.length > 1 && el("ul", {class: "key"}, chart.lines.map(line => {
    const name = line.kind === "guide" ? "guide" : `line${kinds++ % 4}`;
    return el("li", null, svg("svg", {width: 26, height: 12, "aria-hidden": "true", class: "chart"},
      line.kind === "points" ? svg("circle", {class: name, cx: 13, cy: 6, r: 5}) :
        svg("path", {class: name, d: "M0 6H26"})), ` ${line.name}`);
  }));
  const details = el("details", {ontoggle() {
    if (details.open && details.children.length === 1) details.append(table(numbers(chart)));
  }}, el("summary", null, "Numbers"));
  return el("figure", null, el("figcaption", null, chart.title), chart.lines.length ? drawn(chart, width) :
    el("p", {class: "muted"}, "nothing yet"), key, details);
}

export function page(app) {
  const note = el("p", {class: "muted"}), rows = el("tbody");
  const list = el("div", {class: "scroll list", tabindex: 0, role: "region", "aria-label": "Runs", hidden: true},
    el("table", null, el("thead", null,
      el("tr", null, ["run", "kind", "state", "progress", "last change"].map(text => el("th", {scope: "col"}, text)))),
        rows));
  const title = el("h2"), state = el("p"), facts = el("dl"), charts = el("div", {class: "charts"}),
    tables = el("div", {class: "tables"});
  const detail = el("section", {"aria-label": "Run", hidden: true}, title, state, facts, charts, tables);
  const element = el("div", {class: "runs"}, el("section", {"aria-label": "All runs"}, note, list), detail);
  // what stands there: by title the JSON it was made of and its element
  const parts = new Map();
  let chosen = "", all = null, one = null, shown = null, entered = false, missing = false, width = 0;

  const marked = state => [el("span", {class: `mark ${state}`, "aria-hidden": "true"}, MARKS[state] || ""),
    ` ${state}`];

  function showList({runs, directories, error}) {
    if (error !== undefined) {
      note.textContent = error;
      return;
    }
    const focused = rows.contains(document.activeElement) && document.activeElement.hash;
    note.textContent = !directories ?
      "Start kr web with --runs DIR to watch the self-play, fits, training runs and matches in a directory."
      : runs.length ? "" : "There are no runs in the directory yet.";
    list.hidden = !runs.length;
    rows.replaceChildren(...runs.map(run => el("tr", {"aria-current": run.name === chosen && "true"},
      el("th", {scope: "row"}, el("a", {href: `#runs/${encodeURIComponent(run.name)}`}, run.name)),
      el("td", null, run.kind), el("td", null, marked(run.state)), el("td", null, run.progress),
      el("td", null, time(run.changed)))));
    // it is there now, or again
    if (missing && runs.some(run => run.name === chosen)) watchRun();
    if (focused) [...rows.querySelectorAll("a")].find(link => link.hash === focused)?.focus();
  }

  const open = game => {
    const errand = app.errand();
    return app.api("runs/game", {name: chosen, game}).then(found => errand.isStale || app.open(found),
      error => app.fail(error.message));
  };

  // only what has changed is made anew; what was unfolded or had the focus keeps it
  function fill(place, wanted, make) {
    const elements = wanted.map(each => {
      const key = `${place.className} ${each.title}`, text = JSON.stringify([each, place === charts && width]),
        before = parts.get(key);
      if (before?.text === text) return before.element;
      const made = make(each), focused = before?.element.contains(document.activeElement) && document.activeElement;
      if (before?.element.querySelector("details")?.open) made.querySelector("details").open = true;
      parts.set(key, {text, element: made, game: focused?.dataset?.game, focused});
      return made;
    });
    if (elements.length !== place.children.length ||
      elements.some((each, i) => each !== place.children[i])) place.replaceChildren(...elements);
    for (const part of parts.values()) {
      if (!part.focused) continue;
      (part.element.querySelector(`[data-game="${CSS.escape(part.game ?? "")}"]`) ||
        part.element.querySelector("button, summary, [tabindex]"))?.focus();
      part.focused = null;
    }
  }

  function showRun(run) {
    shown = run;
    detail.hidden = false;
    title.textContent = visible(run.name);
    state.replaceChildren(`${run.kind}: `, ...marked(run.state),
      `, ${run.progress}; last change ${time(run.changed)}${run.reading ? `; ${run.reading}` : ""}`);
    facts.replaceChildren(...run.facts.map(([name, text]) =>
      el("div", null, el("dt", null, name), el("dd", null, text))));
    width = Math.max(240, Math.min(charts.clientWidth, 620));
    fill(charts, run.charts || [], chart => figure(chart, width));
    fill(tables, (run.tables || []).filter(each => each.rows.length),
      each => el("section", {class: each.head.length > 8 && "wide"}, el("h3", null, each.title), table(each, open)));
  }

  function watchRun() {
    one?.stop();
    missing = false;
    one = chosen ? app.live("run", {name: chosen}, told => {
      if (told.run) showRun(told.run);
      else if (told.error !== undefined) {
        missing = true;
        app.fail(told.error);
      }
    }) : null;
  }

  function watch() {
    all?.stop();
    all = app.live("runs", {}, told => (told.runs || told.error !== undefined) && showList(told));
    watchRun();
  }

  new ResizeObserver(() => {
    if (shown && entered && Math.min(charts.clientWidth, 620) !== width && charts.clientWidth) showRun(shown);
  }).observe(charts);
  app.onback(() => entered && watch());

  return {
    name: "runs", title: "Runs", element,
    enter(rest) {
      let name = "";
      try {
        name = decodeURIComponent(rest);
      } catch {
        // not an address of this page: the list is shown
      }
      if (entered && name === chosen) return;
      entered = true;
      if (name !== chosen) {
        shown = null;
        parts.clear();
        charts.replaceChildren();
        tables.replaceChildren();
        detail.hidden = true;
      }
      chosen = name;
      watch();
    },
    leave() {
      entered = false;
      all?.stop();
      one?.stop();
    },
  };
}
