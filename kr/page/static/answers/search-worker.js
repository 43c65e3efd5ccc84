// The engine's Worker.

import {HASH_MB} from "./engine.js";
import {CAN_PAUSE} from "./kr.js";
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

const calls = {
  onLines: (/** @type {import("./kr.js").Result} */ lines) => worker.postMessage({told: {lines}}),
  onProgress: (/** @type {import("./kr.js").Progress} */ progress) => worker.postMessage({told: {progress}}),
  onProof: (/** @type {import("./proving.js").ProofState} */ proof) => worker.postMessage({told: {proof}}),
  onChecked: (/** @type {{nodes: number, seconds: number}} */ checked) => worker.postMessage({told: {checked}}),
};

/** @param {any} message */
function answer({
  files,
  search,
  prove,
  problem,
  variation,
  changed,
  check,
  evaluate,
  scores,
  facts,
  people,
  group,
  url,
}) {
  if (files) {
    hears = CAN_PAUSE || !isGone(url);
    searcher = new Searcher(files.module, files, HASH_MB << 20);
    return {bytes: searcher.bytes, pauses: CAN_PAUSE};
  }
  if (!searcher) throw new Error("the engine has no files");
  if (evaluate) return searcher.evaluate(evaluate);
  if (scores) return searcher.scores(scores);
  if (facts) return searcher.facts(facts);
  if (people) return searcher.people(people, group);
  if (check) return searcher.checkColumns(check);
  const isStopped = CAN_PAUSE ? undefined : () => hears && isGone(url);
  if (prove) return searcher.prove(prove, {isStopped, ...calls});
  if (changed) return searcher.changed(changed);
  if (variation) return searcher.checkVariation(variation, {isStopped});
  if (problem) return searcher.checkProblem(problem, {isStopped, ...calls});
  return isStopped ? searcher.search(search, {isStopped, ...calls}) : searcher.searchPausing(search, calls);
}

worker.onmessage = async (/** @type {MessageEvent} */ {data}) => {
  if (data.stop) {
    searcher?.stop();
    return;
  }
  try {
    worker.postMessage({answer: await answer(data)});
  } catch (error) {
    // what is asked for in vain is no failure of the thread
    worker.postMessage({error: error instanceof Error ? error.message : String(error), isKr: error instanceof KrError});
  }
};
