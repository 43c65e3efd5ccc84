// The answers of the page, for tests: node page_answers.mjs DATA LIBRARY DATABASE BOOK
//
// Messages come and go as lines of JSON: those of kr/page/static/messenger.js, and {id, clock} and {id, seed}. DATA has
// the files of kr/page/data.py; LIBRARY is the folder of kr.wasm, kr.krt and people.krp; DATABASE that of the endgame
// database; BOOK is the opening book. The engine searches in this thread, so that a search takes what it takes: nothing
// stops it but its limits, and the stop of a stream after an iteration.

import {readdirSync, readFileSync} from "node:fs";
import {createInterface} from "node:readline";

const [data, library, database, book] = process.argv.slice(2);
const local = new URL("../kr/page/static/answers/", import.meta.url);
const load = name => import(new URL(name, local));
const [{Dispatcher}, {Engine}, {House}] = await Promise.all(["answers.js", "engine.js", "house.js"].map(load));

const module = () => new WebAssembly.Module(readFileSync(`${library}/kr.wasm`));
const databaseFiles = () =>
  readdirSync(database)
    .filter(name => name.endsWith(".egdb"))
    .map(name => new Uint8Array(readFileSync(`${database}/${name}`)));

async function startThread() {
  const {Searcher} = await load("searcher.js");
  const bytes = name => new Uint8Array(readFileSync(`${library}/${name}`));
  const files = {tables: bytes("kr.krt"), policy: bytes("people.krp"), database: databaseFiles()};
  const searcher = new Searcher(module(), files, 16 << 20);
  let isStopped = false;
  return {
    async ask(message, hear) {
      isStopped = false;
      // those who wait have their say before a search takes the thread
      await new Promise(resolve => setImmediate(resolve));
      if (message.evaluate) return searcher.evaluate(message.evaluate);
      if (message.scores) return searcher.scores(message.scores);
      if (message.facts) return searcher.facts(message.facts);
      if (message.people) return searcher.people(message.people, message.group);
      if (message.check) return searcher.checkColumns(message.check);
      if (message.changed) return searcher.changed(message.changed);
      const calls = {
        isStopped: () => isStopped,
        onProof: proof => hear?.({proof}),
        onChecked: checked => hear?.({checked}),
      };
      if (message.prove) return searcher.prove(message.prove, calls);
      if (message.problem) return searcher.checkProblem(message.problem, calls);
      if (message.variation) return searcher.checkVariation(message.variation, calls);
      const {search} = message;
      // with both, a busy machine would end it by the time
      if (search.limits.nodes) delete search.limits.seconds;
      return searcher.search(search, {isStopped: () => isStopped, onLines: lines => hear?.({lines})});
    },
    stop: () => (isStopped = true),
    close() {},
  };
}

// a clock that tests set, in seconds; until then the real one
let clock = null;
let seed = 1;
const engine = new Engine(startThread);
const house = new House({
  loadJson: async name => JSON.parse(readFileSync(`${data}/${name}.json`, "utf8")),
  openDatabase: async () => new (await load("database.js")).Database(module(), databaseFiles()),
  openBook: async () => new (await load("krb.js")).PackedBook(new Uint8Array(readFileSync(book))),
  openProver: async () => new (await load("prover.js")).Prover(engine, {version: "", signature: "", reach: "up to 5 pieces"}),
  engine,
  clock: () => clock ?? performance.now() / 1000,
  random: () => (seed = (seed * 48271) % 2147483647) / 2147483647,
});

// errors are told as a page in English does
const {said} = await import(new URL("../kr/viewer/static/texts.js", import.meta.url));
const send = message => {
  const told = message.error === undefined ? message : {...message, error: said(message.error)};
  process.stdout.write(JSON.stringify(told) + "\n");
};
const dispatcher = new Dispatcher(house, send);

for await (const line of createInterface({input: process.stdin})) {
  const message = JSON.parse(line);
  if (dispatcher.take(message)) continue;
  if ("clock" in message) clock = message.clock;
  if ("seed" in message) seed = message.seed;
  send({id: message.id, answer: {}});
}
// streams that are still open, and the clocks of their games, end with the tests
process.exit();
