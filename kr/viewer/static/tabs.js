// Panels of which one is shown, chosen by tabs.

import {el} from "./dom.js";
import {icon} from "./icons.js";

/**
 * @typedef {object} Panel
 * @property {string} name
 * @property {string} title
 * @property {HTMLElement | null} element null: what is always shown on a wide screen, and has a tab on a phone only
 * @property {() => void} [show] called as it comes into sight
 * @property {() => void} [hide]
 * @property {boolean} [untabbed] it is opened from elsewhere, such as by a button
 */

export class Tabs {
  /**
   * @param {Panel[]} panels the first one is shown where nothing was chosen
   * @param {{label: string, closes?: boolean, onchange?: (name: string) => void}} options closes: a second press shows
   *     the first panel again
   */
  constructor(panels, {label, closes = false, onchange = () => {}}) {
    this.panels = panels;
    this.current = "";
    this._isShown = false;
    this._onchange = onchange;
    this._tabs = panels.map(panel => this._tab(panel, closes));
    this.element = el("div", {class: "tabs", role: "tablist", "aria-label": label}, this._tabs);
    // a click leaves the focus where it is, so that the arrow keys go on stepping through the game
    this.element.addEventListener("mousedown", event => event.preventDefault());
    this.element.addEventListener("keydown", event => this._press(event));
    this.body = el(
      "div",
      {class: "panels"},
      panels.map(panel => this._place(panel)),
    );
  }

  /** @param {Panel} panel */
  _place({name, title, element}) {
    if (!element) return null;
    Object.assign(element, {id: `panel-${name}`, hidden: true});
    element.classList.add("panel", name);
    element.setAttribute("role", "tabpanel");
    // so that the keys scroll it
    element.tabIndex = 0;
    element.setAttribute("aria-label", title);
    return element;
  }

  /**
   * Puts a panel in the place of one of the same name, which held it until its script had come.
   * @param {Panel} panel
   */
  fill(panel) {
    const number = this.panels.findIndex(({name}) => name === panel.name),
      before = this.panels[number].element,
      element = this._place(panel);
    this.panels[number] = panel;
    if (!element || !before) return;
    element.hidden = before.hidden;
    before.replaceWith(element);
    if (this.current === panel.name && this._isShown) panel.show?.();
  }

  /**
   * Shows a panel; the first one for a name that there isn't.
   * @param {string} name
   */
  open(name) {
    const chosen = this.panels.find(panel => panel.name === name) ?? this.panels[0];
    if (chosen.name === this.current) return;
    this.hide();
    this.current = chosen.name;
    this.panels.forEach((panel, i) => {
      const on = panel === chosen;
      this._tabs[i].setAttribute("aria-selected", String(on));
      if (panel.element) panel.element.hidden = !on;
    });
    this._reach();
    this.body.hidden = !chosen.element;
    this._onchange(chosen.name);
    this.show();
  }

  /**
   * Whether a panel has a tab now; the one in sight keeps its own.
   * @param {string} name
   * @param {boolean} on
   */
  offer(name, on) {
    this._tabs[this.panels.findIndex(panel => panel.name === name)].hidden = !on && name !== this.current;
    this._reach();
  }

  // on a wide screen what is always shown has no tab that could take the focus: the next one does
  _reach() {
    const chosen = this._shown(),
      reached = this.panels.findIndex(({element}, i) => element && !this._tabs[i].hidden);
    this.panels.forEach((panel, i) => {
      this._tabs[i].tabIndex = panel === chosen || (!chosen?.element && i === reached) ? 0 : -1;
    });
  }

  /** The panel in sight is told that it is, such as when its page is entered. */
  show() {
    this._isShown = true;
    this._shown()?.show?.();
  }

  hide() {
    this._isShown = false;
    this._shown()?.hide?.();
  }

  _shown() {
    return this.panels.find(panel => panel.name === this.current);
  }

  /**
   * @param {Panel} panel
   * @param {boolean} closes
   */
  _tab({name, title, element, untabbed}, closes) {
    return el(
      "button",
      {
        type: "button",
        role: "tab",
        class: `tab tab-${name}`,
        hidden: untabbed,
        title,
        "aria-label": title,
        "aria-selected": "false",
        tabindex: -1,
        "aria-controls": element && `panel-${name}`,
        onclick: () => this.open(closes && this.current === name ? this.panels[0].name : name),
      },
      icon(name),
      el("span", null, title),
    );
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step) return;
    const seen = this._tabs.filter(tab => tab.checkVisibility());
    const at = seen.indexOf(/** @type {any} */ (document.activeElement));
    const next = seen[(at + step + seen.length) % seen.length];
    next.focus();
    if (next.getAttribute("aria-selected") !== "true") next.click();
    event.preventDefault();
    event.stopPropagation();
  }
}
