// The panel of the whole game: every move judged while one watches, from the last to the first, and the marks put
// into it.

import {button, el} from "./dom.js";
import {Graph, WORDS, points, reportOf} from "./graph.js";

const LIMITS = [
  ["nodes=50000", "Quick: 50,000 nodes a search"], ["nodes=200000", "Normal: 200,000 nodes"],
  ["nodes=1000000", "Deep: 1 million nodes"],
  ["nodes=5000000", "Very deep: 5 million nodes"], ["seconds=0.3", "0.3 seconds a search"], ["seconds=1", "1 second"],
  ["seconds=3", "3 seconds"],
];
const SEVERAL = {inaccuracy: "inaccuracies", mistake: "mistakes", blunder: "blunders", only: "only moves"};

// the children to follow in a document so as to come to the same moves
function pathIn(document, moves) {
  const {nodes} = document, children = nodes.map(() => []), path = [];
  nodes.forEach((node, number) => { if (number) children[node.parent].push(number); });
  let at = 0;
  for (const text of moves) {
    const index = children[at].findIndex(number => nodes[number].text === text);
    if (index < 0) break;
    path.push(index);
    at = children[at][index];
  }
  return path;
}

function tableOf([names, ...rows]) {
  const cell = (text, i, side) => el("td", null, i === 0 && el("span", {class: `disc ${side}`, title: side}), text);
  return el("table", {class: "count"},
    el("thead", null, el("tr", null, names.map(name => el("th", {scope: "col"}, name)))),
    el("tbody", null, rows.map((cells, row) =>
      el("tr", null, cells.map((text, i) => cell(text, i, row ? "white" : "black"))))));
}

export function panel(app) {
  const {tree} = app;
  let shown = false, job = null, judging = null, list = [], sent = "";

  const graph = new Graph({onpick: ply => tree.select(list[ply].node)});
  const limit = el("select", {"aria-label": "Limit of each search",
    onchange: () => app.keep("judge-limit", limit.value)},
    LIMITS.map(([value, name]) => el("option", {value, selected: value === app.kept("judge-limit", "nodes=200000")},
      name)));
  const start = button("Analyse the game", () => job ? stop("Stopped.") : begin(), {class: "primary"});
  const before = button("‹ Mark", () => tree.mark(-1), {title: "Mark before (p)", "aria-label": "Mark before"});
  const after = button("Mark ›", () => tree.mark(1), {title: "Next mark (n)", "aria-label": "Next mark"});
  const progress = el("progress", {"aria-label": "Moves judged", hidden: true});
  const status = el("p", {class: "muted status-line"}), report = el("p"), table = el("div", {class: "scroll"});
  const element = el("div", null, el("div", {class: "row"}, limit, start, before, after), progress, status,
    el("p", {class: "muted"}, "Expected result of Black: 1 is a win, ½ a draw"), graph.element, table, report);

  const game = () => tree.main().map(node => node.text).join(" ");

  // what the comments of the game say; while it is judged, what is known by then
  function draw() {
    list = points(tree);
    if (judging) {
      for (const point of list) {
        Object.assign(point, {expected: null, kind: "", once: false, reason: ""}, judging.known.get(point.ply));
      }
    }
    if (!shown) return;
    // the table is not kept with the game
    report.textContent = table.hasChildNodes() || judging ? "" : reportOf(tree.root);
    graph.show(list);
    follow();
  }

  // the cursor stands at the last position of the game as it was played, on the way to the one that is shown
  function follow() {
    if (shown) graph.cursor(tree.line().findLast(node => list[node.ply]?.node === node).ply);
  }

  function counted() {
    const kinds = [...judging.known.values()].map(point => point.kind);
    const marks = Object.keys(WORDS).map(kind => [kind, kinds.filter(each => each === kind).length])
      .filter(([, count]) => count);
    const told = marks.map(([kind, count]) => `${count} ${count === 1 ? WORDS[kind] : SEVERAL[kind]}`);
    return [`${judging.known.size} of ${judging.total} moves`, ...told].join(", ");
  }

  function end(text) {
    job = null;
    start.textContent = "Analyse the game";
    progress.hidden = true;
    status.textContent = text;
  }

  function stop(why) {
    job.stop();
    end(`${why} ${counted()}.`);
  }

  function begin() {
    judging = {known: new Map(), total: tree.main().length - 1, game: game()};
    table.replaceChildren();
    start.textContent = "Stop";
    status.textContent = "Judging from the last move to the first.";
    progress.max = judging.total || 1;
    progress.value = 0;
    progress.hidden = false;
    const [name, value] = limit.value.split("=");
    job = app.live("annotate", {document: tree.document(), [name]: Number(value)}, hear);
    draw();
  }

  function hear(event) {
    if (event.moves) {
      for (const {ply, ...point} of event.moves) judging.known.set(ply, point);
      progress.value = judging.known.size;
      status.textContent = `${counted()}.`;
      draw();
    } else if (event.waits) {
      status.textContent = "All engines are busy; waiting for one.";
    } else if (event.judged) {
      sent = JSON.stringify(tree.document());
      job.say({document: tree.document()});
    } else if (event.document) {
      if (JSON.stringify(tree.document()) === sent) finish(event);
      else stop("The game was changed as the marks were put in, and stays as it is now: analyse it again.");
    } else if (event.error !== undefined) {
      end(event.error);
    }
  }

  function finish(event) {
    const line = tree.line().slice(1).map(node => node.text), said = counted();
    job = judging = null;
    tree.load(event.document, pathIn(event.document, line));
    end(`${said}. Marks and better lines stand among the moves; undo takes them out.`);
    table.replaceChildren(tableOf(event.table));
    report.textContent = "";
    app.say("The game is analysed.");
  }

  tree.on("game", () => {
    if (job) stop("Another game was opened.");
    judging = null;
    table.replaceChildren();
    status.textContent = "";
    draw();
  });
  tree.on("edit", () => {
    if (judging && game() !== judging.game) {
      if (job) stop("The moves of the game were changed.");
      judging = null;
    }
    draw();
  });
  tree.on("node", follow);

  return {
    name: "annotate", title: "Whole game", element, open: false,
    show() {
      shown = true;
      draw();
    },
    hide() { shown = false; },
  };
}
