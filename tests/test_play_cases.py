"""Recorded cases of play: time controls, clocks, the choice of a level, manners; tests/scripts/play_cases.test.js reads
them too."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kr.engine.limits import Clock, TimeControl
from kr.errors import InvalidSettingError
from kr.play.manners import gives_up, offers_draw, refusal
from kr.players.levels import Level, choose

CASES = json.loads((Path(__file__).with_name("cases") / "play.json").read_text("utf-8"))
REFUSALS = {
    "ahead": "it sees itself ahead",
    "was ahead": "it saw itself ahead in one of its last 5 moves",
    "moves": "it accepts no draw before it has searched for 5 moves",
    "plies": "it accepts no draw in an even game before ply 40",
    None: None,
}


class Given(random.Random):
    """Random numbers that are given."""

    def __init__(self, numbers: Sequence[float]) -> None:
        super().__init__(0)
        self._numbers = iter(numbers)

    def random(self) -> float:
        return next(self._numbers)

    def randrange(self, count: int) -> int:  # type: ignore[override]
        return int(self.random() * count)


@pytest.mark.parametrize(("text", "control"), CASES["time controls"])
def test_time_controls(text: str, control: str | dict[str, str]) -> None:
    if isinstance(control, str):
        assert str(TimeControl.parse(text)) == control
    else:
        with pytest.raises(InvalidSettingError) as caught:
            TimeControl.parse(text)
        assert str(caught.value) == control["error"]


@pytest.mark.parametrize(("text", "moves"), CASES["clocks"])
def test_clocks(text: str, moves: list[list[float]]) -> None:
    clock = Clock(TimeControl.parse(text))
    for seconds, *expected in moves:
        usual, longest = clock.limits().seconds()
        assert [clock.allowed, usual, longest, clock.stop(seconds), clock.left] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("level", "expected", "likely", "numbers", "index"), CASES["choices of levels"])
def test_choices_of_levels(level: dict[str, Any], expected: Any, likely: Any, numbers: Any, index: int) -> None:
    assert choose(Level(1, 1, **level), expected, Given(numbers), likely) == index


@pytest.mark.parametrize(("scores", "plies", "resigns", "offers", "why"), CASES["manners"])
def test_manners(scores: list[int], plies: int, resigns: bool, offers: bool, why: str | None) -> None:
    assert (gives_up(scores), offers_draw(scores, plies), refusal(scores, plies)) == (resigns, offers, REFUSALS[why])
