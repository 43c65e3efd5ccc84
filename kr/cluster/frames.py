"""Messages between coordinator and workers: one JSON object and chunks of bytes, with a checksum over all.

8 bytes  length of the header, little-endian
header   {"values": ..., "sizes": [size of each chunk]}
chunks   one after the other
16 bytes the first half of the SHA-256 of everything before
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from kr.jobs.unit import Chunk
from kr.storage import parse_json

_LENGTH, _DIGEST = 8, 16


def framed(values: Mapping[str, Any], chunks: Sequence[Chunk] = ()) -> bytes:
    """A frame of JSON values and chunks."""
    header = json.dumps({"values": values, "sizes": [len(memoryview(chunk).cast("B")) for chunk in chunks]}).encode()
    parts = [len(header).to_bytes(_LENGTH, "little"), header, *chunks]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return b"".join([*parts, digest.digest()[:_DIGEST]])


def unframed(frame: bytes | memoryview) -> tuple[dict[str, Any], list[memoryview]]:
    """Values and chunks of a frame, which are not copied. Raises ValueError if it is damaged or not a frame."""
    view = memoryview(frame).cast("B")
    body = view[:-_DIGEST]
    if len(view) < _LENGTH + _DIGEST or hashlib.sha256(body).digest()[:_DIGEST] != view[-_DIGEST:]:
        raise ValueError("not a frame, or one that was damaged on its way")
    begin = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    header = parse_json(bytes(body[_LENGTH:begin]))
    if not isinstance(header, dict) or not isinstance(header.get("values"), dict):
        raise ValueError("a frame without values")
    sizes = header.get("sizes")
    if not isinstance(sizes, list) or any(type(size) is not int or size < 0 for size in sizes):
        raise ValueError("a frame without the sizes of its chunks")
    ends = list(accumulate(sizes, initial=begin))
    if ends[-1] != len(body):
        raise ValueError("a frame whose chunks do not fill it")
    return header["values"], [body[first:last] for first, last in pairwise(ends)]
