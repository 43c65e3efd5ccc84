"""How long a Hub engine may think: the ``level`` command and the time management that follows from it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from kr.engine import Limits
from kr.errors import ProtocolError

MOVES_AHEAD = 30
"""The clock is spread over this many moves, or over those before the next time control where they are fewer."""
CLOCK_SHARE = 0.8
"""No move takes more than this part of the clock."""
LATENCY = 0.01
"""Seconds kept back from each move for the way of the answer to the other side's clock."""
SHORTEST = 0.001
"""Seconds given to a move when the clock is all but empty."""


@dataclass(frozen=True, slots=True)
class Level:
    """Limits of the next searches; every field None is ``level infinite``, and fields given together all hold."""

    depth: int | None = None
    """Most plies."""
    nodes: int | None = None
    """Most nodes."""
    move_time: float | None = None
    """Seconds for this move."""
    time: float | None = None
    """Seconds left on the clock before the increment is added; clients that add it themselves may send less than 0."""
    inc: float = 0.0
    """Seconds added to the clock before each move."""
    moves: int | None = None
    """Moves to the next time control; None where the clock must last for the game."""

    @classmethod
    def parse(cls, args: Mapping[str, str]) -> Level:
        """Read the arguments of ``level``; unknown ones are ignored. Raises ProtocolError, naming the argument."""
        level = cls(
            depth=_count(args, "depth"),
            nodes=_count(args, "nodes", digits=18),
            move_time=_seconds(args, "move-time", least=0),
            time=_seconds(args, "time"),
            inc=_seconds(args, "inc", least=0) or 0.0,
            moves=_count(args, "moves"),
        )
        limited = any(limit is not None for limit in (level.depth, level.nodes, level.move_time, level.time))
        if not limited and "infinite" not in args:
            raise ProtocolError("level needs depth=, nodes=, move-time=, [moves=] time= [inc=] or infinite")
        return cls() if "infinite" in args else level

    def seconds(self) -> float | None:
        """Seconds that this move may take; None where no clock limits it.

        On a clock: time/M + inc, where M is the number of moves to the next time control, at most 30, and 30 where
        there is none; never more than 80 % of time + inc; less 10 ms for the answer's way.
        """
        budgets = [] if self.move_time is None else [self.move_time]
        if self.time is not None:
            moves = min(self.moves or MOVES_AHEAD, MOVES_AHEAD)
            share = min(self.time / moves + self.inc, CLOCK_SHARE * (self.time + self.inc))
            budgets.append(share - LATENCY)
        return max(min(budgets), SHORTEST) if budgets else None

    def limits(self, clock_runs: bool = True) -> Limits:
        """The limits of a search; without a running clock (pondering) only depth and nodes hold."""
        return Limits(time=self.seconds() if clock_runs else None, nodes=self.nodes, depth=self.depth)


def _count(args: Mapping[str, str], name: str, digits: int = 9) -> int | None:
    if name not in args:
        return None
    if not re.fullmatch("0*[1-9][0-9]*", args[name]) or len(args[name]) > digits:
        raise ProtocolError(f"level {name}={args[name]} is not a whole number above 0 of at most {digits} digits")
    return int(args[name])


def _seconds(args: Mapping[str, str], name: str, least: float = -math.inf) -> float | None:
    if name not in args:
        return None
    try:
        seconds = float(args[name])
    except ValueError:
        seconds = math.nan
    # not a number fails every comparison
    if not (math.isfinite(seconds) and seconds >= least):
        raise ProtocolError(f"level {name}={args[name]} is not a number of seconds")
    return seconds
