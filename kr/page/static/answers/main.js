// The Worker that answers the page where no server has the engine: it runs in the browser too.

import {Dispatcher} from "./answers.js";
import {FILES} from "./files.js";
import {Engine} from "./engine.js";
import {House} from "./house.js";
import {pause} from "./news.js";
import {isLoading, load, loadJson, onFileProgress, retry} from "./store.js";

const worker = /** @type {any} */ (globalThis);
const LOOK_SECONDS = 0.2;
/** Those of the files that are no data: the service worker keeps them. */
const SCRIPTS = new Set(["search-worker"]);

const compiled = once(async () => WebAssembly.compile(/** @type {any} */ (await load("kr.wasm"))));

/** A function's promise, made once; again if it has failed. @template T @param {() => Promise<T>} make */
function once(make) {
  /** @type {Promise<T> | null} */
  let made = null;
  return () => {
    if (!made) {
      made = make();
      made.catch(() => (made = null));
    }
    return made;
  };
}

async function databaseParts() {
  const bytes = await load("database");
  // a line of JSON with the identity of the values and the size of each file, then the files
  const end = bytes.indexOf(10),
    {signature, sizes} = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  let at = end + 1;
  return {signature, files: sizes.map((/** @type {number} */ size) => bytes.subarray(at, (at += size)))};
}

const databaseFiles = async () => (await databaseParts()).files;

const engine = new Engine(async () => {
  const [{startThread}, module, tables, policy, database] = await Promise.all([
    import("./thread.js"),
    compiled(),
    load("tables"),
    load("people"),
    databaseFiles(),
  ]);
  const script = new URL(FILES["search-worker"].path, self.location.href);
  return startThread(script, {module, tables, policy, database}, [tables.buffer, policy.buffer]);
});

const house = new House({
  loadJson: name => loadJson(`${name}.json`),
  async openDatabase() {
    const [{Database}, module, files] = await Promise.all([import("./database.js"), compiled(), databaseFiles()]);
    return new Database(module, files);
  },
  async openBook() {
    const [{PackedBook}, bytes] = await Promise.all([import("./krb.js"), load("book")]);
    return new PackedBook(bytes);
  },
  async openProver() {
    const [{Prover}, database, {version}, {signature}] = await Promise.all([
      import("./prover.js"),
      house.database(),
      house.data("engine"),
      databaseParts(),
    ]);
    return new Prover(engine, {version, signature, reach: database?.reach ?? ""});
  },
  engine,
});

/** Fetches what nobody has asked for yet, so that all of the page works without a network later. */
async function keepAll() {
  // nothing would be kept otherwise
  if (!globalThis.caches) return;
  const names = Object.keys(FILES).filter(name => !SCRIPTS.has(name));
  // the small ones first, and none while somebody waits for another
  for (const name of names.sort((a, b) => FILES[a].packed - FILES[b].packed)) {
    while (isLoading()) await pause(LOOK_SECONDS);
    await load(name);
  }
}

const dispatcher = new Dispatcher(house, message => worker.postMessage(message));

worker.onmessage = (/** @type {MessageEvent} */ {data}) => {
  if (dispatcher.take(data)) return;
  if (data.retry) retry(data.retry);
  else if (data.keepAll) void keepAll();
};
onFileProgress(progress => worker.postMessage({progress}));
