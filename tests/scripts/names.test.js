import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {plainName} from "../../kr/page/static/answers/names.js";
import {Openings} from "../../kr/page/static/answers/openings.js";
import {Position} from "../../kr/page/static/answers/rules.js";

const textOf = (/** @type {string} */ path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
/** The fields of each line. @param {string} path */
const rowsOf = path =>
  textOf(path)
    .split("\n")
    .filter(line => line && !line.startsWith("#"))
    .map(line => line.split("\t"));
const cases = JSON.parse(textOf("tests/cases/names.json"));

test("the names that a game comes to, and its three-move ballot", () => {
  const ballots = rowsOf("selfplay/3move.txt");
  const openings = new Openings({
    names: rowsOf("kr/openings/names.txt").map(([name, moves, others]) => [
      name,
      moves,
      ...(others?.split("; ") ?? []),
    ]),
    three_move: ballots.map(([, moves]) => moves),
    three_move_standings: "0".repeat(ballots.length),
    eleven_man: {black: [], white: []},
    eleven_man_standings: "",
  });
  for (const {start, moves, names, ballot} of cases.games) {
    const positions = [start ? Position.fromFen(start) : new Position()];
    for (const move of moves.split(" ").filter(Boolean)) positions.push(positions[positions.length - 1].play(move));
    assert.deepEqual(
      openings.namesOf(positions).map(({name, ply}) => [name, ply]),
      names,
      moves,
    );
    const {ballot: found, ply} = openings.ballotOf(positions);
    assert.deepEqual(found && [found.number, found.name, ply], ballot, moves);
  }
});

test("names without case and accents", () => {
  for (const [name, plain] of cases.plain) assert.equal(plainName(name), plain, name);
});
