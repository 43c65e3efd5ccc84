"""All puzzles by their ids: the classics, the collection, problems of the person's files, and the steps of courses."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial

from kr.problems.collection import collection
from kr.problems.courses import load_courses
from kr.problems.problem import Problem
from kr.problems.puzzles import daily, load_puzzles

DAILY_RATINGS = (1200, 1700)
"""Least and greatest rating of a puzzle of the day; that of a beginner is rated less."""


class Origin(StrEnum):
    """Where a puzzle is from."""

    CLASSIC = "classic"
    COLLECTION = "collection"
    OWN = "own"
    COURSE = "course"


@dataclass(frozen=True)
class ShelfPuzzle:
    """A puzzle on the shelf."""

    id: str
    origin: Origin
    fen: str
    result: str
    """Published result, as in problem files; "" if unknown."""
    themes: tuple[str, ...]
    rating: int | None
    read: Callable[[], Problem]
    enough: int | None = None
    """Right moves after which it is solved, whatever is left; None if its end decides."""

    @classmethod
    def of(cls, name: str, problem: Problem, origin: Origin, enough: int | None = None) -> ShelfPuzzle:
        """A problem that has been read."""
        fen = problem.position.fen
        return cls(name, origin, fen, problem.result, problem.themes, problem.rating, lambda: problem, enough)

    @property
    def problem(self) -> Problem:
        """All of it, read when it is first asked for."""
        return self.read()

    @property
    def key(self) -> str:
        """Name under which progress is kept: the position where problems have names of their files, else the id."""
        return self.fen if self.origin in (Origin.CLASSIC, Origin.OWN) else self.id


class PuzzleShelf:
    """Puzzles by id. own: problems of files, by ids apart from those of the classics (`own_puzzles`)."""

    def __init__(self, own: Mapping[str, Problem] | None = None) -> None:
        self.puzzles = dict(_shipped())
        """All of them: the classics, the collection, the person's own, the steps of courses."""
        for name, problem in (own or {}).items():
            while (apart := name) in self.puzzles:
                name += "'"
            self.puzzles[apart] = ShelfPuzzle.of(apart, problem, Origin.OWN)

    def of(self, *origins: Origin) -> list[ShelfPuzzle]:
        """Those of some origins, in order."""
        return [each for each in self.puzzles.values() if each.origin in origins]

    @staticmethod
    def daily(day: datetime.date, beginner: bool = False) -> ShelfPuzzle:
        """The puzzle of a day, the same for everybody: one of the collection, of middling difficulty; the same for all
        beginners, one to win that is easier."""
        if beginner and (easy := _easy_wins()):
            return daily([_shipped()[name] for name in easy], (), day)
        puzzles = [_shipped()[name] for name in _middling()]
        draws = [each for each in puzzles if each.result == "draw"]
        return daily([each for each in puzzles if each.result != "draw"], draws, day)


@cache
def _shipped() -> dict[str, ShelfPuzzle]:
    """What comes with kr. A position of the collection that is a classic too stands there once, as the classic."""
    collected = collection()
    places = {entry["fen"]: place for place, entry in enumerate(collected.entries)}
    puzzles: dict[str, ShelfPuzzle] = {}
    for name, problem in load_puzzles(()).items():
        places.pop(problem.position.fen, None)
        puzzles[name] = ShelfPuzzle.of(name, problem, Origin.CLASSIC)
    for fen, place in places.items():
        entry = collected.entries[place]
        puzzles[entry["id"]] = ShelfPuzzle(
            entry["id"],
            Origin.COLLECTION,
            fen,
            entry["result"],
            tuple(entry.get("themes", ())),
            entry.get("rating"),
            partial(collected.__getitem__, place),
        )
    for course in load_courses():
        for step in course.steps:
            puzzles[step.problem.id] = ShelfPuzzle.of(step.problem.id, step.problem, Origin.COURSE, step.moves)
    return puzzles


def _for_all() -> list[ShelfPuzzle]:
    return [each for each in _shipped().values() if each.origin is not Origin.COURSE]


@cache
def _easy_wins() -> tuple[str, ...]:
    low, _ = DAILY_RATINGS
    return tuple(each.id for each in _for_all() if each.rating and each.rating < low and each.result != "draw")


@cache
def _middling() -> tuple[str, ...]:
    low, high = DAILY_RATINGS
    middling = tuple(each.id for each in _for_all() if each.rating and low <= each.rating <= high)
    return middling or tuple(each.id for each in _for_all())
