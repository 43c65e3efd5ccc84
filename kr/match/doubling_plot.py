"""The picture of `kr doubling`: the score of each step up, and the share of moves that longer searches change."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kr.engine.limits import Limits
from kr.figures import BLUE, INK, MUTED, finish, headline, new_figure, save
from kr.match.doubling import TIE_MARGIN, WORTHS, Changes, DoublingResult
from kr.match.elo import CONFIDENCE_95, score_of_elo
from kr.units import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE_STYLES = (
    ("#0b0b0b", "o"), ("#0072b2", "s"), ("#56b4e9", "^"), ("#009e73", "D"), ("#d55e00", "v"), ("#cc79a7", "P"),
)  # fmt: skip
"""Colours that remain distinct for the colour-blind, and markers; the first is for all changes of the move."""
APART = 0.08
"""Offset, as a share of a step, between curves that may coincide."""


def draw_doubling(result: DoublingResult, directory: Path) -> Path:
    """Write doubling.png. Returns its path."""
    from matplotlib.ticker import MaxNLocator

    settings = result.settings
    steps, unit = ladder(settings.limits()[1:])
    limit = f"limit of the longer search, {unit}"
    figure, (matches, searches, iterations) = new_figure(3, 15, 5.2)
    headline(
        figure, f"{settings.player}: {settings.more} ({settings.out.name})",
        f"{counted(settings.games, 'game')} a step", counted(len(result.comparisons), "position"), _day(result),
    )  # fmt: skip
    _scores(matches, steps, limit, result)
    _changes(searches, range(len(steps)), result.changes())
    searches.set_xticks(range(len(steps)), steps)
    finish(searches, "moves changed by the longer search", limit, "percent of positions")
    depths = result.depth_changes()
    _changes(iterations, list(depths), list(depths.values()))
    iterations.xaxis.set_major_locator(MaxNLocator(integer=True))
    finish(iterations, "moves changed by one more iteration", "depth, plies", "percent of positions")
    # one legend for both panels
    handles, labels = searches.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower right", ncols=len(labels), frameon=False, labelcolor=INK, fontsize=9
    )
    figure.supxlabel("bars: 95% confidence", x=0.01, ha="left", color=MUTED, fontsize=9)
    path = directory / "doubling.png"
    save(figure, path)
    return path


def ladder(limits: Sequence[Limits]) -> tuple[list[str], str]:
    """Limits of one kind as numbers in one unit, and the unit."""
    if limits[0].time is None:
        return [f"{limit.nodes or limit.depth}" for limit in limits], "nodes" if limits[0].nodes else "plies"
    times = [limit.time or 0.0 for limit in limits]
    unit, factor = ("s", 1.0) if times[0] >= 1 else ("ms", 1000.0)
    return [f"{time * factor:.10g}" for time in times], unit


def _day(result: DoublingResult) -> str:
    """Day on which the last match ended."""
    pdn = result.settings.matches()[-1].pdn
    if pdn is None or not pdn.exists():
        return ""
    return datetime.datetime.fromtimestamp(pdn.stat().st_mtime, datetime.UTC).date().isoformat()


def _scores(ax: Axes, steps: Sequence[str], limit: str, result: DoublingResult) -> None:
    """Draw the score of each limit against the one before, with its error."""
    estimates = [match.estimate for match in result.matches]
    scores = [100 * score_of_elo(each.elo) for each in estimates]
    low, high = ([100 * score_of_elo(each.elo + sign * each.elo_error) for each in estimates] for sign in (-1, 1))
    errors = [
        [score - least for score, least in zip(scores, low, strict=True)],
        [most - score for score, most in zip(scores, high, strict=True)],
    ]
    ax.errorbar(list(steps), scores, yerr=errors, color=BLUE, marker="o", linewidth=2, capsize=3)
    ax.axhline(50, color=MUTED, linewidth=1, linestyle="--")
    finish(ax, "score against the limit before", limit, "percent of the points")


def _changes(ax: Axes, steps: Sequence[int], changes: Sequence[Changes]) -> None:
    """Draw the share of changed moves with its error: of all changes, and of those of each worth or more."""
    from matplotlib.colors import to_rgba

    lines = {
        "another move": [each.changed for each in changes],
        f"by more than {TIE_MARGIN} centi-men": [each.untied for each in changes],
    }
    for worth in WORTHS:
        lines[f"by {worth} or more"] = [each.better(worth) + each.worse(worth) for each in changes]
    for i, ((name, counts), (colour, marker)) in enumerate(zip(lines.items(), LINE_STYLES, strict=True)):
        shares = [count / max(each.positions, 1) for each, count in zip(changes, counts, strict=True)]
        ranges = [interval(count, each.positions) for each, count in zip(changes, counts, strict=True)]
        # rounding may put an end of the interval on the wrong side of the share
        below = [100 * max(share - low, 0) for share, (low, _) in zip(shares, ranges, strict=True)]
        above = [100 * max(high - share, 0) for share, (_, high) in zip(shares, ranges, strict=True)]
        ax.errorbar(
            [step + APART * (i - (len(lines) - 1) / 2) for step in steps], [100 * share for share in shares],
            yerr=[below, above], color=colour, ecolor=to_rgba(colour, 0.45), marker=marker, markersize=5,
            linewidth=1.6, elinewidth=0.9, capsize=1.5, label=name,
        )  # fmt: skip
    ax.set_ylim(bottom=0)


def interval(count: int, positions: int) -> tuple[float, float]:
    """Wilson interval of a share with 95% confidence, which also holds for counts of none and all."""
    if not positions:
        return 0.0, 1.0
    share, square = count / positions, CONFIDENCE_95**2
    middle = (share + square / (2 * positions)) / (1 + square / positions)
    half = math.sqrt(share * (1 - share) / positions + square / (4 * positions**2)) / (1 + square / positions)
    return max(middle - CONFIDENCE_95 * half, 0.0), min(middle + CONFIDENCE_95 * half, 1.0)
