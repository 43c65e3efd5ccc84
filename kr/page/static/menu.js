// A button that opens a list of actions.

import {button, el} from "./dom.js";

let menus = 0;

/**
 * Names and acts of the actions, asked for as a menu opens; null is a rule between two groups, a text the heading of
 * the group that follows.
 * @typedef {() => Array<[string, () => void, Record<string, unknown>?] | string | null>} Items
 */

/**
 * @param {[string, () => void, Record<string, unknown>?]} item
 * @param {() => void} close
 */
function entryOf([name, act, props], close) {
  const press = () => {
    close();
    act();
  };
  return button(name, press, {role: "menuitem", tabindex: -1, ...props});
}

/**
 * What a menu lists; entries below a heading are a group of its name.
 * @param {ReturnType<Items>} items
 * @param {() => void} close
 */
function listed(items, close) {
  /** @type {HTMLElement[]} */
  const list = [];
  let group = null;
  for (const item of items) {
    if (typeof item === "string") {
      const heading = el("span", {class: "group-name", "aria-hidden": "true"}, item);
      group = el("div", {role: "group", "aria-label": item}, heading);
      list.push(group);
    } else if (group && item) group.append(entryOf(item, close));
    else list.push(item ? entryOf(item, close) : el("hr"));
  }
  return list;
}

/**
 * Wires a button to a menu, and gives both.
 * @param {HTMLButtonElement} opener
 * @param {string} label of the menu
 * @param {Items} items
 * @returns {HTMLElement}
 */
export function menu(opener, label, items) {
  const id = `menu-${++menus}`,
    list = el("div", {id, class: "menu", role: "menu", "aria-label": label, hidden: true});
  for (const [name, value] of [
    ["aria-haspopup", "menu"],
    ["aria-expanded", "false"],
    ["aria-controls", id],
  ]) {
    opener.setAttribute(name, value);
  }
  /** @returns {HTMLElement[]} */
  const entries = () => /** @type {any} */ ([...list.querySelectorAll("[role=menuitem]:not(:disabled)")]);

  function close(focus = false) {
    if (list.hidden) return;
    list.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    if (focus) opener.focus();
  }

  /** @param {PointerEvent} event */
  function outside(event) {
    if (!wrap.contains(/** @type {Node} */ (event.target))) close();
  }

  function open() {
    list.replaceChildren(...listed(items(), () => close(true)));
    list.hidden = false;
    list.classList.remove("left", "up");
    const box = list.getBoundingClientRect();
    list.classList.toggle("left", box.right > innerWidth - 4);
    list.classList.toggle("up", box.bottom > innerHeight - 4);
    opener.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", outside, true);
    entries()[0]?.focus();
  }

  opener.addEventListener("click", () => (list.hidden ? open() : close()));
  list.addEventListener("keydown", event => {
    const all = entries(),
      at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1}[event.key];
    if (event.key === "Escape") close(true);
    else if (event.key === "Tab") close();
    else if (to !== undefined) all[(to + all.length) % all.length]?.focus();
    // no key of the page behind it
    event.stopPropagation();
    if (event.key === "Escape" || to !== undefined) event.preventDefault();
  });
  const wrap = el("div", {class: "menu-place"}, opener, list);
  return wrap;
}
