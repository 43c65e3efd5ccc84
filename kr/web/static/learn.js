// Puzzles: the solver's moves are judged by the server one by one. What has been solved is kept in the browser.

import {button, el} from "./dom.js";
import {lineBoard, option, pause} from "./line.js";
import {many} from "./texts.js";

const MOST_SHOWN = 200;
const BY = {
  database: "by the endgame database", solution: "by the published solution", search: "by kr's search",
};
const SIDES = {black: "Black", white: "White"};

// progress by FEN, so that a puzzle is known again whatever it is called: {tries, hints, solved, likely}; likely if
// one of the right moves was known by a search alone, so that nothing proves it
function progress(app) {
  const all = app.kept("puzzles", {});
  return {
    of: fen => all[fen] || {tries: 0, hints: 0, solved: false},
    count(fen, what, likely = false) {
      const found = all[fen] = {...this.of(fen)};
      if (what === "solved") Object.assign(found, {likely: likely && (!found.solved || found.likely), solved: true});
      else found[what] += 1;
      app.keep("puzzles", all);
    },
  };
}

const today = () => {
  const now = new Date(), two = number => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
};

export function page(app) {
  const stage = lineBoard(app, "Board of the puzzle"), {board} = stage;
  const done = progress(app);
  let puzzles = [], daily = "", day = "";
  let active = false, puzzle = null, asked = 0, step = 0, over = false, busy = false, searched = false;

  const title = el("h2", {class: "title"}), task = el("p", {class: "turn"});
  const verdict = el("p", {class: "verdict", role: "status"});
  const about = el("p", {class: "muted"}), counts = el("p", {class: "muted"});
  const hint = button("Hint", showHint);
  const solution = button("Solution", showSolution);
  const retry = button("Start again", () => load(puzzle.id));
  const next = button("Next unsolved", () => open(nextUnsolved()));
  const ofDay = button("Puzzle of the day", () => open(daily));
  const analyse = button("Analyse",
    () => app.open(stage.document({Event: puzzle.title}), stage.moves.map(() => 0), stage.board.flipped));
  const buttons = [hint, solution, retry, analyse];

  // --- the list

  const goal = el("select", {onchange: showList}, option("", "Wins and draws"), option("win", "Wins"),
    option("draw", "Draws"));
  const pieces = el("select", {onchange: showList}, option("2-32", "Any number of pieces"),
    option("2-5", "Up to 5 pieces"),
    option("6-8", "6 to 8 pieces"), option("9-32", "9 pieces or more"));
  const state = el("select", {onchange: showList}, option("", "Solved or not"), option("no", "Not solved"),
    option("yes", "Solved"));
  const origin = el("select", {onchange: showList}, option("", "All puzzles"), option("classic", "Classic positions"),
    option("own", "Problem files"));
  const labelled = (name, select) => {
    select.setAttribute("aria-label", name);
    return select;
  };
  const list = el("ul", {class: "found puzzles"});
  const found = el("p", {class: "muted"});
  const listing = el("section", {"aria-label": "All puzzles"}, el("h2", null, "All puzzles"),
    el("div", {class: "row"}, labelled("Goal", goal), labelled("Pieces", pieces), labelled("Progress", state),
      labelled("Origin", origin)),
    found, list);

  function matching() {
    const [low, high] = pieces.value.split("-").map(Number);
    return puzzles.filter(each =>
      (!goal.value || each.goal === goal.value) && low <= each.pieces && each.pieces <= high &&
      (!state.value || done.of(each.fen).solved === (state.value === "yes")) &&
      (!origin.value || each.classic === (origin.value === "classic")));
  }

  function showList() {
    const matches = matching();
    found.textContent = `${matches.length} of ${puzzles.length}` +
      (matches.length > MOST_SHOWN ? `; the first ${MOST_SHOWN} are shown` : "");
    list.replaceChildren(...matches.slice(0, MOST_SHOWN).map(each => {
      const {solved, tries} = done.of(each.fen);
      const words = [each.goal || "win or draw?", many(each.pieces, "piece")];
      if (solved) words.push("solved");
      else if (tries) words.push("tried");
      return el("li", null, button([solved ? "✓ " : "", each.title,
        el("span", {class: "muted"}, ` ${words.join(", ")}`)],
        () => open(each.id), {"aria-current": Boolean(puzzle) && puzzle.id === each.id && "true"}));
    }));
    const solved = puzzles.filter(each => done.of(each.fen).solved);
    const clean = solved.filter(each => !done.of(each.fen).tries && !done.of(each.fen).hints);
    const likely = solved.filter(each => done.of(each.fen).likely).length;
    counts.textContent = !solved.length ? `None of ${many(puzzles.length, "puzzle")} solved so far.` :
      `${solved.length} of ${puzzles.length} solved, ${clean.length} of them without a wrong move or a hint; ` +
      `${solved.length - likely} by moves that are proved or published, ${likely} likely, by kr's search.`;
    ofDay.textContent = "Puzzle of the day" +
      (puzzles.some(each => each.id === daily && done.of(each.fen).solved) ? " ✓" : "");
  }

  function nextUnsolved() {
    const matches = matching(), here = puzzle ? puzzles.findIndex(each => each.id === puzzle.id) : -1;
    const after = each => puzzles.indexOf(each) > here;
    const open = matches.filter(each => !done.of(each.fen).solved && !(puzzle && each.id === puzzle.id));
    const chosen = open.find(after) || open[0];
    return chosen && chosen.id;
  }

  // --- a puzzle

  function open(id) {
    if (!id) tell("", "Nothing unsolved is left in the list below.");
    else if (puzzle && puzzle.id === id) load(id);
    else app.go("learn", encodeURIComponent(id));
  }

  function tell(mark, text) {
    verdict.textContent = mark ? `${mark} ${text}` : text;
    verdict.className = `verdict ${{"✓": "good", "✗": "bad"}[mark] || ""}`;
  }

  async function load(id) {
    const number = ++asked;
    stage.hold(true);
    try {
      const started = await app.api("puzzles/start", {id});
      if (number !== asked) return;
      puzzle = started;
      over = busy = searched = false;
      step = 0;
      title.textContent = (puzzle.id === daily ? "Puzzle of the day: " : "") + puzzle.title;
      task.textContent = `${SIDES[puzzle.solver]} to play and ${puzzle.goal}` +
        (puzzle.goal_by === "search" ? ` (likely by kr's search: ${Math.round(100 * puzzle.goal_chance)}%)` : "");
      showAbout();
      tell("", puzzle.moves.length ?
        `${SIDES[puzzle.solver === "black" ? "white" : "black"]} has played ${puzzle.moves[0].text}.` : "");
      stage.begin(puzzle.start, puzzle.moves, puzzle.solver);
      stage.allow(puzzle.position.moves);
      showButtons();
      showList();
    } catch (error) {
      if (number !== asked) return;
      stage.hold(false);
      tell("", error.message);
    }
  }

  // where a puzzle comes from tells at times what its answer is
  function showAbout() {
    about.textContent = [puzzle.author, over && puzzle.source].filter(Boolean).join(". ");
  }

  function showButtons() {
    for (const each of buttons) each.disabled = !puzzle;
    if (puzzle) hint.disabled = solution.disabled = over || busy;
    hint.textContent = step ? "Show the move" : "Hint";
    next.classList.toggle("primary", over);
  }

  board.onmove = async move => {
    const number = asked, length = stage.length, value = puzzle.goal;
    stage.play(move);
    tell("", `${move.text} …`);
    busy = true;
    showButtons();
    try {
      const answer = await app.api("puzzles/answer", {id: puzzle.id, moves: stage.moves});
      if (number !== asked) return;
      step = 0;
      if (answer.kept) {
        searched ||= answer.by === "search";
        if (answer.reply) {
          await pause();
          if (number !== asked) return;
          stage.play(answer.reply);
        }
        tell("✓", `${move.text} is right, ${BY[answer.by]}.` + (answer.reply ? ` Reply: ${answer.reply.text}.` : ""));
        busy = false;
        if (answer.ended) finish(answer, move);
        else stage.allow(answer.position.moves);
      } else {
        busy = false;
        stage.cut(length);
        if (answer.kept === false) {
          done.count(puzzle.start, "tries");
          tell("✗", `${move.text} ${value === "win" ? "does not win" : "gives the draw away"}, ${BY[answer.by]}. ` +
            "Try another move.");
          showList();
        } else {
          tell("?", `${move.text} ${puzzle.published ? "is not the published move, and " : ""}may keep the ${value}: ` +
            "kr can't tell. Try another move; this one does not count.");
        }
      }
      showButtons();
    } catch (error) {
      if (number !== asked) return;
      busy = false;
      stage.cut(length);
      showButtons();
      tell("", error.message);
    }
  };

  function finish({solved, ended}, move) {
    over = true;
    if (solved) {
      done.count(puzzle.start, "solved", searched);
      tell("✓", `${move.text}: solved, ${ended}.`);
    } else {
      done.count(puzzle.start, "tries");
      tell("✗", `Not solved: ${ended}. Start again.`);
    }
    showAbout();
    showList();
  }

  // what comes for a line that has gone on since is not about it
  const asking = () => {
    const number = asked, line = stage.moves.join();
    return {get isStale() { return number !== asked || line !== stage.moves.join(); }};
  };

  async function showHint() {
    const errand = asking();
    if (!stage.isLast) stage.go(stage.length);
    try {
      const found = await app.api("puzzles/hint", {id: puzzle.id, moves: stage.moves, whole: step > 0});
      if (errand.isStale) return;
      if (!step) done.count(puzzle.start, "hints");
      if (found.move) {
        board.arrows([{path: found.move.path, kind: "best"}]);
        tell("", `${found.move.text} is right, ${BY[found.by]}.`);
      } else {
        board.outline([found.square]);
        tell("", `The piece on ${found.square} can make a right move.`);
      }
      step = 1;
      showButtons();
      showList();
    } catch (error) {
      if (!errand.isStale) tell("", error.message);
    }
  }

  async function showSolution() {
    const errand = asking();
    try {
      const found = await app.api("puzzles/solution", {id: puzzle.id, moves: stage.moves});
      if (errand.isStale) return;
      done.count(puzzle.start, "hints");
      over = true;
      stage.add(found.moves, true);
      tell("", `The ${found.by === "solution" ? "published solution" : `solution ${BY[found.by]}`}: ` +
        `${found.moves.map(move => move.text).join(" ")}. Step through it by › or the list.`);
      showAbout();
      showButtons();
      showList();
    } catch (error) {
      if (!errand.isStale) tell("", error.message);
    }
  }

  app.onback(() => {
    if (active && !puzzle) enter("");
  });
  showButtons();
  const element = el("div", {class: "study learn"},
    el("div", {class: "stage"}, title, task, stage.element, verdict),
    el("div", {class: "beside"},
      el("div", {class: "row", role: "group", "aria-label": "Puzzle"}, hint, solution, retry, next, ofDay, analyse),
      stage.list, about, counts, listing));

  let entries = 0;
  async function enter(rest) {
    const entry = ++entries;
    active = true;
    if (stage.length) stage.reveal();
    let id = "";
    try {
      id = decodeURIComponent(rest);
    } catch {
      // a damaged address leads to the puzzle of the day
    }
    try {
      // a page that is open overnight gets the next day's puzzle
      if (!puzzles.length || day !== today()) {
        const date = today(), answer = await app.api("puzzles/list", {date});
        if (entry !== entries) return;
        ({puzzles, daily} = answer);
        day = date;
        origin.hidden = puzzles.every(each => each.classic);
        showList();
      }
      if (!puzzle || (id && id !== puzzle.id)) await load(id || daily);
    } catch (error) {
      tell("", error.message);
    }
  }

  return {name: "learn", title: "Learn", element, enter, leave() { active = false; }};
}
