import assert from "node:assert/strict";
import {test} from "node:test";
import {answer} from "../../kr/page/static/answers/answers.js";
import {YOU, matching, statistics} from "../../kr/page/static/library/cards.js";
import {Library, libraryOf} from "../../kr/page/static/library/games.js";
import {MemoryStore} from "../../kr/page/static/library/store.js";

const OPENINGS = {
  names: [
    ["Old Faithful", "11-15 23-19 8-11 22-17"],
    ["Cross", "11-15 23-18"],
  ],
};
const house = /** @type {any} */ ({data: async () => OPENINGS});
const api = (/** @type {string} */ path, /** @type {object} */ body = {}) => answer(house, path, body);

/** A library in a store, and what it said. @param {any} [store] */
async function library(store = new MemoryStore()) {
  let now = 0;
  /** @type {string[]} */
  const told = [],
    made = new Library({api, fail: text => told.push(text)}, {open: async () => store, now: () => ++now * 1000});
  await made.ready;
  return {library: made, told, store};
}

/** @param {string} black @param {string} white @param {string} moves @param {string} [tags] */
const pdn = (black, white, moves, tags = "") => `[Black "${black}"]\n[White "${white}"]\n${tags}\n${moves}`;
const CROSS = "1. 11-15 23-18 2. 8-11 27-23";
/** @param {string} text */
const documentOf = async text => (await api("games/read", {text})).document;

test("a game is kept with what is asked of it, and comes back as it was", async () => {
  const {library: games} = await library();
  const document = await documentOf(pdn("Ann", "Bob", `${CROSS} {a fine shot} (27-24) 1-0`, '[Date "1901.05.??"]'));
  const card = await games.add({document, source: "pasted", path: [0, 0], tags: ["b", "a; c", "b"]});
  assert.deepEqual(
    [card.black, card.white, card.date, card.result, card.moves, card.opening, card.review, card.tags],
    ["Ann", "Bob", "1901.05.??", "1-0", 4, "Cross", null, ["a, c", "b"]],
  );
  assert.deepEqual(await games.get(card.id), {card, document, play: undefined});
  assert.deepEqual(games.list({text: "FINE bob"}), [card]);
  assert.equal(await games.get("another"), null);
  // the same once more is the same game, also one that was deleted
  await games.remove([card.id]);
  assert.equal(games.list().length, 0);
  assert.equal((await games.add({document, source: "file"})).id, card.id);
  assert.equal(games.list().length, 1);
});

test("folder, tags, source and place come back from PDN", async () => {
  const [{library: games}, {library: others}] = [await library(), await library()];
  const document = await documentOf(pdn("Ann", "Bob", `${CROSS} (27-24 {why not?}) *`));
  await games.add({document, source: "pasted", path: [0, 0, 0, 1], folder: " Club / 2024 ", tags: ["sharp", "lost"]});
  await games.add({document: await documentOf(pdn("Cid", "Dan", "1. 9-13 1/2-1/2")), source: "archive"});
  const text = await games.pdn(games.list().map(({id}) => id));
  const {games: rows} = await api("games/read", {text});
  const pdns = rows.map((/** @type {any} */ each) => each.pdn);
  const {added} = await others.addAll(pdns, {source: "file", folder: "x"});
  assert.deepEqual(
    added.map(({black, folder, tags, source, path}) => ({black, folder, tags, source, path})),
    [
      {black: "Cid", folder: "x", tags: [], source: "archive", path: []},
      {black: "Ann", folder: "Club/2024", tags: ["lost", "sharp"], source: "pasted", path: [0, 0, 0, 1]},
    ],
  );
  assert.equal(await others.pdn([added[1].id]), await games.pdn([games.list({folder: "Club"})[0].id]));
  const again = await games.addAll(pdns, {source: "file"});
  assert.deepEqual([again.added, again.known], [[], 2]);
  assert.equal((await others.get(added[1].id))?.document.headers?.Folder, undefined);
});

test("games that two windows change both stay", async () => {
  const store = new MemoryStore(),
    [{library: one}, {library: other}] = [await library(store), await library(store)];
  const document = await documentOf(pdn("Ann", "Bob", CROSS)),
    {id, rev} = await one.add({document, source: "board"});
  while (!other.card(id)) await new Promise(resolve => setTimeout(resolve, 1));
  const [longer, shorter] = await Promise.all(
    [CROSS + " 3. 11-16", "1. 11-15"].map(text => documentOf(pdn("Ann", "Bob", text))),
  );
  await other.update(id, {path: [0]});
  assert.equal((await one.update(id, {document: longer, rev}))?.id, id);
  const copy = await other.update(id, {document: shorter, rev});
  assert.notEqual(copy?.id, id);
  assert.deepEqual((await one.get(id))?.document, longer);
  assert.deepEqual(copy && (await other.get(copy.id))?.document, shorter);
  // a change of something else is no reason for a copy
  await one.update(id, {tags: ["x"]});
  assert.equal((await one.update(id, {document, rev: one.card(id)?.rev}))?.id, id);
});

test("a game that another window erases meanwhile comes back with a change", async () => {
  const {library: one, store} = await library();
  const document = await documentOf(pdn("Ann", "Bob", CROSS)),
    {id, rev} = await one.add({document, source: "board", folder: "f"});
  await store.erase([id]);
  const card = await one.update(id, {document: await documentOf(pdn("Ann", "Bob", "1. 11-15")), rev});
  assert.equal(card?.folder, "f");
  assert.equal((await one.get(id))?.document.nodes.length, 2);
});

test("without room, or a store, games stay as long as the page", async () => {
  class Full extends MemoryStore {
    room = 1;
    /** @param {import("../../kr/page/static/library/store.js").Written[]} games */
    async write(games) {
      if (games.some(({body}) => body) && this._bodies.size >= this.room) throw new Error("full");
      return super.write(games);
    }
  }
  const {library: games, told, store} = await library(new Full());
  const [first, second] = [
    await games.add({pdn: pdn("Ann", "Bob", CROSS), source: "pasted"}),
    await games.add({pdn: pdn("Cid", "Dan", CROSS), source: "pasted"}),
  ];
  assert.deepEqual([games.trouble, told.length, (await store.cards()).length], ["full", 1, 1]);
  await games.changeAll([second.id], {folder: "f", tags: tags => [...tags, "t"]});
  assert.equal((await games.get(second.id))?.document.headers?.Black, "Cid");
  assert.deepEqual(games.folders(), [{name: "f", games: 1}]);
  await games.erase([first.id]);
  assert.deepEqual([games.trouble, (await store.cards()).map((/** @type {any} */ card) => card.folder)], ["", ["f"]]);

  /** @type {string[]} */
  const said = [];
  // as in node.js, where no browser's store is
  const app = /** @type {any} */ ({api, fail: (/** @type {string} */ text) => said.push(text), keep: () => true}),
    forbidden = libraryOf(app);
  assert.equal(libraryOf(app), forbidden);
  await forbidden.add({pdn: pdn("Ann", "Bob", CROSS), source: "pasted"});
  assert.deepEqual([forbidden.trouble, forbidden.list().length, said.length], ["forbidden", 1, 1]);
});

/** @param {Partial<import("../../kr/page/static/library/cards.js").Card>} given */
const card = given => ({
  ...{id: "", black: "", white: "", event: "", date: "", result: "*", moves: 1, opening: "", text: "", print: ""},
  ...{person: /** @type {const} */ (""), review: null, folder: "", tags: [], source: /** @type {const} */ ("file")},
  ...{path: [], added: 0, used: 0, rev: 1, removed: 0, isGoing: false},
  ...given,
});

test("what is searched", () => {
  const cards = [
    card({
      id: "a",
      black: "Müller",
      white: "Bob",
      date: "1901.05.??",
      result: "1-0",
      opening: "Cross",
      folder: "Club/2024",
    }),
    card({
      id: "b",
      black: "Bob",
      white: "Ann",
      date: "1902",
      result: "0-1",
      tags: ["sharp"],
      review: {black: 90, white: null},
    }),
    card({id: "c", black: "Bob", removed: 1}),
  ];
  for (const [filter, ids] of /** @type {[any, string][]} */ ([
    [{}, "ab"],
    [{text: "muller cross"}, "a"],
    [{player: "bob", side: "black"}, "b"],
    [{player: "bob"}, "ab"],
    [{result: "1-0"}, "a"],
    [{from: "1901.06"}, "b"],
    [{from: "1901.05.20", to: "1901"}, "a"],
    [{folder: "Club"}, "a"],
    [{folder: "Cl"}, ""],
    [{folder: ""}, "b"],
    [{tag: "sharp"}, "b"],
    [{reviewed: false}, "a"],
    [{removed: true}, "c"],
  ])) {
    assert.equal(
      matching(cards, filter)
        .map(({id}) => id)
        .join(""),
      ids,
      JSON.stringify(filter),
    );
  }
});

test("statistics count from the side of the player", () => {
  const cards = [
    card({black: "Ann", white: "Bob", result: "1-0", opening: "Cross"}),
    card({black: "bob", white: "Ann", result: "1/2-1/2", opening: "Cross"}),
    card({black: "Cid", white: "Ann", result: "1-0", opening: ""}),
    card({black: "You", white: "kr 3", result: "*", opening: "", person: "black"}),
  ];
  const row = (/** @type {any} */ {name, games, wins, draws, losses, score, black, white}) =>
    [name, games, wins, draws, losses, score, black, white].join(" ");
  assert.deepEqual(statistics(cards, "opponent", "ANN").map(row), ["Bob 2 1 1 0 0.75 1 1", "Cid 1 0 0 1 0 0 1"]);
  assert.deepEqual(statistics(cards, "opening", "ann").map(row), ["Cross 2 1 1 0 0.75 1 1", " 1 0 0 1 0 0 1"]);
  assert.deepEqual(statistics(cards, "opponent", YOU).map(row), ["kr 3 1 0 0 0  1 0"]);
  assert.deepEqual(statistics(cards, "opponent"), []);
});
