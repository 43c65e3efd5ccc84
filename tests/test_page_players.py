"""What games in the page are made of: clocks, levels, manners and reasons of hints, against those of kr."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from library import ROOT
from page import Page, server_answer, web_house

from kr.engine.database import load_database
from kr.engine.engine import Engine
from kr.engine.limits import Clock, Limits, TimeControl
from kr.errors import KrError
from kr.game.board import Board
from kr.play import manners
from kr.players.levels import LEVELS, choose
from kr.web.hints import hint_json
from kr.web.opponents import clock_from_text

LOCAL = ROOT / "kr" / "page" / "answers"
POSITIONS = [None, "B:WK31,K32,13:BK1,K2,K10,21", "B:W6,14,15,23,24:B1,10", "W:W12,20,K5:B3,21,22"]


def in_node(code: str, given: Any) -> Any:
    """What a script makes of JSON: `given` is there, `load` gets a module of the page, `tell` takes the result."""
    script = f"""
        import {{readFileSync}} from "node:fs";
        const given = JSON.parse(readFileSync(0, "utf8"));
        const load = name => import({json.dumps(LOCAL.as_uri())} + "/" + name);
        const tell = result => console.log(JSON.stringify(result));
        {code}
    """
    words = ["node", "--input-type=module", "-e", script]
    done = subprocess.run(words, input=json.dumps(given), capture_output=True, encoding="utf-8", check=True)
    return json.loads(done.stdout)


# --- clocks


CLOCKS = [
    "5+3", "15|10", "40/30", "5:00+3", "1:30:00", "G/45;d5", "SD/5", "TC / 7", "40/7200:3600", "2700d5", "5m+3s",
    "5m+0s", "40/30m", "40/30m+5s", "45m d5s", "40/2h:1h", "40/2h,20/1h:30m", "1.1m+0", "0.7m+.05", "0+3", "0+0", "5",
    "soon", "", " 3 + 2 ", "1e1+2", "1_0+2", "5+3+1", "5'+3\"", "0/5", "1.5/5", "1e3/5m", "2k/5m", "x/5", "5+x",
    "5m+3q", "1e999+1", "1e300+1", "2000:00+0", "23h59m+0", "24h+0s", "24h+1s", "1e-7+1e-9", "40/2h:1h+3s",
    "20/5:1:00", "3m+1s d2s", "5d", "/5", "40/", "G/", "1e10/5m", "0.123456789+0.0005s", "90s+1", "2h+0", "7m;d3",
    "30/1m:20/1m:5m", "30/1m:5m+0s", "5:0+1", "5\u20133", "5+3\n", "1e-400+1", "\u00a05+3",
]  # fmt: skip


def test_clocks_as_text() -> None:
    def of(text: str) -> list[str]:
        try:
            control = clock_from_text(text)
        except KrError as error:
            return ["error", str(error)]
        return ["", "" if control is None else str(control)]

    code = """
        const {clockFromText} = await load("play/clock.js");
        tell(given.map(text => {
          try {
            const control = clockFromText(text);
            return ["", control === null ? "" : String(control)];
          } catch (error) {
            return ["error", error.message];
          }
        }));
    """
    source = random.Random(1)
    made = ["".join(source.choices("1205:/+dsmhG .,|;", k=source.randint(1, 9))) for _ in range(1500)]
    texts = [*CLOCKS, *made]
    assert in_node(code, texts) == [of(text) for text in texts]


def test_clocks_that_run() -> None:
    source = random.Random(2)
    texts = ["5+3", "40/30", "3m d2s", "3/1m:2/30s:1m+2s", "2/1m", "0:20+0"]
    times = [[round(source.expovariate(0.3), 3) for _ in range(60)] for _ in texts]
    code = """
        const {Clock, TimeControl} = await load("play/clock.js");
        tell(given.map(([text, times]) => {
          const clock = new Clock(TimeControl.parse(text));
          return times.map(seconds => {
            const {seconds: longest, usualSeconds} = clock.limits();
            return [usualSeconds, longest, clock.allowed, clock.stop(seconds), clock.left, clock.moves];
          });
        }));
    """
    expected = []
    for text, taken in zip(texts, times, strict=True):
        clock = Clock(TimeControl.parse(text))
        expected.append(
            [[*clock.limits().seconds(), clock.allowed, clock.stop(each), clock.left, clock.moves] for each in taken]
        )
    for one, other in zip(in_node(code, [*zip(texts, times, strict=True)]), expected, strict=True):
        for values, wanted in zip(one, other, strict=True):
            assert values == pytest.approx(wanted, abs=1e-9)


def test_the_levels(page: Page) -> None:
    house = web_house(egdb="none")
    expected = server_answer(house, "play/levels", {})
    house.close()
    assert page.ask("play/levels", {}) == {"levels": expected["levels"], "generations": []}


class Given(random.Random):
    """Random numbers that are given."""

    def __init__(self, numbers: Sequence[float]) -> None:
        super().__init__(0)
        self._numbers = iter(numbers)

    def random(self) -> float:
        return next(self._numbers)

    def randrange(self, count: int) -> int:  # type: ignore[override]
        return int(self.random() * count)


def test_what_a_level_chooses() -> None:
    source = random.Random(3)
    cases: list[Any] = []
    for number in range(3000):
        level = source.randrange(9)
        count = source.randint(1, 12)
        expected = sorted((min(1.0, source.random() * 1.2) for _ in range(count)), reverse=True)
        likely = [source.random() if source.random() < 0.8 else 0.0 for _ in range(count)] if number % 4 else None
        cases.append([level, expected, likely, [source.random() for _ in range(count + 2)]])
    code = """
        const {choose} = await load("play/levels.js"), {Draws} = await load("play/draws.js");
        tell(given.cases.map(([level, expected, likely, numbers]) => {
          const source = new Draws("");
          source.random = () => numbers.shift();
          return choose(given.levels[level], expected, source, likely);
        }));
    """
    levels = [{name: getattr(each, name) for name in ("temperature", "overlook", "likeness")} for each in LEVELS[:9]]
    chosen = in_node(code, {"cases": cases, "levels": levels})
    assert chosen == [
        choose(LEVELS[level], expected, Given(numbers), likely) for level, expected, likely, numbers in cases
    ]
    assert len(set(chosen)) > 8


def test_draws_by_lot() -> None:
    code = """
        const {Draws} = await load("play/draws.js");
        const tables = Array.from({length: given}, (_, i) => {
          const draws = new Draws(`7 ${i}`);
          return [draws.below(10), draws.weighted([1, 0, 3]), draws.random()];
        });
        tell([tables, new Draws("7 1").random(), new Draws("7 1").random()]);
    """
    draws, one, again = in_node(code, 20_000)
    assert one == again
    tens, weighted, numbers = (np.array(column) for column in zip(*draws, strict=True))
    assert np.bincount(tens, minlength=10) == pytest.approx(2000, abs=200)
    assert np.bincount(weighted, minlength=3).tolist()[1] == 0
    assert np.mean(weighted == 2) == pytest.approx(0.75, abs=0.02)
    assert (numbers >= 0).all()
    assert (numbers < 1).all()
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.03


def test_manners() -> None:
    source = random.Random(4)
    cases: list[Any] = []
    for _ in range(4000):
        middle = source.choice((-500, -420, -60, 0, 0, 10, 40))
        spread = source.choice((2, 20, 60))
        scores = [round(source.gauss(middle, spread)) for _ in range(source.randint(0, 14))]
        cases.append([scores, source.randint(0, 90)])
    code = """
        const {givesUp, offersDraw, refusal} = await load("play/manners.js");
        tell(given.map(([scores, plies]) => [givesUp(scores), offersDraw(scores, plies), refusal(scores, plies)]));
    """
    expected = [
        [manners.gives_up(scores), manners.offers_draw(scores, plies), manners.refusal(scores, plies) or ""]
        for scores, plies in cases
    ]
    assert in_node(code, cases) == expected
    assert len({json.dumps(each) for each in expected}) >= 7


# --- hints


def test_hints_give_the_same_reasons() -> None:
    """The reasons of kr web for the lines of searches in many positions."""
    database = load_database(str(ROOT / "egdb"), 0)
    assert database
    engine, source = Engine(None, hash_mb=1, database=database), random.Random(8)
    cases: list[Any] = []
    expected: list[Any] = []
    for number in range(60):
        board = Board(POSITIONS[number % len(POSITIONS)])
        for _ in range(source.randrange(40)):
            if board.outcome() is not None:
                board.undo(1)
                break
            board.play(source.choice(board.legal_moves()))
        found = engine.search(board.position, Limits(nodes=1500), board.history, multipv=2)
        lines = [
            {"score": line.score, "moves": [[list(each.path), each.captured] for each in line.pv]}
            for line in found.lines
        ]
        values = {}
        for move in board.legal_moves():
            after = board.position.play(move)
            values[after.fen] = None if after.is_over else database.value(after)
        cases.append({"fen": board.fen, "lines": lines, "values": values if number % 2 else None})
        expected.append(hint_json(board.position, found, database if number % 2 else None))
    code = """
        const {hintJson} = await load("hints.js"), {Move, Position} = await load("rules.js");
        tell(await Promise.all(given.map(({fen, lines, values}) => {
          const position = Position.fromFen(fen), database = values && {
            has: () => true, look: async some => some.map(each => ({value: values[each.fen] ?? null, distance: null})),
          };
          const moveOf = (at, [path, captured]) => at.legalMoves().find(each => each.equals(new Move(path, captured)));
          const read = moves => {
            let at = position;
            return moves.map(each => {
              const move = moveOf(at, each);
              at = at.play(move);
              return move;
            });
          };
          return hintJson(position, lines.map(({score, moves}) => ({score, moves: read(moves)})), database);
        })));
    """
    assert in_node(code, cases) == json.loads(json.dumps(expected))
    assert sum(each["gain"] is not None for each in expected) >= 5
    assert sum(each["crowned"] is not None for each in expected) >= 5
    assert {each["other"] and each["other"]["value"] for each in expected} >= {"win", "loss", "draw", None}
    assert any("forced" in each for each in expected)
