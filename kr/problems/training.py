"""Training with puzzles: a rating that follows the solver, what was missed again after some days, courses, the streak.

The rating is Glicko's: a number and its deviation, which a try changes by the rating of the puzzle. A puzzle solved at
the first try without a hint is a win, a wrong move or a hint a loss; a puzzle counts once a day, and one without a
rating not at all. The deviation shrinks with each try, and grows with the days without one.

A missed puzzle goes into the first of the boxes, and comes again after as many days as INTERVALS has for the box.
Solved then, it moves on to the next box, and out of the last one; missed again, it is back in the first.

A `Training` is a JSON object, the same in the browser and in the terminal
(`kr/page/static/learn/training.js`). Days are numbers, of which 1 is 1 January of the year 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kr.errors import InvalidSettingError

FIRST_RATING, FIRST_DEVIATION, LEAST_DEVIATION = 1500.0, 350.0, 45.0
"""Of somebody who has tried nothing; and the least uncertainty, so that the rating can still follow."""
PUZZLE_DEVIATION = 100.0
"""Uncertainty of a puzzle's rating, which is that of a model of people's moves."""
DRIFT = math.sqrt((FIRST_DEVIATION**2 - LEAST_DEVIATION**2) / 365)
"""Growth of the deviation by a day without a try: after a year the rating is as uncertain as at first."""
SHOWN_DEVIATIONS = 1.96
"""Deviations that a shown uncertainty has: that of 95%, as with all of kr's figures."""
INTERVALS = (1, 3, 7, 21)
"""Days until a missed puzzle comes again, by its box."""
MOST_CURVE = 400
"""Days that the curve of the rating keeps."""
TRAINING_FORMAT = 1

_LN = math.log(10) / 400


@dataclass(frozen=True)
class SolverRating:
    """Strength of a solver."""

    rating: float = FIRST_RATING
    deviation: float = FIRST_DEVIATION

    def rested(self, days: int) -> SolverRating:
        """The same after some days without a try."""
        grown = math.sqrt(self.deviation**2 + max(days, 0) * DRIFT**2)
        return replace(self, deviation=min(grown, FIRST_DEVIATION))

    def after(self, puzzle: float, solved: bool) -> SolverRating:
        """The rating after a puzzle of that rating."""
        weight = 1 / math.sqrt(1 + 3 * (_LN * PUZZLE_DEVIATION / math.pi) ** 2)
        expected = 1 / (1 + 10 ** (-weight * (self.rating - puzzle) / 400))
        precision = 1 / self.deviation**2 + (_LN * weight) ** 2 * expected * (1 - expected)
        rating = self.rating + _LN / precision * weight * (solved - expected)
        return SolverRating(rating, max(math.sqrt(1 / precision), LEAST_DEVIATION))

    def __str__(self) -> str:
        return f"{self.rating:.0f} ± {SHOWN_DEVIATIONS * self.deviation:.0f}"


@dataclass
class Training:
    """What a solver has done."""

    solver: SolverRating = field(default_factory=SolverRating)
    day: int = 0
    """Day of the last try that counted; 0 if there was none."""
    counted: list[str] = field(default_factory=list)
    """Puzzles that have counted on that day."""
    curve: list[tuple[int, float, float]] = field(default_factory=list)
    """Days with tries: day, rating and deviation at its end."""
    puzzles: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By key: `tries` (wrong moves), `hints`, `solved`, and `likely` if only the search knows it for right."""
    boxes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Missed puzzles by key: number of the box from 0, and the day on which they are due."""
    steps: list[str] = field(default_factory=list)
    """Steps of courses that are done."""
    streak: tuple[int, int] = (0, 0)
    """Last day whose puzzle was solved on that day, and how many days in a row."""

    def is_solved(self, key: str) -> bool:
        """True if the puzzle has been solved, with help or without."""
        return bool(self.puzzles.get(key, {}).get("solved"))

    def due(self, day: int) -> list[str]:
        """Missed puzzles that are due, the longest due first."""
        return sorted((key for key, (_, due) in self.boxes.items() if due <= day), key=lambda key: self.boxes[key][1])

    def miss(self, key: str, what: str, rating: int | None, day: int) -> None:
        """A wrong move ("tries") or a hint ("hints")."""
        record = self._record(key)
        record[what] += 1
        self._count(key, rating, False, day)
        self.boxes[key] = (0, day + INTERVALS[0])

    def solve(self, key: str, rating: int | None, day: int, *, clean: bool, likely: bool = False) -> None:
        """A puzzle was solved. clean: without a wrong move or a hint in this try; likely: a search alone says so."""
        record = self._record(key)
        likely = likely and (not record["solved"] or bool(record.get("likely")))
        record.update(solved=True, likely=likely)
        if not clean:
            return
        self._count(key, rating, True, day)
        box, due = self.boxes.get(key, (0, day + 1))
        if due > day:
            return
        if box + 1 < len(INTERVALS):
            self.boxes[key] = (box + 1, day + INTERVALS[box + 1])
        else:
            del self.boxes[key]

    def solve_daily(self, day: int) -> None:
        """The puzzle of the day was solved."""
        last, days = self.streak
        if last < day:
            self.streak = (day, days + 1 if last == day - 1 else 1)

    def finish_step(self, step: str) -> None:
        """A step of a course is done."""
        if step not in self.steps:
            self.steps.append(step)

    def rating_on(self, day: int) -> SolverRating:
        """The rating on a day, with the uncertainty of the days since the last try."""
        return self.solver.rested(day - self.day) if self.day else self.solver

    def _record(self, key: str) -> dict[str, Any]:
        return self.puzzles.setdefault(key, {"tries": 0, "hints": 0, "solved": False})

    def _count(self, key: str, rating: int | None, solved: bool, day: int) -> None:
        if day > self.day:
            self.solver, self.day, self.counted = self.rating_on(day), day, []
        if key in self.counted:
            return
        self.counted.append(key)
        if rating is None:
            return
        self.solver = self.solver.after(rating, solved)
        # days only go on, also where a clock went back
        if self.curve and self.curve[-1][0] == self.day:
            self.curve.pop()
        self.curve.append((self.day, round(self.solver.rating, 1), round(self.solver.deviation, 1)))
        del self.curve[:-MOST_CURVE]

    # --- as JSON

    def as_object(self) -> dict[str, Any]:
        """JSON object, as it is kept and handed on."""
        return {
            "format": TRAINING_FORMAT,
            "rating": self.solver.rating,
            "deviation": self.solver.deviation,
            "day": self.day,
            "counted": self.counted,
            "curve": [list(each) for each in self.curve],
            "puzzles": self.puzzles,
            "boxes": {key: list(each) for key, each in self.boxes.items()},
            "steps": self.steps,
            "streak": list(self.streak),
        }

    @classmethod
    def from_object(cls, values: Any) -> Training:
        """Training from its JSON object. Raises InvalidSettingError for one that is not such an object."""
        if not isinstance(values, Mapping) or values.get("format") != TRAINING_FORMAT:
            raise InvalidSettingError(
                f'not the progress of kr learn: expected an object with "format": {TRAINING_FORMAT}'
            )
        try:
            return cls(
                SolverRating(*_rating(values["rating"], values["deviation"])),
                _day(values["day"]),
                [str(key) for key in _list(values["counted"])],
                [(_day(day), *_rating(rating, deviation)) for day, rating, deviation in _list(values["curve"])][
                    -MOST_CURVE:
                ],
                {str(key): _puzzle(record) for key, record in _object(values["puzzles"]).items()},
                {str(key): (_box(box), _day(due)) for key, (box, due) in _object(values["boxes"]).items()},
                [str(step) for step in _list(values["steps"])],
                (_day(values["streak"][0]), _day(values["streak"][1])),
            )
        except KeyError as error:
            raise InvalidSettingError(f"not the progress of kr learn: {error} is missing") from None
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise InvalidSettingError(f"not the progress of kr learn: {error}") from None


def _rating(rating: Any, deviation: Any) -> tuple[float, float]:
    rating, deviation = float(rating), float(deviation)
    if not (0 <= rating <= 4000 and 0 < deviation <= FIRST_DEVIATION):
        raise ValueError("the rating is out of range")
    return rating, deviation


def _day(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 4_000_000:
        raise ValueError(f"{value!r} is not the number of a day")
    return value


def _box(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < len(INTERVALS):
        raise ValueError(f"{value!r} is not a box from 0 to {len(INTERVALS) - 1}")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("expected a list")
    return value


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("expected an object")
    return value


def _puzzle(value: Any) -> dict[str, Any]:
    values = _object(value)
    record = {"tries": _day(values["tries"]), "hints": _day(values["hints"]), "solved": bool(values["solved"])}
    return {**record, "likely": bool(values["likely"])} if "likely" in values else record
