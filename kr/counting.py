"""Perft: the number of leaves of the move tree, which checks a move generator and measures its speed."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from kr import _core
from kr.errors import InvalidSettingError
from kr.position import Move, Position

# Depth counted in one call of the core: a second or so at most, so that Ctrl-C is heard.
UNIT_DEPTH = 9


def _leaves(position: Position, depth: int, stopped: Event) -> int:
    if stopped.is_set():
        return 0
    if depth <= UNIT_DEPTH:
        return _core.perft(position.black, position.white, position.kings, position.side, depth)
    return sum(_leaves(position.play(move), depth - 1, stopped) for move in position.legal_moves())


def perft(position: Position, depth: int, threads: int = 1) -> int:
    """The leaves `depth` plies below a position; captures by different ways count separately.

    Raises InvalidSettingError for a negative depth or no thread.
    """
    if depth < 0:
        raise InvalidSettingError(f"depth is {depth}; it counts plies, 0 or more")
    if threads < 1:
        raise InvalidSettingError(f"threads is {threads}; at least 1 is needed")
    stopped = Event()
    if threads == 1:
        return _leaves(position, depth, stopped)

    # Eight times as many subtrees as threads, or the last one would count alone.
    roots = [position]
    while depth > 1 and 0 < len(roots) < 8 * threads:
        roots = [root.play(move) for root in roots for move in root.legal_moves()]
        depth -= 1
    with ThreadPoolExecutor(threads) as pool:
        try:
            return sum(pool.map(lambda root: _leaves(root, depth, stopped), roots))
        finally:
            stopped.set()


def divide(position: Position, depth: int, threads: int = 1) -> list[tuple[Move, int]]:
    """The leaves below each legal move, in the order of the legal moves; their sum is `perft(position, depth)`.

    Raises InvalidSettingError for a depth below 1 or no thread.
    """
    if depth < 1:
        raise InvalidSettingError(f"depth is {depth}; a divide needs 1 or more")
    return [(move, perft(position.play(move), depth - 1, threads)) for move in position.legal_moves()]
