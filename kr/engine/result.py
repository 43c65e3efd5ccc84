"""Search results: the lines of each iteration, and the result of the whole search."""

from __future__ import annotations

from dataclasses import dataclass

from kr import _core
from kr.game.position import Move
from kr.game.value import Value

SCORE_WIN: int = _core.SCORE_WIN
"""Score of a won game; a win in n plies scores n less."""
SCORE_DECIDED: int = _core.SCORE_DECIDED
"""Beyond this, a score is a win or loss seen to its end."""
SCORE_PROVED: int = _core.SCORE_STATIC_MAX
"""Beyond this, a score is a proved win or loss: seen to its end, or to a position of the endgame database."""


@dataclass(frozen=True)
class Info:
    """One principal variation after an iteration."""

    depth: int
    """Plies."""
    score: int
    """Centi-men, side to move's view; beyond SCORE_PROVED a proved win or loss."""
    nodes: int
    """Nodes of the whole search so far."""
    time: float
    """Seconds since the search began."""
    pv: tuple[Move, ...]
    multipv: int = 1
    """Rank of this line, from 1."""
    probes: int = 0
    """Positions looked up in the endgame database so far."""
    hits: int = 0
    """Look-ups that ended a line of the search."""
    lines: int = 1
    """Number of lines of this iteration; `on_info` is called for each in turn."""


@dataclass(frozen=True)
class SearchResult:
    """Search result: the fields of the best line, and all lines."""

    move: Move
    score: int
    depth: int
    nodes: int
    time: float
    pv: tuple[Move, ...]
    lines: tuple[Info, ...]
    value: Value | None = None
    """For the side to move if proved, by the endgame database or by a line searched to its end."""
    probes: int = 0
    """Positions looked up in the endgame database."""
    hits: int = 0
    """Look-ups that ended a line of the search."""

    @property
    def nps(self) -> float:
        """Nodes per second."""
        return self.nodes / max(self.time, 1e-6)


SearchOutcome = SearchResult | BaseException
"""Result of a search, or the exception that ended it."""
