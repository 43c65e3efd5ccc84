// The shell: pages, messages, preferences.

import {el} from "./dom.js";
import {api, live, onback, onstranger} from "./server.js";
import {page as analyse} from "./analyse.js";
import {page as play} from "./play.js";
import {page as learn} from "./learn.js";
import {page as endings} from "./endings.js";
import {page as runs} from "./runs.js";

const PAGES = [analyse, play, learn, endings, runs];

const nav = document.querySelector("nav"), main = document.querySelector("main"),
  status = document.querySelector("#status");
const kept = name => {
  try {
    return JSON.parse(localStorage.getItem(`kr-${name}`));
  } catch {
    return null;
  }
};
const heading = el("h1", {class: "unseen"});
let clearing = 0, errands = 0;

function tell(text, failed) {
  clearTimeout(clearing);
  status.textContent = text;
  status.classList.toggle("failed", failed);
  clearing = setTimeout(() => tell("", false), 8000);
}

const app = {
  api, live, onback,
  // a short message, which screen readers speak
  say(text) { tell(text, false); },
  // the same about what went wrong: gone when the person does something else
  fail(text) { tell(text, true); },
  // What takes a moment to come is stale once the person has done something else: it may not overwrite that.
  errand() {
    let mine = ++errands;
    return {get isStale() { return mine !== errands; }, renew() { mine = ++errands; }};
  },
  // the person has done something, such as a move
  acted() { errands += 1; },
  // what only screen readers tell: everyone else sees it on the board
  announce(text) { document.querySelector("#spoken").textContent = text; },
  kept: (name, otherwise = null) => kept(name) ?? otherwise,
  keep(name, value) {
    try {
      localStorage.setItem(`kr-${name}`, JSON.stringify(value));
    } catch {
      // a full or forbidden store: preferences are lost with the page
    }
  },
  // the page that is shown
  shown: () => current ? current.name : pageOf(location.hash),
  go(name, rest = "") { location.hash = rest ? `${name}/${rest}` : name; },
};

let current = null;
const pages = new Map();
for (const make of PAGES) {
  const made = make(app);
  const link = el("a", {href: `#${made.name}`}, made.title);
  pages.set(made.name, {...made, link});
  nav.append(link);
}

const pageOf = hash => pages.has(hash.slice(1).split("/")[0]) ? hash.slice(1).split("/")[0] : "analyse";

// what the person does next is about something else than what failed
function forgive(event) {
  if (!status.classList.contains("failed")) return;
  if (event.target.closest("button, a, summary, select, form, [data-square]")) tell("", false);
}
for (const act of ["pointerdown", "submit"]) document.addEventListener(act, forgive, true);
document.addEventListener("keydown", event => (event.key === "Enter" || event.key === " ") && forgive(event), true);

// words that are being written belong to the game they are written beside
document.addEventListener("input", event => event.target.closest("dialog, .fen, .fields") && app.acted());

// the address: #PAGE or #PAGE/REST
function route() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  const next = pages.get(name) || pages.get("analyse");
  if (current !== next) {
    if (current) {
      app.acted();
      if (status.classList.contains("failed")) tell("", false);
      current.leave();
      current.link.removeAttribute("aria-current");
    }
    main.replaceChildren(heading, next.element);
    heading.textContent = next.title;
    next.link.setAttribute("aria-current", "page");
    document.title = `${next.title} · kr`;
    current = next;
  }
  next.enter(pages.has(name) ? rest.join("/") : "");
}

function theme(chosen) {
  if (chosen) document.documentElement.dataset.theme = chosen;
}

theme(app.kept("theme"));
document.querySelector(".theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).getPropertyValue("color-scheme").trim() === "dark" ||
    (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  theme(dark ? "light" : "dark");
  app.keep("theme", dark ? "light" : "dark");
});
onback(() => app.say("The server answers again"));
onstranger(() => app.fail(
  "kr web has been started again: open the address that it printed in this browser, and this page goes on"));
addEventListener("hashchange", route);
route();
