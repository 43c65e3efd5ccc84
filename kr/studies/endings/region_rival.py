"""Region tables as a rival of networks: fitted by the kernels of `kr fit` to the same positions.

Two logistic regressions make an ordinal model: P(not lost) and P(won). Each adds up the entries of its regions and
material, interpolated by the number of pieces, from the fewest to the most in the positions learned from. Entries that
few positions show share one weight a region, so that the tables fit the bytes they may have; weights are whole numbers
of 1/32 logit in 8 bits, and it is these that answer.

Measured with 1.3 million quiet positions of 2 to 6 pieces, asked by the rules about 100,000, within 1 MB: the windows
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
"""Of an entry that is kept: four weights and where it stands, packed. It decides how many are kept."""
LEAST_SEEN = 2
"""Positions that must show an entry with weights of its own."""
GRADIENT_PAIRS = 10
"""Pairs of steps and gradients that L-BFGS keeps."""


@dataclass(frozen=True)
class RegionSettings:
    """Form of the tables, and how they are fitted."""

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
    """Of the two regressions, rounded."""


@dataclass(frozen=True, eq=False)
class RegionRival:
    """Fitted tables."""

    settings: RegionSettings
    pieces: tuple[int, int]
    """Fewest and most pieces of the positions learned from."""
    groups: dict[bool, RegionGroup]
    """Tables without (False) and with (True) a king on the board."""
    shares: NDArray[np.float32]
    """(3,) of losses, draws and wins in training: the answer where no such position was learned from."""

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
        found = np.tile(self.shares, (len(boards), 1))
        with ThreadPoolExecutor(1) as pool:
            for kings, rows, samples in _grouped(boards):
                if group := self.groups.get(kings):
                    ids = _table_ids(samples.boards, group.entries.windows)
                    for region, indices in zip(ids, group.entries.indices, strict=True):
                        place = np.searchsorted(indices, region)
                        inside = np.minimum(place, max(len(indices) - 1, 0))
                        known = indices[inside] == region if len(indices) else np.zeros(len(region), dtype=bool)
                        region[:] = np.where(known, place, len(indices))
                    inputs = _inputs(samples, ids, self.pieces, samples.target)
                    not_lost, won = (
                        1 / (1 + np.exp(-predict(inputs, group.entries, solution, "ce", pool)[0]))
                        for solution in group.solutions
                    )
                    found[rows] = _ordinal(not_lost, won)
        return found


def fit_regions(rows: SampleRows, settings: RegionSettings) -> RegionRival:
    """Fit tables to positions, Black to move. Raises InvalidSettingError if there are none."""
    if not len(rows):
        raise InvalidSettingError("no positions to fit tables to")
    values = rows.values
    counts = np.bitwise_count(rows.boards[:, 0] | rows.boards[:, 1])
    pieces = int(counts.min()), int(counts.max())
    parts = list(_grouped(rows.boards))
    least = _least_seen(parts, settings)
    groups = {}
    with ThreadPoolExecutor(1) as pool:
        for kings, chosen, samples in parts:
            windows = settings.windows(kings)
            ids = _table_ids(samples.boards, windows)
            entries = _ranked(ids, samples, windows, least)
            solutions = [
                _fitted(
                    _inputs(samples, ids, pieces, (values[chosen] >= at).astype(np.float32)), entries, settings, pool
                )
                for at in LEAST_VALUES
            ]
            groups[kings] = RegionGroup(entries, (solutions[0], solutions[1]))
    shares = np.bincount(values, minlength=3) / len(values)
    return RegionRival(settings, pieces, groups, shares.astype(np.float32))


def _ordinal(not_lost: NDArray[Any], won: NDArray[Any]) -> NDArray[np.float32]:
    """Probabilities of three values; two regressions may contradict each other, then none is a draw."""
    found = np.stack([1 - not_lost, np.maximum(not_lost - won, 1e-4), won], axis=1)
    shares: NDArray[np.float32] = (found / found.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def _grouped(boards: NDArray[np.uint32]) -> Iterator[tuple[bool, NDArray[np.int64], Samples]]:
    """Positions without and with kings, if there are any: row numbers, samples."""
    frames = mover_frame(np.column_stack([boards, np.zeros(len(boards), dtype=np.uint32)]))
    crowned = frames[:, 2:].any(axis=1)
    for kings in (False, True):
        rows = np.flatnonzero(crowned == kings)
        if len(rows):
            none = np.zeros(len(rows), dtype=np.float32)
            chosen = np.ascontiguousarray(frames[rows])
            yield kings, rows, Samples(chosen, np.ones(len(rows), dtype=np.uint32), none, none)


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
    """How often an entry must be seen so that all such entries fit the budget."""
    often = []
    for kings, _, samples in parts:
        windows = settings.windows(kings)
        for region, ids in zip(windows.regions, _table_ids(samples.boards, windows), strict=True):
            seen = _seen(ids, samples, windows.base ** len(region))
            often.append(seen[seen >= LEAST_SEEN])
    seen = np.sort(np.concatenate(often))[::-1]
    most = max(settings.budget // BYTES_PER_ENTRY, 1)
    return int(seen[most]) + 1 if len(seen) > most else LEAST_SEEN


def _seen(ids: NDArray[np.uint32], samples: Samples, size: int) -> NDArray[np.int64]:
    seen = np.zeros(size, dtype=np.int64)
    _learn.count_ids(ids, samples.count, seen)
    return seen


def _ranked(ids: NDArray[np.uint32], samples: Samples, windows: Windows, least: int) -> Entries:
    """The entries seen often enough; table indices become places among them."""
    indices = []
    for region, region_ids in zip(windows.regions, ids, strict=True):
        size = windows.base ** len(region)
        kept = np.flatnonzero(_seen(region_ids, samples, size) >= least).astype(np.uint32)
        ranks = np.full(size, len(kept), dtype=np.uint32)
        ranks[kept] = np.arange(len(kept), dtype=np.uint32)
        _learn.rank_ids(region_ids, ranks)
        indices.append(kept)
    starts = np.cumsum([0] + [len(kept) + 1 for kept in indices], dtype=np.int64)
    return Entries(windows, tuple(indices), (), starts)


def _fitted(inputs: Inputs, entries: Entries, settings: RegionSettings, pool: ThreadPoolExecutor) -> FittedWeights:
    """Weights of one regression, rounded."""
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    objective = Objective(InputSums(inputs, entries, "ce", pool), settings.l2, settings.l2)
    options = {"maxiter": settings.iterations, "maxcor": GRADIENT_PAIRS, "ftol": 1e-7, "gtol": 0.0}
    with threadpool_limits(limits=1, user_api="blas"):
        found = minimize(objective, np.zeros(objective.size), jac=True, method="L-BFGS-B", options=options)
    weights = objective.solution(found.x)
    table = np.clip(np.rint(weights.table / WEIGHT_STEP), -WEIGHT_LIMIT, WEIGHT_LIMIT) * WEIGHT_STEP
    return FittedWeights(table.astype(np.float32), weights.parts, weights.material.astype(np.float32).astype(float))
