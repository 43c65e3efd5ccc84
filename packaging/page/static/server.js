// In place of the server: a worker in this browser that answers all requests (kr/page/answers/main.js). It exports
// what kr/page/static/server.js does, and what tells of the files that the worker loads.
//
// Messages to the worker        and from it
//   {id, ask: path, body}         {id, answer} or {id, error: text}
//   {id, open: what, args}        {id, event} ..., at last {id, end: true} or {id, error: text}
//   {id, say: object}
//   {id, stop: true}
//   {retry: name}                 {progress: {name, loaded, total, done?, failed?: text, unkept?}}, of a file; unkept:
//   {keepAll: true}               this browser has not kept it

import {FILES} from "./files.js";
import {t} from "./texts.js";

/** @typedef {Record<string, any>} Event what a stream tells */
/**
 * @typedef {{name: string, loaded: number, total: number, done?: boolean, failed?: string, unkept?: boolean}}
 *   Progress
 */

const SCRIPT = "main"; // kr/page/answers/main.js

/** @type {Map<number, {done: (answer: any) => void, failed: (why: Error) => void}>} */
const asked = new Map();
/** @type {Map<number, (event: Event) => void>} */
const streams = new Map();
/** @type {((progress: Progress) => void)[]} */
const watchers = [];
/** @type {Progress[]} what was told before anyone watched */
let untold = [];
let last = 0,
  hasSpoken = false;
/** @type {Error | null} why there is no worker */
let broken = null;
const worker = started();

// nothing here can be lost
/** @param {(never: boolean) => void} _f */
export function onlost(_f) {}
/** @param {() => void} _f */
export function onback(_f) {}
/** @param {() => void} _f */
export function onstranger(_f) {}

/** Calls f with what is told of files that are loaded. @param {(progress: Progress) => void} f */
export function onprogress(f) {
  watchers.push(f);
  for (const each of untold) f(each);
  untold = [];
}

/** Loads a file that failed once more. @param {string} name */
export function retry(name) {
  if (broken) location.reload();
  else worker?.postMessage({retry: name});
}

/** Loads all files, for when there is no network. */
export function keepAll() {
  worker?.postMessage({keepAll: true});
}

function started() {
  try {
    const made = new Worker(new URL(FILES[SCRIPT].path, import.meta.url), {type: "module"});
    made.onmessage = event => {
      hasSpoken = true;
      hear(event.data);
    };
    // what fails later answers for itself
    made.onerror = event => hasSpoken || fail(event.message || t("its script did not load"));
    return made;
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
    return null;
  }
}

/** @param {string} why */
function fail(why) {
  if (broken) return;
  broken = new Error(t("The engine did not start: {why}", {why}));
  for (const {failed} of asked.values()) failed(broken);
  asked.clear();
  const left = [...streams.values()];
  streams.clear();
  for (const hear of left) hear({error: broken.message});
  progressed({name: SCRIPT, loaded: 0, total: 0, failed: why});
}

/** @param {Progress} progress */
function progressed(progress) {
  if (watchers.length) for (const f of watchers) f(progress);
  else untold.push(progress);
}

/** @param {Event} told */
function hear({id, answer, error, event, end, progress}) {
  if (progress) return progressed(progress);
  const request = asked.get(id),
    stream = streams.get(id);
  if (request) {
    asked.delete(id);
    if (error === undefined) request.done(answer);
    else request.failed(new Error(error));
  } else if (error !== undefined || end) {
    streams.delete(id);
    stream?.(end ? {end: true} : {error});
  } else stream?.(event);
}

/** As JSON carries it to a server, without what a worker can't get. @param {object} body */
const plain = body => JSON.parse(JSON.stringify(body));

/**
 * Asks the worker.
 * @param {string} path such as "games/pdn"
 * @param {object} [body]
 * @returns {Promise<any>} its answer
 */
export async function api(path, body = {}) {
  if (broken) throw broken;
  const id = ++last;
  return new Promise((done, failed) => {
    asked.set(id, {done, failed});
    worker?.postMessage({id, ask: path, body: plain(body)});
  });
}

/**
 * Opens a stream.
 * @param {string} what its name
 * @param {object} args
 * @param {(event: Event) => void} hear gets its events, at last {end: true} or {error}
 */
export function live(what, args, hear) {
  const id = ++last;
  streams.set(id, hear);
  if (!broken) worker?.postMessage({id, open: what, args: plain(args)});
  else {
    const {message} = broken;
    // as from afar: the caller has the stream by then
    queueMicrotask(() => streams.delete(id) && hear({error: message}));
  }
  return {
    /** @param {object} said */
    say: said => streams.has(id) && worker?.postMessage({id, say: plain(said)}),
    /** Nothing more is heard of it. */
    stop() {
      if (streams.delete(id)) worker?.postMessage({id, stop: true});
    },
  };
}
