"""Recorded cases of play: time controls, clocks, the choice of a level, manners, records of games;
tests/scripts/play_cases.test.js reads them too."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kr.engine.limits import Clock, TimeControl
from kr.errors import InvalidSettingError
from kr.game.position import Side
from kr.game.value import Result
from kr.pdn import read_game, write_game
from kr.play.manners import gives_up, offers_draw, refusal
from kr.play.record import PlayRecord
from kr.players.levels import Level, choose
from kr.players.player import Reply

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


@pytest.mark.parametrize("case", CASES["records"], ids=[case["title"] for case in CASES["records"]])
def test_records(case: dict[str, Any]) -> None:
    game = read_game(f"{case['pdn']}\n")
    assert game is not None
    record = PlayRecord(game, None)
    assert record.opening == case["opening"]
    assert [record.scores(side) for side in Side] == case["scores"]
    control = TimeControl.parse(case["control"])
    assert [record.clock(side, control).left for side in Side] == case["left"]
    text, seconds, left, (score, depth, time, weight) = case["add"]
    move = record.board().position.parse_move(text)
    record.add(move, seconds, left, Reply(move, score, depth, 0, time, weight))
    record.finish(Result.BLACK_WON, "resignation")
    assert moves_of(record) == case["written"]
    plies, rest = case["undone"]
    record.undo(plies)
    assert moves_of(record) == rest


def moves_of(record: PlayRecord) -> str:
    return " ".join(write_game(record.game).split("\n\n", 1)[1].split())
