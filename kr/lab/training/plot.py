"""The picture of `kr train`: Elo by generation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kr.lab.drawing import BLUE, INK, ORANGE, SURFACE, finish, new_figure, save


def draw(rows: Sequence[dict[str, Any]], directory: Path) -> Path:
    """Write elo.png, from the rows of a history (train_history.rows); returns its path.

    It shows each generation's tables over those the run began with, with the 95% error, the strongest so far in a line.
    """
    from matplotlib.ticker import MaxNLocator

    figure, (ax,) = new_figure(1, 7, 4)
    known = [row for row in rows if row["total"] is not None]
    strongest = [(0, 0.0), *((row["generation"], row["total"]) for row in known if row["accepted"])]
    ax.plot([number for number, _ in strongest], [total for _, total in strongest], color=BLUE, linewidth=2)
    ax.plot(0, 0, color=BLUE, marker="o", markersize=6)
    for accepted, colour, fill, label in ((True, BLUE, BLUE, "accepted"), (False, ORANGE, SURFACE, "refused")):
        chosen = [row for row in known if row["accepted"] == accepted]
        if chosen:
            numbers, totals, errors = ([row[key] for row in chosen] for key in ("generation", "total", "total_error"))
            ax.errorbar(
                numbers, totals, yerr=errors, fmt="o", color=colour, markerfacecolor=fill, capsize=3, label=label
            )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    finish(ax, "strength by generation, with 95% errors", "generation", "Elo over the tables it began with")
    if known:
        ax.legend(frameon=False, labelcolor=INK)
    path = directory / "elo.png"
    save(figure, path)
    return path
