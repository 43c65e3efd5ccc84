// Certificates on the page: their files, the steps of their strategies, and how they are sent, checked and kept.
// tests/test_proof_lines.py reads the recorded cases too.

import assert from "node:assert/strict";
import {createHash} from "node:crypto";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {answer, events, Messages} from "../../kr/page/static/answers/answers.js";
import {House} from "../../kr/page/static/answers/house.js";
import {Certificate, unpacked} from "../../kr/page/static/answers/proofs/certificate.js";
import {stepAt} from "../../kr/page/static/answers/proofs/steps.js";
import {Position, sideName} from "../../kr/page/static/answers/rules.js";
import {decodedBytes} from "../../kr/page/static/answers/text.js";

/** @type {any[]} */
const CASES = JSON.parse(readFileSync("tests/cases/certificates.json", "utf8"));
/** @param {string} wanted */
const recorded = wanted => CASES.find(({name}) => name === wanted);
const WIN = recorded("leaves of both kinds"),
  LEAF = recorded("a leaf at once");
const REPORT = {positions: 24, in_database: 5, longest: 17, quiet: 9};
const SECURE = Boolean(globalThis.crypto?.subtle);

/** A database that knows some positions. @param {Record<string, [any, number | null]>} known */
const knowing = known =>
  /** @type {any} */ ({
    has: (/** @type {Position} */ {fen}) => fen in known,
    look: async (/** @type {Position[]} */ asked) =>
      asked.map(({fen}) => ({value: known[fen][0], distance: known[fen][1]})),
  });

for (const {name, root, side, goal, positions, reach, file, known, steps} of CASES)
  test(`the certificate of ${name}`, async () => {
    const content = decodedBytes(file),
      certificate = await unpacked(content, positions);
    const {root: at, side: mover, goal: aim, count} = certificate;
    assert.deepEqual([at.fen, sideName(mover), aim, count], [root, side, goal, positions]);
    assert.equal(certificate.parts.reach, reach);
    for (const {fen, move = null, replies = [], left = null, end = null, outside} of steps) {
      const step = await stepAt(certificate, Position.fromFen(fen), knowing(known));
      assert.equal(step.outside, outside, fen);
      assert.equal(step.own, fen[0] === (side === "black" ? "B" : "W"));
      assert.deepEqual([step.move?.text ?? null, step.left, step.end], [move, left, end], fen);
      const told = step.replies.map(each => [each.text, each.answer?.text ?? null, each.left, each.end]);
      assert.deepEqual(told, replies, fen);
    }
    if (!SECURE) return;
    const again = await unpacked(await new Certificate(certificate.parts).file(), positions);
    assert.deepEqual(again.parts, certificate.parts);
  });

/** The content of a certificate, changed. @param {(content: Uint8Array) => Uint8Array | void} change */
function changed(change) {
  const content = decodedBytes(WIN.file);
  return change(content) ?? content;
}

test("what is no certificate, or damaged, is refused", async () => {
  /** @type {[Uint8Array, RegExp][]} */
  const cases = [
    [new Uint8Array(0), /not a certificate of kr/],
    [new TextEncoder().encode("letters".repeat(9)), /not a certificate of kr/],
    [changed(content => content.subarray(0, -1)), /damaged certificate/],
    [changed(content => new Uint8Array([...content, 0])), /damaged certificate/],
    [changed(content => void content.fill(2, 8, 9)), /a version that this page does not know/],
    [changed(content => void content.fill(255, 12, 16)), /damaged certificate/],
    [changed(content => void content.fill(0, -30)), /damaged certificate/],
  ];
  for (const [content, message] of cases) await assert.rejects(unpacked(content, 100), {message});
  await assert.rejects(
    unpacked(
      changed(() => {}),
      3,
    ),
    /a certificate of 24 positions; at most 3 are checked here/,
  );
});

/** A certificate whose header has these fields too, undefined for none; its digest is right. @param {object} fields */
function headed(fields) {
  const content = Buffer.from(decodedBytes(WIN.file)),
    end = 48 + content.readUInt32LE(12),
    was = JSON.parse(content.subarray(48, end).toString()),
    header = Buffer.from(JSON.stringify({...was, ...fields})),
    fixed = content.subarray(0, 16),
    body = Buffer.concat([header, content.subarray(end)]);
  fixed.writeUInt32LE(header.length, 12);
  return new Uint8Array(Buffer.concat([fixed, createHash("sha256").update(fixed).update(body).digest(), body]));
}

test("a header has exactly its fields, each of its kind", async () => {
  await unpacked(headed({reach: "up to 7 pieces, and 4v4"}), 100);
  for (const fields of [
    ...[{extra: 1}, {provenance: undefined}, {provenance: null}, {provenance: ["x"]}, {provenance: {time: 5}}],
    ...[{positions: 1e300}, {positions: 2 ** 23 + 1}, {positions: 1.5}, {boards: -1}, {root: "W:W1:B32"}],
    ...[{reach: "up to 9 pieces"}, {reach: "up to 7 pieces, and 5v4"}, {goal: "loss"}, {side: ["white"]}],
  ])
    await assert.rejects(unpacked(headed(fields), 100), {message: /damaged certificate/}, JSON.stringify(fields));
});

/** @param {Partial<import("../../kr/page/static/answers/house.js").ProverPort>} prover */
const housing = prover =>
  new House({
    loadJson: async () => ({}),
    openDatabase: async () => null,
    openBook: async () => null,
    openProver: async () => /** @type {any} */ (prover),
    engine: /** @type {any} */ ({}),
  });

/** All events of a stream. @param {House} house @param {string} what @param {object} args */
async function told(house, what, args) {
  const heard = [];
  for await (const event of events(house, what, args, new Messages())) heard.push(event);
  return heard;
}

/** Sends a file in pieces. @param {House} house @param {Uint8Array} content */
async function sent(house, content) {
  let upload = null;
  for (let start = 0; start < content.length; start += 99) {
    const data = btoa(String.fromCharCode(...content.subarray(start, start + 99)));
    ({upload} = await answer(house, "proofs/send", {data, upload}));
  }
  return upload;
}

test("a certificate is sent, checked, stepped through, and comes back as it was", async () => {
  const house = housing({
    async check(_certificate, {onChecked}) {
      onChecked(12);
      await new Promise(resolve => setImmediate(resolve));
      return REPORT;
    },
  });
  const {root, file} = WIN,
    content = decodedBytes(file),
    [progress, {certificate}] = await told(house, "certificate", {
      upload: await sent(house, content),
      name: "a.krproof",
    });
  assert.deepEqual(progress, {checked: 12, of: 24});
  const {proof, ...rest} = certificate;
  assert.deepEqual(rest, {name: "a.krproof", fen: root, side: "black", goal: "win", ...REPORT});
  const saved = await answer(house, "proofs/file", {proof});
  assert.deepEqual(saved, {name: "a.krproof", content});
  assert.equal((await answer(house, "proofs/step", {proof, fen: root})).replies.length, 1);
  await assert.rejects(answer(house, "proofs/step", {proof: "x", fen: root}), /open it again/);
  await assert.rejects(told(house, "certificate", {upload: "x"}), /open it again/);
});

test("files on their way are bounded", async () => {
  const house = housing({}),
    first = await sent(house, decodedBytes(WIN.file));
  for (let i = 0; i < 4; i++) await sent(house, new Uint8Array(9));
  await assert.rejects(told(house, "certificate", {upload: first}), /open it again/);
});

test("a position is proved, with news on the way, and left", async () => {
  const proof = /** @type {any} */ ({value: "win"}),
    certificate = await unpacked(decodedBytes(LEAF.file), 0);
  let stopped = false;
  const house = housing({
    async prove({seconds, signal, onWaiting, onProgress}) {
      onWaiting();
      await new Promise(resolve => setImmediate(resolve));
      onProgress(proof);
      if (seconds === 600) await new Promise(resolve => signal.addEventListener("abort", resolve, {once: true}));
      stopped = signal.aborted;
      return {proof, proved: [{certificate, report: REPORT}]};
    },
  });
  const heard = await told(house, "prove", {fen: LEAF.root, seconds: 1});
  assert.deepEqual(heard[0], {waits: true});
  assert.equal(heard.at(-1).done, true);
  assert.deepEqual(
    heard.at(-1).certificates.map((/** @type {any} */ {name}) => name),
    ["not-lost-white.krproof"],
  );
  const inbox = new Messages(),
    stream = events(house, "prove", {fen: LEAF.root, seconds: 600}, inbox);
  await stream.next();
  await stream.next();
  inbox.stop();
  await stream.return(undefined);
  await new Promise(resolve => setImmediate(resolve));
  assert.equal(stopped, true);
  for (const seconds of [0, 601, "x"]) await assert.rejects(told(house, "prove", {fen: LEAF.root, seconds}), /seconds/);
  await assert.rejects(told(house, "prove", {fen: "W:W:B", seconds: 1}), /the board is empty/);
});
