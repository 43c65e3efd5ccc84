"""`kr endnet`."""

from pathlib import Path
from typing import Any

from kr.cli import console, options
from kr.learn.endnet.model_file import EndnetModel, load_model
from kr.learn.endnet.training import EndnetFitSettings, FitProgress, fit_endnet
from kr.settings import REQUIRED, option
from kr.units import counted


@options.command
def _fit(settings: EndnetFitSettings, json: bool = options.JSON) -> None:
    """Train a network on endgame positions with exact values.

    Positions come from files of kr egdb sample. Run the same command to resume; an output of other samples or
    settings is replaced. The network of the best epoch, by validation positions, is kept.

    Example:
        kr egdb sample --pieces 2-5 --fraction 0.01 --out positions.h5
        kr endnet fit positions.h5 --out net.h5
        kr endnet fit positions.h5 --net paper --asked all --limit 202229 --out paper.h5
    """
    with console.Stages() as stages:

        def on_progress(found: FitProgress) -> None:
            parts = [counted(found.epoch, "epoch")]
            if found.loss is not None:
                parts.append(f"loss {found.loss:.4f}")
            if found.accuracy is not None:
                parts.append(f"{100 * found.accuracy:.2f}% right")
            stages.show("training", found.done, found.total, "positions", ", ".join(parts))

        model = fit_endnet(settings, on_progress)
    if settings.plots:
        console.wrote(settings.plots, "plot of the learning curve")
    if json:
        console.emit_json({"model": settings.out, "settings": settings, **_details(model)})
        return
    print(console.facts(_facts(model)))
    console.wrote(settings.out, "network")


@options.command
def _show(
    model: Path = option(REQUIRED, "Model file of `kr endnet fit`.", argument=True, metavar="MODEL"),
    json: bool = options.JSON,
) -> None:
    """Check a model file and show its network, its training and its origin.

    Example:
        kr endnet show net.h5
        kr endnet show net.h5 --json
    """
    found = load_model(model)
    if json:
        console.emit_json({"model": model, **_details(found), **found.attrs})
        return
    print(console.facts([("model", str(model)), *_facts(found)]))
    rows = [
        (
            point["epoch"],
            f"{point['loss']:.4f}",
            f"{point['validation_loss']:.4f}",
            _percent(point["accuracy"]),
            *(_percent(point["recall"][name]) for name in ("loss", "draw", "win")),
            f"{point['seconds']:.0f}",
        )
        for point in found.curve
    ]
    heads = ["epoch", "loss", "validation", "right %", "losses %", "draws %", "wins %", "seconds"]
    print("\n" + console.table(heads, rows))


def _details(model: EndnetModel) -> dict[str, Any]:
    return {"shape": model.shape, "weights": model.weights, "checksum": model.checksum, "report": model.report,
            "curve": model.curve}  # fmt: skip


def _facts(model: EndnetModel) -> list[tuple[str, str]]:
    report = model.report
    pieces = console.safe(", ".join(report["pieces"]))
    asked = "quiet positions" if model.shape.asked == "quiet" else "all positions"
    return [
        ("network", f"{model.shape}; {model.weights:,} weights"),
        ("asked about", asked),
        ("trained on", f"{report['training_positions']:,} positions, pieces {pieces}"),
        ("best epoch", f"{report['best_epoch']} of {report['epochs']}"),
        ("right", f"{_percent(report['accuracy'])}% of the validation positions"),
        ("checksum", model.checksum),
    ]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


command = options.group(
    """Train networks that know endgames, and show what they have learned.

    Example:
        kr endnet fit positions.h5 --out net.h5
        kr endnet show net.h5
    """,
    {"fit": _fit, "show": _show},
)
