"""The files of an endgame database: one for each pair of slices and kind, read by and by, and checked as it is read.

docs/egdb.md gives the format. The header says everything about the file and is checked when it is opened; the entries
are under checksums of 64 KiB each. The core copies such a chunk into memory when it first needs it and checks the copy,
so that nothing that happens to the file later can change a value: what was read stays, what was not is found damaged.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kr import _egdb, storage
from kr.egdb import slices
from kr.egdb.slices import Shape
from kr.errors import InvalidDatabaseError

MAGIC = b"\x89KREGDB\n"
FORMAT_VERSION = 1
KINDS = ("wld", "dtw")
SUFFIX = ".egdb"

_FIXED = struct.Struct("<8sIII")
"""Magic, format version, bytes of the JSON text, CRC-32 of all before it and of the text."""
_ALIGNMENT = 64
MOST_TEXT = 1 << 24
"""Bytes of a header's text; kr's have some thousand."""


@dataclass(frozen=True)
class Header:
    """What a file says about itself."""

    kind: str
    """"wld" (win, loss, draw) or "dtw" (distance to win)."""
    stored: Shape
    """The slice of the pair whose entries are in the file."""
    entries: int
    block_bits: int
    """Entries of a block, as a power of two."""
    index_bytes: int
    data_bytes: int
    codes: tuple[str, ...]
    """Code lengths, a hexadecimal digit for each symbol; zeros at the end are left out."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What the builder found out: `counts`, by slice its losses, draws and wins; of distances `longest` too, by
    slice the plies and the number of the win that takes longest."""
    made: dict[str, str] = field(default_factory=dict)
    """By which version of kr; no date, so that a build repeated gives the same bytes."""

    @property
    def pair(self) -> Shape:
        return slices.named_view(self.stored)


class _Layout(NamedTuple):
    """Where the parts of a file begin."""

    body: int
    """Index and data."""
    checks: int
    """Checksums of the body's chunks."""
    end: int


class SliceFile:
    """An open file: its header and its entries."""

    def __init__(self, path: Path, header: Header, coded: Any, opened: os.stat_result) -> None:
        self.path = path
        self.header = header
        self.coded = coded
        """The core's CodedFile."""
        self._opened = _stamp(opened)

    def check(self) -> None:
        """Compare all checksums. Raises InvalidDatabaseError."""
        self.coded.check()
        self.raise_damage()

    def raise_damage(self) -> None:
        """Raise InvalidDatabaseError if a part that was touched since the file was opened is damaged."""
        if (chunk := self.coded.damage()) is not None:
            if self._changed():
                raise InvalidDatabaseError(
                    f"{self.path}: this endgame database was changed while it was in use; start kr again"
                )
            raise InvalidDatabaseError(
                f"{self.path}: damaged endgame database: chunk {chunk} of {_egdb.CODE_CHUNK >> 10} KiB, slice "
                f"{slices.name(self.header.stored)} ({slices.describe(self.header.stored)}), does not match its "
                f"checksum; build the file again"
            )

    def _changed(self) -> bool:
        try:
            return _stamp(os.stat(self.path)) != self._opened
        except OSError:
            return True


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    """What is another where a file was written to, or replaced, in the meantime."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def file_name(kind: str, pair: Shape) -> str:
    """Name of a pair's file."""
    return f"{kind}-{slices.name(pair)}{SUFFIX}"


# Writing


def values_file(codes: Mapping[Shape, NDArray[np.uint64]], facts: Mapping[str, Any]) -> bytes:
    """The content of a file: the view that becomes smaller, compressed.

    codes: by slice of the pair its values at 2 bits an entry, 3 where any value will do.
    """
    stored = min(codes, key=lambda view: _egdb.encoded_size(codes[view].view(np.uint8), slices.size(view)))
    coded = _egdb.encode_values(codes[stored].view(np.uint8), slices.size(stored))
    return _content("wld", stored, coded, facts)


def distances_file(distances: Mapping[Shape, NDArray[np.uint8]], facts: Mapping[str, Any]) -> bytes:
    """As `values_file`, with halved distances to win by slice of the pair, 255 where any will do."""
    stored = min(distances, key=lambda view: _egdb.encoded_distances_size(distances[view]))
    return _content("dtw", stored, _egdb.encode_distances(distances[stored]), facts)


@cache
def _made() -> dict[str, str]:
    return {name: text for name, text in storage.provenance().items() if name in ("kr", "commit")}


def _content(
    kind: str,
    stored: Shape,
    coded: tuple[int, NDArray[np.uint8], NDArray[np.uint8], Iterable[NDArray[np.uint8]]],
    facts: Mapping[str, Any],
) -> bytes:
    block_bits, index, data, lengths = coded
    header = {
        "kind": kind,
        "stored": slices.name(stored),
        "entries": slices.size(stored),
        "block_bits": block_bits,
        "index_bytes": len(index),
        "data_bytes": len(data) - _egdb.CODE_PAD,
        "codes": ["".join(f"{length:x}" for length in row).rstrip("0") for row in lengths],
        "facts": facts,
        "made": _made(),
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    layout = _layout(len(text), len(index), len(data) - _egdb.CODE_PAD)
    body = index.tobytes() + data.tobytes()
    checks = [zlib.crc32(body[at : at + _egdb.CODE_CHUNK]) for at in range(0, len(body), _egdb.CODE_CHUNK)]
    start = _FIXED.pack(MAGIC, FORMAT_VERSION, len(text), _header_check(text)) + text
    checked = np.array(checks, dtype="<u4").tobytes()
    return start.ljust(layout.body, b"\0") + body.ljust(layout.checks - layout.body, b"\0") + checked


def _layout(text_bytes: int, index_bytes: int, data_bytes: int) -> _Layout:
    body_bytes = index_bytes + data_bytes + _egdb.CODE_PAD
    body = _aligned(_FIXED.size + text_bytes)
    checks = body + _aligned(body_bytes)
    return _Layout(body, checks, checks + 4 * -(-body_bytes // _egdb.CODE_CHUNK))


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _header_check(text: bytes) -> int:
    """CRC-32 of all before it and of the text."""
    return zlib.crc32(text, zlib.crc32(_FIXED.pack(MAGIC, FORMAT_VERSION, len(text), 0)[:-4]))


# Reading


def read_header(path: Path) -> Header:
    """The checked header of a file. Raises InvalidDatabaseError naming the file."""
    with _opened(path) as file:
        return _read(path, file)[0]


def open_slice(path: Path) -> SliceFile:
    """Open a file. Raises InvalidDatabaseError naming the file."""
    with _opened(path) as file:
        header, layout = _read(path, file)
        status = os.fstat(file.fileno())
        try:
            coded = _egdb.CodedFile(
                header.kind,
                file.fileno(),
                status.st_size,
                layout.body,
                header.index_bytes,
                header.data_bytes,
                layout.checks,
                header.entries,
                header.block_bits,
                _lengths(header),
            )
        except ValueError as error:
            raise _damaged(path, f"its header makes no sense: {error}") from error
        except OSError as error:
            raise _unreadable(path, error) from error
    return SliceFile(path, header, coded, status)


def _damaged(path: Path, what: str) -> InvalidDatabaseError:
    return InvalidDatabaseError(f"{path}: damaged endgame database: {what}; build the file again")


def _unreadable(path: Path, error: OSError) -> InvalidDatabaseError:
    return InvalidDatabaseError(f"{path}: can't read this endgame database: {error.strerror}")


def _opened(path: Path) -> FileIO:
    try:
        return storage.open_regular(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _read(path: Path, file: FileIO) -> tuple[Header, _Layout]:
    """The checked header, and where the parts are."""
    try:
        size = os.fstat(file.fileno()).st_size
        fixed = os.pread(file.fileno(), _FIXED.size, 0)
        if not fixed:
            raise InvalidDatabaseError(f"{path}: no endgame database of kr: the file is empty")
        if fixed[: len(MAGIC)] != MAGIC[: len(fixed)]:
            raise InvalidDatabaseError(f"{path}: no endgame database of kr")
        if len(fixed) < _FIXED.size:
            raise _damaged(path, f"it ends after {len(fixed)} bytes")
        _, version, text_bytes, check = _FIXED.unpack(fixed)
        if version != FORMAT_VERSION:
            raise InvalidDatabaseError(
                f"{path}: endgame database of format version {version}, this kr reads {FORMAT_VERSION}; build it again"
            )
        text = os.pread(file.fileno(), text_bytes, _FIXED.size) if text_bytes <= min(size, MOST_TEXT) else b""
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(text) != text_bytes or _header_check(text) != check:
        raise _damaged(path, "its header does not match its checksum")
    header = _parsed(path, text)
    layout = _layout(text_bytes, header.index_bytes, header.data_bytes)
    if size != layout.end:
        raise _damaged(path, f"it has {size} bytes instead of {layout.end}")
    if path.name != file_name(header.kind, header.pair):
        raise InvalidDatabaseError(
            f"{path}: this is {file_name(header.kind, header.pair)} under another name; build the file again"
        )
    return header, layout


def _parsed(path: Path, text: bytes) -> Header:
    """The header's text, its numbers within reason."""
    try:
        fields = json.loads(text)
        fields["stored"] = tuple(int(digit) for digit in fields["stored"])
        fields["codes"] = tuple(str(row) for row in fields["codes"])
        header = Header(**fields)
        numbers = (header.entries, header.block_bits, header.index_bytes, header.data_bytes)
        if not all(isinstance(n, int) and n >= 0 for n in numbers) or not isinstance(header.facts, dict):
            raise ValueError("numbers or facts are none")
        if len(header.stored) != 4 or header.entries != slices.size(header.stored):
            raise ValueError(f"{header.entries} entries of slice {header.stored}")
        if header.index_bytes != _egdb.code_shape(header.kind, header.entries, header.block_bits)[0]:
            raise ValueError(f"an index of {header.index_bytes} bytes")
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise _damaged(path, f"its header makes no sense: {error}") from error
    return header


def _lengths(header: Header) -> NDArray[np.uint8]:
    """The code lengths of all symbols, one after the other."""
    symbols = _egdb.code_shape(header.kind, header.entries, header.block_bits)[1]
    rows = [row.ljust(size, "0") for row, size in zip(header.codes, symbols, strict=True)]
    return np.array([int(digit, 16) for row in rows for digit in row], dtype=np.uint8)
