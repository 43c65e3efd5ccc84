/* Searches positions with kr compiled to WebAssembly: node search.mjs WASM TABLES POLICY HASH_MB DEPTH NODES < FENS

   Prints nodes, score, depth and number of iterations heard of each position, then the moves that people play there as
   FROM,TO,CAPTURED,PROBABILITY, a line each; then nodes of a search without end, as told by the clock that stops it and
   at its end; then of a proof of the first position within NODES the values that are left, from 0 for a loss, and of each
   claim the nodes and searches; then the signature of the bench; then the milliseconds of reading the tables and of all
   searches, and the megabytes of memory that these took. The module asks for nothing but a clock and listeners. */

import { readFileSync } from "node:fs";

const STOP_AT = 100_000;
const [MAX_MOVES, CHOICE_BYTES, CLAIM_BYTES] = [128, 12, 56];

const [wasm, tables, policy, hash, depth, nodes] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(wasm));
let memory;
let heard = 0;
let onClock = () => {};
const clock = {
  clock_time_get: (_id, _precision, at) => {
    new DataView(memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
    onClock();
    return 0;
  },
};
const listener = {
  kr_listen: () => {
    heard += 1;
    return 0;
  },
  kr_hear_proof: () => 0,
  kr_hear_check: () => 0,
};
const kr = new WebAssembly.Instance(module, { wasi_snapshot_preview1: clock, env: listener }).exports;
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
  return error;
};
const opened = (read, path) => {
  const content = readFileSync(path);
  const at = copied(content);
  good(read(room, at, content.length), path);
  kr.free(at);
  return view().getUint32(room, true);
};

const room = kr.malloc(512);
const [position, limits, result, progress] = [room + 16, room + 64, room + 256, room + 384];
const choices = kr.malloc(MAX_MOVES * CHOICE_BYTES);
let begin = performance.now();
const readTables = opened(kr.kr_read_tables, tables);
const reading = performance.now() - begin;
const readPolicy = opened(kr.kr_read_policy, policy);
good(kr.kr_open_engine(room, readTables, 0, Number(hash) << 20), "engine");
const engine = view().getUint32(room, true);

const people = () => {
  const count = good(kr.kr_people(readPolicy, readTables, position, 1, -1, choices), "people");
  return Array.from({ length: count }, (_, i) => {
    const at = choices + i * CHOICE_BYTES;
    const [from, to] = [view().getUint8(at), view().getUint8(at + 1)];
    return [from, to, view().getUint32(at + 4, true), view().getFloat32(at + 8, true)].join(",");
  });
};

const readFen = (fen) => {
  const text = copied(new TextEncoder().encode(`${fen}\0`));
  good(kr.kr_read_fen(text, position), fen);
  kr.free(text);
};

const prove = () => {
  good(kr.kr_open_proof(room, engine, position, 0, 0), "a proof");
  const proof = view().getUint32(room, true);
  new Uint8Array(memory.buffer).fill(0, limits, limits + 48);
  view().setBigUint64(limits + 16, BigInt(nodes), true);
  good(kr.kr_prove_heard(proof, limits, result), "a proof");
  const state = [0, 4].map((field) => view().getInt32(result + field, true));
  for (let i = 0; i < view().getInt32(result + 12, true); i++) {
    const at = view().getUint32(result + 16, true) + i * CLAIM_BYTES;
    state.push(view().getBigUint64(at + 32, true), view().getInt32(at + 12, true));
  }
  kr.kr_close_proof(proof);
  return state;
};

const lines = [];
begin = performance.now();
const fens = readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const fen of fens) {
  readFen(fen);
  kr.kr_clear(engine);
  good(kr.kr_set_game(engine, position, 1), fen);
  new Uint8Array(memory.buffer).fill(0, limits, limits + 48);
  view().setInt32(limits + 24, Number(depth), true);
  heard = 0;
  good(kr.kr_search_heard(engine, limits, result), fen);
  const line = view().getUint32(result + 8, true);
  const told = [view().getInt32(line, true), view().getInt32(result, true), heard];
  lines.push([view().getBigUint64(result + 16, true), ...told, ...people()]);
}
const searching = performance.now() - begin;

let stopped = 0n;
onClock = () => {
  if (kr.kr_progress(engine, progress) && view().getBigUint64(progress + 8, true) >= STOP_AT && !stopped) {
    stopped = view().getBigUint64(progress + 8, true);
    kr.kr_stop(engine);
  }
};
kr.kr_clear(engine);
kr.kr_set_game(engine, position, 1);
view().setInt32(limits + 24, 0, true);
good(kr.kr_search_heard(engine, limits, result), "a search without end");
lines.push([stopped, view().getBigUint64(result + 16, true)]);

onClock = () => {};
readFen(fens[0]);
kr.kr_clear(engine);
lines.push(prove());
const megabytes = memory.buffer.byteLength >> 20;
lines.push([BigInt.asUintN(64, kr.kr_signature(readTables))]);

for (const line of lines) console.log(line.join(" "));
console.log(`${reading.toFixed(0)} ${searching.toFixed(0)} ${megabytes}`);
