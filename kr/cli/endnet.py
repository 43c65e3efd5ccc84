"""`kr endnet`."""

from pathlib import Path
from typing import Any

from kr.cli import console, endnet_rivals, options
from kr.settings import REQUIRED, option
from kr.studies.descent import FitProgress
from kr.studies.endings.model_file import EndnetModel, load_model
from kr.studies.endings.scores import EndnetScores
from kr.studies.endings.settings import EndnetFitSettings
from kr.studies.endings.table import EndnetTable, EndnetTableSettings, TableProgress
from kr.studies.endings.table_text import TABLES, tested_text
from kr.studies.endings.testing import EndnetTestSettings, score_net
from kr.studies.endings.training import fit_endnet
from kr.text import visible
from kr.units import counted


@options.command
def _fit(settings: EndnetFitSettings, json: bool = options.JSON) -> None:
    """Train a network on endgame positions with exact values.

    Positions come from files of kr egdb sample. Run the same command to resume; an output of other samples or
    settings is replaced. The file gets the network of the best epoch, by validation positions.

    Example:
        kr egdb sample --pieces 2-5 --fraction 0.01 --out positions.h5
        kr endnet fit positions.h5 --out net.h5
        kr endnet fit positions.h5 --net paper --asked all --out paper.h5
    """
    with console.Stages() as stages:

        def on_progress(progress: FitProgress) -> None:
            parts = [counted(progress.epoch, "epoch")]
            if progress.loss is not None:
                parts.append(f"loss {progress.loss:.4f}")
            if progress.best:
                parts.append(f"{100 * progress.best['accuracy']:.2f}% right")
            stages.show("training", progress.count, progress.total, "positions", ", ".join(parts))

        model = fit_endnet(settings, on_progress)
    if not model.earlier:
        console.wrote(settings.out, "network")
    if settings.plots:
        console.wrote(settings.plots, "plots of the learning curve")
    if json:
        console.emit_json({"model": settings.out, "settings": settings, **_details(model)})
        return
    console.put(console.facts([("model", f"{settings.out}{', trained already' * model.earlier}"), *_facts(model)]))


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
    network = load_model(model)
    if json:
        console.emit_json({"model": model, **_details(network), **network.attrs})
        return
    console.put(console.facts([("model", str(model)), *_facts(network)]))
    rows = [
        (
            point["epoch"],
            f"{point['loss']:.4f}",
            f"{point['validation_loss']:.4f}",
            _percent(point["accuracy"]),
            *(_percent(point["recall"][name]) for name in ("loss", "draw", "win")),
            f"{point['seconds']:.0f}",
        )
        for point in network.curve
    ]
    heads = ["epoch", "loss", "validation", "right %", "losses %", "draws %", "wins %", "seconds"]
    console.put("\n" + console.table(heads, rows))


@options.command
def _test(settings: EndnetTestSettings, json: bool = options.JSON) -> None:
    """Test a network on positions with known values and count its right answers.

    Ways of asking: net, the network itself; search, one ply with it; threshold, the network where it is confident,
    else the search; rules, captures resolved first; plies1 and plies2, one or two plies, then captures; best, a
    regression on the last three, fitted to validation positions. The first three are for networks for all positions.

    Example:
        kr endnet test net.h5 positions.h5
        kr endnet test net.h5 positions.h5 --ways rules,best --limit 1e6
    """
    with console.Stages() as stages:
        scores, net = score_net(settings, lambda count, total: stages.show("asking", count, total, "positions"))
    if json:
        console.emit_json({"settings": settings, "network": net.name, "checksum": net.checksum, **scores.as_json()})
        return
    console.put(_scores(scores))


def _scores(scores: EndnetScores) -> str:
    rows = []
    for way, score in scores.ways.items():
        figures = score.as_json()
        counted = (figures["quiet"], figures["captures"])
        rows.append(
            (
                way,
                f"{_percent(figures['accuracy'])} ±{_percent(figures['error'])}",
                *(_percent(right / positions) if positions else "-" for positions, right in counted),
                *map(_percent, figures["recall"]),
            )
        )
    heads = ["way", "right %", "quiet", "captures", "losses", "draws", "wins"]
    lines = [console.table(heads, rows), f"{next(iter(scores.ways.values())).positions:,} positions"]
    if counts := scores.correlation:
        total = counts.both + counts.only_first + counts.only_second + counts.neither
        parts = [
            f"{_percent(number / max(total, 1))}% {name}"
            for name, number in (
                ("both", counts.both), ("only the network", counts.only_first), ("only the search", counts.only_second),
                ("neither", counts.neither),
            )
        ]  # fmt: skip
        lines.append(f"network and search: {', '.join(parts)}")
        shares = (
            f"{threshold:.0%}: {_percent(right / max(total, 1))}%" for threshold, right in scores.thresholds.items()
        )
        lines.append(f"right by threshold of the confidence: {', '.join(shares)}")
    return "\n".join(console.fold(line, 2) if i else line for i, line in enumerate(lines))


@options.command
def _table(settings: EndnetTableSettings, json: bool = options.JSON) -> None:
    """Run the experiments of the paper, and print each row next to the paper's.

    The paper is "Deep Dive on Checkers Endgame Data" by Wang, Müller and Schaeffer. Samples, networks and tests are
    kept in the output directory: run the same command to resume, or with more rows to add them. The set 2-5 needs a
    database with 5 pieces, rows with 7 one with 7. All tables go into table.md and table.json there.

    Example:
        kr endnet table --out tables --experiment sampling --set 2-5 --scale 0.001
        kr endnet table --out tables --egdb DIR --experiment sampling --scale 1
    """
    with console.Stages() as stages:

        def on_progress(progress: TableProgress) -> None:
            stages.show(progress.what, progress.count, progress.total, progress.unit, progress.more)

        table = EndnetTable(settings, on_progress).run()
    console.wrote(settings.out / "table.md", "all tables")
    if json:
        console.emit_json(table)
        return
    for name, lines in table["experiments"].items():
        for forms, positions in ((("paper", "direct"), "all positions"), (("quiet",), "quiet positions only")):
            group = [line for line in lines if line.get("form", "") in ("", *forms)]
            if any(line["net"] for line in group):
                console.put(console.fold(f"{name}: networks asked about {positions}; {tested_text(group)}") + "\n")
                console.put(console.table(*TABLES[name][0](group, False)) + "\n")


def _details(model: EndnetModel) -> dict[str, Any]:
    return {"shape": model.shape, "weights": model.weights, "checksum": model.checksum, "report": model.report,
            "curve": model.curve}  # fmt: skip


def _facts(model: EndnetModel) -> list[tuple[str, str]]:
    report = model.report
    pieces = visible(", ".join(report["pieces"]))
    positions = "quiet positions" if model.shape.asked == "quiet" else "all positions"
    return [
        ("network", f"{model.shape}; {model.weights:,} weights"),
        ("asked about", positions),
        ("trained on", f"{report['training_positions']:,} positions, pieces {pieces}"),
        ("best epoch", f"{report['best_epoch']} of {report['epochs']}"),
        ("right", f"{_percent(report['accuracy'])}% of the validation positions"),
        ("checksum", model.checksum),
    ]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


command = options.group(
    """Train networks that know endgames, and test them against the exact values.

    Example:
        kr egdb sample --pieces 2-5 --fraction 0.01 --out positions.h5
        kr endnet fit positions.h5 --out net.h5
        kr endnet test net.h5 positions.h5
    """,
    {"fit": _fit, "show": _show, "test": _test, "table": _table, "rivals": endnet_rivals.command},
)
