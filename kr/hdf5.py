"""Safe reading of HDF5 files: anyone may have made them, so only the features that kr writes are accepted.

HDF5 can do far more than hold tables: link to other files, keep data in them, run filters from plugins, claim any size.
Here a file is read into memory once, and HDF5 sees only this copy. Accepted are, in its root group, attributes that are
plain texts or numbers, and plain datasets of integers behind hard links, packed by the two filters that kr uses. All
sizes are checked before anything is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.errors import KrError
from kr.storage import printable, read_regular

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

Attribute = str | int | float


class Hdf5Source:
    """An open file: its attributes, and its datasets on request."""

    def __init__(self, root: Any, size: int, error: type[KrError], damaged: str) -> None:
        self._root = root
        self._left = size * MOST_PACKED
        self._size = size
        self._error = error
        self._damaged = damaged
        self.attributes = self._guarded("attributes", self._attributes)

    def array(self, name: str, dtype: str, shape: Sequence[int | None]) -> NDArray[Any]:
        """A dataset of this type and shape, None for any length. Raises what `reading` does."""
        return self._guarded(name, lambda: self._array(name, dtype, tuple(shape)))

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
        return dict(self._attribute(h5a.open(self._root, index=i)) for i in range(count))

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
        from h5py import h5d, h5l, h5o, h5s, h5t

        encoded = name.encode()
        if not self._root.links.exists(encoded):
            raise self.refusal(f"{name} is missing")
        if self._root.links.get_info(encoded).type != h5l.TYPE_HARD:
            raise self.refusal(f"{name} is a link to another place")
        if h5o.get_info(self._root, encoded).type != h5o.TYPE_DATASET:
            raise self.refusal(f"{name} is not a dataset")
        dataset = h5d.open(self._root, encoded)
        # before its shape: to get that of a virtual dataset, HDF5 may open other files
        self._check_layout(name, dataset.get_create_plist())
        kind = dataset.get_type()
        found = dataset.get_space().get_simple_extent_dims()
        right = len(found) == len(shape) and all(b in (a, None) for a, b in zip(found, shape, strict=True))
        if kind.committed() or not kind.equal(h5t.py_create(np.dtype(dtype))) or not right:
            held = kind.dtype if kind.get_class() in (h5t.INTEGER, h5t.FLOAT) else "of another type"
            lengths = ", ".join("any" if length is None else str(length) for length in shape)
            raise self.refusal(f"{name} is {held} {found}; expected {dtype} ({lengths})")
        self._check_size(name, dataset, found, np.dtype(dtype).itemsize)
        array = np.empty(found, dtype=dtype)
        dataset.read(h5s.ALL, h5s.ALL, array)
        return array

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


@contextmanager
def reading(path: Path | str, error: type[KrError], what: str) -> Iterator[Hdf5Source]:
    """Open an HDF5 file that kr wrote.

    error: raised, with the name of the file, if it is missing, foreign or damaged; what: name of the kind of file.
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
        yield Hdf5Source(root, len(content), error, damaged)
