"""The collection of puzzles that comes with kr: `puzzles.jsonl.xz`, a problem file packed by xz.

Each puzzle has themes, a rating, what it rests on (`evidence`), and where it comes from (`source`). The comments at the
beginning of the file name the commands that made it.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, overload

from kr.problems.problem import Problem
from kr.storage import parse_json

COLLECTION = "puzzles.jsonl.xz"


class PuzzleCollection(Sequence[Problem]):
    """Puzzles in the order of their ratings; each is read when it is asked for.

    entries: their JSON objects as in the file, for whoever asks for ids, themes and ratings of all: that takes a tenth
    of the time.
    """

    def __init__(self, entries: Sequence[dict[str, Any]]) -> None:
        self.entries = tuple(entries)
        self._read: dict[int, Problem] = {}

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, index: int) -> Problem: ...

    @overload
    def __getitem__(self, index: slice) -> list[Problem]: ...

    def __getitem__(self, index: int | slice) -> Problem | list[Problem]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._read:
            self._read[number] = Problem.from_object(self.entries[number], number + 1)
        return self._read[number]


@cache
def collection() -> PuzzleCollection:
    """The shipped puzzles, the same object each time. Raises OSError where the file is missing."""
    packed = (files("kr.problems") / COLLECTION).read_bytes()
    return PuzzleCollection([parse_json(line) for line in _lines(lzma.decompress(packed).decode())])


def _lines(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if line and not line.startswith("#"))
