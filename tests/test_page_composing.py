"""Problems under construction without a server: what the WebAssembly finds of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from page import Page

from kr.game.position import Position
from kr.problems.problem import Problem
from kr.problems.variations import candidates

pytestmark = pytest.mark.slow

CASES = json.loads(Path(__file__).with_name("cases").joinpath("soundness.json").read_text())
VARIED = json.loads(Path(__file__).with_name("cases").joinpath("variations.json").read_text())
OPEN = "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_problem_is_checked(page: Page, case: dict[str, Any]) -> None:
    asked = {name: case[name] for name in ("fen", "result", "strict")}
    verdict = page.stream("soundness", asked | {"seconds": 30})[-1]["verdict"]
    assert verdict == case["verdict"] | {name: verdict[name] for name in ("nodes", "seconds")}


def test_what_is_open_after_the_time_is_undecided(page: Page) -> None:
    verdict = page.stream("soundness", {"fen": OPEN, "seconds": 1})[-1]["verdict"]
    assert (verdict["verdict"], verdict["value"], verdict["keys"]) == ("undecided", None, [])
    assert verdict["limit"] == {"say": "limit.time", "with": {"time": "1 s"}}
    assert verdict["nodes"] > 0
    assert 0.5 < verdict["seconds"] < 30


def test_variations_are_checked_as_they_are_recorded(page: Page) -> None:
    *told, last = page.stream("variations", {"fen": VARIED["fen"], "goal": "value", "seconds": 10})
    assert last == {"ended": "all"}
    assert (told[-1]["done"], told[-1]["counts"]) == (VARIED["total"], VARIED["counts"])
    assert [each for event in told for each in event["found"]] == VARIED["found"]


@pytest.mark.parametrize(("changes", "captures"), [(1, False), (1, True), (2, False)])
def test_as_many_positions_are_varied_as_by_kr_problem_vary(page: Page, changes: int, captures: bool) -> None:
    stream = page.open("variations", {"fen": OPEN, "goal": "win", "changes": changes, "captures": captures})
    total = stream.next()["total"]
    stream.stop()
    assert total == len(candidates([Problem("", "", Position.from_fen(OPEN))], changes, captures=captures))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"fen": "W:W33:B1"}, "33"),
        ({"fen": "W:W21:B"}, "a problem needs pieces of both sides"),
        ({"fen": OPEN, "seconds": 61}, "seconds is not a number from 0.01 to 60"),
        ({"fen": OPEN, "result": "loss"}, "result is not one of win, draw"),
        ({"fen": "W:W21:B", "goal": "win"}, "a problem needs pieces of both sides"),
        ({"fen": OPEN, "goal": "mate"}, "goal is not one of win, draw, value"),
        ({"fen": OPEN, "goal": "win", "changes": 3}, "changes is not a whole number from 1 to 2"),
        ({"fen": OPEN, "goal": "win", "seconds": 11}, "seconds is not a number from 0.01 to 10"),
    ],
)
def test_bad_requests(page: Page, asked: dict[str, Any], message: str) -> None:
    what = "variations" if "goal" in asked else "soundness"
    assert message in page.stream(what, asked)[-1]["error"]
