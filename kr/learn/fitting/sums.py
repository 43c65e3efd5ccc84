"""Sums over the samples of one group, which are all that a fit needs of them, wherever the samples are.

They add up: those of some samples and those of others make those of all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from kr import _learn
from kr.evaluation.patterns import MAX_BOARD_PIECES, PHASES
from kr.learn.fitting.dataset import Samples, logistic
from kr.learn.fitting.inputs import LOSSES, MATERIAL_WEIGHTS, Entries, FittedWeights, Inputs, blocks, forward, predict

PRIOR_STEPS = 100
"""Steps in a logit by which earlier tables are scaled to new games."""
PRIOR_LOGITS = np.arange(-20, 20 + 0.5 / PRIOR_STEPS, 1 / PRIOR_STEPS)
"""Logits of the steps, (4001,)."""
CALIBRATION_BINS = 20
ROUNDING_SAMPLES = 20_000
SETS = ("training", "held_out")


@dataclass(frozen=True, eq=False)
class SetSums:
    """Sums over a set of samples and their predictions, for the report of a fit."""

    positions: int
    distinct: int
    by_pieces: NDArray[np.float64]
    """(25, 3) by number of pieces: positions, summed loss against the target and against the result."""
    calibration: NDArray[np.float64]
    """(20, 4) by predicted expectation: positions; sums of predictions, targets and results."""
    boards: NDArray[np.uint32]
    """(k, 4): some of the positions, picked evenly."""
    logits: NDArray[np.float32]
    """(k,) of these positions."""


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums over both sets of a group."""

    training: SetSums
    held_out: SetSums


class LossSums(ABC):
    """Sums over the samples that tables are fitted to."""

    entries: Entries
    loss: str
    """One of LOSSES."""

    @abstractmethod
    def curvature(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Summed squares of the inputs: (slots, 2) of the entries, (3, 2) of material."""

    @abstractmethod
    def gradient(self, solution: FittedWeights) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Summed loss and its gradient: (slots, 2) by the entries' weights, (3, 2) by those of material."""

    @abstractmethod
    def logit_histogram(self, solution: FittedWeights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Positions at each of PRIOR_LOGITS, and the sum of their targets."""


class SampleSums(LossSums):
    """Sums over the training samples of a group, and those over its held-out samples."""

    @property
    @abstractmethod
    def positions(self) -> int:
        """Training positions."""

    @abstractmethod
    def held_out_loss(self, solution: FittedWeights) -> float:
        """Mean loss of the held-out samples; 0 without any."""

    @abstractmethod
    def report(self, solution: FittedWeights) -> GroupSums:
        """Sums over both sets for the report of a fit."""

    @abstractmethod
    def men_slope(self, solution: FittedWeights) -> float:
        """Slope of the logits on the difference of men over the training samples; 0 if it does not vary."""


class InputSums(LossSums):
    """Sums over samples in this process, in an order that does not depend on the number of threads."""

    def __init__(self, inputs: Inputs, entries: Entries, loss: str, pool: ThreadPoolExecutor) -> None:
        self.inputs, self.entries, self.loss, self._pool = inputs, entries, loss, pool
        self._logits = np.empty(len(inputs), dtype=np.float32)
        self._slopes = np.empty(len(inputs), dtype=np.float32)

    def with_pool(self, pool: ThreadPoolExecutor) -> InputSums:
        """These sums, from now on by other threads."""
        self._pool = pool
        return self

    def forward(self, solution: FittedWeights) -> tuple[float, NDArray[np.float64], NDArray[np.float32]]:
        """Summed loss, its gradient (3, 2) by material, and the logits (n,), valid until the next call."""
        material = np.zeros(MATERIAL_WEIGHTS)
        kind = LOSSES.index(self.loss)
        loss = forward(self.inputs, self.entries, solution, kind, self._pool, self._logits, self._slopes, material)
        return loss, material, self._logits

    def gradient(self, solution: FittedWeights) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        loss, material, _ = self.forward(solution)
        data = self.inputs
        own = self._by_region(lambda r, out: _learn.region_gradient(data.ids[r], self._slopes, data.pieces, out))
        return loss, own, material

    def logit_histogram(self, solution: FittedWeights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        _, _, logits = self.forward(solution)
        end = 20 * PRIOR_STEPS
        steps = np.clip(np.rint(logits * PRIOR_STEPS), -end, end).astype(np.int64) + end
        data = self.inputs
        count, points = (
            np.bincount(steps, each, minlength=len(PRIOR_LOGITS)).astype(np.float64)
            for each in (data.count, data.count * data.target)
        )
        return count, points

    def curvature(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        data = self.inputs
        own = self._by_region(lambda r, out: _learn.region_curvature(data.ids[r], data.count, data.pieces, out))
        material = np.zeros(MATERIAL_WEIGHTS)
        for first, last in blocks(len(data)):
            opening = data.pieces[first:last] / MAX_BOARD_PIECES
            shares = np.stack([opening, 1 - opening], axis=1) ** 2
            differences = data.material[first:last].astype(float)
            terms = np.concatenate([differences, np.ones((last - first, 1))], axis=1) ** 2
            material += (terms * data.count[first:last, None]).T @ shares
        return own, material

    def _by_region(self, work: Callable[[int, NDArray[np.float64]], None]) -> NDArray[np.float64]:
        """A (slots, 2) array filled by work(region, its rows), one thread a region."""
        out = np.zeros((self.entries.slots, PHASES))
        starts = self.entries.starts
        list(self._pool.map(lambda r: work(r, out[starts[r] : starts[r + 1]]), range(len(starts) - 1)))
        return out


class LocalSums(SampleSums):
    """Sums over the samples of a group in this process."""

    def __init__(
        self,
        training: Samples,
        held_out: Samples,
        entries: Entries,
        inputs: tuple[Inputs, Inputs],
        loss: str,
        pool: ThreadPoolExecutor,
    ) -> None:
        """inputs: of the training samples and of those held out."""
        self.entries, self.loss, self._pool = entries, loss, pool
        self._training, self._held_out, self._inputs = training, held_out, inputs
        self._sums = InputSums(inputs[0], entries, loss, pool)

    @property
    def positions(self) -> int:
        return self._training.positions

    def curvature(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._sums.curvature()

    def gradient(self, solution: FittedWeights) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        return self._sums.gradient(solution)

    def logit_histogram(self, solution: FittedWeights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._sums.logit_histogram(solution)

    def held_out_loss(self, solution: FittedWeights) -> float:
        return predict(self._inputs[1], self.entries, solution, self.loss, self._pool)[1]

    def logits(self, solution: FittedWeights) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits of the training samples and of those held out."""
        first, second = (predict(each, self.entries, solution, self.loss, self._pool)[0] for each in self._inputs)
        return first, second

    def report(self, solution: FittedWeights) -> GroupSums:
        training, held_out = self.logits(solution)
        step = max(1, len(self._held_out) // ROUNDING_SAMPLES)
        return GroupSums(
            set_sums(self._training, training, self.loss, 0), set_sums(self._held_out, held_out, self.loss, step)
        )

    def men_slope(self, solution: FittedWeights) -> float:
        logits = predict(self._inputs[0], self.entries, solution, self.loss, self._pool)[0]
        total, sum_of = difference_sums(self._training)
        return slope_of(*slope_sums(self._training, logits, sum_of / total)) if total else 0.0


def losses(logits: NDArray[np.floating], target: NDArray[np.floating], loss: str) -> NDArray[np.float64]:
    """The loss of each prediction: "ce" cross entropy, "mse" squared error."""
    z = logits.astype(np.float64)
    if loss == "mse":
        return (logistic(z) - target) ** 2
    return np.logaddexp(0, z) - target * z


def set_sums(samples: Samples, logits: NDArray[np.float32], loss: str, step: int) -> SetSums:
    """Sums over samples; every `step`-th position is picked, none for 0."""
    rows = np.arange(0, len(samples), step) if step else np.zeros(0, dtype=np.int64)
    return SetSums(
        samples.positions, len(samples), _by_pieces(samples, logits, loss), _calibration(samples, logits),
        samples.boards[rows], logits[rows],
    )  # fmt: skip


def _by_pieces(samples: Samples, logits: NDArray[np.float32], loss: str) -> NDArray[np.float64]:
    out = np.zeros((25, 3))
    pieces = samples.pieces
    for first, last in blocks(len(samples)):
        part = slice(first, last)
        count = samples.count[part].astype(float)
        columns = [count, *(count * losses(logits[part], t[part], loss) for t in (samples.target, samples.result))]
        for column, each in enumerate(columns):
            out[:, column] += np.bincount(pieces[part], each, minlength=25)
    return out


def _calibration(samples: Samples, logits: NDArray[np.float32]) -> NDArray[np.float64]:
    sums = np.zeros((CALIBRATION_BINS, 4))
    predicted = logistic(logits.astype(np.float64))
    bins = np.minimum((predicted * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    values = np.stack([np.ones(len(samples)), predicted, samples.target, samples.result])
    for column, each in enumerate(values * samples.count):
        sums[:, column] += np.bincount(bins, each, minlength=CALIBRATION_BINS)
    return sums


def added(parts: Sequence[SetSums]) -> SetSums:
    """Sums over several parts of a set, added in their order."""
    first, *others = parts
    values = {each.name: getattr(first, each.name) for each in fields(SetSums)}
    for other in others:
        for name in ("positions", "distinct", "by_pieces", "calibration"):
            values[name] = values[name] + getattr(other, name)
    for name in ("boards", "logits"):
        values[name] = np.concatenate([getattr(part, name) for part in parts])
    return SetSums(**values)


def difference_sums(samples: Samples) -> tuple[float, float]:
    """Positions, and the sum of their differences of men."""
    count = samples.count.astype(float)
    return float(count.sum()), float(count @ samples.material[:, 0].astype(float))


def slope_sums(samples: Samples, logits: NDArray[np.float32], mean: float) -> tuple[float, float]:
    """Sums of the squared differences of men from their mean, and of their products with the logits."""
    count = samples.count.astype(float)
    difference = samples.material[:, 0].astype(float) - mean
    return float(count @ difference**2), float((count * difference) @ logits)


def slope_of(spread: float, product: float) -> float:
    """Slope from `slope_sums`."""
    return product / spread if spread else 0.0
