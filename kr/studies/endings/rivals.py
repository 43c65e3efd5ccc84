"""Networks compared with rivals that learn from the same positions, at the same sizes, and with the exact files.

All learn from the same quiet positions and are tested on the same positions, captures resolved by the rules. A rival's
`bytes` are its stored size, compressed. To make it exact, the true values must be coded too, given its answers:
`coded_bits` a position with its probabilities, and `listed_bits` if only its most probable value is used, the entropy
of a list of its errors. Both count the bits of quiet positions alone, since the rules give the others; an exact store
takes that and 8 `bytes` for all positions there are.

A row is a JSON file of its own; a row of the same samples and settings is not made again.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kr import _core, extras, storage
from kr.egdb.database import directory_for
from kr.egdb.sample_reader import SampleFile, SampleRows, SampleStream
from kr.errors import InvalidSettingError
from kr.settings import REQUIRED, Settings, check_settings, option, parse_names, seed_option
from kr.studies.descent import FitProgress, check_jax
from kr.studies.endings.asking import Asker
from kr.studies.endings.exact_rival import open_exact, position_count
from kr.studies.endings.region_rival import RegionSettings, fit_regions
from kr.studies.endings.scores import binomial_error
from kr.studies.endings.tree_rival import TreeSettings, check_lightgbm, fit_trees
from kr.system import forget_memory_peak, memory_peak
from kr.units import parse_count

RIVALS = ("exact", "regions", "trees", "nets")
SIZES = {"100KB": 100_000, "1MB": 1_000_000, "10MB": 10_000_000}
"""Bytes that a rival may have."""
NET_UNITS = {"100KB": (288, 32), "1MB": (1024, 256), "10MB": (4096, 1024)}
"""Units of networks that need at most as many bytes."""
WEIGHT_BYTES = 2
"""Bytes of a weight of a network: 16 bits."""
TREE_LEAVES = {"100KB": 63, "1MB": 255, "10MB": 2047}
TREE_RATES = {"100KB": 0.3, "1MB": 0.2, "10MB": 0.15}
BATCH_ROWS = 1 << 16
"""Test positions in a batch."""
LEAST_PROBABILITY = 1e-4
"""Share of an even guess mixed into a rival's answers before they code values: none may be impossible."""


@dataclass(frozen=True)
class RivalSettings(Settings):
    """Rivals, their sizes, and the positions."""

    samples: tuple[Path, ...] = option(REQUIRED, "Files of `kr egdb sample`.", argument=True, metavar="SAMPLE")
    out: Path = option(REQUIRED, "Directory of what is measured, and of the networks.", metavar="DIR")
    egdb: Path | None = option(None, "Directory of the endgame database.  [default: the one that kr uses in play]")
    rivals: Sequence[str] = option(
        RIVALS, f"{', '.join(RIVALS)}, with commas between, or all.", parse=parse_names(RIVALS, "a rival"),
        show=",".join, metavar="NAMES",
    )  # fmt: skip
    sizes: Sequence[str] = option(
        ("100KB", "1MB"), f"{', '.join(SIZES)}, with commas between, or all.",
        parse=parse_names(tuple(SIZES), "a size"), show=",".join, metavar="SIZES",
    )  # fmt: skip
    limit: int = option(
        1_000_000, "Training positions, before those with captures are left out, {allowed}.", parse=parse_count, low=1,
        high=10**9, zero="all",
    )  # fmt: skip
    tested: int = option(300_000, "Test positions, {allowed}.", parse=parse_count, low=1, high=10**9, zero="all")
    epochs: int = option(10, "Epochs of the networks.", low=1, high=10**6)
    seed: int = seed_option("Seed of trees and networks.")


@dataclass(frozen=True)
class RivalRow:
    """Accuracy and cost of a rival."""

    name: str
    rival: str
    """One of RIVALS."""
    bytes: int
    """Stored, compressed."""
    dense_bytes: int
    """Stored as it is looked up."""
    training_positions: int
    tested: int
    accuracy: float
    """Share of the test positions that it is right about."""
    error: float
    """Half of the 95% interval of it."""
    quiet_accuracy: float
    """Accuracy where nothing can be captured."""
    coded_bits: float
    """Bits a position to code the true value, given its probabilities, over all positions."""
    listed_bits: float
    """Bits a position of a list of its errors."""
    stored_bits: float
    """Bits of it a position of all that there are."""
    seconds: float
    """Time of the fit."""
    memory: int
    """Most bytes of memory of the process during the fit and the questions."""

    @property
    def exact_bits(self) -> float:
        """Bits a position of an exact store made of it."""
        return self.stored_bits + min(self.coded_bits, self.listed_bits)


class Rival(Protocol):
    """A model that gives probabilities of the values of quiet positions."""

    def predict(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Probabilities (n, 3) of loss, draw and win."""
        ...


@dataclass(frozen=True)
class RivalProgress:
    """Progress of the work."""

    what: str
    count: float
    total: float
    unit: str


OnRivalProgress = Callable[[RivalProgress], None]


@dataclass(frozen=True)
class _FittedRival:
    rival: Rival
    bytes: int
    dense_bytes: int
    seconds: float
    positions: int


@dataclass(frozen=True)
class _Plan:
    """A row to make. fit: makes the rival; settings: those that shape it."""

    name: str
    rival: str
    settings: Any
    fit: Callable[[], _FittedRival]


def check_libraries(rivals: Sequence[str] = RIVALS) -> None:
    """Raise InvalidSettingError if a library of one of these rivals is missing."""
    if "regions" in rivals:
        extras.check_packages("region tables need", *extras.TRAINING)
    if "trees" in rivals:
        check_lightgbm()
    if "nets" in rivals:
        check_jax()


def run_rivals(settings: RivalSettings, on_progress: OnRivalProgress | None = None) -> list[RivalRow]:
    """Make the rows that are missing and return all, in order.

    Raises InvalidSettingError without SciPy, LightGBM or JAX where they are needed, InvalidSampleError,
    InvalidDatabaseError, and OutputBusyError if another process writes there.
    """
    check_settings(settings, RivalSettings)
    check_libraries(settings.rivals)
    storage.check_directory(settings.out)
    with storage.lock(settings.out / "rivals"):
        return _Runner(settings, on_progress).rows()


class _Runner:
    """The rows of some settings."""

    def __init__(self, settings: RivalSettings, on_progress: OnRivalProgress | None) -> None:
        self.settings, self._tell = settings, on_progress or (lambda progress: None)
        self._pieces, self._inputs = self._read_headers()
        self._training: SampleRows | None = None
        self._test: SampleRows | None = None

    def rows(self) -> list[RivalRow]:
        """All rows."""
        return [self._row(plan) for plan in self._plans()]

    def _read_headers(self) -> tuple[str, list[str]]:
        pieces, inputs = [], []
        for path in self.settings.samples:
            with SampleFile(path) as file:
                pieces.append(file.pieces)
                inputs.append(file.checksum)
        return ",".join(dict.fromkeys(pieces)), inputs

    def _plans(self) -> list[_Plan]:
        plans = []
        sizes = self.settings.sizes
        for rival in (each for each in RIVALS if each in self.settings.rivals):
            if rival == "exact":
                plans.append(_Plan("exact files", rival, self._pieces, self._exact))
            elif rival == "regions":
                plans += [self._regions_plan(size) for size in sizes]
            elif rival == "trees":
                plans += [self._trees_plan(size) for size in sizes]
            else:
                plans += [self._net_plan(size) for size in sizes]
        return plans

    def _row(self, plan: _Plan) -> RivalRow:
        settings = self.settings
        path = settings.out / "rivals" / f"{plan.name}.json"
        settings_text = [settings.limit, settings.tested, settings.seed, self._pieces, plan.settings]
        inputs = storage.checksum(json.dumps([*self._inputs, *settings_text], sort_keys=True, default=str).encode())
        with suppress(OSError, ValueError, TypeError, KeyError):
            record = storage.parse_json(storage.read_regular(path))
            if record["inputs"] == inputs:
                return RivalRow(**record["row"])
        forget_memory_peak()
        fitted = plan.fit()
        row = self._judged(plan, fitted)
        storage.write_atomic(path, json.dumps({"inputs": inputs, "row": asdict(row)}, indent=1) + "\n")
        return row

    # Rivals

    def _exact(self) -> _FittedRival:
        exact = open_exact(directory_for(self.settings.egdb), self._pieces)
        return _FittedRival(exact, exact.packed_bytes, exact.packed_bytes, 0.0, 0)

    def _regions_plan(self, size: str) -> _Plan:
        form = RegionSettings(budget=SIZES[size])

        def fit() -> _FittedRival:
            name = f"regions {size}"
            self._tell(RivalProgress(name, 0, 1, "fits"))
            rows, began = self._training_rows(), time.monotonic()
            rival = fit_regions(rows, form)
            self._tell(RivalProgress(name, 1, 1, "fits"))
            return _FittedRival(rival, rival.packed_bytes, rival.dense_bytes, time.monotonic() - began, len(rows))

        return _Plan(f"regions {size}", "regions", [form.budget, form.l2, form.iterations], fit)

    def _trees_plan(self, size: str) -> _Plan:
        form = TreeSettings(SIZES[size], TREE_LEAVES[size], TREE_RATES[size], self.settings.seed)

        def fit() -> _FittedRival:
            rows, began = self._training_rows(), time.monotonic()
            rival = fit_trees(
                rows, form, lambda count, total: self._tell(RivalProgress(f"trees {size}", count, total, "rounds"))
            )
            return _FittedRival(rival, rival.packed_bytes, rival.dense_bytes, time.monotonic() - began, len(rows))

        return _Plan(f"trees {size}", "trees", asdict(form), fit)

    def _net_plan(self, size: str) -> _Plan:
        from kr.studies.endings.settings import EndnetFitSettings
        from kr.studies.endings.training import fit_endnet

        form = EndnetFitSettings(
            samples=self.settings.samples, out=self.settings.out / "rivals" / f"net {size}.h5", hidden=NET_UNITS[size],
            limit=self.settings.limit, epochs=self.settings.epochs, seed=self.settings.seed,
        )  # fmt: skip

        def on_progress(progress: FitProgress) -> None:
            self._tell(RivalProgress(f"net {size}", progress.count, progress.total, "positions"))

        def fit() -> _FittedRival:
            model = fit_endnet(form, on_progress)
            stored = WEIGHT_BYTES * model.weights
            return _FittedRival(model, stored, stored, model.curve[-1]["seconds"], model.report["training_positions"])

        return _Plan(f"net {size}", "nets", form.shaping(), fit)

    # Positions

    def _training_rows(self) -> SampleRows:
        if self._training is None:
            self._training = self._share("training", self.settings.limit, quiet=True)
        return self._training

    def _share(self, share: str, limit: int, quiet: bool) -> SampleRows:
        """The first positions of a share; those that SampleStream takes for a training too."""
        with closing(SampleStream(self.settings.samples, share, limit=limit or None, quiet=quiet)) as stream:
            if not stream.positions:
                raise InvalidSettingError(f"{self.settings.samples[0]}: no {share} positions")
            stream.batch = stream.positions
            return next(stream.epoch(0))

    def _judged(self, plan: _Plan, fitted: _FittedRival) -> RivalRow:
        """Row of a rival, from its answers on the test positions."""
        if self._test is None:
            self._test = self._share("test", self.settings.tested, quiet=False)
        test = self._test
        asker = Asker(fitted.rival.predict, "quiet")
        probabilities = np.empty((len(test), 3), dtype=np.float32)
        for first in range(0, len(test), BATCH_ROWS):
            part = slice(first, first + BATCH_ROWS)
            probabilities[part] = asker.ask(test.boards[part], "rules")
            self._tell(RivalProgress(f"test {plan.name}", min(part.stop, len(test)), len(test), "positions"))
        right = probabilities.argmax(axis=1) == test.values
        quiet = ~_core.pending_captures(test.boards)
        true_shares = probabilities[quiet, test.values[quiet]] * (1 - LEAST_PROBABILITY) + LEAST_PROBABILITY / 3
        share = float(quiet.mean())
        wrong = 1 - float(right[quiet].mean()) if quiet.any() else 0.0
        exact = plan.rival == "exact"
        return RivalRow(
            name=plan.name, rival=plan.rival, bytes=fitted.bytes, dense_bytes=fitted.dense_bytes,
            training_positions=fitted.positions, tested=len(test), accuracy=float(right.mean()),
            error=binomial_error(int(right.sum()), len(test)), quiet_accuracy=1 - wrong,
            coded_bits=0.0 if exact or not quiet.any() else share * float(-np.log2(true_shares).mean()),
            listed_bits=share * error_list_bits(wrong), stored_bits=8 * fitted.bytes / position_count(self._pieces),
            seconds=round(fitted.seconds, 1), memory=memory_peak(),
        )  # fmt: skip


def error_list_bits(wrong: float) -> float:
    """Bits a position of a list of errors: which positions, and which of the two other values. wrong: their share."""
    if not 0 < wrong < 1:
        return wrong
    return -wrong * math.log2(wrong) - (1 - wrong) * math.log2(1 - wrong) + wrong


# Text


def rival_cells(rows: Sequence[RivalRow]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table of rivals."""
    head = ["rival", "bytes", "unpacked", "right", "quiet", "bits to be exact", "fit", "memory"]
    return head, [
        [
            row.name, f"{row.bytes:,}", f"{row.dense_bytes:,}", f"{100 * row.accuracy:.2f} ±{100 * row.error:.2f}",
            f"{100 * row.quiet_accuracy:.2f}", f"{row.exact_bits:.3f}",
            "" if row.rival == "exact" else f"{row.seconds / 60:.1f} min", f"{row.memory / 1e9:.1f} GB",
        ]
        for row in rows
    ]  # fmt: skip
