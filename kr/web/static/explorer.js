// The panel Explorer: what was played in the position by the games of an archive, those games, and searches of them.

import {seen} from "./analysis/words.js";
import {button, el} from "./dom.js";
import {many} from "./texts.js";

const WAIT_MS = 100;         // positions that are only passed are not asked for
const SCORE_MS = 400;
const TYPING_MS = 250;
const KEPT_SCORES = 200;
const RESULTS = [["", "any result"], ["1-0", "Black won"], ["0-1", "White won"], ["1/2-1/2", "drawn"],
  ["*", "unfinished"]];
const RESULT_WORDS = {"1-0": "Black won", "0-1": "White won", "1/2-1/2": "drawn", "0-0": "both lost",
  "*": "unfinished"};

const years = ({first, last}) => first === null ? "" : first === last ? String(first) : `${first}–${last}`;
const percent = (part, all) => all ? Math.round(100 * part / all) : 0;
const spoken = each => {
  const all = each.black + each.draws + each.white;
  return all ? `Black won ${percent(each.black, all)} %, drawn ${percent(each.draws, all)} %, ` +
    `White won ${percent(each.white, all)} %; ` +
    `Black's average ${Math.round(100 * each.average)} %` : "no results";
};

function bar(each) {
  const all = each.black + each.draws + each.white, parts = [each.black, each.draws, each.white];
  const shown = ["black", "draw", "white"].map((name, i) => {
    const part = el("span", {class: name});
    part.style.width = `${all ? 100 * parts[i] / all : 0}%`;
    return part;
  });
  return el("span", {class: "results", role: "img", "aria-label": spoken(each)}, el("span", {class: "bar"}, shown),
    el("span", {class: "numbers"},
      all ? parts.map((part, i) => `${"B=W"[i]} ${percent(part, all)}`).join(" ") : "–"));
}

export function panel(app) {
  const {tree} = app;
  let active = false, files = [], asked = 0, waiting = 0, scoring = null, opening = null, told = null, start = 0,
    last = "";
  const scores = new Map();

  // --- archives

  const message = el("div", {class: "state", role: "status"}), list = el("div", {class: "row"});
  const chosen = () => files.filter(file => file.chosen && file.open).map(file => file.number);

  function showFiles() {
    list.hidden = files.length < 2 && (!files.length || files[0].archive);
    const boxes = new Map([...list.querySelectorAll("input")].map(box => [Number(box.value), box]));
    if (boxes.size !== files.length) {
      list.replaceChildren(...files.map(
          file => el("label", null, el("input", {type: "checkbox", value: String(file.number), onchange(event) {
        choose(file.number, event.target.checked);
      }}), ` ${file.name}`)));
      return showFiles();
    }
    for (const file of files) boxes.get(file.number).checked = file.chosen;
    const lines = files.filter(file => file.chosen).map(file => {
      if (file.opening) return el("p", null, `Making the index of ${file.name}, once `,
        el("progress", {value: file.share, max: 1, "aria-label": `Index of ${file.name}`}),
        ` ${Math.round(file.share * 100)} %`);
      if (file.error) return el("p", {class: "failed"}, `${file.name}: ${file.error} `, button("Try again", open));
      if (!file.open) return [];
      const said = el("p", {class: "muted"}, `${file.name}: ${many(file.games, "game")}`);
      return file.left_out ? [said, el("details", {class: "muted"},
        el("summary", null, `${many(file.left_out, "game")} could not be read`),
        el("ul", null, file.complaints.map(text => el("li", null, text))))] : said;
    }).flat();
    if (!files.length) {
      lines.push(el("p", null, "Explore what was played by thousands of games: " +
        "name an archive of games in PDN when kr web is started, ",
        el("code", null, "kr web --archive FILE.pdn.xz")));
    } else if (!files.some(file => file.chosen)) {
      lines.push(el("p", null, "Choose a file to explore. Its games are indexed once."));
    }
    message.replaceChildren(...lines);
    body.hidden = !chosen().length;
  }

  function choose(number, on) {
    files.find(file => file.number === number).chosen = on;
    app.keep("explored", files.filter(file => file.chosen).map(file => file.name));
    open();
  }

  function take(state) {
    const kept = app.kept("explored"), before = new Map(files.map(file => [file.number, file.chosen]));
    files = state.archives.map(file => ({
      ...file, chosen: before.get(file.number) ??
        (kept && kept.includes(file.name) || file.archive && (!kept || state.archives.length === 1)),
    }));
    showFiles();
  }

  function open() {
    if (opening) opening.stop();
    opening = null;
    showFiles();
    const numbers = files.filter(file => file.chosen).map(file => file.number);
    if (!numbers.length) return;
    opening = app.live("explorer/open", {archives: numbers}, event => {
      if (event.archives) {
        const before = chosen().join();
        take(event);
        if (chosen().join() !== before) refresh(true);
      } else {
        opening = null;
        if (event.error && !event.lost) app.fail(event.error);
        if (event.end) refresh(true);
      }
    });
  }

  async function begin() {
    try {
      take(await app.api("explorer/archives"));
      if (active) open();
    } catch (error) {
      app.fail(error.message);
    }
  }

  // --- conditions

  const names = el("datalist", {id: "players"});
  let typing = 0;
  async function complete(event) {
    const wanted = event.target.value.trim();
    if (wanted.length < 2 || !chosen().length) return;
    const number = ++typing;
    try {
      const {players} = await app.api("explorer/players", {archives: chosen(), wanted: wanted.slice(0, 100)});
      if (number === typing) names.replaceChildren(
        ...players.map(each => el("option", {value: each.name}, many(each.games, "game"))));
    } catch {
      // names are only a help
    }
  }
  let later = 0;
  const change = () => {
    clearTimeout(later);
    later = setTimeout(() => refresh(true), TYPING_MS);
  };
  const input = (label, props) => {
    const made = el("input", {type: "text", maxlength: 100, autocomplete: "off", ...props});
    made.addEventListener("input", change);
    return {made, label: el("label", null, `${label} `, made)};
  };
  const first = input("Player", {list: "players", oninput: complete}),
    second = input("against", {list: "players", oninput: complete});
  const plays = el("select", {"aria-label": "Side of the player", onchange: change},
    el("option", {value: ""}, "either side"), el("option", {value: "black"}, "as Black"),
    el("option", {value: "white"}, "as White"));
  const event = input("Event", {}), year = input("Years", {placeholder: "1900-1950", size: 10}),
    ballot = input("Opening", {placeholder: "number, name, moves", maxlength: 400});
  const result = el("select", {"aria-label": "Result", onchange: change},
    RESULTS.map(([value, text]) => el("option", {value}, text)));
  const reversed = el("input", {type: "checkbox", onchange: change}),
    here = el("input", {type: "checkbox", checked: true, onchange: change});
  const form = el("form", {class: "search", onsubmit(submitted) {
    submitted.preventDefault();
    refresh(true);
  }, onreset: () => setTimeout(() => refresh(true))},
  el("div", {class: "row"}, first.label, plays, second.label),
  el("div", {class: "row"}, event.label, year.label, result, ballot.label, el("button", {type: "reset"}, "Clear")),
  names);
  const search = el("details", {class: "search"}, el("summary", null, "Search: player, event, year, result, opening"),
    form);

  function conditions() {
    const [one, other] = [first.made.value.trim(), second.made.value.trim()], side = plays.value;
    const opposite = {black: "white", white: "black"}[side];
    return {
      archives: chosen(), fen: tree.node.fen, reversed: reversed.checked, event: event.made.value,
      year: year.made.value,
      result: result.value, opening: ballot.made.value,
      ...(side ? {[side]: one, [opposite]: other} : {players: [one, other].filter(Boolean)}),
    };
  }

  // --- moves

  const total = el("p"), rows = el("tbody");
  const scored = el("input", {type: "checkbox", checked: app.kept("explorer-scores", true), onchange() {
    app.keep("explorer-scores", scored.checked);
    score();
  }});
  const table = el("table", {class: "tally"},
    el("thead", null, el("tr", null, ["Move", "Games", "Results %", "kr"].map(text => el("th", {scope: "col"}, text)))),
    rows);

  function showMoves() {
    const known = scores.get(told.fen) || {}, turned = app.kept("view", "mover") === "black" && told.side === "white";
    total.textContent = told.total.games
      ? [many(told.total.games, "game"), years(told.total), spoken(told.total)].filter(Boolean).join(" · ") :
        "No game of these came to this position.";
    rows.replaceChildren(...told.moves.map(move => {
      const found = known[move.text];
      const value = !found ? "" : found.score === null && !found.value ? "" :
        seen({...found, chances: null}, turned).text;
      const name = [move.text, many(move.games, "game"), move.games && spoken(move), years(move),
        value && `kr ${value}`].filter(Boolean).join(", ");
      return el("tr", {class: move.games ? null : "unplayed"},
        el("td", null, button(move.text, () => play(move), {"aria-label": `Play ${name}`})),
        el("td", null, move.games ? move.games.toLocaleString("en") : "–",
          el("span", {class: "numbers"}, years(move))),
        el("td", null, move.games ? bar(move) : ""), el("td", {class: "score"}, value));
    }));
  }

  function play(move) {
    tree.play({text: move.text, path: move.path, captured: move.captured, fen: move.fen});
    app.say(move.text);
  }

  function score() {
    if (scoring) scoring.stop();
    scoring = null;
    if (!active || !told || !scored.checked || !told.moves.length) return;
    const {fen} = told;
    if (scores.get(fen) && scores.get(fen).whole) return;
    const known = {};
    scores.set(fen, {});
    if (scores.size > KEPT_SCORES) scores.delete(scores.keys().next().value);
    scoring = app.live("explorer/scores", {fen}, event => {
      if (event.moves) {
        for (const [text, value] of Object.entries(event.moves)) known[text] =
          {...value, value: value.value || (known[text] || {}).value};
        scores.set(fen, {...known});
      } else {
        scoring = null;
        if (event.end) scores.set(fen, {...known, whole: true});
      }
      if (active && told && told.fen === fen) showMoves();
    });
  }

  // --- games

  const found = el("p"), gameRows = el("ol", {class: "behind"});
  const order = el("select", {"aria-label": "Order", onchange: () => listGames(0)},
    el("option", {value: "archive"}, "as in the archive"),
    el("option", {value: "newest"}, "newest first"), el("option", {value: "oldest"}, "oldest first"));
  const before = button("‹ Back", () => listGames(start - 20));
  const after = button("More ›", () => listGames(start + 20));
  const pages = el("div", {class: "row"}, before, after);

  function showGames(page) {
    start = page.start;
    found.textContent = !page.found ? "No games." :
      many(page.found, "game") + (page.found > 20 ? `, ${start + 1} to ${start + page.games.length}` : "");
    gameRows.setAttribute("start", start + 1);
    gameRows.replaceChildren(...page.games.map(game => {
      const side = [game.black || "?", game.white || "?"].join(" – ");
      const more = [game.event, game.date.replaceAll(/[.-]?\?+-?/g, ""), many(game.moves, "move"),
        game.turned && "colours reversed"].filter(Boolean).join(" · ");
      return el("li", null, button(`${side}  ${game.result}`, () => openGame(game),
        {"aria-label": `Open ${side}, ${RESULT_WORDS[game.result]}, ${more}`}),
        el("span", {class: "muted"}, more));
    }));
    pages.hidden = page.found <= 20;
    before.disabled = start === 0;
    after.disabled = start + 20 >= page.found;
  }

  async function listGames(from) {
    const number = ++asked;
    try {
      const page = await app.api("explorer/games",
        {...conditions(), here: here.checked, order: order.value, start: Math.max(0, from)});
      if (number === asked) showGames(page);
    } catch (error) {
      if (number === asked) app.fail(error.message);
    }
  }

  async function openGame(game) {
    const errand = app.errand();
    try {
      const {document, archive, line} = await app.api("explorer/game", {archive: game.archive, number: game.number});
      if (errand.isStale) return;
      app.open(document, Array(game.ply).fill(0));
      app.say(`Line ${line} of ${archive}${game.turned ? ": this position with colours reversed" : ""}`);
    } catch (error) {
      app.fail(error.message);
    }
  }

  // --- together

  async function refresh(again = false) {
    clearTimeout(waiting);
    if (!active || !chosen().length) return;
    const wanted = conditions(), key = JSON.stringify([wanted, here.checked]);
    if (key === last && !again) return;
    const number = ++asked;
    if (scoring) scoring.stop();
    scoring = null;
    try {
      const [moves, page] = await Promise.all([app.api("explorer/moves", wanted),
        app.api("explorer/games", {...wanted, here: here.checked, order: order.value})]);
      if (number !== asked || !active) return;
      last = key;
      told = moves;
      problem.textContent = "";
      showMoves();
      showGames(page);
      waiting = setTimeout(score, SCORE_MS);
    } catch (error) {
      if (number === asked) problem.textContent = error.message;
    }
  }

  const problem = el("p", {class: "failed", role: "alert"});
  const body = el("div", {hidden: true}, search, problem, total,
    el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Moves played here"}, table),
    el("div", {class: "row"}, el("label", null, scored, " kr's scores"),
      el("label", null, reversed, " also with colours reversed")),
    el("h2", null, "Games"), el("div", {class: "row"}, el("label", null, here, " at this position only"), order), found,
    gameRows, pages);
  tree.on("node", () => {
    clearTimeout(waiting);
    if (active) waiting = setTimeout(refresh, WAIT_MS);
  });
  app.onback(() => active && begin());

  return {
    name: "explorer", title: "Explorer", element: el("div", null, list, message, body), open: false,
    show() {
      active = true;
      last = "";
      begin();
    },
    hide() {
      active = false;
      clearTimeout(waiting);
      if (scoring) scoring.stop();
      if (opening) opening.stop();
      scoring = opening = null;
    },
  };
}
