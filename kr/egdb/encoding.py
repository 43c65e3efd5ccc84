"""Encoding of values in parts that threads do side by side; the result does not depend on the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kr import _egdb
from kr.egdb import slices
from kr.egdb.slices import Shape

PART_ENTRIES = 1 << 24
"""Entries that a thread encodes in one go."""
COMPARED_BITS = 12
"""Base-2 logarithm of the blocks in which two slices are compared."""
GROUP_BLOCKS = 16
"""Blocks of an index group, which no two parts share."""

EncodingTask = Callable[[], None]


@dataclass(frozen=True)
class Coded:
    """The entries of a slice, encoded."""

    shape: Shape
    block_bits: int
    index: list[NDArray[np.uint8]]
    """In parts, one behind the other."""
    data: list[NDArray[np.uint8]]
    lengths: Sequence[NDArray[np.uint8]] | NDArray[np.uint8]
    """Of the codes, a row each."""


class ValuesEncoding:
    """Encoding of the slice of a pair that compresses better.

    codes: values of each slice, 32 a word, VALUE_UNKNOWN for a don't-care.
    """

    def __init__(self, codes: Mapping[Shape, NDArray[np.uint64]]) -> None:
        self._codes = codes
        self.coded: Coded | None = None
        """Once all steps are done."""

    def steps(self) -> Iterator[list[EncodingTask]]:
        """Steps in order; the tasks of a step may be done side by side, before the next one is asked for."""
        sizes: dict[Shape, int] = {}
        for shape in self._codes:
            encoder = self._encoder(shape, COMPARED_BITS)
            counted = _Counts(encoder, COMPARED_BITS)
            yield counted.tasks(None)
            sizes[shape] = encoder.code(counted.total())[1]
        stored = min(sizes, key=sizes.__getitem__)
        block_bits = _egdb.fitting_block_bits(sizes[stored], slices.size(stored))
        while self.coded is None:
            encoder = self._encoder(stored, block_bits)
            lengths = None
            for _ in range(2):
                counted = _Counts(encoder, block_bits)
                yield counted.tasks(lengths)
                lengths, _ = encoder.code(counted.total())
            assert lengths is not None
            ranges = _ranges(encoder.blocks, block_bits)
            parts: list[tuple[NDArray[np.uint8], NDArray[np.uint8]] | None] = [None] * len(ranges)
            yield [partial(_write, encoder, lengths, parts, i, *each) for i, each in enumerate(ranges)]
            written = [part for part in parts if part is not None]
            if len(written) == len(parts):
                self.coded = Coded(stored, block_bits, *_in_a_row(written), lengths)
            # otherwise a block is too long to index
            block_bits -= 1

    def _encoder(self, shape: Shape, block_bits: int) -> _egdb.ValueEncoder:
        return _egdb.ValueEncoder(self._codes[shape].view(np.uint8), slices.size(shape), block_bits)


def _ranges(blocks: int, block_bits: int) -> list[tuple[int, int]]:
    step = max(GROUP_BLOCKS, PART_ENTRIES >> block_bits)
    return [(first, min(first + step, blocks)) for first in range(0, blocks, step)]


class _Counts:
    """How often each symbol occurs, counted part by part."""

    def __init__(self, encoder: _egdb.ValueEncoder, block_bits: int) -> None:
        self._encoder = encoder
        self._ranges = _ranges(encoder.blocks, block_bits)
        self._parts: list[NDArray[np.uint64]] = []

    def tasks(self, lengths: NDArray[np.uint8] | None) -> list[EncodingTask]:
        """Count all parts; lengths: of a code for which the runs are chosen."""
        return [partial(self._count, first, last, lengths) for first, last in self._ranges]

    def _count(self, first: int, last: int, lengths: NDArray[np.uint8] | None) -> None:
        self._parts.append(self._encoder.count(first, last, lengths))

    def total(self) -> NDArray[np.uint64]:
        total: NDArray[np.uint64] = np.sum(self._parts, axis=0)
        return total


def _write(
    encoder: _egdb.ValueEncoder,
    lengths: NDArray[np.uint8],
    parts: list[tuple[NDArray[np.uint8], NDArray[np.uint8]] | None],
    number: int,
    first: int,
    last: int,
) -> None:
    parts[number] = encoder.write(first, last, lengths)


def _in_a_row(
    parts: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]],
) -> tuple[list[NDArray[np.uint8]], list[NDArray[np.uint8]]]:
    """Index and data of parts, whose data follow each other."""
    size = 0
    for index, data in parts:
        _egdb.move_index(index, size)
        size += len(data)
    return [index for index, _ in parts], [data for _, data in parts]
