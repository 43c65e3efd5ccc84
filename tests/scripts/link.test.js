import assert from "node:assert/strict";
import {test} from "node:test";
import {gameLink, linkIn, positionLink, stepsOf, unpacked} from "../../kr/page/static/files/link.js";

const PDN = '[Black "Šťastný"]\n\n1. 11-15 {[%kr exp=0.50] "why?"} 23-19 (22-18) 2. 8-11 *\n';
const PAGE = "http://127.0.0.1:8128/kr/#";

test("a game comes back from its link, at the move and the moment that it names", async () => {
  for (const [place, isMoment] of /** @type {[number[], boolean][]} */ ([
    [[], false],
    [[0, 0, 0], false],
    [[0, 1], true],
  ])) {
    const link = linkIn(`see ${PAGE}${await gameLink(PDN, place, isMoment)} there`);
    assert.ok(link?.kind === "game");
    assert.deepEqual([link.place, link.isMoment], [place, isMoment]);
    assert.equal(await unpacked(link.data), PDN);
  }
});

test("a position and tasks are in their addresses, also as programs that send them write these", () => {
  const fen = "W:W17,K30:B1,K2";
  for (const text of [positionLink(fen), encodeURI(positionLink(fen)), `analyse/fen/${encodeURIComponent(fen)}`])
    assert.deepEqual(linkIn(`${PAGE}${text}\n`), {kind: "position", fen});
  for (const address of ["learn/pask", "lessons/rules/move/1", "endings/win/B:W1:BK2"])
    assert.deepEqual(linkIn(PAGE + address), {kind: "task", address});
});

test("what is no link is none, and a place is never longer than a game", () => {
  for (const text of [
    "",
    "#analyse",
    "#analyse/",
    "#analyse/g/",
    "#analyse/x/AAAA",
    "see #learn/pask",
    "#runs/x",
    "#learn/",
  ])
    assert.equal(linkIn(text), null);
  for (const [rest, path] of /** @type {[string, number[]][]} */ ([
    ["3", [0, 0, 0]],
    ["0.1.0.", [0, 1, 0]],
    ["0", []],
  ]))
    assert.deepEqual(stepsOf(rest), path);
  assert.deepEqual(stepsOf(undefined), []);
  assert.equal(stepsOf("999999999").length, 20_000);
  assert.equal(stepsOf("1.".repeat(30_000)).length, 20_000);
});

test("what is damaged, too long or unpacks to too much is refused", async () => {
  const bomb = await gameLink("1. 11-15 ".repeat(220_000), [], false),
    noise = Array.from({length: 20_000}, (_, i) => ((i * 7919) % 10_007) ** 3).join();
  await assert.rejects(unpacked(bomb.split("/")[2].slice(0, -9)), /damaged/);
  await assert.rejects(unpacked("AAAA"), /damaged/);
  await assert.rejects(unpacked("x".repeat(100_001)), /too long/);
  await assert.rejects(gameLink(noise, [], false), /too long for a link/);
});
