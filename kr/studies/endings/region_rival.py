"""Region tables as a rival of networks: fitted by the kernels of `kr fit` to the same positions.

Two logistic regressions make an ordinal model: P(not lost) and P(won). Each adds up the entries of its regions and
material, interpolated by the number of pieces, from the fewest to the most in the positions learned from. Entries that
few positions show share one weight a region, so that the tables fit the bytes they may have; weights are rounded to
whole numbers of 1/32 logit in 8 bits, also for the answers.

Measured with 1.3 million quiet positions of 2 to 6 pieces, tested by the rules on 100,000, within 1 MB: the windows
of kr's default layout 96.55% right; all pairs of rows of the board, which see every pair of pieces, 96.13%, and both
together 96.50%; with tables of their own for each number of pieces of either side 95.94% instead of 96.13%. So the
default layout it is, with two groups of tables, as in play.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _learn
from kr.egdb.sample_reader import SampleRows
from kr.errors import InvalidSettingError
from kr.evaluation.layouts import DEFAULT_LAYOUT, Layout
from kr.evaluation.parts import Windows
from kr.evaluation.patterns import MAX_BOARD_PIECES, PHASES, mover_frame
from kr.learn.fitting.dataset import Samples
from kr.learn.fitting.inputs import Entries, FittedWeights, Inputs, blocks, byte_digits, predict
from kr.learn.fitting.objective import Objective
from kr.learn.fitting.sums import InputSums

WEIGHT_STEP = 1 / 32
"""Logits of a unit of a stored weight."""
WEIGHT_LIMIT = 127
LEAST_VALUES = (1, 2)
"""Least values of the two regressions: not lost, won."""
BYTES_PER_ENTRY = 2
"""Bytes of an entry: four weights and its place, packed. It decides the number of entries."""
LEAST_SEEN = 2
"""Positions that must show an entry with weights of its own."""
GRADIENT_PAIRS = 10
"""Pairs of steps and gradients that L-BFGS keeps."""


@dataclass(frozen=True)
class RegionSettings:
    """Form of the tables, and settings of the fit."""

    layout: Layout = DEFAULT_LAYOUT
    budget: int = 1_000_000
    """Bytes, packed, that they should have at most."""
    l2: float = 8.0
    """Penalty on the weights, in positions."""
    iterations: int = 80

    def windows(self, kings: bool) -> Windows:
        """The regions with or without a king on the board."""
        return Windows(*self.layout.group(kings))


@dataclass(frozen=True, eq=False)
class RegionGroup:
    """Tables of some positions."""

    entries: Entries
    """Those with weights of their own, in ascending order; the slot after the last of a region is for all others."""
    solutions: tuple[FittedWeights, FittedWeights]
    """Weights of the two regressions, rounded."""


@dataclass(frozen=True, eq=False)
class RegionRival:
    """Fitted tables."""

    settings: RegionSettings
    pieces: tuple[int, int]
    """Fewest and most pieces of the positions learned from."""
    groups: dict[bool, RegionGroup]
    """Tables without (False) and with (True) a king on the board."""
    shares: NDArray[np.float32]
    """(3,) of losses, draws and wins in training: the answer where training had no positions of that group."""

    @property
    def dense_bytes(self) -> int:
        """Bytes of whole tables, in 8 bits a weight."""
        entries = sum(
            group.entries.windows.base ** len(region)
            for group in self.groups.values()
            for region in group.entries.windows.regions
        )
        return entries * PHASES * len(LEAST_VALUES)

    @property
    def packed_bytes(self) -> int:
        """Bytes of the entries with weights of their own, compressed."""
        parts = [
            np.diff(indices, prepend=np.uint32(0)).astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes()
            for group in self.groups.values()
            for indices in group.entries.indices
        ]
        for group in self.groups.values():
            for solution in group.solutions:
                parts.append(np.rint(solution.table / WEIGHT_STEP).astype(np.int8).T.tobytes())
                parts.append(solution.material.astype("<f4").tobytes())
        return len(zlib.compress(b"".join(parts), 9))

    def predict(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Probabilities (n, 3) of loss, draw and win. boards: (n, 3) black, white, kings, Black to move."""
        probabilities = np.tile(self.shares, (len(boards), 1))
        with ThreadPoolExecutor(1) as pool:
            for kings, rows, samples in _grouped(boards):
                if group := self.groups.get(kings):
                    ids = _table_ids(samples.boards, group.entries.windows)
                    for region, indices in zip(ids, group.entries.indices, strict=True):
                        place = np.searchsorted(indices, region)
                        inside = np.minimum(place, max(len(indices) - 1, 0))
                        there = indices[inside] == region if len(indices) else np.zeros(len(region), dtype=bool)
                        region[:] = np.where(there, place, len(indices))
                    inputs = _inputs(samples, ids, self.pieces, samples.target)
                    not_lost, won = (
                        1 / (1 + np.exp(-predict(inputs, group.entries, solution, "ce", pool)[0]))
                        for solution in group.solutions
                    )
                    probabilities[rows] = _ordinal(not_lost, won)
        return probabilities


def fit_regions(rows: SampleRows, settings: RegionSettings) -> RegionRival:
    """Fit tables to positions, Black to move. Raises InvalidSettingError without positions."""
    if not len(rows):
        raise InvalidSettingError("no positions to fit tables to")
    values = rows.values
    counts = np.bitwise_count(rows.boards[:, 0] | rows.boards[:, 1])
    pieces = int(counts.min()), int(counts.max())
    parts = list(_grouped(rows.boards))
    least = _least_seen(parts, settings)
    groups = {}
    with ThreadPoolExecutor(1) as pool:
        for kings, own, samples in parts:
            windows = settings.windows(kings)
            ids = _table_ids(samples.boards, windows)
            entries = _ranked(ids, samples, windows, least)
            solutions = [
                _fitted(_inputs(samples, ids, pieces, (values[own] >= at).astype(np.float32)), entries, settings, pool)
                for at in LEAST_VALUES
            ]
            groups[kings] = RegionGroup(entries, (solutions[0], solutions[1]))
    shares = np.bincount(values, minlength=3) / len(values)
    return RegionRival(settings, pieces, groups, shares.astype(np.float32))


def _ordinal(not_lost: NDArray[Any], won: NDArray[Any]) -> NDArray[np.float32]:
    """Probabilities of three values; where the two regressions contradict each other, no draw is expected."""
    weights = np.stack([1 - not_lost, np.maximum(not_lost - won, 1e-4), won], axis=1)
    shares: NDArray[np.float32] = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def _grouped(boards: NDArray[np.uint32]) -> Iterator[tuple[bool, NDArray[np.int64], Samples]]:
    """Positions without and with kings, if there are any: row numbers, samples."""
    frames = mover_frame(np.column_stack([boards, np.zeros(len(boards), dtype=np.uint32)]))
    crowned = frames[:, 2:].any(axis=1)
    for kings in (False, True):
        rows = np.flatnonzero(crowned == kings)
        if len(rows):
            none = np.zeros(len(rows), dtype=np.float32)
            own_frames = np.ascontiguousarray(frames[rows])
            yield kings, rows, Samples(own_frames, np.ones(len(rows), dtype=np.uint32), none, none)


def _table_ids(boards: NDArray[np.uint32], windows: Windows) -> NDArray[np.uint32]:
    """(regions, n) table indices of positions in the mover's frame."""
    ids = np.empty((len(windows.regions), len(boards)), dtype=np.uint32)
    digits = byte_digits(windows.regions, windows.base)
    for block in blocks(len(boards)):
        _learn.region_ids(boards, digits, ids, *block)
    return ids


def _inputs(samples: Samples, ids: NDArray[np.uint32], pieces: tuple[int, int], target: NDArray[np.float32]) -> Inputs:
    """Inputs of the kernels, whose phase runs from the fewest to the most pieces."""
    fewest, most = pieces
    phase = (samples.pieces.astype(np.int64) - fewest) * MAX_BOARD_PIECES // max(most - fewest, 1)
    phase = np.clip(phase, 0, MAX_BOARD_PIECES)
    return Inputs(ids, phase.astype(np.uint8), samples.material, samples.count, target)


def _least_seen(parts: list[tuple[bool, NDArray[np.int64], Samples]], settings: RegionSettings) -> int:
    """Least number of times an entry occurs, so that all such entries fit the budget."""
    all_counts = []
    for kings, _, samples in parts:
        windows = settings.windows(kings)
        for region, ids in zip(windows.regions, _table_ids(samples.boards, windows), strict=True):
            counts = _counts(ids, samples, windows.base ** len(region))
            all_counts.append(counts[counts >= LEAST_SEEN])
    counts = np.sort(np.concatenate(all_counts))[::-1]
    most = max(settings.budget // BYTES_PER_ENTRY, 1)
    return int(counts[most]) + 1 if len(counts) > most else LEAST_SEEN


def _counts(ids: NDArray[np.uint32], samples: Samples, size: int) -> NDArray[np.int64]:
    counts = np.zeros(size, dtype=np.int64)
    _learn.count_ids(ids, samples.count, counts)
    return counts


def _ranked(ids: NDArray[np.uint32], samples: Samples, windows: Windows, least: int) -> Entries:
    """The entries that occur often enough; table indices become places among them."""
    indices = []
    for region, region_ids in zip(windows.regions, ids, strict=True):
        size = windows.base ** len(region)
        frequent = np.flatnonzero(_counts(region_ids, samples, size) >= least).astype(np.uint32)
        ranks = np.full(size, len(frequent), dtype=np.uint32)
        ranks[frequent] = np.arange(len(frequent), dtype=np.uint32)
        _learn.rank_ids(region_ids, ranks)
        indices.append(frequent)
    starts = np.cumsum([0] + [len(frequent) + 1 for frequent in indices], dtype=np.int64)
    return Entries(windows, tuple(indices), (), starts)


def _fitted(inputs: Inputs, entries: Entries, settings: RegionSettings, pool: ThreadPoolExecutor) -> FittedWeights:
    """Weights of one regression, rounded."""
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    objective = Objective(InputSums(inputs, entries, "ce", pool), settings.l2, settings.l2)
    options = {"maxiter": settings.iterations, "maxcor": GRADIENT_PAIRS, "ftol": 1e-7, "gtol": 0.0}
    with threadpool_limits(limits=1, user_api="blas"):
        result = minimize(objective, np.zeros(objective.size), jac=True, method="L-BFGS-B", options=options)
    weights = objective.solution(result.x)
    table = np.clip(np.rint(weights.table / WEIGHT_STEP), -WEIGHT_LIMIT, WEIGHT_LIMIT) * WEIGHT_STEP
    return FittedWeights(table.astype(np.float32), weights.parts, weights.material.astype(np.float32).astype(float))
