"""Compact files of region tables, for the C library: what a weights file has, in a few megabytes without HDF5.

docs/reference/c-library.md describes the format. A table is mostly zeros once its parts are taken out
(`kr.evaluation.parts`); only entries that aren't zero are kept, each by the gap before it.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.evaluation.patterns import Region
from kr.file_kinds import TABLES_MAGIC
from kr.storage import write_atomic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kr.evaluation.weights import Parts, Weights

COMPACT_VERSION = 1
COMPACT_SUFFIX = ".krt"
LONG_GAP = 255
"""A byte that says that the gap goes on."""


def save_compact(path: Path, weights: Weights) -> int:
    """Write a compact file of tables at once or not at all; returns its bytes."""
    content = compact_tables(weights)
    write_atomic(path, content)
    return len(content)


def compact_tables(weights: Weights) -> bytes:
    """Content of a compact file."""
    groups = (
        (weights.layout.men, weights.men_table, weights.men_parts),
        (weights.layout.kings, weights.kings_table, weights.kings_parts),
    )
    counts = [len(regions) for regions, _, _ in groups]
    counts += [0 if parts is None else len(parts.windows.parts) for _, _, parts in groups]
    body = weights.checksum.encode("ascii").ljust(32, b"\0")[:32] + struct.pack("<4I", *counts)
    body += b"".join(material.astype("<i4").tobytes() for material in (weights.men_material, weights.kings_material))
    body += b"".join(_group(*group) for group in groups)
    return TABLES_MAGIC + struct.pack("<2I", COMPACT_VERSION, zlib.crc32(body)) + body


def _group(regions: tuple[Region, ...], table: NDArray[np.int16], parts: Parts | None) -> bytes:
    """Regions, parts, entries that aren't zero, weights of the parts."""
    import numpy as np

    windows = b"".join(bytes(region) for region in regions)
    weights = np.zeros((0, 2), dtype=np.int16)
    if parts is not None:
        for part in parts.windows.parts:
            windows += bytes((part.home, len(part.squares), *part.squares))
        table = table - parts.windows.unfolded(parts.values)
        weights = parts.values
    return windows + _entries(table.reshape(-1, 2)) + _entries(weights)


def _entries(weights: NDArray[Any]) -> bytes:
    """Gaps between entries that aren't zero, and their weights, opening before ending."""
    import numpy as np

    at = np.flatnonzero(weights.any(axis=1))
    gaps = np.diff(at, prepend=-1) - 1
    # each byte LONG_GAP stands for as many zeros, the last one is below
    long, rest = np.divmod(gaps, LONG_GAP)
    coded = np.full(int(long.sum()) + len(gaps), LONG_GAP, dtype=np.uint8)
    coded[np.cumsum(long + 1) - 1] = rest
    chosen = weights[at].astype("<i2")
    return struct.pack("<2I", len(at), len(coded)) + coded.tobytes() + chosen[:, 0].tobytes() + chosen[:, 1].tobytes()
