// The files that the worker loads: how far they are, and what failed.

import {notice} from "./notices.js";
import {onprogress, retry} from "./server.js";
import {decimal, t} from "./texts.js";

/** @import {Progress} from "./server.js" */

const PATIENCE_MS = 400; // what comes sooner needs no word
const MB = 1e6;

/** @param {string} name of a file */
function called(name) {
  if (name.endsWith(".json")) return t("openings and puzzles");
  if (name === "database") return t("the endgame database");
  if (name === "book") return t("the opening book");
  return name === "people" ? t("what people play") : t("the engine");
}

/** Why a file did not come. @param {string} failed as the worker has it */
function reason(failed) {
  if (failed === "offline") return t("there is no connection");
  if (failed === "damaged") return t("it came damaged");
  if (failed === "part") return t("only a part of it came");
  return /^\d+$/.test(failed) ? t("the server answered {status}", {status: failed}) : failed;
}

/** Shows it from now on. */
export function showProgress() {
  /** @type {Map<string, Progress>} */
  const files = new Map();
  const {line, text, bar, amount, again} = notice(t("Try again"), tryAgain);
  let since = 0;

  function tryAgain() {
    for (const {name, failed} of [...files.values()]) {
      if (!failed) continue;
      files.delete(name);
      retry(name);
    }
    show();
  }

  /** @param {string} said screen readers speak it, so it is set when it is another */
  function say(said) {
    if (text.textContent !== said) text.textContent = said;
  }

  function show() {
    const all = [...files.values()],
      failed = all.find(each => each.failed),
      largest = all.filter(each => !each.done).sort((a, b) => b.total - a.total)[0];
    if (!largest) {
      files.clear();
      clearTimeout(since);
      since = 0;
      line.hidden = true;
      // what a live region keeps is read again
      say("");
      return;
    }
    bar.hidden = amount.hidden = Boolean(failed);
    again.hidden = !failed;
    line.classList.toggle("failed", Boolean(failed));
    const what = called((failed ?? largest).name);
    if (failed) {
      say(t("Could not load {what}: {why}", {what, why: reason(failed.failed ?? "")}));
      line.hidden = false;
      return;
    }
    const sum = (/** @type {(each: Progress) => number} */ of) => all.reduce((whole, each) => whole + of(each), 0),
      [loaded, total] = [sum(each => each.loaded), sum(each => each.total)],
      size = t("{loaded} of {total} MB", {loaded: decimal(loaded / MB, 1), total: decimal(total / MB, 1)});
    say(t("Loading {what}", {what}));
    amount.textContent = size;
    bar.max = total || 1;
    bar.value = loaded;
    bar.setAttribute("aria-label", t("Loading {what}", {what}));
    bar.setAttribute("aria-valuetext", size);
    since ||= window.setTimeout(() => {
      line.hidden = files.size === 0;
    }, PATIENCE_MS);
  }

  const tellUnkept = untoldUnkept();
  onprogress(progress => {
    files.set(progress.name, progress);
    show();
    if (progress.unkept && progress.total >= MB) tellUnkept();
  });
}

/** What says, once, that the browser keeps no files. */
function untoldUnkept() {
  const {line, text} = notice(t("Close"), () => {
    line.hidden = true;
  });
  return () => {
    if (text.textContent) return;
    text.textContent = t("This browser keeps no files of this page: they are loaded again at each visit");
    line.hidden = false;
  };
}
