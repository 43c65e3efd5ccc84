"""A part of a fit's samples on a worker of a cluster, and the functions that `kr.learn.fitting.spread` calls there.

Each takes the number of a part in its values; the part itself stands in the worker's state for the crew, see
`kr.cluster.crew`. Arrays cross as bytes, little-endian.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _learn
from kr.cluster.store import Store
from kr.errors import WorkerLostError
from kr.evaluation.parts import Windows
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk
from kr.learn.fitting.dataset import SCORE_STEPS, Label, Merger, Samples, Split, score_histogram, shard_samples
from kr.learn.fitting.inputs import (
    MATERIAL_WEIGHTS,
    Entries,
    FittedWeights,
    Inputs,
    blocks,
    byte_digits,
    entries_of,
    inputs_of,
    predict,
    ranks_of,
)
from kr.learn.fitting.source import some_of
from kr.learn.fitting.sums import InputSums, SetSums, difference_sums, set_sums, slope_sums
from kr.threads import thread_pool

SET_NAMES = (False, True)
"""Training, held out."""
Answer = tuple[dict[str, Any], list[Chunk]]


@dataclass
class HeldPart:
    """Samples on a worker, and those of the group under way as its kernels read them."""

    mergers: dict[tuple[bool, bool], Merger] = field(default_factory=dict)
    """By (held out, kings), while games are read."""
    samples: dict[tuple[bool, bool], Samples] = field(default_factory=dict)
    reads: int = 0
    """Calls of `read_shards` that made it."""
    ids: dict[bool, NDArray[np.uint32]] = field(default_factory=dict)
    """(regions, n) table indices, then ranks, of training (False) and held-out samples."""
    windows: Windows | None = None
    inputs: dict[bool, Inputs] = field(default_factory=dict)
    entries: Entries | None = None
    kings: bool = False
    sums: dict[str, InputSums] = field(default_factory=dict)
    folder: tempfile.TemporaryDirectory[str] | None = None
    """Of the table indices, if they are kept on the disk. The last field: a mapped file can't be removed everywhere."""

    def set(self, held_out: bool) -> Samples:
        """Samples of the group under way."""
        return self.samples[held_out, self.kings]


def score_counts(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Histograms of the scores of shards, summed by run directory: (directories, 2, 65536) float64."""
    counts = np.zeros((values["directories"], 2, SCORE_STEPS))
    split = Split(*values["split"])
    for directory, digest in values["shards"]:
        for row, each in enumerate(score_histogram(_path(needs, digest), split)):
            counts[directory, row] += each
    return {}, [counts.tobytes()]


def read_shards(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Add the samples of some shards to a part: runs, samples so far, and the bytes they take.

    Raises WorkerLostError if it is not the part's next call, so that no shard is taken twice.
    """
    if values["step"] == 0:
        keys = [(held, kings) for held in SET_NAMES for kings in (False, True)]
        state[_name(values)] = HeldPart({key: Merger() for key in keys})
    part = _part(values, state)
    if values["step"] != part.reads:
        raise WorkerLostError(f"{_name(values)} of the samples has {part.reads} reads, expected {values['step']}")
    part.reads = -1  # until this one is whole
    split, label = Split(*values["split"]), Label(*values["label"])
    runs = []
    for directory, digest in values["shards"]:
        shard, parts = shard_samples(_path(needs, digest), split, label, values["scales"][directory])
        for key, labelled in parts.items():
            part.mergers[key].add(*labelled)
        runs.append([directory, shard.games, shard.held_out, shard.seed, shard.player])
    part.reads = values["step"] + 1
    if values["last"]:
        part.samples = {key: merger.samples() for key, merger in part.mergers.items()}
        part.mergers.clear()
    size = sum(merger.bytes for merger in part.mergers.values()) + sum(map(_bytes_of, part.samples.values()))
    counts = [[held, kings, each.positions, len(each)] for (held, kings), each in part.samples.items()]
    return {"runs": runs, "counts": counts, "bytes": size}, []


def count_entries(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Occurrences of table entries: by region the indices that occur, and their counts in both sets (uint32)."""
    part = _part(values, state)
    part.kings = bool(values["kings"])
    part.ids.clear()
    part.inputs.clear()
    part.sums.clear()
    part.entries = part.folder = None
    windows = part.windows = Windows(tuple(map(tuple, values["regions"])), values["base"])
    with _threads(values) as pool:
        for held in SET_NAMES:
            samples = part.set(held)
            shape = len(windows.regions), len(samples)
            ids = part.ids[held] = _array(part, shape, held, values["on_disk"])
            digits = byte_digits(windows.regions, windows.base)
            list(pool.map(partial(_region_ids, samples, digits, ids), blocks(len(samples))))
    packed: list[Chunk] = []
    lengths = []
    for region in range(len(windows.regions)):
        counts = [np.zeros(windows.table_size, dtype=np.int64) for _ in SET_NAMES]
        for held, each in zip(SET_NAMES, counts, strict=True):
            _learn.count_ids(part.ids[held][region], part.set(held).count, each)
        occurring = np.flatnonzero(counts[0] + counts[1])
        lengths.append(len(occurring))
        packed += [each.astype(np.uint32).tobytes() for each in (occurring, counts[0][occurring], counts[1][occurring])]
    return {"lengths": lengths}, packed


def _region_ids(samples: Samples, digits: NDArray[np.uint32], ids: NDArray[np.uint32], block: tuple[int, int]) -> None:
    _learn.region_ids(samples.boards, digits, ids, *block)


def rank_entries(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Take over the ranks of all entries: chunk: the indices of each region in order (uint32)."""
    part = _part(values, state)
    assert part.windows is not None
    if part.entries is not None:
        raise WorkerLostError(f"{_name(values)} of the samples is ranked already")
    every = np.frombuffer(chunks[0], dtype=np.uint32)
    ends = np.cumsum(values["lengths"])
    indices = np.split(every, ends[:-1])
    for region, order in enumerate(indices):
        ranks = ranks_of(order, part.windows.table_size)
        for held in SET_NAMES:
            _learn.rank_ids(part.ids[held][region], ranks)
    none = [np.zeros(0, dtype=np.int64)] * len(indices)
    part.entries = entries_of(part.windows, indices, none)
    part.inputs = {held: inputs_of(part.set(held), part.ids[held]) for held in SET_NAMES}
    return {}, []


def curvature(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Summed squares of the inputs: of the entries and of material (float64)."""
    part = _part(values, state)
    with _threads(values) as pool:
        return {}, [each.tobytes() for each in _sums(part, values, pool).curvature()]


def gradient(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Summed loss and its gradient by the entries and by material (float64). chunk: `weights_bytes`."""
    part = _part(values, state)
    with _threads(values) as pool:
        loss, own, material = _sums(part, values, pool).gradient(weights_of(chunks[0]))
    return {"loss": loss}, [own.data.cast("B"), material.tobytes()]


def held_out_loss(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Summed loss of the held-out samples, and their positions."""
    part = _part(values, state)
    assert part.entries is not None
    positions = part.set(True).positions
    with _threads(values) as pool:
        _, mean = predict(part.inputs[True], part.entries, weights_of(chunks[0]), values["loss"], pool)
    return {"loss": mean * positions, "positions": positions}, []


def logit_histogram(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Positions and sums of targets at each logit (float64)."""
    part = _part(values, state)
    with _threads(values) as pool:
        return {}, [each.tobytes() for each in _sums(part, values, pool).logit_histogram(weights_of(chunks[0]))]


def report_sums(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Sums over both sets for the report, see `unpacked_sums`. `steps`: the n of each, for every n-th position."""
    part = _part(values, state)
    assert part.entries is not None
    packed: list[Chunk] = []
    counts = []
    with _threads(values) as pool:
        for held, step in zip(SET_NAMES, values["steps"], strict=True):
            logits, _ = predict(part.inputs[held], part.entries, weights_of(chunks[0]), values["loss"], pool)
            sums = set_sums(part.set(held), logits, values["loss"], step)
            counts.append([sums.positions, sums.distinct])
            packed += [each.tobytes() for each in (sums.by_pieces, sums.calibration, sums.boards, sums.logits)]
    return {"counts": counts}, packed


def unpacked_sums(values: dict[str, Any], chunks: Sequence[Chunk]) -> list[SetSums]:
    """The sums of both sets in an answer of `report_sums`."""
    sums = []
    for row, (positions, distinct) in enumerate(values["counts"]):
        by_pieces, calibration, boards, logits = chunks[4 * row : 4 * row + 4]
        sums.append(SetSums(
            positions, distinct, np.frombuffer(by_pieces).reshape(25, 3), np.frombuffer(calibration).reshape(-1, 4),
            np.frombuffer(boards, dtype=np.uint32).reshape(-1, 4), np.frombuffer(logits, dtype=np.float32),
        ))  # fmt: skip
    return sums


def men_differences(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Positions and the sum of their differences of men."""
    return {"sums": difference_sums(_part(values, state).set(False))}, []


def men_slopes(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Sums for the slope of the logits on the difference of men, whose mean is given."""
    part = _part(values, state)
    assert part.entries is not None
    with _threads(values) as pool:
        logits, _ = predict(part.inputs[False], part.entries, weights_of(chunks[0]), values["loss"], pool)
    return {"sums": slope_sums(part.set(False), logits, values["mean"])}, []


def some_boards(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Some training positions of both groups, (n, 4) uint32."""
    part = _part(values, state)
    boards = [some_of(part.samples[False, kings].boards, values["least"]) for kings in (False, True)]
    return {}, [np.ascontiguousarray(each).tobytes() for each in boards]


def let_go(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Answer:
    """Free the memory and the disk of all parts here."""
    state.clear()
    return {}, []


def weights_bytes(solution: FittedWeights) -> bytes:
    """Weights as they cross: the material's six (float64), then those of the entries (float32)."""
    return solution.material.astype("<f8").tobytes() + np.ascontiguousarray(solution.table, dtype="<f4").tobytes()


def weights_of(content: bytes) -> FittedWeights:
    """Weights from `weights_bytes`. Those of parts are in the entries already."""
    material = np.frombuffer(content, dtype="<f8", count=np.prod(MATERIAL_WEIGHTS)).reshape(MATERIAL_WEIGHTS)
    table = np.frombuffer(content, dtype="<f4", offset=material.nbytes).reshape(-1, MATERIAL_WEIGHTS[1])
    return FittedWeights(table, np.zeros((0, MATERIAL_WEIGHTS[1]), dtype=np.float32), material)


def _name(values: dict[str, Any]) -> str:
    return f"part {values['part']}"


def _part(values: dict[str, Any], state: dict[str, Any]) -> HeldPart:
    part = state.get(_name(values))
    if not isinstance(part, HeldPart):
        raise WorkerLostError(f"{_name(values)} of the samples is not on this worker any more")
    return part


def _path(needs: Needs, digest: str) -> Path:
    return Path(needs.place("file", digest))


@contextmanager
def _threads(values: dict[str, Any]) -> Iterator[ThreadPoolExecutor]:
    with thread_pool(values["threads"]) as pool:
        yield pool


def _sums(part: HeldPart, values: dict[str, Any], pool: ThreadPoolExecutor) -> InputSums:
    """Sums over the training samples of the group under way; their buffers are kept."""
    assert part.entries is not None
    if values["loss"] not in part.sums:
        part.sums[values["loss"]] = InputSums(part.inputs[False], part.entries, values["loss"], pool)
    return part.sums[values["loss"]].with_pool(pool)


def _array(part: HeldPart, shape: tuple[int, int], held: bool, on_disk: bool) -> NDArray[np.uint32]:
    """Array for table indices, in memory or in a file that goes when the part does."""
    if not on_disk or not shape[1]:
        return np.empty(shape, dtype=np.uint32)
    if part.folder is None:
        root = Store.of_environment().root
        root.mkdir(parents=True, exist_ok=True)
        part.folder = tempfile.TemporaryDirectory(prefix=".ids-", dir=root, ignore_cleanup_errors=True)
    return np.memmap(Path(part.folder.name) / f"{held}", dtype=np.uint32, mode="w+", shape=shape)


def _bytes_of(samples: Samples) -> int:
    return sum(each.nbytes for each in (samples.boards, samples.count, samples.target, samples.result))
