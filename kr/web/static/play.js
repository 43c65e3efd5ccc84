// Playing against kr: a form for a new game, and the game. The game and its clocks are the server's; this page shows
// them. What it keeps brings the game back after a reload, or when the server has been started again.

import {Board} from "./board.js";
import {button, el, visible} from "./dom.js";
import {within} from "./line.js";
import {START} from "./setup/fen.js";
import {finder} from "./setup/finder.js";
import {many} from "./texts.js";

const REPLY_MS = 350, SURE_MS = 4000;
const CLOCKS = ["1+1", "3+2", "5+3", "10+5", "30+20"];
const SIDES = ["black", "white"];
const NAMES = {black: "Black", white: "White"};
// [the person has won, kr has won]
const REASONS = {
  "resignation": ["kr resigns", "you resigned"],
  "time forfeit": ["kr's time is up", "your time is up"],
  "no pieces left": ["kr has no piece left", "you have no piece left"],
  "no legal move": ["kr can't move", "you can't move"],
};
const DRAWS = {
  "repetition": "the same position for the third time",
  "no progress": "40 moves each without a capture or a man's move",
  "agreement": "agreed",
};
const other = side => side === "black" ? "white" : "black";
const option = (value, text = value) => el("option", {value}, text);
const percent = share => `${Math.round(100 * share)}%`;

function clockText(seconds) {
  if (seconds < 10) return Math.max(seconds, 0).toFixed(1);
  const whole = Math.ceil(seconds), rest = String(whole % 60).padStart(2, "0");
  return whole < 3600 ? `${Math.floor(whole / 60)}:${rest}` :
    `${Math.floor(whole / 3600)}:${String(Math.floor(whole / 60) % 60).padStart(2, "0")}:${rest}`;
}

function field(name, text, control, ...others) {
  control.id = `play-${name}`;
  return el("div", {class: "row"}, el("label", {for: control.id}, text), control, others);
}

function opponent({level, generation}) {
  return generation !== undefined ? `evolved, generation ${generation}` : level ? `kr, level ${level}` :
    "kr, like people";
}

function newGame(app, begin) {
  const kept = app.kept("play-form", {});
  const words = el("p", {class: "muted", id: "level-words"});
  let told = [];
  const level = el("select", {"aria-describedby": "level-words", onchange: tell},
    Array.from({length: 10}, (_, i) => option(String(i + 1))), option("0", "people, without search"),
    option("evolved", "an evolved player"));
  level.value = kept.level || "3";
  const generation = el("select", {"aria-label": "Generation"});
  function tell() {
    generation.hidden = level.value !== "evolved";
    if (!told.length) return;
    if (!generation.hidden) {
      words.textContent = "A network that evolved from random numbers, by nothing but who won; the later its " +
        "generation, the longer it has. It looks four plies ahead.";
      return;
    }
    const own = told[level.value].words;
    words.textContent = level.value === "0" ? `People of recorded games: ${own}. Between levels 5 and 6.` :
      `Level ${level.value}: ${own}. Each level beats the one below about three times in four.`;
  }
  tell();
  const side = el("select", null, option("black", "Black, who begins"), option("white", "White"),
    option("random", "by chance"));
  side.value = kept.side || "black";

  let ballot = "";
  const chosen = el("p", {role: "status"});
  const ballots = finder(app, (deck, number, title) => {
    ballot = `${deck} ${number}`;
    chosen.textContent = `${deck === "3move" ? "Three-move" : "11-man"} ballot ${title}`;
  });
  const found = el("div", null, ballots.element, chosen);
  const fen = el("input", {type: "text", class: "fen", spellcheck: "false", autocomplete: "off",
    "aria-label": "FEN of the position"});
  const opening = el("select", {onchange: showOpening}, option("", "the start"),
    option("3move", "three-move ballot by lot"),
    option("11man", "11-man ballot by lot"), option("ballot", "a ballot of your choice"), option("fen", "a position"));
  opening.value = ["3move", "11man"].includes(kept.opening) ? kept.opening : "";
  function showOpening() {
    found.hidden = opening.value !== "ballot";
    fen.hidden = opening.value !== "fen";
    if (!found.hidden) ballots.search();
    if (!fen.hidden && !fen.value) fen.value = app.tree.node.fen;
  }
  const clock = el("select", {onchange: showClock}, option("", "none"), CLOCKS.map(text => option(text)),
    option("other", "another"));
  clock.value = ["", ...CLOCKS].includes(kept.clock) ? kept.clock : "";
  const own = el("input", {type: "text", size: 6, placeholder: "15+10", "aria-label": "Minutes + seconds a move"});
  function showClock() { own.hidden = clock.value !== "other"; }
  const casual = el("input", {type: "checkbox", checked: kept.casual !== false});
  const wrong = el("p", {role: "alert", class: "wrong"});

  const element = el("form", {class: "new-game", "aria-label": "New game", onsubmit(event) {
    event.preventDefault();
    wrong.textContent = "";
    if (opening.value === "ballot" && !ballot) {
      wrong.textContent = "Choose a ballot in the list first.";
      return;
    }
    app.keep("play-form", {level: level.value, generation: generation.value, side: side.value, opening: opening.value,
      clock: clock.value, casual: casual.checked});
    begin({
      ...(level.value === "evolved" ? {generation: Number(generation.value)} : {level: Number(level.value)}),
      side: side.value, ballot: {ballot, fen: fen.value}[opening.value] ?? opening.value,
      clock: clock.value === "other" ? own.value : clock.value,
    }, casual.checked);
  }},
  el("h2", null, "New game"),
  field("level", "Level", level, generation), words,
  field("side", "You play", side),
  field("opening", "From", opening), found, fen,
  field("clock", "Clock", clock, own),
  el("p", {class: "muted"}, "5+3: five minutes for the game and three seconds for each move; " +
    "another: 40/2h:1h, G/45;d5. Without a clock kr takes a second a move at most."),
  el("label", null, casual, " Hints and taking moves back"),
  wrong,
  el("div", {class: "row"}, el("button", {type: "submit", class: "primary"}, "Play")));
  showOpening();
  showClock();
  return {
    element,
    fail(message) { wrong.textContent = message; },
    async show() {
      if (told.length) return;
      try {
        const known = await app.api("play/levels");
        told = known.levels;
        generation.append(...known.generations.map(each => option(String(each), `generation ${each}`)));
        generation.value = kept.generation || String(known.generations.at(-1));
        tell();
      } catch (error) {
        app.fail(error.message);
      }
    },
  };
}

export function page(app) {
  const board = new Board({label: "Board of your game", say: app.say, refuse: app.fail,
    numbers: app.kept("numbers", true)});
  let active = false;      // the page is shown
  let stream = null;       // the game as the server tells it
  let game = null, casual = true, you = "black";
  let state = null;        // the last one heard; null while nothing can be done
  let looked = null;       // number of moves before an earlier position that is looked at
  let movedAt = 0, heardAt = 0, ticking = 0, sure = 0;
  let lostGame = "";       // the game that goes on when the server answers again

  // --- what is seen

  const seats = {};
  for (const side of SIDES) {
    const name = el("span", {class: "name"}),
      clock = el("span", {class: "clock", role: "timer", "aria-label": `${NAMES[side]}'s clock`});
    seats[side] = {name, clock, element: el("div", {class: "seat"}, name, clock)};
  }
  const above = el("div"), below = el("div");
  const turn = el("p", {class: "turn", role: "status"});
  const note = el("p", {class: "muted", role: "status"});
  const opening = el("p", {class: "muted"});
  const list = el("ol", {class: "played", "aria-label": "Moves", tabindex: 0,
    onclick: event => look(Number(event.target.dataset.ply))});
  const steps = el("div", {class: "steps", role: "group", "aria-label": "Steps"},
    button("⇤", () => look(0), {title: "Start (Home)", "aria-label": "Start"}),
    button("‹", () => step(-1), {title: "Back (←)", "aria-label": "Back"}),
    button("›", () => step(1), {title: "Forward (→)", "aria-label": "Forward"}),
    button("⇥", () => look(Infinity), {title: "Now (End)", "aria-label": "Now"}),
    button("Flip", flip, {title: "Turn the board (f)"}));
  const hint = button("Hint", () => tell("hint", {ply: state.ply}));
  const undo = button("Take back", () => tell("undo"));
  const draw = button("Offer a draw", () => tell("draw"));
  const resign = button("Resign", askResign);
  const rematch = button("Rematch, colours swapped", () => {
    begin({...game.settings, side: other(game.settings.side)}, casual);
  }, {class: "primary"});
  const analyse = button("Analyse",
    () => app.open(game.document, game.document.nodes.slice(1).map(() => 0), board.flipped));
  const again = button("New game", () => { showForm(true); form.element.querySelector("select").focus(); });
  const form = newGame(app, begin);
  const shown = el("div", {class: "game"},
    el("div", {class: "row", role: "group", "aria-label": "Game"}, hint, undo, draw, resign, rematch, analyse, again),
    note, opening, list);
  const element = el("div", {class: "play"},
    el("div", {class: "stage"}, above, board.element, below, turn, steps),
    el("div", {class: "beside"}, shown, form.element));

  function showForm(on) {
    form.element.hidden = !on;
    if (on) form.show();
  }

  function showSeats() {
    const bottom = board.flipped ? "black" : "white";
    above.replaceChildren(seats[other(bottom)].element);
    below.replaceChildren(seats[bottom].element);
  }

  function showButtons() {
    const going = Boolean(game && !game.over), may = going && state !== null;
    shown.hidden = steps.hidden = !game;
    element.classList.toggle("begun", Boolean(game));
    for (const each of [hint, undo]) each.hidden = !going || !casual;
    for (const each of [draw, resign]) each.hidden = !going;
    rematch.hidden = !game || going;
    analyse.hidden = going && !casual;
    hint.disabled = !may || !state.moves.length;
    undo.disabled = draw.disabled = resign.disabled = !may;
    draw.textContent = may && state.offer ? "Accept the draw" : "Offer a draw";
    draw.classList.toggle("primary", Boolean(may && state.offer));
    resign.textContent = "Resign";
    reveal();
  }

  function showClocks() {
    const clocks = state && state.clocks;
    for (const [i, side] of SIDES.entries()) {
      let left = clocks ? clocks[i] : null;
      if (left !== null && state.ticking === side) left -= (performance.now() - heardAt) / 1000;
      if (left !== null && game.over && game.over.reason === "time forfeit" && game.over.winner !== side) left = 0;
      const text = left === null ? "" : clockText(left), {clock} = seats[side];
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("ticking", Boolean(state && state.ticking === side));
      clock.classList.toggle("short", left !== null && left < 20);
    }
  }

  function keepTicking() {
    clearInterval(ticking);
    if (active && state && state.ticking) ticking = setInterval(showClocks, 100);
  }

  function showMoves() {
    const rows = [], {nodes, start} = game.document;
    for (let i = 1, first = start[0] === "W" ? 1 : 0; i < nodes.length; i += 2 - first, first = 0) {
      const pair = nodes.slice(i, i + 2 - first).flatMap((node, j) =>
        [" ", el("span", {"data-ply": i + j}, node.text)]);
      rows.push(el("li", null, first ? "…" : "", pair));
    }
    list.replaceChildren(...rows);
    reveal();
  }

  // the newest move is in sight, or the earlier one that is looked at
  function reveal() {
    const at = list.querySelector(".at");
    if (at) within(list, at);
    else list.scrollTop = list.scrollHeight;
  }

  const last = () => game.document.nodes.at(-1);

  // the game as it stands, or the earlier position that is looked at
  function showBoard(animate = false) {
    const node = looked === null ? last() : game.document.nodes[looked];
    board.show(node.fen, {moves: looked === null && state ? state.moves : [], last: node.path || null, animate});
    for (const move of list.querySelectorAll("span")) {
      const at = looked === Number(move.dataset.ply);
      move.classList.toggle("at", at);
      at ? move.setAttribute("aria-current", "true") : move.removeAttribute("aria-current");
    }
    reveal();
    if (looked !== null) turn.textContent = looked ?
      `After ${node.text}, ${looked} of ${many(game.document.nodes.length - 1, "move")}.` : "The start.";
    else if (game.over) showOver();
    else if (state) showTurn();
  }

  function look(ply) {
    if (!game || Number.isNaN(ply)) return;
    const end = game.document.nodes.length - 1;
    looked = ply < end ? Math.max(ply, 0) : null;
    board.arrows([]);
    showBoard();
  }

  function step(by) {
    if (game) look((looked ?? game.document.nodes.length - 1) + by);
  }

  function flip() {
    board.flip();
    showSeats();
  }

  const keys = {ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => look(0), End: () => look(Infinity),
    f: flip};
  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select") ||
      !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }

  // the whole game, as the server has it or as it was kept here
  function showGame(told) {
    const another = !game || game.id !== told.id;
    game = told;
    you = game.settings.side;
    if (another) board.flip(you === "black");
    for (const side of SIDES) {
      seats[side].name.textContent = `${side === you ? "You" : opponent(game.settings)} (${NAMES[side]})`;
    }
    opening.textContent = visible(game.document.headers.Opening || "");
    state = game.over && state ? {...state, ticking: null, moves: []} : null;
    looked = null;
    board.arrows([]);
    showSeats();
    showMoves();
    showBoard(Boolean(game.over));
    showClocks();
    showButtons();
    if (another || game.over) showForm(Boolean(game.over));
    if (game.over) note.textContent = "";
    keep();
  }

  function showOver() {
    const {winner, reason, result} = game.over;
    const why = winner === null ? DRAWS[reason] : (REASONS[reason] || [])[winner === you ? 0 : 1];
    turn.textContent = (winner === null ? "A draw" : winner === you ? "You win" : "kr wins") +
      `: ${why || reason}. ${result}`;
  }

  function showTurn() {
    const nodes = game.document.nodes, played = nodes.length > 1 ? last().text : "";
    if (state.thinking) turn.textContent = (played ? `You play ${played}. ` : "") + "kr is thinking …";
    else if (state.advising) turn.textContent = "kr is looking for a hint …";
    else {
      turn.textContent = `${played ? `kr plays ${played}. ` : ""}Your move.` +
        (state.offer ? " kr offers a draw: accept it, or play on." : "");
    }
  }

  const keep = () => app.keep("play", {game, casual});

  // --- the server

  function tell(what, others = {}) {
    if (stream) stream.say({do: what, ...others});
  }

  board.onmove = move => {
    if (!state || !state.moves.length) return;
    tell("move", {ply: state.ply, path: move.path});
    state = {...state, moves: []};
    movedAt = performance.now();
    board.arrows([]);
    board.show(move.fen, {last: move.path, animate: true});
    note.textContent = "";
    showButtons();
  };

  board.onidle = () => !game || game.over ? "" :
    looked !== null ? "This is an earlier position: End, or ⇥, leads to the game"
    : state?.thinking ? "It is kr's move" : "";

  function askResign() {
    clearTimeout(sure);
    if (resign.textContent === "Resign") {
      resign.textContent = "Resign: sure?";
      sure = setTimeout(() => { resign.textContent = "Resign"; }, SURE_MS);
    } else {
      tell("resign");
    }
  }

  function begin(settings, hints) {
    connect(settings, () => {
      casual = hints;
      showButtons();
      app.go("play", game.id);
      board.focus();
    });
  }

  function find(id) {
    const kept = app.kept("play"), own = kept && kept.game.id === id;
    if (own) {
      casual = kept.casual;
      if (!game || game.id !== id) showGame(kept.game);
      if (game.over) return;
    }
    connect({game: id, ...(own ? {document: kept.game.document} : {})}, () => {});
  }

  // Opens the stream of a game, new or under way. onfirst: hears of the first event.
  function connect(asked, onfirst) {
    disconnect();
    let waiting = Promise.resolve(), begun = false;
    const mine = app.live("play", asked, event => { waiting = waiting.then(() => take(event)); });
    stream = mine;

    async function take(event) {
      if (event.move && event.move.side !== you) {
        // a reply is seen as one, after the move that it answers
        const rest = REPLY_MS - (performance.now() - movedAt);
        if (rest > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
          await new Promise(done => setTimeout(done, rest));
        }
      }
      if (stream !== mine) return;
      if (event.end) {
        stream = null;
      } else if (event.error !== undefined) {
        stream = null;
        state = null;
        fail(event, begun ? {game: game.id} : asked);
      } else {
        hear(event);
        if (!begun) {
          begun = true;
          onfirst();
        }
      }
    }
  }

  function disconnect() {
    lostGame = "";
    if (stream) stream.stop();
    stream = null;
  }

  function fail({error, lost}, asked) {
    if (lost && asked.game) {
      turn.textContent = `${error} The game goes on when it does.`;
      lostGame = asked.game;
    } else {
      showForm(true);
      form.fail(error);
      // the game before goes on
      if (!asked.game && game && !game.over) find(game.id);
      else turn.textContent = "";
    }
    if (game) {
      const told = turn.textContent;
      looked = null;
      showBoard();
      turn.textContent = told;
      keepTicking();
      showButtons();
    }
  }

  function hear(event) {
    if (event.game) {
      showGame(event.game);
    } else if (event.move) {
      takeMove(event.move);
    } else if (event.state) {
      state = event.state;
      heardAt = performance.now();
      looked = null;
      showBoard();
      showClocks();
      showButtons();
      keepTicking();
    } else if (event.hint) {
      const {path, text, win, draw: drawn, loss, value} = event.hint;
      board.arrows([{path, kind: "best"}]);
      note.textContent = `Hint: ${text}. ` +
        (value ? `A proved ${value}.` : `You win ${percent(win)}, draw ${percent(drawn)}, lose ${percent(loss)}.`);
    } else if (event.undo) {
      note.textContent = event.undo === 1 ? "One move taken back." : `${event.undo} moves taken back.`;
    } else if (event.offer) {
      note.textContent = event.offer === you ? "You offer a draw." : "kr offers a draw.";
    } else if (event.answer) {
      note.textContent = event.answer.replace(/^(Black|White)/, "kr");
    } else if (event.say) {
      note.textContent = event.say;
    }
  }

  function takeMove({ply, side, ...node}) {
    const {nodes} = game.document;
    if (nodes.length !== ply) return;
    nodes.push({parent: ply - 1, starting_comments: [], nags: [], ...node});
    looked = null;
    if (state) state = {...state, moves: [], thinking: side === you, advising: false, offer: false};
    board.arrows([]);
    showMoves();
    showBoard(true);
    movedAt = performance.now();
    if (side === you) note.textContent = "";
    keep();
  }

  app.onback(() => active && lostGame && find(lostGame));
  board.show(START);
  showSeats();
  showButtons();

  return {
    name: "play", title: "Play", element,
    enter(rest) {
      if (!active) document.addEventListener("keydown", press);
      active = true;
      reveal();
      if (stream && game && (!rest || rest === game.id)) return;
      const kept = app.kept("play"), id = rest || (kept && kept.game.id);
      showForm(!id);
      if (id) find(id);
    },
    leave() {
      active = false;
      document.removeEventListener("keydown", press);
      disconnect();
      clearInterval(ticking);
    },
  };
}
