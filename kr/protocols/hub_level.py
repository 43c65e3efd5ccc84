"""The limits of Hub searches: the ``level`` command."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from kr.engine.limits import MOST_LIMITS, SHORTEST, Limits
from kr.errors import ProtocolError


@dataclass(frozen=True, slots=True)
class HubLevel:
    """Limits of the next searches, all of which hold. With every field None it is ``level infinite``."""

    depth: int | None = None
    """Largest depth, in plies."""
    nodes: int | None = None
    """Most nodes."""
    move_time: float | None = None
    """Seconds for this move."""
    time: float | None = None
    """Seconds left on the clock, before the increment. May be negative from clients that have added it already."""
    inc: float = 0.0
    """Seconds added to the clock before each move."""
    moves: int | None = None
    """Moves to the next time control; None if the clock must last for the game."""

    @classmethod
    def parse(cls, args: Mapping[str, str]) -> HubLevel:
        """Parse the arguments of ``level``; unknown ones are ignored. Raises ProtocolError, naming the argument."""
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
            raise ProtocolError("level: expected depth=, nodes=, move-time=, [moves=] time= [inc=] or infinite")
        return cls() if "infinite" in args else level

    def limits(self, clock_runs: bool = True) -> Limits:
        """Limits of a search. Without a running clock (pondering) only depth and nodes hold."""
        if not clock_runs:
            return Limits(nodes=self.nodes, depth=self.depth)
        time = None if self.move_time is None else max(self.move_time, SHORTEST)
        return Limits(time, self.nodes, self.depth, self.time, self.inc, self.moves)


def _count(args: Mapping[str, str], name: str, digits: int = 9) -> int | None:
    if name not in args:
        return None
    if not re.fullmatch("0*[1-9][0-9]*", args[name]) or len(args[name]) > digits:
        raise ProtocolError(f"level {name}={args[name]} is not a whole number above 0 with at most {digits} digits")
    return int(args[name])


def _seconds(args: Mapping[str, str], name: str, least: float = -math.inf) -> float | None:
    if name not in args:
        return None
    try:
        seconds = float(args[name])
    except ValueError:
        seconds = math.nan
    # NaN fails every comparison
    if not (math.isfinite(seconds) and max(least, -MOST_LIMITS["time"]) <= seconds <= MOST_LIMITS["time"]):
        raise ProtocolError(f"level {name}={args[name]} is not a number of seconds")
    return seconds
