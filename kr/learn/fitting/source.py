"""Where the samples of a fit are: in this process, or on the workers of a cluster (`kr.learn.fitting.spread`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.evaluation.parts import Windows
from kr.learn.fitting.dataset import Dataset, OnFitProgress, SampledRun, read_samples
from kr.learn.fitting.inputs import Prior, ranked
from kr.learn.fitting.settings import FitSettings
from kr.learn.fitting.sums import LocalSums, SampleSums
from kr.threads import thread_pool

SOME_BOARDS = 20_000
"""Training positions of a group that pictures are drawn from."""


class SampleSource(ABC):
    """The samples of a fit."""

    identity: str
    """Checksum of the samples, for checkpoints."""
    runs: Sequence[SampledRun]

    @classmethod
    @abstractmethod
    def reading(cls, settings: FitSettings, on_progress: OnFitProgress) -> AbstractContextManager[SampleSource]:
        """The samples of the games that a fit asks for, read. Raises InvalidGamesError."""

    @abstractmethod
    def group(self, kings: bool, windows: Windows, prior: Prior | None) -> AbstractContextManager[SampleSums]:
        """Sums over the samples with or without kings; prior: for the entries of earlier tables."""

    @abstractmethod
    def some_boards(self) -> dict[bool, NDArray[np.uint32]]:
        """Boards (n, 4) of some training positions of each group, picked evenly."""


class LocalSource(SampleSource):
    """Samples in this process."""

    def __init__(self, dataset: Dataset, loss: str, pool: ThreadPoolExecutor) -> None:
        self._dataset, self._loss, self._pool = dataset, loss, pool
        self.runs = dataset.runs
        sets = [s for group in (dataset.training, dataset.held_out) for s in group.values()]
        self.identity = storage.checksum(*(a for s in sets for a in (s.count, s.target)))

    @classmethod
    @contextmanager
    def reading(cls, settings: FitSettings, on_progress: OnFitProgress) -> Iterator[SampleSource]:
        games = settings.directories, settings.label, settings.holdout, settings.seed
        with thread_pool(settings.workers) as pool:
            yield cls(read_samples(*games, settings.workers, on_progress), settings.loss, pool)

    @contextmanager
    def group(self, kings: bool, windows: Windows, prior: Prior | None) -> Iterator[SampleSums]:
        training, held_out = self._dataset.training[kings], self._dataset.held_out[kings]
        entries, *inputs = ranked(training, held_out, windows, self._pool, prior)
        yield LocalSums(training, held_out, entries, (inputs[0], inputs[1]), self._loss, self._pool)

    def some_boards(self) -> dict[bool, NDArray[np.uint32]]:
        return {kings: some_of(samples.boards) for kings, samples in self._dataset.training.items()}


def some_of(boards: NDArray[np.uint32], least: int = SOME_BOARDS) -> NDArray[np.uint32]:
    """Some boards, picked evenly: at least `least`, or all if there are fewer."""
    return boards[:: max(1, len(boards) // least)]
