"""Records of tasks by their keys: lines of a journal, which are read again when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from kr.jobs.journal import Journal

K = TypeVar("K")
TaskRecord = dict[str, Any]
"""What is written down of a task, as JSON types."""


class Records(Generic[K]):
    """The records of a run and of earlier ones, each under the key of its task; none is kept without a journal.

    Of two with one key the later one counts.
    """

    def __init__(self, journal: Journal[K] | None = None) -> None:
        self._journal = journal
        self._numbers = {key: number for number, key in enumerate(journal.entries)} if journal else {}

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, key: K) -> bool:
        return key in self._numbers

    def __getitem__(self, key: K) -> TaskRecord:
        """The record of a task. Raises LookupError, OSError."""
        number = self._numbers[key]
        assert self._journal is not None
        return self._journal.values(number)

    def __iter__(self) -> Iterator[K]:
        return iter(self._numbers)

    def add(self, key: K, record: TaskRecord) -> None:
        """Write the record of a finished task down. Raises OSError."""
        if self._journal is not None:
            self._journal.append(record)
            self._numbers[key] = self._journal.count - 1

    def remove(self) -> None:
        """Remove the journal: its output is written. Raises OSError."""
        if self._journal is not None:
            self._journal.remove()
