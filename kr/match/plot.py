"""The picture of `kr match --plots`: how a verdict came about."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kr.figures import BLUE, INK, ORANGE, finish, headline, new_figure, save
from kr.match.elo import estimate
from kr.match.result import MatchResult
from kr.match.verdict import course
from kr.units import counted


def draw_verdict(result: MatchResult, directory: Path) -> Path:
    """Write verdict.png, the picture of a match with a sequential test, in a directory; returns its path.

    After each pair that counts it shows Elo, of the kind that is tested, with its 95% error, and the log likelihood
    ratio between its bounds.
    """
    from matplotlib.ticker import MaxNLocator

    ordered = result.ordered
    if ordered is None:
        raise ValueError("a match without a sequential test has no verdict to draw")
    test, rows = ordered.test, list[tuple[float, ...]]()
    for count, pentanomial in course(ordered.points):
        of = estimate(pentanomial)
        elo = (of.normalized_elo, of.normalized_elo_error) if test.normalized else (of.elo, of.elo_error)
        rows.append((count, *elo, test.llr(pentanomial)))
    pairs, elos, errors, ratios = np.array(rows).reshape(-1, 4).T

    figure, (upper, lower) = new_figure(1, 7.5, 7, rows=2)
    headline(figure, " against ".join(result.names), counted(ordered.count, "pair"), ordered.decision or "undecided")
    upper.fill_between(pairs, elos - errors, elos + errors, color=BLUE, alpha=0.2, linewidth=0)
    upper.plot(pairs, elos, color=BLUE, linewidth=2)
    if rows:
        # the errors of the first pairs would flatten all the rest
        settled = slice(len(rows) // 5, None)
        lows, highs = (elos - errors)[settled], (elos + errors)[settled]
        upper.set_ylim(min(lows.min(), test.elo0) - 1, max(highs.max(), test.elo1) + 1)
    lower.plot(pairs, ratios, color=BLUE, linewidth=2)
    for name, difference, bound, style in (("H1", test.elo1, test.upper, "--"), ("H0", test.elo0, test.lower, ":")):
        label = f"{name}: {difference:+g} {test.unit}"
        for ax, height in ((upper, difference), (lower, bound)):
            ax.axhline(height, color=ORANGE, linewidth=1, linestyle=style, label=label)
    for ax in (upper, lower):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.legend(frameon=False, labelcolor=INK)
    finish(upper, f"{test.unit} of {result.names[0]}, with its 95% error", "pairs", test.unit)
    finish(lower, "log likelihood ratio, with the bounds of the test", "pairs", "LLR")
    path = directory / "verdict.png"
    save(figure, path)
    return path
