"""Units of a database: a pair of slices, solved from the values of those that its moves lead to.

The chunks of the result are its files, one of each kind that is wanted, then its values: of each of its slices the
values, two bits a position, and where distances are wanted a byte for each.
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
from kr.egdb.scheduling import Share
from kr.egdb.slices import Shape, shape_named
from kr.errors import InvalidDatabaseError
from kr.jobs.kinds import Kind, Piece, Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit

VALUES_NEED = "slice values"
CHECK_BYTES = 8
READ_BYTES = 1 << 24
MAX_SPACE_WASTE = 1 << 24
"""Positions of working memory that a thread keeps although its present pair needs much less."""


@dataclass
class Values:
    """What others look up of a slice: see EndgameSolver.add."""

    values: NDArray[np.uint64]
    distances: NDArray[np.uint8] | None = None


class Space:
    """The working memory of a thread."""

    def __init__(self) -> None:
        self._space: _egdb.SolverSpace | None = None
        self._room = 0, False

    def of(self, block: int, distances: bool) -> _egdb.SolverSpace:
        """Memory for so many positions at once, with distances or without."""
        least, has = self._room
        if self._space is None or not block <= least <= block + MAX_SPACE_WASTE or has < distances:
            self._space = None  # the old one goes before the new one comes
            self._space, self._room = _egdb.SolverSpace(block, distances), (block, distances)
        return self._space


class SlicePairs(Kind[Space]):
    """values: pair (its name), distances (whether they are wanted) and files (the kinds of these); needs: the values
    of each successor, by its name.
    """

    def open(self, unit: Unit, needs: Needs) -> Space:
        return Space()

    def steps(self, unit: Unit, needs: Needs) -> Iterator[Sequence[Piece[Space]]]:
        solving = _Solving(unit, needs)
        steps = list(scheduling.steps(solving.pair))
        weight = slices.pair_size(solving.pair) / sum(share.positions for step in steps for share in step)
        for step in steps:
            yield [Piece(partial(solving.solve, share), share.positions * weight) for share in step]
        yield [Piece(partial(solving.file, kind), 0.0) for kind in unit.values["files"]]
        yield [Piece(partial(_given, array), 0.0) for array in solving.arrays()]


class _Solving:
    """A pair that is being solved."""

    def __init__(self, unit: Unit, needs: Needs) -> None:
        self.pair = shape_named(unit.values["pair"])
        self.distances = bool(unit.values["distances"])
        self.solver = _egdb.EndgameSolver()
        for name, check in unit.needs.items():
            load = partial(_loaded_values, shape_named(name))
            for view, known in needs.load(VALUES_NEED, check, load).items():
                self.solver.add(view, known.values, None, known.distances)
        self.found: dict[Shape, Values] = {}
        self.codes: dict[Shape, NDArray[np.uint64]] = {}
        for view in slices.views(self.pair):
            found = self.found[view] = Values(np.zeros(words(view), dtype=np.uint64))
            if unit.values["files"]:
                self.codes[view] = np.zeros(words(view), dtype=np.uint64)
            if self.distances:
                found.distances = np.empty(slices.size(view), dtype=np.uint8)
            self.solver.add(view, found.values, self.codes.get(view), found.distances)

    def solve(self, share: Share, space: Space, stop: Stop) -> None:
        self.solver.solve(
            self.pair, space.of(slices.block(self.pair), self.distances),
            share.own_rows, share.opponent_rows, share.first, share.last, stop.flag,
        )  # fmt: skip

    def file(self, kind: str, space: Space, stop: Stop) -> bytes:
        """The content of a file: the smaller view of the pair, compressed."""
        counts = {
            slices.name(view): _egdb.count_values(found.values, slices.size(view))[:3]
            for view, found in self.found.items()
        }
        if kind == "wld":
            return files.values_file(self.codes, {"counts": counts})
        longest, stored = {}, {}
        for view, found in self.found.items():
            assert found.distances is not None
            size = slices.size(view)
            longest[slices.name(view)] = _egdb.longest_win(found.distances, found.values, size)
            stored[view] = np.empty(size, dtype=np.uint8)
            _egdb.stored_distances(found.distances, self.codes[view], size, stored[view])
        return files.distances_file(stored, {"counts": counts, "longest": longest})

    def arrays(self) -> Iterator[NDArray[Any]]:
        self.codes.clear()
        for found in self.found.values():
            yield found.values
            if found.distances is not None:
                yield found.distances


def _given(array: NDArray[Any], space: Space, stop: Stop) -> memoryview:
    return array.data.cast("B")


def result_of(unit: Unit, chunks: Sequence[Chunk]) -> tuple[dict[str, Chunk], dict[Shape, Values]]:
    """The files of a pair by their kinds, and its values, which are not copied."""
    kinds = unit.values["files"]
    return dict(zip(kinds, chunks, strict=False)), _values(shape_named(unit.values["pair"]), chunks[len(kinds) :])


def _values(pair: Shape, chunks: Sequence[Chunk]) -> dict[Shape, Values]:
    views = slices.views(pair)
    each = len(chunks) // len(views)
    return {
        view: Values(
            np.frombuffer(chunks[i * each], dtype=np.uint64),
            np.frombuffer(chunks[i * each + 1], dtype=np.uint8) if each > 1 else None,
        )
        for i, view in enumerate(views)
    }


def check_of(pair: Shape, crc: int) -> str:
    """What identifies the values of a pair, which are the same whoever found them: the CRC-32 in their file."""
    return f"{slices.name(pair)} {crc:08x}"


def values_crc(chunks: Sequence[Chunk]) -> int:
    """The CRC-32 of values."""
    check = 0
    for chunk in chunks:
        check = zlib.crc32(chunk, check)
    return check


def read_crc(path: Path, pair: Shape, distances: bool) -> int | None:
    """The CRC-32 of a file of values, with distances or without; None where it is not there, whole and undamaged."""
    size = _values_bytes(pair, distances)
    if not path.exists() or path.stat().st_size != size + CHECK_BYTES:
        return None
    check = 0
    with open(path, "rb") as file:
        for begin in range(0, size, READ_BYTES):
            check = zlib.crc32(file.read(min(READ_BYTES, size - begin)), check)
        return check if int.from_bytes(file.read(), "little") == check else None


def read_values(path: Path, pair: Shape, distances: bool) -> dict[Shape, Values]:
    """The values in a file."""
    found = {}
    with open(path, "rb") as file:
        for view in slices.views(pair):
            values = np.fromfile(file, dtype=np.uint64, count=words(view))
            found[view] = Values(
                values, np.fromfile(file, dtype=np.uint8, count=slices.size(view)) if distances else None
            )
    return found


def _loaded_values(pair: Shape, place: str) -> tuple[str, dict[Shape, Values]]:
    path = Path(place)
    distances = path.exists() and path.stat().st_size == _values_bytes(pair, True) + CHECK_BYTES
    crc = read_crc(path, pair, distances)
    if crc is None:
        raise InvalidDatabaseError(f"{path}: no values of slice {slices.name(pair)}, or damaged ones")
    return check_of(pair, crc), read_values(path, pair, distances)


def _values_bytes(pair: Shape, distances: bool) -> int:
    return 8 * sum(map(words, slices.views(pair))) + distances * slices.pair_size(pair)


def words(shape: Shape) -> int:
    """Words of 32 packed values that a slice fills."""
    return -(-slices.size(shape) // 32)
