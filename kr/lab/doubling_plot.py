"""The picture of `kr doubling`: the score of twice the time, and how often longer searches play another move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kr.lab.doubling import TIE, WORTHS, Changes, DoublingResult
from kr.lab.drawing import BLUE, INK, MUTED, finish, new_figure, save
from kr.lab.matches.elo import score_of_elo

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHADES = ("#0d366b", "#1c5cab", "#3987e5", "#86b6ef", "#b7d3f6", "#d8e6f9")
"""From all changes of the move to those of the most worth."""


def draw(result: DoublingResult, directory: Path) -> Path:
    """Write doubling.png; returns its path."""
    from matplotlib.ticker import MaxNLocator

    steps = [str(longer) for longer in result.settings.limits()[1:]]
    figure, (matches, searches, iterations) = new_figure(3, 15, 4.5)
    _scores(matches, steps, result)
    _changes(searches, steps, result.changes())
    finish(searches, "moves changed by the longer search", "limit of the longer search", "percent of positions")
    depths = result.depth_changes()
    _changes(iterations, list(depths), list(depths.values()))
    iterations.xaxis.set_major_locator(MaxNLocator(integer=True))
    finish(iterations, "moves changed by one iteration more", "depth in plies", "percent of positions")
    path = directory / "doubling.png"
    save(figure, path)
    return path


def _scores(ax: Axes, steps: Sequence[str], result: DoublingResult) -> None:
    """The score of each limit against the one before, with its error."""
    estimates = [match.estimate for match in result.matches]
    scores = [100 * score_of_elo(each.elo) for each in estimates]
    low, high = ([100 * score_of_elo(each.elo + sign * each.elo_error) for each in estimates] for sign in (-1, 1))
    errors = [
        [score - least for score, least in zip(scores, low, strict=True)],
        [most - score for score, most in zip(scores, high, strict=True)],
    ]
    ax.errorbar(steps, scores, yerr=errors, color=BLUE, marker="o", linewidth=2, capsize=3)
    ax.axhline(50, color=MUTED, linewidth=1, linestyle="--")
    finish(ax, "score against the limit before", "limit of the longer search", "percent of the points")


def _changes(ax: Axes, steps: Sequence[str] | Sequence[int], changes: Sequence[Changes]) -> None:
    """How often the move changes: at all, and with so much worth either way."""
    lines = {
        "another move": [each.changed for each in changes],
        f"by more than {TIE}": [each.untied for each in changes],
    }
    for worth in WORTHS:
        lines[f"by {worth} or more"] = [each.better(worth) + each.worse(worth) for each in changes]
    for (name, counts), shade in zip(lines.items(), SHADES, strict=True):
        shares = [100 * each.share(count)[0] for each, count in zip(changes, counts, strict=True)]
        ax.plot(steps, shares, color=shade, marker="o", markersize=4, linewidth=2, label=name)
    # room for the legend
    ax.set_ylim(0, 1.4 * max((ax.dataLim.y1, 1)))
    ax.legend(frameon=False, labelcolor=INK, title="centi-men", ncols=2, fontsize=8, loc="upper right")
