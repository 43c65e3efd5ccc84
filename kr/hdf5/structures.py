"""Checks of the bytes of an HDF5 file before the library sees them.

HDF5 allocates what an index claims, and loops for ever in a heap of texts whose objects have no size. Such files are
refused here, in one line; `kr.hdf5.process` protects kr from all else that a file can do to the library.
"""

from __future__ import annotations

import re
from collections.abc import Callable

HDF5_BEGINNING = b"\x89HDF\r\n\x1a\n\x03"
"""Signature, and the version of HDF5's own format that kr writes: the first whose structures have checksums."""
BEGINNING = 12
"""Bytes to check before reading: up to the flags of the superblock."""
_FLAGS_AT = 11
"""Place of the flags that a program sets while it has the file open for writing."""

_BTREE = re.compile(rb"BTHD\0[\0-\x0b](.{4})", re.DOTALL)
"""Start of an index of names or chunks: signature, version, kind, bytes per node."""
_NODE = range(128, (1 << 16) + 1)
"""Bytes per node; kr's files have 512 or 2,048. HDF5 allocates the claimed size before it reads a node, and loops for
ever in nodes that hold nothing."""
_CHUNK_INDEX = re.compile(rb"EAHD\0[\0\1].{38}(.{8})", re.DOTALL)
"""Start of an index of chunks without end: signature, version, kind, sizes, places up to which it is filled."""
_FIXED_INDEX = re.compile(rb"FAHD\0[\0\1]..(.{8})", re.DOTALL)
"""Start of an index of a fixed number of chunks: signature, version, kind, sizes, places."""
_HEAP = re.compile(rb"GCOL\x01\0\0\0(.{8})", re.DOTALL)
"""Start of a heap of texts: signature, version, bytes with this header."""
_HEADER = 16
"""Bytes before the objects of a heap, and before the content of each."""

_AT_ONCE = 1 << 20
_OVERLAP = 64

FilePart = Callable[[int, int], bytes]
"""Bytes of a file from a place on, at most that many."""


def is_being_written(beginning: bytes) -> bool:
    """True if by the beginning of a file a program has it open for writing, or ended before it closed it."""
    return beginning.startswith(HDF5_BEGINNING) and any(beginning[_FLAGS_AT : _FLAGS_AT + 1])


def harmful_structure(part: FilePart, size: int) -> str | None:
    """The structure of a file of `size` bytes that would hang HDF5 or make it claim any memory; None if it has none."""
    for start in range(0, size, _AT_ONCE):
        block = part(start, _AT_ONCE + _OVERLAP)
        if any(_number(match[1]) not in _NODE for match in _all(_BTREE, b"BTHD", block)):
            return "index of names or chunks whose size is impossible"
        for signature, index in ((b"EAHD", _CHUNK_INDEX), (b"FAHD", _FIXED_INDEX)):
            if any(_number(match[1]) > size for match in _all(index, signature, block)):
                return "index of names or chunks whose size is impossible"
        for match in _all(_HEAP, b"GCOL", block):
            if not _is_whole_heap(part, start + match.start(), _number(match[1]), size):
                return "heap of texts whose sizes are impossible"
    return None


def _all(structure: re.Pattern[bytes], signature: bytes, block: bytes) -> list[re.Match[bytes]]:
    matches = []
    at = block.find(signature)
    while at >= 0:
        if match := structure.match(block, at):
            matches.append(match)
        at = block.find(signature, at + 1)
    return matches


def _number(field: bytes) -> int:
    return int.from_bytes(field, "little")


def _is_whole_heap(part: FilePart, start: int, length: int, size: int) -> bool:
    """True if the objects of a heap follow each other to its end, the last one being its free space, number 0."""
    if not _HEADER <= length <= size - start:
        return False
    heap = part(start, length)
    at = _HEADER
    # a rest smaller than the head of an object is not used
    while at + _HEADER <= length:
        number, content = _number(heap[at : at + 2]), _number(heap[at + 8 : at + 16])
        if number == 0:
            return content == length - at
        at += _HEADER + -(-content // 8) * 8
    return at <= length
