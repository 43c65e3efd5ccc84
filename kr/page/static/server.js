// What the page asks: a worker in this browser (answers/answers.js), and a machine (machine.js) for what only one can
// do: files, archives, runs, matches. The worker in turn asks the machine for the engine, where there is one.
//
//   api(path, body)           a promise of the answer, a JSON object; it rejects with an Error whose message a person
//                             can read
//   live(what, args, hear)    a stream: hear gets its events, at last {end: true} or {error}; the result has
//                             say(object), which sends something into it, and stop(), after which nothing is heard
//   onlink(f)                 calls f with what answers, as it changes: "here", perhaps another one, with other engines
//                             and files, "gone" or "stranger", and what was told before; never where no machine is
//   onprogress(f), retry(name), keepAll()    of the files that the worker loads, where it has the engine

import {ANSWERED} from "./answers/answered.js";
import {forwarding, Messenger} from "./messenger.js";
import * as place from "./place.js";
import {told} from "./told.js";
import {t} from "./texts.js";

/** @typedef {import("./messenger.js").Event} Event what a stream tells */
/** @typedef {import("./answers/store.js").FileProgress} Progress */
/** @typedef {typeof import("./machine.js")} Machine */

/** What a worker answers. @type {Set<string>} */
const OWN = new Set(ANSWERED);
const SCRIPT = "main"; // as which a worker that did not start is told of

/** @type {Machine | null} */
const machine = place.machine;

/** @type {((progress: Progress) => void)[]} */
const watchers = [];
/** @type {Progress[]} what was told before anyone watched */
let untold = [];
let hasSpoken = false,
  isBroken = false;
/** @type {Worker | null} */
let worker = null;
const messenger = new Messenger(message => worker?.postMessage(message));
const forward = machine && forwarding(machine, message => worker?.postMessage({server: message}));
start();
// first of all who hear of it
machine?.onlink(link => link === "here" && worker?.postMessage({back: true}));

function start() {
  try {
    worker = new Worker(place.worker(), {type: "module"});
    worker.onmessage = async ({data}) => {
      hasSpoken = true;
      if (data.server) forward?.(data.server);
      else if (data.progress) progressed(data.progress);
      else messenger.hear(typeof data.error === "object" ? {...data, error: await told(data.error)} : data);
    };
    // what fails later answers for itself
    worker.onerror = event => hasSpoken || fail(event.message || t("its script did not load"));
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} why */
function fail(why) {
  if (isBroken) return;
  isBroken = true;
  messenger.fail(t("The engine did not start: {why}", {why}));
  progressed({name: SCRIPT, loaded: 0, total: 0, failed: why});
}

/** @param {Progress} progress */
function progressed(progress) {
  if (watchers.length) for (const f of watchers) f(progress);
  else untold.push(progress);
}

/** @param {string} name @returns {import("./messenger.js").Answering} */
const answering = name => (!machine || OWN.has(name.split("/")[0]) ? messenger : machine);

/**
 * Asks.
 * @param {string} path such as "games/pdn"
 * @param {object} [body]
 * @returns {Promise<any>} the answer
 */
export const api = (path, body = {}) => answering(path).api(path, body);

/**
 * Opens a stream.
 * @param {string} what its name
 * @param {object} args
 * @param {(event: Event) => void} hear gets its events, at last {end: true} or {error, lost: true if the link broke}
 */
export const live = (what, args, hear) => answering(what).live(what, args, hear);

/** @param {(link: import("./machine.js").Link, before: import("./machine.js").Link) => void} f */
export const onlink = f => machine?.onlink(f);

/** Calls f with what is told of files that are loaded. @param {(progress: Progress) => void} f */
export function onprogress(f) {
  watchers.push(f);
  for (const each of untold) f(each);
  untold = [];
}

/** Loads a file that failed once more. @param {string} name */
export function retry(name) {
  if (isBroken) location.reload();
  else worker?.postMessage({retry: name});
}

/** Loads all files, for when there is no network. */
export const keepAll = () => worker?.postMessage({keepAll: true});
