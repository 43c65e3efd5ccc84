// Controls of forms: a list to choose from, a checkbox with its label, a field for a position.

import {pairs} from "./choices.js";
import {el} from "./dom.js";
import {t} from "./texts.js";

/** @typedef {import("./choices.js").Choices<string>} Options */

/**
 * A list to choose from.
 * @param {string} label
 * @param {Options} options
 * @param {{value?: string | null, onchange?: (value: string) => void, class?: string}} [props] value: the one chosen at
 *     first, if it is there
 */
export function choice(label, options, {value, onchange, ...props} = {}) {
  const select = el("select", {"aria-label": label, ...props, onchange: () => onchange?.(select.value)});
  offer(select, options, value);
  return select;
}

/**
 * Changes what a list offers.
 * @param {HTMLSelectElement} select
 * @param {Options} options
 * @param {string | null} [value] chosen then, if it is there
 */
export function offer(select, options, value) {
  select.replaceChildren(...pairs(options).map(([each, text]) => el("option", {value: each}, text)));
  if (pairs(options).some(([each]) => each === value)) select.value = value ?? "";
}

/**
 * A control with its name before it.
 * @param {HTMLElement} control
 */
export const labelled = control =>
  el("label", {class: "named"}, el("span", {class: "name"}, control.getAttribute("aria-label")), control);

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

/**
 * A checkbox with its label.
 * @param {string} text
 * @param {boolean} checked
 * @param {(on: boolean) => void} onchange
 */
export function check(text, checked, onchange) {
  const input = el("input", {type: "checkbox", checked, onchange: () => onchange(input.checked)});
  return el("label", {class: "check"}, input, text);
}

/**
 * A field for a position.
 * @param {string} label
 * @param {import("./dom.js").Props} [props]
 */
export const fenField = (label, props) =>
  el("input", {type: "text", class: "fen", spellcheck: "false", autocomplete: "off", "aria-label": label, ...props});

/**
 * A form that does something on this page.
 * @param {import("./dom.js").Props} props
 * @param {() => void} submit
 * @param {Array<import("./dom.js").Child | import("./dom.js").Child[]>} content
 */
export function form(props, submit, ...content) {
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    submit();
  };
  return el("form", {...props, onsubmit}, ...content);
}

/**
 * A hidden field by which a person chooses a file, or several with `multiple`: `click()` asks for it.
 * @param {string} accept
 * @param {(file: File, files: File[]) => void} take
 * @param {import("./dom.js").Props} [props]
 */
export function filePicker(accept, take, props) {
  const picker = el("input", {
    type: "file",
    accept,
    hidden: true,
    onchange: () => {
      const files = [...(picker.files ?? [])];
      if (files.length) take(files[0], files);
      // the same one may be chosen again
      picker.value = "";
    },
    ...props,
  });
  return picker;
}

/**
 * What 1-0 means in files, for all panels that read some.
 * @param {import("./shell.js").App} app
 * @param {() => void} [heard]
 */
export const resultsChoice = (app, heard) =>
  choice(
    t("Results in files"),
    {english: t("1-0 in files: Black won"), white: t("1-0 in files: White won")},
    {
      value: app.kept("results", "english"),
      onchange: value => {
        app.keep("results", value);
        heard?.();
      },
    },
  );
