"""How far a game keeps to a book, and who leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kr.book.book import COOK, KnownMove, OpeningBook, loss_of

if TYPE_CHECKING:
    from kr.game.position import Move, Position, Side


@dataclass(frozen=True, slots=True)
class Departure:
    """A move that a book would not play, in a position that it has."""

    ply: int
    """Number of moves before it."""
    side: Side
    move: Move
    best: KnownMove
    """What the book plays there."""
    loss: int | None
    """Centi-men by which the move is worse; None if the book has no value for it."""


@dataclass(frozen=True, slots=True)
class BookPath:
    """A game beside a book."""

    plies: int
    """Moves, from the first on, from positions that the book has."""
    departure: Departure | None
    """The first move that the book would not play; None if it would have played all of those."""


def book_path(
    positions: Sequence[Position], moves: Sequence[Move], book: OpeningBook | None, given: int = 0
) -> BookPath:
    """The way of a game through a book; None has no positions.

    positions: the start and the position after each move; given: moves at its beginning that the players did not
    choose, such as those of a ballot. A move is one that the book would not play if it has no value for it, or if it
    is worse than the best by COOK or more.
    """
    departure = None
    for ply, (position, move) in enumerate(zip(positions, moves, strict=False)):
        known = book.moves(position) if book else []
        if not known or known[0].value is None:
            return BookPath(ply, departure)
        if departure is None and ply >= given:
            departure = _departure(ply, position, move, known)
    return BookPath(min(len(moves), len(positions)), departure)


def _departure(ply: int, position: Position, move: Move, known: list[KnownMove]) -> Departure | None:
    best = known[0]
    after = position.play(move)
    # captures along several paths to one position are one move of a book
    played = next((each for each in known if position.play(each.move) == after), None)
    loss = None if played is None or played.value is None else loss_of(best, played)
    return None if loss is not None and loss < COOK else Departure(ply, position.side, move, best, loss)
