// Controls of a form: one of several by pressing it, or from a list.

import {el} from "../dom.js";

/**
 * One of several buttons.
 * @param {string} legend
 * @param {string} name
 * @param {Array<[string, string | Node]>} options values and what stands on the buttons
 * @param {string} value chosen at first
 * @param {(value: string) => void} onchange
 * @param {Record<string, unknown>} [props]
 */
export function choices(legend, name, options, value, onchange, props) {
  return el(
    "fieldset",
    {class: "choices", ...props},
    el("legend", null, legend),
    options.map(([each, text]) =>
      el(
        "label",
        null,
        el("input", {type: "radio", name, value: each, checked: each === value, onchange: () => onchange(each)}),
        el("span", null, text),
      ),
    ),
  );
}

/**
 * A list with its label.
 * @param {string} label
 * @param {Array<[string, string]>} options values and texts
 * @param {string} value
 * @param {(value: string) => void} onchange
 */
export function list(label, options, value, onchange) {
  const select = el(
    "select",
    {"aria-label": label, onchange: () => onchange(select.value)},
    options.map(([each, text]) => el("option", {value: each}, text)),
  );
  if (options.some(([each]) => each === value)) select.value = value;
  return {select, element: el("label", {class: "named"}, el("span", null, label), select)};
}

/**
 * Radio inputs have no value of their own: the property is set as an attribute would be.
 * @param {HTMLElement} element
 * @param {string} name
 * @param {string} value "" for none
 */
export function choose(element, name, value) {
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (element.querySelectorAll(`input[name=${name}]`)))
    input.checked = input.value === value;
}
