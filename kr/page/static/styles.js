// Styles of all that comes after the board: the page names them by links that browsers don't follow by themselves.

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

/** Has them loaded, once. */
export function laterStyles() {
  loading ??= Promise.all([...document.querySelectorAll("link[rel=later]")].map(loaded)).catch(error => {
    loading = null;
    throw error;
  });
  return loading;
}
