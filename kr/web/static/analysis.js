// The panel Analysis: the best lines of the position, live, from one engine or two side by side.

import {Board} from "./board.js";
import {button, el} from "./dom.js";
import {many} from "./texts.js";

const LIMITS = [["", "no limit"], ["2s", "2 seconds"], ["10s", "10 seconds"], ["60s", "1 minute"],
  ["depth=10", "depth 10"], ["depth=16", "depth 16"], ["depth=20", "depth 20"], ["depth=25", "depth 25"],
  ["depth=30", "depth 30"]];
const SETTLE_MS = 120;   // while one steps quickly, positions that are only passed are not searched
const SPOKEN_MS = 4000;
const ARROWS = 5;
const OPPOSITE = {win: "loss", draw: "draw", loss: "win"};

const big = number => number >= 1e9 ? `${(number / 1e9).toFixed(1)} G` :
  number >= 1e6 ? `${(number / 1e6).toFixed(1)} M`
  : number >= 1e3 ? `${Math.round(number / 1e3)} k` : String(number);
const percent = share => `${Math.round(share * 100)}`;
const short = ({value, plies}) => value[0].toUpperCase() + (value === "draw" || plies === null ? "" : ` ${plies}`);
const long = ({value, plies}) => value === "draw" || plies === null ? value :
  `${value} in ${many(plies, "ply", "plies")}`;
const lasted = seconds => seconds < 60 ? `${Math.floor(seconds)} s` :
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;

const byRule = rule => `draw ${rule === "repetition" ? "by repetition" : "for lack of progress"}`;

// a line as a person reads it from a side: {text, chances [win, draw, loss] or null}
export function seen(line, turned) {
  const value = line.value && (turned ? OPPOSITE[line.value] : line.value);
  const score = turned ? -line.score : line.score;
  const chances = line.chances && (turned ? [...line.chances].reverse() : line.chances);
  if (line.draw) return {text: byRule(line.draw), chances};
  return {text: value ? long({value, plies: line.plies}) : score > 0 ? `+${score}` : score < 0 ? `−${-score}` : "0",
    chances};
}

// The lines of one engine. hooks: {hover(step, place), leave(), step(steps)}
class Lines {
  constructor(hooks) {
    this._hooks = hooks;
    this._rows = [];
    this.lines = [];
    this._status = el("p", {class: "facts muted"});
    this._list = el("ol", {class: "lines"});
    this.element = el("div", {class: "engine"}, this._status, this._list);
    const at = event => {
      const move = event.target.closest(".pv button");
      // lines that are still on view may be those of the position before
      if (!move || this.element.classList.contains("old")) return null;
      const row = this._rows.find(each => each.moves.contains(move));
      return {row, move, number: row.shown.indexOf(move)};
    };
    const hover = event => {
      const found = at(event);
      if (found) hooks.hover(found.row.pv[found.number], found.move);
    };
    this._list.addEventListener("pointerover", event => { if (event.pointerType === "mouse") hover(event); });
    this._list.addEventListener("focusin", hover);
    for (const type of ["pointerleave", "focusout"]) this._list.addEventListener(type, () => hooks.leave());
    // a click leaves the focus where it is, so that the arrow keys go on stepping through the game
    this._list.addEventListener("mousedown", event => event.preventDefault());
    this._list.addEventListener("click", event => {
      const found = at(event);
      if (found) hooks.step(found.row.pv.slice(0, found.number + 1));
    });
    this._list.addEventListener("keydown", event => {
      const found = at(event), step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!found || !step) return;
      event.stopPropagation();
      event.preventDefault();
      const next = found.row.shown[found.number + step];
      if (next && !next.hidden) next.focus();
    });
  }

  // forgets the lines; the old ones stay on view, dimmed, until there are others, if there will be
  begin(expected) {
    this.lines = [];
    this.told = null;
    this.element.classList.add("old");
    if (expected) {
      this._status.textContent ||= "beginning…";
      return;
    }
    this._status.textContent = "";
    for (const row of this._rows) row.element.hidden = true;
  }

  hear(event) {
    if (event.lines) {
      this.lines = event.lines.map((line, i) => ({...line, pv: line.pv || this.lines[i].pv}));
      this.told = event;
    } else if (event.progress) {
      this.told = {...this.told, ...event.progress, waiting: false, depth: this.told?.depth, now: event.progress.depth};
    } else if (event.error || event.over || event.waiting) {
      this.told = event;
      this.lines = [];
    }
  }

  // view: "mover" or "black"; name: of the engine if there are several
  draw(view, name, most) {
    const {told} = this;
    if (!told) return;
    this.element.classList.remove("old");
    const message = told.error || told.over ||
      (told.waiting && "Many are analysing; this begins when one of them ends");
    this._status.textContent = (name ? `${told.engine || name}: ` : "") +
      (message || [told.depth && `depth ${told.depth}`, !told.final && told.now > (told.depth || 0) &&
        `now ${told.now}`,
      told.nodes !== undefined && `${big(told.nodes)} nodes`, told.nps ? `${big(told.nps)}/s` : "",
      told.time >= 1 && lasted(told.time), told.hash ? `${told.hash} MB hash` : "",
      told.final ? "finished" : ""].filter(Boolean).join(" · "));
    this._status.classList.toggle("failed", Boolean(told.error));
    while (this._rows.length < this.lines.length) this._add();
    this._rows.forEach((row, i) => {
      row.element.hidden = i >= this.lines.length;
      if (!row.element.hidden) this._fill(row, this.lines[i], view === "black" && told.side === "white", most);
    });
  }

  _add() {
    const parts = ["win", "draw", "loss"].map(name => el("span", {class: name}));
    const row = {score: el("span", {class: "score"}), parts, bar: el("span", {class: "bar"}, parts),
      numbers: el("span", {class: "numbers"}),
      moves: el("span", {class: "pv"}), shown: [], pv: []};
    row.odds = el("span", {class: "odds", role: "img"}, row.bar, row.numbers);
    row.element = el("li", null, row.score, row.odds, row.moves);
    this._rows.push(row);
    this._list.append(row.element);
  }

  _fill(row, line, turned, most) {
    const {text, chances} = seen(line, turned);
    row.score.textContent = text;
    row.odds.hidden = !chances;
    if (chances) {
      row.parts.forEach((part, i) => { part.style.width = `${chances[i] * 100}%`; });
      row.numbers.textContent = chances.map((share, i) => `${"WDL"[i]} ${percent(share)}`).join("  ");
      row.odds.setAttribute("aria-label",
        `win ${percent(chances[0])}, draw ${percent(chances[1])}, loss ${percent(chances[2])} in a hundred`);
    }
    if (row.pv === line.pv) return;
    row.pv = line.pv;
    const moves = line.pv.slice(0, most);
    while (row.shown.length < moves.length) {
      const made = el("button", {type: "button", tabindex: row.shown.length ? -1 : 0});
      row.shown.push(made);
      row.moves.append(made, " ");
    }
    row.shown.forEach((move, i) => {
      move.hidden = i >= moves.length;
      if (!move.hidden && move.textContent !== moves[i].text) move.textContent = moves[i].text;
    });
  }
}

export function panel(app) {
  const {board, tree} = app;
  let visible = false, on = app.kept("analysing", false), threat = false, held = false, drawing = false;
  let node = null, exact = null, drawn = "", waits = 0, begun = 0, spoken = 0, said = "", marked = "";
  let engines = ["kr"], streams = [];

  // --- the line that one points at, on a small board

  const small = new Board({label: "After the line", numbers: false});
  const preview = el("div", {class: "preview", hidden: true, inert: true, "aria-hidden": "true"}, small.element);
  document.body.append(preview);
  const leave = () => { preview.hidden = true; };
  function hover(step, place) {
    if (!step || node !== tree.node) return;
    if (small.flipped !== board.flipped) small.flip(board.flipped);
    small.show(step.fen, {last: step.path});
    preview.hidden = false;
    const box = place.getBoundingClientRect(), own = preview.getBoundingClientRect();
    const below = box.bottom + 6 + own.height < innerHeight;
    preview.style.left = `${Math.max(4, Math.min(box.left, innerWidth - own.width - 4))}px`;
    preview.style.top = `${below ? box.bottom + 6 : Math.max(4, box.top - own.height - 6)}px`;
  }
  // what is on view belongs to the position that was searched, which may be left already
  function step(steps) {
    leave();
    if (threat || node !== tree.node) return;
    for (const move of steps) tree.play(move);
  }

  const blocks = [0, 1].map(() => new Lines({hover, leave, step}));
  const chosen = [Number(app.kept("engine", 0)), Number(app.kept("beside", -1))];
  const known = el("p", {class: "exact", hidden: true});
  const heard = el("p", {class: "unseen", role: "status"});

  // --- controls

  const select = (label, name, options, otherwise, change) => {
    const list = el("select", {onchange() {
      app.keep(name, list.value);
      change(list.value);
    }}, options.map(([value, text]) => el("option", {value}, text)));
    list.value = app.kept(name, otherwise);
    return {list, label: el("label", null, `${label} `, list)};
  };
  const go = button("", () => toggle(), {class: "primary go", title: "Space"});
  const count = select("Lines", "lines", Array.from({length: 10}, (_, i) => [i + 1, i + 1]), 3, () => restart());
  const limit = select("Until", "limit", LIMITS, "", () => restart());
  const view = select("Centi-men for", "view", [["mover", "the mover"], ["black", "Black"]], "mover", () => draw());
  const pointing = el("input", {type: "checkbox", checked: app.kept("arrows", true), onchange() {
    app.keep("arrows", pointing.checked);
    draw();
  }});
  const threatens = button("Threat", () => {
    threat = !threat;
    if (threat) on = true;
    restart();
  }, {"aria-pressed": "false", title: "What if the other side moved?"});
  const sides = el("div", {class: "row", hidden: true});

  function toggle() {
    on = !on;
    app.keep("analysing", on);
    restart();
  }
  app.onspace = () => visible && toggle();

  // --- searching

  function end() {
    clearTimeout(waits);
    waits = 0;
    for (const stream of streams) stream.stop();
    streams = [];
    for (const block of blocks) if (block.told) block.told.now = 0;
  }

  function name() {
    go.textContent = on ? "Stop" : node === tree.node && blocks[0].told ? "Go on" : "Analyse";
    threatens.setAttribute("aria-pressed", String(threat));
  }

  function restart() {
    end();
    name();
    if (!on || !visible) {
      request();
      return;
    }
    begun = performance.now();
    node = tree.node;
    exact = null;
    drawn = "";
    const asked = {...tree.replay(), lines: Number(count.list.value),
      limit: limit.list.value, threat};
    blocks.forEach((block, i) => {
      block.begin(true);
      block.element.hidden = chosen[i] < 0;
      if (chosen[i] < 0) return;
      streams.push(app.live("analysis", {...asked, engine: chosen[i]}, event => {
        if (i === 0 && event.exact !== undefined) [exact, drawn] = [event.exact, event.draw || ""];
        block.hear(event);
        request();
      }));
    });
    request();
  }

  // another position: at once, unless one steps through many
  function changed() {
    leave();
    if (!visible) return;
    end();
    exact = null;
    drawn = "";
    threat = threat && on;
    for (const block of blocks) block.begin(on);
    name();
    request();
    const rest = SETTLE_MS - (performance.now() - begun);
    begun = performance.now();
    if (rest <= 0) restart();
    else waits = setTimeout(restart, rest);
  }

  // --- drawing, once a frame at most

  function request() {
    if (drawing || held) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      if (visible) draw();
    });
  }

  function draw() {
    const several = engines.length > 1 && chosen[1] >= 0, most = Number(count.list.value) > 3 ? 10 : 24;
    blocks.forEach((block, i) => block.draw(view.list.value, several ? engines[chosen[i]] : "", most));
    known.hidden = !exact && !drawn;
    if (exact || drawn) {
      const moves = exact ? exact.moves.map(move => `${move.text} ${long(move)}`).join(", ") : "";
      const text = (drawn ? `The game can be claimed a ${byRule(drawn)} here. ` : "") +
        (exact ? `Exact: ${exact.value ? `${long(exact)}; ` : ""}${moves}` : "");
      if (known.textContent !== text) known.textContent = text;
    }
    // what was found for another position is not drawn on the board
    const here = node === tree.node && board.fen === node.fen, labels = {};
    // best first: of several moves to one square the best counts
    for (const move of exact && here ? exact.moves : []) labels[move.path.at(-1)] ??= short(move);
    const lines = here ? blocks[0].lines : [], others = here && chosen[1] >= 0 ? blocks[1].lines : [];
    const arrows = lines.slice(0, ARROWS).map((line, i) =>
      ({path: line.pv[0].path, kind: threat ? "threat" : i ? "other" : "best",
        label: i || lines.length > 1 ? String(i + 1) : ""}));
    if (others.length) arrows.push({path: others[0].pv[0].path, kind: "better", label: ""});
    // the best one on top
    mark(pointing.checked ? arrows.reverse() : [], labels);
    speak(lines);
  }

  function mark(arrows, labels) {
    const key = JSON.stringify([arrows, labels]);
    if (key === marked) return;
    marked = key;
    board.arrows(arrows);
    board.labels(labels);
  }

  function speak(lines) {
    if (!lines.length || (performance.now() - spoken < SPOKEN_MS && !blocks[0].told.final)) return;
    const text = `${threat ? "Threat" : "Best"}: ${lines[0].pv[0].text}, ${seen(lines[0], false).text}`;
    if (text === said) return;
    said = heard.textContent = text;
    spoken = performance.now();
  }

  tree.on("node", changed);
  app.onback(() => { if (visible && on) restart(); });

  const element = el("div", {class: "analysis"},
    el("div", {class: "row"}, go, threatens, count.label, limit.label),
    sides, known, blocks.map(block => block.element), heard,
    el("div", {class: "row"}, view.label, el("label", null, pointing, " Arrows")));
  // nothing moves away from under a finger or a button that is held down
  element.addEventListener("pointerdown", () => { held = true; });
  for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => {
    held = false;
    request();
  });

  let asked = false;
  async function ask() {
    asked = true;
    try {
      engines = (await app.api("engines")).engines;
    } catch {
      asked = false;
      return;
    }
    for (const i of [0, 1]) if (!(chosen[i] < engines.length)) chosen[i] = -i;
    sides.hidden = engines.length < 2;
    const names = engines.map((name, i) => [i, name]);
    const pick = (i, label, name, options) => {
      const made = select(label, name, options, -i, value => {
        chosen[i] = Number(value);
        restart();
      });
      made.list.value = chosen[i];
      return made.label;
    };
    sides.replaceChildren(pick(0, "Engine", "engine", names), pick(1, "Beside it", "beside", [[-1, "none"], ...names]));
    restart();
  }

  restart();
  return {
    name: "analysis", title: "Analysis", element,
    show() {
      if (visible) return;
      visible = true;
      if (!asked) ask();
      restart();
    },
    hide() {
      if (!visible) return;
      end();
      leave();
      visible = false;
      mark([], {});
    },
  };
}
