import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {bookPath, ROUTES} from "../../kr/page/static/answers/book.js";
import {House} from "../../kr/page/static/answers/house.js";
import {PackedBook} from "../../kr/page/static/answers/krb.js";
import {RemoteBook} from "../../kr/page/static/answers/native/book.js";
import {ROUTES as selfPlay} from "../../kr/page/static/answers/selfplay.js";
import {PageRequest} from "../../kr/page/static/answers/request.js";
import {Position, sideName} from "../../kr/page/static/answers/rules.js";

/** @typedef {import("../../kr/page/static/answers/house.js").BookPort} BookPort */

const cases = JSON.parse(readFileSync(new URL("../cases/book.json", import.meta.url), "utf8"));
const contentOf = (/** @type {string} */ name) => new Uint8Array(Buffer.from(cases.books[name], "base64"));
const small = () => new PackedBook(contentOf("small"));
const OPENINGS = {names: [["Old Faithful", "11-15"]], three_move: ["11-15 21-17 9-13"], three_move_standings: "0"};
const START = new Position().fen;

/** @param {BookPort | null} book */
const house = book =>
  new House(/** @type {any} */ ({openBook: async () => book, loadJson: async () => OPENINGS, engine: {}}));
/**
 * What the page is told.
 * @param {string} path
 * @param {object} body
 * @param {BookPort | null} [book]
 * @returns {Promise<any>}
 */
const ask = (path, body, book = small()) =>
  ROUTES[/** @type {"book/moves"} */ (path)](house(book), new PageRequest(body));

/** @param {Position} start @param {string} text */
function played(start, text) {
  const positions = [start],
    /** @type {import("../../kr/page/static/answers/rules.js").Move[]} */
    moves = [];
  for (const [ply, move] of text.split(" ").filter(Boolean).entries()) {
    moves.push(positions[ply].parseMove(move));
    positions.push(positions[ply].play(moves[ply]));
  }
  return {positions, moves};
}

test("moves that a book knows", async () => {
  for (const {book, fen, moves} of cases.known) {
    const [known] = await new PackedBook(contentOf(book)).look([Position.fromFen(fen)]);
    assert.deepEqual(
      known.map(({move, value, depth, weight}) => [String(move), value, depth, weight]),
      moves,
    );
  }
});

test("the move of people that is a cook", async () => {
  for (const {book, fen, move} of cases.cooked) {
    const [known] = await new PackedBook(contentOf(book)).look([Position.fromFen(fen)]);
    assert.deepEqual(
      known.filter(each => each.cooked).map(each => String(each.move)),
      move ? [move] : [],
    );
  }
});

test("the first move that the book would not play", async () => {
  for (const {start, moves: text, given, plies, left} of cases.paths) {
    const {positions, moves} = played(start ? Position.fromFen(start) : new Position(), text),
      {departure, ...rest} = await bookPath(positions, moves, small(), given);
    const told = departure && {
      ply: departure.ply,
      side: sideName(departure.side),
      move: String(departure.move),
      best: String(departure.best.move),
      loss: departure.loss,
    };
    assert.deepEqual({...rest, left: told}, {plies, left}, text);
    assert.deepEqual(await bookPath(positions, moves, null, given), {plies: moves.length && 0, departure: null});
  }
});

test("the book's moves stand before the others, with loss and games; the one that people play may be cooked", async () => {
  const start = await ask("book/moves", {fen: START});
  assert.deepEqual(
    start.moves.slice(0, 4).map((/** @type {any} */ {text, opening, book}) => [text, opening, book]),
    [
      ["11-15", "Old Faithful", {value: 6, loss: 0, depth: 20, games: 256}],
      ["9-14", "", {value: 2, loss: 4, depth: 19, games: 16}],
      ["10-15", "", {value: -12, loss: 18, depth: 19, games: 4}],
      ["12-16", "", {value: null, loss: null, depth: 0, games: 4}],
    ],
  );
  assert.deepEqual(
    start.moves.slice(4).map((/** @type {any} */ {text, book}) => [text, book]),
    ["9-13", "10-14", "11-16"].map(text => [text, null]),
  );
  assert.deepEqual([start.book, start.side, start.cook], [true, "black", null]);
  const after = await ask("book/moves", {fen: new Position().play("11-15").fen});
  assert.deepEqual([after.side, after.cook, after.cooked, after.moves[2].book.loss], ["white", "22-18", "21-17", 37]);
});

test("games of kr against itself by the moves of a position", async () => {
  const start = new Position(),
    data = {games: 9, nodes: 100, positions: {[start.key]: [0, 1, 2, 3, 6, 0, 1, 0]}},
    own = new House(/** @type {any} */ ({loadJson: async () => data, engine: {}})),
    told = await selfPlay["selfplay/moves"](own, new PageRequest({fen: START})),
    results = (/** @type {string} */ move) => told.moves[start.play(move).fen];
  assert.deepEqual(told.total, {games: 7, black: 1, draws: 3, white: 3});
  assert.deepEqual(results("9-13"), {games: 6, black: 1, draws: 2, white: 3});
  assert.deepEqual(results("12-16"), {games: 1, black: 0, draws: 1, white: 0});
  const after = await selfPlay["selfplay/moves"](own, new PageRequest({fen: start.play("9-13").fen}));
  assert.deepEqual([after.total.games, after.moves], [0, {}]);
});

test("without a book, captures by several ways to one position stand once", async () => {
  const {book, cook, moves} = await ask("book/moves", {fen: "B:W9,10,17,18:BK6"}, null);
  assert.deepEqual([book, cook, moves.every((/** @type {any} */ each) => !each.book)], [false, null, true]);
  assert.equal(new Set(moves.map((/** @type {any} */ each) => each.fen)).size, moves.length);
  assert.ok(moves.length < Position.fromFen("B:W9,10,17,18:BK6").legalMoves().length);
});

test("the moves of a ballot were drawn, and leave no book", async () => {
  const path = (/** @type {string} */ moves) => ask("book/path", {start: START, moves: moves.split(" ")});
  assert.deepEqual(await path("11-15 23-19 8-11 22-17 3-8"), {
    plies: 5,
    left: {ply: 4, side: "black", move: "3-8", best: "11-16", value: 6, loss: null},
  });
  assert.equal((await path("11-15 21-17 9-13")).left, null);
  assert.equal((await path("11-15 21-17 8-11")).left?.move, "21-17");
  await assert.rejects(path("11-20"), /11-20/);
});

test("a server is asked once for a whole game", async () => {
  /** @type {any[]} */
  const asked = [];
  const {positions, moves} = played(new Position(), "11-15 21-17 9-13");
  const server = /** @type {any} */ ({
    async api(/** @type {string} */ path, /** @type {any} */ {positions: given = []} = {}) {
      asked.push([path, given.length]);
      const known = (await small().look(positions.slice(0, given.length))).map(each =>
        each.map(({move: {path: squares, captured, whole}, ...rest}) => ({
          move: {path: squares, captured, whole},
          ...rest,
        })),
      );
      return {book: true, moves: known};
    },
  });
  const book = await RemoteBook.open(server);
  assert.equal((await bookPath(positions, moves, book, 0)).departure?.loss, 37);
  assert.deepEqual(asked, [
    ["port/book", 0],
    ["port/book", 3],
  ]);
});

test("a damaged book is told of", () => {
  const whole = contentOf("small");
  const damaged = (/** @type {number} */ at, /** @type {number} */ byte) => () =>
    new PackedBook(whole.map((each, i) => (i === at ? byte : each)));
  assert.throws(damaged(0, 75), /^KrError: not a packed book of kr; expected a .krb file$/);
  assert.throws(() => new PackedBook(whole.slice(0, 20)), /not a packed book/);
  assert.throws(damaged(8, 2), /format version 2, this kr reads 1/);
  assert.throws(damaged(whole.length - 1, 1), /damaged: its checksum differs/);
});
