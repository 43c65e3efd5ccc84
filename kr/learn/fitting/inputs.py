"""Samples as the kernels of a fit read them: the table entries they show, and passes over all of them.

logit = sum over regions of the entry's weight + men * man + kings * king + move, each weight interpolated between
opening and ending by the number of pieces; the prediction is sigmoid(logit).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kr import _learn
from kr.evaluation.parts import Windows
from kr.evaluation.patterns import PHASES
from kr.learn.fitting.dataset import Samples
from kr.notation import SQUARES

LOSSES = ("ce", "mse")
"""Cross entropy, squared error: in the core's order."""
MATERIAL_WEIGHTS = (3, PHASES)
"""Shape of the weights of material: a man, a king, having the move; opening and ending."""

SAMPLE_BLOCK = 1 << 16
"""Samples in one piece of work. It fixes the order of summation, so that results don't depend on the workers."""


@dataclass(frozen=True, eq=False)
class Entries:
    """The table entries that have weights of their own, ranked within each region by their counts in training.

    They are those that occur in training or held out, and those of earlier tables.
    """

    windows: Windows
    indices: tuple[NDArray[np.uint32], ...]
    """For each region the table index of every rank."""
    seen: tuple[NDArray[np.int64], ...]
    """For each region the number of training positions of each rank."""
    starts: NDArray[np.int64]
    """(regions + 1,) first slot of each region among all slots, and their number."""

    @property
    def slots(self) -> int:
        """Number of all entries."""
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
        seen, held_counts = (np.zeros(windows.table_size, dtype=np.int64) for _ in range(2))
        _learn.count_ids(ids[r], training.count, seen)
        _learn.count_ids(held_ids[r], held_out.count, held_counts)
        order = ranked_entries(seen, held_counts, prior, r)
        for each in (ids[r], held_ids[r]):
            _learn.rank_ids(each, ranks_of(order, windows.table_size))
        return order, seen[order]

    indices, seen = zip(*pool.map(rank, range(len(windows.regions))), strict=True)
    return entries_of(windows, indices, seen), inputs_of(training, ids), inputs_of(held_out, held_ids)


def ranked_entries(
    seen: NDArray[np.int64], held_out: NDArray[np.int64], prior: Prior | None, region: int
) -> NDArray[np.uint32]:
    """Table indices of a region that have weights of their own, those seen most often first.

    seen, held_out (entries,): counts of each in training and held out.
    """
    counts = seen + held_out
    if prior:
        counts += prior.own[region].any(axis=1)
    occurring = np.flatnonzero(counts)
    return occurring[np.argsort(-seen[occurring], kind="stable")].astype(np.uint32)


def ranks_of(order: NDArray[np.uint32], size: int) -> NDArray[np.uint32]:
    """(size,) rank of each table index of a region; 0 for those without."""
    ranks = np.zeros(size, dtype=np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    return ranks


def entries_of(windows: Windows, indices: Sequence[NDArray[np.uint32]], seen: Sequence[NDArray[np.int64]]) -> Entries:
    """Entries from the table indices of each region in order, and the count of each."""
    starts = np.cumsum([0] + [len(i) for i in indices], dtype=np.int64)
    return Entries(windows, tuple(indices), tuple(seen), starts)


def inputs_of(samples: Samples, ids: NDArray[np.uint32]) -> Inputs:
    """Samples with the ranks of their entries (regions, n)."""
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
