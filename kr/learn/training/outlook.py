"""Warning before the first game of a training run that is not expected to pass the gate for lack of games."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from kr.evaluation.kinds import load_file
from kr.units import counted, format_count

ENOUGH = 0.5
"""Tables fitted to fewer than this share of the games behind their opponent are not expected to win: at 1.7 million
games the last doubling was worth +1 ± 9 Elo, five times as many as 300,000 were worth +125 (docs/lab/training.md)."""


def games_behind(path: Path) -> int | None:
    """Number of games that the tables of a weights file were fitted to; None if unknown."""
    report = load_file(path).attrs.get("report")
    return None if report is None else sum(run["games"] for run in json.loads(report)["runs"])


def doubt(
    strongest: str, behind: int, games_before: Sequence[int], generations: int, games: int, window: int
) -> str | None:
    """Warning if a run is not expected to beat the strongest tables it has; None otherwise.

    behind: number of games those were fitted to; games_before: the games of each generation there is, oldest first;
    generations: number of generations still to come, of `games` each: without any, no advice helps; window: number of
    latest generations a fit reads, 0 for all.
    """
    if generations <= 0:
        return None
    every = [*games_before, *[games] * generations]
    total = sum(every[-window:] if window else every)
    if total >= ENOUGH * behind:
        return None
    share = min(window, generations) if window else generations
    needed = -(-behind // share // 1000) * 1000
    return (
        f"warning: {strongest} was fitted to {counted(behind, 'game')}; the tables of this run will see {total:,} at "
        "most and are not expected to pass the gate. About as many are needed "
        f"(--games {format_count(needed)}). Or start from the rules alone (--weights material), or fit "
        "with earlier tables as prior (--prior FILE)."
    )
