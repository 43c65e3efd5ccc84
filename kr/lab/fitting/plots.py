"""Pictures of a fit: loss curve, calibration, coverage of the tables, and what a piece is worth on each square."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kr.lab.drawing import BLUE, GRID, INK, MUTED, ORANGE, SURFACE, finish, new_figure, save
from kr.lab.fitting.dataset import Dataset, Samples
from kr.patterns import SQUARES
from kr.weights import Weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WORTH_SAMPLES = 20_000
"""Training positions looked at for each of the two groups."""
COLOURS = {"training": BLUE, "held_out": ORANGE}
GROUP_COLOURS = {"men": BLUE, "kings": ORANGE}
GROUP_NAMES = {"men": "no kings on the board", "kings": "kings on the board"}


def draw(weights: Weights, report: dict[str, Any], dataset: Dataset, directory: Path) -> list[Path]:
    """Write loss.png, calibration.png, coverage.png and squares.png; returns their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    worth = square_worth(weights, dataset)
    pictures: dict[str, Callable[[], Figure]] = {
        "loss": lambda: loss_curve(report["history"]),
        "calibration": lambda: calibration(report["calibration"]),
        "coverage": lambda: coverage(report["coverage"]),
        "squares": lambda: squares(worth),
    }
    paths = []
    for name, picture in pictures.items():
        path = directory / f"{name}.png"
        save(picture(), path)
        paths.append(path)
    return paths


def loss_curve(history: dict[str, list[list[float]]]) -> Figure:
    """Mean loss after each iteration on both sets, for each group of tables."""
    from matplotlib.ticker import MaxNLocator

    figure, axes = new_figure(2, 10, 4)
    for ax, (group, rows) in zip(axes, history.items(), strict=True):
        for column, name in enumerate(COLOURS):
            losses = [row[column] for row in rows]
            ax.plot(range(1, len(losses) + 1), losses, color=COLOURS[name], linewidth=2, label=name.replace("_", " "))
        if rows:
            # the first steps are far off and would flatten all the rest
            settled = np.array(rows)[len(rows) // 5 :]
            low, high = settled.min(), settled.max()
            room = max(high - low, 1e-3) / 5
            ax.set_ylim(low - room, high + room)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        finish(ax, GROUP_NAMES[group], "iteration", "mean loss")
        ax.legend(frameon=False, labelcolor=INK)
    return figure


def calibration(rows: list[dict[str, Any]]) -> Figure:
    """Held-out positions by predicted expectation against what happened, and how many there are."""
    figure, (ax, counts) = new_figure(2, 10, 4.5)
    predicted = [row["predicted"] for row in rows]
    ax.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle="--", label="perfect")
    for key, colour, marker in (("target", COLOURS["training"], "o"), ("result", COLOURS["held_out"], "s")):
        ax.plot(
            predicted, [row[key] for row in rows], color=colour, marker=marker, markersize=5, linewidth=2, label=key
        )
    finish(ax, "held-out calibration", "predicted expectation", "mean of target and result")
    ax.legend(frameon=False, labelcolor=INK)
    width = min((b["from"] - a["from"] for a, b in itertools.pairwise(rows)), default=0.05)
    counts.bar(
        [row["from"] for row in rows], [row["positions"] for row in rows], width * 0.9, align="edge",
        color=COLOURS["training"],
    )  # fmt: skip
    finish(counts, "held-out positions", "predicted expectation", "positions")
    return figure


def coverage(groups: dict[str, dict[str, int]]) -> Figure:
    """Share of the table entries seen at least so often in training."""
    figure, (ax,) = new_figure(1, 7, 4)
    for i, (group, counts) in enumerate(groups.items()):
        steps = [name for name in counts if name.startswith("at least")]
        shares = [100 * counts[name] / counts["entries"] for name in steps]
        places = np.arange(len(steps)) + (i - 0.5) * 0.38
        bars = ax.bar(places, shares, 0.36, color=GROUP_COLOURS[group], label=GROUP_NAMES[group])
        ax.bar_label(bars, [f"{share:.2g}" for share in shares], color=INK, fontsize=9, padding=2)
        ax.set_xticks(range(len(steps)), [name.removeprefix("at least ") for name in steps])
    finish(ax, "table entries that occur in training", "seen at least so many times", "percent of all entries")
    ax.grid(visible=False, axis="x")
    ax.legend(frameon=False, labelcolor=INK)
    return figure


def square_worth(weights: Weights, dataset: Dataset) -> dict[str, NDArray[np.float64]]:
    """What the mover's piece on each square is worth, in centi-men: (32,) for each kind, NaN where it never stood.

    It is the mean, over training positions with such a piece there, of the score less the score of the same position
    without that piece. Positions are picked evenly from the training set, each distinct one once; a side's last
    piece is never taken away.
    """
    men, kings = (_picked(dataset.training[group]) for group in (False, True))
    return {
        "a man, no kings on the board": _worth(weights, men, 0),
        "a man, kings on the board": _worth(weights, kings, 0),
        "a king": _worth(weights, kings, 2),
    }


def _picked(samples: Samples) -> NDArray[np.uint32]:
    boards = samples.boards[:: max(1, len(samples) // WORTH_SAMPLES)]
    return boards[np.bitwise_count(boards[:, 0] | boards[:, 2]) > 1]


def _worth(weights: Weights, boards: NDArray[np.uint32], column: int) -> NDArray[np.float64]:
    whole = weights.scores(boards)
    worth = np.full(SQUARES, np.nan)
    for s in range(SQUARES):
        rows = np.flatnonzero(boards[:, column] >> np.uint32(s) & np.uint32(1))
        if len(rows):
            without = boards[rows]
            without[:, column] ^= np.uint32(1 << s)
            worth[s] = (whole[rows] - weights.scores(without)).mean()
    return worth


def squares(worth: dict[str, NDArray[np.float64]]) -> Figure:
    """A board for each kind of piece, the mover at the bottom and moving up."""
    figure, axes = new_figure(len(worth), 4.2 * len(worth), 4.7)
    for ax, (kind, values) in zip(axes, worth.items(), strict=True):
        _board(ax, values)
        ax.set_title(kind, color=INK, loc="left", fontsize=11)
    meaning = (
        "mean change of the score when the mover's piece is taken off, over training positions; mover at the bottom"
    )
    figure.supxlabel(f"centi-men: {meaning}", color=MUTED, fontsize=9)
    return figure


def _board(ax: Axes, values: NDArray[np.float64]) -> None:
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.patches import Rectangle

    shades = LinearSegmentedColormap.from_list("worth", ["#cde2fb", "#86b6ef", "#3987e5", "#1c5cab", "#0d366b"])
    known = values[np.isfinite(values)]
    scale = Normalize(known.min(), max(known.max(), known.min() + 1)) if len(known) else Normalize(0, 1)
    for s, value in enumerate(values):
        row, column = divmod(s, 4)
        # square 1 is at the mover's right hand
        x = 6 - 2 * column if row % 2 == 0 else 7 - 2 * column
        seen = bool(np.isfinite(value))
        shade = float(scale(value)) if seen else 0.0
        ax.add_patch(
            Rectangle((x, row), 1, 1, facecolor=shades(shade) if seen else GRID, edgecolor=SURFACE, linewidth=2)
        )
        ink = SURFACE if seen and shade > 0.45 else INK
        ax.text(x + 0.5, row + 0.45, f"{value:.0f}" if seen else "-", ha="center", va="center", color=ink, fontsize=11)
        ax.text(x + 0.07, row + 0.93, str(s + 1), ha="left", va="top", color=ink, fontsize=6)
    ax.set(xlim=(0, 8), ylim=(0, 8), aspect="equal", xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(True)
