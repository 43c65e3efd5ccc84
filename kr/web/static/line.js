// A board with one line of moves: what puzzles and endings are played on. Earlier positions can be looked at; moves are
// made at the end of the line.

import {Board} from "./board.js";
import {button, el} from "./dom.js";

export function lineBoard(app, label) {
  const board = new Board({label, say: app.say, refuse: app.fail, numbers: app.kept("numbers", true)});
  // allowed: the legal moves, by the number of moves before them, as far as they are known
  // held: no move can be made, because another line is on its way
  let start = "", line = [], allowed = [], at = 0, held = false;
  board.onidle = () => held ? "" :
    at < line.length ? "This is an earlier position; moves are made at the end of the line (›)" : "";

  const fen = () => at ? line[at - 1].fen : start;
  const list = el("ol", {class: "line", "aria-label": "Moves"});
  const back = button("‹", () => go(at - 1), {title: "Back", "aria-label": "Back"});
  const next = button("›", () => go(at + 1), {title: "Forward", "aria-label": "Forward"});
  const steps = el("div", {class: "steps", role: "group", "aria-label": "Steps"}, back, next,
    button("Flip", () => board.flip(), {title: "Turn the board"}));

  function show(animate) {
    board.show(fen(), {moves: at === line.length && !held && allowed[at] || [], last: at ? line[at - 1].path : null,
      animate});
    back.disabled = at === 0;
    next.disabled = at === line.length;
    for (const [i, item] of list.querySelectorAll("button").entries()) {
      if (i === at - 1) {
        item.setAttribute("aria-current", "step");
        within(list, item);
      }
      else item.removeAttribute("aria-current");
    }
  }

  function showList() {
    list.replaceChildren(...line.map((move, i) => el("li", null, button(move.text, () => go(i + 1)))));
    list.scrollTop = list.scrollHeight;
  }

  function go(to) {
    at = Math.max(0, Math.min(to, line.length));
    board.arrows([]);
    board.outline([]);
    board.labels({});
    show(false);
  }

  return {
    board, list,
    element: el("div", null, board.element, steps),
    get moves() { return line.map(move => move.text); },
    get fen() { return fen(); },
    get length() { return line.length; },
    get isLast() { return at === line.length; },
    // a new line, seen from the side of the person
    begin(from, moves, side) {
      start = from;
      held = false;
      line = [...moves];
      allowed = [];
      board.flip(side === "black");
      showList();
      go(line.length);
    },
    // adds moves; stays: the position on the board remains
    add(moves, stays = false) {
      line.push(...moves);
      showList();
      if (stays) show(false);
      else {
        go(line.length);
        if (moves.length) board.show(line.at(-1).fen, {last: line.at(-1).path});
      }
    },
    // adds one move that is seen to be made
    play(move) {
      line.push(move);
      at = line.length;
      showList();
      board.arrows([]);
      board.outline([]);
      board.labels({});
      show(true);
    },
    // takes back all but the first so many moves; what was legal then is again, even if no server answers
    cut(length) {
      line.length = Math.min(length, line.length);
      allowed.length = Math.min(line.length + 1, allowed.length);
      showList();
      go(line.length);
    },
    // the legal moves at the end of the line
    allow(moves) {
      allowed[line.length] = moves;
      show(false);
    },
    // no move can be made while another line is fetched: it would be lost
    hold(on) {
      held = on;
      if (start) show(false);
    },
    go,
    // brings the newest move into sight, once the list is on the page
    reveal() {
      list.scrollTop = list.scrollHeight;
      show(false);
    },
    // the line as a game for the page Analyse
    document(headers) {
      const nodes = line.map((move, i) => ({comments: [], nags: [], starting_comments: [], ...move, parent: i}));
      return {headers, start, result: "*", nodes: [{parent: null, fen: start, comments: [], nags: []}, ...nodes]};
    },
  };
}

// Scrolls a list so far that one of its moves is in sight, and the page not at all.
export function within(list, item) {
  const box = list.getBoundingClientRect(), own = item.getBoundingClientRect();
  if (own.top < box.top) list.scrollTop -= box.top - own.top;
  else if (own.bottom > box.bottom) list.scrollTop += own.bottom - box.bottom;
}

// Waits for so long as a reply should seem to take.
export const pause = (ms = 350) => new Promise(done =>
  setTimeout(done, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : ms));

export const option = (value, text) => el("option", {value}, text);
