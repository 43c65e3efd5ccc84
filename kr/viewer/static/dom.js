// Elements from names, properties and children. Text is always text: nothing here reads markup.

import {visible} from "./escapes.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Attributes by name; `onclick` and the like are listeners. What is null, undefined or false is left out.
 * @typedef {Record<string, any>} Props
 */
/** @typedef {Node | string | null | undefined | false | 0} Child what is no node and no text is left out */

/**
 * @param {Element} element
 * @param {Props | null | undefined} props
 * @param {(Child | Child[])[]} children
 */
function fill(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "checked" || name === "selected") Object.assign(element, {[name]: value});
    else if (name !== "value") element.setAttribute(name, value === true ? "" : value);
  }
  const shown = children.flat().filter(child => child !== null && child !== undefined && child !== false);
  element.append(...shown.map(child => (typeof child === "string" ? visible(child) : /** @type {Node} */ (child))));
  // a select has no value before its options
  if (props && props.value !== undefined && props.value !== null) Object.assign(element, {value: props.value});
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, props, ...children) {
  const made = document.createElement(tag);
  fill(made, props, children);
  return made;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, props, ...children) {
  const made = document.createElementNS(SVG, tag);
  fill(made, props, children);
  return /** @type {SVGElementTagNameMap[Tag]} */ (made);
}

/** Texts and elements of a text in which no line breaks at the hyphen of a move. @param {string} text */
export const unbroken = text =>
  text.split(/(\d+-\d+)/).map((part, i) => (i % 2 ? el("span", {class: "unbroken"}, part) : part));

/**
 * @param {string | (string | Node)[]} text
 * @param {(event: PointerEvent) => void} onclick
 * @param {Props} [props]
 */
export function button(text, onclick, props) {
  return el("button", {type: "button", onclick, ...props}, text);
}
