"""Moves of a side, and what is proved of each: whether it keeps a win, or does not lose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kr import _core
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.proofs.decider import Decider, grounds_of

Squares = tuple[int, int, int]
"""A move as the core has it: origin, target and captured pieces."""
WayRow = tuple[Squares, int, int, int, int]
"""A way as the core has it: its move, and the numbers of its fields."""
_TRUTHS = {1: True, 0: False, -1: None}


@dataclass(frozen=True)
class Way:
    """A move of the solver, and whether it keeps what is to be reached."""

    move: str
    keeps: bool | None
    """None if that is open."""
    by: str = ""
    """What proves it: "the rules", "the database" or "a certificate of 12 positions"."""
    transposes: bool | None = False
    """True if it comes to a position that the move played leads to as well, within five plies and whatever the opponent
    replies; None if that is open."""

    def __str__(self) -> str:
        words = ["open"] if self.keeps is None else [self.by, *(["transposes"] if self.transposes else [])]
        return f"{self.move} ({', '.join(words)})"


def ways_at(decider: Decider, position: Position, goal: Value, first: Move | None = None) -> list[tuple[Position, Way]]:
    """The moves of the side to move, the played one first, each as the position after it and what is proved of it.

    goal: WIN, or DRAW for "does not lose".
    """
    rows = decider.ask(_core.ways_of, position.bits, 1 + goal.sign, None if first is None else first.squares)
    ways = ways_from(position, rows, first)
    return [(position.play(move_of_squares(position, row[0], first)), way) for row, way in zip(rows, ways, strict=True)]


def ways_from(position: Position, rows: Sequence[WayRow], first: Move | None = None) -> list[Way]:
    """Ways of the core at a position; first: as for `move_of_squares`."""
    return [
        Way(
            str(move_of_squares(position, squares, first)),
            _TRUTHS[keeps],
            grounds_of(by, positions),
            _TRUTHS[transposes],
        )
        for squares, keeps, by, positions, transposes in rows
    ]


def move_of_squares(position: Position, squares: Squares, first: Move | None) -> Move:
    """The move of the core at a position; first: a move whose path is given, as there may be more than one."""
    return first if first is not None and first.squares == squares else position.find_move(*squares)
