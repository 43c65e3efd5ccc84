"""Networks beside rivals that learn from the same positions, at the same sizes, and beside the exact files.

All learn from the same quiet positions and are asked about the same test positions, captures resolved by the rules. A
rival answers a question from `bytes`: what it must store, compressed. To make it exact, the true values must be coded
too, given what it says: `coded_bits` a position with its probabilities, and `listed_bits` if only its most probable
value is used, the entropy of a list of its errors. Both count quiet positions only and take the others for nothing,
since the rules give them; an exact store takes that and 8 `bytes` for all positions there are.

A row is a JSON file beside the others; one that is there for the same samples and settings is not made again.
"""

from __future__ import annotations

import json
import math
import resource
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kr import _core, storage
from kr.egdb.database import directory_for
from kr.egdb.sample_reader import SampleFile, SampleRows, SampleStream
from kr.errors import InvalidSettingError
from kr.settings import REQUIRED, Settings, option, parse_names, seed_option
from kr.studies.descent import FitProgress, check_jax
from kr.studies.endings.asking import Asker
from kr.studies.endings.exact_rival import open_exact, position_count
from kr.studies.endings.region_rival import RegionSettings, fit_regions
from kr.studies.endings.scores import binomial_error
from kr.studies.endings.tree_rival import TreeSettings, check_lightgbm, fit_trees
from kr.units import parse_count

RIVALS = ("exact", "regions", "trees", "nets")
SIZES = {"100KB": 100_000, "1MB": 1_000_000, "10MB": 10_000_000}
"""Bytes that a rival may have."""
NET_UNITS = {"100KB": (288, 32), "1MB": (1024, 256), "10MB": (4096, 1024)}
"""Units of networks that need at most as many bytes."""
WEIGHT_BYTES = 2
"""Of a number of a network, as the core has them."""
TREE_LEAVES = {"100KB": 63, "1MB": 255, "10MB": 2047}
TREE_RATES = {"100KB": 0.3, "1MB": 0.2, "10MB": 0.15}
ASKED_ROWS = 1 << 16
"""Test positions asked about at a time."""
LEAST_PROBABILITY = 1e-4
"""Share of an even guess mixed into what a rival says before it is used to code values: none may be impossible."""


@dataclass(frozen=True)
class RivalSettings(Settings):
    """Which rivals, at which sizes, on which positions."""

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
    """What a rival got right, and what it cost."""

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
    """The same where nothing can be captured."""
    coded_bits: float
    """Bits a position that its probabilities leave to be told, over all positions."""
    listed_bits: float
    """Bits a position of a list of its errors."""
    stored_bits: float
    """Bits of it a position of all that there are."""
    seconds: float
    """Of the fit."""
    memory: int
    """Most bytes of memory of the process during the fit and the questions."""

    @property
    def exact_bits(self) -> float:
        """Bits a position of an exact store made of it."""
        return self.stored_bits + min(self.coded_bits, self.listed_bits)


class Rival(Protocol):
    """What answers questions about quiet positions."""

    def predict(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Probabilities (n, 3) of loss, draw and win."""
        ...


@dataclass(frozen=True)
class RivalProgress:
    """What is being done."""

    what: str
    done: float
    total: float
    unit: str


OnRivalProgress = Callable[[RivalProgress], None]


@dataclass(frozen=True)
class _Made:
    rival: Rival
    bytes: int
    dense_bytes: int
    seconds: float
    positions: int


@dataclass(frozen=True)
class _Plan:
    """A row to make. fit: makes the rival; settings: what shapes it."""

    name: str
    rival: str
    settings: Any
    fit: Callable[[], _Made]


def run_rivals(settings: RivalSettings, on_progress: OnRivalProgress | None = None) -> list[RivalRow]:
    """Make the rows that are missing and return all, in order.

    Raises InvalidSettingError without JAX or LightGBM where they are needed, InvalidSampleError, InvalidDatabaseError,
    and OutputBusyError if another process writes there.
    """
    if "trees" in settings.rivals:
        check_lightgbm()
    if "nets" in settings.rivals:
        check_jax()
    storage.check_directory(settings.out)
    with storage.lock(settings.out / "rivals"):
        return _Runner(settings, on_progress).rows()


class _Runner:
    """The rows of some settings."""

    def __init__(self, settings: RivalSettings, on_progress: OnRivalProgress | None) -> None:
        self.settings, self._tell = settings, on_progress or (lambda found: None)
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
        told = [settings.limit, settings.tested, settings.seed, self._pieces, plan.settings]
        inputs = storage.checksum(json.dumps([*self._inputs, *told], sort_keys=True, default=str).encode())
        with suppress(OSError, ValueError, TypeError, KeyError):
            found = storage.parse_json(storage.read_regular(path))
            if found["inputs"] == inputs:
                return RivalRow(**found["row"])
        _forget_peak()
        made = plan.fit()
        row = self._judged(plan, made)
        storage.write_atomic(path, json.dumps({"inputs": inputs, "row": asdict(row)}, indent=1) + "\n")
        return row

    # Rivals

    def _exact(self) -> _Made:
        exact = open_exact(directory_for(self.settings.egdb), self._pieces)
        return _Made(exact, exact.packed_bytes, exact.packed_bytes, 0.0, 0)

    def _regions_plan(self, size: str) -> _Plan:
        chosen = RegionSettings(budget=SIZES[size])

        def fit() -> _Made:
            name = f"regions {size}"
            self._tell(RivalProgress(name, 0, 1, "fits"))
            rows, began = self._training_rows(), time.monotonic()
            found = fit_regions(rows, chosen)
            self._tell(RivalProgress(name, 1, 1, "fits"))
            return _Made(found, found.packed_bytes, found.dense_bytes, time.monotonic() - began, len(rows))

        return _Plan(f"regions {size}", "regions", [chosen.budget, chosen.l2, chosen.iterations], fit)

    def _trees_plan(self, size: str) -> _Plan:
        chosen = TreeSettings(SIZES[size], TREE_LEAVES[size], TREE_RATES[size], self.settings.seed)

        def fit() -> _Made:
            rows, began = self._training_rows(), time.monotonic()
            found = fit_trees(
                rows, chosen, lambda done, total: self._tell(RivalProgress(f"trees {size}", done, total, "rounds"))
            )
            return _Made(found, found.packed_bytes, found.dense_bytes, time.monotonic() - began, len(rows))

        return _Plan(f"trees {size}", "trees", asdict(chosen), fit)

    def _net_plan(self, size: str) -> _Plan:
        from kr.studies.endings.settings import EndnetFitSettings
        from kr.studies.endings.training import fit_endnet

        chosen = EndnetFitSettings(
            samples=self.settings.samples, out=self.settings.out / "rivals" / f"net {size}.h5", hidden=NET_UNITS[size],
            limit=self.settings.limit, epochs=self.settings.epochs, seed=self.settings.seed,
        )  # fmt: skip

        def on_progress(progress: FitProgress) -> None:
            self._tell(RivalProgress(f"net {size}", progress.done, progress.total, "positions"))

        def fit() -> _Made:
            model = fit_endnet(chosen, on_progress)
            stored = WEIGHT_BYTES * model.weights
            return _Made(model, stored, stored, model.curve[-1]["seconds"], model.report["training_positions"])

        return _Plan(f"net {size}", "nets", chosen.shaping(), fit)

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

    def _judged(self, plan: _Plan, made: _Made) -> RivalRow:
        """Ask about the test positions and count."""
        if self._test is None:
            self._test = self._share("test", self.settings.tested, quiet=False)
        test = self._test
        asker = Asker(made.rival.predict, "quiet")
        said = np.empty((len(test), 3), dtype=np.float32)
        for first in range(0, len(test), ASKED_ROWS):
            part = slice(first, first + ASKED_ROWS)
            said[part] = asker.ask(test.boards[part], "rules")
            self._tell(RivalProgress(f"test {plan.name}", min(part.stop, len(test)), len(test), "positions"))
        right = said.argmax(axis=1) == test.values
        quiet = ~_core.pending_captures(test.boards)
        told = said[quiet, test.values[quiet]] * (1 - LEAST_PROBABILITY) + LEAST_PROBABILITY / 3
        share = float(quiet.mean())
        wrong = 1 - float(right[quiet].mean()) if quiet.any() else 0.0
        exact = plan.rival == "exact"
        return RivalRow(
            name=plan.name, rival=plan.rival, bytes=made.bytes, dense_bytes=made.dense_bytes,
            training_positions=made.positions, tested=len(test), accuracy=float(right.mean()),
            error=binomial_error(int(right.sum()), len(test)), quiet_accuracy=1 - wrong,
            coded_bits=0.0 if exact or not quiet.any() else share * float(-np.log2(told).mean()),
            listed_bits=share * error_list_bits(wrong), stored_bits=8 * made.bytes / position_count(self._pieces),
            seconds=round(made.seconds, 1), memory=_peak(),
        )  # fmt: skip


def error_list_bits(wrong: float) -> float:
    """Bits a position of a list of errors: which positions, and which of the two other values. wrong: their share."""
    if not 0 < wrong < 1:
        return wrong
    return -wrong * math.log2(wrong) - (1 - wrong) * math.log2(1 - wrong) + wrong


def _forget_peak() -> None:
    """Begin to measure the peak of memory anew, where the system can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """Most bytes of memory of this process, since `_forget_peak` where the system can tell."""
    with suppress(OSError, ValueError, IndexError):
        told = Path("/proc/self/status").read_text().split("VmHWM:")[1]
        return int(told.split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


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
