"""How much of what people reach a book has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kr.book.frame import BookKey
from kr.errors import InvalidPdnError
from kr.settings import REQUIRED, Settings, option
from kr.theory.contents import open_contents
from kr.theory.people import PEOPLE_PLIES, games_played

FIRST_PLY = 3
"""Plies of a three-move ballot: what people reach is counted from here to ply PEOPLE_PLIES - 1."""


@dataclass(frozen=True)
class CoverageSettings(Settings):
    """A book, and the games to compare it with."""

    book: Path = option(
        REQUIRED, "The book: of kr book build, packed, or CheckerBoard's; shipped: kr's.", metavar="FILE", argument=True
    )
    people: Path = option(REQUIRED, "Archive of games, PDN.", metavar="ARCHIVE", argument=True)


@dataclass(frozen=True, slots=True)
class PlyCoverage:
    """Positions that games reach after a number of plies."""

    ply: int
    occurrences: int
    """Games that came to such a position and went on."""
    in_book: int
    """Occurrences whose position the book has."""


@dataclass
class Coverage:
    """People's games beside a book."""

    positions: int
    """Positions of the book."""
    games: int = 0
    """Games of the archive, from the usual start."""
    plies: list[PlyCoverage] = field(default_factory=list)
    """From FIRST_PLY on."""
    different: int = 0
    """Different positions at these plies, colours swapped alike."""
    different_in_book: int = 0

    @property
    def occurrences(self) -> int:
        """Occurrences at all plies."""
        return sum(each.occurrences for each in self.plies)

    @property
    def in_book(self) -> int:
        """Occurrences whose position the book has."""
        return sum(each.in_book for each in self.plies)

    @property
    def share(self) -> float | None:
        """Share of the occurrences that the book has, 0 to 1; None without games."""
        return self.in_book / self.occurrences if self.occurrences else None


def book_coverage(
    settings: CoverageSettings,
    on_game: Callable[[], None] | None = None,
    on_error: Callable[[InvalidPdnError], None] | None = None,
) -> Coverage:
    """Count what of people's games a book has.

    on_game, on_error: of the games of the archive. Raises InvalidSettingError, InvalidBookError, InvalidPdnError,
    OSError.
    """
    contents = open_contents(settings.book)
    coverage = Coverage(len(contents))
    occurrences, in_book = [0] * PEOPLE_PLIES, [0] * PEOPLE_PLIES
    keys: dict[BookKey, bool] = {}
    for _, moves in games_played(settings.people, on_game, on_error):
        coverage.games += 1
        for ply, (key, _) in enumerate(moves[FIRST_PLY:], FIRST_PLY):
            if key not in keys:
                keys[key] = contents.has(key)
            occurrences[ply] += 1
            in_book[ply] += keys[key]
    coverage.plies = [PlyCoverage(ply, occurrences[ply], in_book[ply]) for ply in range(FIRST_PLY, PEOPLE_PLIES)]
    coverage.different, coverage.different_in_book = len(keys), sum(keys.values())
    return coverage


def coverage_json(coverage: Coverage) -> dict[str, Any]:
    """A coverage as JSON types."""
    return {**vars(coverage), "occurrences": coverage.occurrences, "in_book": coverage.in_book, "share": coverage.share}
