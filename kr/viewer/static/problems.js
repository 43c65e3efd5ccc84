// The pages of checked problems, and of ballots and cooks (kr theory): a board beside each, on which its line is
// played, and a filter by verdict. What is said of a problem stands in the page; moves there have the position after
// them.

import {Board} from "./board.js";
import {button} from "./dom.js";
import {stepButtons} from "./stage.js";

/** @type {Shown | null} */
let current = null; // the problem that was touched last, which keys move

const KEYS = {Home: "start", ArrowLeft: "back", ArrowRight: "next", End: "end"};

/** A problem with its board. */
class Shown {
  /** @param {HTMLElement} article */
  constructor(article) {
    this.article = article;
    this.board = new Board({label: article.getAttribute("aria-label") ?? ""});
    this.moves = [...article.querySelectorAll("span.move")].map(span => this._pressed(/** @type {any} */ (span)));
    this.line = this.moves.filter(each => each.classList.contains("main"));
    const steps = stepButtons({
      start: () => this.at(-1),
      back: () => this.at(this.ply - 1),
      next: () => this.at(this.ply + 1),
      end: () => this.at(this.line.length - 1),
    });
    article.querySelector(".side")?.append(this.board.element, ...(this.line.length ? [steps] : []));
    for (const name of ["pointerdown", "focusin"]) {
      article.addEventListener(name, () => {
        current = this;
      });
    }
    this.ply = -1;
    this.at(-1);
  }

  /** @param {HTMLElement} span */
  _pressed(span) {
    const made = button(span.textContent ?? "", () => this.show(made), {class: span.className});
    Object.assign(made.dataset, span.dataset);
    span.replaceWith(made);
    return made;
  }

  /** @param {number} ply of the line, -1 for the start; beyond its ends nothing changes */
  at(ply) {
    if (ply < -1 || ply >= this.line.length) return;
    this.ply = ply;
    this.show(ply < 0 ? null : this.line[ply]);
  }

  /** @param {HTMLButtonElement | null} move null for the start */
  show(move) {
    const ply = move ? this.line.indexOf(move) : -1;
    if (!move || ply >= 0) this.ply = ply;
    for (const each of this.moves) each.removeAttribute("aria-current");
    move?.setAttribute("aria-current", "true");
    const {fen = "", path} = (move ?? this.article).dataset;
    this.board.show(fen, {last: path ? path.split(",").map(Number) : null, animate: Boolean(move)});
  }
}

const articles = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("article.problem")]);

/** @param {string} verdict "" for all */
function filter(verdict) {
  for (const each of articles) each.hidden = Boolean(verdict) && each.dataset.verdict !== verdict;
  for (const each of filters) each.setAttribute("aria-pressed", String(each.dataset.verdict === verdict));
  current = null;
  scrollTo({top: 0});
}

const filters = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".filter button")]);
for (const each of filters) each.addEventListener("click", () => filter(each.dataset.verdict ?? ""));

document.body.classList.add("live");
// boards are made as they come near, for there may be thousands
/** @type {Map<Element, Shown>} */
const made = new Map();
const watch = new IntersectionObserver(
  entries => {
    for (const {target, isIntersecting} of entries) {
      if (!isIntersecting || made.has(target)) continue;
      made.set(target, new Shown(/** @type {HTMLElement} */ (target)));
      watch.unobserve(target);
    }
  },
  {rootMargin: "600px"},
);
for (const each of articles) watch.observe(each);

addEventListener("keydown", event => {
  const {target} = event;
  const step = KEYS[/** @type {keyof typeof KEYS} */ (event.key)];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  // arrows go from square to square there
  if (target instanceof Element && target.closest(".board")) return;
  const shown = current;
  if (!shown) return;
  event.preventDefault();
  const last = shown.line.length - 1;
  shown.at({start: -1, back: shown.ply - 1, next: shown.ply + 1, end: last}[step] ?? -1);
});
