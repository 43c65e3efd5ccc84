"""Picture of a training: loss and accuracy after each epoch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import figures
from kr.studies.endings.model_file import EndnetModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECALLS = {
    "win": ("wins", figures.BLUE),
    "draw": ("draws", figures.MUTED),
    "loss": ("losses", figures.ORANGE),
}
FEW = 30
"""Epochs up to which each has a mark of its own."""


def draw_curve(model: EndnetModel, directory: Path) -> list[Path]:
    """Draw the learning curve of a model as PNG and SVG; returns the pictures. Raises OSError."""
    name = model.path.stem if model.path else "network"
    figure = curve_figure(model)
    figures.headline(figure, name, str(model.shape), figures.day(model.attrs.get("created")))
    paths = [directory / f"{name}-curve.{suffix}" for suffix in ("png", "svg")]
    for path in paths:
        figures.save(figure, path)
    return paths


def curve_figure(model: EndnetModel) -> Figure:
    """Loss on both sets of positions, and the share of the validation positions that is right, whole and by value."""
    from matplotlib.ticker import MaxNLocator

    curve, best = model.curve, model.report["best_epoch"]
    epochs = [point["epoch"] for point in curve]
    marked: dict[str, Any] = {"linewidth": 2, "marker": "o" if len(curve) <= FEW else "", "markersize": 4}
    figure, (losses, shares) = figures.new_figure(2, 10, 4)
    losses.plot(epochs, [point["loss"] for point in curve], label="training", color=figures.BLUE, **marked)
    losses.plot(
        epochs, [point["validation_loss"] for point in curve], label="validation", color=figures.ORANGE, **marked
    )
    figures.finish(losses, "loss", "epoch", "mean cross entropy, nats")
    shares.axvline(best, color=figures.GRID, linewidth=2)
    shares.plot(epochs, [100 * point["accuracy"] for point in curve], label="all", color=figures.INK, **marked)
    for value, (label, color) in RECALLS.items():
        recalls = [point["recall"][value] for point in curve]
        if None not in recalls:
            shares.plot(epochs, [100 * share for share in recalls], label=label, color=color, linestyle="--")
    figures.finish(shares, f"validation positions, best in epoch {best}", "epoch", "right, %")
    for ax in (losses, shares):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.legend(frameon=False, labelcolor=figures.INK)
    return figure
