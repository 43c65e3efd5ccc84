"""Cooks, moves that people play most although the book has a better one, as searches have checked them.

A difference between values of a book may be chance: it has many, and a cook is where two of them differ most. So a book
keeps what searches of the positions after both moves have found; a cook is one if they looked further than the book's
values, and the difference is still there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kr.book.frame import BookKey, numbered_steps, position_of_key
from kr.book.krb import MOST_VALUE
from kr.errors import InvalidBookError

COOK = 15
"""Centi-men by which the best move beats the one that people play most, so that it is a cook."""
COOKS_FACT = "cooks"
"""Name of `SearchedCooks.as_object` among a book's facts."""


class ValuedMove(NamedTuple):
    """A move of a cook, as a book or a search values it."""

    number: int
    """Place among the legal moves, by the order of kr.book.frame.numbered_steps."""
    value: int
    """Centi-men for the side that plays it; 10,000 for a proved win."""
    depth: int
    """Plies from the position of the cook to the end of the search."""

    @property
    def is_proved(self) -> bool:
        """True for a win or a loss."""
        return abs(self.value) >= MOST_VALUE


@dataclass(frozen=True, slots=True)
class SearchedCook:
    """A position where people play most what is worse by the book, after whose two moves searches have looked."""

    key: BookKey
    nodes: int
    """Limit of each search."""
    best: ValuedMove
    played: ValuedMove

    @property
    def loss(self) -> int:
        """Centi-men that the move of people gives away by these searches."""
        return self.best.value - self.played.value

    def is_of(self, best: ValuedMove, played: ValuedMove) -> bool:
        """True if the book still has these moves."""
        return (self.best.number, self.played.number) == (best.number, played.number)

    def is_deeper(self, best: ValuedMove, played: ValuedMove) -> bool:
        """True if the searches looked further than the book's values of the two moves, or these are proved."""
        pairs = ((self.best, best), (self.played, played))
        return all(own.depth > book_move.depth or own.is_proved or book_move.is_proved for own, book_move in pairs)

    def holds(self, best: ValuedMove, played: ValuedMove) -> bool:
        """True for a cook: the difference is there where it was looked for further than the book had."""
        return self.is_of(best, played) and self.is_deeper(best, played) and self.loss >= COOK

    def row(self) -> list[int]:
        """Its numbers, as `of_row` reads them."""
        return [*self.key, self.nodes, *self.best, *self.played]

    @classmethod
    def of_row(cls, row: Any) -> SearchedCook:
        """A cook of its numbers. Raises ValueError, TypeError or LookupError for what can't be one."""
        own, other, kings, nodes, *moves = row
        if len(moves) != 6 or not all(type(each) is int for each in row) or nodes < 1:
            raise ValueError("not a position, nodes, and two moves")
        key = (own, other, kings)
        legal = len(numbered_steps(position_of_key(key)))
        best, played = ValuedMove(*moves[:3]), ValuedMove(*moves[3:])
        for each in (best, played):
            if not 0 <= each.number < legal or abs(each.value) > MOST_VALUE or each.depth < 0:
                raise ValueError(f"a move {list(each)} of {legal}")
        return cls(key, nodes, best, played)


@dataclass(frozen=True)
class SearchedCooks:
    """The searched cooks of a book."""

    by_key: dict[BookKey, SearchedCook] = field(default_factory=dict)
    standing: frozenset[BookKey] = frozenset()
    """Positions where the difference holds."""
    origin: dict[str, Any] = field(default_factory=dict)
    """What made the searches: weights, database, version of kr."""

    def as_object(self) -> dict[str, Any]:
        """As JSON types: the origin, the number of those that stand, and the rows of all, those first."""
        rows = sorted(self.by_key.values(), key=lambda each: (each.key not in self.standing, each.key))
        return {**self.origin, "standing": len(self.standing), "searched": [each.row() for each in rows]}

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> SearchedCooks:
        """Those of a book's facts. Raises InvalidBookError."""
        try:
            origin = dict(facts.get(COOKS_FACT) or {})
            cooks = [SearchedCook.of_row(row) for row in origin.pop("searched", [])]
            standing = origin.pop("standing", 0)
            if type(standing) is not int or not 0 <= standing <= len(cooks):
                raise ValueError(f"{standing!s:.20} of {len(cooks)} stand")
        except (ValueError, TypeError, LookupError) as error:
            raise InvalidBookError(f"damaged facts: cooks: {error}") from error
        return cls({each.key: each for each in cooks}, frozenset(each.key for each in cooks[:standing]), origin)


def joined_cooks(one: SearchedCooks, other: SearchedCooks) -> SearchedCooks:
    """The searched cooks of two books, of each position those of more nodes; whether they stand is to be seen."""
    several = [*one.by_key.values(), *other.by_key.values()]
    cooks = {each.key: each for each in sorted(several, key=lambda each: each.nodes)}
    return SearchedCooks(cooks, origin=one.origin or other.origin)
