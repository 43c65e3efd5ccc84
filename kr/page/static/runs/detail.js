// One run: its facts, charts and tables, of which only what has changed is made anew.

import {el} from "../dom.js";
import {visible} from "../escapes.js";
import {said, t} from "../texts.js";
import {figure} from "./chart.js";
import {glossary, time} from "./state.js";
import {badge, bar, table} from "./view.js";

/** @import {Said} from "../texts.js" */
/** @import {Run} from "./state.js" */
/**
 * @typedef {{text: string, element: HTMLElement}} Part what stands there: the JSON that it was made of, and its
 * element
 */

const WIDEST = 620,
  NARROWEST = 240, // pixels of a chart
  AROUND = 28; // pixels of a card around it
const MANY_COLUMNS = 8;

export class Detail {
  /** @param {(game: number) => void} open */
  constructor(open) {
    this._open = open;
    /** @type {Map<string, Part>} */
    this._parts = new Map();
    this._width = 0;
    /** @type {Run | null} */
    this._run = null;
    this._title = el("h2");
    this._state = el("p", {class: "state-line"});
    this._facts = el("dl", {class: "run-card run-facts"});
    this._charts = el("div", {class: "charts"});
    this._tables = el("div", {class: "tables"});
    this._words = el("dl", {class: "words"});
    this._glossary = el("details", {class: "glossary"}, el("summary", null, t("What these words mean")), this._words);
    this.element = el(
      "section",
      {class: "one", "aria-label": t("Run"), hidden: true},
      el("p", {class: "back"}, el("a", {href: "#runs"}, t("All runs"))),
      this._title,
      this._state,
      this._facts,
      this._charts,
      this._tables,
      this._glossary,
    );
    new ResizeObserver(() => this._fit()).observe(this._charts);
  }

  clear() {
    this._run = null;
    this._parts.clear();
    this._charts.replaceChildren();
    this._tables.replaceChildren();
    this.element.hidden = true;
  }

  /** @param {Run} run */
  show(run) {
    this._run = run;
    this.element.hidden = false;
    this._title.textContent = visible(run.name);
    this._showState(run);
    this._facts.hidden = !run.facts.length;
    this._facts.replaceChildren(...terms(run.facts));
    this._width = this._room();
    this._fill(this._charts, run.charts ?? [], chart => figure(chart, this._width));
    const tables = (run.tables ?? []).filter(each => each.rows.length);
    this._fill(this._tables, tables, each =>
      el(
        "section",
        {class: each.head.length > MANY_COLUMNS ? "run-card wide" : "run-card"},
        el("h3", null, said(each.title)),
        table(each, this._open),
      ),
    );
    const words = glossary(run);
    this._glossary.hidden = !words.length;
    this._words.replaceChildren(...terms(words));
  }

  /** @param {Run} run */
  _showState(run) {
    const changed = run.changed ? t("last change {time}", {time: time(run.changed)}) : "";
    this._state.replaceChildren(
      ...[
        badge(run.state),
        el("span", null, `${said(run.kind)}, ${said(run.progress)}`),
        el("span", {class: "muted"}, [changed, run.reading && said(run.reading)].filter(Boolean).join("; ")),
        bar(run),
      ].filter(each => each !== null),
    );
  }

  // pixels for a chart
  _room() {
    const column = Number.parseFloat(getComputedStyle(this._charts).gridTemplateColumns);
    return Math.max(NARROWEST, Math.min((column || WIDEST) - AROUND, WIDEST));
  }

  // charts drawn again for a window of another width
  _fit() {
    if (this._run && this._charts.clientWidth && Math.abs(this._room() - this._width) > 1) this.show(this._run);
  }

  /**
   * Makes anew what has changed; what was unfolded or had the focus keeps it.
   * @template {{title: Said}} Each
   * @param {HTMLElement} place
   * @param {Each[]} wanted
   * @param {(each: Each) => HTMLElement} make
   */
  _fill(place, wanted, make) {
    /** @type {Array<[HTMLElement, HTMLElement]>} */
    const refocus = [];
    const elements = wanted.map(each => {
      const key = `${place.className} ${JSON.stringify(each.title)}`,
        text = JSON.stringify([each, place === this._charts && this._width]);
      const before = this._parts.get(key);
      if (before?.text === text) return before.element;
      const element = make(each),
        details = element.querySelector("details");
      if (details && before?.element.querySelector("details")?.open) details.open = true;
      const focused = /** @type {HTMLElement | null} */ (document.activeElement);
      if (focused && before?.element.contains(focused)) refocus.push([element, focused]);
      this._parts.set(key, {text, element});
      return element;
    });
    const isSame = elements.length === place.children.length && elements.every((each, i) => each === place.children[i]);
    if (!isSame) place.replaceChildren(...elements);
    for (const [element, focused] of refocus) refound(element, focused)?.focus();
  }
}

/**
 * What stands in a new element where the focus was in the old one.
 * @param {HTMLElement} element
 * @param {HTMLElement} focused
 * @returns {HTMLElement | null}
 */
function refound(element, focused) {
  const {game} = focused.dataset;
  return (
    (game && element.querySelector(`[data-game="${CSS.escape(game)}"]`)) ||
    element.querySelector("button, summary, [tabindex]")
  );
}

/** @param {Array<[Said, Said]>} pairs */
const terms = pairs =>
  pairs.map(([name, told]) => el("div", null, el("dt", null, said(name)), el("dd", null, said(told))));
