// The page of an annotated game, without a server: the game stands in the page as JSON, its address names the position.

import {Board} from "./board.js";
import {button, el} from "./dom.js";
import {better, Graph, judgement, points, told} from "./graph.js";
import {MoveList, number, plain, sign, words} from "./moves.js";
import {t} from "./texts.js";
import {GameTree} from "./tree.js";

/** @import {BoardMove} from "./board-state.js" */

/** @param {string} selector of an element that the page has */
const part = selector => /** @type {HTMLElement} */ (document.querySelector(selector));

const tree = new GameTree();
tree.load(JSON.parse(part("#game").textContent).document);
const played = points(tree);

const caption = el("div", {class: "caption", "aria-live": "polite"});
const board = new Board({say: text => caption.append(el("p", null, text))});
const graph = new Graph({onpick: ply => go(ply)});
const moves = new MoveList(tree);
const stage = part(".stage");

/**
 * What can be done by a button: its sign, name, key and the name of the key.
 * @type {[string, string, string, string, () => unknown][]}
 */
const STEPS = [
  ["⇤", t("Start"), "Home", "Home", () => tree.start()],
  ["‹", t("Back"), "ArrowLeft", "←", () => tree.back()],
  ["›", t("Forward"), "ArrowRight", "→", () => tree.next()],
  ["⇥", t("End"), "End", "End", () => tree.end()],
  ["‹?", t("Mark before"), "p", "p", () => tree.mark(-1)],
  ["?›", t("Next mark"), "n", "n", () => tree.mark(1)],
  ["⇅", t("Turn the board"), "f", "f", () => board.flip()],
];

// the last position of the game as it was played, on the way to the one that is shown
const plyShown = () => tree.line().findLast(node => played[node.ply]?.node === node)?.ply ?? 0;

/** @param {number} ply */
function go(ply) {
  tree.select(played[ply].node);
}

function show() {
  const {node} = tree;
  const legal = /** @type {BoardMove[]} */ (node.children.filter(child => child.fen !== null));
  board.show(node.fen, {moves: legal, last: node.path, animate: true});
  board.drawings(node);
  board.arrows(better(node));
  graph.cursor(plyShown());
  const known = judgement(node);
  const point = played[node.ply]?.node === node ? played[node.ply] : known;
  const label = node.parent ? `${number(node)} ${plain(node.text)}` : t("Start");
  const comments = [...node.starting_comments, ...node.comments].map(text => plain(words(text))).filter(Boolean);
  caption.replaceChildren(
    el("p", {class: "move"}, label, el("span", {class: `sign ${known?.kind || ""}`}, node.nags.map(sign).join(""))),
    node.draw && !known
      ? el("p", {class: "muted"}, t("The game could be claimed drawn here: {rule}.", {rule: node.draw}))
      : "",
    el("p", {class: "muted"}, point ? told(point) : ""),
    ...comments.map(text => el("bdi", {class: "comment"}, text)),
  );
}

// after a click far below the board, as on a phone, scrolls to it
function reveal() {
  const box = board.element.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight) stage.scrollIntoView({block: "start"});
}

/** @param {string} hash such as #p12, which names the ply; the start for any other */
function plyOf(hash) {
  const found = /^#p(\d{1,6})$/.exec(hash);
  return found && Number(found[1]) in played ? Number(found[1]) : 0;
}

const steps = STEPS.map(([text, name, , key, act]) =>
  button(text, act, {title: `${name} (${key})`, "aria-label": name}),
);
stage.replaceChildren(
  board.element,
  el("div", {class: "steps", role: "group", "aria-label": t("Steps")}, steps),
  caption,
);
part(".text").replaceChildren(
  el("h2", null, t("Expected result of Black")),
  graph.element,
  el("h2", null, t("Moves")),
  moves.element,
);
graph.show(played);
board.onmove = move => tree.play(move);
tree.on("node", () => {
  show();
  if (plyOf(location.hash) === plyShown()) return;
  try {
    history.replaceState(null, "", `#p${plyShown()}`);
  } catch {
    // some browsers refuse this for files
  }
});
go(plyOf(location.hash));
addEventListener("hashchange", () => go(plyOf(location.hash)));

part(".words").addEventListener("click", reveal);
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = STEPS.find(([, , key]) => key === event.key);
  if (step) {
    event.preventDefault();
    step[4]();
  }
});
