"""The unit of work of a build: a pair of slices, solved from the values of its successors.

The chunks of the result are first the pair's values, then its files, one for each kind wanted. A machine that builds
alone writes the values itself, and gives their CRC-32 for them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kr import _egdb
from kr.egdb import files, scheduling, slices
from kr.egdb.encoding import EncodingTask, ValuesEncoding
from kr.egdb.scheduling import SolverCall
from kr.egdb.slices import Shape, shape_named
from kr.egdb.values import (
    COMPLETE,
    SliceValues,
    ValuesRoom,
    empty_values,
    is_good,
    read_values,
    stated,
    write_values,
)
from kr.errors import InvalidDatabaseError
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit

VALUES_NEED = "slice values"
MAX_SPACE_WASTE = 1 << 20
"""Positions of working memory that a thread may hold beyond the needs of its present pair."""
MARKED_AT_ONCE = 1 << 24
"""Positions whose don't-cares a thread marks in one go."""
CHECKPOINT_SECONDS = 600.0
TAKEN_UP: Chunk = b"taken up"
"""Value of the portion that stands for the steps of a checkpoint."""


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

    Values of a unit: the pair's name; `distances`, true if they are wanted; `files`, the kinds of files wanted;
    `values`, true if others need its values; `memory`, the bytes that it takes beside the values of others. Needs: the
    values of each successor, by its name.

    room: for the values of others; folder: where values and checkpoints are written, None to have values as chunks.
    """

    # the values of a slice are large, and each pair looks up others
    keeps_needs = False

    def __init__(self, room: ValuesRoom | None = None, folder: Path | None = None) -> None:
        self._room = room or ValuesRoom()
        self._folder = folder
        self._solving: list[_Solving] = []

    def open(self, unit: Unit, needs: Needs) -> Space:
        return Space()

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Space, Chunk | None]:
        solving = _Solving(unit, needs, self._room, self._folder)
        self._solving.append(solving)
        yield from solving.steps()
        self._solving.remove(solving)
        self._room.leave(solving.pair)

    def save(self) -> None:
        """Write checkpoints of the pairs under way, once no thread works on them. Raises OSError."""
        for solving in self._solving:
            solving.save()

    def encode(self, value: Chunk | None) -> Chunk:
        assert value is not None
        return value

    def decode(self, unit: Unit, chunk: Chunk) -> Chunk:
        return chunk


class _Solving:
    """A pair being solved."""

    def __init__(self, unit: Unit, needs: Needs, room: ValuesRoom, folder: Path | None) -> None:
        self.pair = shape_named(unit.values["pair"])
        self.distances = bool(unit.values["distances"])
        self._files: list[str] = unit.values["files"]
        self._is_needed: bool = unit.values["values"]
        self._target = folder and values_path(folder, self.pair)
        self._checkpoint = folder and solved_path(folder, self.pair)
        self._facts: dict[str, dict[str, Any]] = {}
        self._saved = time.monotonic()
        self._steps = list(scheduling.steps(self.pair))
        self._written: int | None = None
        """CRC-32 of the file of values, once it is there."""
        self.step_count = 0
        """Steps of the solver that are done."""
        self.values = self._first_values()
        self.solver = _egdb.EndgameSolver()
        successors = {
            shape_named(name): _file_of(shape_named(name), key, needs.place(VALUES_NEED, key))
            for name, key in unit.needs.items()
        }
        self._successors = room.enter(self.pair, unit.values["memory"], successors)
        for successor in self._successors:
            for shape, other in successor.values.items():
                self.solver.look_up(shape, other.values, other.distances)
        for shape, own in self.values.items():
            self.solver.add(shape, own.values, own.distances)

    def _first_values(self) -> dict[Shape, SliceValues]:
        """Values that are kept of this pair, those of a checkpoint, or zeros."""
        for path in filter(None, (self._target, self._checkpoint)):
            record = stated(path, self.pair, self.distances)
            if record is not None and is_good(path, self.pair, self.distances):
                steps, crc = record
                self._written = crc if steps == COMPLETE else None
                self.step_count = min(steps, len(self._steps))
                return read_values(path, self.pair, self.distances)
        return empty_values(self.pair, self.distances)

    def steps(self) -> UnitSteps[Space, Chunk | None]:
        """All steps, after those that are done."""
        steps = self._steps
        weight = slices.pair_size(self.pair) / sum(call.positions for step in steps for call in step)
        if self.step_count:
            earlier = sum(call.positions for step in steps[: self.step_count] for call in step)
            yield [Portion(lambda space, stop: TAKEN_UP, earlier * weight)]
        for step in steps[self.step_count :]:
            yield [Portion(partial(self._solve, call), call.positions * weight) for call in step]
            self.step_count += 1
            if time.monotonic() - self._saved > CHECKPOINT_SECONDS:
                self.save()
        # what is mapped for this pair is no part of the process any more
        self._successors, self.solver = [], _egdb.EndgameSolver()
        yield [Portion(self._state_facts, 0.0)]
        if self._is_needed:
            if self._target:
                yield [Portion(self._write_values, 0.0)]
            else:
                yield [Portion(partial(_content, array), 0.0) for array in self._arrays()]
        if self._files:
            # from here on the arrays hold what the files need, and no longer the values
            self._checkpoint = None
            yield list(self._marks())
            for kind in self._files:
                if kind == "wld":
                    yield from self._values_file()
                else:
                    yield [Portion(self._distances_file, 0.0)]

    def save(self) -> None:
        """Write a checkpoint. Raises OSError."""
        if self._checkpoint and self.step_count and self._written is None:
            write_values(self._checkpoint, self.pair, self.values, self.step_count)
        self._saved = time.monotonic()

    # Portions

    def _solve(self, call: SolverCall, space: Space, stop: Stop) -> None:
        try:
            self.solver.solve(
                self.pair, space.of(slices.block(self.pair), self.distances),
                call.own_rows, call.opponent_rows, call.first, call.last, stop.flag,
            )  # fmt: skip
        finally:
            # from what is read in place of values anything may follow
            for successor in self._successors:
                successor.check()

    def _state_facts(self, space: Space, stop: Stop) -> None:
        """Count values, while they are all there."""
        for shape, own in self.values.items():
            name, size = slices.name(shape), slices.size(shape)
            self._facts.setdefault("counts", {})[name] = _egdb.count_values(own.values, size)[:3]
            if own.distances is not None:
                self._facts.setdefault("longest", {})[name] = _egdb.longest_win(own.distances, own.values, size)

    def _write_values(self, space: Space, stop: Stop) -> bytes:
        assert self._target
        if self._written is None:
            self._written = write_values(self._target, self.pair, self.values)
        return crc_chunk(self._written)

    def _arrays(self) -> Iterator[np.ndarray[Any, Any]]:
        for own in self.values.values():
            yield own.values
            if own.distances is not None:
                yield own.distances

    def _marks(self) -> Iterator[Portion[Space, Chunk | None]]:
        for shape in self.values:
            step = max(1, MARKED_AT_ONCE // slices.block(shape))
            count = slices.size(shape) // slices.block(shape)
            for first in range(0, count, step):
                yield Portion(partial(self._mark, shape, first, min(first + step, count)), 0.0)

    def _mark(self, shape: Shape, first: int, last: int, space: Space, stop: Stop) -> None:
        own = self.values[shape]
        _egdb.mark_unneeded(shape, own.values, first, last, stop.flag, own.distances)

    def _values_file(self) -> UnitSteps[Space, Chunk | None]:
        encoding = ValuesEncoding({shape: own.values for shape, own in self.values.items()})
        for tasks in encoding.steps():
            yield [Portion(partial(_do, task), 0.0) for task in tasks]
        assert encoding.coded is not None
        content = files.values_file(encoding.coded, {"counts": self._facts["counts"]})
        yield [Portion(lambda space, stop: content, 0.0)]

    def _distances_file(self, space: Space, stop: Stop) -> memoryview:
        distances = {shape: own.distances for shape, own in self.values.items() if own.distances is not None}
        return files.distances_file(distances, self._facts)


def _do(task: EncodingTask, space: Space, stop: Stop) -> None:
    if not stop.is_set():
        task()


def _content(array: np.ndarray[Any, Any], space: Space, stop: Stop) -> bytes:
    # a copy: the array goes on to be marked
    return array.tobytes()


def _file_of(pair: Shape, key: str, place: str) -> tuple[Path, bool]:
    """File of the values of a solved pair, and whether it has distances. Raises InvalidDatabaseError."""
    path = Path(place)
    for distances in (False, True):
        record = stated(path, pair, distances)
        if record is not None and record[0] == COMPLETE and values_key(pair, record[1]) == key:
            return path, distances
    raise InvalidDatabaseError(f"{path}: the values of slice {slices.name(pair)} are missing or damaged")


def values_path(folder: Path, pair: Shape) -> Path:
    """File of a pair's values."""
    return folder / f"values-{slices.name(pair)}.bin"


def solved_path(folder: Path, pair: Shape) -> Path:
    """File of the values of a pair under way."""
    return folder / f"solved-{slices.name(pair)}.bin"


def values_key(pair: Shape, crc: int) -> str:
    """Identity of a pair's values, the same on every machine: its name and the CRC-32 in the file of the values."""
    return f"{slices.name(pair)} {crc:08x}"


def crc_chunk(crc: int) -> bytes:
    """A CRC-32 as a chunk of a result."""
    return crc.to_bytes(4, "little")


def files_of(unit: Unit, chunks: Sequence[Chunk]) -> dict[str, Chunk]:
    """The files of a result, by kind."""
    kinds = unit.values["files"]
    return dict(zip(kinds, chunks[len(chunks) - len(kinds) :], strict=True))


def values_of(unit: Unit, chunks: Sequence[Chunk]) -> dict[Shape, SliceValues]:
    """The values of a result that came as chunks; they are not copied."""
    members = slices.members(shape_named(unit.values["pair"]))
    arrays = chunks[: len(chunks) - len(unit.values["files"])]
    each = len(arrays) // len(members)
    return {
        shape: SliceValues(
            np.frombuffer(arrays[i * each], dtype=np.uint64),
            np.frombuffer(arrays[i * each + 1], dtype=np.uint8) if each > 1 else None,
        )
        for i, shape in enumerate(members)
    }
