// The page of an annotated game, without a server: the game stands in the page as JSON, its address names the position.

import {Board} from "./board.js";
import {button, el} from "./dom.js";
import {Graph, better, judgement, points, told} from "./graph.js";
import {MoveList, number, plain, sign, words} from "./moves.js";
import {GameTree} from "./tree.js";

const tree = new GameTree();
tree.load(JSON.parse(document.querySelector("#game").textContent).document);
const played = points(tree);

const board = new Board({say: text => { caption.append(el("p", null, text)); }});
const graph = new Graph({onpick: ply => go(ply)});
const moves = new MoveList(tree);
const caption = el("div", {class: "caption", "aria-live": "polite"});
const stage = document.querySelector(".stage");
const steps = [
  ["⇤", "Start (Home)", () => tree.start()], ["‹", "Back (←)", () => tree.back()],
  ["›", "Forward (→)", () => tree.next()],
  ["⇥", "End (End)", () => tree.end()], ["‹?", "Mark before (p)", () => tree.mark(-1)],
  ["?›", "Next mark (n)", () => tree.mark(1)],
  ["⇅", "Turn the board (f)", () => board.flip()],
];

// the last position of the game as it was played, on the way to the one that is shown
const plyShown = () => tree.line().findLast(node => played[node.ply]?.node === node).ply;

function go(ply) {
  tree.select(played[ply].node);
}

function show() {
  const {node} = tree;
  board.show(node.fen, {moves: node.children.filter(child => child.fen !== null), last: node.path, animate: true});
  board.drawings(node);
  board.arrows(better(node));
  graph.cursor(plyShown());
  const known = judgement(node) || {}, point = played[node.ply]?.node === node ? played[node.ply] : null;
  const label = node.parent ? `${number(node)} ${plain(node.text)}` : "Start";
  const comments = [...node.starting_comments, ...node.comments].map(text => plain(words(text))).filter(Boolean);
  caption.replaceChildren(
    el("p", {class: "move"}, label, el("span", {class: `sign ${known.kind || ""}`}, node.nags.map(sign).join(""))),
    node.draw && known.expected === undefined ?
      el("p", {class: "muted"}, `The game could be claimed drawn here: ${node.draw}.`) : "",
    el("p", {class: "muted"}, point || known.expected !== undefined ? told(point || known) : ""),
    ...comments.map(text => el("bdi", {class: "comment"}, text)));
}

// after a click far below the board, as on a phone, scrolls to it
function reveal() {
  const box = board.element.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight) stage.scrollIntoView({block: "start"});
}

// the ply that an address such as #p12 names, or the start
function plyOf(hash) {
  const found = /^#p(\d{1,6})$/.exec(hash);
  return found && Number(found[1]) in played ? Number(found[1]) : 0;
}

stage.replaceChildren(board.element, el("div", {class: "steps", role: "group", "aria-label": "Steps"},
  steps.map(([text, title, act]) => button(text, act, {title, "aria-label": title.replace(/ \(.*/, "")}))), caption);
document.querySelector(".text").replaceChildren(el("h2", null, "Expected result of Black"), graph.element,
  el("h2", null, "Moves"), moves.element);
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

document.querySelector(".words").addEventListener("click", reveal);
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = {
    ArrowLeft: () => tree.back(), ArrowRight: () => tree.next(), Home: () => tree.start(), End: () => tree.end(),
    n: () => tree.mark(1), p: () => tree.mark(-1), f: () => board.flip(),
  }[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
