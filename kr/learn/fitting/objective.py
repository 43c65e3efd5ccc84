"""The loss of one group of regions, with or without kings on the board, and its gradient, over integer region indices.

logit = sum over regions of the entry's weight + men * man + kings * king + move, each weight interpolated between
opening and ending by the number of pieces; the prediction is sigmoid(logit). An entry's weight is its own plus those of
its parts (`kr.evaluation.parts`), which are parameters as well; as every part is added into one region only, the passes
over the samples know nothing of them. Entries that occur neither in training nor before have no weight of their own.

The loss is summed over the samples, so that lambda of the L2 terms counts samples; a fit that starts from earlier
tables is drawn to their weights, any other to 0:

    total = sum_i count_i * loss(logit_i, target_i) + lambda / 2 * sum of (own weight - earlier)^2, and so for the parts

Material is not penalised. The optimiser sees the change of every weight divided by its scale 1 / sqrt(its share of the
curvature + lambda): entries occur once or ten million times, and without this the rare ones would hardly move.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kr import _learn
from kr.errors import InvalidSettingError
from kr.evaluation.parts import Part, Windows
from kr.evaluation.patterns import MAX_BOARD_PIECES, PHASES
from kr.learn.fitting.dataset import Samples, logistic_slope
from kr.notation import SQUARES

LOSSES = ("ce", "mse")
"""Cross entropy, squared error: in the core's order."""

MATERIAL_START = np.array([[1.0, 1.0], [1.5, 1.5], [0.0, 0.0]])
"""Logits of a man, a king and having the move to begin with."""

PRIOR_STEPS = 100
"""Steps in a logit by which earlier tables are scaled to new games."""

SAMPLE_BLOCK = 1 << 16
"""Samples in one piece of work. It fixes the order of summation, so that results don't depend on the workers."""


@dataclass(frozen=True, eq=False)
class Entries:
    """The table entries that have weights of their own, ranked within each region by how often they occur in training.

    They are those that occur in training or held out, and those of earlier tables.
    """

    windows: Windows
    indices: tuple[NDArray[np.uint32], ...]
    """For each region the table index of every rank."""
    seen: tuple[NDArray[np.int64], ...]
    """For each region how many training positions each rank occurs in."""
    starts: NDArray[np.int64]
    """(regions + 1,) first slot of each region among all slots, and their number."""

    @property
    def slots(self) -> int:
        return int(self.starts[-1])


@dataclass(frozen=True, eq=False)
class Inputs:
    """Samples as the core's kernels read them."""

    ids: NDArray[np.uint32]
    """(regions, n) rank of the entry, within its region."""
    pieces: NDArray[np.uint8]
    material: NDArray[np.int8]
    """(n, 2) men and kings, own minus opponent's."""
    count: NDArray[np.uint32]
    target: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.pieces)


def byte_digits(regions: tuple[tuple[int, ...], ...], base: int) -> NDArray[np.uint32]:
    """(regions, 4, 256): the sum of base^i over a region's squares set in each byte of a bitboard."""
    out = np.zeros((len(regions), SQUARES // 8, 256), dtype=np.uint32)
    bits = np.arange(256)
    for r, region in enumerate(regions):
        for i, s in enumerate(region):
            out[r, s // 8] += (base**i * (bits >> s % 8 & 1)).astype(np.uint32)
    return out


def blocks(n: int) -> list[tuple[int, int]]:
    """0..n in pieces of SAMPLE_BLOCK."""
    return [(first, min(first + SAMPLE_BLOCK, n)) for first in range(0, n, SAMPLE_BLOCK)]


def table_ids(
    samples: Samples, regions: tuple[tuple[int, ...], ...], base: int, pool: ThreadPoolExecutor
) -> NDArray[np.uint32]:
    """(regions, n) table indices of samples."""
    ids = np.empty((len(regions), len(samples)), dtype=np.uint32)
    digits = byte_digits(regions, base)
    list(pool.map(lambda b: _learn.region_ids(samples.boards, digits, ids, *b), blocks(len(samples))))
    return ids


def ranked(
    training: Samples, held_out: Samples, windows: Windows, pool: ThreadPoolExecutor, prior: Prior | None = None
) -> tuple[Entries, Inputs, Inputs]:
    """The entries with weights of their own, and the samples of both sets in terms of them."""
    ids, held_ids = (table_ids(samples, windows.regions, windows.base, pool) for samples in (training, held_out))

    def rank(r: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        seen, known = (np.zeros(windows.table_size, dtype=np.int64) for _ in range(2))
        _learn.count_ids(ids[r], training.count, seen)
        _learn.count_ids(held_ids[r], held_out.count, known)
        known += seen
        if prior:
            known += prior.own[r].any(axis=1)
        occurring = np.flatnonzero(known)
        order = occurring[np.argsort(-seen[occurring], kind="stable")]
        ranks = np.zeros(windows.table_size, dtype=np.uint32)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        _learn.rank_ids(ids[r], ranks)
        _learn.rank_ids(held_ids[r], ranks)
        return order.astype(np.uint32), seen[order]

    indices, seen = zip(*pool.map(rank, range(len(windows.regions))), strict=True)
    starts = np.cumsum([0] + [len(i) for i in indices], dtype=np.int64)
    return Entries(windows, indices, seen, starts), _inputs(training, ids), _inputs(held_out, held_ids)


def _inputs(samples: Samples, ids: NDArray[np.uint32]) -> Inputs:
    return Inputs(ids, samples.pieces, samples.material, samples.count, samples.target)


@dataclass(frozen=True, eq=False)
class Prior:
    """Earlier tables of a group, to start from and to be drawn to."""

    own: NDArray[np.int16]
    """(regions, entries, 2) in table units, without parts."""
    parts: NDArray[np.int16]
    """(rows, 2) in table units."""
    material: NDArray[np.int32]
    """(3, 2) in table units."""
    logit: float
    """Table units in a logit."""

    def weights(self, entries: Entries) -> NDArray[np.float64]:
        """The weights of an objective, in logits."""
        own = [self.own[r, indices].ravel() for r, indices in enumerate(entries.indices)]
        return np.concatenate([*own, self.parts.ravel(), self.material.ravel()]) / self.logit


@dataclass(frozen=True, eq=False)
class FittedWeights:
    """Weights in logits."""

    table: NDArray[np.float32]
    """(slots, 2) opening, ending, of whole entries."""
    parts: NDArray[np.float32]
    """(rows, 2) of the parts, which the table contains."""
    material: NDArray[np.float64]
    """(3, 2): a man, a king, having the move."""


@dataclass(frozen=True, eq=False)
class FittedGroup:
    """One of the two groups of regions with its fitted weights."""

    kings: bool
    entries: Entries
    training: Samples
    held_out: Samples
    training_logits: NDArray[np.float32]
    held_out_logits: NDArray[np.float32]
    solution: FittedWeights
    history: NDArray[np.float64]
    prior_scale: float | None
    """Factor of the weights of earlier tables; None without them."""


class Objective:
    """Total loss and gradient as functions of one vector of parameters, which is 0 to begin with.

    They are the scaled changes of the slots' own weights, of the parts' weights and of material.
    """

    def __init__(
        self,
        inputs: Inputs,
        entries: Entries,
        loss: str,
        l2: float,
        l2_parts: float,
        pool: ThreadPoolExecutor,
        prior: Prior | None = None,
    ) -> None:
        self.entries, self._inputs, self._pool = entries, inputs, pool
        self._kind = LOSSES.index(loss)
        self._logits = np.empty(len(inputs), dtype=np.float32)
        self._slopes = np.empty(len(inputs), dtype=np.float32)
        self._parts_at = PHASES * entries.slots
        self._material_at = self._parts_at + PHASES * entries.windows.starts[-1]
        # which entry of each part in a region every slot of the region shows
        self._shown = {
            i: entries.windows.indices(part, entries.indices[part.home]).astype(np.int32)
            for i, part in enumerate(entries.windows.parts)
            if part.home < len(entries.indices)
        }
        self._l2 = np.zeros(self.size)
        self._l2[: self._parts_at], self._l2[self._parts_at : self._material_at] = l2, l2_parts
        # the highest curvature of a sample: 1/4 for cross entropy, 1/8 for the squared error
        steepest = 0.25 if loss == "ce" else 0.125
        own = self._table_curvature()
        curvature = np.concatenate([own.ravel(), self._of_parts(own).ravel(), self._material_curvature().ravel()])
        self._scale = 1 / np.sqrt(np.where(curvature > 0, steepest * curvature + self._l2, np.inf))
        self.prior_scale: float | None = None
        self._start = np.zeros(self.size)
        self._start[self._material_at :] = MATERIAL_START.ravel()
        if prior:
            self._start = prior.weights(entries)
            self.prior_scale = self._fitting_scale()
            self._start *= self.prior_scale

    def _fitting_scale(self) -> float:
        """Factor by which the logits of the earlier weights fit the targets best.

        The scores of another generation stand for other winning chances.
        """
        inputs, solution = self._inputs, self.solution(np.zeros(self.size))
        unused = np.zeros_like(solution.material)
        forward(inputs, self.entries, solution, self._kind, self._pool, self._logits, self._slopes, unused)
        steps = np.clip(np.rint(self._logits * PRIOR_STEPS), -20 * PRIOR_STEPS, 20 * PRIOR_STEPS).astype(np.int64)
        steps += 20 * PRIOR_STEPS
        count, points = (
            np.bincount(steps, each, minlength=40 * PRIOR_STEPS + 1).astype(np.float64)
            for each in (inputs.count, inputs.count * inputs.target)
        )
        slope = logistic_slope(np.arange(-20, 20 + 0.5 / PRIOR_STEPS, 1 / PRIOR_STEPS), count, points)
        if slope is None:
            raise InvalidSettingError("the prior does not predict the results of these games; fit without --prior")
        return slope

    def penalty(self, x: NDArray[np.float64]) -> float:
        """The L2 terms at parameters (size,)."""
        change = x * self._scale
        return float((self._l2 * change) @ change) / 2

    @property
    def size(self) -> int:
        """Length of the parameter vector."""
        return self._material_at + MATERIAL_START.size

    def solution(self, x: NDArray[np.float64]) -> FittedWeights:
        """The weights of parameters (size,)."""
        weights = self._start + x * self._scale
        table = weights[: self._parts_at].reshape(-1, PHASES)
        parts = weights[self._parts_at : self._material_at].reshape(-1, PHASES)
        totals = self.entries.windows.totals(parts)
        for i, shown in self._shown.items():
            table[self._rows(i)] += totals[i][shown]
        material = weights[self._material_at :].reshape(-1, PHASES)
        return FittedWeights(table.astype(np.float32), parts.astype(np.float32), material)

    def __call__(self, x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Total loss, the penalty included, and its gradient (size,)."""
        solution = self.solution(x)
        material_gradient = np.zeros_like(solution.material)
        loss = forward(
            self._inputs, self.entries, solution, self._kind, self._pool, self._logits, self._slopes, material_gradient
        )
        own = self._by_region(
            lambda r, out: _learn.region_gradient(self._inputs.ids[r], self._slopes, self._inputs.pieces, out)
        )
        gradient = np.concatenate([own.ravel(), self._of_parts(own).ravel(), material_gradient.ravel()])
        gradient += self._l2 * self._scale * x
        return loss + self.penalty(x), gradient * self._scale

    def _rows(self, i: int) -> slice:
        """The slots of the region that is part i's home."""
        home = self.entries.windows.parts[i].home
        return slice(self.entries.starts[home], self.entries.starts[home + 1])

    def _of_parts(self, own: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over the slots (slots, 2) that show each entry of the parts, (rows, 2)."""

        def from_region(i: int, part: Part) -> NDArray[np.float64]:
            size = self.entries.windows.base ** len(part.squares)
            columns = own[self._rows(i)].T
            return np.stack([np.bincount(self._shown[i], column, minlength=size) for column in columns], axis=1)

        return np.concatenate([np.zeros((0, PHASES)), *self.entries.windows.gathered(from_region)])

    def _by_region(self, work: Callable[[int, NDArray[np.float64]], None]) -> NDArray[np.float64]:
        """A (slots, 2) array filled by work(region, its rows), one thread a region."""
        out = np.zeros((self.entries.slots, PHASES))
        starts = self.entries.starts
        list(self._pool.map(lambda r: work(r, out[starts[r] : starts[r + 1]]), range(len(starts) - 1)))
        return out

    def _table_curvature(self) -> NDArray[np.float64]:
        data = self._inputs
        return self._by_region(lambda r, out: _learn.region_curvature(data.ids[r], data.count, data.pieces, out))

    def _material_curvature(self) -> NDArray[np.float64]:
        data = self._inputs
        total = np.zeros(MATERIAL_START.shape)
        for first, last in blocks(len(data)):
            opening = data.pieces[first:last] / MAX_BOARD_PIECES
            shares = np.stack([opening, 1 - opening], axis=1) ** 2
            differences = data.material[first:last].astype(float)
            terms = np.concatenate([differences, np.ones((last - first, 1))], axis=1) ** 2
            total += (terms * data.count[first:last, None]).T @ shares
        return total


def forward(
    inputs: Inputs,
    entries: Entries,
    solution: FittedWeights,
    kind: int,
    pool: ThreadPoolExecutor,
    logits: NDArray[np.float32],
    slopes: NDArray[np.float32],
    material_gradient: NDArray[np.float64],
) -> float:
    """Write logits and slopes (n,) of samples, add to material_gradient (3, 2), and return the summed loss."""

    def work(block: tuple[int, int]) -> tuple[float, NDArray[np.float64]]:
        gradient = np.zeros_like(solution.material)
        loss = _learn.logits_and_slopes(
            inputs.ids, entries.starts, solution.table, inputs.pieces, inputs.material, solution.material,
            inputs.target, inputs.count, kind, logits, slopes, gradient, *block,
        )  # fmt: skip
        return loss, gradient

    total = 0.0
    for loss, gradient in pool.map(work, blocks(len(inputs))):
        total += loss
        material_gradient += gradient
    return total


def predict(
    inputs: Inputs, entries: Entries, solution: FittedWeights, loss: str, pool: ThreadPoolExecutor
) -> tuple[NDArray[np.float32], float]:
    """Logits (n,) of samples and their mean loss (0 for no samples)."""
    logits, slopes = (np.empty(len(inputs), dtype=np.float32) for _ in range(2))
    unused = np.zeros_like(solution.material)
    total = forward(inputs, entries, solution, LOSSES.index(loss), pool, logits, slopes, unused)
    return logits, total / max(1, int(inputs.count.sum(dtype=np.int64)))
