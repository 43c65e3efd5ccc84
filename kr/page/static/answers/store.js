// The page's large files: fetched once, checked, and kept in this browser. Each has a name of its contents, so that a
// kept one is never of another version.

import {FILES} from "./files.js";
import {release} from "./release.js";

/**
 * How far a file is. failed: "offline", "damaged", "part" (of it has come), or the status that a server answered.
 * @typedef {{name: string, loaded: number, total: number, done?: boolean, failed?: string, unkept?: boolean}}
 *   FileProgress
 */

/** The cache that the service worker looks into too. */
const KEPT = "kr-files";
const TRIES = 3;

/** @type {(progress: FileProgress) => void} */
let tell = () => {};
/** @type {Map<string, Promise<Uint8Array>>} */
const loading = new Map();
/** @type {Map<string, () => void>} */
const retries = new Map();

/** Who is told how far the files are. @param {(progress: FileProgress) => void} listener */
export function onFileProgress(listener) {
  tell = listener;
}

/** Fetches a file again that could not be had. @param {string} name */
export function retry(name) {
  const again = retries.get(name);
  retries.delete(name);
  again?.();
}

/** True while somebody waits for a file. */
export const isLoading = () => loading.size > 0;

/** The bytes of a file by its name. Those who ask while it is fetched share the fetch. @param {string} name */
export function load(name) {
  let found = loading.get(name);
  if (!found) {
    found = fetched(name);
    loading.set(name, found);
    const forget = () => loading.delete(name);
    found.then(forget, forget);
  }
  return found;
}

/** JSON of a file by its name. @param {string} name @returns {Promise<any>} */
export async function loadJson(name) {
  return JSON.parse(new TextDecoder().decode(await load(name)));
}

async function opened() {
  try {
    return await caches.open(KEPT);
  } catch {
    // a private window, or a browser told to keep nothing
    return null;
  }
}

/** @param {string} name @returns {Promise<Uint8Array>} */
async function fetched(name) {
  const file = FILES[name];
  if (!file) throw new Error(`the page has no file ${name}`);
  const url = new URL(file.path, self.location.href).href,
    cache = await opened();
  const kept = await cache?.match(url).catch(() => undefined);
  if (kept) {
    const bytes = await kept
      .arrayBuffer()
      .then(packed => checked(new Uint8Array(packed), file))
      .catch(() => null);
    if (bytes) return bytes;
    // damaged where it was kept
    await cache?.delete(url).catch(() => {});
  }
  for (let tries = 1; ; tries++) {
    try {
      // what this browser or something on the way has kept may be what is damaged
      const packed = await received(name, url, tries === 1 ? "default" : "reload"),
        bytes = await checked(packed, file);
      const isKept = await keep(cache, url, packed);
      if (bytes !== packed) release(packed);
      tell({name, loaded: file.packed, total: file.packed, done: true, unkept: !isKept});
      return bytes;
    } catch (error) {
      if (tries < TRIES && !(error instanceof TypeError)) continue;
      tell({name, loaded: 0, total: file.packed, failed: reason(error)});
      await new Promise(resolve => retries.set(name, () => resolve(undefined)));
      tries = 0;
    }
  }
}

/** @param {unknown} error */
const reason = error => (error instanceof Bad ? error.message : "offline");

/** What has come is no good. */
class Bad extends Error {}

/**
 * The bytes as they are sent.
 * @param {string} name
 * @param {string} url
 * @param {RequestCache} cache
 */
async function received(name, url, cache) {
  const {packed: total} = FILES[name];
  tell({name, loaded: 0, total});
  const answer = await fetch(url, {cache});
  if (!answer.ok || !answer.body) throw new Bad(String(answer.status));
  const reader = answer.body.getReader();
  // one that the server's packing makes larger is copied
  let bytes = new Uint8Array(total),
    loaded = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    if (loaded + value.length > bytes.length) {
      const larger = new Uint8Array(2 * (loaded + value.length));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(value, loaded);
    loaded += value.length;
    tell({name, loaded: Math.min(loaded, total), total});
  }
  return loaded === bytes.length ? bytes : bytes.slice(0, loaded);
}

/**
 * A file unpacked, if it is whole.
 * @param {Uint8Array<ArrayBuffer>} packed
 * @param {import("./files.js").PageFile} file
 */
async function checked(packed, file) {
  // some servers say how it is packed, and the browser unpacks it
  const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
  if (isPacked && packed.length !== file.packed) throw new Bad("part");
  let bytes;
  try {
    bytes = isPacked ? await unpacked(packed) : packed;
  } catch {
    throw new Bad("damaged");
  }
  if (bytes.length !== file.size) throw new Bad("part");
  // only there by https and on one's own machine; elsewhere the sum within the packed file has to do
  const sum = await globalThis.crypto?.subtle?.digest("SHA-256", bytes);
  if (sum && hex(new Uint8Array(sum)) !== file.sha256) throw new Bad("damaged");
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} packed */
async function unpacked(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const hex = (/** @type {Uint8Array} */ bytes) => Array.from(bytes, each => each.toString(16).padStart(2, "0")).join("");

/** @param {Cache | null} cache @param {string} url @param {Uint8Array<ArrayBuffer>} packed */
async function keep(cache, url, packed) {
  try {
    if (!cache) return false;
    await cache.put(url, new Response(packed, {headers: {"content-type": "application/octet-stream"}}));
    return true;
  } catch {
    // there is no room
    return false;
  }
}
