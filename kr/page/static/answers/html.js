// HTML from texts that may come from a file: what is put into it is escaped, what a page would obey or hide is shown.

import {visible} from "../escapes.js";

/** HTML that is put into other HTML as it is. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** @typedef {string | Markup | Markup[]} Part */

/** @type {Record<string, string>} */
const ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"};

/**
 * A template literal as HTML.
 * @param {TemplateStringsArray} texts
 * @param {...Part} parts
 */
export const html = (texts, ...parts) =>
  new Markup(texts.map((text, index) => (index ? written(parts[index - 1]) : "") + text).join(""));

/** @param {Part} part @returns {string} */
function written(part) {
  if (part instanceof Markup) return part.text;
  if (typeof part === "string") return visible(part).replace(/[&<>"']/g, each => ENTITIES[each]);
  return part.map(written).join("");
}

/** JSON for a script element, in which no text can end the element or begin a comment. @param {any} value */
export const scriptData = value =>
  new Markup(
    JSON.stringify(value)
      .replace(/[\x7f-\uffff]/g, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .replaceAll("<", "\\u003c"),
  );
