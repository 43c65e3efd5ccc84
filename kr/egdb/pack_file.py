"""The packed form of an endgame database: its header, which lists the files that follow each other."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from io import FileIO
from itertools import accumulate
from pathlib import Path

from kr import storage, system
from kr.egdb import files, slices
from kr.egdb.slices import Shape
from kr.errors import InvalidDatabaseError
from kr.file_kinds import EGDB_MAGIC, PACK_MAGIC
from kr.units import counted

PACK_VERSION = 1
_FIXED = struct.Struct("<8sII32s")
"""Magic, format version, bytes of the JSON text, SHA-256 of all the bytes before it and of the text."""
_MOST_BYTES = 1 << 62
"""Upper bound on the size of a file: no disk has as much."""


@dataclass(frozen=True)
class PackedFile:
    """A file of a database, as the header of a packed one has it."""

    name: str
    bytes: int
    sha256: str
    """64 hexadecimal digits."""


@dataclass
class PiecesPacked:
    """Files with one number of pieces."""

    files: int = 0
    values: int = 0
    """Bytes of the files of values."""
    distances: int = 0
    """Bytes of the files of distances."""
    complete: bool = False
    """True if no file of values is missing."""


@dataclass(frozen=True)
class PackContents:
    """Header of a packed database."""

    start: bytes
    """All bytes before the first file."""
    files: tuple[PackedFile, ...]
    """In the order in which they follow each other."""

    @property
    def checksum(self) -> str:
        """SHA-256 that stands in the header. Equal ones mean equal files, since it covers their checksums."""
        return self.start[_FIXED.size - 32 : _FIXED.size].hex()

    @property
    def size(self) -> int:
        """Bytes of the packed file, if it is whole."""
        return len(self.start) + sum(each.bytes for each in self.files)

    def places(self) -> Iterator[tuple[PackedFile, int]]:
        """Each file, and where it begins."""
        begins = accumulate((each.bytes for each in self.files), initial=len(self.start))
        return zip(self.files, begins, strict=False)


@cache
def slice_files() -> dict[str, tuple[str, Shape]]:
    """Kind and pair by the name of a file: all names that a database can have."""
    pairs = list(slices.pairs_up_to(slices.EGDB_MAX_PIECES))
    return {files.file_name(kind, pair): (kind, pair) for kind in files.FILE_KINDS for pair in pairs}


def by_pieces(packed: Sequence[PackedFile]) -> dict[int, PiecesPacked]:
    """Files and bytes by number of pieces."""
    shares: dict[int, PiecesPacked] = {}
    for each in packed:
        kind, pair = slice_files()[each.name]
        share = shares.setdefault(slices.pieces(pair), PiecesPacked())
        share.files += 1
        if kind == "wld":
            share.values += each.bytes
        else:
            share.distances += each.bytes
    names = {each.name for each in packed}
    for count, share in shares.items():
        share.complete = all(files.file_name("wld", pair) in names for pair in slices.pairs(count))
    return dict(sorted(shares.items()))


def contents_of(packed: Sequence[PackedFile]) -> PackContents:
    """Contents of a packed database with these files."""
    text = json.dumps({"files": [asdict(each) for each in packed]}, separators=(",", ":")).encode()
    start = _FIXED.pack(PACK_MAGIC, PACK_VERSION, len(text), _header_check(text)) + text
    return PackContents(start, tuple(packed))


def _header_check(text: bytes) -> bytes:
    """SHA-256 of the bytes before it and of the text."""
    return hashlib.sha256(_FIXED.pack(PACK_MAGIC, PACK_VERSION, len(text), b"")[:-32] + text).digest()


def read_contents(path: Path, file: FileIO) -> PackContents:
    """Header of an open packed database. The file may be cut short behind it. Raises InvalidDatabaseError."""
    with storage.naming(path):
        size = os.fstat(file.fileno()).st_size
        fixed = system.read_at(file.fileno(), _FIXED.size, 0)
    if not fixed:
        raise InvalidDatabaseError(f"{path}: not a packed endgame database: the file is empty")
    if fixed[: len(PACK_MAGIC)] != PACK_MAGIC[: len(fixed)]:
        single = fixed.startswith(EGDB_MAGIC)
        raise InvalidDatabaseError(
            f"{path}: not a packed endgame database{', but a single file of one' if single else ''}"
        )
    if len(fixed) < _FIXED.size:
        raise _damaged(path, f"it ends in its header, after {counted(size, 'byte')}")
    _, version, text_bytes, check = _FIXED.unpack(fixed)
    if complaint := storage.check_version(version, (PACK_VERSION,)):
        raise InvalidDatabaseError(f"{path}: packed endgame database: {complaint}")
    text = b""
    if text_bytes <= files.MAX_HEADER_BYTES:
        with storage.naming(path):
            text = system.read_at(file.fileno(), text_bytes, _FIXED.size)
        if len(text) < text_bytes:
            raise _damaged(path, f"it ends in its header, after {counted(size, 'byte')}")
    if _header_check(text) != check:
        raise _damaged(path, "its header does not match its checksum")
    try:
        contents = PackContents(fixed + text, _parsed(text))
    except (ValueError, TypeError, KeyError) as error:
        raise _damaged(path, f"invalid header: {error}") from error
    if size > contents.size:
        raise _damaged(path, f"it has {size:,} bytes instead of {contents.size:,}")
    return contents


def _damaged(path: Path, what: str) -> InvalidDatabaseError:
    return InvalidDatabaseError(f"{path}: damaged packed endgame database: {what}; copy the file again")


def _parsed(text: bytes) -> tuple[PackedFile, ...]:
    """The files in the text of a header. Raises ValueError, TypeError and KeyError."""
    entries: dict[str, PackedFile] = {}
    for each in storage.parse_json(text)["files"]:
        packed = PackedFile(each["name"], each["bytes"], each["sha256"])
        if type(packed.name) is not str or packed.name not in slice_files():
            raise ValueError(f"{str(packed.name)[:80]!r} is not the name of a file of a database")
        if type(packed.bytes) is not int or not 0 < packed.bytes < _MOST_BYTES:
            raise ValueError(f"the size of {packed.name} is {str(packed.bytes)[:40]}")
        if type(packed.sha256) is not str or len(packed.sha256) != 64 or set(packed.sha256) - set("0123456789abcdef"):
            raise ValueError(f"the checksum of {packed.name} is {str(packed.sha256)[:80]!r}")
        if packed.name in entries:
            raise ValueError(f"{packed.name} is in it twice")
        entries[packed.name] = packed
    if not entries:
        raise ValueError("no files")
    return tuple(entries.values())
