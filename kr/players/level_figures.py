"""Measured strength of the levels of `kr play`, for people who choose one: docs/lab/games.md has how.

elo, error: above level 1, the least-squares fit to matches of 200 games between levels up to two apart, and half of its
95% interval; level 10 with 100,000 nodes a move. loss: mean expected result that a move gives away, as `kr policy
players` measures it for people.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple


class LevelFigures(NamedTuple):
    """Figures of one level."""

    elo: int
    error: int
    loss: float


LEVEL_FIGURES = {
    1: LevelFigures(0, 0, 0.0648),
    2: LevelFigures(112, 42, 0.0626),
    3: LevelFigures(249, 45, 0.0534),
    4: LevelFigures(557, 68, 0.0441),
    5: LevelFigures(855, 87, 0.0298),
    6: LevelFigures(1148, 96, 0.0208),
    7: LevelFigures(1339, 100, 0.0150),
    8: LevelFigures(1577, 102, 0.0073),
    9: LevelFigures(1698, 104, 0.0050),
    10: LevelFigures(1841, 105, 0.0041),
}


def fifth(loss: float, edges: Sequence[float]) -> int:
    """Fifth of the players of an archive that lose as much by a move: 1 for the weakest, 5 for the strongest.

    edges: the losses between their fifths, as a policy with `strengths` has them.
    """
    return len(edges) + 1 - bisect_left(edges, loss)
