// One of several things, chosen by pressing it; and the looks of a board, chosen so.

import {el} from "./dom.js";
import {t} from "./texts.js";

/**
 * Values and their texts, in their order; as an object where no value is a whole number.
 * @template {string | Node} Shown
 * @typedef {Array<[string, Shown]> | Record<string, Shown>} Choices
 */

/**
 * @template {string | Node} Shown
 * @param {Choices<Shown>} options
 * @returns {Array<[string, Shown]>}
 */
export const pairs = options => (Array.isArray(options) ? options : Object.entries(options));

/**
 * One of several buttons.
 * @param {string} legend
 * @param {string} name
 * @param {Choices<string | Node>} options
 * @param {string} value chosen at first
 * @param {(value: string) => void} onchange
 * @param {Record<string, unknown>} [props]
 */
export function choices(legend, name, options, value, onchange, props) {
  return el(
    "fieldset",
    {class: "choices", ...props},
    el("legend", null, legend),
    el(
      "div",
      null,
      pairs(options).map(([each, text]) =>
        el(
          "label",
          null,
          el("input", {type: "radio", name, value: each, checked: each === value, onchange: () => onchange(each)}),
          el("span", null, text),
        ),
      ),
    ),
  );
}

/** The looks of a board. @returns {Array<{name: string, title: string, options: Choices<string>}>} */
export const looksToChoose = () => [
  {
    name: "board",
    title: t("Board"),
    options: {green: t("green"), wood: t("wood"), contrast: t("high contrast")},
  },
  {
    name: "pieces",
    title: t("Pieces"),
    options: {flat: t("flat"), carved: t("carved")},
  },
  {
    name: "coordinates",
    title: t("Squares"),
    options: {numbers: t("numbers"), letters: t("letters"), none: t("neither")},
  },
];
