import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {gameText} from "../../kr/page/static/answers/game_text.js";
import {Reader} from "../../kr/page/static/answers/pdn/reader.js";
import {Position} from "../../kr/page/static/answers/rules.js";
import {board} from "../../kr/page/static/answers/svg.js";

const casesOf = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(new URL(`../cases/${name}`, import.meta.url), "utf8"));
const said = (/** @type {string} */ english, /** @type {Record<string, string>} */ values = {}) =>
  english.replace("{number}", values.number);

test("boards are drawn", () => {
  const {drawing, boards} = casesOf("boards.json");
  for (const {fen, last, arrows, looks, svg} of boards) {
    const squares = (/** @type {number[]} */ path) => path.map(square => square - 1),
      drawn = arrows.map((/** @type {any} */ {path, colour}) => ({path: squares(path), colour}));
    assert.equal(board(drawing, Position.fromFen(fen), looks, {touched: squares(last), arrows: drawn}), svg, fen);
  }
});

test("games in words", () => {
  for (const {name, pdn, text} of casesOf("game_text.json")) {
    const game = new Reader(pdn).readGame();
    assert.ok(game);
    assert.deepEqual(gameText(game, said), text, name);
  }
});
