"""Counting the entries of tables in games that they were not fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr import _learn
from kr.evaluation import weights
from kr.evaluation.evidence import EVIDENCE, Evidence, encoded
from kr.evaluation.layouts import Layout
from kr.learn.fitting.dataset import Dataset, OnFitProgress, read_samples
from kr.learn.fitting.objective import table_ids
from kr.threads import thread_pool


def count_evidence(
    tables: Path, directories: Sequence[Path], out: Path, workers: int = 1, on_progress: OnFitProgress | None = None
) -> Evidence:
    """Write a weights file again with counts of its entries in the games of run directories, in place of earlier ones.

    The tables, their checksum and their story stay what they are. Raises InvalidWeightsError, InvalidGamesError and
    OSError.
    """
    made = weights.load_tables(tables)
    dataset = read_samples(directories, workers=workers, on_progress=on_progress)
    found = counted_entries(made.layout, dataset, workers)
    attrs = {name: value for name, value in made.attrs.items() if name != EVIDENCE}
    weights.save_tables(
        out, made.layout, made.men_table, made.kings_table, made.men_material, made.kings_material, attrs,
        made.men_parts, made.kings_parts, found,
    )  # fmt: skip
    return found


def counted_entries(layout: Layout, dataset: Dataset, workers: int = 1) -> Evidence:
    """How often the entries of a layout occur in the samples of a dataset."""
    codes: list[NDArray[np.uint8]] = []
    with thread_pool(workers) as pool:
        for kings in (False, True):
            regions, base = layout.group(kings)
            samples = dataset.training[kings]
            counts = np.zeros((len(regions), base ** len(regions[0]) if regions else 0), dtype=np.int64)
            for row, ids in zip(counts, table_ids(samples, regions, base, pool), strict=True):
                _learn.count_ids(ids, samples.count, row)
            codes.append(encoded(counts))
    positions = sum(dataset.training[kings].positions for kings in (False, True))
    return Evidence(codes[0], codes[1], sum(run.games for run in dataset.runs), positions, fitted=False)
