"""Grades of ballots for tournaments: balanced, hard or one-sided, by searches for either side.

`kr theory grade` makes a file of them (kr.ballots.grading), and a match takes its ballots from it: --ballot FILE,
FILE:balanced, FILE:hard or FILE:edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kr.errors import InvalidSettingError
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.journal import begun_settings, read_entries, typed
from kr.storage import no_file

BALANCED, HARD, ONE_SIDED = "balanced", "hard", "one-sided"
GRADES = (BALANCED, HARD, ONE_SIDED)
ONE_SIDED_SCORE = 25
"""Centi-men ahead, by either search, from which a ballot is one-sided; a move that leaves its side so far behind, or
further, does not hold."""
HARD_SCORE = 15
"""Centi-men ahead, by either search, from which a ballot is hard for the other side."""
AT_THE_EDGE = "edge"
EDGE_SCORES = (13, 40)
"""Centi-men ahead, for either side, between which an opening is at the edge of a win, so that few games are drawn.

Of games at 5,000 nodes 72% are drawn from 0 to 11 centi-men, 62% from 12 to 19 and 36% from 20 to 40. Of the 2,674
11-man and three-move openings 121 score 20 to 40 by 200,000 nodes, 429 from 13: enough to play with.
"""
GRADES_SUFFIX = ".jsonl"
"""End of the name of a file of grades."""


@dataclass(frozen=True)
class SideSearch:
    """The search for one side of a ballot."""

    score: int
    """Centi-men for the side that moves."""
    nodes: int
    depth: int
    moves: int
    """Legal moves."""
    holding: int
    """Those of them that hold, by the search."""
    value: str = ""
    """Value for the side that moves, if it is proved."""

    @property
    def is_narrow(self) -> bool:
        """True if one move alone holds, and it is not forced."""
        return self.holding == 1 and self.moves > 1


@dataclass(frozen=True)
class BallotGrade:
    """A graded ballot."""

    number: int
    moves: str
    fen: str
    grade: str
    """One of GRADES."""
    mover: SideSearch
    """Search of the ballot."""
    other: SideSearch | None
    """Search after the mover's best move; None if that ends the game."""

    @property
    def score(self) -> int:
        """Centi-men for the side to move, by the search that looked further."""
        return self.mover.score if self.other is None else -self.other.score

    def as_object(self) -> dict[str, Any]:
        """JSON types; `of_object` reads them."""
        return asdict(self)

    @classmethod
    def of_object(cls, values: Mapping[str, Any]) -> BallotGrade:
        """A grade of JSON types. Raises ValueError, LookupError or TypeError for what can't be one."""
        mover = search_of(values["mover"])
        other = None if values["other"] is None else search_of(values["other"])
        number, moves, fen, grade = (values[name] for name in ("number", "moves", "fen", "grade"))
        if grade not in GRADES:
            raise ValueError(f"grade {grade!r}")
        Position.from_fen(fen)
        return typed(cls(number, moves, fen, grade, mover, other))


def search_of(values: Mapping[str, Any]) -> SideSearch:
    """A search of JSON types. Raises ValueError, LookupError or TypeError for what can't be one."""
    search = typed(SideSearch(**values))
    if search.value:
        Value(search.value)
    if not 0 <= search.holding <= search.moves:
        raise ValueError(f"{search.holding} of {search.moves} moves hold")
    return search


def grade_of(mover: SideSearch, other: SideSearch | None) -> str:
    """The grade of a ballot by its searches."""
    searches = [mover] if other is None else [mover, other]
    ahead = max(abs(each.score) for each in searches)
    decided = {Value.WIN.value, Value.LOSS.value}
    if other is None or ahead >= ONE_SIDED_SCORE or any(each.value in decided for each in searches):
        return ONE_SIDED
    return HARD if ahead >= HARD_SCORE or any(each.is_narrow for each in searches) else BALANCED


def read_grades(path: Path, deck: str = "") -> dict[int, BallotGrade]:
    """The grades of a file by the number of the ballot. deck: the deck that they must be of, "" for any.

    Raises InvalidSettingError for a file of another kind or deck, InvalidGamesError for a damaged one, OSError.
    """
    if not path.is_file():
        raise InvalidSettingError(no_file(path, "one that kr theory grade has written"))
    settings = begun_settings(path) or {}
    if "grades" not in settings:
        raise InvalidSettingError(f"{path} is not a file of grades; kr theory grade writes one")
    if deck and settings["grades"] != deck:
        raise InvalidSettingError(f"{path} has the grades of {settings['grades']!s:.40}, not of {deck}")
    return {grade.number: grade for grade in read_entries(path, BallotGrade.of_object)}


def grades_limits(path: Path) -> str:
    """The limit of each search of a file of grades; "" if it says none. Raises what `read_grades` raises."""
    return str((begun_settings(path) or {}).get("limits", ""))
