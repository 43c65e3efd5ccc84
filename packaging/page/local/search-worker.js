// The engine's Worker.

import {HASH_MB} from "./engine.js";
import {Searcher} from "./searcher.js";
import {KrError} from "./text.js";

const worker = /** @type {any} */ (globalThis);
/** @type {Searcher | null} */
let searcher = null;
/** It can be told to stop; in a browser that forbids such requests the thread is ended instead. */
let hears = true;

const POLLS_BEFORE_GARBAGE = 60,
  LARGE_BYTES = 192 << 20;
let polls = 0;

/** True once the URL has been withdrawn. @param {string} url */
function isGone(url) {
  if (++polls % POLLS_BEFORE_GARBAGE === 0) clean();
  const request = new XMLHttpRequest();
  try {
    request.open("GET", url, false);
    request.send();
    return false;
  } catch {
    return true;
  }
}

/**
 * Has the browser look for garbage, which it doesn't do by itself in a thread that never rests: each request leaves
 * some 25 kB. A block that is large, though nobody touches it, makes it look.
 */
function clean() {
  try {
    new ArrayBuffer(LARGE_BYTES);
  } catch {
    // there is no room for it
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
