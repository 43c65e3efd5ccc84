"""The unit of work of a build: a pair of slices, solved from the values of its successors.

The chunks of the result are the pair's files, one for each kind wanted, followed for each of its slices by the values
at two bits a position and, if distances are wanted, the distances at a byte a position.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _egdb
from kr.egdb import files, scheduling, slices
from kr.egdb.scheduling import SolverCall
from kr.egdb.slices import Shape, shape_named
from kr.errors import InvalidDatabaseError
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit

VALUES_NEED = "slice values"
CRC_BYTES = 8
"""Bytes of a file's checksum, at its end."""
READ_BYTES = 1 << 24
MAX_SPACE_WASTE = 1 << 24
"""Positions of working memory that a thread may hold beyond the needs of its present pair."""


@dataclass
class SliceValues:
    """The part of a solved slice that other slices look up: see EndgameSolver.add."""

    values: NDArray[np.uint64]
    distances: NDArray[np.uint8] | None = None


class Space:
    """Working memory of a thread."""

    def __init__(self) -> None:
        self._space: _egdb.SolverSpace | None = None
        self._room = 0, False

    def of(self, block: int, distances: bool) -> _egdb.SolverSpace:
        """Memory for a block of positions, with or without distances."""
        least, has = self._room
        if self._space is None or not block <= least <= block + MAX_SPACE_WASTE or has < distances:
            self._space = None  # frees the old memory before the new one is allocated
            self._space, self._room = _egdb.SolverSpace(block, distances), (block, distances)
        return self._space


class SlicePairs(Kind[Space, Chunk | None]):
    """Solving a pair.

    Values of a unit: the pair's name, `distances` (true if they are wanted) and `files` (the kinds of files wanted).
    Needs: the values of each successor, by its name.
    """

    # the values of a slice are large, and each pair looks up others
    keeps_needs = False

    def open(self, unit: Unit, needs: Needs) -> Space:
        return Space()

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Space, Chunk | None]:
        solving = _Solving(unit, needs)
        steps = list(scheduling.steps(solving.pair))
        weight = slices.pair_size(solving.pair) / sum(call.positions for step in steps for call in step)
        for step in steps:
            yield [Portion(partial(solving.solve, call), call.positions * weight) for call in step]
        yield [Portion(partial(solving.file, kind), 0.0) for kind in unit.values["files"]]
        yield [Portion(partial(_content, array), 0.0) for array in solving.arrays()]

    def encode(self, value: Chunk | None) -> Chunk:
        assert value is not None
        return value

    def decode(self, unit: Unit, chunk: Chunk) -> Chunk:
        return chunk


class _Solving:
    """A pair being solved."""

    def __init__(self, unit: Unit, needs: Needs) -> None:
        self.pair = shape_named(unit.values["pair"])
        self.distances = bool(unit.values["distances"])
        self.solver = _egdb.EndgameSolver()
        for name, key in unit.needs.items():
            load = partial(_loaded_values, shape_named(name))
            for shape, other in needs.load(VALUES_NEED, key, load).items():
                self.solver.add(shape, other.values, None, other.distances)
        self.slice_values: dict[Shape, SliceValues] = {}
        self.codes: dict[Shape, NDArray[np.uint64]] = {}
        for shape in slices.members(self.pair):
            own = self.slice_values[shape] = SliceValues(np.zeros(words(shape), dtype=np.uint64))
            if unit.values["files"]:
                self.codes[shape] = np.zeros(words(shape), dtype=np.uint64)
            if self.distances:
                own.distances = np.empty(slices.size(shape), dtype=np.uint8)
            self.solver.add(shape, own.values, self.codes.get(shape), own.distances)

    def solve(self, call: SolverCall, space: Space, stop: Stop) -> None:
        self.solver.solve(
            self.pair, space.of(slices.block(self.pair), self.distances),
            call.own_rows, call.opponent_rows, call.first, call.last, stop.flag,
        )  # fmt: skip

    def file(self, kind: str, space: Space, stop: Stop) -> bytes:
        """Content of a file: the slice of the pair that compresses better."""
        counts = {
            slices.name(shape): _egdb.count_values(own.values, slices.size(shape))[:3]
            for shape, own in self.slice_values.items()
        }
        if kind == "wld":
            return files.values_file(self.codes, {"counts": counts})
        longest, stored = {}, {}
        for shape, own in self.slice_values.items():
            assert own.distances is not None
            size = slices.size(shape)
            longest[slices.name(shape)] = _egdb.longest_win(own.distances, own.values, size)
            stored[shape] = np.empty(size, dtype=np.uint8)
            _egdb.stored_distances(own.distances, self.codes[shape], size, stored[shape])
        return files.distances_file(stored, {"counts": counts, "longest": longest})

    def arrays(self) -> Iterator[NDArray[Any]]:
        self.codes.clear()
        for own in self.slice_values.values():
            yield own.values
            if own.distances is not None:
                yield own.distances


def _content(array: NDArray[Any], space: Space, stop: Stop) -> memoryview:
    return array.data.cast("B")


def result_of(unit: Unit, chunks: Sequence[Chunk]) -> tuple[dict[str, Chunk], dict[Shape, SliceValues]]:
    """Files of a pair by kind, and the values of its slices, which are not copied."""
    kinds = unit.values["files"]
    members = slices.members(shape_named(unit.values["pair"]))
    arrays = chunks[len(kinds) :]
    each = len(arrays) // len(members)
    values = {
        shape: SliceValues(
            np.frombuffer(arrays[i * each], dtype=np.uint64),
            np.frombuffer(arrays[i * each + 1], dtype=np.uint8) if each > 1 else None,
        )
        for i, shape in enumerate(members)
    }
    return dict(zip(kinds, chunks, strict=False)), values


def values_key(pair: Shape, crc: int) -> str:
    """Identity of a pair's values, the same on every machine: its name and the CRC-32 in the file of the values."""
    return f"{slices.name(pair)} {crc:08x}"


def values_crc(chunks: Sequence[Chunk]) -> int:
    """CRC-32 of a pair's values."""
    crc = 0
    for chunk in chunks:
        crc = zlib.crc32(chunk, crc)
    return crc


def read_crc(path: Path, pair: Shape, distances: bool) -> int | None:
    """CRC-32 of a file of values, with or without distances; None if the file is missing, incomplete or damaged."""
    size = _values_bytes(pair, distances)
    if not path.exists() or path.stat().st_size != size + CRC_BYTES:
        return None
    crc = 0
    with open(path, "rb") as file:
        for begin in range(0, size, READ_BYTES):
            crc = zlib.crc32(file.read(min(READ_BYTES, size - begin)), crc)
        return crc if int.from_bytes(file.read(), "little") == crc else None


def read_values(path: Path, pair: Shape, distances: bool) -> dict[Shape, SliceValues]:
    """Values of a pair's slices, read from their file."""
    slice_values = {}
    with open(path, "rb") as file:
        for shape in slices.members(pair):
            values = np.fromfile(file, dtype=np.uint64, count=words(shape))
            slice_values[shape] = SliceValues(
                values, np.fromfile(file, dtype=np.uint8, count=slices.size(shape)) if distances else None
            )
    return slice_values


def _loaded_values(pair: Shape, place: str) -> tuple[str, dict[Shape, SliceValues]]:
    path = Path(place)
    distances = path.exists() and path.stat().st_size == _values_bytes(pair, True) + CRC_BYTES
    crc = read_crc(path, pair, distances)
    if crc is None:
        raise InvalidDatabaseError(f"{path}: the values of slice {slices.name(pair)} are missing or damaged")
    return values_key(pair, crc), read_values(path, pair, distances)


def _values_bytes(pair: Shape, distances: bool) -> int:
    return 8 * sum(map(words, slices.members(pair))) + distances * slices.pair_size(pair)


def words(shape: Shape) -> int:
    """64-bit words, of 32 packed values each, that the values of a slice take."""
    return -(-slices.size(shape) // 32)
