// Asking the server: requests, and streams over the page's one WebSocket.

const SILENT = "The server does not answer. Is kr web still running?";
const RETRY_MS = 1500;
const listeners = [], strangers = [];
let lost = false, isStranger = false;

// Calls f whenever a server that was lost answers again.
export function onback(f) { listeners.push(f); }

// Calls f when a server answers in place of the one that was lost, and asks for a token that this browser lacks.
export function onstranger(f) { strangers.push(f); }

function lose() {
  if (!lost) setTimeout(retry, RETRY_MS);
  lost = true;
}

async function retry() {
  try {
    const answer = await fetch("/", {method: "HEAD"}), before = isStranger;
    lost = !answer.ok;
    isStranger = answer.status === 401;
    if (isStranger && !before) for (const f of strangers) f();
  } catch {
    // not yet
  }
  if (lost) setTimeout(retry, RETRY_MS);
  else for (const f of listeners) f();
}

export async function api(path, body = {}) {
  let answer;
  try {
    answer = await fetch(`/api/${path}`, {
      method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body),
    });
  } catch {
    lose();
    throw Object.assign(new Error(SILENT), {lost: true});
  }
  const found = await answer.json().catch(() => ({error: `the server answered ${answer.status}`}));
  if (!answer.ok) throw new Error(found.error || `the server answered ${answer.status}`);
  return found;
}

const streams = new Map();
let socket = null, last = 0, waiting = [];

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
    for (const hear of left) hear({error: SILENT, lost: true});
  };
}

function send(message) {
  const text = JSON.stringify(message);
  if (!socket) connect();
  if (socket.readyState === WebSocket.OPEN) socket.send(text);
  else waiting.push(text);
}

// Opens a stream. hear gets its events, at last {end: true} or {error, lost: true if the link broke}.
export function live(what, args, hear) {
  const id = ++last;
  streams.set(id, hear);
  send({...args, id, do: what});
  return {
    say: said => streams.has(id) && send({id, say: said}),
    // nothing more is heard of it
    stop() {
      if (streams.delete(id)) send({id, stop: true});
    },
  };
}
