"""Safe reading of HDF5 files: anyone may have made them, so only the features that kr writes are accepted.

HDF5 can do far more than hold tables: link to other files, keep data in them, run filters from plugins, claim any size.
Here a file is read into memory once, and HDF5 sees only this copy. Accepted are, in its root group, attributes that are
plain texts or numbers, and plain datasets of integers behind hard links, packed by the two filters that kr uses. All
sizes are checked before anything is read.

A file that may be larger than memory is opened by `reading_in_place`: HDF5 tells where the chunks of its datasets are,
and `ChunkedRows` reads and unpacks them.
"""

from __future__ import annotations

import math
import os
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.errors import KrError
from kr.storage import open_regular, printable, read_regular

if TYPE_CHECKING:
    from numpy.typing import NDArray

HDF5_BEGINNING = b"\x89HDF\r\n\x1a\n\x03"
"""Signature, and the version of HDF5's own format that kr writes: the first whose structures have checksums."""
MOST_BYTES = 1 << 30
"""Size limit of a file."""
MOST_ATTRIBUTES = 100
MOST_TEXT = 1 << 22
"""Bytes of a text."""
MOST_CHUNKS = 1 << 12
"""Chunks of a dataset; kr writes one per region."""
MOST_PACKED = 1032
"""Largest factor by which deflate can shrink data."""

BTREE = re.compile(rb"BTHD\0[\0-\x0b](.{4})", re.DOTALL)
"""Start of an index of names or chunks: signature, version, kind, bytes per node."""
MOST_NODE = 1 << 16
"""Bytes per node; kr's files have 512 or 2,048. HDF5 allocates the claimed size before it reads a node."""

CHUNK_INDEX = re.compile(rb"EAHD\0[\0\1].{38}(.{8})", re.DOTALL)
"""Start of an index of chunks without end: signature, version, kind, sizes, places up to which it is filled."""
MOST_CHUNK_BYTES = 1 << 22
"""Size limit of an unpacked chunk that is read in place."""
SCANNED_AT_ONCE = 1 << 20

Attribute = str | int | float


class Hdf5Source:
    """An open file: its attributes, and its datasets on request."""

    def __init__(self, root: Any, size: int, error: type[KrError], damaged: str, unread: Collection[str] = ()) -> None:
        """unread: names of attributes to leave out, whatever they are."""
        self._root = root
        self._unread = unread
        self._left = size * MOST_PACKED
        self._size = size
        self._error = error
        self._damaged = damaged
        self.attributes = self._guarded("attributes", self._attributes)

    def array(self, name: str, dtype: str, shape: Sequence[int | None]) -> NDArray[Any]:
        """A dataset of this type and shape, None for any length. Raises what `reading` does."""
        return self._guarded(name, lambda: self._array(name, dtype, tuple(shape)))

    def group(self, name: str) -> Hdf5Source:
        """A group in this one. Raises what `reading` does."""

        def opened() -> Hdf5Source:
            from h5py import h5g, h5o

            self._check_kind(name, h5o.TYPE_GROUP, "a group")
            return Hdf5Source(h5g.open(self._root, name.encode()), self._size, self._error, self._damaged)

        return self._guarded(name, opened)

    def has(self, name: str) -> bool:
        """True if there is something of this name."""
        return bool(self._guarded(name, lambda: self._root.links.exists(name.encode())))

    def chunks(self, file: FileIO, name: str, dtype: str, shape: Sequence[int | None]) -> ChunkedRows:
        """The chunks of a dataset of this type and shape, which are cut along the rows, None for any length.

        file: the file that this source reads; it stays open as long as the chunks are read. Raises what
        `reading_in_place` does.
        """
        return self._guarded(name, lambda: self._chunks(file, name, dtype, tuple(shape)))

    def refusal(self, what: str) -> KrError:
        """Error for a file that is damaged in this way."""
        return self._error(f"{self._damaged}: {what}")

    def _guarded(self, what: str, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except KrError:
            raise
        except Exception as failure:  # as below
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

        dataset, found = self._dataset(name, dtype, shape)
        self._check_size(name, dataset, found, np.dtype(dtype).itemsize)
        array = np.empty(found, dtype=dtype)
        dataset.read(h5s.ALL, h5s.ALL, array)
        return array

    def _check_kind(self, name: str, kind: int, what: str) -> None:
        """Refuse anything but an object of this kind behind a hard link."""
        from h5py import h5l, h5o

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
        found = dataset.get_space().get_simple_extent_dims()
        right = len(found) == len(shape) and all(b in (a, None) for a, b in zip(found, shape, strict=True))
        if kind.committed() or not kind.equal(h5t.py_create(np.dtype(dtype))) or not right:
            held = kind.dtype if kind.get_class() in (h5t.INTEGER, h5t.FLOAT) else "of another type"
            lengths = ", ".join("any" if length is None else str(length) for length in shape)
            raise self.refusal(f"{name} is {held} {found}; expected {dtype} ({lengths})")
        return dataset, found

    def _chunks(self, file: FileIO, name: str, dtype: str, shape: tuple[int | None, ...]) -> ChunkedRows:
        import numpy as np
        from h5py import h5d, h5z

        dataset, found = self._dataset(name, dtype, shape)
        plist = dataset.get_create_plist()
        if plist.get_layout() != h5d.CHUNKED:
            raise self.refusal(f"{name} is not chunked")
        filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
        if filters not in ([], [h5z.FILTER_DEFLATE]):
            raise self.refusal(f"{name} is packed in a way that kr does not use")
        chunk = plist.get_chunk()
        unpacked = math.prod(chunk) * np.dtype(dtype).itemsize
        if chunk[1:] != found[1:] or unpacked > MOST_CHUNK_BYTES:
            raise self.refusal(f"{name} is chunked in a way that kr does not use")
        count = -(-found[0] // chunk[0])
        # what deflate makes of a chunk is never smaller
        if count * 8 > self._size:
            raise self.refusal(f"{name} claims {found[0]} rows, more than the file holds")
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
        attributes = Hdf5Source(dataset, self._size, self._error, self._damaged).attributes
        return ChunkedRows(
            file, name, np.dtype(dtype), found, chunk[0], places, bool(filters), attributes, self._error, self._damaged
        )

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
        self._left -= size
        if not whole or stored > self._size or self._left < 0:
            raise self.refusal(f"{name} claims {size} bytes, more than the file holds")
        if plist.get_layout() == h5d.CHUNKED:
            chunk = plist.get_chunk()
            chunks = math.prod(-(-a // b) for a, b in zip(shape, chunk, strict=True))
            if chunks > MOST_CHUNKS or math.prod(chunk) * itemsize > max(size, 1):
                raise self.refusal(f"{name} is chunked in a way that kr does not use")


class ChunkedRows:
    """Rows of a dataset that are read from its chunks as they are needed. Threads may share it."""

    def __init__(
        self,
        file: FileIO,
        name: str,
        dtype: Any,
        shape: tuple[int, ...],
        rows: int,
        places: NDArray[Any],
        packed: bool,
        attributes: dict[str, Attribute],
        error: type[KrError],
        damaged: str,
    ) -> None:
        """rows: those of a chunk; places (chunks, 2): offset and size of each in the file, in bytes; packed: by
        deflate."""
        self.shape = shape
        self.rows = rows
        self.attributes = attributes
        self._file = file
        self._dtype = dtype
        self._places = places
        self._packed = packed
        self._error = error
        self._damaged = f"{damaged}: {name}"

    def chunk(self, number: int) -> NDArray[Any]:
        """Rows of a chunk, of the last one only as many as there are. Raises the error of the file."""
        import numpy as np

        offset, size = map(int, self._places[number])
        whole = (self.rows, *self.shape[1:])
        expected = math.prod(whole) * self._dtype.itemsize
        try:
            content = os.pread(self._file.fileno(), size, offset)
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


@contextmanager
def reading_in_place(
    path: Path | str, error: type[KrError], what: str, unread: Collection[str] = ()
) -> Iterator[tuple[Hdf5Source, FileIO]]:
    """Open an HDF5 file that kr wrote and that may be larger than memory; also gives the file, to read chunks from.

    unread: attributes of the root to leave out; the others as for `reading`. The file is closed if the block ends with
    an error; else it is the caller's.
    """
    from h5py import h5f, h5g, h5p

    with ExitStack() as failed:
        try:
            file = failed.enter_context(open_regular(path))
            size = os.fstat(file.fileno()).st_size
            damaged = f"{path}: damaged {what}"
            if os.pread(file.fileno(), len(HDF5_BEGINNING), 0) != HDF5_BEGINNING:
                raise error(f"{path}: not a {what} (not an HDF5 file written by kr)")
            if _has_strange_index(file, size):
                raise error(f"{damaged}: index of names or chunks is too large")
        except FileNotFoundError as missing:
            raise error(f"{path}: no such {what}") from missing
        except OSError as failure:
            raise error(f"{path}: can't read this {what}: {failure.strerror}") from failure
        with ExitStack() as stack:
            try:
                access = h5p.create(h5p.FILE_ACCESS)
                # as h5py opens files; HDF5 wants the same of all who have a file open
                access.set_fclose_degree(h5f.CLOSE_STRONG)
                # what has been checked, even if the name leads to another file by now
                handle = h5f.open(f"/proc/self/fd/{file.fileno()}".encode(), h5f.ACC_RDONLY, fapl=access)
                stack.callback(handle.close)
                root = h5g.open(handle, b"/")
            except Exception as failure:  # h5py raises anything for a damaged file
                raise error(f"{damaged}: not readable as HDF5") from failure
            yield Hdf5Source(root, size, error, damaged, unread), file
        failed.pop_all()


def _has_strange_index(file: FileIO, size: int) -> bool:
    """True if the file has an index that claims nodes, or chunks, that a file of this size can't have."""
    overlap = 64
    for start in range(0, size, SCANNED_AT_ONCE):
        block = os.pread(file.fileno(), SCANNED_AT_ONCE + overlap, start)
        for signature, index, most in ((b"BTHD", BTREE, MOST_NODE), (b"EAHD", CHUNK_INDEX, size)):
            at = block.find(signature)
            while at >= 0:
                found = index.match(block, at)
                if found and int.from_bytes(found[1], "little") > most:
                    return True
                at = block.find(signature, at + 1)
    return False


@contextmanager
def reading(path: Path | str, error: type[KrError], what: str, unread: Collection[str] = ()) -> Iterator[Hdf5Source]:
    """Open an HDF5 file that kr wrote.

    error: raised, with the name of the file, if it is missing, foreign or damaged; what: name of the kind of file;
    unread: attributes of the root to leave out, whatever they are.
    """
    from h5py import h5f, h5g

    try:
        content = read_regular(path, MOST_BYTES)
    except FileNotFoundError as missing:
        raise error(f"{path}: no such {what}") from missing
    except OSError as failure:
        raise error(f"{path}: can't read this {what}: {failure.strerror}") from failure
    if content[: len(HDF5_BEGINNING)] != HDF5_BEGINNING:
        raise error(f"{path}: not a {what} (not an HDF5 file written by kr)")
    damaged = f"{path}: damaged {what}"
    if any(int.from_bytes(size, "little") > MOST_NODE for size in BTREE.findall(content)):
        raise error(f"{damaged}: index of names is too large")
    with ExitStack() as stack:
        try:
            file = h5f.open_file_image(content)
            stack.callback(file.close)
            root = h5g.open(file, b"/")
        except Exception as failure:  # h5py raises anything for a damaged file
            raise error(f"{damaged}: not readable as HDF5") from failure
        yield Hdf5Source(root, len(content), error, damaged, unread)
