"""Perft: the number of leaves of the move tree. It checks a move generator and measures its speed.

The core has two counters: a fast one, and one that makes the moves one by one, as a search does.
"""

from threading import Event

from kr import _core
from kr.game.board import PositionLike, position_of
from kr.game.position import Move, Position
from kr.threads import THREADS, results, thread_pool
from kr.units import Range

# Depth counted in one call of the core: about a second at most, so that Ctrl-C is noticed.
UNIT_DEPTH = 9
UNIT_DEPTH_BY_MOVES = 7
MAX_DEPTH = 64
"""Plies; a greater depth would never finish."""


def _leaves(position: Position, depth: int, by_moves: bool, stopped: Event) -> int:
    if stopped.is_set():
        return 0
    if depth <= (UNIT_DEPTH_BY_MOVES if by_moves else UNIT_DEPTH):
        count = _core.perft_by_moves if by_moves else _core.perft
        return count(position.black, position.white, position.kings, position.side, depth)
    return sum(_leaves(position.play(move), depth - 1, by_moves, stopped) for move in position.legal_moves())


def perft(position: PositionLike, depth: int, threads: int = 1, by_moves: bool = False) -> int:
    """Number of leaves `depth` plies below a position; captures along different paths count separately.

    by_moves: use the slower counter, which makes each move as a search does and gives the same number.

    Raises what `position_of` raises, InvalidSettingError for a depth that is not from 0 to MAX_DEPTH or threads that
    are not from 1 to MAX_THREADS, and ThreadError if they can't be started.
    """
    position = position_of(position)
    depth, threads = _checked(depth, 0, threads)
    stopped = Event()
    if threads == 1:
        return _leaves(position, depth, by_moves, stopped)

    # Eight subtrees per thread, so that no thread counts alone for long at the end.
    roots = [position]
    while depth > 1 and 0 < len(roots) < 8 * threads:
        roots = [root.play(move) for root in roots for move in root.legal_moves()]
        depth -= 1
    with thread_pool(threads) as pool:
        try:
            return sum(results(pool, lambda root: _leaves(root, depth, by_moves, stopped), roots))
        finally:
            stopped.set()


def divide(position: PositionLike, depth: int, threads: int = 1, by_moves: bool = False) -> list[tuple[Move, int]]:
    """Number of leaves below each legal move, in the order of `legal_moves`; their sum is `perft(position, depth)`.

    Raises what `perft` raises, and InvalidSettingError for a depth below 1.
    """
    position = position_of(position)
    depth, threads = _checked(depth, 1, threads)
    return [(move, perft(position.play(move), depth - 1, threads, by_moves)) for move in position.legal_moves()]


def _checked(depth: int, least: int, threads: int) -> tuple[int, int]:
    return Range(least, MAX_DEPTH).check("depth", depth), THREADS.check("threads", threads)
