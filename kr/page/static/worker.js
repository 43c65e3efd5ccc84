// The service worker: it keeps the files of the page, so that it opens without a network, or while its server is gone.
// Whoever hands it out writes SHELL before it:
//
//   build    digest of this version, which the page holds
//   files    the small files with their digests, "" for those whose names say what they contain
//   large    names of those that the page loads and keeps by itself (answers/store.js)
//   data     names of those that depend on the server, which is asked first
//
// Names are relative to the page, "./". Those of scripts change with their contents: so a page and what it loads later
// are of one version, and one that is open when kr is renewed goes on with its own.

const worker = /** @type {any} */ (globalThis);
/** @type {{build: string, files: Record<string, string>, large: string[], data: string[]}} */
const {build, files, large, data} = worker.SHELL;
/** Address of the page, and of the folder with its files. @type {string} */
const HOME = worker.registration.scope;
// other pages of the same host have caches as well
const FAMILY = `kr-page ${new URL(HOME).pathname} `,
  KEPT = FAMILY + build,
  LARGE = "kr-files";
const LIMIT_MS = 3000; // a network that says nothing for as long is none

/**
 * A file of this build, from what an older one has kept where nothing has changed.
 * @param {string} name
 * @param {string} digest empty if the name says nothing of the content, or all
 */
async function fresh(name, digest) {
  const url = new URL(name, HOME).href,
    found = digest && (await caches.match(url, {ignoreVary: true}));
  if (found) return {url, answer: found};
  // a host that answers something else, such as a page of its own, is not believed
  const loaded = (/** @type {RequestCache} */ cache) => fetch(url, {cache, ...(digest && {integrity: digest})}),
    answer = await (digest ? loaded("default").catch(() => loaded("reload")) : loaded("no-cache"));
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  if (name === "./" && !(await answer.clone().text()).includes(build)) throw new Error(`${url}: another build`);
  return {url, answer};
}

/** All files of this build, or none. */
async function keep() {
  try {
    const all = await Promise.all(Object.entries(files).map(([name, digest]) => fresh(name, digest)));
    const cache = await caches.open(KEPT);
    await Promise.all(all.map(({url, answer}) => cache.put(url, answer)));
    // one after the other: the server makes them, and one that it can't make is no reason to keep nothing
    for (const name of data) {
      const {url, answer} = await fresh(name, "").catch(() => ({url: "", answer: null}));
      if (answer) await cache.put(url, answer);
    }
  } catch (error) {
    await caches.delete(KEPT);
    throw error;
  }
  await worker.skipWaiting();
}

/** Removes what older builds have kept, but for the small files of the one before: a page of it may still be open. */
async function clean() {
  const others = (await caches.keys()).filter(name => name.startsWith(FAMILY) && name !== KEPT);
  await Promise.all(others.slice(0, -1).map(name => caches.delete(name)));
  const cache = await caches.open(LARGE);
  for (const {url} of await cache.keys()) {
    // a folder below may be a page of its own
    const name = url.startsWith(HOME) ? url.slice(HOME.length) : "/";
    if (!name.includes("/") && !large.includes(name)) await cache.delete(url);
  }
  await worker.clients.claim();
  for (const client of await worker.clients.matchAll()) client.postMessage({build});
}

/** @param {string} url */
const kept = async url => (await caches.open(KEPT)).match(url, {ignoreVary: true});

/**
 * What the host answers; what is kept if it does not.
 * @param {Request} request
 * @param {string} url as which it is kept
 * @returns {Promise<Response>}
 */
async function newest(request, url) {
  const loading = fetch(request),
    own = await kept(url);
  if (!own) return loading;
  try {
    const answer = await Promise.race([loading, new Promise(done => setTimeout(done, LIMIT_MS))]);
    if (answer?.ok || answer?.type === "opaqueredirect") return answer;
  } catch {
    // no network
  }
  return own;
}

/** Data of the host, kept as it was last. @param {Request} request */
async function known(request) {
  const answer = await newest(request, request.url);
  if (answer.ok) await (await caches.open(KEPT)).put(request.url, answer.clone());
  return answer;
}

/** A file of this build, of the one before, or a large one. @param {Request} request */
async function file(request) {
  return (await kept(request.url)) ?? (await caches.match(request, {ignoreVary: true})) ?? fetch(request);
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keep()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(clean()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const {request} = event,
    {origin, pathname} = new URL(request.url);
  if (request.method !== "GET" || !`${origin}${pathname}`.startsWith(HOME)) return;
  const name = `${origin}${pathname}`.slice(HOME.length);
  if (data.includes(name)) event.respondWith(known(request));
  else if (request.mode !== "navigate") event.respondWith(file(request));
  else if (!name || name === "index.html") event.respondWith(newest(request, HOME));
});
