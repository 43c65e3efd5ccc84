"""Reading and writing HDF5 files.

A file is read into memory once, and HDF5 sees only this copy, in a process of its own (`kr.hdf5.process`) unless the
file came with kr or this process wrote it. One that may be larger than memory is opened by `reading_in_place`: HDF5
locates the chunks of its datasets, and `ChunkedRows` reads and unpacks them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BytesIO, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.errors import KrError, UnreadableOutputError
from kr.hdf5 import structures
from kr.hdf5.library import library_file
from kr.hdf5.process import opened_apart, opened_in_place_apart
from kr.hdf5.source import Hdf5Source
from kr.storage import as_path, atomic_path, is_shipped, is_written_elsewhere, no_file, open_regular, read_open
from kr.system import read_at

if TYPE_CHECKING:
    import h5py
    from numpy.typing import NDArray

MOST_BYTES = 1 << 30
"""Size limit of a file that is read into memory."""
MOST_OWN = 100_000
"""Files that a process remembers to have written."""

_own: dict[bytes, None] = {}
"""SHA-256 of the files that this process wrote."""


@contextmanager
def reading(path: Path | str, error: type[KrError], what: str, unread: Collection[str] = ()) -> Iterator[Hdf5Source]:
    """Open an HDF5 file that kr wrote.

    error: raised, with the name of the file, if it is missing, foreign, damaged or open for writing elsewhere; what:
    name of the kind of file; unread: attributes of the root to leave out, whatever they are.
    """
    with _open_file(path, error, what) as file:
        try:
            content = read_open(file, path, MOST_BYTES)
        except OSError as failure:
            raise error(f"{path}: can't read this {what}: {failure.strerror}") from failure
        _check(path, file, lambda at, count: content[at : at + count], len(content), error, what)
    damaged = f"{path}: damaged {what}"
    digest = hashlib.sha256(content).digest()
    trusted = digest in _own or is_shipped(path)
    with (
        library_file(content, len(content), error, damaged, unread)
        if trusted
        else opened_apart(content, digest, error, damaged, unread)
    ) as source:
        yield source


@contextmanager
def reading_in_place(
    path: Path | str, error: type[KrError], what: str, unread: Collection[str] = ()
) -> Iterator[tuple[Hdf5Source, FileIO]]:
    """Open an HDF5 file that kr wrote and that may be larger than memory; also gives the file, to read chunks from.

    unread: attributes of the root to leave out; the others as for `reading`. The file is closed if the block ends with
    an error; else it is the caller's.
    """
    with ExitStack() as failed:
        file = failed.enter_context(_open_file(path, error, what))
        size = os.fstat(file.fileno()).st_size
        try:
            _check(path, file, lambda at, count: read_at(file.fileno(), count, at), size, error, what)
        except OSError as failure:
            raise error(f"{path}: can't read this {what}: {failure.strerror}") from failure
        with opened_in_place_apart(os.fspath(path), file, error, f"{path}: damaged {what}", unread) as source:
            yield source, file
        failed.pop_all()


def _open_file(path: Path | str, error: type[KrError], what: str) -> FileIO:
    try:
        return open_regular(as_path(path))
    except OSError as failure:
        if not os.path.isfile(path):
            raise error(no_file(path)) from failure
        raise error(f"{path}: can't read this {what}: {failure.strerror}") from failure


def _check(
    path: Path | str, file: FileIO, part: structures.FilePart, size: int, error: type[KrError], what: str
) -> None:
    """Refuse files that another program is writing, that are not of HDF5's present format, or that would hang HDF5."""
    beginning = part(0, structures.BEGINNING)
    whole = beginning.startswith(structures.HDF5_BEGINNING)
    if not whole or structures.is_being_written(beginning):
        if is_written_elsewhere(file):
            raise error(f"{path}: another program has this {what} open for writing; close it there")
        if whole:
            raise error(
                f"{path}: a program that had this {what} open for writing did not close it, or still has it open; "
                f"close it there, or write it anew"
            )
        raise error(f"{path}: not a {what} (not an HDF5 file written by kr)")
    if harm := structures.harmful_structure(part, size):
        raise error(f"{path}: damaged {what}: {harm}")


def write_hdf5(
    path: Path | str,
    arrays: Mapping[str, NDArray[Any]],
    attrs: Mapping[str, Any],
    packing: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Write a file at once or not at all: it is read back before it takes its name.

    attrs: texts and numbers; packing: h5py's options of compression for some of the datasets. Raises OSError, and
    UnreadableOutputError if HDF5 can't read the file back.
    """
    content = _hdf5_content(arrays, attrs, packing or {})
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
        _check_written(path, temporary, content, arrays, attrs)
    while len(_own) >= MOST_OWN:
        del _own[next(iter(_own))]
    _own[hashlib.sha256(content).digest()] = None


def new_file(place: Path | BytesIO) -> h5py.File:
    """An HDF5 file to write, at a path or in memory.

    It has no times, which h5py before 3.16 gives to files and groups: the same content has the same bytes. Make its
    groups by `new_group`. Raises OSError.
    """
    import h5py
    from h5py import h5f, h5p

    access, creation = h5p.create(h5p.FILE_ACCESS), h5p.create(h5p.FILE_CREATE)
    access.set_fclose_degree(h5f.CLOSE_STRONG)
    access.set_libver_bounds(h5f.LIBVER_V110, h5f.LIBVER_V110)
    creation.set_obj_track_times(False)
    name = b"memory"
    if isinstance(place, BytesIO):
        access.set_fileobj_driver(h5py.h5fd.fileobj_driver, place)
    else:
        name = os.fsencode(place)
    return h5py.File(h5f.create(name, h5f.ACC_TRUNC, creation, access))


def new_group(file: h5py.File, name: str) -> h5py.Group:
    """A group of a `new_file`, without times."""
    import h5py
    from h5py import h5g, h5p

    creation = h5p.create(h5p.GROUP_CREATE)
    creation.set_obj_track_times(False)
    return h5py.Group(h5g.create(file.id, name.encode(), gcpl=creation))


def _hdf5_content(
    arrays: Mapping[str, NDArray[Any]], attrs: Mapping[str, Any], packing: Mapping[str, Mapping[str, Any]]
) -> bytes:
    """The content of a file. HDF5 writes to memory, since it never gives up a file that it fails to write: on a full
    disk every attempt to close it would fail again. Only what has been closed is whole."""
    memory = BytesIO()
    with new_file(memory) as file:
        for name, array in arrays.items():
            file.create_dataset(name, data=array, **packing.get(name, {}))
        file.attrs.update(attrs)
    return memory.getvalue()


def _check_written(
    path: Path | str, temporary: Path, content: bytes, arrays: Mapping[str, NDArray[Any]], attrs: Mapping[str, Any]
) -> None:
    import numpy as np

    same = temporary.read_bytes() == content
    try:
        with library_file(content, len(content), KrError, str(path)) as source:
            for name, array in arrays.items():
                stored = source.read(name, array.dtype.str, array.shape)
                # as bytes: NaN is not equal to itself
                original, copy = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (array, stored))
                same = same and np.array_equal(original, copy)
            texts = {name: repr(value.item() if hasattr(value, "item") else value) for name, value in attrs.items()}
            same = same and texts == {name: repr(value) for name, value in source.attributes.items()}
    except KrError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise UnreadableOutputError(f"{path}: not written, since HDF5 can't read it back: {reason}") from error
    if not same:
        raise UnreadableOutputError(f"{path}: not written, since it was read back with another content")
