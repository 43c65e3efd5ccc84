// A question before what can't be undone.

import {dialog} from "../dialog.js";
import {button, el} from "../dom.js";

/**
 * Asks; the way back has the focus, so that no key that was meant for something else says yes.
 * @param {string} question
 * @param {{yes: string, no: string, act: () => void}} answers
 */
export function ask(question, {yes, no, act}) {
  const back = button(no, () => asked.close(), {class: "primary"});
  const asked = dialog(question, [
    el(
      "div",
      {class: "row answers"},
      button(yes, () => {
        asked.close();
        act();
      }),
      back,
    ),
  ]);
  back.focus();
}
