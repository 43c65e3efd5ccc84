"""Pictures of a fit: loss curve, calibration, coverage of the tables, and the worth of a piece on each square."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kr.evaluation.weights import Weights
from kr.figures import BLUE, GRID, INK, LIGHT, MUTED, ORANGE, SURFACE, day, finish, headline, new_figure, save
from kr.notation import SQUARES, square_name
from kr.svg import place
from kr.units import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

RUNS_NAMED = 3
"""Runs of games that a title names."""
COLOURS = {"training": BLUE, "held_out": ORANGE}
GROUP_COLOURS = {"men": BLUE, "kings": ORANGE}
GROUP_NAMES = {"men": "no kings on the board", "kings": "kings on the board"}


SHADES = ("#cde2fb", "#86b6ef", "#3987e5", "#1c5cab", "#0d366b")
"""From the least to the most."""


def draw_fit(
    weights: Weights,
    report: dict[str, Any],
    boards: Mapping[bool, NDArray[np.uint32]],
    directory: Path,
    name: str = "tables",
) -> list[Path]:
    """Write loss.png, calibration.png, coverage.png and squares.png; returns their paths.

    boards: some training positions without (False) and with (True) kings, (n, 4) each; name: of the tables, in the
    titles.
    """
    directory.mkdir(parents=True, exist_ok=True)
    runs = report.get("runs", [])
    games = f"{counted(sum(run['games'] for run in runs), 'game')} from {_named(runs)}" if runs else ""
    title = (f"Fit of {name}", games, day(weights.attrs.get("created")))
    worth = square_worth(weights, boards)
    pictures: dict[str, Callable[[], Figure]] = {
        "loss": lambda: loss_figure(report["history"]),
        "calibration": lambda: calibration_figure(report["calibration"]),
        "coverage": lambda: coverage_figure(report["coverage"]),
        "squares": lambda: squares_figure(worth),
    }
    paths = []
    for name, picture in pictures.items():
        path = directory / f"{name}.png"
        figure = picture()
        headline(figure, *title)
        save(figure, path)
        paths.append(path)
    return paths


def _named(runs: Sequence[dict[str, Any]]) -> str:
    """The runs of games, as many as there is room for."""
    names = [Path(run["directory"]).name for run in runs]
    more = len(names) - RUNS_NAMED
    return ", ".join(names[:RUNS_NAMED]) + (f" and {more} more" if more > 0 else "")


def loss_figure(history: dict[str, list[list[float]]]) -> Figure:
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


def calibration_figure(rows: list[dict[str, Any]]) -> Figure:
    """Held-out positions: mean results against predicted expectations, and the number of positions."""
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


def coverage_figure(groups: dict[str, dict[str, int]]) -> Figure:
    """Share of the table entries seen at least so often in training, on a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    figure, (ax,) = new_figure(1, 7.5, 4.5)
    least = 100.0
    labels: list[tuple[float, float]] = []
    for i, (group, counts) in enumerate(groups.items()):
        steps = [name for name in counts if name.startswith("at least")]
        shares = [100 * counts[name] / counts["entries"] for name in steps]
        least = min([least, *filter(None, shares)])
        places = np.arange(len(steps)) + (i - 0.5) * 0.38
        heights = [share or math.nan for share in shares]
        ax.bar(places, heights, 0.36, color=GROUP_COLOURS[group], label=GROUP_NAMES[group])
        labels += [(at, share) for at, share in zip(places, shares, strict=True)]
        ax.set_xticks(range(len(steps)), [name.removeprefix("at least ") for name in steps])
    finish(ax, "table entries that occur in training", "seen at least this many times", "share of all entries")
    # whole decades, with room for the numbers and the legend above the bars
    ax.set_yscale("log")
    floor = 10.0 ** (math.floor(math.log10(least)) - 1)
    ax.set_ylim(floor, 1000)
    ax.yaxis.set_major_locator(LogLocator(numticks=12))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: _percent(share) if share <= 100 else ""))
    for at, share in labels:
        # a share of 0 has no bar
        ax.annotate(
            _percent(share), (at, max(share, floor)), (0, 2), textcoords="offset points", ha="center", va="bottom",
            color=INK, fontsize=8,
        )  # fmt: skip
    ax.grid(visible=False, axis="x")
    ax.legend(frameon=False, labelcolor=INK)
    return figure


def _percent(share: float) -> str:
    """Two figures, without an exponent."""
    digits = 0 if share >= 10 or not share else 1 - math.floor(math.log10(share))
    text = f"{share:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def square_worth(weights: Weights, boards: Mapping[bool, NDArray[np.uint32]]) -> dict[str, NDArray[np.float64]]:
    """Worth of the mover's piece on each square, in centi-men: (32,) for each kind, NaN if it never stood there.

    It is the mean, over training positions with such a piece there, of the score less the score of the same position
    without that piece. A side's last piece is never taken away.
    """
    men, kings = (_with_two(boards[group]) for group in (False, True))
    return {
        "a man, no kings on the board": _worth(weights, men, 0),
        "a man, kings on the board": _worth(weights, kings, 0),
        "a king": _worth(weights, kings, 2),
    }


def _with_two(boards: NDArray[np.uint32]) -> NDArray[np.uint32]:
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


def squares_figure(worth: dict[str, NDArray[np.float64]]) -> Figure:
    """A board for each kind of piece, as boards stand everywhere: Black, who is to move, above. One scale for all."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    finite = np.concatenate([values[np.isfinite(values)] for values in worth.values()])
    scale = Normalize(finite.min(), max(finite.max(), finite.min() + 1)) if len(finite) else Normalize(0, 1)
    shades = ScalarMappable(scale, LinearSegmentedColormap.from_list("worth", SHADES))
    figure, axes = new_figure(len(worth), 4.2 * len(worth) + 1, 5.1)
    for ax, (kind, values) in zip(axes, worth.items(), strict=True):
        _board(ax, values, shades)
        ax.set_title(kind, color=INK, loc="left", fontsize=11)
    bar = figure.colorbar(shades, ax=axes, shrink=0.8, pad=0.01)
    bar.set_label("centi-men", color=MUTED)
    bar.ax.tick_params(colors=MUTED)
    bar.outline.set_visible(False)
    figure.supxlabel(
        "what the score loses, on average over training positions, when a piece of the side to move is taken off; "
        "that side is Black here and moves down",
        color=MUTED, fontsize=9,
    )  # fmt: skip
    return figure


def _board(ax: Axes, values: NDArray[np.float64], shades: ScalarMappable) -> None:
    from matplotlib.patches import Rectangle

    low, high = shades.get_clim()
    assert low is not None
    assert high is not None
    for square, value in enumerate(values):
        x, y = place(square)
        seen = bool(np.isfinite(value))
        colour = shades.to_rgba(value) if seen else GRID
        ax.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor=SURFACE, linewidth=2))
        ink = SURFACE if seen and (value - low) / (high - low) > 0.45 else INK
        ax.text(x + 0.5, y + 0.55, f"{value:.0f}" if seen else "-", ha="center", va="center", color=ink, fontsize=11)
        ax.text(x + 0.07, y + 0.07, square_name(square), ha="left", va="top", color=ink, fontsize=6)
    # row 0 is the upper one
    ax.set(xlim=(0, 8), ylim=(8, 0), aspect="equal", xticks=[], yticks=[], facecolor=LIGHT)
    for spine in ax.spines.values():
        spine.set_visible(True)
