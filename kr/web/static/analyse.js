// The page Analyse: the board of the current game, and panels about its position.

import {panel as analysis} from "./analysis.js";
import {panel as annotate} from "./annotate.js";
import {Board} from "./board.js";
import {button, el} from "./dom.js";
import {panel as explorer} from "./explorer.js";
import {moves, panel as files} from "./files.js";
import {number as numbered, plain} from "./moves.js";
import {panel as people} from "./people.js";
import {panel as regions} from "./regions.js";
import {setup} from "./setup.js";
import {GameTree} from "./tree.js";

const PANELS = [moves, analysis, annotate, explorer, people, regions, files];
const KNOWN = 300;   // positions whose legal moves are remembered

export function page(app) {
  const board = app.board = new Board(
    {label: "Board", say: app.say, refuse: app.fail, numbers: app.kept("numbers", true)});
  const tree = app.tree = new GameTree();
  const known = new Map();
  const turn = el("p", {class: "turn"});
  let active = false;

  // the legal moves of a position: asked for once, then remembered
  app.position = async fen => {
    if (!known.has(fen)) {
      if (known.size >= KNOWN) known.delete(known.keys().next().value);
      const asked = app.api("position", {fen});
      known.set(fen, asked);
      asked.catch(() => known.delete(fen));
    }
    return known.get(fen);
  };

  async function show(animate = true) {
    const node = tree.node, last = node.path || null;
    board.show(node.fen, {last, animate});
    board.drawings(node);
    // below the board the move is in sight wherever the list of moves is
    const made = node.parent ? `${numbered(node)} ${plain(node.text)} \u00b7 ` : "";
    turn.textContent = `${made}${node.fen[0] === "W" ? "White" : "Black"} to move`;
    try {
      const position = await app.position(node.fen);
      if (tree.node !== node || board.fen !== node.fen) return;
      board.show(node.fen, {moves: position.moves, last});
      if (position.over) turn.textContent = made + position.over;
    } catch (error) {
      app.fail(error.message);
    }
  }

  board.onmove = move => {
    app.acted();
    tree.play(move);
    app.announce(move.text);
  };
  for (const change of ["edit", "game"]) tree.on(change, () => app.acted());
  tree.on("node", () => show());
  tree.on("game", () => show(false));

  app.onback(() => active && !board.onedit && show(false));

  // flipped: as the board was that the game comes from
  app.open = (document, path, flipped = board.flipped) => {
    board.flip(flipped);
    tree.load(document, path);
    app.go("analyse");
  };

  const flip = button("Flip", () => board.flip(), {title: "Turn the board (f)"});
  const numbers = el("input", {type: "checkbox", checked: app.kept("numbers", true), onchange(event) {
    board.numbers(event.target.checked);
    app.keep("numbers", event.target.checked);
  }});
  const steps = el("div", {class: "steps", role: "group", "aria-label": "Steps"},
    button("⇤", () => tree.start(), {title: "Start (Home)", "aria-label": "Start"}),
    button("‹", () => tree.back(), {title: "Back (←)", "aria-label": "Back"}),
    button("›", () => tree.next(), {title: "Forward (→)", "aria-label": "Forward"}),
    button("⇥", () => tree.end(), {title: "End (End)", "aria-label": "End"}),
    flip, el("label", null, numbers, " Numbers"));
  const keys = {
    ArrowLeft: () => tree.back(), ArrowRight: () => tree.next(), Home: () => tree.start(), End: () => tree.end(),
    f: () => board.flip(), " ": () => app.onspace && app.onspace(),
  };
  app.keys = keys;

  const panels = PANELS.map(make => make(app)).map(panel => {
    const details = el("details", {class: `panel ${panel.name}`, ontoggle() {
      app.keep(`panel-${panel.name}`, details.open);
      if (active) details.open ? panel.show() : panel.hide();
    }}, el("summary", null, panel.title), panel.element);
    return {...panel, details};
  });
  const element = el("div", {class: "analyse"},
    el("div", {class: "stage"}, board.element, turn, steps, setup(app)),
    el("div", {class: "panels"}, panels.map(panel => panel.details)));

  function press(event) {
    const typing = event.target.closest("input, textarea, select, dialog, [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || !(event.key in keys)) return;
    // a button that has the focus is pressed by space
    if (event.key === " " && event.target.closest("button, summary, a")) return;
    event.preventDefault();
    keys[event.key]();
  }

  return {
    name: "analyse", title: "Analyse", element,
    enter(rest) {
      if (rest) app.onrest(rest);
      if (active) return;
      active = true;
      document.addEventListener("keydown", press);
      for (const panel of panels) {
        panel.details.open = app.kept(`panel-${panel.name}`, panel.open !== false);
        if (panel.details.open) panel.show();
      }
      // a position that is being set up stays on the board
      if (!board.onedit) show(false);
    },
    leave() {
      active = false;
      document.removeEventListener("keydown", press);
      for (const panel of panels) if (panel.details.open) panel.hide();
    },
  };
}
