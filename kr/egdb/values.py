"""Values of solved pairs, for the pairs that look them up: two bits a position, in files and in memory.

A file begins with a header of 64 bytes: magic, format version, the pair's name, 1 if distances follow, the steps of the
pair that are solved (COMPLETE for all), the CRC-32 of the rest of the file, and that of the header. Then come for each
slice of the pair the values, 32 in a 64-bit word, the lowest bits first, and if they are wanted the distances, a byte
each, with zeros up to a whole word. Numbers are little-endian.

A checkpoint of a pair that is being solved is a file of the same form.
"""

from __future__ import annotations

import mmap
import struct
import threading
import weakref
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _egdb, system
from kr.egdb import slices
from kr.egdb.slices import Shape
from kr.errors import InvalidDatabaseError
from kr.file_kinds import VALUES_MAGIC

VALUES_VERSION = 1
VALUES_HEADER_BYTES = 64
COMPLETE = 0xFFFFFFFF
"""Steps of a pair that is solved."""
VALUES_AT_ONCE = 1 << 24
WORD = 8

_HEADER = struct.Struct("<8sI4sIIII")


@dataclass
class SliceValues:
    """A slice's values, 32 a word, and distances, one a byte, if they are wanted."""

    values: NDArray[np.uint64]
    distances: NDArray[np.uint8] | None = None


PairValues = Mapping[Shape, SliceValues]
"""Values of the slices of a pair, in their order."""


def words(shape: Shape) -> int:
    """64-bit words, of 32 packed values each, that the values of a slice take."""
    return -(-slices.size(shape) // 32)


def file_bytes(pair: Shape, distances: bool) -> int:
    """Size of a file."""
    return VALUES_HEADER_BYTES + sum(
        WORD * words(shape) + distances * _padded(slices.size(shape)) for shape in slices.members(pair)
    )


def empty_values(pair: Shape, distances: bool) -> dict[Shape, SliceValues]:
    """Zeros, to be filled by the solver."""
    return {
        shape: SliceValues(
            np.zeros(words(shape), dtype=np.uint64),
            np.zeros(slices.size(shape), dtype=np.uint8) if distances else None,
        )
        for shape in slices.members(pair)
    }


def write_values(path: Path, pair: Shape, values: PairValues, steps: int = COMPLETE) -> int:
    """Write a file; returns the CRC-32 of its values.

    It is not synced to the disk: a restart solves the pair again if the file is damaged. Raises OSError.
    """
    temporary = path.with_suffix(".tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(bytes(VALUES_HEADER_BYTES))
            crc = 0
            for block in _blocks(values):
                file.write(block)
                crc = zlib.crc32(block, crc)
            file.seek(0)
            file.write(_header(pair, any(own.distances is not None for own in values.values()), steps, crc))
        system.replace_file(temporary, path)
    except OSError as error:
        # the error of a write to a full disk names no file
        error.filename = error.filename or str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)
    return crc


def stated(path: Path, pair: Shape, distances: bool) -> tuple[int, int] | None:
    """Steps and CRC-32 that a file states; None if it is missing, incomplete, or not one of this pair."""
    try:
        with open(path, "rb") as file:
            header = file.read(VALUES_HEADER_BYTES)
            size = file.seek(0, 2)
    except OSError:
        return None
    if len(header) < VALUES_HEADER_BYTES or size != file_bytes(pair, distances):
        return None
    *_, steps, crc, _ = _HEADER.unpack(header[: _HEADER.size])
    return (steps, crc) if header == _header(pair, distances, steps, crc) else None


def is_good(path: Path, pair: Shape, distances: bool) -> bool:
    """True if a file's bytes match its CRC-32."""
    record = stated(path, pair, distances)
    if record is None:
        return False
    crc = 0
    with open(path, "rb") as file:
        file.seek(VALUES_HEADER_BYTES)
        while block := file.read(VALUES_AT_ONCE):
            crc = zlib.crc32(block, crc)
    return crc == record[1]


def read_values(path: Path, pair: Shape, distances: bool) -> dict[Shape, SliceValues]:
    """Values in memory of their own, to be gone on with. The file is good. Raises InvalidDatabaseError, OSError."""
    values = empty_values(pair, distances)
    with open(path, "rb") as file:
        file.seek(VALUES_HEADER_BYTES)
        for own in values.values():
            _fill(file, path, own.values)
            if own.distances is not None:
                _fill(file, path, own.distances)
                file.read(-len(own.distances) % WORD)
    return values


class _Mapped:
    """The values of a solved pair, mapped from their file. Raises InvalidDatabaseError, OSError."""

    def __init__(self, path: Path, pair: Shape, distances: bool) -> None:
        with open(path, "rb") as file:
            try:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:
                # of an empty file
                raise _cut(path) from None
        if len(self._map) != file_bytes(pair, distances):
            raise _cut(path)
        self._file, self._path = _egdb.MappedFile(self._map), path
        self.values: dict[Shape, SliceValues] = {}
        at = VALUES_HEADER_BYTES
        for shape in slices.members(pair):
            packed = np.frombuffer(self._map, dtype=np.uint64, count=words(shape), offset=at)
            at += packed.nbytes
            own = self.values[shape] = SliceValues(packed)
            if distances:
                own.distances = np.frombuffer(self._map, dtype=np.uint8, count=slices.size(shape), offset=at)
                at += _padded(slices.size(shape))

    def check(self) -> None:
        """Raise InvalidDatabaseError if values were read that the file does not have any more."""
        # within its last page what is gone reads as zeros anyway
        if self._file.was_cut or self._map.size() != len(self._map):
            raise _cut(self._path)

    def drop(self) -> None:
        """Take the pages out of this process. They stay in the system's cache while there is room."""
        system.drop_pages(self._map)


class ValuesRoom:
    """Values of solved pairs for those that look them up: in memory as far as there is room, or mapped.

    Memory of its own is faster: the system has larger pages for it. The smallest are taken first, as those are read
    most often for their size, and stay until others need the room. Threads may share it. memory: bytes for all values,
    and for what the pairs under way take beside them.
    """

    def __init__(self, memory: int = 0) -> None:
        self._memory = memory
        self._read: dict[Shape, dict[Shape, SliceValues]] = {}
        self._users: dict[Shape, tuple[int, frozenset[Shape]]] = {}
        """By pair under way: the memory that it takes itself, and the pairs that it looks up."""
        self._mapped: weakref.WeakSet[_Mapped] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._mapping = threading.Lock()

    def enter(
        self, pair: Shape, own_bytes: int, successors: Mapping[Shape, tuple[Path, bool]]
    ) -> list[_Read | _Mapped]:
        """The values that a pair looks up, as objects with `values`, for as long as it keeps them.

        own_bytes: memory that the pair takes itself; successors: file of each pair, and whether it has distances.
        Raises InvalidDatabaseError for a file that is cut short, and OSError.
        """
        with self._lock:
            self._users[pair] = own_bytes, frozenset(successors)
            self._shrink(0, pair)
            tables: list[_Read | _Mapped] = []
            for other in sorted(successors, key=slices.pair_size):
                path, distances = successors[other]
                if other not in self._read and self._shrink(file_bytes(other, distances)):
                    self._read[other] = read_values(path, other, distances)
                if other in self._read:
                    # the one used last stands last
                    self._read[other] = self._read.pop(other)
                    tables.append(_Read(self._read[other]))
                else:
                    mapped = _Mapped(path, other, distances)
                    with self._mapping:
                        self._mapped.add(mapped)
                    tables.append(mapped)
            return tables

    def leave(self, pair: Shape) -> None:
        """A pair is solved."""
        with self._lock:
            self._users.pop(pair, None)

    def forget(self, pair: Shape) -> None:
        """No pair will look this one up any more."""
        with self._lock:
            self._read.pop(pair, None)

    def drop(self) -> None:
        """Take the pages of mapped values out of this process."""
        with self._mapping:
            for each in list(self._mapped):
                each.drop()

    def _shrink(self, size: int, beginning: Shape | None = None) -> bool:
        """Make room for so many bytes; False if there is not enough.

        Dropped are values that no pair under way looks up, the oldest first, then those of a pair that begins alone,
        the largest first, which are mapped instead.
        """
        taken = sum(own for own, _ in self._users.values())
        taken += sum(_bytes_of(each) for each in self._read.values())
        used = frozenset[Shape]().union(*(needed for pair, (_, needed) in self._users.items() if pair != beginning))
        wanted = self._users[beginning][1] if beginning else used
        for pair in [
            *(each for each in self._read if each not in used | wanted),
            *sorted((each for each in self._read if each in wanted - used), key=slices.pair_size, reverse=True),
        ]:
            if taken + size <= self._memory:
                break
            taken -= _bytes_of(self._read.pop(pair))
        return taken + size <= self._memory


@dataclass
class _Read:
    """The values of a solved pair in memory."""

    values: PairValues

    def check(self) -> None:
        """Nothing can have happened to them."""


def _bytes_of(values: PairValues) -> int:
    return sum(own.values.nbytes + (0 if own.distances is None else own.distances.nbytes) for own in values.values())


def _blocks(values: PairValues) -> Iterator[memoryview | bytes]:
    """Bytes of a file after its header."""
    for own in values.values():
        yield from _pieces(own.values)
        if own.distances is not None:
            yield from _pieces(own.distances)
            yield bytes(-len(own.distances) % WORD)


def _pieces(array: NDArray[Any]) -> Iterator[memoryview]:
    view = array.data.cast("B")
    for first in range(0, len(view), VALUES_AT_ONCE):
        yield view[first : first + VALUES_AT_ONCE]


def _fill(file: BufferedReader, path: Path, array: NDArray[Any]) -> None:
    for piece in _pieces(array):
        if file.readinto(piece) < len(piece):
            raise _cut(path)


def _cut(path: Path) -> InvalidDatabaseError:
    return InvalidDatabaseError(f"{path} was cut short by another program; start the build again")


def _header(pair: Shape, distances: bool, steps: int, crc: int) -> bytes:
    start = _HEADER.pack(VALUES_MAGIC, VALUES_VERSION, slices.name(pair).encode(), distances, steps, crc, 0)[:-4]
    return (start + struct.pack("<I", zlib.crc32(start))).ljust(VALUES_HEADER_BYTES, b"\0")


def _padded(size: int) -> int:
    return -(-size // WORD) * WORD
