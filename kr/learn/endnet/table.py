"""Runs the experiments of `kr endnet table`, and prints them beside the paper.

Everything lies in one directory: `samples`, `nets`, `tests` (a JSON file each), `table.json`, `table.md`. A line whose
network and test are there is read; the others are made, in the order of the table.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kr import storage
from kr.egdb.sample import SampleSettings, parse_pieces, write_sample
from kr.egdb.sample_reader import SampleFile
from kr.errors import InvalidSampleError, InvalidSettingError
from kr.learn.endnet.asking import Asker
from kr.learn.endnet.experiments import (
    EXPERIMENTS,
    NET_FORMS,
    ROWS,
    SAMPLING_SETS,
    DrawnSample,
    TableLine,
    TrainedNet,
    plan_experiment,
)
from kr.learn.endnet.model_file import EndnetModel, check_jax
from kr.learn.endnet.paper import PAPER_CONFIDENCE, PAPER_ROWS, PAPER_THRESHOLD
from kr.learn.endnet.scores import count_scores
from kr.learn.endnet.testing import fit_blend, scored_rows
from kr.learn.endnet.training import EndnetFitSettings, FitProgress, fit_endnet
from kr.settings import REQUIRED, Settings, option, seed_option
from kr.units import parse_count

SHOWN_WAYS = ("net", "search", "threshold", "rules", "plies1", "plies2", "best")
DIRECT_HIDDEN = (256, 32)
TESTED_BY = {"paper": 50_000, "direct": 500_000, "quiet": 200_000}
"""Most positions that a network is asked about, unless the settings say more: two plies are a hundred questions."""


def parse_names(allowed: tuple[str, ...], what: str) -> Callable[[str], tuple[str, ...]]:
    """A parser of names with commas between; "all" for all of them."""

    def parse(text: str) -> tuple[str, ...]:
        names = allowed if text == "all" else tuple(filter(None, text.replace(" ", "").split(",")))
        unknown = [name for name in names if name not in allowed]
        if unknown or not names:
            raise InvalidSettingError(f"{text!r:.60} is not {what}; expected some of {', '.join(allowed)}, or all")
        return tuple(name for name in allowed if name in names)

    return parse


def _show(names: tuple[str, ...]) -> str:
    return ",".join(names)


@dataclass(frozen=True)
class EndnetTableSettings(Settings):
    """Which experiments, with which networks, on how many positions."""

    out: Path = option(REQUIRED, "Directory of samples, networks, tests and the table.", metavar="DIR")
    experiment: Sequence[str] = option(
        EXPERIMENTS, "sampling, transfer, finetune, or all.", parse=parse_names(EXPERIMENTS, "an experiment"),
        show=_show, metavar="NAMES",
    )  # fmt: skip
    set: str = option(
        "2-7", "Positions of the sampling experiment: the paper's with 2 to 7 pieces, or 2-5.", choices=SAMPLING_SETS
    )
    rows: Sequence[str] = option(
        ("10%", "1%", "0.1%"), "Rows of the sampling experiment.", parse=parse_names(ROWS, "a row"), show=_show,
        metavar="ROWS",
    )  # fmt: skip
    nets: Sequence[str] = option(
        ("direct", "quiet"),
        "Networks: paper; direct (kr's small one, asked about all positions); quiet (about quiet ones only).",
        parse=parse_names(NET_FORMS, "a network"), show=_show, metavar="NETS",
    )  # fmt: skip
    scale: float = option(0.01, "Share of the paper's numbers of positions.", above=0, high=1)
    tested: int = option(
        0, "Positions to test a network on, {allowed}.", parse=parse_count, low=1, high=10**9,
        zero="50k for the paper's, 500k for direct, 200k for quiet",
    )  # fmt: skip
    egdb: Path | None = option(None, "Directory of the endgame database.  [default: the one that kr uses in play]")
    seed: int = seed_option("Seed of samples and networks.")


@dataclass(frozen=True)
class TableProgress:
    """What is being done."""

    what: str
    done: float
    total: float
    unit: str
    more: str = ""


OnTableProgress = Callable[[TableProgress], None]


class EndnetTable:
    """A table in its directory."""

    def __init__(self, settings: EndnetTableSettings, on_progress: OnTableProgress | None = None) -> None:
        check_jax()
        self.settings = settings
        self._tell = on_progress or (lambda progress: None)

    def run(self) -> dict[str, Any]:
        """Make what is missing and write the table; returns it as `table.json` has it.

        Raises InvalidSettingError, InvalidSampleError, InvalidDatabaseError, OutputBusyError, OSError.
        """
        settings = self.settings
        storage.make_directory(settings.out)
        with storage.lock(settings.out):
            experiments = {
                name: plan_experiment(name, settings.nets, settings.rows, settings.scale, settings.set)
                for name in settings.experiment
            }
            found: dict[str, Any] = {}
            for name, plan in experiments.items():
                for net in plan.nets:
                    self.model(net)
                found[name] = [self._line(line) for line in plan.lines]
            shown = {"settings": {name: str(value) for name, value in asdict(settings).items()}, "experiments": found}
            storage.write_atomic(settings.out / "table.json", json.dumps(shown, indent=1) + "\n")
            storage.write_atomic(settings.out / "table.md", table_markdown(shown))
        return shown

    # What a line needs

    def sample(self, drawn: DrawnSample) -> Path:
        """The file of a sample, drawn if it isn't there."""
        path = self.settings.out / "samples" / f"{drawn.name}.h5"
        if path.exists():
            with SampleFile(path) as file:
                if file.settings.get("seed") == self.settings.seed:
                    return path
            raise InvalidSampleError(f"{path}: a sample with another seed; expected {self.settings.seed}")
        made = SampleSettings(
            out=path, pieces=parse_pieces(drawn.pieces), fraction=drawn.fraction, seed=self.settings.seed, planes=False,
            dir=self.settings.egdb,
        )  # fmt: skip
        write_sample(
            made, lambda done, total: self._tell(TableProgress(f"sample {drawn.name}", done, total, "positions"))
        )
        return path

    def model(self, net: TrainedNet) -> EndnetModel:
        """A network, trained if it isn't there."""
        path = self._net_path(net.name)
        began = time.monotonic()
        told = ("direct", "quiet") if net.form != "paper" else ("paper",)
        assert net.form in told
        settings = EndnetFitSettings(
            samples=tuple(map(self.sample, net.samples)), out=path, net="paper" if net.form == "paper" else "small",
            asked="quiet" if net.form == "quiet" else "all", inputs="threats" if net.form == "direct" else "squares",
            hidden=DIRECT_HIDDEN if net.form == "direct" else (512, 32), limit=net.positions, epochs=net.epochs,
            decay=0.3 if net.positions < 400_000 else 0.1, seed=self.settings.seed, freeze=net.freeze,
            validation=50_000 if net.form == "paper" else 200_000,
            start=self._net_path(net.start) if net.start else None,
        )  # fmt: skip

        def on_progress(found: FitProgress) -> None:
            right = "" if found.accuracy is None else f"{100 * found.accuracy:.2f}% right"
            self._tell(TableProgress(f"train {net.name}", found.done, found.total, "positions", right))

        model = fit_endnet(settings, on_progress)
        cost = path.with_suffix(".cost.json")
        if not cost.exists():
            seconds = model.curve[-1]["seconds"] if model.curve else time.monotonic() - began
            storage.write_atomic(cost, json.dumps({"seconds": seconds, "memory": _peak_memory()}))
        return model

    def _net_path(self, name: str) -> Path:
        return self.settings.out / "nets" / f"{name}.h5"

    def _line(self, line: TableLine) -> dict[str, Any]:
        """A line with what its network got right."""
        model = self.model(line.net)
        samples = [self.sample(drawn) for drawn in line.tested]
        limit = self.settings.tested or TESTED_BY[line.net.form]
        name = f"{line.net.name} on {'+'.join(drawn.pieces for drawn in line.tested)}"
        path = self.settings.out / "tests" / f"{name}.json"
        inputs = [model.checksum, *(_sample_checksum(sample) for sample in samples), str(limit)]
        test = _earlier(path, inputs)
        if test is None:
            began = time.monotonic()
            asker = Asker(model.predict, model.shape.asked)
            if "best" in line.ways:
                fit_blend(asker, samples)

            def on_progress(done: int, total: int) -> None:
                self._tell(TableProgress(f"test {name}", done, total, "positions"))

            scores = count_scores(asker, scored_rows(samples, "test", limit, on_progress), line.ways)
            test = {"inputs": inputs, "seconds": round(time.monotonic() - began, 1), **scores.as_json()}
            storage.write_atomic(path, json.dumps(test) + "\n")
        cost = json.loads(self._net_path(line.net.name).with_suffix(".cost.json").read_text())
        return {
            "title": line.title,
            "paper": line.paper,
            "net": line.net.name,
            "form": line.net.form,
            "shape": str(model.shape),
            "training_positions": line.net.positions,
            "used_positions": model.report["training_positions"],
            "epochs": model.report["epochs"],
            "cost": cost,
            "test": test,
        }


def _peak_memory() -> int:
    """Most bytes of memory that this process had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _sample_checksum(path: Path) -> str:
    with SampleFile(path) as file:
        return file.checksum


def _earlier(path: Path, inputs: Sequence[str]) -> dict[str, Any] | None:
    """The test of the same network and positions, if it has been done."""
    try:
        found = storage.parse_json(storage.read_regular(path))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("inputs") == list(inputs) else None


# Text


def table_rows(lines: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of an experiment: each line, and the paper's row above the first of those that have one."""
    asked = {way for line in lines for way in line["test"]["ways"]}
    ways = [way for way in SHOWN_WAYS if way in asked]
    rows: list[list[str]] = []
    shown = ""
    for line in lines:
        if line["paper"] and line["paper"] != shown:
            shown = line["paper"]
            paper = PAPER_ROWS[shown]
            threshold = f"{PAPER_THRESHOLD:.2f}" if shown == "100%" else ""
            said = {"net": f"{paper.net:.2f}", "search": f"{paper.search:.2f}", "threshold": threshold}
            training = f"{paper.training:,}" if paper.training else ""
            rows.append([paper.title, "the paper", training, *(said.get(way, "") for way in ways)])
        found = line["test"]["ways"]
        cells = [_percent_error(found[way]) if way in found else "" for way in ways]
        rows.append([line["title"], line["form"], f"{line['training_positions']:,}", *cells])
    return ["trained on", "network", "positions", *ways], rows


def _percent_error(score: dict[str, Any]) -> str:
    return f"{100 * score['accuracy']:.2f} ±{100 * score['error']:.2f}"


def table_markdown(table: dict[str, Any]) -> str:
    """All experiments as Markdown, with what each network cost, and confidences."""
    parts = []
    for name, lines in table["experiments"].items():
        head, rows = table_rows(lines)
        parts.append(f"### {name}\n\n" + markdown(head, rows))
        parts.append(markdown(*correlation_rows(lines)))
        parts.append(markdown(*confidence_rows(lines)))
        parts.append(markdown(*cost_rows(lines)))
    return "\n\n".join(part for part in parts if part) + "\n"


def correlation_rows(lines: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Network and one-ply search against each other, in percent."""
    names = ("both", "only_first", "only_second", "neither")
    rows = []
    for line in lines:
        if counts := line["test"]["correlation"]:
            total = sum(counts.values())
            if line["paper"]:
                row = PAPER_ROWS[line["paper"]]
                rows.append(
                    [
                        row.title,
                        "the paper",
                        *(f"{x:.2f}" for x in (row.both, row.only_net, row.only_search, row.neither)),
                    ]
                )
            rows.append([line["title"], line["form"], *(f"{100 * counts[name] / total:.2f}" for name in names)])
    return ["trained on", "network", "both right", "only network", "only search", "neither"], rows


def confidence_rows(lines: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Mean confidence of the network where it is right and wrong, by class."""
    rows = []
    for line in lines:
        way = "net" if "net" in line["test"]["ways"] else "rules"
        score = line["test"]["ways"][way]
        means = zip(score["mean_confidence_right"], score["mean_confidence_wrong"], strict=True)
        cells = [f"{100 * right:.2f} / {100 * wrong:.2f}" for right, wrong in means]
        rows.append([line["title"], line["form"], cells[1], cells[2], cells[0]])
    if rows:
        paper = [f"{right:.2f} / {wrong:.2f}" for right, wrong in PAPER_CONFIDENCE.values()]
        rows.insert(0, [PAPER_ROWS["100%"].title, "the paper", *paper])
    return ["confidence right / wrong", "network", "draws", "wins", "losses"], rows


def cost_rows(lines: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """What each network cost."""
    rows = {}
    for line in lines:
        cost = line["cost"]
        rows[line["net"]] = [
            line["net"], line["shape"], f"{line['used_positions']:,}", str(line["epochs"]),
            f"{cost['seconds'] / 60:.1f} min", f"{cost['memory'] / 1e9:.1f} GB",
        ]  # fmt: skip
    return ["network", "shape", "positions used", "epochs", "training", "memory"], list(rows.values())


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; "" without rows."""
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
