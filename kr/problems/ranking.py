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

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.problems.themes import SEEN_MOVES
from kr.proofs.decider import after_moves

STAR_POINTS, MOST_STARS = 10, 6
GIVEN_POINTS, MOST_GIVEN = 12, 4
NEAR_MISS_POINTS, MOST_NEAR_MISSES = 8, 4
PIECE_POINTS = -2
AHEAD_POINTS, BEHIND_POINTS, MOST_PIECES_BEHIND = -8, 4, 3
UNNATURAL_POINTS, USUAL_KINGS = -5, 2

Exact = Callable[[Position], Value | None]
"""Value of a position for its side to move, by rules or database; None if unknown."""


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
        lead = AHEAD_POINTS * self.ahead if self.ahead > 0 else BEHIND_POINTS * min(-self.ahead, MOST_PIECES_BEHIND)
        return (
            STAR_POINTS * min(self.stars, MOST_STARS)
            + GIVEN_POINTS * min(self.given, MOST_GIVEN)
            + NEAR_MISS_POINTS * min(self.near_misses, MOST_NEAR_MISSES)
            + PIECE_POINTS * self.pieces
            + lead
            + UNNATURAL_POINTS * self.unnatural
        )


def merit_of(position: Position, line: Sequence[Move], solver: Side, stars: int, near_misses: int) -> Merit:
    """Merit of a problem. line: the solution. stars, near_misses: as for `Merit`; see `near_misses_of`.

    Raises IllegalMoveError.
    """
    own, other = (position.black, position.white)[:: 1 if solver is Side.BLACK else -1]
    crowds = (max(0, (pieces & position.kings).bit_count() - USUAL_KINGS) for pieces in (own, other))
    return Merit(
        stars=stars,
        given=_given(position, line, solver),
        near_misses=near_misses,
        pieces=position.pieces,
        ahead=own.bit_count() - other.bit_count(),
        unnatural=sum(crowds) + sum(_in_danger(position, side) for side in Side),
    )


def near_misses_of(position: Position, keeping: Sequence[Move], goal: Value, exact: Exact) -> int:
    """Moves of the side to move beside the keeping ones after which one reply alone spoils the goal.

    goal: WIN, or DRAW for "does not lose". Moves with a reply of unknown value don't count.
    """
    kept = {position.play(move) for move in keeping}
    return sum(_is_near_miss(after, goal, exact) for _, after in after_moves(position) if after not in kept)


def _is_near_miss(after: Position, goal: Value, exact: Exact) -> bool:
    replies = after_moves(after)
    values = [exact(reached) for _, reached in replies]
    spoiling = sum(value is not None and value.sign < goal.sign for value in values)
    return None not in values and len(values) > 1 and spoiling == 1


def _given(position: Position, line: Sequence[Move], solver: Side) -> int:
    """Pieces lost to captures that answer a quiet move of the solver among its first."""
    given, quiet = 0, False
    for move in line[: 2 * SEEN_MOVES]:
        if position.side == solver:
            quiet = not move.is_capture
        elif quiet:
            given += move.captured.bit_count()
        position = position.play(move)
    return given


def _in_danger(position: Position, side: Side) -> int:
    """Pieces that a side could capture, were it to move."""
    moves = Position(position.black, position.white, position.kings, side).legal_moves()
    captured = 0
    for move in moves:
        captured |= move.captured
    return captured.bit_count()
