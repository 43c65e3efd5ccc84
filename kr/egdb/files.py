"""Files of an endgame database: one for each pair of slices and kind, checked as they are read.

docs/reference/egdb-format.md describes the format. The header is checked when a file is opened; the entries have a
checksum for each chunk of 64 KiB. The core copies a chunk into memory when it is first needed and checks the copy. So a
later change of the file can't change a value: a chunk read before stays as it was, one read after shows as damaged.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kr import _egdb, storage, system
from kr.egdb import slices
from kr.egdb.slices import Class, Shape
from kr.errors import InvalidDatabaseError
from kr.file_kinds import EGDB_MAGIC

# those that a game only looks at need no arrays
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kr.egdb.encoding import Coded

FORMAT_VERSION = 1
FILE_KINDS = ("wld", "dtw")
"""Values (win, loss, draw) and distances to win."""
SUFFIX = ".egdb"

_FIXED = struct.Struct("<8sIII")
"""Magic, format version, bytes of the JSON text, CRC-32 of all the bytes before it and of the text."""
_ALIGNMENT = 64
MAX_HEADER_BYTES = 1 << 24
"""Upper bound on a header's text; kr writes a few thousand bytes."""


@dataclass(frozen=True)
class SliceHeader:
    """Header of a file."""

    kind: str
    """One of FILE_KINDS."""
    stored: Shape
    """The slice of the pair whose entries are in the file."""
    entries: int
    block_bits: int
    """Base-2 logarithm of the entries of a block."""
    index_bytes: int
    data_bytes: int
    codes: tuple[str, ...]
    """Code lengths, a hexadecimal digit for each symbol; trailing zeros are left out."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Statistics by slice: `counts` (losses, draws, wins); in files of distances also `longest` (plies and index of the
    win that takes longest)."""
    made: dict[str, str] = field(default_factory=dict)
    """Version of kr that wrote the file; no date, so that builds are reproducible byte for byte."""

    @property
    def pair(self) -> Shape:
        """The pair of slices that the file is for."""
        return slices.pair_of(self.stored)


class _Layout(NamedTuple):
    """Offsets of the parts of a file."""

    body: int
    """Index and data."""
    checks: int
    """Checksums of the body's chunks."""
    end: int


class SliceFile:
    """An open file: its header and its entries."""

    def __init__(self, path: Path, header: SliceHeader, coded: Any, opened: os.stat_result) -> None:
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
        """Raise InvalidDatabaseError if a chunk read since the file was opened is damaged."""
        if (chunk := self.coded.damage()) is not None:
            if self._changed():
                raise InvalidDatabaseError(
                    f"{self.path}: this endgame database was changed while it was in use; restart kr"
                )
            raise InvalidDatabaseError(
                f"{self.path}: damaged endgame database: chunk {chunk} of {_egdb.CODE_CHUNK >> 10} KiB, slice "
                f"{slices.name(self.header.stored)} ({slices.describe(self.header.stored)}), does not match its "
                f"checksum; remove the file and build it again"
            )

    def _changed(self) -> bool:
        try:
            return _stamp(os.stat(self.path)) != self._opened
        except OSError:
            return True


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    """State of a file that differs once it has been written to or replaced."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def file_name(kind: str, pair: Shape) -> str:
    """Name of a pair's file of one of FILE_KINDS."""
    return f"{kind}-{slices.name(pair)}{SUFFIX}"


# Writing


def values_file(coded: Coded, facts: Mapping[str, Any]) -> memoryview:
    """Content of a file of values; takes the parts of `coded`."""
    return _content("wld", coded, facts)


def distances_file(distances: Mapping[Shape, NDArray[np.uint8]], facts: Mapping[str, Any]) -> memoryview:
    """Content of a file of distances; distances: of each slice, half the plies to the end, 255 for a don't-care."""
    from kr.egdb.encoding import Coded

    stored = min(distances, key=lambda view: _egdb.encoded_distances_size(distances[view]))
    block_bits, index, data, lengths = _egdb.encode_distances(distances[stored])
    return _content("dtw", Coded(stored, block_bits, [index], [data[: -_egdb.CODE_PAD]], lengths), facts)


@cache
def _made() -> dict[str, str]:
    return {name: text for name, text in storage.provenance().items() if name in ("kr", "commit")}


def _content(kind: str, coded: Coded, facts: Mapping[str, Any]) -> memoryview:
    import numpy as np

    index_bytes, data_bytes = sum(map(len, coded.index)), sum(map(len, coded.data))
    header = {
        "kind": kind,
        "stored": slices.name(coded.shape),
        "entries": slices.size(coded.shape),
        "block_bits": coded.block_bits,
        "index_bytes": index_bytes,
        "data_bytes": data_bytes,
        "codes": ["".join(f"{length:x}" for length in row).rstrip("0") for row in coded.lengths],
        "facts": facts,
        "made": _made(),
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    layout = _layout(len(text), index_bytes, data_bytes)
    start = _FIXED.pack(EGDB_MAGIC, FORMAT_VERSION, len(text), _header_check(text)) + text
    # memory of large files is taken as parts are copied and freed, so that a file stands there once
    content = np.zeros(layout.end, np.uint8)
    content[: len(start)] = np.frombuffer(start, np.uint8)
    at = layout.body
    for parts in (coded.index, coded.data):
        while parts:
            part = parts.pop(0)
            content[at : at + len(part)] = part
            at += len(part)
    body = content.data[layout.body : at + _egdb.CODE_PAD]
    checks = [zlib.crc32(body[at : at + _egdb.CODE_CHUNK]) for at in range(0, len(body), _egdb.CODE_CHUNK)]
    content[layout.checks :] = np.array(checks, dtype="<u4").view(np.uint8)
    return content.data


def _layout(text_bytes: int, index_bytes: int, data_bytes: int) -> _Layout:
    body_bytes = index_bytes + data_bytes + _egdb.CODE_PAD
    body = _aligned(_FIXED.size + text_bytes)
    checks = body + _aligned(body_bytes)
    return _Layout(body, checks, checks + 4 * -(-body_bytes // _egdb.CODE_CHUNK))


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _header_check(text: bytes) -> int:
    """CRC-32 of the bytes before the checksum and of the text."""
    return zlib.crc32(text, zlib.crc32(_FIXED.pack(EGDB_MAGIC, FORMAT_VERSION, len(text), 0)[:-4]))


# Reading


def read_header(path: Path) -> SliceHeader:
    """Header of a file. Raises InvalidDatabaseError."""
    with _opened(path) as file:
        return _read(path, file)[0]


def open_slice(path: Path) -> SliceFile:
    """Open a file. Raises InvalidDatabaseError."""
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
            raise _damaged(path, f"invalid header: {error}") from error
        except OSError as error:
            raise unreadable(path, error) from error
    return SliceFile(path, header, coded, status)


def _damaged(path: Path, what: str) -> InvalidDatabaseError:
    return InvalidDatabaseError(f"{path}: damaged endgame database: {what}; remove the file and build it again")


def unreadable(path: Path, error: OSError) -> InvalidDatabaseError:
    """The error for a database, or a file of one, that the system can't read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InvalidDatabaseError(storage.no_directory(path, "that of an endgame database"))
    return InvalidDatabaseError(f"{path}: can't read this endgame database: {error.strerror}")


def no_database(directory: Path) -> InvalidDatabaseError:
    """The error for a directory without a database."""
    return InvalidDatabaseError(
        f"{directory}: no endgame database here; build one with `kr egdb build`, or give another directory"
    )


@dataclass(frozen=True)
class Listing:
    """Files of a directory, by kind and pair."""

    directory: Path
    paths: Mapping[str, Mapping[Shape, Path]]

    def complete(self, kind: str) -> int:
        """Most pieces up to which every pair has its file of this kind; 1 if there is no database of this kind."""
        return slices.complete_pieces(self.paths[kind])

    def classes(self, kind: str) -> tuple[Class, ...]:
        """Every class whose pairs have their files of this kind, as have those of the classes that captures lead to."""
        return slices.usable_classes(self.paths[kind])

    def usable(self, max_pieces: int, max_distances: int) -> Iterator[Path]:
        """Files of values up to some pieces, and of distances up to some where all are there.

        Raises InvalidDatabaseError if there are none.
        """
        pieces = min(self.complete("wld"), max_pieces)
        if pieces < 2:
            raise no_database(self.directory)
        distances = min(pieces, self.complete("dtw"), max_distances)
        classes = {
            "wld": {cls for cls in self.classes("wld") if sum(cls) <= max_pieces},
            "dtw": {cls for count in range(2, distances + 1) for cls in slices.classes(count)},
        }
        return (
            path for kind, chosen in classes.items() for pair, path in self.paths[kind].items()
            if slices.class_of(pair) in chosen
        )  # fmt: skip

    @property
    def reach(self) -> str:
        """What has values, in words: "up to 7 pieces, and 4v4"."""
        complete = self.complete("wld")
        names = [slices.class_name(cls) for cls in self.classes("wld") if sum(cls) > complete]
        return slices.reach_in_words(complete, names)


def folders_of(directory: str | Path) -> list[Path]:
    """The directories that a text names with `os.pathsep` between them: a file is taken from the first that has it.

    Raises InvalidSettingError for what can't name one.
    """
    whole = storage.as_path(directory)
    if os.pathsep not in str(whole) or os.path.isdir(whole):
        return [whole]
    return [Path(each) for each in str(directory).split(os.pathsep) if each]


def listing(directory: str | Path) -> Listing:
    """List the files of a directory, or of several. Raises InvalidDatabaseError if one can't be read."""
    places: dict[str, Path] = {}
    for folder in folders_of(directory):
        try:
            names = os.listdir(folder)
        except OSError as error:
            raise unreadable(folder, error) from error
        for name in names:
            places.setdefault(name, folder / name)
    paths = {
        kind: {
            pair: places[name]
            for pair in slices.pairs_up_to(slices.EGDB_MAX_PIECES)
            if (name := file_name(kind, pair)) in places
        }
        for kind in FILE_KINDS
    }
    return Listing(Path(directory), paths)


def _opened(path: Path) -> FileIO:
    try:
        return storage.open_regular(path)
    except OSError as error:
        raise unreadable(path, error) from error


def _read(path: Path, file: FileIO) -> tuple[SliceHeader, _Layout]:
    """Check and read the header; returns it and the offsets of the parts."""
    try:
        size = os.fstat(file.fileno()).st_size
        fixed = system.read_at(file.fileno(), _FIXED.size, 0)
        if not fixed:
            raise InvalidDatabaseError(f"{path}: not a kr endgame database: the file is empty")
        if fixed[: len(EGDB_MAGIC)] != EGDB_MAGIC[: len(fixed)]:
            raise InvalidDatabaseError(f"{path}: not a kr endgame database")
        if len(fixed) < _FIXED.size:
            raise _damaged(path, f"it ends after {len(fixed)} bytes")
        _, version, text_bytes, check = _FIXED.unpack(fixed)
        if version != FORMAT_VERSION:
            raise InvalidDatabaseError(
                f"{path}: endgame database of format version {version}; this version of kr reads {FORMAT_VERSION}; "
                "remove the file and build it again"
            )
        text = b""
        if text_bytes <= min(size, MAX_HEADER_BYTES):
            text = system.read_at(file.fileno(), text_bytes, _FIXED.size)
    except OSError as error:
        raise unreadable(path, error) from error
    if len(text) != text_bytes or _header_check(text) != check:
        raise _damaged(path, "its header does not match its checksum")
    header = _parsed(path, text)
    layout = _layout(text_bytes, header.index_bytes, header.data_bytes)
    if size != layout.end:
        raise _damaged(path, f"it has {size} bytes instead of {layout.end}")
    if path.name != (right := file_name(header.kind, header.pair)):
        raise InvalidDatabaseError(f"{path}: has the contents of {right}; rename it, or remove it and build it again")
    return header, layout


def _parsed(path: Path, text: bytes) -> SliceHeader:
    """The header in a text. Raises InvalidDatabaseError if its fields contradict each other."""
    try:
        fields = json.loads(text)
        fields["stored"] = tuple(int(digit) for digit in fields["stored"])
        fields["codes"] = tuple(str(row) for row in fields["codes"])
        header = SliceHeader(**fields)
        numbers = (header.entries, header.block_bits, header.index_bytes, header.data_bytes)
        if not all(isinstance(n, int) and n >= 0 for n in numbers) or not isinstance(header.facts, dict):
            raise ValueError("invalid numbers or facts")
        if len(header.stored) != 4 or header.entries != slices.size(header.stored):
            raise ValueError(f"{header.entries} entries for slice {header.stored}")
        if header.index_bytes != _egdb.code_shape(header.kind, header.entries, header.block_bits)[0]:
            raise ValueError(f"index of {header.index_bytes} bytes")
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise _damaged(path, f"invalid header: {error}") from error
    return header


def _lengths(header: SliceHeader) -> NDArray[np.uint8]:
    """Code lengths of all symbols, one code after the other."""
    import numpy as np

    symbols = _egdb.code_shape(header.kind, header.entries, header.block_bits)[1]
    digits = "".join(row.ljust(size, "0") for row, size in zip(header.codes, symbols, strict=True))
    # two in a byte; an odd one has a zero beside it
    pairs = np.frombuffer(bytes.fromhex(digits + "0" * (len(digits) % 2)), dtype=np.uint8)
    return np.stack((pairs >> 4, pairs & 15), axis=1).reshape(-1)[: len(digits)]
