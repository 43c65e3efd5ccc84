"""Training with puzzles: the rating, boxes, streaks, the choice of puzzles, and progress as JSON.

tests/scripts/training.test.js reads the recorded cases too.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kr.errors import InvalidSettingError
from kr.problems.lessons import following
from kr.problems.training import LEAST_DEVIATION, SolverRating, Training

DATA = json.loads((Path(__file__).with_name("cases") / "training.json").read_text("utf-8"))
DAY = 739_946


def trained(events: list[dict[str, Any]]) -> Training:
    training = Training()
    for event in events:
        match event["what"]:
            case "solve":
                training.solve(
                    event["key"], event.get("rating"), event["day"], clean=event["clean"], likely=event["likely"]
                )
            case "daily":
                training.solve_daily(event["day"])
            case "step":
                training.finish_step(event["key"])
            case what:
                training.miss(event["key"], what, event.get("rating"), event["day"])
    return training


def test_recorded_events() -> None:
    training = trained(DATA["events"])
    kept = json.loads(json.dumps(training.as_object()))
    assert {**kept, "rating": 0, "deviation": 0} == {**DATA["kept"], "rating": 0, "deviation": 0}
    assert kept["rating"] == pytest.approx(DATA["kept"]["rating"])
    assert kept["deviation"] == pytest.approx(DATA["kept"]["deviation"])
    for day, keys in DATA["due"]:
        assert training.due(day) == keys


@pytest.mark.parametrize(("rating", "deviation", "puzzle", "solved", "expected", "uncertain"), DATA["ratings"])
def test_recorded_ratings(
    rating: float, deviation: float, puzzle: float, solved: bool, expected: float, uncertain: float
) -> None:
    after = SolverRating(rating, deviation).after(puzzle, solved)
    assert (after.rating, after.deviation) == pytest.approx((expected, uncertain), abs=1e-3)


@pytest.mark.parametrize(("title", "puzzles", "before", "expected"), DATA["next"])
def test_recorded_choices(title: str, puzzles: list[Any], before: dict[str, Any], expected: str | None) -> None:
    training = Training()
    for key in before.get("missed", ()):
        training.miss(key, "tries", None, DAY)
    for key in [*(f"done {number}" for number in range(before.get("done", 0))), *before.get("solved", ())]:
        training.solve(key, None, DAY, clean=False)
    shelf: list[Any] = [SimpleNamespace(key=key, rating=rating, result=goal) for key, rating, goal in puzzles]
    found = following(shelf, training, DAY + before.get("days", 0), before.get("seen", 0))
    assert (found and found.key) == expected, title


def test_the_rating_finds_a_strength() -> None:
    """Somebody who solves what is rated below 1800 and nothing above."""
    solver = SolverRating()
    for number in range(200):
        puzzle = solver.rating + (number % 5 - 2) * 60
        solver = solver.after(puzzle, puzzle < 1800)
    assert abs(solver.rating - 1800) < 100
    assert solver.deviation == LEAST_DEVIATION or solver.deviation < 60


def test_a_missed_puzzle_comes_again_later_and_later() -> None:
    training, day = Training(), DAY
    training.miss("a", "tries", 1500, day)
    training.solve("a", 1500, day, clean=False)
    assert training.due(day) == []
    for days in DATA["intervals"]:
        assert training.due(day + days - 1) == []
        day += days
        assert training.due(day) == ["a"]
        training.solve("a", 1500, day, clean=True)
        assert training.due(day) == []
    assert training.boxes == {}
    training.miss("a", "hints", 1500, day)
    training.solve("a", 1500, day + 1, clean=True)
    training.miss("a", "tries", 1500, day + 4)
    assert training.due(day + 5) == ["a"]


def test_a_puzzle_counts_once_a_day() -> None:
    training = Training()
    training.miss("a", "tries", 1500, DAY)
    after = training.solver
    training.miss("a", "hints", 1500, DAY)
    training.solve("a", 1500, DAY, clean=True)
    assert training.solver == after
    training.solve("a", 1500, DAY + 1, clean=True)
    assert training.solver.rating > after.rating
    assert [day for day, _, _ in training.curve] == [DAY, DAY + 1]


def test_the_curve_goes_on_where_a_clock_went_back() -> None:
    training = Training()
    for day in (DAY, DAY - 1, DAY):
        training.miss(str(day), "tries", 1500, day)
    assert [day for day, _, _ in training.curve] == [DAY]
    kept = training.as_object()
    assert len(Training.from_object({**kept, "curve": 500 * kept["curve"]}).curve) == 400


def test_days_in_a_row() -> None:
    training = Training()
    for day, streak in ((1, 1), (2, 2), (2, 2), (3, 3), (5, 1)):
        training.solve_daily(DAY + day)
        assert training.streak == (DAY + day, streak)


@pytest.mark.parametrize("change", DATA["no progress"], ids=str)
def test_what_is_no_progress(change: dict[str, Any]) -> None:
    kept = DATA["kept"]
    assert Training.from_object(kept).as_object() == kept
    with pytest.raises(InvalidSettingError, match="not the progress of kr learn"):
        Training.from_object({**kept, **change})
    for name in kept:
        with pytest.raises(InvalidSettingError):
            Training.from_object({key: value for key, value in kept.items() if key != name})
