"""Counting the entries of tables in games: those that they are fitted to, or others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr import _learn
from kr.evaluation import weights
from kr.evaluation.evidence import EVIDENCE, CountedRun, Evidence, encoded
from kr.evaluation.patterns import KINGS_ENTRIES, MEN_ENTRIES
from kr.evaluation.weights import Weights
from kr.learn.fitting.dataset import Dataset, OnFitProgress, SampledRun, read_samples
from kr.learn.fitting.group import FittedGroup
from kr.learn.fitting.inputs import table_ids
from kr.learn.games import run_directories
from kr.threads import thread_pool

_SIZES = {False: MEN_ENTRIES, True: KINGS_ENTRIES}
"""Entries of a region, without and with kings on the board."""


def count_evidence(
    tables: Path, directories: Sequence[Path], out: Path, workers: int = 1, on_progress: OnFitProgress | None = None
) -> Evidence:
    """Write a weights file again with counts of its entries in the games of run directories, in place of earlier ones.

    The tables, their checksum and their story stay what they are. Raises InvalidWeightsError, InvalidGamesError and
    OSError.
    """
    content = weights.load_tables(tables)
    dataset = read_samples(run_directories(directories), workers=workers, on_progress=on_progress)
    evidence = counted_entries(content, dataset, workers)
    attrs = {name: value for name, value in content.attrs.items() if name != EVIDENCE}
    weights.save_tables(
        out, content.layout, content.men_table, content.kings_table, content.men_material, content.kings_material,
        attrs, content.men_parts, content.kings_parts, evidence,
    )  # fmt: skip
    return evidence


def counted_entries(tables: Weights, dataset: Dataset, workers: int = 1) -> Evidence:
    """Counts of the entries of tables in the training samples of a dataset."""
    codes = []
    with thread_pool(workers) as pool:
        for kings, size in _SIZES.items():
            regions, base = tables.layout.group(kings)
            samples = dataset.training[kings]
            codes.append(np.zeros((len(regions), size), dtype=np.uint8))
            # one region after the other: the indices of all take 100 bytes a sample
            for row, region in zip(codes[-1], regions, strict=True):
                counts = np.zeros(size, dtype=np.int64)
                _learn.count_ids(table_ids(samples, (region,), base, pool)[0], samples.count, counts)
                row[:] = encoded(counts)
    positions = sum(samples.positions for samples in dataset.training.values())
    return _evidence(codes, dataset.runs, positions, fitted=False, tables=tables.checksum)


def fitted_entries(groups: Sequence[FittedGroup], runs: Sequence[SampledRun]) -> Evidence:
    """Counts of the entries of new tables in the training samples that they were fitted to.

    groups: that of the men's tables, that of the kings'; runs: whose games the samples are.
    """
    codes = []
    for group, size in zip(groups, _SIZES.values(), strict=True):
        codes.append(np.zeros((len(group.entries.indices), size), dtype=np.uint8))
        for row, indices, seen in zip(codes[-1], group.entries.indices, group.entries.seen, strict=True):
            row[indices] = encoded(seen)
    positions = sum(group.sums.training.positions for group in groups)
    return _evidence(codes, runs, positions, fitted=True)


def _evidence(
    codes: Sequence[NDArray[np.uint8]], runs: Sequence[SampledRun], positions: int, *, fitted: bool, tables: str = ""
) -> Evidence:
    read = tuple(CountedRun(run.games - run.held_out, run.seed, run.player) for run in runs)
    return Evidence(codes[0], codes[1], read, positions, fitted, tables)
