// What only comes after the board needs: the English sentences of games, how far large files are, and styles, which the
// page names by links that browsers don't follow by themselves.

import {knowEnglish} from "./texts.js";

/** @type {Promise<unknown> | null} */
let loading = null;

/** @param {Element} each */
const loaded = each =>
  new Promise((done, failed) => {
    const link = /** @type {HTMLLinkElement} */ (each);
    link.onload = done;
    link.onerror = () => {
      // for the next one who asks
      link.rel = "later";
      failed(new Error(`${link.href} did not load`));
    };
    link.rel = "stylesheet";
  });

async function sentences() {
  knowEnglish((await import("./languages/en.js")).default);
}

/** Has it loaded, once. */
export function later() {
  const styles = [...document.querySelectorAll("link[rel=later]")];
  loading ??= Promise.all([import("./progress.js"), sentences(), ...styles.map(loaded)]).then(
    ([{showProgress}]) => showProgress(),
    error => {
      loading = null;
      throw error;
    },
  );
  return loading;
}
