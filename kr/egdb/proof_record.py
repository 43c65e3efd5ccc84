"""What a verification has proved so far, recorded beside the files it is about."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.egdb import slices
from kr.egdb.checking import (
    CheckedRange,
)
from kr.egdb.slices import Shape, shape_named

PROOF_FORMAT = 1
SAVE_SECONDS = 1.0
"""A kill loses the results of this long and the work under way."""


class ProofRecord:
    """Results of a proof so far, in memory and in a file from which the next run resumes.

    The contents of the file are true at any time, whichever process wrote it: of several proofs at the same time, any
    one can be resumed. In a read-only directory there is no file.
    """

    def __init__(self, path: Path, began: float) -> None:
        self.path = path
        self.key = ""
        self.ranges: dict[Shape, list[tuple[int, int]]] = {}
        """Proven arrangements of men by pair: the first of a range, and the one after its last."""
        self.counts: dict[Shape, NDArray[np.int64]] = {}
        """Losses, draws and wins by slice."""
        self._began = self._saved = began

    @property
    def seconds(self) -> float:
        """Time that it has taken, earlier runs included."""
        return time.monotonic() - self._began

    def load(self, key: str) -> None:
        """Resume from the file if it is intact and belongs to `key`."""
        self.key = storage.checksum(key.encode())
        # a bad file is ignored: the proof then starts anew
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            check, text = storage.read_regular(self.path).decode().split("\n", 1)
            stored = storage.parse_json(text)
            right = storage.checksum(text.encode()), PROOF_FORMAT, self.key
            if (check, stored["format"], stored["key"]) == right:
                self.ranges = {
                    shape_named(name): [(a, b) for a, b in ranges] for name, ranges in stored["ranges"].items()
                }
                self.counts = {shape_named(name): np.array(counts) for name, counts in stored["counts"].items()}
                self._began -= stored["seconds"]

    def add(self, checked: CheckedRange) -> None:
        """Add a proven range and its counts."""
        assert checked.arrangements is not None
        for shape, counts in checked.counts.items():
            self.counts[shape] = self.counts.get(shape, 0) + np.array(counts)
        joined: list[tuple[int, int]] = []
        for first, last in sorted([*self.ranges.get(checked.shape, []), checked.arrangements]):
            if joined and joined[-1][1] == first:
                first = joined.pop()[0]
            joined.append((first, last))
        self.ranges[checked.shape] = joined

    def missing(self, pair: Shape) -> Iterator[tuple[int, int]]:
        """Ranges of the unproven arrangements of men: the first, and the one after the last."""
        proven = self.ranges.get(pair, [])
        ends = [0, *(last for _, last in proven)]
        starts = [*(first for first, _ in proven), slices.size(pair) // slices.block(pair)]
        return ((first, last) for first, last in zip(ends, starts, strict=True) if first < last)

    def save(self, at_once: bool = False) -> None:
        """Write the file, at once or if the last time was SAVE_SECONDS ago."""
        if not at_once and time.monotonic() - self._saved < SAVE_SECONDS:
            return
        self._saved = time.monotonic()
        state = {
            "format": PROOF_FORMAT,
            "key": self.key,
            "seconds": self.seconds,
            "ranges": {slices.name(pair): ranges for pair, ranges in self.ranges.items()},
            "counts": {slices.name(shape): counts.tolist() for shape, counts in self.counts.items()},
        }
        text = json.dumps(state)
        with suppress(OSError):
            storage.write_atomic(self.path, f"{storage.checksum(text.encode())}\n{text}")

    def forget(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self.path.unlink()
