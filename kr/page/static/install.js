// The page as an app: its files stay in the browser, so that it opens whether the server is there or not, and it says
// when the server is gone.

import {onback, onlost, onstranger} from "./server.js";
import {t} from "./texts.js";

const LATER_MS = 1500; // the files are kept when the page is at work already

/** Keeps the files of the page by worker.js, where browsers allow it: on this machine, or by https. */
export function install() {
  const bar = document.createElement("p");
  bar.className = "offline";
  bar.setAttribute("role", "status");
  document.body.append(bar);
  let isEmpty = false;
  onlost(never => {
    isEmpty = never;
    bar.textContent = t("The server is gone; start kr web again");
  });
  onstranger(() => {
    bar.textContent = t("kr web has been started again: open the address that it printed in this browser");
  });
  onback(() => {
    bar.textContent = "";
    // a page that opened without a server has nothing to lose, and its game to fetch
    if (isEmpty) location.reload();
  });
  if (!navigator.serviceWorker) return;
  setTimeout(() => {
    // a browser that keeps no files shows the page all the same
    navigator.serviceWorker.register("/worker.js", {updateViaCache: "none"}).catch(() => {});
  }, LATER_MS);
}
