"""Packed endgame databases for tests: made, spoilt, and made to lie."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr.egdb.build import JOURNAL_NAME
from kr.egdb.encoding import Coded, ValuesEncoding
from kr.egdb.packing import Packed, PackSettings, Unpacked, UnpackSettings, pack_database, unpack_database
from kr.egdb.slices import Shape

Entries = list[dict[str, Any]]
"""Files of a header."""
Change = Callable[[Entries], object]


def pack(directory: Path, out: Path, **changes: Any) -> Packed:
    return pack_database(PackSettings(**{"out": out, "dir": directory, **changes}))


def unpack(packed: Path, directory: Path) -> Unpacked:
    return unpack_database(UnpackSettings(file=packed, dir=directory))


def content(directory: Path) -> dict[str, bytes]:
    """Contents of all files of a directory by name, hidden ones included, but for a build's journal."""
    found = (path for path in directory.rglob("*") if path.is_file() and path.name != JOURNAL_NAME)
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in found}


def encode_values(codes: Mapping[Shape, NDArray[np.uint64]]) -> Coded:
    """The slice of a pair that compresses better, encoded by this thread: see ValuesEncoding."""
    encoding = ValuesEncoding(codes)
    for tasks in encoding.steps():
        for task in tasks:
            task()
    assert encoding.coded is not None
    return encoding.coded


def emptied(good: bytes) -> bytes:
    return b""


def shortened(good: bytes) -> bytes:
    return good[:-1]


def lengthened(good: bytes) -> bytes:
    return good + b"\0"


def flipped_last_bit(good: bytes) -> bytes:
    return good[:-1] + bytes([good[-1] ^ 1])


def flipped_first_bit(good: bytes) -> bytes:
    return bytes([good[0] ^ 1]) + good[1:]


HARMS = [emptied, shortened, lengthened, flipped_last_bit, flipped_first_bit]


def with_text(good: bytes, text: bytes) -> bytes:
    """A packed database with another text in its header, whose checksum is right."""
    old = struct.unpack_from("<I", good, 12)[0]
    fixed = good[:12] + struct.pack("<I", len(text))
    return fixed + hashlib.sha256(fixed + text).digest() + text + good[48 + old :]


def text_of(good: bytes) -> bytes:
    return good[48 : 48 + struct.unpack_from("<I", good, 12)[0]]


def with_files(good: bytes, change: Change) -> bytes:
    """A packed database whose header says something else of its files, with a right checksum."""
    header = json.loads(text_of(good))
    change(header["files"])
    return with_text(good, json.dumps(header).encode())


def renamed(name: object) -> Change:
    """Another name of the first file."""
    return lambda entries: entries[0].update(name=name)


def resized(size: object) -> Change:
    """Another size of the first file."""
    return lambda entries: entries[0].update(bytes=size)


def grown(*more: int) -> Change:
    """Sizes of the first files so many bytes larger."""
    return lambda entries: [entry.update(bytes=entry["bytes"] + by) for entry, by in zip(entries, more, strict=False)]
