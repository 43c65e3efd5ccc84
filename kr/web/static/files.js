// The panels of the game itself: its moves; opening, pasting, saving and sharing it; games of files to choose from.

import {button, el, many} from "./dom.js";
import {MoveList, plain} from "./moves.js";

const LARGEST_FILE = 2_900_000, LONGEST_TEXT = 2_000_000, LONGEST_LINK = 100_000, LONGEST_KEPT = 2_000_000;
const PAGE = 100;
const LINK = /#analyse\/g\/([\w-]+)(?:\/([\d.]*))?/;
const FIELDS = ["Black", "White", "Event", "Site", "Date", "Round"];
const RESULTS = {"*": "not finished", "1-0": "1-0, Black won", "0-1": "0-1, White won", "1/2-1/2": "½-½, drawn", "0-0": "0-0, both lost"};

const dated = date => date.replace(/(\.\?\?)+$/, "");

// --- the game in a link: PDN, deflated, as base64url

async function through(bytes, stream, most) {
  const chunks = [];
  let length = 0;
  for await (const chunk of read(new Blob([bytes]).stream().pipeThrough(stream))) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new Error("The link holds too long a text");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function* read(stream) {
  const reader = stream.getReader();
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    yield value;
  }
}

export async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Infinity);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpacked(data) {
  if (data.length > LONGEST_LINK) throw new Error("The link is too long");
  let bytes;
  try {
    const binary = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
    bytes = await through(Uint8Array.from(binary, byte => byte.charCodeAt(0)), new DecompressionStream("deflate-raw"), LONGEST_TEXT);
  } catch {
    throw new Error("The link is damaged: it holds no game");
  }
  return new TextDecoder().decode(bytes);
}

// the node of a link: a number of moves of the game, or with dots which child at each move
const stepsOf = rest => !rest ? [] : rest.includes(".") ? rest.split(".").filter(Boolean).map(Number) : Array(Math.min(rest, 20000)).fill(0);
const restOf = path => path.every(step => step === 0) ? String(path.length) : `${path.join(".")}.`;

export async function copy(app, text, told) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // no clipboard without https on another host, but for this old way
    const area = el("textarea", {value: text});
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) return app.say("The browser does not let this page copy");
  }
  app.say(told);
}

export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  el("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// --- moves

export function moves(app) {
  const {tree} = app, list = new MoveList(tree, {edit: true, say: app.say});
  const shown = on => {
    list.isShown = on;
    list.draw();
  };
  Object.assign(app.keys, {
    ArrowUp: () => tree.sibling(-1), ArrowDown: () => tree.sibling(1), n: () => tree.mark(1), p: () => tree.mark(-1),
  });
  document.addEventListener("keydown", event => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !list.element.isConnected) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    const key = event.key.toLowerCase(), back = key === "z" && !event.shiftKey;
    if (!back && key !== "y" && key !== "z") return;
    event.preventDefault();
    back ? tree.undo() : tree.redo();
  });
  const element = el("div", null, list.element, el("div", {class: "row"},
    button("Mark or comment…", () => list.change(tree.node), {title: "Marks, comments, promotion, removal of this move; right click on any move"})));
  return {name: "tree", title: "Moves", element, show() { shown(true); }, hide() { shown(false); }};
}

// --- files

export function panel(app) {
  const {tree} = app;
  const fail = error => app.say(error.message);
  const trying = act => (...args) => Promise.resolve(act(...args)).catch(fail);
  const convention = el("select", {"aria-label": "Results in files", value: null, onchange() {
    app.keep("results", convention.value);
    if (list.source) search();
  }}, el("option", {value: "english"}, "1-0 in files: Black won"), el("option", {value: "white"}, "1-0 in files: White won"));
  convention.value = app.kept("results", "english");
  const results = () => convention.value;

  // --- what the game is called

  const title = el("p", {class: "players"});
  const inputs = Object.fromEntries(FIELDS.map(name => [name, el("input", {type: "text", maxlength: 200, onchange: described})]));
  const ended = el("select", {"aria-label": "Result", onchange: described}, Object.entries(RESULTS).map(([value, name]) => el("option", {value}, name)));
  const label = (name, field) => el("label", null, name, field);
  const about = el("details", null, el("summary", null, "Players and result"),
    el("div", {class: "fields"}, FIELDS.map(name => label(name, inputs[name])), label("Result", ended)));
  function described() {
    const headers = {...tree.headers};
    for (const name of FIELDS) {
      const value = inputs[name].value.trim();
      if (value) headers[name] = value;
      else delete headers[name];
    }
    if (headers.Result) headers.Result = ended.value;
    tree.describe(headers, ended.value);
  }
  function describe() {
    const said = name => plain((tree.headers[name] || "").trim()).replace(/^\?+$/, "");
    const players = said("Black") || said("White") ? `${said("Black") || "?"} – ${said("White") || "?"}` : "";
    const facts = [players, said("Event"), dated(said("Date")), tree.result === "*" ? "" : tree.result];
    title.replaceChildren(...facts.filter(Boolean).flatMap((fact, i) => [i ? " · " : "", el("bdi", null, fact)]));
    for (const name of FIELDS) inputs[name].value = tree.headers[name] || "";
    ended.value = tree.result;
  }
  tree.on("game", describe);
  tree.on("edit", describe);

  // --- opening

  const told = el("details", {class: "faults", hidden: true});
  function tell(faults) {
    told.hidden = !faults.length;
    told.open = faults.length > 0 && faults.length < 4;
    told.replaceChildren(el("summary", null, faults.length === 1 ? "A remark on the text" : `${faults.length} remarks on the text`),
      el("ul", null, faults.map(fault => el("li", null, plain(fault)))));
  }
  function open(document, path, warnings = []) {
    app.open(document, path);
    tell(warnings);
  }
  function take(answer, name) {
    if (answer.document) {
      choose(null);
      open(answer.document, [], [...answer.faults, ...answer.games[0].warnings]);
      app.say("Opened; Undo brings the former game back");
      return undefined;
    }
    choose({name, games: answer.games, faults: answer.faults});
    app.say(many(answer.games.length, "game"));
    return pick(0);
  }
  const openText = trying(async text => {
    const found = LINK.exec(text.trim());
    if (found) return openLink(found[1], found[2]);
    if (text.length > LONGEST_TEXT) throw new Error("That text is too long; save it as a file and start kr web FILE.pdn");
    take(await app.api("games/read", {text, results: results()}), "Pasted text");
  });
  const openFile = trying(async file => {
    if (!file) return;
    if (file.size > LARGEST_FILE) throw new Error(`${file.name} is larger than 2.9 MB: start kr web ${file.name}`);
    const url = await new Promise((done, failed) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result);
      reader.onerror = () => failed(new Error(`${file.name} can't be read`));
      reader.readAsDataURL(file);
    });
    await take(await app.api("games/read", {data: url.slice(url.indexOf(",") + 1), results: results()}), file.name);
  });
  async function openLink(data, rest) {
    const {document, games} = await app.api("games/read", {text: await unpacked(data)});
    if (!document) throw new Error("The link holds more than one game");
    open(document, stepsOf(rest), games[0].warnings);
  }
  // what stands behind #analyse/ in the address
  app.onrest = rest => {
    const found = LINK.exec(`#analyse/${rest}`);
    if (found) trying(openLink)(found[1], found[2]);
  };

  const picker = el("input", {type: "file", accept: ".pdn,.gz,.xz,.bz2,.fen,.txt", hidden: true, onchange() {
    openFile(picker.files[0]);
    picker.value = "";
  }});
  const area = el("textarea", {rows: 6, "aria-label": "PDN, moves, a FEN or a link", placeholder: "1. 11-15 23-19 2. 8-11 …", spellcheck: "false"});
  const pasting = el("form", {hidden: true, async onsubmit(event) {
    event.preventDefault();
    await openText(area.value);
  }}, area, el("div", {class: "row"}, el("button", {type: "submit", class: "primary"}, "Open this")));
  const paste = button("Paste…", () => {
    pasting.hidden = !pasting.hidden;
    paste.setAttribute("aria-expanded", !pasting.hidden);
    if (!pasting.hidden) area.focus();
  }, {"aria-expanded": "false", title: "PDN, moves, a FEN or a link; Ctrl+V works anywhere"});
  document.addEventListener("paste", event => {
    if (event.target.closest && event.target.closest("input, textarea, select, [contenteditable], dialog")) return;
    const [file] = event.clipboardData.files, text = event.clipboardData.getData("text/plain");
    if (!file && !text.trim()) return;
    event.preventDefault();
    file ? openFile(file) : openText(text);
  });
  document.addEventListener("dragover", event => {
    if (event.dataTransfer && event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", event => {
    if (!event.dataTransfer || !event.dataTransfer.files.length) return;
    event.preventDefault();
    openFile(event.dataTransfer.files[0]);
  });

  // --- saving and sharing

  const pdn = form => app.api("games/pdn", {document: tree.document(), results: form === "link" ? "english" : results(), form}).then(answer => answer.pdn);
  const picture = () => app.api("games/svg", {
    fen: tree.node.fen, last: tree.node.path, flipped: app.board.flipped, numbers: app.kept("numbers", true),
  }).then(answer => answer.svg);
  const fileName = end => {
    const parts = [tree.headers.Black, tree.headers.White, tree.headers.Date].filter(part => part && !/^[?.]+$/.test(part));
    return `${parts.join("-").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80) || "game"}.${end}`;
  };
  const share = trying(async () => {
    const data = await packed(await pdn("link"));
    if (data.length > LONGEST_LINK) throw new Error(`The game is too long for a link (${data.length >> 10} kB); save it as PDN`);
    const link = `${location.origin}${location.pathname}#analyse/g/${data}/${restOf(tree.path())}`;
    await copy(app, link, "Link copied: it holds the whole game");
  });

  // --- games to choose from

  const filter = el("input", {type: "search", placeholder: "player, event, year", "aria-label": "Find games", oninput: () => search()});
  const rows = el("ol", {class: "games"});
  const count = el("p", {class: "muted"});
  const sources = el("select", {"aria-label": "Files", hidden: true, onchange: () => choose(named[sources.value - 1])});
  const steps = el("div", {class: "row"},
    button("Game before", () => pick(list.at - 1)), button("Next game", () => pick(list.at + 1)), filter, sources);
  const shelf = el("div", {hidden: true}, steps, count, rows);
  const list = {source: null, games: [], at: -1, more: false};
  let named = [], asking = 0;

  function choose(source) {
    list.source = source;
    shelf.hidden = !source;
    filter.value = "";
    if (source) {
      tell(source.faults || []);
      if (source.file) sources.value = source.file;
      return search();
    }
    return undefined;
  }
  // shows the games that the filter leaves
  const search = trying(async () => {
    const asked = ++asking;
    Object.assign(list, {games: [], at: -1, more: false});
    await further(asked);
  });
  async function further(asked = ++asking) {
    const {source} = list, wanted = filter.value.slice(0, 100);
    if (!source.file) {
      const terms = wanted.toLowerCase().split(/\s+/).filter(Boolean);
      const found = source.games.filter(game => terms.every(term =>
        `${game.event} ${game.black} ${game.white} ${game.date} ${game.result}`.toLowerCase().includes(term)));
      list.games = found.slice(0, list.games.length + PAGE);
      list.more = found.length > list.games.length;
      fill(`${found.length} of ${many(source.games.length, "game")}`);
      return;
    }
    const before = list.games;
    for (;;) {
      const answer = await app.api("games/list", {file: source.file, start: before.length, wanted, results: results()});
      if (asked !== asking) return;
      list.games = [...before, ...answer.games];
      list.more = answer.more;
      if (answer.left_out) tell(answer.faults);
      fill(`${many(answer.read, "game")}${answer.whole ? "" : " so far"}${answer.left_out ? `, ${answer.left_out} can't be read` : ""}`);
      if (answer.more || answer.whole || !shelf.isConnected) return;
    }
  }
  function fill(said) {
    count.textContent = `${list.source.name}: ${said}`;
    rows.replaceChildren(...list.games.map((game, index) => el("li", null, button([
      el("bdi", null, plain(game.black) || "?"), " – ", el("bdi", null, plain(game.white) || "?"),
      game.result === "*" ? "" : ` ${game.result}`,
      el("span", {class: "muted"}, el("bdi", null, [game.event, dated(game.date)].filter(Boolean).map(fact => ` · ${plain(fact)}`).join("")),
        ` · ${many(game.moves, "move")}`),
    ], () => pick(index), {"aria-current": index === list.at && "true"}))));
    if (list.more) rows.append(el("li", null, button("More", () => trying(further)())));
  }
  const pick = trying(async index => {
    if (!list.source || index < 0 || (index >= list.games.length && !list.more)) return app.say("There is no other game");
    if (index >= list.games.length) await further();
    const game = list.games[index];
    if (!game) return undefined;
    const {source} = list;
    const answer = source.file ? await app.api("games/open", {file: source.file, number: game.number, results: results()})
      : await app.api("games/read", {text: game.pdn});
    list.at = index;
    for (const [i, row] of [...rows.children].entries()) {
      if (i === index) row.firstChild.setAttribute("aria-current", "true");
      else row.firstChild.removeAttribute("aria-current");
    }
    open(answer.document, [], answer.warnings || game.warnings);
    app.say(`Game ${game.number}`);
    return undefined;
  });

  // --- the game outlives the page: in this tab, and for the next one

  let saving = 0;
  const save = () => {
    clearTimeout(saving);
    saving = setTimeout(keep, 300);
  };
  function keep() {
    clearTimeout(saving);
    saving = 0;
    const text = JSON.stringify({document: tree.document(), path: tree.path()});
    if (text.length > LONGEST_KEPT) return;
    for (const store of [sessionStorage, localStorage]) {
      try {
        store.setItem("kr-game", text);
      } catch {
        // a full or forbidden store: the game lives as long as the page
      }
    }
  }
  const recall = store => {
    try {
      return JSON.parse(store().getItem("kr-game"));
    } catch {
      return null;
    }
  };
  addEventListener("pagehide", () => saving && keep());

  const begun = trying(async () => {
    const {files, mark} = await app.api("games/files");
    named = files.map((name, i) => ({name, file: i + 1}));
    sources.replaceChildren(...named.map(({name, file}) => el("option", {value: file}, name)));
    sources.hidden = named.length < 2;
    const linked = LINK.test(location.hash), own = recall(() => sessionStorage), kept = own || recall(() => localStorage);
    if (named.length) await choose(named[0]);
    if (!linked && kept && !tree.canUndo) {
      const {document} = await app.api("games/check", {document: kept.document});
      if (!tree.canUndo) {
        tree.load(document, kept.path);
        tree.forget();
      }
    }
    // a new window of a new server shows the file that was named; Undo leads back to the former game
    if (!linked && !own && !tree.canUndo && named.length && app.kept("files-mark") !== mark) {
      app.keep("files-mark", mark);
      await pick(0);
    }
    for (const what of ["node", "edit", "game"]) tree.on(what, save);
  });
  begun();
  describe();

  const element = el("div", null, title,
    el("div", {class: "row"}, button("Open…", () => picker.click(), {title: "A PDN file; or drop one on the page"}), picker, paste,
      button("Save PDN", trying(async () => download(fileName("pdn"), await pdn("file"), "application/x-draughts-pdn"))),
      button("Copy PDN", trying(async () => copy(app, await pdn("file"), "PDN copied"))),
      button("Copy FEN", () => copy(app, tree.node.fen, "FEN copied")),
      button("Save SVG", trying(async () => download(fileName("svg"), await picture(), "image/svg+xml"))),
      button("Copy SVG", trying(async () => copy(app, await picture(), "SVG copied"))),
      button("Copy link", share, {title: "A link that holds the whole game"}), convention),
    pasting, told, about, shelf);
  return {name: "game", title: "Game", element, show() {}, hide() {}};
}
