// What only comes after the board needs: the English sentences, how numbers are written, how far large files are, what
// keeps the files of the page, and styles, which the page names by links that browsers don't follow by themselves.

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

/** Has it loaded, once. */
export function later() {
  const styles = [...document.querySelectorAll("link[rel=later]")];
  loading ??= Promise.all([import("./english.js"), ...styles.map(loaded)]).then(
    ([{install, learn, offerSizes, showProgress}]) => {
      learn();
      showProgress();
      offerSizes();
      install();
    },
    error => {
      loading = null;
      throw error;
    },
  );
  return loading;
}
