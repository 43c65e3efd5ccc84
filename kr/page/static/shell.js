// The shell: pages, messages, what they share.

import {el} from "./dom.js";
import {Errands} from "./errands.js";
import {iconButton} from "./icons.js";
import {later} from "./later.js";
import {RUNS, unloaded} from "./offers.js";
import {api, live, onlink} from "./server.js";
import {keep, kept, onkept} from "./store.js";
import {t} from "./texts.js";
import {page as analyse} from "./analyse/page.js";

/**
 * A page: its element is in the document while it is entered. keys: what they do there, for the list of keys.
 * @typedef {{name: string, title: string, element: HTMLElement, enter: (rest: string) => void, leave: () => void}} Page
 */

/**
 * What pages share.
 * @typedef {ReturnType<typeof makeApp> & Record<string, any>} App
 */

// under: the page whose part it is
/** @type {Array<{name: string, title: () => string, load: () => Promise<(app: App) => Page>, under?: string}>} */
const PAGES = [
  {name: "analyse", title: () => t("Analyse"), load: async () => analyse},
  {name: "play", title: () => t("Play"), load: async () => (await import("./play/page.js")).page},
  {name: "learn", title: () => t("Learn"), load: async () => (await import("./learn/page.js")).page},
  {
    name: "lessons",
    under: "learn",
    title: () => t("Lessons"),
    load: async () => (await import("./lessons/page.js")).page,
  },
  {
    name: "player",
    under: "library",
    title: () => t("Player"),
    load: async () => (await import("./player/page.js")).page,
  },
  {name: "library", title: () => t("Library"), load: async () => (await import("./library/page.js")).page},
  {name: "endings", title: () => t("Endings"), load: async () => (await import("./endings/page.js")).page},
  ...(RUNS ? [{name: "runs", title: () => t("Runs"), load: async () => (await import("./runs/page.js")).page}] : []),
];
const TOLD_MS = 5000,
  FAILED_MS = 8000;

/** @type {<T extends Element>(selector: string) => T} */
const one = selector => /** @type {any} */ (document.querySelector(selector));
const nav = one("nav"),
  main = /** @type {HTMLElement} */ (one("main")),
  status = one("#status"),
  spoken = one("#spoken");
const heading = el("h1", {class: "unseen"});
const errands = new Errands(),
  routes = new Errands();
let clearing = 0,
  announced = "";

/**
 * @param {string} text
 * @param {boolean} failed
 */
function tell(text, failed) {
  clearTimeout(clearing);
  status.textContent = text;
  status.classList.toggle("failed", failed);
  clearing = window.setTimeout(() => tell("", false), failed ? FAILED_MS : TOLD_MS);
}

/** @param {unknown} why error or text */
function fail(why) {
  tell(why instanceof Error ? why.message : String(why), true);
}

function makeApp() {
  return {
    api,
    live,
    /** Calls f when the server answers again; it may be another one. @param {() => void} f */
    onback: f => onlink(link => link === "here" && f()),
    kept,
    keep,
    onkept,
    /** A short message, which screen readers speak. @param {string} text */
    say(text) {
      tell(text, false);
    },
    /** The same about what went wrong: gone when the person does something else. @param {unknown} why error or text */
    fail,
    // What takes a moment to come is stale once the person has done something else: it may not overwrite that.
    errand: () => errands.begin(),
    /**
     * Takes what is asked for, unless the person has done something else since; says what went wrong.
     * @template Answer
     * @param {() => Promise<Answer>} ask
     * @param {(answer: Answer) => void} take
     */
    async attempt(ask, take) {
      const errand = errands.begin();
      try {
        const answer = await ask();
        if (!errand.isStale) take(answer);
      } catch (error) {
        fail(error);
      }
    },
    // the person has done something, such as a move
    acted: () => errands.end(),
    /** What only screen readers tell: everyone else sees it on the board. @param {string} text */
    announce(text) {
      // of several moves made at once the last word counts
      announced = text;
      void import("./aloud.js").then(({inWords, readAloud}) => {
        if (announced !== text) return;
        announced = "";
        spoken.textContent = inWords(text);
        readAloud(text);
      });
    },
    // the page that is shown
    shown: () => (current ? current.name : pageOf(location.hash)),
    /**
     * To a page, or to what it shows: that only while the person is there, since it may have taken a moment to come.
     * @param {string} name
     * @param {string} [rest]
     */
    go(name, rest = "") {
      if (!rest) location.hash = name;
      // the address of a page alone becomes that of what it shows: no step back leads to the same once more
      else if (location.hash === `#${name}`) location.replace(`#${name}/${rest}`);
      else if (pageOf(location.hash) === name) location.hash = `${name}/${rest}`;
    },
    /**
     * A game from a position, to be begun on the page Play.
     * @param {string | {node: {fen: string}}} from FEN, or the tree that shows it
     */
    playFrom(from) {
      keep("play-from", typeof from === "string" ? from : from.node.fen);
      location.hash = "play/from";
    },
    /** A game against kr, begun on the page Play. @param {number} level */
    playAt(level) {
      keep("play-level", level);
      location.hash = "play/begin";
    },
  };
}

/** @type {App} */
const app = makeApp();
/** @type {Page | null} */
let current = null;
/** @type {Map<string, Promise<Page>>} */
const made = new Map();
const links = new Map(
  PAGES.filter(({under}) => !under).map(({name, title}) => [name, el("a", {href: `#${name}`}, title())]),
);
nav.setAttribute("aria-label", t("Pages"));
nav.append(...links.values());

const known = (/** @type {string} */ name) => PAGES.find(each => each.name === name);
const linkOf = (/** @type {string} */ name) => links.get(known(name)?.under ?? name);
const pageOf = (/** @type {string} */ hash) => known(hash.slice(1).split("/")[0])?.name ?? "analyse";

/**
 * A page, made when it is first entered.
 * @param {string} name
 */
function pageNamed(name) {
  const page = known(name) ?? PAGES[0];
  if (!made.has(name)) {
    const making = Promise.all([page.load(), page === PAGES[0] || later()]).then(([make]) => make(app));
    made.set(name, making);
    making.catch(() => made.delete(name));
  }
  return /** @type {Promise<Page>} */ (made.get(name));
}

/** Shows what came with no page. @param {() => Promise<void>} open */
const opening = open => () => open().catch(() => app.fail(unloaded()));
const showKeys = opening(async () => (await import("./key-list.js")).showKeys(app.shown()));
const showSettings = opening(async () =>
  (await import("./settings.js")).choosePreferences(document.body.dataset.version ?? ""),
);

/** What the person does next is about something else than what failed. @param {Event} event */
function forgive(event) {
  const place = /** @type {Element} */ (event.target);
  if (!status.classList.contains("failed")) return;
  if (place.closest("button, a, summary, select, form, [data-square]")) tell("", false);
}
for (const act of ["pointerdown", "submit"]) document.addEventListener(act, forgive, true);
document.addEventListener(
  "keydown",
  event => {
    if (event.key === "Enter" || event.key === " ") forgive(event);
    const place = /** @type {Element} */ (event.target);
    if (event.key === "?" && !place.closest("input, textarea, select, dialog")) showKeys();
  },
  true,
);

// words that are being written belong to the game they are written beside
document.addEventListener(
  "input",
  event => /** @type {Element} */ (event.target).closest("dialog, .fen, .fields") && app.acted(),
);

// the address: #PAGE or #PAGE/REST
async function route() {
  const errand = routes.begin(),
    [name, ...rest] = location.hash.slice(1).split("/");
  // what is still to come for the page that is left comes too late
  if (current && current.name !== pageOf(location.hash)) app.acted();
  let next;
  try {
    next = await pageNamed(pageOf(location.hash));
  } catch (error) {
    console.warn(error);
    if (!errand.isStale) app.fail(unloaded());
    return;
  }
  if (errand.isStale) return;
  if (current !== next) {
    if (current) {
      app.acted();
      if (status.classList.contains("failed")) tell("", false);
      current.leave();
      linkOf(current.name)?.removeAttribute("aria-current");
    }
    main.replaceChildren(heading, next.element);
    heading.textContent = next.title;
    linkOf(next.name)?.setAttribute("aria-current", "page");
    document.title = `${next.title} · kr`;
    current = next;
  }
  if (name && !known(name)) app.fail(t("The address names no page of kr: {name}", {name: name.slice(0, 40)}));
  next.enter(known(name) ? rest.join("/") : "");
}

// what other pages open goes to the game of Analyse, which is there from the start
void pageNamed("analyse");
one(".skip").textContent = t("To the board");
// the address is that of a page
one(".skip").addEventListener("click", event => {
  event.preventDefault();
  main.focus();
});
one(".tools").append(
  iconButton("keys", t("Keys"), showKeys, {key: "?"}),
  iconButton("settings", t("Settings"), showSettings),
);
onlink((link, before) => {
  if (link === "stranger")
    app.fail(
      t("kr web has been started again: open the address that it printed in this browser, and this page goes on"),
    );
  else if (link === "here" && before !== "here") app.say(t("The server answers again"));
});
addEventListener("hashchange", route);
route();
