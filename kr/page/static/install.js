// The page as an app: worker.js keeps its files, so that it opens without a network or its server. What is said of
// these files, and of the server when it is gone, is shown here too.

import {notice} from "./notices.js";
import {keepAll, onlink} from "./server.js";
import {t} from "./texts.js";

const LATER_MS = 1500; // the files are kept when the page is at work already

/** What browsers have where they keep no files: nothing, or a refusal. */
function keeper() {
  try {
    return navigator.serviceWorker ?? null;
  } catch {
    return null;
  }
}

/** Says when the server is gone, and what it takes to have it back. */
function watchServer() {
  const bar = document.createElement("p");
  bar.className = "offline";
  bar.setAttribute("role", "status");
  document.body.append(bar);
  onlink(link => {
    bar.textContent = {
      here: "",
      gone: t("The server is gone; start kr web again"),
      stranger: t("kr web has been started again: open the address that it printed in this browser"),
    }[link];
  });
}

/** Keeps the files of the page, where browsers allow it: by https or on this machine, and in no private window. */
export function install() {
  watchServer();
  const serviceWorker = keeper();
  if (!serviceWorker) return;
  const {line, text} = notice(t("Load again"), () => location.reload());
  serviceWorker.addEventListener("message", event => {
    // each version says when it has taken over
    if (!event.data?.build || event.data.build === document.body.dataset.build) return;
    text.textContent = t("A newer version is there");
    line.hidden = false;
  });
  setTimeout(() => {
    serviceWorker
      .register(new URL("worker.js", document.baseURI), {updateViaCache: "none"})
      .then(() => serviceWorker.ready)
      // who pays for what is loaded has it loaded when it is needed
      .then(() => /** @type {any} */ (navigator).connection?.saveData || keepAll())
      .catch(() => {});
  }, LATER_MS);
}
