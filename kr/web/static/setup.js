// Setting up: the start, ballots by number or name, any FEN, and an editor of positions.

import {placed} from "./board.js";
import {button, el, svg} from "./dom.js";

export const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
const TOOLS = [["b", "Black man"], ["B", "Black king"], ["w", "White man"], ["W", "White king"],
  ["", "Clear a square"]];
const SYMBOLS = {b: "black-man", B: "black-king", w: "white-man", W: "white-king"};

function fenOf(pieces, side) {
  const list = colour => Object.keys(pieces).map(Number).sort((a, b) => a - b)
    .filter(square => pieces[square].toLowerCase() === colour)
    .map(square => (pieces[square] === colour ? "" : "K") + square).join(",");
  return `${side}:W${list("w")}:B${list("b")}`;
}

// Ballots to choose from, found by number, name or moves. choose: hears deck, number and title of the one chosen.
export function finder(app, choose) {
  const deck = el("select", {"aria-label": "Ballots", onchange: () => search()},
    el("option", {value: "3move"}, "Three-move ballots"), el("option", {value: "11man"}, "11-man ballots"));
  const wanted = el("input", {type: "search", placeholder: "number, name or moves", "aria-label": "Find a ballot",
    oninput: () => search(),
    onkeydown(event) { if (event.key === "Enter") event.preventDefault(); }});
  const found = el("ul", {class: "found"});
  let asked = 0;
  async function search() {
    const number = ++asked;
    try {
      const {openings, found: count} = await app.api("openings",
        {deck: deck.value, wanted: wanted.value.slice(0, 100)});
      if (number !== asked) return;
      const items = openings.map(each => {
        const title = `${each.number}. ${each.moves}${each.name ? ` (${each.name})` : ""}` +
          (each.standing === "playable" ? "" : `, ${each.standing}`);
        return el("li", null, button(title, () => choose(deck.value, each.number, title)));
      });
      if (count > openings.length) items.push(
        el("li", {class: "muted"}, `${count - openings.length} more: say more to find them`));
      if (!count) items.push(el("li", {class: "muted"}, "No ballot is called so."));
      found.replaceChildren(...items);
    } catch (error) {
      app.fail(error.message);
    }
  }
  return {element: el("div", null, el("div", {class: "row"}, deck, wanted), found), search};
}

export function setup(app) {
  const {board, tree} = app;
  const fail = error => app.fail(error.message);
  const fresh = (start, headers = {}) =>
    ({headers, start, result: "*", nodes: [{parent: null, fen: start, comments: [], nags: []}]});

  function begin(start, moves = [], headers = {}) {
    const document = fresh(start, headers);
    for (const move of moves) document.nodes.push(
      {comments: [], nags: [], starting_comments: [], ...move, parent: document.nodes.length - 1});
    if (tree.root.children.length) app.say("Undo brings the former game back");
    app.open(document, moves.map(() => 0));
  }

  // --- FEN

  const fen = el("input", {type: "text", class: "fen", spellcheck: "false", autocomplete: "off", "aria-label": "FEN"});
  const showFen = () => { fen.value = tree.node.fen; };
  const takeFen = async event => {
    event.preventDefault();
    const errand = app.errand();
    try {
      const position = await app.api("position", {fen: fen.value});
      if (errand.isStale) return;
      stopEditing();
      begin(position.fen);
    } catch (error) {
      fail(error);
    }
  };
  for (const change of ["node", "game"]) {
    tree.on(change, () => {
      // a step through the game leaves the editor
      stopEditing();
      showFen();
    });
  }

  // --- openings

  async function choose(deck, number) {
    const errand = app.errand();
    try {
      const {start, moves, title} = await app.api("opening", {deck, number});
      if (errand.isStale) return;
      stopEditing();
      begin(start, moves, {Event: title});
      app.say(title);
    } catch (error) {
      fail(error);
    }
  }
  const ballots = finder(app, choose);
  const openings = el("details", {class: "openings", ontoggle(event) { if (event.target.open) ballots.search(); }},
    el("summary", null, "Ballots"), ballots.element);

  // --- editor

  let pieces = null, tool = "b", side = "B";
  const tools = TOOLS.map(([piece, name]) =>
    el("button", {type: "button", title: name, "aria-label": name, "aria-pressed": piece === tool,
    onclick() {
      tool = piece;
      for (const other of tools) other.setAttribute("aria-pressed", other === this);
    }}, piece ? svg("svg", {viewBox: "0 0 45 45", width: 32, height: 32, "aria-hidden": "true"},
      svg("use", {href: `#piece-${SYMBOLS[piece]}`})) : "✕"));
  const mover = el("select", {"aria-label": "Side to move", onchange() { side = mover.value; redraw(); }},
    el("option", {value: "B"}, "Black to move"), el("option", {value: "W"}, "White to move"));
  const redraw = () => {
    app.acted();
    const now = fenOf(pieces, side);
    board.show(now);
    board.drawings();
    fen.value = now;
  };
  const change = (square, piece) => {
    if (piece) pieces[square] = piece;
    else delete pieces[square];
    redraw();
  };
  function edit() {
    pieces = placed(tree.node.fen);
    side = mover.value = tree.node.fen[0];
    board.onedit = {
      click: square => change(square, pieces[square] === tool ? "" : tool),
      drag(from, to) {
        const piece = pieces[from];
        delete pieces[from];
        if (to) pieces[to] = piece;
        redraw();
      },
    };
    editor.hidden = false;
    opener.hidden = true;
    redraw();
  }
  function stopEditing() {
    if (!board.onedit) return;
    board.onedit = null;
    editor.hidden = true;
    opener.hidden = false;
  }
  async function finish() {
    const errand = app.errand();
    try {
      const position = await app.api("position", {fen: fenOf(pieces, side)});
      if (errand.isStale) return;
      stopEditing();
      begin(position.fen);
    } catch (error) {
      fail(error);
    }
  }
  const editor = el("div", {class: "editor", role: "group", "aria-label": "Position editor", hidden: true},
    el("div", {class: "row tools"}, tools, mover),
    el("div", {class: "row"},
      button("Clear", () => { pieces = {}; redraw(); }),
      button("Start", () => { pieces = placed(START); side = mover.value = "B"; redraw(); }),
      button("Done", finish, {class: "primary"}),
      button("Cancel", () => { stopEditing(); tree.select(tree.node); })),
    el("p", {class: "muted"},
      "Choose a piece and click squares; drag a piece to move it, off the board to remove it."));
  const opener = el("div", {class: "row"},
    button("New game", () => begin(START)),
    button("Set up a position", edit),
    button("Undo", () => tree.undo() || app.say("Nothing to undo"), {title: "Take back the last change of the game"}),
    button("Redo", () => tree.redo() || app.say("Nothing to redo")));

  showFen();
  return el("div", {class: "setup"}, opener, editor,
    el("form", {class: "row", onsubmit: takeFen}, el("label", null, "FEN ", fen),
      el("button", {type: "submit"}, "Set")), openings);
}
