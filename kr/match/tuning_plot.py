"""The picture of `kr tune`: where the options went."""

from __future__ import annotations

from pathlib import Path

from kr.figures import BLUE, GRID, day, finish, headline, new_figure, save
from kr.match.tuning import TuneResult
from kr.storage import provenance
from kr.units import counted

PANELS = 4
"""Most panels in a row."""


def draw_tuning(result: TuneResult, directory: Path) -> Path:
    """Write tuning.png: each option by games, between the ends of its range. Returns its path."""
    import numpy as np

    settings, spsa = result.settings, result.spsa
    course = np.array(result.course)
    games = 2 * np.minimum(np.arange(len(course)) * spsa.batch, spsa.pairs)
    count = len(settings.vary)
    columns = min(count, PANELS)
    rows = -(-count // columns)
    figure, axes = new_figure(columns, 4.2 * columns, 3.4 * rows, rows=rows)
    headline(
        figure, f"{settings.player}: search options tuned by games ({settings.out.name})",
        counted(2 * len(result.points), "game"), f"{settings.tc} a move", day(provenance()["created"]),
    )  # fmt: skip
    for i, (each, ax) in enumerate(zip(settings.vary, axes, strict=False)):
        ax.plot(games, course[:, i], color=BLUE)
        ax.axhline(spsa.starts[i], color=GRID, linewidth=2)
        ax.set_ylim(spsa.lows[i], spsa.highs[i])
        finish(ax, each.name, "games", "value")
    for ax in axes[count:]:
        ax.set_visible(False)
    path = directory / "tuning.png"
    save(figure, path)
    return path
