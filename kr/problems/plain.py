"""Results that are plain: where a problem's solution may end, and second ways no longer count."""

from __future__ import annotations

from kr import _core
from kr.game.position import Position, Side
from kr.game.value import Value


def is_plain(position: Position, solver: Side, goal: Value) -> bool:
    """True if a result needs no more proof by play: neither side has a capture, were it to move, and the winner has at
    least two pieces more; or, for a draw, only kings are left, and the solver has no fewer than the opponent.
    """
    return _core.plain_result(position.bits, int(solver), 1 + goal.sign)
