import assert from "node:assert/strict";
import {test} from "node:test";
import {gzipSync} from "node:zlib";
import {answer} from "../../kr/page/static/answers/answers.js";
import {said} from "../../kr/viewer/static/texts.js";

const TWO = '[Event "One"]\n[Black "Ann"]\n[Result "1-0"]\n\n1. 11-15 23-19 1-0\n\n[Event "Two"]\n\n1. 9-14 {x} 0-1\n';

/** @returns {any} */
const newHouse = () => ({clock: () => 0, random: Math.random});
const packed = (/** @type {string | Uint8Array} */ content) => Buffer.from(content).toString("base64");
/** @param {object} body */
const read = body => answer(newHouse(), "games/read", body);

/** The name of an upload in pieces. @param {any} house @param {string | Uint8Array} content */
async function uploaded(house, content, size = 100_000) {
  const bytes = Buffer.from(content);
  let upload;
  for (let at = 0; at < Math.max(bytes.length, 1); at += size)
    ({upload} = await answer(house, "games/upload", {data: packed(bytes.subarray(at, at + size)), upload}));
  return upload;
}

/** @param {any} house @param {object} body */
const listed = (house, body) => answer(house, "games/list", {on: true, ...body});

/** @param {Promise<any>} asked @param {string | RegExp} why */
const refused = (asked, why) =>
  assert.rejects(asked, ({message}) => (typeof why === "string" ? message.startsWith(why) : why.test(message)));

test("a text is a game, several of them, or positions", async () => {
  for (const [text, games] of /** @type {[string, [number, string][]][]} */ ([
    ["1. 11-15 23-19", [[2, "*"]]],
    [
      `Two games\n${TWO}`,
      [
        [2, "1-0"],
        [1, "0-1"],
      ],
    ],
    ["A problem\n\nW:W27,18:B20,K11.\r\n\n18-14 *11-15 14-10---A 15-6 27-23", [[5, "*"]]],
    [
      "W:W27,18:B20,K11.\n18-14 11-15\n\nB:W32:B1\n\n1-5 1-0",
      [
        [2, "*"],
        [1, "1-0"],
      ],
    ],
    ["1. 11-15 {\nW:W27,18:B20,K11.\n} 23-19", [[2, "*"]]],
    [" w:bk5:w30,K32. ", [[0, "*"]]],
    [
      "\ufeffW:W21:B1\n\n# two\nB:W21:B1 # more\nW:W1:B5\n",
      [
        [0, "*"],
        [0, "*"],
        [0, "*"],
      ],
    ],
  ])) {
    const answered = await read({text});
    assert.deepEqual(
      answered.games.map((/** @type {any} */ {moves, result}) => [moves, result]),
      games,
      text,
    );
    assert.equal(Boolean(answered.document), games.length === 1);
    for (const {pdn, event} of answered.document ? [] : answered.games)
      assert.equal((await read({text: pdn})).document.headers.Event ?? "", event);
  }
});

test("what can't be read of a text is told", async () => {
  const {faults, left_out: left, games} = await read({text: "W:W21:B1\nB:W21:B21\nW:W1:B5\n"});
  assert.deepEqual(
    faults.map((/** @type {any} */ each) => said(each)),
    ["line 2: FEN 'B:W21:B21': square 21 holds both a Black and a White piece"],
  );
  assert.equal(left, 1);
  assert.match(
    said(games[1].warnings[0]),
    /a White man stands on its king row, square 1: make it a king, K1 \(read so\)$/,
  );
  for (const [body, why] of /** @type {[object, string | RegExp][]} */ ([
    [{}, "text is missing"],
    [{text: ""}, "no game found: write moves as 11-15"],
    [{text: "hello <b>world</b>"}, "no game found"],
    [{text: "B:W1,2:B1"}, "no game found: line 1: FEN"],
    [{text: "1. 22-18 11-15"}, "no game found: line 1, column 4: illegal move at ply 1"],
    [{text: "x".repeat(2_000_001)}, "text has 2,000,001 characters; at most 2,000,000"],
    [{text: "1. 11-15", results: "french"}, "results is not one of"],
    [{data: packed(gzipSync(TWO).subarray(0, 30))}, /the file is damaged/],
    [{data: packed(Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0))}, "the file is packed by xz; unpack it, or pack it"],
    [{data: packed("BZh9")}, "the file is packed by bzip2"],
    [{text: `[FEN "B:WK32:BK1"]\n${"1-5 32-28 5-1 28-32 ".repeat(5000)}`}, /at most 20,000$/],
    ...["?", "MTEtMTU", "MTEtMTU==", "MTEt MTU=", "=", "A===", "MTF=MTU=", "é"].map(data => [{data}, "data is not"]),
  ]))
    await refused(read(body), why);
});

test("files are read in their encoding, unpacked, by either convention of results", async () => {
  const text = '[Event "Zoë"]\n1. 11-15 1-0';
  for (const content of [Buffer.from(text), Buffer.from(text, "latin1"), Buffer.from(`\ufeff${text}`, "utf16le")])
    for (const data of [packed(content), packed(gzipSync(content))]) {
      const {document} = await read({data, results: "white"});
      assert.deepEqual([document.headers.Event, document.result], ["Zoë", "0-1"]);
    }
});

test("a game that was kept is checked, and written as PDN", async () => {
  const {document} = await read({text: '[Black "Ann"]\n1. 11-15 {x} 1-0'});
  assert.deepEqual(await answer(newHouse(), "games/check", {document}), {document});
  document.nodes[1].comments = ["a } brace\nand a line"];
  const {pdn} = await answer(newHouse(), "games/pdn", {document, results: "white"});
  assert.equal((await read({text: pdn, results: "white"})).document.nodes[1].comments[0], "a } brace and a line");
  assert.match(pdn, /^\[Event "\?"\]\n(.*\n)*\[Black "Ann"\]\n(.*\n)* ?.*0-1\n\n$/);
  document.nodes[1].path = [11, 20];
  await refused(answer(newHouse(), "games/check", {document}), "node 1: 11-20 is not legal");
});

test("more games than a page gets at once are a list", async () => {
  const house = newHouse();
  for (const text of [`${"1. 11-15 *\n".repeat(2001)}1. 22-18 *\n`, `${"B:W32:B1\n".repeat(2001)}B:W9:B9\n`]) {
    const {upload} = await answer(house, "games/read", {text}),
      {found, read, whole, left_out: left, faults, cut} = await listed(house, {upload});
    assert.deepEqual([found, read, whole, left, cut], [2001, 2001, true, 1, ""]);
    assert.match(said(faults[0]), /^line 2002/);
    assert.ok((await answer(house, "games/open", {upload, number: 2001})).document);
  }
  // what comes out of a packed file counts, in characters
  const blank = `1. 11-15 *${" ".repeat(2_000_000 - 11)}`;
  assert.ok((await answer(house, "games/read", {data: packed(gzipSync(`${blank}\u{1f600}`))})).document);
  assert.ok((await answer(house, "games/read", {data: packed(gzipSync(`${blank}  `))})).upload);
});

test("a list is searched by words, page by page, and its games are opened by their numbers", async () => {
  const house = newHouse(),
    names = ["Ann", "Müller", "O’Neill", "Straße"],
    games = Array.from({length: 250}, (_, i) => {
      const tags = `[Event "E${i}"]\n[Black "${names[i % 4]}"]\n[Date "19${String(i % 100).padStart(2, "0")}"]\n`;
      return `${tags}\n1. ${i % 50 ? "11-15" : "22-18"} *\n`;
    }),
    upload = await uploaded(house, games.join("\n"), 1000);
  assert.equal((await answer(house, "games/open", {upload, number: 100})).document.headers.Event, "E102");
  const list = await listed(house, {upload, start: 200});
  assert.deepEqual([list.games.length, list.more, list.whole, list.left_out, list.share], [45, false, true, 5, 1]);
  for (const [wanted, found] of /** @type {[string, number][]} */ ([
    ["ann", 60],
    ["muller", 63],
    ["MÜLLER e1", 28],
    ["o'neill 1950", 0],
    ["strasse 1951", 2],
    ["nobody", 0],
    ["", 245],
  ]))
    assert.equal((await listed(house, {upload, wanted})).found, found, wanted);
  const [row] = (await listed(house, {upload, wanted: "strasse 1951"})).games;
  assert.deepEqual(
    {...row, number: 0},
    {
      number: 0,
      event: "E51",
      black: "Straße",
      white: "",
      date: "1951",
      result: "*",
      moves: 1,
      warnings: [],
    },
  );
  for (const [path, body, why] of /** @type {[string, object, string][]} */ ([
    ["games/open", {upload, number: 246}, "the upload has 245 games; there is no game 246"],
    ["games/open", {upload, number: 0}, "number is not a whole number"],
    ["games/list", {upload, start: -1}, "start is not a whole number"],
    ["games/list", {upload: "none"}, "this file is no longer here"],
    ["games/list", {}, "no file was named"],
    ["games/upload", {upload, data: packed("x")}, "this upload is read already"],
    ["games/upload", {upload: "none", data: packed("x")}, "this file is no longer here"],
  ]))
    await refused(answer(house, path, body), why);
});

test("a list is read on for a moment, and says why it ends before its source", async () => {
  const house = newHouse();
  let now = 0;
  house.clock = () => (now += 0.1);
  const upload = await uploaded(house, "1. 11-15 *\n".repeat(300)),
    part = await listed(house, {upload});
  assert.ok(part.read && part.read < 10 && !part.whole);
  house.clock = () => 0;
  assert.equal((await answer(house, "games/list", {upload})).read, 101);
  assert.equal((await listed(house, {upload})).read, 300);
  const random = Array.from({length: 4000}, (_, i) => `[Event "${(i * 7919) % 4001}"]\n1. 11-15 *\n`).join("\n"),
    damaged = await listed(house, {upload: await uploaded(house, gzipSync(random).subarray(0, -5000))});
  assert.ok(damaged.whole && damaged.read > 70 && damaged.read < 4000);
  assert.match(said(damaged.cut), /^the rest can't be read: the file is damaged/);
});

test("only so many uploads are kept, those that were asked for last", async () => {
  const house = newHouse(),
    names = [];
  for (let i = 0; i < 4; i++) names.push(await uploaded(house, "11-15 *"));
  await listed(house, {upload: names[0]});
  await uploaded(house, "9-13 *");
  await listed(house, {upload: names[0]});
  await refused(listed(house, {upload: names[1]}), "this file is no longer here");
});

test("a list of positions may begin with comments, longer than what is read at once", async () => {
  for (const before of ["", "# two endings\n", "\n \n# two\r\n\n  # of a book\n", `# ${"x".repeat(300_000)}\n`]) {
    const house = newHouse(),
      upload = await uploaded(house, `${before}W:W21:B1\nB:W21:B1 # more\n`, 400_000);
    assert.equal((await listed(house, {upload})).found, 2, before.slice(0, 20));
  }
});

test("much of the same is read in linear time", async () => {
  for (const piece of [
    "(",
    "[",
    "{",
    '[A "',
    "\\",
    "#*",
    "\n[",
    "1. ",
    "/FEN ",
    "word 1 ",
    "\u{1f600}",
    "'",
    "a1",
    "%\n",
  ])
    await read({text: `11-15 ${piece.repeat(80_000 / piece.length)}`}).catch(() => {});
  const why = "no game found: line 1, column 16394: variations are nested more than 16,384 deep";
  await refused(read({text: `1. 11-15 ${"(".repeat(16_385)}`}), why);
  const setUp = '1-5/FEN "W:WK32:BK1"/32-28/FEN "B:WK32:BK1"/'.repeat(40_000);
  await refused(read({text: `[FEN "B:WK32:BK1"]\n${setUp}`}), "a game of 80,001 moves and positions; at most 20,000");
});

test("files of the maker are read once, again when they have changed, and told where they end", async () => {
  const house = newHouse(),
    files = [
      {name: "a.pdn", stamp: "1"},
      {name: "b.pdn", stamp: "1"},
    ];
  let reads = 0;
  const contents = [TWO, TWO.repeat(20_000)];
  house.files = {
    names: async () => ({files, mark: "m"}),
    read: async (/** @type {number} */ file) => {
      reads++;
      return {
        bytes: gzipSync(contents[file - 1]),
        fault: file === 2 ? {say: "pdn.large_unpacked", with: {size: 2}} : null,
      };
    },
  };
  assert.deepEqual(await answer(house, "games/files", {}), {files: ["a.pdn", "b.pdn"], mark: "m"});
  assert.deepEqual(await answer(newHouse(), "games/files", {}), {files: [], mark: ""});
  const [first, again] = await Promise.all([listed(house, {file: 1}), listed(house, {file: 1, results: "white"})]);
  assert.deepEqual([first.found, again.games[0].result, reads], [2, "0-1", 1]);
  files[0].stamp = "2";
  contents[0] = "1. 9-14 *\n";
  assert.deepEqual([(await listed(house, {file: 1})).found, reads], [1, 2]);
  const {cut, read} = await listed(house, {file: 2});
  assert.equal(said(cut), "the rest can't be read: the file unpacks to more than 2 MB");
  assert.ok(read > 30_000);
  await refused(answer(house, "games/open", {file: 1, number: 5}), "a.pdn has 1 games; there is no game 5");
  await refused(listed(house, {file: 3}), "file is not a whole number from 1 to 2");
});
