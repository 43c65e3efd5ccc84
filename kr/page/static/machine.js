// The server of a page that has one: requests, and streams over the page's one WebSocket. server.js, which offers the
// same, knows what is asked of it; worker.js keeps the files of the page for when it is gone.

import {Unanswered} from "./messenger.js";
import {t} from "./texts.js";

/** @typedef {import("./messenger.js").Event} Event what a stream tells */

const silent = () => t("The server does not answer. Is kr web still running?");
const RETRY_MS = 1500;

/** @type {(() => void)[]} */
const listeners = [];
/** @type {(() => void)[]} */
const strangers = [];
/** @type {((never: boolean) => void)[]} */
const losers = [];
let lost = false,
  isStranger = false,
  hasAnswered = false;

/**
 * Calls f when the server is lost, with true if it has never answered this page.
 * @param {(never: boolean) => void} f
 */
export function onlost(f) {
  losers.push(f);
  if (lost) f(!hasAnswered);
}

/** Calls f whenever a server that was lost answers again. @param {() => void} f */
export function onback(f) {
  listeners.push(f);
}

/**
 * Calls f when a server answers in place of the one that was lost, and asks for a token that this browser lacks.
 * @param {() => void} f
 */
export function onstranger(f) {
  strangers.push(f);
}

/** @param {boolean} [byStranger] whether a server answers that asks for another token */
function lose(byStranger = false) {
  if (lost) return;
  lost = true;
  isStranger = byStranger;
  setTimeout(retry, RETRY_MS);
  if (byStranger) for (const f of strangers) f();
  else for (const f of losers) f(!hasAnswered);
}

async function retry() {
  try {
    const answer = await fetch("/", {method: "HEAD"}),
      before = isStranger;
    lost = !answer.ok;
    isStranger = answer.status === 401;
    if (isStranger && !before) for (const f of strangers) f();
  } catch {
    // not yet
  }
  if (lost) setTimeout(retry, RETRY_MS);
  else for (const f of listeners) f();
}

/**
 * Asks the server.
 * @param {string} path such as "proofs/step", or "data/puzzles": data is kept for when the server is gone (worker.js)
 * @param {object} [body]
 * @returns {Promise<any>} its answer
 */
export async function api(path, body = {}) {
  let answer;
  try {
    answer = path.startsWith("data/")
      ? await fetch(`/${path}.json`)
      : await fetch(`/api/${path}`, {
          method: "POST",
          headers: {"content-type": "application/json"},
          body: JSON.stringify(body),
        });
  } catch {
    lose();
    throw new Unanswered({error: silent(), lost: true});
  }
  hasAnswered ||= answer.ok;
  if (answer.status === 401) lose(true);
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error || t("the server answered {status}", {status: answer.status}));

  return found;
}

/** @type {Map<number, (event: Event) => void>} */
const streams = new Map();
/** @type {WebSocket | null} */
let socket = null;
let last = 0;
/** @type {string[]} */
let waiting = [];

function connect() {
  const opened = new WebSocket(`ws://${location.host}/live`);
  socket = opened;
  opened.onopen = () => {
    for (const text of waiting) opened.send(text);
    waiting = [];
  };
  opened.onmessage = event => {
    const {id, ...told} = JSON.parse(event.data);
    const hear = streams.get(id);
    if (told.end || told.error !== undefined) streams.delete(id);
    if (hear) hear(told);
  };
  opened.onclose = () => {
    if (socket !== opened) return;
    socket = null;
    waiting = [];
    const left = [...streams.values()];
    streams.clear();
    if (left.length) lose();
    for (const hear of left) hear({error: silent(), lost: true});
  };
}

/** @param {object} message */
function send(message) {
  const text = JSON.stringify(message);
  if (!socket) connect();
  if (socket?.readyState === WebSocket.OPEN) socket.send(text);
  else waiting.push(text);
}

/**
 * Opens a stream.
 * @param {string} what its name
 * @param {object} args
 * @param {(event: Event) => void} hear gets its events, at last {end: true} or {error, lost: true if the link broke}
 */
export function live(what, args, hear) {
  const id = ++last;
  streams.set(id, hear);
  send({...args, id, do: what});
  return {
    /** @param {object} said */
    say: said => streams.has(id) && send({id, say: said}),
    /** Nothing more is heard of it. */
    stop() {
      if (streams.delete(id)) send({id, stop: true});
    },
  };
}
