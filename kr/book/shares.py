"""Shares of games, told as coarsely as they are known: a packed book has its numbers of games only to a factor of 4."""

from __future__ import annotations

import math

from kr.units import counted

_FACTOR = math.sqrt(10)
"""Between two odds that are told apart."""
_LEAST = 0.0001
"""Shares below are told alike."""


def coarse_share(share: float) -> float:
    """A share, 0 to 1, as one of 0.5, 0.3, 0.1, 0.03, ... or 0.7, 0.9, 0.97, ... by its odds; 0 and 1 stay."""
    if not 0 < share < 1:
        return share
    if share > 0.5:
        return round(1 - coarse_share(1 - share), 9)
    steps = round(-math.log(share / (1 - share), _FACTOR))
    return 0.5 if steps == 0 else float(f"{(3, 1)[(steps - 1) % 2]}e{-((steps + 1) // 2)}")


def share_text(share: float, exact: bool = False) -> str:
    """A share in percent: "12%" if it is exact, else "~10%"."""
    if exact:
        return f"{share:.0%}"
    coarse = coarse_share(share)
    if 0 < coarse < _LEAST:
        return f"<{100 * _LEAST:g}%"
    percent = f"{100 * coarse:.10g}%"
    return f"~{percent}" if 0 < share < 1 else percent


def games_text(games: int, exact: bool) -> str:
    """Number of games; of a packed book the least that it can be."""
    return counted(games, "game") if exact or not games else f"{games:,} or more games"
