"""Analysis, people's moves and static scores in the page without a server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from library import ROOT
from page import Page, started
from test_annotate import playout

from kr.egdb.database import load_database
from kr.egdb.probe import probe
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.evaluation.kinds import load_evaluation
from kr.game.board import Board
from kr.game.position import Position, Side
from kr.notation import SIDE_NAMES
from kr.players.people import People
from kr.policy.policy import load_policy

pytestmark = pytest.mark.slow

START = Position().fen


@pytest.fixture(scope="module")
def fresh() -> Iterator[Page]:
    """A page whose engine has searched nothing yet."""
    yield from started()


def lines_of(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last lines, with the moves that were told before."""
    lines: list[dict[str, Any]] = []
    for event in events:
        if "lines" in event:
            lines = [{**(lines[i] if i < len(lines) else {}), **line} for i, line in enumerate(event["lines"])]
    return lines


def first_moves(events: list[dict[str, Any]]) -> list[str]:
    return [line["pv"][0]["text"] for line in lines_of(events)]


def test_lines_are_told_as_they_are_found(fresh: Page) -> None:
    found = fresh.stream("analysis", {"start": START, "moves": ["11-15"], "limit": "depth=9", "lines": 3})
    assert found[0] == {"exact": None}
    last = found[-1]
    assert (last["final"], last["depth"], last["side"], last["hash"]) == (True, 9, "white", 16)
    assert last["engine"] == "kr (shipped)"
    assert all(not event["final"] for event in found[1:-1])
    lines = lines_of(found)
    assert [line["score"] for line in lines] == sorted((line["score"] for line in lines), reverse=True)
    for line in lines:
        position = Position().play("11-15")
        for step in line["pv"]:
            position = position.play(step["text"])
            assert step["fen"] == position.fen
        assert sum(line["chances"]) == pytest.approx(1, abs=0.001)
        assert (line["value"], line["plies"], line["draw"], line["depth"]) == (None, None, "", 9)


GAMES: list[dict[str, Any]] = [
    {"start": START, "limit": "nodes=20000"},
    {"start": START, "moves": ["11-15", "22-18", "15x22"], "limit": "depth=9", "lines": 3},
    # what Black would do
    {"start": START, "moves": ["9-13"], "limit": "nodes=5000", "threat": True},
    {"start": START, "moves": ["9-14"], "limit": "nodes=30000", "lines": 3, "within": 12},
]


def test_analyses_are_those_of_the_engine_elsewhere() -> None:
    """One after another: what the engine has in its memory counts too."""
    engine = Engine(hash_mb=16)
    for page in started():
        for asked in GAMES:
            found, board = page.stream("analysis", asked), Board(asked["start"])
            for move in asked.get("moves", ()):
                board.play(move)
            position, history = board.position, board.positions[:-1]
            if asked.get("threat"):
                position, history = Position.from_fen("B" + position.fen[1:]), []
            limits = replace(Limits.parse(asked["limit"]), within=asked.get("within"))
            lines = engine.search(position, limits, history, multipv=asked.get("lines", 1)).lines
            assert found[-1]["side"] == SIDE_NAMES[position.side].lower()
            assert [(each["score"], [step["text"] for step in each["pv"]]) for each in lines_of(found)] == [
                (each.score, [*map(str, each.pv)]) for each in lines
            ]


def test_a_line_that_stays_is_sent_once(fresh: Page) -> None:
    # the only move, by the same line at every depth
    found = fresh.stream("analysis", {"start": "B:W32:B1,27", "lines": 2, "limit": "depth=6"})
    sent = [event["lines"] for event in found if "lines" in event]
    assert all("pv" in line for line in sent[0])
    assert any("pv" not in line for event in sent for line in event)
    assert first_moves(found)


def test_all_moves_near_the_best_are_told_however_many(fresh: Page) -> None:
    asked = {"start": "W:WK14,K19,K23,21,31:B1,3,4,12,K29", "limit": "depth=5", "within": 10000}
    assert len(lines_of(fresh.stream("analysis", asked))) == 10
    legal = Position.from_fen(asked["start"]).legal_moves()
    assert len(lines_of(fresh.stream("analysis", {**asked, "lines": 64}))) == len(legal) > 10
    near = fresh.stream("analysis", {"start": START, "limit": "depth=7", "within": 1, "lines": 3})
    assert {line["score"] for line in lines_of(near)} <= {(best := lines_of(near)[0]["score"]), best - 1}


@pytest.mark.parametrize("fen", ["W:WK6,K15:BK3", "W:W32:BK3,K4", "B:W18,22:BK2,11"])
def test_exact_values_come_first(fresh: Page, fen: str) -> None:
    database = load_database(str(ROOT / "egdb"))
    assert database is not None
    meant = probe(database, Position.from_fen(fen))
    found = fresh.stream("analysis", {"start": fen, "lines": 4, "limit": "depth=4"})
    exact = found[0]["exact"]
    assert (exact["value"], exact["plies"]) == (meant.value, meant.distance)
    assert [(each["text"], each["value"], each["plies"]) for each in exact["moves"]] == [
        (each.move, each.value, each.distance) for each in meant.moves
    ]
    for line in lines_of(found):
        (known,) = (each for each in meant.moves if each.move == line["pv"][0]["text"])
        assert line["value"] == known.value
        assert line["chances"] == [float(known.value == value) for value in ("win", "draw", "loss")]


@pytest.mark.parametrize(
    ("plies", "draw", "line"), [(7, None, ("repetition", 0, "loss", 62)), (8, "repetition", ("", 29939, "win", 61))]
)
def test_draws_by_rule_are_told_beside_what_is_exact(
    fresh: Page, plies: int, draw: str | None, line: tuple[Any, ...]
) -> None:
    moves = "23-18 28-32 18-23 32-28 23-18 28-32 18-23 32-28".split()[:plies]
    found = fresh.stream("analysis", {"start": "W:WK19,K23:B12,K28", "moves": moves, "limit": "nodes=1000"})
    assert found[0].get("draw") == draw
    assert (found[0]["exact"]["value"], found[0]["exact"]["plies"]) == line[2:]
    best = lines_of(found)[0]
    assert (best["draw"], best["score"], best["value"], best["plies"]) == line
    assert best["chances"] == ([0, 1, 0] if line[0] else [1, 0, 0])


def test_a_game_that_is_over_has_no_lines(fresh: Page) -> None:
    told = fresh.stream("analysis", {"start": "B:W32:B", "limit": "depth=3"})
    assert told == [{"over": {"say": "end.no_pieces", "with": {"side": "black", "other": "white"}}}]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"engine": 1}, "engine is not a whole number from 0 to 0"),
        ({"lines": 65}, "lines is not a whole number from 1 to 64"),
        ({"within": -1}, "within is not a whole number from 0 to 10,000"),
        ({"limit": "soon"}, "'soon' is not a duration"),
        ({"moves": ["1-32"]}, "1-32 is not legal"),
        ({"start": "nonsense"}, "nonsense"),
        ({"threat": 1}, "threat is neither true nor false"),
        ({"start": "B:W5:B1", "threat": True}, "no threat"),
    ],
)  # fmt: skip
def test_bad_requests_are_refused(fresh: Page, asked: dict[str, Any], reason: str) -> None:
    (event,) = fresh.stream("analysis", {"start": START, **asked})
    assert reason in event["error"]


GAME = [position.fen for position in playout(5, 24).positions()][:24]


def test_people_and_scores_are_those_of_the_library(fresh: Page) -> None:
    people, tables = People(load_policy(), load_database()), load_evaluation()
    for ply, fen in enumerate(GAME):
        position, before = Position.from_fen(fen), GAME[max(0, ply - 2) : ply]
        choices = people.moves(position, [*map(Position.from_fen, before)])
        found = fresh.ask("people", {"fen": fen, "before": before})
        assert [(each["text"], each["fen"]) for each in found["moves"]] == [
            (str(each.move), position.play(each.move).fen) for each in choices
        ]
        assert [each["people"] for each in found["moves"]] == pytest.approx(
            [each.probability for each in choices], abs=2e-4
        )
        assert [each["holds"] for each in found["moves"]] == [each.holds for each in choices]
        told, meant = fresh.ask("regions", {"fen": fen}), tables.explain(position)
        sign = 1 if position.side is Side.BLACK else -1
        assert (told["score"], told["weights"]) == (sign * meant.score, meant.weights)
        assert [told[name] for name in ("material", "move", "empty")] == near(
            sign, meant.material, meant.move, meant.empty
        )
        assert [*told["shares"].values()] == near(sign, *meant.shares.values())
        assert [each["worth"] for each in told["pieces"]] == near(sign, *(each.worth for each in meant.pieces))
        regions = sorted(meant.regions, key=lambda each: -abs(each.score))
        assert [each["score"] for each in told["regions"]] == near(sign, *(each.score for each in regions))
        assert {tuple(each["squares"]) for each in told["regions"]} == {
            tuple(square + 1 for square in each.squares) for each in regions
        }


def near(sign: int, *values: float | None) -> Any:
    """Values from Black's view, to a hundredth."""
    return pytest.approx([sign * (value or 0) for value in values], abs=0.0051)
