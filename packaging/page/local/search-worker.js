// The engine's Worker.

import {HASH_MB} from "./engine.js";
import {Searcher} from "./searcher.js";
import {KrError} from "./text.js";

const worker = /** @type {any} */ (globalThis);
/** @type {Searcher | null} */
let searcher = null;
/** It can be told to stop; in a browser that forbids such requests the thread is ended instead. */
let hears = true;

/** True once the URL has been withdrawn. @param {string} url */
function isGone(url) {
  const request = new XMLHttpRequest();
  try {
    request.open("GET", url, false);
    request.send();
    return false;
  } catch {
    return true;
  }
}

/** @param {any} message */
function answer({files, search, evaluate, people, group, url}) {
  if (files) {
    hears = !isGone(url);
    searcher = new Searcher(files.module, files, HASH_MB << 20);
    return {bytes: searcher.bytes};
  }
  if (!searcher) throw new Error("the engine has no files");
  if (evaluate) return searcher.evaluate(evaluate);
  if (people) return searcher.people(people, group);
  return searcher.search(search, {
    isStopped: () => hears && isGone(url),
    onLines: lines => worker.postMessage({told: {lines}}),
    onProgress: progress => worker.postMessage({told: {progress}}),
  });
}

worker.onmessage = (/** @type {MessageEvent} */ {data}) => {
  try {
    worker.postMessage({answer: answer(data)});
  } catch (error) {
    // what is asked for in vain is no failure of the thread
    worker.postMessage({error: error instanceof Error ? error.message : String(error), isKr: error instanceof KrError});
  }
};
