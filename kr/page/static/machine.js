// The server of a page that has one: requests, and streams over the page's one WebSocket. server.js, which offers the
// same, knows what is asked of it; worker.js keeps the files of the page for when it is gone. An error of the server
// has the name of its sentence, if it has one, in `say`.

import {Unanswered} from "./messenger.js";
import {t} from "./texts.js";
import {told} from "./told.js";

/** @typedef {import("./messenger.js").Event} Event what a stream tells */

const silent = () => t("The server does not answer. Is kr web still running?");
const RETRY_MS = 1500;

/** @typedef {"here" | "gone" | "stranger"} Link */

/** @type {((link: Link, before: Link) => void)[]} */
const listeners = [];
/** @type {Link} */
let link = "here";
let isLooking = false;

/** Calls f with what answers, as it changes. @param {(link: Link, before: Link) => void} f */
export function onlink(f) {
  listeners.push(f);
  if (link !== "here") f(link, link);
}

/** @param {Link} now */
function become(now) {
  const before = link;
  link = now;
  if (now !== "here") look();
  else if (!socket) connect();
  // one that is here again may be another one
  if (now === "here" || now !== before) for (const f of listeners) f(now, before);
}

/** Asks in a while whether a server is there, and so on until one is. */
function look() {
  if (isLooking) return;
  isLooking = true;
  setTimeout(async () => {
    const status = await fetch("/", {method: "HEAD"}).then(
      answer => answer.status,
      () => 0,
    );
    isLooking = false;
    become(status === 200 ? "here" : status === 401 ? "stranger" : "gone");
  }, RETRY_MS);
}

/**
 * Asks the server.
 * @param {string} path such as "proofs/step", or "data/puzzles": data is kept for when the server is gone (worker.js)
 * @param {object} [body]
 * @returns {Promise<any>} its answer
 */
export async function api(path, body = {}) {
  const asking = path.startsWith("data/")
    ? fetch(`/${path}.json`)
    : fetch(`/api/${path}`, {
        method: "POST",
        headers: {"content-type": "application/json"},
        body: JSON.stringify(body),
      });
  const answer = await asking.catch(() => null);
  // a link tells at once when this server ends
  if (answer?.ok && !socket) connect();
  if (answer?.status === 401) become("stranger");
  const content = await answer?.json().catch(() => null);
  if (answer && !answer.ok) {
    const {error = t("the server answered {status}", {status: answer.status})} = content ?? {};
    throw Object.assign(new Error(await told(error, silent())), {say: error.say});
  }
  if (content) return content;
  // none came, or not the whole of one
  become("gone");
  throw new Unanswered({error: silent(), lost: true});
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
  let wasOpen = false;
  socket = opened;
  opened.onopen = () => {
    wasOpen = true;
    for (const text of waiting) opened.send(text);
    waiting = [];
  };
  opened.onmessage = async event => {
    const {id, ...heard} = JSON.parse(event.data);
    if (heard.error !== undefined) heard.error = await told(heard.error, silent());
    const hear = streams.get(id);
    if (heard.end || heard.error !== undefined) streams.delete(id);
    hear?.(heard);
  };
  opened.onclose = () => {
    if (socket !== opened) return;
    socket = null;
    waiting = [];
    const left = [...streams.values()];
    streams.clear();
    if (left.length) become("gone");
    else if (wasOpen) look();
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
