// The service worker: it keeps the files of the page, so that it opens without a network. build_page.py writes SHELL
// before it: the digest of this build, its small files with theirs, and the names of its large ones, which the page
// loads and keeps by itself (kr/page/static/answers/store.js). But for the page, manifest and icons each name holds a
// digest.

export {}; // with names of its own, for those who check it

const worker = /** @type {any} */ (globalThis);
/** @type {{build: string, files: Record<string, string>, large: string[]}} */
const {build, files, large} = worker.SHELL;
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
 * @param {string} digest empty if the name says nothing of the content
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

/** The page of the host; the kept one if that does not answer. @param {Request} request */
async function page(request) {
  const loading = fetch(request),
    own = await kept(HOME);
  if (!own) return loading;
  try {
    const answer = await Promise.race([loading, new Promise(done => setTimeout(done, LIMIT_MS))]);
    if (answer?.ok || answer?.type === "opaqueredirect") return answer;
  } catch {
    // no network
  }
  return own;
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
  if (request.mode !== "navigate") event.respondWith(file(request));
  else if (!name || name === "index.html") event.respondWith(page(request));
});
