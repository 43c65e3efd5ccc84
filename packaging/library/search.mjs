/* Searches positions with kr compiled to WebAssembly: node search.mjs WASM TABLES HASH_MB DEPTH < FENS

   Prints nodes, score and depth of each, a line each, then the milliseconds of reading the tables and of all searches,
   and the megabytes of memory. The module asks for nothing but a clock. */

import { readFileSync } from "node:fs";

const [wasm, tables, hash, depth] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(wasm));
let memory;
const clock = {
  clock_time_get: (_id, _precision, at) => {
    new DataView(memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  },
};
const kr = new WebAssembly.Instance(module, { wasi_snapshot_preview1: clock }).exports;
memory = kr.memory;
kr._initialize();

const view = () => new DataView(memory.buffer);
const copied = (bytes) => {
  const at = kr.malloc(bytes.length);
  new Uint8Array(memory.buffer).set(bytes, at);
  return at;
};
const good = (error, what) => {
  if (error < 0) throw new Error(`${what}: error ${error}`);
};

const room = kr.malloc(512);
const [position, limits, result] = [room + 16, room + 64, room + 256];
let begin = performance.now();
const content = readFileSync(tables);
const at = copied(content);
good(kr.kr_read_tables(room, at, content.length), tables);
kr.free(at);
const reading = performance.now() - begin;
good(kr.kr_open_engine(room, view().getUint32(room, true), 0, Number(hash) << 20), "engine");
const engine = view().getUint32(room, true);

const lines = [];
begin = performance.now();
for (const fen of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = copied(new TextEncoder().encode(`${fen}\0`));
  good(kr.kr_read_fen(text, position), fen);
  kr.free(text);
  kr.kr_clear(engine);
  good(kr.kr_set_game(engine, position, 1), fen);
  new Uint8Array(memory.buffer).fill(0, limits, limits + 48);
  view().setInt32(limits + 24, Number(depth), true);
  good(kr.kr_search(engine, limits, 0, 0, result), fen);
  const line = view().getUint32(result + 8, true);
  lines.push([view().getBigUint64(result + 16, true), view().getInt32(line, true), view().getInt32(result, true)]);
}
const searching = performance.now() - begin;
for (const line of lines) console.log(line.join(" "));
console.log(`${reading.toFixed(0)} ${searching.toFixed(0)} ${memory.buffer.byteLength >> 20}`);
