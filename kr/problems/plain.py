"""Results that are plain: where a problem's solution may end, and second ways no longer count."""

from __future__ import annotations

from kr.game.position import Position, Side
from kr.game.value import Value
from kr.problems.puzzles import PLAIN_LEAD


def is_plain(position: Position, solver: Side, goal: Value) -> bool:
    """True if a result needs no more proof by play: neither side has a capture, were it to move, and the winner has at
    least two pieces more; or, for a draw, only kings are left, and the solver has no fewer than the opponent.
    """
    if any(_can_capture(position, side) for side in Side):
        return False
    counts = position.black.bit_count(), position.white.bit_count()
    ahead = counts[solver] - counts[solver.other]
    if goal is Value.WIN:
        return ahead >= PLAIN_LEAD
    return ahead >= 0 and (position.black | position.white) == position.kings


def _can_capture(position: Position, side: Side) -> bool:
    moves = Position(position.black, position.white, position.kings, side).legal_moves()
    return bool(moves) and moves[0].is_capture
