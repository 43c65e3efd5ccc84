"""Analysis, people's moves and static scores in the page without a server, against those of kr web."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from page import Page, started, web_house
from web_pages import finished

from kr.evaluation.kinds import load_evaluation
from kr.game.position import Position, Side
from kr.policy.policy import load_policy
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.searches import analysis

pytestmark = pytest.mark.slow

START = Position().fen


@pytest.fixture(scope="module")
def fresh() -> Iterator[Page]:
    """A page whose engine has searched nothing yet."""
    yield from started()


def both(fresh: Page, house: House, asked: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The events of the page and the server, without the time that they took."""
    return [*map(timeless, fresh.stream("analysis", asked))], [*map(timeless, finished(server_events(house, asked)))]


async def server_events(house: House, asked: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(event)) async for event in analysis(house, PageRequest(asked), asyncio.Queue())]


def timeless(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in ("nps", "time")}


def whole(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events without lines, and the last one with whole lines: which of those between come depends on the time."""
    lines: list[dict[str, Any]] = []
    for event in events:
        if "lines" in event:
            lines = [{**(lines[i] if i < len(lines) else {}), **line} for i, line in enumerate(event["lines"])]
    others = [event for event in events if "lines" not in event and "progress" not in event]
    return [*others, {**events[-1], "lines": lines}] if "lines" in events[-1] else others


GAMES: list[dict[str, Any]] = [
    {"start": START, "limit": "nodes=20000"},
    {"start": START, "moves": ["11-15", "22-18", "15x22"], "limit": "depth=9", "lines": 3},
    {"start": START, "moves": ["9-13"], "limit": "nodes=5000", "threat": True},
    {"start": START, "moves": ["9-14"], "limit": "nodes=30000", "lines": 3, "within": 12},
    # more moves than a page is shown
    {"start": "W:WK30,K17:BK3,K4", "limit": "depth=5", "within": 10000},
    {"start": "B:W18,22,27:BK2,11,12", "limit": "nodes=3000", "lines": 4},
    {"start": "W:WK30:BK3,K4", "limit": "depth=6", "lines": 10},
    {"start": "W:W32:BK3,K4", "limit": "nodes=1000"},
    # the king has walked to and fro
    {"start": "B:WK32,K30:BK1", "moves": ["1-6", "32-28", "6-1", "28-32"] * 2, "limit": "nodes=2000", "lines": 2},
    {"start": "W:W5:B1,9", "limit": "nodes=100"},
    {"start": "W:W5:B1", "limit": "nodes=100"},
]


def test_analyses_are_those_of_the_server(fresh: Page) -> None:
    """One after another: what the engine has in its memory counts too."""
    house = web_house()
    for asked in GAMES:
        own, expected = both(fresh, house, asked)
        assert whole(own) == whole(expected), asked
    house.close()


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"engine": 1}, "engine is not a whole number from 0 to 0"),
        ({"lines": 11}, "lines is not a whole number from 1 to 10"),
        ({"within": -1}, "within is not a whole number from 0 to 10000"),
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


def played(seed: int, plies: int) -> list[str]:
    """The positions of a random game."""
    source, position, fens = random.Random(seed), Position(), []
    for _ in range(plies):
        fens.append(position.fen)
        position = position.play(source.choice(position.legal_moves()))
    return fens


GAME = played(5, 24)


def test_people_and_scores_are_those_of_the_library(fresh: Page) -> None:
    policy, tables = load_policy(), load_evaluation()
    for ply, fen in enumerate(GAME):
        position, before = Position.from_fen(fen), GAME[max(0, ply - 2) : ply]
        choices = policy.choices(position, [*map(Position.from_fen, before)])
        found = fresh.ask("people", {"fen": fen, "before": before})
        assert [(each["text"], each["fen"]) for each in found["moves"]] == [
            (str(each.move), position.play(each.move).fen) for each in choices
        ]
        assert [each["people"] for each in found["moves"]] == pytest.approx(
            [each.probability for each in choices], abs=2e-4
        )
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
