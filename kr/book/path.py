"""Where a game leaves a book, and by whose move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kr.book.book import KnownMove, OpeningBook, loss_of
from kr.book.cooks import COOK

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


def departure_from(
    positions: Sequence[Position], moves: Sequence[Move], book: OpeningBook | None, given: int = 0
) -> Departure | None:
    """The first move of a game that the book would not play, of those from positions that the book has one after
    another from the start; None if it would have played all of them.

    positions: the start and the position after each move; given: moves at its beginning that the players did not
    choose, such as those of a ballot. A move is one that the book would not play if it has no value for it, or if it
    is worse than the best by COOK or more.
    """
    for ply, (position, move) in enumerate(zip(positions, moves, strict=False)):
        choices = book.moves(position) if book else []
        if not choices or choices[0].value is None:
            return None
        if ply >= given and (departure := _departure(ply, position, move, choices)):
            return departure
    return None


def _departure(ply: int, position: Position, move: Move, choices: list[KnownMove]) -> Departure | None:
    best = choices[0]
    after = position.play(move)
    # captures along several paths to one position are one move of a book
    choice = next((each for each in choices if position.play(each.move) == after), None)
    loss = None if choice is None or choice.value is None else loss_of(best, choice)
    return None if loss is not None and loss < COOK else Departure(ply, position.side, move, best, loss)
