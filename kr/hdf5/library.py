"""The content of a file by HDF5: only the features that kr writes are accepted.

HDF5 can do far more than hold tables: link to other files, store data in them, run filters from plugins, claim any
size. Accepted are, in the root group, attributes that are plain texts or numbers, and plain datasets of integers behind
hard links, packed by the two filters that kr uses. All sizes are checked before anything is read.
"""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from kr import system
from kr.errors import KrError
from kr.hdf5.source import Attribute, Chunks, Hdf5Source
from kr.text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ATTRIBUTES = 100
MOST_TEXT = 1 << 22
"""Bytes of a text."""
MOST_CHUNKS = 1 << 12
"""Chunks of a dataset; kr writes one per region."""
MOST_PACKED = 1032
"""Largest factor by which deflate can shrink data."""
MOST_CHUNK_BYTES = 1 << 22
"""Size limit of an unpacked chunk that is read in place."""


@contextmanager
def library_file(
    place: bytes | str, size: int, error: type[KrError], damaged: str, unread: Collection[str] = ()
) -> Iterator[LibrarySource]:
    """Open a file by HDF5. place: its content, or its path.

    unread: names of attributes of the root to leave out, whatever they are.
    """
    with _interrupts_held():
        from h5py import h5f, h5g

    try:
        file = h5f.open_file_image(place) if isinstance(place, bytes) else _opened_in_place(place)
    except Exception as failure:  # h5py raises anything for a damaged file
        raise error(f"{damaged}: not readable as HDF5") from failure
    try:
        try:
            root = h5g.open(file, b"/")
        except Exception as failure:
            raise error(f"{damaged}: not readable as HDF5") from failure
        yield LibrarySource(root, size, error, damaged, unread)
    finally:
        file.close()


def _opened_in_place(path: str) -> Any:
    from h5py import h5f, h5p

    access = h5p.create(h5p.FILE_ACCESS)
    # as h5py opens files; HDF5 requires the same of all openings of a file
    access.set_fclose_degree(h5f.CLOSE_STRONG)
    return h5f.open(os.fsencode(path), h5f.ACC_RDONLY, fapl=access)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block.

    h5py calls Python in the finalizers of its objects, from which an exception is printed and dropped: most of the
    interrupts of a command that was loading its tables were lost there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[tuple[int, FrameType | None]] = []

    def hold(number: int, frame: FrameType | None) -> None:
        held.append((number, frame))

    # a handler that Python did not set can't be set back
    before = [(each, handler) for each in system.END_SIGNALS if callable(handler := signal.getsignal(each))]
    for each, _ in before:
        signal.signal(each, hold)
    try:
        yield
    finally:
        for each, handler in before:
            signal.signal(each, handler)
        for number, frame in held[:1]:
            dict(before)[signal.Signals(number)](number, frame)


class LibrarySource(Hdf5Source):
    """An open file or a group in it, read by HDF5 in this process."""

    def __init__(self, root: Any, size: int, error: type[KrError], damaged: str, unread: Collection[str] = ()) -> None:
        """unread: names of attributes to leave out, whatever they are."""
        super().__init__(error, damaged)
        self._root = root
        self._unread = unread
        self._room = size * MOST_PACKED
        self._size = size
        self.attributes = self._guarded("attributes", self._attributes)

    def read(self, name: str, dtype: str, shape: Sequence[int | None]) -> NDArray[Any]:
        array: NDArray[Any] = self._guarded(name, lambda: self._array(name, dtype, tuple(shape)))
        return array

    def group(self, name: str) -> LibrarySource:
        def opened_group() -> LibrarySource:
            from h5py import h5g, h5o

            self._check_kind(name, h5o.TYPE_GROUP, "a group")
            return LibrarySource(h5g.open(self._root, name.encode()), self._size, self._error, self._damaged)

        group: LibrarySource = self._guarded(name, opened_group)
        return group

    def has(self, name: str) -> bool:
        return bool(self._guarded(name, lambda: self._root.links.exists(name.encode())))

    def places(self, name: str, dtype: str, shape: Sequence[int | None]) -> Chunks:
        chunks: Chunks = self._guarded(name, lambda: self._chunks(name, dtype, tuple(shape)))
        return chunks

    def _guarded(self, what: str, read: Callable[[], Any]) -> Any:
        try:
            with _interrupts_held():
                return read()
        except KrError:
            raise
        except Exception as failure:  # h5py raises anything for a damaged file
            raise self.refusal(f"{what} cannot be read") from failure

    def _attributes(self) -> dict[str, Attribute]:
        from h5py import h5a

        count = h5a.get_num_attrs(self._root)
        if count > MOST_ATTRIBUTES:
            raise self.refusal(f"{count} attributes, more than {MOST_ATTRIBUTES}")
        opened = (h5a.open(self._root, index=i) for i in range(count))
        return dict(self._attribute(each) for each in opened if each.name.decode() not in self._unread)

    def _attribute(self, attribute: Any) -> tuple[str, Attribute]:
        import numpy as np
        from h5py import h5s, h5t

        name, kind = attribute.name.decode(), attribute.get_type()
        text = kind.get_class() == h5t.STRING and kind.is_variable_str()
        number = kind.get_class() in (h5t.INTEGER, h5t.FLOAT) and kind.get_size() <= 8
        single = attribute.get_space().get_simple_extent_type() == h5s.SCALAR
        if not (text or number) or kind.committed() or not single:
            raise self.refusal(f"attribute {printable(name)!r} is neither a text nor a number")
        holder = np.empty((), dtype=h5t.string_dtype() if text else kind.dtype)
        attribute.read(holder)
        value: Any = holder.item()
        if text and len(value) > MOST_TEXT:
            raise self.refusal(f"attribute {printable(name)!r} has more than {MOST_TEXT} bytes")
        return name, value.decode() if text else value

    def _array(self, name: str, dtype: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        import numpy as np
        from h5py import h5s

        dataset, lengths = self._dataset(name, dtype, shape)
        self._check_size(name, dataset, lengths, np.dtype(dtype).itemsize)
        array = np.empty(lengths, dtype=dtype)
        dataset.read(h5s.ALL, h5s.ALL, array)
        return array

    def _check_kind(self, name: str, kind: int, what: str) -> None:
        """Refuse anything but an object of this kind behind a hard link."""
        from h5py import h5l, h5o

        if not name or "/" in name or name == ".":
            # a path, on whose way there may be a link to another file
            raise self.refusal(f"{name!r:.40} is not the name of {what}")
        encoded = name.encode()
        if not self._root.links.exists(encoded):
            raise self.refusal(f"{name} is missing")
        if self._root.links.get_info(encoded).type != h5l.TYPE_HARD:
            raise self.refusal(f"{name} is a link to another place")
        if h5o.get_info(self._root, encoded).type != kind:
            raise self.refusal(f"{name} is not {what}")

    def _dataset(self, name: str, dtype: str, shape: tuple[int | None, ...]) -> tuple[Any, tuple[int, ...]]:
        """A dataset and its shape, once layout, type and shape are checked; its size is not."""
        import numpy as np
        from h5py import h5d, h5o, h5t

        self._check_kind(name, h5o.TYPE_DATASET, "a dataset")
        dataset = h5d.open(self._root, name.encode())
        # before its shape: to get that of a virtual dataset, HDF5 may open other files
        self._check_layout(name, dataset.get_create_plist())
        kind = dataset.get_type()
        dimensions = dataset.get_space().get_simple_extent_dims()
        right = len(dimensions) == len(shape) and all(b in (a, None) for a, b in zip(dimensions, shape, strict=True))
        if kind.committed() or not kind.equal(h5t.py_create(np.dtype(dtype))) or not right:
            kind_text = kind.dtype if kind.get_class() in (h5t.INTEGER, h5t.FLOAT) else "of another type"
            lengths = ", ".join("any" if length is None else str(length) for length in shape)
            raise self.refusal(f"{name} is {kind_text} {dimensions}; expected {dtype} ({lengths})")
        return dataset, dimensions

    def _chunks(self, name: str, dtype: str, shape: tuple[int | None, ...]) -> Chunks:
        import numpy as np
        from h5py import h5d, h5z

        dataset, dimensions = self._dataset(name, dtype, shape)
        plist = dataset.get_create_plist()
        if plist.get_layout() != h5d.CHUNKED:
            raise self.refusal(f"{name} is not chunked")
        filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
        if filters not in ([], [h5z.FILTER_DEFLATE]):
            raise self.refusal(f"{name} is packed in a way that kr does not use")
        chunk = plist.get_chunk()
        unpacked = math.prod(chunk) * np.dtype(dtype).itemsize
        if chunk[1:] != dimensions[1:] or unpacked > MOST_CHUNK_BYTES:
            raise self.refusal(f"{name} is chunked in a way that kr does not use")
        count = -(-dimensions[0] // chunk[0])
        # a chunk packed by deflate is never smaller
        if count * 8 > self._size:
            raise self.refusal(f"{name} claims {dimensions[0]} rows, more than the file holds")
        places = np.full((count, 2), -1, dtype=np.int64)

        def note(info: Any) -> bool | None:
            number, size = info.chunk_offset[0] // chunk[0], info.size
            if info.filter_mask or number >= count or info.byte_offset is None:
                return True
            fits = 0 < size <= unpacked + unpacked // 64 + 64 and 0 <= info.byte_offset <= self._size - size
            if not fits or (not filters and size != unpacked):
                return True
            places[number] = info.byte_offset, size
            return None

        dataset.chunk_iter(note)
        if (places < 0).any():
            raise self.refusal(f"{name} has chunks that are missing or in impossible places")
        attributes = LibrarySource(dataset, self._size, self._error, self._damaged).attributes
        return Chunks(dimensions, chunk[0], bool(filters), places, attributes)

    def _check_layout(self, name: str, plist: Any) -> None:
        """Refuse data in other files, and filters that kr does not use."""
        from h5py import h5d, h5z

        if plist.get_layout() not in (h5d.COMPACT, h5d.CONTIGUOUS, h5d.CHUNKED) or plist.get_external_count():
            raise self.refusal(f"{name} has its data in another place")
        filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
        if len(set(filters)) < len(filters) or not set(filters) <= {h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE}:
            raise self.refusal(f"{name} is packed in a way that kr does not use")

    def _check_size(self, name: str, dataset: Any, shape: tuple[int, ...], itemsize: int) -> None:
        """Refuse a dataset that claims more data than the file can hold, however well packed."""
        from h5py import h5d

        plist = dataset.get_create_plist()
        size = math.prod(shape) * itemsize
        stored = dataset.get_storage_size()
        packed = plist.get_nfilters() > 0
        whole = size <= stored * MOST_PACKED if packed else size == stored
        self._room -= size
        if not whole or stored > self._size or self._room < 0:
            raise self.refusal(f"{name} claims {size} bytes, more than the file holds")
        if plist.get_layout() == h5d.CHUNKED:
            chunk = plist.get_chunk()
            chunks = math.prod(-(-a // b) for a, b in zip(shape, chunk, strict=True))
            if chunks > MOST_CHUNKS or math.prod(chunk) * itemsize > max(size, 1):
                raise self.refusal(f"{name} is chunked in a way that kr does not use")
