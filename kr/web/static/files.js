// The panels of the game itself: its moves; opening, pasting, saving and sharing it; games of files to choose from.

import {button, el} from "./dom.js";
import {GameList, PAGE, dated} from "./gamelist.js";
import {plain} from "./moves.js";
import {many} from "./texts.js";

const PIECE = 2_900_000, LARGEST_FILE = 64 << 20;   // bytes sent at once, and of a file
const LONGEST_TEXT = 2_000_000, LONGEST_LINK = 100_000, LONGEST_KEPT = 2_000_000;
const LINK = /#analyse\/g\/([\w-]+)(?:\/([\d.]*))?/;
const FIELDS = ["Black", "White", "Event", "Site", "Date", "Round"];
const RESULTS = {"*": "not finished", "1-0": "1-0, Black won", "0-1": "0-1, White won", "1/2-1/2": "½-½, drawn",
  "0-0": "0-0, both lost"};

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
    bytes = await through(Uint8Array.from(binary, byte => byte.charCodeAt(0)), new DecompressionStream("deflate-raw"),
      LONGEST_TEXT);
  } catch {
    throw new Error("The link is damaged: it holds no game");
  }
  return new TextDecoder().decode(bytes);
}

// the node of a link: a number of moves of the game, or with dots which child at each move
const stepsOf = rest => !rest ? [] : rest.includes(".") ? rest.split(".").filter(Boolean).map(Number) :
  Array(Math.min(rest, 20000)).fill(0);
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

// --- files

export function panel(app) {
  const {tree} = app;
  const trying = act => (...args) => Promise.resolve(act(...args)).catch(error => app.fail(error.message));
  const convention = el("select", {"aria-label": "Results in files", value: null, onchange() {
    app.keep("results", convention.value);
    if (source) search();
  }}, el("option", {value: "english"}, "1-0 in files: Black won"),
    el("option", {value: "white"}, "1-0 in files: White won"));
  convention.value = app.kept("results", "english");
  const results = () => convention.value;

  // --- what the game is called

  const title = el("p", {class: "players"});
  const inputs = Object.fromEntries(
    FIELDS.map(name => [name, el("input", {type: "text", maxlength: 200, onchange: described})]));
  const ended = el("select", {"aria-label": "Result", onchange: described},
    Object.entries(RESULTS).map(([value, name]) => el("option", {value}, name)));
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
    told.replaceChildren(el("summary", null, faults.length === 1 ? "A remark on the text" :
      `${faults.length} remarks on the text`),
      el("ul", null, faults.map(fault => el("li", null, plain(fault)))));
  }
  // another game is not what the remarks are about
  tree.on("game", () => tell([]));
  // stays: the page that is shown
  function open(document, path, warnings = [], stays = false) {
    if (stays) tree.load(document, path);
    else app.open(document, path);
    tell(warnings);
  }

  // what could not be read, and why; it stays as long as the games that could
  const lost = el("details", {class: "lost", hidden: true});
  function lose({left_out: count = 0, faults = [], cut = ""}) {
    const words = [count && `${many(count, "game")} could not be read`, cut && "not all games are listed"]
      .filter(Boolean).join("; ");
    const key = JSON.stringify([count, faults.length, cut]);
    lost.hidden = !words;
    if (lost.dataset.key === key) return;
    lost.dataset.key = key;
    lost.open = Boolean(words) && faults.length < 4;
    lost.replaceChildren(el("summary", null, words),
      el("ul", {tabindex: 0, "aria-label": "Why"},
        [...faults.map(plain), count > faults.length && `and ${many(count - faults.length, "other")}`,
      cut && plain(cut)].filter(Boolean).map(why => el("li", null, why))));
  }

  // Reads a file or text. What the person does meanwhile is not overwritten: `errand.isStale` tells it; `isOver` that
  // another one is read, or this one was given up.
  const reading = el("p", {class: "reading", role: "status", hidden: true});
  let loads = 0;
  async function load(name, read) {
    const number = ++loads, bar = el("progress", {"aria-label": `Reading ${name}`, max: 1});
    const job = {name, errand: app.errand(), progress(share) { bar.value = share; },
      get isOver() { return number !== loads; }};
    reading.replaceChildren(`Reading ${plain(name)} `, bar, " ", button("Cancel", () => {
      loads += 1;
      reading.hidden = true;
    }));
    reading.hidden = false;
    try {
      await read(job);
    } catch (error) {
      if (!job.isOver) app.fail(error.message);
    }
    if (!job.isOver) reading.hidden = true;
  }

  async function take(answer, job) {
    if (job.isOver) return;
    const {name, errand} = job, one = answer.document;
    if (one && !errand.isStale) {
      choose(null);
      open(one, [], answer.games[0].warnings);
      lose(answer);
      app.say("Opened; Undo brings the former game back" +
        (answer.left_out ? `. ${many(answer.left_out, "game")} could not be read` : ""));
      return;
    }
    // a game that comes too late to be opened stands in the list
    const games = one ? [{...answer.games[0], document: one}] : answer.games;
    const source = answer.upload ? {name, upload: answer.upload} :
      {name, games, left_out: answer.left_out, faults: answer.faults};
    await choose(source);
    if (!list.count && whole) throw new Error(`${name}: no game found`);
    if (errand.isStale) app.say(`${name} is read; its games are listed, and the game on the board stays`);
    else {
      const left = source.left_out ? `, ${source.left_out} could not be read` : "";
      if (games) app.say(many(games.length, "game") + left);
      await pick(0, {errand, quiet: true});
    }
  }

  function openText(text) {
    const found = LINK.exec(text.trim());
    if (found) return trying(openLink)(found[1], found[2]);
    return load("Pasted text", async job => {
      if (text.length > LONGEST_TEXT) await send(new Blob([text]), job);
      else await take(await app.api("games/read", {text, results: results()}), job);
    });
  }
  const openFile = file => file && load(file.name, async job => {
    if (file.size > LARGEST_FILE) throw new Error(
      `${file.name} is larger than ${LARGEST_FILE >> 20} MB: start kr web ${file.name}`);
    if (file.size > PIECE) await send(file, job);
    else await take(await app.api("games/read", {data: await encoded(file, file.name), results: results()}), job);
  });
  // bytes as base64
  const encoded = (blob, name) => new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => failed(new Error(`${name} can't be read`));
    reader.readAsDataURL(blob);
  });
  // a large file goes piece by piece
  async function send(blob, job) {
    let upload = null;
    for (let start = 0; start < blob.size; start += PIECE) {
      const data = await encoded(blob.slice(start, start + PIECE), job.name);
      if (job.isOver) return;
      ({upload} = await app.api("games/upload", {data, upload}));
      if (job.isOver) return;
      job.progress(Math.min(1, (start + PIECE) / blob.size));
    }
    await take({upload}, job);
  }
  async function openLink(data, rest) {
    const errand = app.errand();
    const {document, games} = await app.api("games/read", {text: await unpacked(data)});
    if (!document) throw new Error("The link holds more than one game");
    if (errand.isStale) return app.say("The game of the link was not opened: you went on with another");
    return open(document, stepsOf(rest), games[0].warnings);
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
  const area = el("textarea", {rows: 6, "aria-label": "PDN, moves, a FEN or a link",
    placeholder: "1. 11-15 23-19 2. 8-11 …", spellcheck: "false"});
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

  const pdn = form => app.api("games/pdn",
    {document: tree.document(), results: form === "link" ? "english" : results(), form}).then(answer => answer.pdn);
  const picture = () => app.api("games/svg", {
    fen: tree.node.fen, last: tree.node.path, flipped: app.board.flipped, numbers: app.kept("numbers", true),
  }).then(answer => answer.svg);
  const fileName = end => {
    const parts = [tree.headers.Black, tree.headers.White, tree.headers.Date].filter(part => part &&
      !/^[?.]+$/.test(part));
    return `${parts.join("-").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80) || "game"}.${end}`;
  };
  const share = trying(async () => {
    const data = await packed(await pdn("link"));
    if (data.length > LONGEST_LINK) throw new Error(
      `The game is too long for a link (${data.length >> 10} kB); save it as PDN`);
    const link = `${location.origin}${location.pathname}#analyse/g/${data}/${restOf(tree.path())}`;
    await copy(app, link, "Link copied: it holds the whole game");
  });

  // --- games to choose from

  const filter = el("input", {type: "search", placeholder: "player, event, year", "aria-label": "Find games",
    oninput: () => search()});
  const count = el("p", {class: "muted"}), done = el("progress", {max: 1, "aria-label": "Games read", hidden: true});
  // the files of the command line, and nothing while the list is another one: whatever is opened, they stay at hand
  const sources = el("select", {"aria-label": "Files", onchange: () => choose(named[sources.value - 1])});
  const others = el("div", {class: "row", hidden: true}, sources);
  const steps = el("div", {class: "row"},
    button("Game before", () => pick(list.at - 1)), button("Next game", () => pick(list.at + 1)), filter);
  const list = new GameList({pick: index => pick(index), load: page => fetched(page)});
  const shelf = el("div", {hidden: true}, steps, count, done, list.element);
  let source = null, named = [], asking = 0, turns = 0, newest = 0, whole = true, games = [];

  function offer() {
    sources.value = source?.file || "";
    others.hidden = named.length < (source?.file ? 2 : 1);
  }

  function choose(chosen) {
    source = chosen;
    shelf.hidden = !source;
    filter.value = "";
    lose(source || {});
    if (!source) asking += 1;
    offer();
    return source ? search() : undefined;
  }

  // Shows the games that the filter leaves: all of a text, those of a file as they are read.
  const search = trying(async () => {
    asking += 1;
    list.clear();
    whole = true;
    done.hidden = true;
    if (source.games) {
      const terms = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      games = source.games.filter(game => terms.every(term =>
        `${game.event} ${game.black} ${game.white} ${game.date} ${game.result}`.toLowerCase().includes(term)));
      count.textContent = `${source.name}: ${games.length} of ${many(source.games.length, "game")}`;
      list.grow(games.length);
      return;
    }
    whole = false;
    count.textContent = `${source.name}: reading …`;
    await ask({start: 0});
    trying(readOn)();
  });

  async function ask(wanted) {
    const asked = asking, turn = ++turns, {file, upload} = source;
    const answer = await app.api("games/list",
      {file, upload, wanted: filter.value.slice(0, 100), results: results(), ...wanted});
    if (asked !== asking) return null;
    // answers to several requests may come in another order
    if (turn > newest) {
      newest = turn;
      show(answer);
    }
    return answer;
  }

  function show(answer) {
    const {found, read, left_out: left} = answer, all = `${many(read, "game")}${answer.whole ? "" : " so far"}`;
    whole = answer.whole;
    count.textContent = `${source.name}: ${filter.value.trim() ? `${found.toLocaleString("en")} of ${all}` : all}` +
      (left ? `, ${left.toLocaleString("en")} can't be read` : "");
    done.hidden = whole || answer.share === null;
    done.value = answer.share ?? 0;
    lose(answer);
    // the panel may be closed
    if (whole && (left || answer.cut) && !source.isTold) {
      source.isTold = true;
      app.say(`${source.name}: ` +
        [left && `${many(left, "game")} could not be read`, answer.cut].filter(Boolean).join("; "));
    }
    list.put(answer.start / PAGE, answer.games);
    list.grow(found);
  }

  // The rest of a file, so that the list is as long as it will be.
  async function readOn() {
    const asked = asking;
    while (!whole && asked === asking && shelf.isConnected) await ask({start: 0, on: true});
  }

  async function fetched(page) {
    if (source.games) return games.slice(page * PAGE, (page + 1) * PAGE);
    const answer = await ask({start: page * PAGE});
    return answer && answer.games;
  }

  // stays: on the page that is shown; quiet: nothing is said of a game that isn't there
  const pick = trying(async (index, {errand = app.errand(), stays = false, quiet = false} = {}) => {
    if (!source || index < 0 || index >= list.count) return quiet ? undefined : app.say("There is no other game");
    const asked = asking, from = source, game = await list.game(index);
    if (!game || errand.isStale) return undefined;
    const answer = game.document ? {document: game.document} :
      from.games ? await app.api("games/read", {text: game.pdn})
      : await app.api("games/open", {file: from.file, upload: from.upload, number: game.number, results: results()});
    if (errand.isStale) return undefined;
    if (asked === asking) list.mark(index);
    open(answer.document, [], answer.warnings || game.warnings, stays);
    if (!quiet) app.say(`Game ${game.number}`);
    return game;
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
    sources.replaceChildren(el("option", {value: "", hidden: true}, "Files"),
      ...named.map(({name, file}) => el("option", {value: file}, name)));
    offer();
    const linked = LINK.test(location.hash), own = recall(() => sessionStorage),
      kept = own || recall(() => localStorage);
    // what the person has done meanwhile stays; another page is no reason to forget the game
    const errand = {get isStale() { return linked || loads > 0 || tree.canUndo || Boolean(app.board.onedit); }};
    if (named.length && !source && !loads) await choose(named[0]);
    if (kept && !errand.isStale) {
      const {document} = await app.api("games/check", {document: kept.document});
      if (!errand.isStale) {
        tree.load(document, kept.path);
        tree.forget();
      }
    }
    // a new window of a new server shows the file that was named; Undo leads back to the former game
    if (named.length && !own && !errand.isStale && source === named[0] && app.kept("files-mark") !== mark) {
      app.keep("files-mark", mark);
      const game = await pick(0, {errand, quiet: true, stays: true});
      // an address that names another page counts
      if (game && app.shown() !== "analyse") app.say(`${named[0].name} is open on the page Analyse`);
      else if (game && !source.isTold) app.say(`Game ${game.number}`);
    }
  });
  begun().then(() => {
    for (const what of ["node", "edit", "game"]) tree.on(what, save);
  });
  describe();

  const element = el("div", null, title,
    el("div", {class: "row"}, button("Open…", () => picker.click(), {title: "A PDN file; or drop one on the page"}),
      picker, paste,
      button("Save PDN", trying(async () => download(fileName("pdn"), await pdn("file"),
        "application/x-draughts-pdn"))),
      button("Copy PDN", trying(async () => copy(app, await pdn("file"), "PDN copied"))),
      button("Copy FEN", () => copy(app, tree.node.fen, "FEN copied")),
      button("Save SVG", trying(async () => download(fileName("svg"), await picture(), "image/svg+xml"))),
      button("Copy SVG", trying(async () => copy(app, await picture(), "SVG copied"))),
      button("Copy link", share, {title: "A link that holds the whole game"}), convention),
    pasting, reading, lost, told, about, others, shelf);
  return {name: "game", title: "Game", element, show() { if (!whole) trying(readOn)(); }, hide() {}};
}
