// The service worker: it keeps the files of the page, so that an installed app opens at once and while its server is
// gone. The server writes SHELL before it, {version, files}: each version of the files has paths of its own, so
// that a page and its scripts are of one version, and a page that is open when kr is renewed goes on with its own.

const worker = /** @type {any} */ (globalThis);
/** @type {{version: string, files: string[]}} */
const {version, files} = worker.SHELL;
const KEPT = `kr-${version}`;

/** All files of this version, or none. */
async function keep() {
  const cache = await caches.open(KEPT);
  await cache.addAll(files.map(path => new Request(path, {cache: "reload"})));
  await worker.skipWaiting();
}

/** Removes what older versions have kept, but for the one before: a page of it may still be open. */
async function clean() {
  const others = (await caches.keys()).filter(name => name.startsWith("kr-") && name !== KEPT);
  await Promise.all(others.slice(0, -1).map(name => caches.delete(name)));
  await worker.clients.claim();
}

/** The page of the server that is there; the kept one if there is none. @param {Request} request */
async function page(request) {
  try {
    return await fetch(request);
  } catch {
    const cache = await caches.open(KEPT);
    return (await cache.match("/")) ?? Response.error();
  }
}

/** A file of this version or the one before. @param {Request} request */
async function file(request) {
  return (await caches.match(request, {ignoreVary: true})) ?? fetch(request);
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keep()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(clean()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const {request} = event,
    {origin, pathname} = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (pathname === "/" && request.mode === "navigate") event.respondWith(page(request));
  else if (pathname.startsWith("/static/")) event.respondWith(file(request));
});
