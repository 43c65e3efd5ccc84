"""The board of an explanation as a PNG picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kr.evaluation.explanation import Explanation
from kr.evaluation.picture import HELPS, colours, format_share
from kr.figures import DARK, INK, LIGHT, MUTED, check_installed, new_figure, save
from kr.notation import SIDE_NAMES, SQUARES, square_name
from kr.svg import COLORS, place

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_explanation(explanation: Explanation, path: Path, *, flipped: bool = False) -> None:
    """Write the picture of an explanation as PNG. Raises InvalidSettingError without matplotlib."""
    check_installed()
    save(explanation_figure(explanation, flipped=flipped), path)


def explanation_figure(explanation: Explanation, *, flipped: bool = False) -> Figure:
    """The board, each piece with its share and its square in the share's colour."""
    figure, (ax,) = new_figure(1, 5.6, 6.0)
    shares = explanation.shares
    shades = colours(shares, explanation.position.side)
    for square in range(SQUARES):
        column, row = place(square, flipped)
        _square(ax, column, row, square, shades.get(square, DARK))
    for piece in explanation.pieces:
        column, row = place(piece.square, flipped)
        _piece(ax, column + 0.5, row + 0.42, SIDE_NAMES[piece.side].lower(), piece.king)
        share = format_share(shares[piece.square])
        ax.text(column + 0.5, row + 0.87, share, ha="center", va="center", color=INK, fontsize=9)
    # row 0 is the upper one
    ax.set(xlim=(0, 8), ylim=(8, 0), aspect="equal", xticks=[], yticks=[], facecolor=LIGHT)
    for spine in ax.spines.values():
        spine.set_visible(True)
    ax.set_title(explanation.title, color=INK, loc="left", fontsize=11)
    caption = f"{explanation.numbers}:\nblue {HELPS[0]}, orange {HELPS[1]}; weights: {explanation.weights:.20}"
    figure.supxlabel(caption, color=MUTED, fontsize=9)
    return figure


def _square(ax: Axes, column: int, row: int, square: int, colour: str) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((column, row), 1, 1, facecolor=colour, linewidth=0))
    ax.text(column + 0.04, row + 0.04, square_name(square), ha="left", va="top", color=MUTED, fontsize=6)


def _piece(ax: Axes, x: float, y: float, side: str, king: bool) -> None:
    from matplotlib.patches import Circle, Polygon

    for centre in (y + 0.05, y - 0.03) if king else (y,):
        ax.add_patch(Circle((x, centre), 0.3, facecolor=COLORS[side], edgecolor=COLORS[f"{side} rim"]))
    if king:
        crown = ((-0.16, 0.1), (-0.18, -0.1), (-0.08, 0), (0, -0.16), (0.08, 0), (0.18, -0.1), (0.16, 0.1))
        points = [(x + a, y - 0.03 + b) for a, b in crown]
        ax.add_patch(Polygon(points, facecolor=COLORS[f"{side} crown"], linewidth=0))
    else:
        ax.add_patch(Circle((x, y), 0.19, facecolor="none", edgecolor=COLORS[f"{side} rim"]))
