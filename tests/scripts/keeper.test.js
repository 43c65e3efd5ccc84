import assert from "node:assert/strict";
import {test} from "node:test";
import {answer} from "../../kr/page/static/answers/answers.js";
import {takeOver} from "../../kr/page/static/library/earlier.js";
import {Library, libraryOf} from "../../kr/page/static/library/games.js";
import {Keeper} from "../../kr/page/static/library/keeper.js";
import {MemoryStore} from "../../kr/page/static/library/store.js";
import {GameTree} from "../../kr/viewer/static/tree.js";

const house = /** @type {any} */ ({data: async () => ({names: []})});
Object.assign(globalThis, {window: globalThis, addEventListener: () => {}});

/** @param {string} path @param {object} [body] */
const api = (path, body = {}) => answer(house, path, body);
/** @param {string} text */
const documentOf = async text => (await api("games/read", {text})).document;

/** A page with some things kept. @param {Record<string, any>} [all] */
function page(all = {}) {
  /** @type {any} */
  const app = {
    api,
    fail: () => {},
    kept: (/** @type {string} */ name, /** @type {any} */ otherwise = null) => all[name] ?? otherwise,
    keep(/** @type {string} */ name, /** @type {any} */ value) {
      all[name] = value;
      return true;
    },
    tree: new GameTree(),
    go: () => {},
    attempt: async (/** @type {() => any} */ ask, /** @type {(answer: any) => any} */ take) => take(await ask()),
    open: (/** @type {any} */ document, /** @type {number[]} */ path) => app.tree.load(document, path),
  };
  return {app, all, keeper: new Keeper(app, () => {}), library: libraryOf(app)};
}

test("each game on the board is kept as it changes, whatever takes its place", async () => {
  const {app, all, keeper, library} = page(),
    {tree} = app,
    listed = () => library.list().map(({black, moves, source, path}) => [black, moves, source, path]);
  await keeper.flush();
  assert.deepEqual([listed(), all.library], [[], undefined]);
  keeper.expect({source: "pasted"});
  tree.load(await documentOf('[Black "Ann"]\n\n1. 11-15 23-18 *'), [0]);
  tree.end();
  tree.load(await documentOf('[Black "Bob"]\n\n1. 9-13 *'));
  await keeper.flush();
  assert.deepEqual(listed(), [
    ["Bob", 1, "board", []],
    ["Ann", 2, "pasted", [0, 0]],
  ]);
  assert.equal(all.library, true);
  // Undo brings the same game back, and what changes is kept in its place; so is what a review makes of it
  tree.undo();
  tree.annotate(tree.node, {comments: ["good"]});
  await keeper.flush();
  tree.load({...tree.document(), headers: {Black: "Eve"}}, [0], true);
  await keeper.flush();
  assert.deepEqual(listed(), [
    ["Eve", 2, "pasted", [0]],
    ["Bob", 1, "board", []],
  ]);
  // a game of the list goes on in its place
  await keeper.open(library.list()[1].id);
  tree.describe({Black: "Bob", White: "Dan"});
  await keeper.flush();
  assert.deepEqual(
    library.list().map(({black, white}) => [black, white]),
    [
      ["Bob", "Dan"],
      ["Eve", ""],
    ],
  );
  // a new page goes on with what it kept
  const kept = keeper.current,
    others = page();
  assert.deepEqual([kept.source, kept.isChanged, typeof kept.id], ["board", false, "string"]);
  // what is looked at in passing stays in its list
  keeper.expect({source: "file", isListed: true});
  tree.load(await documentOf("1. 12-16 *"));
  tree.load(await documentOf("1. 10-15 *"));
  await keeper.flush();
  assert.deepEqual(
    library.list().map(({source}) => source),
    ["board", "board", "pasted"],
  );
  assert.equal(others.library.list().length, 0);
});

test("what earlier versions kept is taken over once", async () => {
  const game = async (/** @type {string} */ id, /** @type {object | null} */ over) => ({
      game: {
        id,
        settings: {level: 1, side: "black"},
        over,
        document: await documentOf(`[Event "${id}"]\n\n1. 11-15 *`),
      },
      casual: false,
    }),
    [over, going] = [
      await game("over", {result: "0-1", winner: "white", reason: "resignation"}),
      await game("goes", null),
    ],
    {app, all} = page({
      ...{games: ["goes", "over"], "game-over": over, "game-goes": going},
      recent: [
        {document: await documentOf('[Black "Ann"]\n\n1. 9-13 *'), path: [0]},
        null,
        {document: {nodes: [1, 2]}},
      ],
    });
  const library = new Library(app, {open: async () => new MemoryStore()});
  await library.ready;
  await takeOver(app, library);
  assert.deepEqual(
    library.list().map(({id, black, source, path}) => [id === "over" || black, source, path]),
    [
      ["Ann", "board", [0]],
      [true, "played", [0]],
    ],
  );
  assert.deepEqual((await library.get("over"))?.play, {game: over.game, casual: false});
  assert.deepEqual(
    [all.games, all["game-over"], all["game-goes"], all.recent],
    [["goes"], undefined, going, undefined],
  );
});
