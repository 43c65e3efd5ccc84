// A window over the page: a heading, what it holds, and a button that closes it.

import {el} from "./dom.js";
import {iconButton} from "./icons.js";
import {t} from "./texts.js";

/**
 * Opens a dialog; gives it, so that it can be closed.
 * @param {string} title
 * @param {Array<Node | string>} content
 * @param {{onclose?: () => void, wide?: boolean}} [options]
 * @returns {HTMLDialogElement}
 */
export function dialog(title, content, {onclose = () => {}, wide = false} = {}) {
  const shown = /** @type {HTMLDialogElement} */ (
    el(
      "dialog",
      {class: wide ? "sheet wide" : "sheet", "aria-label": title},
      el(
        "div",
        {class: "heading"},
        el("h2", null, title),
        iconButton("close", t("Close"), () => shown.close()),
      ),
      content,
    )
  );
  // a click beside it closes it
  shown.addEventListener("click", event => {
    if (event.target === shown) shown.close();
  });
  shown.addEventListener("keydown", event => event.stopPropagation());
  shown.addEventListener("close", () => {
    shown.remove();
    onclose();
  });
  document.body.append(shown);
  shown.showModal();
  return shown;
}
