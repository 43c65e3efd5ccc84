"""The engine of a game by DXP: it searches in the background, and puts its results into the link's inbox."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from kr.book.book import OpeningBook
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SearchOutcome, SearchResult
from kr.engine.search import Search
from kr.game.position import Position
from kr.protocols.dxp_link import Link


class SearchDone(NamedTuple):
    """A search in another thread has ended."""

    search: int
    """Number of the search: those of earlier ones are ignored."""
    outcome: SearchOutcome
    weight: int | None = None
    """Weight of a move from the book, as in kr.book.book.KnownMove; None of a searched one."""


class Remark(NamedTuple):
    """Chat that the operator wants to send."""

    text: str


class TakeBack(NamedTuple):
    """Request of the operator to take moves back."""

    plies: int | None
    """Number of plies; None for those since kr was last to move."""


Wish = Remark | TakeBack
Inner = SearchDone | Wish
"""Items of the link's inbox from our own side."""


class Thinker:
    """The engine, searching in the background, and its book. Results are put into the link's inbox."""

    def __init__(self, engine: Engine, book: OpeningBook | None = None) -> None:
        self._engine = engine
        self._book = book
        self._chance = random.Random()
        self._number = 0
        self._search: Search | None = None
        self.last: SearchDone | None = None
        """Result of the search for the last move."""

    @property
    def engine(self) -> Engine:
        """The engine, for uses other than a search."""
        return self._engine

    def new_game(self) -> None:
        """Forget the game before."""
        self._engine.new_game()
        self.last = None

    def start(self, position: Position, limits: Limits, history: Sequence[Position], link: Link[Inner]) -> int:
        """Begin a search, unless the book has a move. Returns its number, which its SearchDone will carry. Raises what
        Engine.start raises, and InvalidBookError."""
        self._number += 1
        number = self._number
        choice = self._book and self._book.choice(position, self._chance, history)
        if self._book and choice:
            assert choice.value is not None
            line = tuple(self._book.line(position, choice))
            result = SearchResult(choice.move, choice.value, choice.depth, 0, 0.0, line, ())
            link.put(SearchDone(number, result, choice.weight))
            return number
        self._search = self._engine.start(
            position, limits, history, forced_at_once=True, on_end=lambda outcome: link.put(SearchDone(number, outcome))
        )
        return number

    def finish(self) -> None:
        """Stop the search under way, if any, and wait for its end."""
        search, self._search = self._search, None
        if search is not None:
            search.close()
