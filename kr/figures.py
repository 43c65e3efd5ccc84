"""The common style of plots. matplotlib is imported only when something is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import storage
from kr.extras import check_packages
from kr.text import visible_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

SURFACE, INK, MUTED, GRID = "#fcfcfb", "#0b0b0b", "#52514e", "#e1e0d9"
BLUE, ORANGE = "#2a78d6", "#eb6834"
LIGHT, DARK = "#f4f1ea", "#c3bfb2"
"""Squares of a board on which regions are coloured."""


def check_installed() -> None:
    """Raise InvalidSettingError if matplotlib is missing."""
    check_packages("pictures need", "matplotlib")


def check_plots(directory: Path) -> None:
    """Raise InvalidSettingError if plots can't be written to a directory, before a long fit rather than after it."""
    check_installed()
    storage.check_directory(directory)


def new_figure(columns: int, width: float, height: float, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """Figure with rows of axes, sizes in inches. It has no window: savefig draws it with Agg."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor=SURFACE)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for ax in axes:
        ax.set_facecolor(SURFACE)
        ax.tick_params(colors=MUTED, labelcolor=MUTED)
        for side, spine in ax.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(GRID)
    return figure, axes


def headline(figure: Figure, *parts: str) -> None:
    """Put a title above a figure, such as run, games and date; empty parts are left out."""
    figure.suptitle(" · ".join(filter(None, parts)), x=0.01, ha="left", color=INK, fontsize=12, fontweight="bold")


def day(created: object) -> str:
    """Date part of a time in a provenance; "" if there is none."""
    return str(created or "")[:10]


def finish(ax: Axes, title: str, x: str, y: str) -> None:
    """Give axes a title, labels and a grid."""
    ax.set_title(title, color=INK, loc="left", fontsize=11)
    ax.set_xlabel(x, color=MUTED)
    ax.set_ylabel(y, color=MUTED)
    ax.grid(color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, or as SVG if the name ends so; the same bytes for the same figure."""
    from matplotlib import rc_context

    for text in _words(figure):
        # names may come from files: no dollar in them begins a formula
        text.set_parse_math(False)
        text.set_text(visible_lines(text.get_text()))
    vector = path.suffix == ".svg"
    options: dict[str, Any] = {"format": "svg", "metadata": {"Date": None}} if vector else {"format": "png", "dpi": 150}
    with storage.atomic_path(path) as temporary, rc_context({"svg.hashsalt": "kr"}):
        figure.savefig(temporary, **options)


def _words(figure: Figure) -> Iterator[Text]:
    """Texts of a figure but for its axes, whose numbers may be formulas."""
    from matplotlib.text import Text

    yield from figure.texts
    for ax in figure.axes:
        yield from (child for child in ax.get_children() if isinstance(child, Text))
        if (legend := ax.get_legend()) is not None:
            yield from legend.get_texts()
