// Endings against exact play: random positions of a material, won or held move by move.

import {button, el} from "./dom.js";
import {lineBoard, option, pause} from "./line.js";
import {many} from "./texts.js";

// pieces and kings of the person, pieces and kings of kr; null: any number of kings
const MATERIALS = [
  ["2 kings v 1 king", [2, 2, 1, 1]], ["2 v 1", [2, null, 1, null]], ["1 v 2", [1, null, 2, null]],
  ["2 v 2", [2, null, 2, null]],
  ["3 kings v 1 king", [3, 3, 1, 1]], ["3 kings v 2 kings", [3, 3, 2, 2]], ["3 v 2", [3, null, 2, null]],
  ["2 v 3", [2, null, 3, null]], ["3 v 3", [3, null, 3, null]], ["4 v 3", [4, null, 3, null]],
];
const OWN = "own";
const WHY = {
  "no pieces left": "no piece is left", "no legal move": "no move is left",
  "repetition": "the same position for the third time",
  "no progress": "40 moves each without a capture or a man's move",
};
const SIDES = {black: "Black", white: "White"};
const plies = count => many(count, "ply", "plies");
const sum = ([own, , other]) => own + other;

export function page(app) {
  const stage = lineBoard(app, "Board of the ending"), {board} = stage;
  let active = false, known = null, ending = null, asked = 0, over = false, waiting = false;
  let slips = 0, started = false;
  let marks = [];          // counts by the length of the line, where the person is to move

  const task = el("p", {class: "turn"}), verdict = el("p", {class: "verdict", role: "status"});
  const counts = el("p", {class: "muted"}), stats = el("p", {class: "muted"});
  const values = el("ul", {class: "values", "aria-label": "Exact values"});
  const back = button("Take back", takeBack), on = button("Play on", () => send(true));
  const show = button("Exact values", showValues);
  const again = button("Same again", () => begin(ending.start));
  const analyse = button("Analyse",
    () => app.open(stage.document({Event: `Ending, ${ending.goal}`}), stage.moves.map(() => 0), stage.board.flipped));
  const distances = el("input", {type: "checkbox", checked: app.kept("endings-distances", false), onchange() {
    app.keep("endings-distances", distances.checked);
    showCounts();
  }});

  // --- choosing

  const kept = app.kept("endings-form", {});
  const field = (name, text, control) => {
    control.id = `endings-${name}`;
    return el("div", {class: "row"}, el("label", {for: control.id}, text), control);
  };
  const numbers = (from, to, any) => [
    ...(any ? [option("", "any")] : []),
    ...Array.from({length: to - from + 1}, (_, i) => option(String(from + i), String(from + i))),
  ];
  const choice = (name, ...options) => {
    const select = el("select", null, options);
    if (options.some(each => each.value === kept[name])) select.value = kept[name];
    return select;
  };
  const goal = choice("goal", option("win", "Win it"), option("draw", "Hold the draw"));
  const material = el("select", {onchange: showOwn});
  const own = el("select", null), ownKings = el("select", null), other = el("select", null),
    otherKings = el("select", null);
  const chosen = el("div", {class: "chosen"}, field("own", "Your pieces", own),
    field("own-kings", "of them kings", ownKings),
    field("other", "kr's pieces", other), field("other-kings", "of them kings", otherKings));
  const difficulty = choice("difficulty", option("any", "any"), option("easy", "easy"), option("medium", "medium"),
    option("hard", "hard"));
  const side = choice("side", option("random", "by chance"), option("black", "Black"), option("white", "White"));
  const wrong = el("p", {role: "alert", class: "wrong"});
  const form = el("form", {class: "new-game", "aria-label": "New ending", onsubmit(event) {
    event.preventDefault();
    find();
  }},
  el("h2", null, "A new ending"), field("goal", "Task", goal), field("material", "Material", material), chosen,
  field("difficulty", "Difficulty", difficulty),
  el("p", {class: "muted"}, "Long wins are hard, and draws with a single right move."),
  field("side", "You play", side), wrong,
  el("div", {class: "row"}, el("button", {type: "submit", class: "primary"}, "New ending")));

  function showForm() {
    const most = known.pieces;
    material.replaceChildren(...MATERIALS.filter(([, pieces]) => sum(pieces) <= most).map(
      ([name]) => option(name, name)),
      option(OWN, "of your choice"));
    if ([...material.options].some(each => each.value === kept.material)) material.value = kept.material;
    own.replaceChildren(...numbers(1, most - 1));
    other.replaceChildren(...numbers(1, most - 1));
    ownKings.replaceChildren(...numbers(0, most - 1, true));
    otherKings.replaceChildren(...numbers(0, most - 1, true));
    [own.value, other.value] = ["2", "1"];
    showOwn();
  }
  function showOwn() { chosen.hidden = material.value !== OWN; }

  async function find() {
    wrong.textContent = "";
    app.keep("endings-form", {goal: goal.value, material: material.value, difficulty: difficulty.value,
      side: side.value});
    const number = select => select.value === "" ? null : Number(select.value);
    const [a, b, c, d] = material.value === OWN ? [own, ownKings, other, otherKings].map(number) :
      MATERIALS.find(([name]) => name === material.value)[1];
    const sides = ["black", "white"], errand = app.errand();
    try {
      const {position} = await app.api("endings/new", {
        own: a, own_kings: b, other: c, other_kings: d, goal: goal.value, difficulty: difficulty.value,
        side: sides.includes(side.value) ? side.value : sides[Math.floor(Math.random() * 2)],
        seed: Math.floor(Math.random() * 2 ** 32),
      });
      if (errand.isStale) return;
      if (position) app.go("endings", `${goal.value}/${position.fen}`);
      else wrong.textContent = "No such ending was found: try another difficulty or material.";
    } catch (error) {
      wrong.textContent = error.message;
    }
  }

  // --- playing

  function tell(mark, text) {
    verdict.textContent = mark ? `${mark} ${text}` : text;
    verdict.className = `verdict ${{"✓": "good", "✗": "bad"}[mark] || ""}`;
  }

  async function begin(start) {
    const number = ++asked;
    stage.hold(true);
    try {
      const [position, {moves}] = await Promise.all([app.position(start), app.api("endings/values", {fen: start})]);
      if (number !== asked) return;
      if (!moves.length) throw new Error(position.over || "This position is not in the endgame database.");
      const value = moves[0].value;
      ending = {start: position.fen, goal: value === "draw" ? "draw" : "win", side: position.side,
        distance: moves[0].distance};
      marks = [{left: ending.distance, quiet: 0, seen: 1}];
      over = waiting = started = false;
      slips = 0;
      const name = SIDES[ending.side];
      task.textContent = value === "loss" ? `${name} to play: lost, hold out as long as you can` :
        ending.goal === "win" ? `${name} to play and win` :
          `${name} to play and hold the draw for ${known.hold_moves} moves`;
      tell("", "");
      stage.begin(ending.start, [], ending.side);
      stage.allow(position.moves);
      hideValues();
      showButtons();
      showCounts();
    } catch (error) {
      if (number !== asked) return;
      stage.hold(false);
      tell("", error.message);
    }
  }

  function showButtons() {
    on.hidden = !waiting;
    back.disabled = !ending || stage.length === 0;
    show.disabled = !ending || over;
    again.disabled = analyse.disabled = !ending;
    back.classList.toggle("primary", waiting);
  }

  function showCounts() {
    if (!ending) return;
    const {left, quiet, seen} = marks.findLast(Boolean), words = [`${plies(stage.length)} played`];
    if (distances.checked && ending.distance !== null) words.push(
      `best play from the start: ${plies(ending.distance)}`);
    if (distances.checked && left !== null && !over) words.push(`left under best play: ${plies(left)}`);
    if (distances.checked && ending.distance === null && ending.goal === "win") words.push(
      "the length of this win is not in the database");
    words.push(`without progress: ${quiet} of ${plies(known.no_progress)}`,
      `this position: ${["", "first", "second", "third"][Math.min(seen, 3)]} time`);
    counts.textContent = `${words.join("; ")}.`;
  }

  function count(what) {
    const all = app.kept("endings-stats", {});
    const found = all[ending.goal] = {tried: 0, done: 0, clean: 0, ...all[ending.goal]};
    found[what] += 1;
    app.keep("endings-stats", all);
    showStats();
  }

  function showStats() {
    const all = app.kept("endings-stats", {});
    const words = [["win", "won"], ["draw", "held"]].filter(([goal]) => all[goal]).map(([goal, word]) => {
      const {tried, done, clean} = all[goal];
      return `${done} of ${many(tried, goal)} ${word}, ${clean} without a slip`;
    });
    stats.textContent = words.length ? `${words.join("; ")}.` : "None so far.";
  }

  board.onmove = move => {
    // an ending that is still looked for does not take the place of this one
    app.acted();
    stage.play(move);
    hideValues();
    if (!started) count("tried");
    started = true;
    send(false);
  };

  async function send(goOn) {
    const number = asked, move = stage.moves.at(-1);
    waiting = false;
    showButtons();
    try {
      const answer = await app.api("endings/move",
        {start: ending.start, moves: stage.moves, goal: ending.goal, on: goOn});
      if (number !== asked) return;
      let left = answer.value === "win" ? answer.distance : null;
      if (!answer.kept && !goOn) {
        slips += 1;
        waiting = !answer.over;
        const better = answer.better.map(each => each.text), now = answer.value === "loss" ? "lost" : "a draw";
        tell("✗", `${move} gives the ${answer.was} away: it is ${now} now. Take it back, or play on.` +
          (better.length > 1 ? ` ${better.length} other moves keep the ${answer.was}.` :
            ` One other move keeps the ${answer.was}.`));
      } else {
        if (answer.reply) {
          await pause();
          if (number !== asked) return;
          stage.play(answer.reply);
          if (left) left -= 1;
        }
        tell("", answer.reply ? `kr plays ${answer.reply.text}.` : "");
        if (!answer.over) stage.allow(answer.position.moves);
      }
      marks[stage.length] = {left, quiet: answer.quiet, seen: answer.seen};
      if (answer.over) finish(answer.over, answer.reply);
      showButtons();
      showCounts();
    } catch (error) {
      if (number !== asked) return;
      cut(stage.length - 1);
      tell("", error.message);
    }
  }

  function finish({result, why}, reply) {
    over = true;
    const last = reply ? `kr plays ${reply.text}. ` : "";
    const success = result === "won" || (ending.goal === "draw" && result !== "lost");
    if (success) {
      count("done");
      if (!slips) count("clean");
    }
    const word = {won: `won in ${plies(stage.length)}`, lost: "lost", drawn: "drawn", held: "held"}[result];
    const best = result === "won" && ending.distance !== null ? `; best play takes ${plies(ending.distance)}` : "";
    tell(success ? "✓" : "✗", `${last}You have ${word.replace(/^drawn/, "a draw")}: ${WHY[why] || why}${best}.` +
      (slips ? ` ${many(slips, "slip")}.` : ""));
  }

  // back to the person's last decision
  function takeBack() {
    app.acted();
    const mine = stage.length % 2 === 1;
    if (!waiting && !over) slips += 1;
    over = waiting = false;
    asked += 1;
    cut(stage.length - (mine ? 1 : 2));
    hideValues();
    tell("", "Taken back.");
  }

  function cut(length) {
    stage.cut(length);
    marks.length = length + 1;
    showButtons();
    showCounts();
  }

  function hideValues() {
    values.replaceChildren();
    board.arrows([]);
  }

  async function showValues() {
    const number = asked, fen = stage.fen;
    try {
      const {moves} = await app.api("endings/values", {fen});
      if (number !== asked || stage.fen !== fen) return;
      values.replaceChildren(...moves.map(each => el("li", null, el("b", null, each.text), ` ${each.value}` +
        (each.distance === null ? "" : ` in ${plies(each.distance)}`))));
      board.arrows(moves.filter(each => each.value === moves[0].value)
        .slice(0, 3).map(({path}, i) => ({path, kind: i ? "other" : "best"})));
    } catch (error) {
      if (number === asked) tell("", error.message);
    }
  }

  app.onback(() => {
    if (active && !ending) enter("");
  });
  on.hidden = true;
  showButtons();
  showStats();
  const element = el("div", {class: "study endings"},
    el("div", {class: "stage"}, task, stage.element, verdict),
    el("div", {class: "beside"},
      el("div", {class: "row", role: "group", "aria-label": "Ending"}, back, on, show, again, analyse),
      el("label", null, distances, " Tell how long the win takes"), counts, values, stage.list, form,
      el("h2", null, "Your endings"), stats));

  let entries = 0;
  async function enter(rest) {
    const entry = ++entries;
    active = true;
    if (stage.length) stage.reveal();
    try {
      if (!known) {
        const found = await app.api("endings/known");
        if (entry !== entries) return;
        known = found;
        if (known.pieces) {
          showForm();
        } else {
          form.hidden = true;
          task.textContent = "There is no endgame database here: kr egdb build makes one.";
        }
      }
      if (!known.pieces) return;
      // what the address says of the task is for people: the database knows it
      const start = decodeURIComponent(rest.split("/").slice(1).join("/"));
      if (start && !(ending && ending.start === start)) await begin(start);
      else if (!ending) await find();
    } catch (error) {
      tell("", error.message);
    }
  }

  return {name: "endings", title: "Endings", element, enter, leave() {
    active = false;
    entries += 1;
  }};
}
