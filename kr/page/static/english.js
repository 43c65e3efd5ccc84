// What `said` needs after the board: the English sentences, and how a language writes numbers.

import english from "./languages/en.js";
import {written} from "./numbers.js";
import {knowEnglish, said} from "./texts.js";

// come in the same file
export {offerSizes} from "./corner.js";
export {install} from "./install.js";
export {showProgress} from "./progress.js";

export const learn = () => knowEnglish(english, written);

/** What a server says, before or after that. @param {import("./texts.js").Said} told */
export function tell(told) {
  learn();
  return said(told);
}
