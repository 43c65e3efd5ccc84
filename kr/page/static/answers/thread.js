// The engine's Worker, from the side of the answers, which run in a Worker of their own.
//
// Where a WebAssembly can pause, a message reaches a search. Elsewhere it blocks its thread: it asks now and then if a
// URL is still there, one of a few bytes in memory that is withdrawn to stop it; the tools of the browser list the one
// request that then fails. Both work without the headers that shared memory would need, which plain hosts of pages
// don't send. A thread that doesn't hear even so is ended.

import {Deaf} from "./engine.js";
import {KrError} from "./text.js";

/** @typedef {import("./engine.js").Thread} Thread */

const DEAF_MS = 1500;
/** What can be stopped; with the files it learns whether it hears. */
const STOPPED = ["search", "prove", "problem", "variation", "files"];

/**
 * Starts the thread and gives it its files.
 * @param {string | URL} script
 * @param {any} files which go over to it
 * @param {Transferable[]} moved the parts of them that needn't be copied
 * @returns {Promise<Thread>}
 */
export async function startThread(script, files, moved) {
  const worker = new Worker(script, {type: "module"});
  /** @type {{resolve: (answer: any) => void, reject: (error: Error) => void, hear?: (told: any) => void} | null} */
  let asked = null;
  let url = "",
    deaf = 0,
    pauses = false;

  const settle = () => {
    clearTimeout(deaf);
    if (url) URL.revokeObjectURL(url);
    url = "";
    const was = asked;
    asked = null;
    return was;
  };
  const fail = (/** @type {Error} */ why) => {
    worker.terminate();
    settle()?.reject(why);
  };
  worker.onmessage = ({data}) => {
    if (data.told) asked?.hear?.(data.told);
    else if (data.error) settle()?.reject(data.isKr ? new KrError(data.error) : new Error(data.error));
    else settle()?.resolve(data.answer);
  };
  worker.onerror = event => {
    event.preventDefault();
    fail(new Error(`the engine has failed: ${event.message || "its script did not load"}`));
  };
  const ask = (/** @type {any} */ message, /** @type {any} */ hear, /** @type {Transferable[]} */ transfer = []) =>
    new Promise((resolve, reject) => {
      asked = {resolve, reject, hear};
      if (!pauses && STOPPED.some(name => message[name])) url = URL.createObjectURL(new Blob(["on"]));
      worker.postMessage({...message, url}, transfer);
    });

  ({pauses} = /** @type {any} */ (await ask({files}, undefined, moved)));
  return {
    ask: (message, hear) => ask(message, hear),
    stop() {
      if (!asked || !(pauses || url)) return;
      if (pauses) worker.postMessage({stop: true});
      else URL.revokeObjectURL(url);
      clearTimeout(deaf);
      deaf = setTimeout(() => fail(new Deaf()), DEAF_MS);
    },
    close: () => worker.terminate(),
  };
}
