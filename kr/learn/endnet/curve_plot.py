"""Plot of a training: loss and accuracy after each epoch."""

from __future__ import annotations

from pathlib import Path

from kr import figures
from kr.learn.endnet.model_file import EndnetModel

RECALLS = {"loss": figures.ORANGE, "draw": figures.MUTED, "win": figures.BLUE}


def draw_curve(model: EndnetModel, directory: Path) -> Path:
    """Draw the learning curve of a model; returns the picture. Raises InvalidSettingError without matplotlib."""
    epochs = [point["epoch"] for point in model.curve]
    figure, (losses, shares) = figures.new_figure(2, 10, 4)
    losses.plot(epochs, [point["loss"] for point in model.curve], label="training", color=figures.BLUE)
    losses.plot(epochs, [point["validation_loss"] for point in model.curve], label="validation", color=figures.ORANGE)
    figures.finish(losses, "Loss", "epoch", "cross entropy, nats")
    shares.plot(epochs, [100 * point["accuracy"] for point in model.curve], label="all", color=figures.INK)
    for name, color in RECALLS.items():
        found = [point["recall"][name] for point in model.curve]
        if None not in found:
            shares.plot(epochs, [100 * share for share in found], label=name, color=color, linestyle="--")
    figures.finish(shares, "Validation positions", "epoch", "right, %")
    for axes in (losses, shares):
        axes.legend(frameon=False)
    name = model.path.stem if model.path else "network"
    figures.headline(figure, name, str(model.shape), figures.day(model.attrs.get("created")))
    path = directory / f"{name}-curve.png"
    figures.save(figure, path)
    return path
