"""The order of problems: which are worth showing first.

The score adds what problemists value, each with a weight of its own; it says nothing about soundness.

| counted | points |
|---|---|
| only moves of the solver, forced ones apart, up to 6 | 10 each |
| pieces that the solver gives in the first moves, up to 4 | 12 each |
| near misses: other keys that fail to one reply alone, up to 4 | 8 each |
| pieces on the board | -2 each |
| pieces that the solver is ahead | -8 each; behind, +4 each, up to 3 |
| unnatural: each king of a side beyond two, each piece that could be captured at once | -5 each |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kr import _core
from kr.egdb.database import Database
from kr.game.position import Move, Position, Side
from kr.game.value import Value


@dataclass(frozen=True)
class Merit:
    """What the place of a problem rests on."""

    stars: int
    """Only moves of the solver, forced ones apart."""
    given: int
    """Pieces that the solver gives in its first moves, each at a quiet move of its own."""
    near_misses: int
    """Other keys that fail to one reply alone."""
    pieces: int
    ahead: int
    """Pieces of the solver more than the opponent's; negative if fewer."""
    unnatural: int
    """Kings of a side beyond two, and pieces of either side that could be captured at once."""

    @property
    def score(self) -> int:
        """Points; the higher, the earlier."""
        counted = self.stars, self.given, self.near_misses, self.pieces, self.ahead, self.unnatural
        return _core.points_of_merit(*counted)


def merit_of(position: Position, line: Sequence[Move], solver: Side, stars: int, near_misses: int) -> Merit:
    """Merit of a problem. line: the solution. stars, near_misses: as for `Merit`; see `near_misses_of`."""
    squares = [move.squares for move in line]
    given, pieces, ahead, unnatural = _core.problem_merit(position.bits, squares, int(solver))
    return Merit(stars, given, near_misses, pieces, ahead, unnatural)


def near_misses_of(position: Position, keeping: Sequence[Move], goal: Value, database: Database | None) -> int:
    """Moves of the side to move beside the keeping ones after which one reply alone spoils the goal.

    goal: WIN, or DRAW for "does not lose". Moves with a reply of unknown value don't count.
    """
    core = None if database is None else database.core
    return _core.near_misses_of(position.bits, [move.squares for move in keeping], 1 + goal.sign, core)
