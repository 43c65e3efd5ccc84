"""The interface of readers of HDF5 files: attributes, datasets, groups, and chunks of data larger than memory."""

from __future__ import annotations

import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from io import FileIO
from typing import TYPE_CHECKING, Any, Self

from kr.errors import InvalidNumberError, KrError
from kr.hdf5.numbers import FINITE, check_array, number_in
from kr.system import read_at
from kr.units import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

Attribute = str | int | float


@dataclass(frozen=True)
class Chunks:
    """Places of the chunks of a dataset, which are cut along the rows."""

    shape: tuple[int, ...]
    """Of the dataset."""
    rows: int
    """Of a chunk."""
    packed: bool
    """True if they are packed by deflate."""
    places: NDArray[Any]
    """(chunks, 2) int64: offset and size of each in the file, in bytes."""
    attributes: dict[str, Attribute]
    """Of the dataset."""


class Hdf5Source(ABC):
    """An open file or a group in it: its attributes, and its datasets on request."""

    attributes: dict[str, Attribute]

    def __init__(self, error: type[KrError], damaged: str) -> None:
        """error: raised, with the text `damaged` before it, for missing, foreign or damaged parts."""
        self._error = error
        self._damaged = damaged

    def array(
        self, name: str, dtype: str, shape: Sequence[int | None], allowed: Range = FINITE, unknown: bool = False
    ) -> NDArray[Any]:
        """A dataset of this type and shape, None for any length.

        allowed: of its numbers, from `low` to `high`; unknown: True if some may be NaN. Raises what `reading` does.
        """
        array = self.read(name, dtype, shape)
        if allowed != FINITE or array.dtype.kind == "f":
            try:
                check_array(name, array, allowed, unknown=unknown)
            except InvalidNumberError as error:
                raise self.refusal(str(error)) from error
        return array

    @abstractmethod
    def read(self, name: str, dtype: str, shape: Sequence[int | None]) -> NDArray[Any]:
        """A dataset, its numbers unchecked. Raises what `reading` does."""

    def number(self, name: str, allowed: Range, default: float | None = None, *, whole: bool = False) -> Any:
        """A number of the attributes (`numbers.number_in`). Raises what `reading` does."""
        try:
            return number_in(name, self.attributes.get(name, default), allowed, whole=whole)
        except InvalidNumberError as error:
            raise self.refusal(str(error)) from error

    @abstractmethod
    def group(self, name: str) -> Self:
        """A group in this one. Raises what `reading` does."""

    @abstractmethod
    def has(self, name: str) -> bool:
        """True if there is an object of this name."""

    @abstractmethod
    def places(self, name: str, dtype: str, shape: Sequence[int | None]) -> Chunks:
        """Places of the chunks of a dataset of this type and shape. Raises what `reading` does."""

    def chunks(self, file: FileIO, name: str, dtype: str, shape: Sequence[int | None]) -> ChunkedRows:
        """The chunks of a dataset of this type and shape, which are cut along the rows, None for any length.

        file: the file that this source reads; it stays open as long as the chunks are read. Raises what
        `reading_in_place` does.
        """
        return ChunkedRows(file, name, dtype, self.places(name, dtype, shape), self._error, self._damaged)

    def refusal(self, what: str) -> KrError:
        """Error for a file that is damaged in this way."""
        return self._error(f"{self._damaged}: {what}")


class ChunkedRows:
    """Rows of a dataset that are read from its chunks as they are needed. Threads may share it."""

    def __init__(self, file: FileIO, name: str, dtype: str, chunks: Chunks, error: type[KrError], damaged: str) -> None:
        import numpy as np

        self.shape = chunks.shape
        self.rows = chunks.rows
        self.attributes = chunks.attributes
        self._file = file
        self._dtype = np.dtype(dtype)
        self._places = chunks.places
        self._packed = chunks.packed
        self._error = error
        self._damaged = f"{damaged}: {name}"

    def chunk(self, number: int) -> NDArray[Any]:
        """Rows of a chunk, of the last one only as many as there are. Raises the error of the file."""
        import numpy as np

        offset, size = map(int, self._places[number])
        whole = (self.rows, *self.shape[1:])
        expected = math.prod(whole) * self._dtype.itemsize
        try:
            content = read_at(self._file.fileno(), size, offset)
            if self._packed:
                unpacker = zlib.decompressobj()
                content = unpacker.decompress(content, expected + 1)
        except (OSError, zlib.error) as failure:
            raise self._error(f"{self._damaged}: chunk {number} cannot be read") from failure
        if len(content) != expected:
            raise self._error(f"{self._damaged}: chunk {number} has {len(content)} bytes, expected {expected}")
        rows = np.frombuffer(content, dtype=self._dtype).reshape(whole)
        return rows[: self.shape[0] - number * self.rows]

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Rows from `first` to `last`, which is not one of them. Raises the error of the file."""
        import numpy as np

        out = np.empty((last - first, *self.shape[1:]), dtype=self._dtype)
        at = first
        while at < last:
            number, begin = divmod(at, self.rows)
            end = min(self.rows, last - number * self.rows)
            out[at - first : at - first + end - begin] = self.chunk(number)[begin:end]
            at += end - begin
        return out
