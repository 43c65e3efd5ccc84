"""The loss of one fitting problem, kings or no kings on the board, and its gradient, over integer region indices.

logit = sum over regions of the entry's weight + men * man + kings * king + move, each weight interpolated between
opening and ending by the number of pieces; the prediction is sigmoid(logit). Only entries that occur in training are
parameters. The loss is summed over the samples, so that lambda of the L2 term counts samples:

    total = sum_i count_i * loss(logit_i, target_i) + lambda / 2 * sum of squared table weights

Material is not penalised. The optimiser sees every weight divided by its scale 1 / sqrt(its share of the curvature +
lambda): entries occur once or ten million times, and without this the rare ones would hardly move.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kr import _core
from kr.lab.dataset import Samples
from kr.patterns import (
    KINGS_BASE,
    KINGS_ENTRIES,
    MAX_PIECES,
    MEN_BASE,
    MEN_ENTRIES,
    PHASES,
    SQUARES,
    Layout,
)

LOSSES = ("ce", "mse")
"""Cross entropy, squared error: in the core's order."""

MATERIAL_START = np.array([[1.0, 1.0], [1.5, 1.5], [0.0, 0.0]])
"""Logits of a man, a king and having the move to begin with."""

BLOCK = 1 << 16
"""Samples in one piece of work. It fixes the order of summation, so that results don't depend on the workers."""


@dataclass(frozen=True, eq=False)
class Entries:
    """The table entries that occur in training, ranked within each region by how often, the most frequent first.

    A region has one slot more than entries that occur: the last stands for all others, whose weight is always 0.
    """

    regions: tuple[tuple[int, ...], ...]
    base: int
    table_size: int
    indices: tuple[NDArray[np.uint32], ...]
    """For each region the table index of every rank."""
    seen: tuple[NDArray[np.int64], ...]
    """For each region how many training positions each rank occurs in."""
    starts: NDArray[np.int64]
    """(regions + 1,) first slot of each region among all slots, and their number."""

    @property
    def slots(self) -> int:
        return int(self.starts[-1])

    @property
    def occurring(self) -> int:
        """Entries that occur, over all regions."""
        return self.slots - len(self.regions)


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
    """0..n in pieces of BLOCK."""
    return [(first, min(first + BLOCK, n)) for first in range(0, n, BLOCK)]


def table_ids(
    samples: Samples, regions: tuple[tuple[int, ...], ...], base: int, pool: ThreadPoolExecutor
) -> NDArray[np.uint32]:
    """(regions, n) table indices of samples."""
    ids = np.empty((len(regions), len(samples)), dtype=np.uint32)
    digits = byte_digits(regions, base)
    list(pool.map(lambda b: _core.region_ids(samples.boards, digits, ids, *b), blocks(len(samples))))
    return ids


def ranked(samples: Samples, layout: Layout, kings: bool, pool: ThreadPoolExecutor) -> tuple[Entries, Inputs]:
    """The entries that occur in training samples, and the samples in terms of them."""
    regions, base, size = (layout.kings, KINGS_BASE, KINGS_ENTRIES) if kings else (layout.men, MEN_BASE, MEN_ENTRIES)
    ids = table_ids(samples, regions, base, pool)

    def rank(r: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        seen = np.zeros(size, dtype=np.int64)
        _core.count_ids(ids[r], samples.count, seen)
        occurring = np.flatnonzero(seen)
        order = occurring[np.argsort(-seen[occurring], kind="stable")]
        _core.rank_ids(ids[r], _ranks(order, size))
        return order.astype(np.uint32), seen[order]

    indices, seen = zip(*pool.map(rank, range(len(regions))), strict=True)
    starts = np.cumsum([0] + [len(i) + 1 for i in indices], dtype=np.int64)
    return Entries(regions, base, size, indices, seen, starts), _inputs(samples, ids)


def encoded(samples: Samples, entries: Entries, pool: ThreadPoolExecutor) -> Inputs:
    """Other samples in terms of the entries that occur in training."""
    ids = table_ids(samples, entries.regions, entries.base, pool)

    def rank(r: int) -> None:
        _core.rank_ids(ids[r], _ranks(entries.indices[r], entries.table_size))

    list(pool.map(rank, range(len(entries.regions))))
    return _inputs(samples, ids)


def _ranks(order: NDArray[np.integer], size: int) -> NDArray[np.uint32]:
    """For each table index its rank, or the slot of the entries that do not occur."""
    ranks = np.full(size, len(order), dtype=np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    return ranks


def _inputs(samples: Samples, ids: NDArray[np.uint32]) -> Inputs:
    return Inputs(ids, samples.pieces, samples.material, samples.count, samples.target)


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights in logits."""

    table: NDArray[np.float32]
    """(slots, 2) opening, ending."""
    material: NDArray[np.float64]
    """(3, 2): a man, a king, having the move."""


@dataclass(frozen=True, eq=False)
class Problem:
    """One of the two fitting problems with its solution."""

    kings: bool
    entries: Entries
    training: Samples
    held_out: Samples
    training_logits: NDArray[np.float32]
    held_out_logits: NDArray[np.float32]
    solution: Solution
    history: NDArray[np.float64]


class Objective:
    """Total loss and gradient as functions of one vector of scaled parameters: the slots' weights, then material."""

    def __init__(self, inputs: Inputs, entries: Entries, loss: str, l2: float, pool: ThreadPoolExecutor) -> None:
        self._inputs, self._entries, self._pool = inputs, entries, pool
        self._kind, self._l2 = LOSSES.index(loss), l2
        self._logits = np.empty(len(inputs), dtype=np.float32)
        self._slopes = np.empty(len(inputs), dtype=np.float32)
        # the highest curvature of a sample: 1/4 for cross entropy, 1/8 for the squared error
        steepest = 0.25 if loss == "ce" else 0.125
        curvature = np.concatenate([self._table_curvature().ravel(), self._material_curvature().ravel()])
        stiffness = steepest * curvature + np.where(np.arange(len(curvature)) < self._material_at, l2, 0)
        self._scale = 1 / np.sqrt(np.where(curvature > 0, stiffness, np.inf))

    def penalty(self, x: NDArray[np.float64]) -> float:
        """The L2 term at parameters (size,)."""
        table = x[: self._material_at] * self._scale[: self._material_at]
        return self._l2 / 2 * float(table @ table)

    @property
    def _material_at(self) -> int:
        return PHASES * self._entries.slots

    @property
    def size(self) -> int:
        """Length of the parameter vector."""
        return self._material_at + MATERIAL_START.size

    def start(self) -> NDArray[np.float64]:
        """The parameters to begin with: tables 0, material at its usual worth."""
        weights = np.zeros(self.size)
        weights[self._material_at :] = MATERIAL_START.ravel()
        return self.scaled(weights)

    def scaled(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Parameters of weights in logits, (size,). Weights that no sample feels become 0."""
        return np.divide(weights, self._scale, out=np.zeros_like(weights), where=self._scale > 0)

    def solution(self, x: NDArray[np.float64]) -> Solution:
        """The weights of parameters (size,)."""
        weights = x * self._scale
        table = weights[: self._material_at].astype(np.float32).reshape(-1, PHASES)
        return Solution(table, weights[self._material_at :].reshape(-1, PHASES))

    def __call__(self, x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Total loss, the penalty included, and its gradient (size,)."""
        solution = self.solution(x)
        material_gradient = np.zeros_like(solution.material)
        loss = forward(
            self._inputs, self._entries, solution, self._kind, self._pool, self._logits, self._slopes, material_gradient
        )
        table_gradient = self._by_region(
            lambda r, out: _core.region_gradient(self._inputs.ids[r], self._slopes, self._inputs.pieces, out)
        )
        table = x[: self._material_at] * self._scale[: self._material_at]
        gradient = np.concatenate([table_gradient.ravel() + self._l2 * table, material_gradient.ravel()])
        return loss + self.penalty(x), gradient * self._scale

    def _by_region(self, work: Callable[[int, NDArray[np.float64]], None]) -> NDArray[np.float64]:
        """A (slots, 2) array filled by work(region, its rows), one thread a region. Unused slots stay 0."""
        out = np.zeros((self._entries.slots, PHASES))
        starts = self._entries.starts
        list(self._pool.map(lambda r: work(r, out[starts[r] : starts[r + 1]]), range(len(starts) - 1)))
        return out

    def _table_curvature(self) -> NDArray[np.float64]:
        data = self._inputs
        return self._by_region(lambda r, out: _core.region_curvature(data.ids[r], data.count, data.pieces, out))

    def _material_curvature(self) -> NDArray[np.float64]:
        data = self._inputs
        total = np.zeros(MATERIAL_START.shape)
        for first, last in blocks(len(data)):
            opening = data.pieces[first:last] / MAX_PIECES
            shares = np.stack([opening, 1 - opening], axis=1) ** 2
            differences = data.material[first:last].astype(float)
            terms = np.concatenate([differences, np.ones((last - first, 1))], axis=1) ** 2
            total += (terms * data.count[first:last, None]).T @ shares
        return total


def forward(
    inputs: Inputs,
    entries: Entries,
    solution: Solution,
    kind: int,
    pool: ThreadPoolExecutor,
    logits: NDArray[np.float32],
    slopes: NDArray[np.float32],
    material_gradient: NDArray[np.float64],
) -> float:
    """Write logits and slopes (n,) of samples, add to material_gradient (3, 2), and return the summed loss."""

    def work(block: tuple[int, int]) -> tuple[float, NDArray[np.float64]]:
        gradient = np.zeros_like(solution.material)
        loss = _core.logits_and_slopes(
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
    inputs: Inputs, entries: Entries, solution: Solution, loss: str, pool: ThreadPoolExecutor
) -> tuple[NDArray[np.float32], float]:
    """Logits (n,) of samples and their mean loss (0 for no samples)."""
    logits, slopes = (np.empty(len(inputs), dtype=np.float32) for _ in range(2))
    unused = np.zeros_like(solution.material)
    total = forward(inputs, entries, solution, LOSSES.index(loss), pool, logits, slopes, unused)
    return logits, total / max(1, int(inputs.count.sum(dtype=np.int64)))
