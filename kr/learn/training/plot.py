"""The picture of `kr train`: Elo by generation."""

from __future__ import annotations

from pathlib import Path

from kr.evaluation.kinds import SHIPPED
from kr.figures import BLUE, INK, ORANGE, SURFACE, day, finish, headline, new_figure, save
from kr.learn.training.history import TrainHistory, rows
from kr.units import counted


def draw_generations(history: TrainHistory, run: Path, directory: Path) -> Path:
    """Write elo.png, the picture of the training run in a directory; returns its path.

    It shows each generation's tables over those of the start, with the 95% error, the strongest so far in a line.
    """
    from matplotlib.ticker import MaxNLocator

    generations = rows(history)
    figure, (ax,) = new_figure(1, 7.5, 4.5)
    games = sum(row["games"] or 0 for row in generations)
    headline(
        figure, f"Training run {run.absolute().name}", counted(len(generations), "generation"), counted(games, "game"),
        day(history.provenance.get("created")),
    )  # fmt: skip
    matches = [row for row in generations if row["total"] is not None]
    strongest = [(0, 0.0), *((row["generation"], row["total"]) for row in matches if row["accepted"])]
    ax.plot([number for number, _ in strongest], [total for _, total in strongest], color=BLUE, linewidth=2)
    ax.plot(0, 0, color=BLUE, marker="o", markersize=6)
    for accepted, colour, fill, label in ((True, BLUE, BLUE, "accepted"), (False, ORANGE, SURFACE, "refused")):
        group = [row for row in matches if row["accepted"] == accepted]
        if group:
            numbers, totals, errors = ([row[key] for row in group] for key in ("generation", "total", "total_error"))
            ax.errorbar(
                numbers, totals, yerr=errors, fmt="o", color=colour, markerfacecolor=fill, capsize=3, label=label
            )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    start = Path(history.weights or SHIPPED).name
    finish(ax, "strength by generation, with 95% errors", "generation", f"Elo over the start, {start}")
    if matches:
        ax.legend(frameon=False, labelcolor=INK)
    path = directory / "elo.png"
    save(figure, path)
    return path
