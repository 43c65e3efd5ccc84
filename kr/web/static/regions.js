// The panel Regions: the static score as a heat map, and the strongest regions with what they rest on.

import {place} from "./board.js";
import {el, svg} from "./dom.js";

const FULL = 40;      // centi-men at which a square is fully coloured
const SHOWN = 10;     // regions listed at first
const WAIT_MS = 60;   // before a position that may be left at once is asked for

const signed = number => (number > 0 ? "+" : number < 0 ? "−" : "") +
  Math.abs(number).toFixed(Math.abs(number) < 9.95 ? 1 : 0);
const count = number => number >= 1e6 ? `${(number / 1e6).toPrecision(2)} million`
  : number >= 1000 ? `${Number((number / 1000).toPrecision(2))} thousand` : String(number);

const outlined = squares => squares.map(square => `M${place(square)}h1v1h-1z`).join("");
const DARK = outlined(Array.from({length: 32}, (_, i) => i + 1));

// a region on a small board, which style.css turns with the board
const picture = ({squares, score}) => svg("svg", {class: "mini", viewBox: "0 0 8 8", "aria-hidden": "true"},
  svg("path", {class: "dark", d: DARK}),
  svg("path", {class: score < 0 ? "helps-white" : "helps-black", d: outlined(squares)}));

// each region's score spread over its squares
function spread(regions) {
  const sums = {};
  for (const region of regions) {
    for (const square of region.squares) sums[square] = (sums[square] || 0) + region.score / region.squares.length;
  }
  return sums;
}

export function panel(app) {
  const sum = el("p"), list = el("tbody"), notes = el("p", {class: "muted"}), rest = el("p", {class: "muted"});
  const what = el("select", {"aria-label": "Colours show", onchange() {
    app.keep("heat", what.value);
    paint();
  }}, el("option", {value: "pieces"}, "what each piece adds"),
    el("option", {value: "regions"}, "what each region adds, square by square"),
    el("option", {value: "none"}, "nothing"));
  what.value = app.kept("heat", "pieces");
  const all = el("input", {type: "checkbox", onchange: () => found && write()});
  let active = false, asked = 0, waiting = 0, found = null;

  function paint() {
    if (!active || !found || what.value === "none" || !found.shared && what.value === "regions") {
      app.board.heat(null);
      return;
    }
    const pieces = what.value === "pieces", values = pieces ? found.shares : spread(found.regions), heat = {},
      labels = {};
    for (const [square, value] of Object.entries(values)) {
      heat[square] = Math.max(-1, Math.min(1, value / FULL));
      labels[square] = signed(value);
    }
    app.board.heat(heat, labels);
  }

  function write() {
    const {score, material, move, empty, shared, regions} = found;
    const terms = shared ? [`material ${signed(material)}`, `having the move ${signed(move)}`,
      `pieces' places ${signed(Object.values(found.shares).reduce((a, b) => a + b, 0))}`,
      `empty regions ${signed(empty)}`] : [];
    sum.textContent = `Static score ${signed(score)} centi-men for Black (${found.weights})` +
      (terms.length ? `: ${terms.join(", ")}` : "");
    notes.textContent = found.note;
    const counted = Boolean(found.evidence);
    const focused = [...list.children].indexOf(document.activeElement);
    list.replaceChildren(...regions.slice(0, all.checked ? regions.length : SHOWN).map(region => {
      const light = () => app.board.outline(region.squares), dark = () => app.board.outline([]);
      return el("tr", {tabindex: 0, onmouseenter: light, onmouseleave: dark, onfocus: light, onblur: dark},
        el("td", {class: "right"}, signed(region.score)),
        el("td", null, region.score > 0 ? "Black" : region.score < 0 ? "White" : ""),
        el("td", {class: "right"}, !counted ? "–" : region.seen ? count(region.seen) : "never"),
        el("td", null, picture(region), el("span", null, region.squares.join(" "))));
    }));
    if (focused >= 0) list.children[focused]?.focus({preventScroll: true});
    rest.textContent = counted ? `Seen: how often the squares looked just like this, within a tenth, ` +
      `in ${found.evidence}. What was seldom seen says little.`
      : shared ? "How often a pattern was seen is not in this weights file." : "";
    table.hidden = !shared;
    paint();
  }

  async function ask() {
    const number = ++asked, {fen} = app.tree.node;
    if (!fen) return;
    try {
      const answer = await app.api("regions", {fen});
      if (!active || number !== asked) return;
      found = answer;
      write();
    } catch (error) {
      if (!active || number !== asked) return;
      found = null;
      paint();
      sum.textContent = error.message;
    }
  }

  function follow() {
    if (!active) return;
    if (!found) sum.textContent = "Reading the tables …";
    // the old colours say nothing about the new position
    app.board.heat(null);
    app.board.outline([]);
    clearTimeout(waiting);
    waiting = setTimeout(ask, WAIT_MS);
  }

  const table = el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Strongest regions"},
    el("table", {class: "strongest"},
    el("thead", null, el("tr", null,
      ["centi-men", "helps", "seen", "squares"].map(name => el("th", {scope: "col"}, name)))), list));
  for (const change of ["node", "game"]) app.tree.on(change, follow);
  app.onback(follow);
  return {
    name: "regions", title: "Regions", open: false,
    element: el("div", null, el("div", {class: "row"}, el("label", null, "Colours show ", what)),
      el("p", {class: "heat-key"}, el("span", {class: "swatch helps-black"}), " + helps Black ",
        el("span", {class: "swatch helps-white"}), " − helps White"),
      sum, notes, table, el("label", null, all, " all regions"), rest),
    show() {
      active = true;
      follow();
    },
    hide() {
      active = false;
      clearTimeout(waiting);
      app.board.heat(null);
      app.board.outline([]);
    },
  };
}
