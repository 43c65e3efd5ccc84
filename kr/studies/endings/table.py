"""Runs the experiments of `kr endnet table` in one directory.

    samples/   files of `kr egdb sample`          tests/         scores of each network, JSON
    nets/      model files, with their cost       table.json, table.md, plots/

Files that are there stay, each test with the checksums of its network and positions; missing ones are made, in the
order of the table. So a run that was killed resumes, and one with more rows adds them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kr import figures, storage
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_reader import SampleFile
from kr.errors import InvalidSampleError
from kr.settings import REQUIRED, Settings, option, parse_names, seed_option
from kr.studies.descent import FitProgress, check_jax
from kr.studies.endings.asking import Asker
from kr.studies.endings.experiments import (
    EXPERIMENTS,
    NET_FORMS,
    ROWS,
    SAMPLING_SETS,
    TABLE_SHARES,
    Plans,
    TableLine,
    TableNet,
    TableSample,
)
from kr.studies.endings.model_file import EndnetModel
from kr.studies.endings.scores import count_scores
from kr.studies.endings.settings import EndnetFitSettings
from kr.studies.endings.table_text import table_markdown
from kr.studies.endings.testing import fit_blend, scored_rows
from kr.studies.endings.training import fit_endnet
from kr.system import forget_memory_peak, memory_peak
from kr.units import parse_count

DIRECT_HIDDEN = (256, 32)
TESTED_BY = {"paper": 50_000, "direct": 500_000, "quiet": 200_000}
"""Default numbers of test positions: two plies take a hundred answers each."""
VALIDATED = {"paper": 50_000, "direct": 200_000, "quiet": 200_000}
THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975)
"""Thresholds of the confidence; bins of the histogram begin at each of them."""
FEW_POSITIONS = 400_000
"""Training positions below which a small network's weights decay faster."""


@dataclass(frozen=True)
class EndnetTableSettings(Settings):
    """Experiments, networks, and numbers of positions."""

    out: Path = option(REQUIRED, "Directory of samples, networks, tests and the table.", metavar="DIR")
    experiment: Sequence[str] = option(
        EXPERIMENTS, f"{', '.join(EXPERIMENTS)}, with commas between, or all.",
        parse=parse_names(EXPERIMENTS, "an experiment"), show=",".join, metavar="NAMES",
    )  # fmt: skip
    set: str = option(
        "2-7",
        "Positions of the sampling experiment: the paper's with 2 to 7 pieces, or all with 2 to 5.",
        choices=SAMPLING_SETS,
    )
    rows: Sequence[str] = option(
        ("10%", "1%", "0.1%"), f"Rows of the sampling experiment, of {', '.join(ROWS)}.",
        parse=parse_names(ROWS, "a row"), show=",".join, metavar="ROWS",
    )  # fmt: skip
    nets: Sequence[str] = option(
        ("direct", "quiet"),
        "Networks: direct (kr's small one, asked about all positions), quiet (about quiet ones only), paper.",
        parse=parse_names(NET_FORMS, "a network"), show=",".join, metavar="NETS",
    )  # fmt: skip
    scale: float = option(0.01, "Share of the paper's numbers of training positions.", above=0, high=1)
    tested: int = option(
        0, "Positions to test each network on, {allowed}.", parse=parse_count, low=1, high=10**9,
        zero="500k for direct, 200k for quiet, 50k for paper",
    )  # fmt: skip
    egdb: Path | None = option(None, "Directory of the endgame database.  [default: the one that kr uses in play]")
    plots: bool = option(False, "Draw plots, too.")
    seed: int = seed_option("Seed of samples and networks.")

    def plans(self) -> Plans:
        """Plans of its experiments."""
        tested = self.tested or max(TESTED_BY.values())
        return Plans(self.nets, self.rows, self.scale, self.set, tested)


@dataclass(frozen=True)
class TableProgress:
    """Progress of the work."""

    what: str
    count: float
    total: float
    unit: str
    more: str = ""


class EndnetTable:
    """A table in its directory."""

    def __init__(
        self, settings: EndnetTableSettings, on_progress: Callable[[TableProgress], None] | None = None
    ) -> None:
        check_jax()
        if settings.plots:
            figures.check_installed()
        self.settings = settings
        self._tell = on_progress or (lambda progress: None)

    def run(self) -> dict[str, Any]:
        """Make the missing files and write the table; returns it in the form of `table.json`.

        Raises InvalidSettingError, InvalidSampleError, InvalidDatabaseError, OutputBusyError, OSError.
        """
        settings, plans = self.settings, self.settings.plans()
        with storage.lock_directory(settings.out):
            experiments: dict[str, Any] = {}
            for name in settings.experiment:
                plan = plans.experiment(name)
                for net in plan.nets:
                    self.model(net)
                experiments[name] = [self._line(line) for line in plan.lines]
            values = {name: value for name, value in asdict(settings).items() if name not in ("out", "egdb", "plots")}
            table = {"settings": values, "provenance": storage.provenance(**values), "experiments": experiments}
            storage.write_atomic(settings.out / "table.json", json.dumps(table, indent=1) + "\n")
            storage.write_atomic(settings.out / "table.md", table_markdown(table))
            if settings.plots:
                from kr.studies.endings.plots import draw_table

                draw_table(table, settings.out / "plots")
        return table

    # Parts of a line

    def sample(self, drawn: TableSample) -> Path:
        """The file of a sample, drawn if it isn't there."""
        path = self.settings.out / "samples" / f"{drawn.name}.h5"
        if path.exists():
            with SampleFile(path) as file:
                if file.settings.get("seed") == self.settings.seed and file.pieces == drawn.pieces:
                    return path
            raise InvalidSampleError(
                f"{path}: positions drawn with another seed; choose another --out or remove the file"
            )
        cost = _Cost()
        sample_settings = SampleSettings(
            out=path, pieces=drawn.pieces, fraction=drawn.fraction, seed=self.settings.seed, planes=False,
            shares=TABLE_SHARES, dir=self.settings.egdb,
        )  # fmt: skip
        sample = write_sample(
            sample_settings,
            lambda count, total: self._tell(TableProgress(f"draw {drawn.name}", count, total, "positions")),
        )
        _store(path.with_suffix(".json"), [sample.checksum], {"positions": sample.positions, **cost.as_json()})
        return path

    def model(self, net: TableNet) -> EndnetModel:
        """A network, trained if it isn't there."""
        path = self._net_path(net.name)
        small: dict[str, Any] = {"hidden": DIRECT_HIDDEN, "inputs": "threats"} if net.form == "direct" else {}
        settings = EndnetFitSettings(
            samples=tuple(map(self.sample, net.samples)), out=path, net="paper" if net.form == "paper" else "small",
            asked="quiet" if net.form == "quiet" else "all", limit=net.positions, epochs=net.epochs,
            decay=0.3 if net.positions < FEW_POSITIONS else 0.1, seed=self.settings.seed, freeze=net.freeze,
            validation=VALIDATED[net.form], start=self._net_path(net.start) if net.start else None, **small,
        )  # fmt: skip
        cost = _Cost()

        def on_progress(progress: FitProgress) -> None:
            right = f"{100 * progress.best['accuracy']:.2f}% right" if progress.best else ""
            self._tell(TableProgress(f"train {net.name}", progress.count, progress.total, "positions", right))

        model = fit_endnet(settings, on_progress)
        if _stored(path.with_suffix(".json"), [model.checksum]) is None:
            # the seconds of the curve are those of all parts of an interrupted training
            _store(
                path.with_suffix(".json"), [model.checksum], {**cost.as_json(), "seconds": model.curve[-1]["seconds"]}
            )
        return model

    def _net_path(self, name: str) -> Path:
        return self.settings.out / "nets" / f"{name}.h5"

    def _line(self, line: TableLine) -> dict[str, Any]:
        """A line with the scores of its network, or the title alone of a line without a run."""
        if line.net is None:
            return {"title": line.title, "paper": line.paper, "net": ""}
        model = self.model(line.net)
        test = self._test(line, line.net, model)
        cost = _stored(self._net_path(line.net.name).with_suffix(".json"), [model.checksum]) or {}
        return {
            "title": line.title,
            "paper": line.paper,
            "net": line.net.name,
            "form": line.net.form,
            "shape": str(model.shape),
            "training_positions": line.net.positions,
            "used_positions": model.report["training_positions"],
            "epochs": model.report["epochs"],
            "weights": model.weights,
            "checksum": model.checksum,
            "cost": cost,
            "test": test,
        }

    def _test(self, line: TableLine, net: TableNet, model: EndnetModel) -> dict[str, Any]:
        """Scores of a network on the positions of a line."""
        samples = [self.sample(drawn) for drawn in line.tested]
        limit = self.settings.tested or TESTED_BY[net.form]
        name = f"{net.name} on {'+'.join(drawn.pieces for drawn in line.tested)}"
        path = self.settings.out / "tests" / f"{name}.json"
        trained = [self.sample(drawn) for drawn in net.samples]
        inputs = [model.checksum, *map(_sample_checksum, [*samples, *trained]), str(limit), ",".join(line.ways)]
        test = _stored(path, inputs)
        if test is None:
            cost = _Cost()
            asker = Asker(model.predict, model.shape.asked)
            if "best" in line.ways:
                # on positions that the network knows: those of the test may have pieces it has never seen
                fit_blend(asker, trained)

            def on_progress(count: int, total: int) -> None:
                self._tell(TableProgress(f"test {name}", count, total, "positions"))

            scores = count_scores(asker, scored_rows(samples, "test", limit, on_progress), line.ways, THRESHOLDS)
            test = {**scores.as_json(), "cost": cost.as_json()}
            _store(path, inputs, test)
        return test


class _Cost:
    """Time and memory from now on."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        forget_memory_peak()

    def as_json(self) -> dict[str, Any]:
        """Seconds and most bytes of memory."""
        return {"seconds": round(time.monotonic() - self._began, 1), "memory": memory_peak()}


def _store(path: Path, inputs: Sequence[str], content: Mapping[str, Any]) -> None:
    """Write content that follows from some inputs."""
    checksum = storage.checksum(json.dumps([list(inputs), content], sort_keys=True).encode())
    storage.write_atomic(path, json.dumps({"inputs": inputs, "checksum": checksum, "content": content}) + "\n")


def _stored(path: Path, inputs: Sequence[str]) -> dict[str, Any] | None:
    """Content stored for these inputs; None if it is missing or damaged."""
    try:
        record = storage.parse_json(storage.read_regular(path))
        content: dict[str, Any] = record["content"]
        checksum = storage.checksum(json.dumps([list(inputs), content], sort_keys=True).encode())
        return content if record["checksum"] == checksum else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _sample_checksum(path: Path) -> str:
    with SampleFile(path) as file:
        return file.checksum
