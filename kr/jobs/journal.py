"""Journals of long work: one JSON object per line for each finished piece, from which the same command resumes.

The first line holds the settings that shape the work and its provenance, every other line a finished piece. Each is
flushed to disk before the work continues. A last line that was cut off while being written is removed and its piece
done again, as are lines that a power cut left as zeros.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from io import BufferedReader, FileIO
from itertools import takewhile
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from kr.errors import InvalidGamesError, InvalidSettingError, KrError
from kr.storage import append, open_regular, open_to_append, parse_json

T = TypeVar("T")
K = TypeVar("K")
JOURNAL_BEGINNING = b'{"settings": '
REMEDY = "remove the line and the output it describes"
"""What to do about a damaged line of a journal beside an output."""
TaskRecord = dict[str, Any]
"""What is written down of a task, as JSON types."""


class Journal(Generic[T]):
    """An open journal; `entries`: those in it when it was opened; `removed`: the number of entries dropped as
    incomplete; `count`: the number of its entries now."""

    def __init__(self, file: FileIO, entries: list[T], ends: list[int], removed: int) -> None:
        self.entries = entries
        self.removed = removed
        self._file = file
        self._ends = array("q", ends)
        """Offsets at which the lines end, that of the settings first."""

    def append(self, values: Mapping[str, Any]) -> None:
        """Add the line of a finished piece, and flush it to disk. Raises OSError."""
        line = f"{json.dumps(values)}\n".encode()
        append(self._file, line)
        self._ends.append((self._ends[-1] if self._ends else 0) + len(line))

    @property
    def count(self) -> int:
        """Number of entries, those written since it was opened among them."""
        return max(len(self._ends) - 1, 0)

    def values(self, number: int) -> dict[str, Any]:
        """The values of an entry by its number, from 0, read from the file again. Raises OSError."""
        self._file.seek(self._ends[number])
        return _object(self._file.read(self._ends[number + 1] - self._ends[number]))

    def remove(self) -> None:
        """Remove the file: the work is done, or there was none. Raises OSError."""
        # before its name: Windows keeps the files that are open
        self._file.close()
        Path(self._file.name).unlink()


@contextmanager
def open_journal(
    path: str | Path,
    settings: Mapping[str, Any],
    provenance: Mapping[str, str],
    read: Callable[[dict[str, Any]], T],
    standing: Callable[[list[T]], int] = len,
    remedy: str = REMEDY,
) -> Iterator[Journal[T]]:
    """Begin or resume the journal of work with these settings.

    settings: everything that shapes the work, as JSON types; read: makes an entry from the values of its line, raising
    ValueError, LookupError or TypeError if they are not valid; standing: the number of entries, from the first, whose
    output is complete; the others are removed; remedy: what to do about a damaged line. Raises InvalidSettingError if
    the file is not a journal or has other settings, InvalidGamesError if it is damaged, OutputBusyError, OSError.
    A journal without a piece goes again if the work ends with a KrError or OSError: that of a wrong source would bind
    the next command to it.
    """
    with open_to_append(path) as file:
        journal = Journal(file, *_resume(file, settings, read, standing, remedy))
        if not file.tell():
            journal.append({"settings": settings, "provenance": provenance})
        try:
            yield journal
        except (KrError, OSError):
            if not journal.count:
                journal.remove()
            raise


def begun_settings(path: Path) -> dict[str, Any] | None:
    """Settings of a journal; None if its first line is not whole.

    Raises InvalidSettingError if it is not a journal, InvalidGamesError if its first line is damaged, OSError.
    """
    with open_regular(path) as file:
        return _recorded_settings(file, path)


def read_entries(path: Path, read: Callable[[dict[str, Any]], T]) -> list[T]:
    """Entries of a journal, whatever its settings. Raises InvalidGamesError if one is damaged, OSError."""
    with open_regular(path) as file:
        return [entry for entry, _ in _entries(file, path, read)]


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


class JournalView(Generic[T]):
    """A journal read beside its writer: nothing is locked, and a line half written is left to the next look.

    settings, provenance: those of the first line, empty until it is whole; entries: those read so far; beginnings:
    number of times it was read from its beginning, because it had been cut off or replaced.
    """

    def __init__(self, path: Path, read: Callable[[dict[str, Any]], T]) -> None:
        self._path, self._read = path, read
        self.beginnings = 0
        self._begin()

    def _begin(self) -> None:
        self.settings: dict[str, Any] = {}
        self.provenance: dict[str, Any] = {}
        self.entries: list[T] = []
        self.beginnings += 1
        self._lines = self._end = 0
        self._last = b""

    def look(self) -> None:
        """Read what has been added. Raises InvalidGamesError if a line is damaged, OSError."""
        with open_regular(self._path) as opened, BufferedReader(opened) as file:
            # a resumed run removes lines, and may have written others in their place by now
            file.seek(self._end - len(self._last))
            if file.read(len(self._last)) != self._last:
                self._begin()
                file.seek(0)
            for line in takewhile(_is_whole, file):
                self._take(line)
                self._lines, self._end, self._last = self._lines + 1, self._end + len(line), line

    def _take(self, line: bytes) -> None:
        try:
            values = _object(line)
            if self._lines:
                self.entries.append(self._read(values))
            else:
                self.settings, self.provenance = dict(values["settings"]), dict(values.get("provenance", {}))
        except (ValueError, LookupError, TypeError):
            raise _damaged(self._path, self._lines + 1) from None


def typed(entry: T) -> T:
    """The given dataclass, made from a journal entry, if its fields have the right types. Raises TypeError."""
    kind: Any = type(entry)
    for name, plain in _plain_types(kind).items():
        if not _is_one(getattr(entry, name), plain):
            raise TypeError(f"{name} is {getattr(entry, name)!r}")
    return entry


@cache
def _plain_types(kind: type[Any]) -> dict[str, tuple[type, ...]]:
    """Types that each field may have, without those of elements."""
    types = {}
    for name, hint in get_type_hints(kind).items():
        kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        types[name] = tuple(NoneType if each is None else get_origin(each) or each for each in kinds)
    return types


def _is_one(value: Any, plain: tuple[type, ...]) -> bool:
    """True if a value has one of these types. The elements of tuples are not checked."""
    if isinstance(value, bool):
        return bool in plain
    return isinstance(value, plain) or (isinstance(value, int) and float in plain)


def _resume(
    file: FileIO,
    settings: Mapping[str, Any],
    read: Callable[[dict[str, Any]], T],
    standing: Callable[[list[T]], int],
    remedy: str,
) -> tuple[list[T], list[int], int]:
    """Entries whose output is complete, the offsets at which the lines end, and the number of other entries.

    The file is cut off after the last complete one.
    """
    path = Path(file.name)
    recorded = _recorded_settings(file, path)
    removed = 0
    entries: list[T] = []
    ends: list[int] = []
    if recorded is not None:
        _check_settings(path, recorded, settings)
        lines = list(_entries(file, path, read, remedy))
        count = standing([entry for entry, _ in lines])
        entries = [entry for entry, _ in lines[:count]]
        ends = [len(next(_whole_lines(file))), *(end for _, end in lines[:count])]
        removed = len(lines) - count
    file.truncate(ends[-1] if ends else 0)
    file.seek(0, os.SEEK_END)
    return entries, ends, removed


def _entries(
    file: FileIO, path: Path, read: Callable[[dict[str, Any]], T], remedy: str = REMEDY
) -> Iterator[tuple[T, int]]:
    """Each entry, and the offset in the file at which its line ends."""
    end = 0
    for number, line in enumerate(_whole_lines(file), start=1):
        end += len(line)
        if number > 1:
            try:
                entry = read(_object(line))
            except (ValueError, LookupError, TypeError):
                raise _damaged(path, number, remedy) from None
            yield entry, end


def _whole_lines(file: FileIO) -> Iterator[bytes]:
    """Lines of a file up to the first one that was cut off, or that a power cut left as zeros."""
    with _reading(file) as reader:
        yield from takewhile(_is_whole, reader)


@contextmanager
def _reading(file: FileIO) -> Iterator[BufferedReader[FileIO]]:
    """A reader from the beginning of an open file, which stays open."""
    file.seek(0)
    reader = BufferedReader(file)
    try:
        yield reader
    finally:
        reader.detach()


def _is_whole(line: bytes) -> bool:
    return line.endswith(b"\n") and b"\0" not in line


def _recorded_settings(file: FileIO, path: Path) -> dict[str, Any] | None:
    """Settings in a first line; None if it is not whole. A file of zeros is a journal that never reached the disk."""
    with _reading(file) as reader:
        content = reader.read(len(JOURNAL_BEGINNING))
        written = content.rstrip(b"\0")
        blank = not written and all(not block.strip(b"\0") for block in iter(partial(reader.read, 1 << 20), b""))
    if not blank and (not written or written != JOURNAL_BEGINNING[: len(written)]) and content:
        raise InvalidSettingError(f"{path} is not a journal of this kind of run; choose another file")
    line = next(_whole_lines(file), None)
    return None if line is None else _settings(path, line)


def _settings(path: Path, line: bytes) -> dict[str, Any]:
    """Settings in a first line."""
    try:
        return dict(_object(line)["settings"])
    except (ValueError, LookupError, TypeError):
        raise _damaged(path, 1) from None


def _object(line: bytes) -> dict[str, Any]:
    values = parse_json(line)
    if not isinstance(values, dict):
        raise TypeError
    return values


def _damaged(path: Path, number: int, remedy: str = REMEDY) -> InvalidGamesError:
    return InvalidGamesError(f"{path}, line {number} is damaged; {remedy}")


def _check_settings(path: Path, recorded: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Refuse other settings, all of which are named."""
    different = [key for key in {**settings, **recorded} if recorded.get(key) != settings.get(key)]
    if different:
        differences = " and ".join(
            f"{key} {_shown_setting(recorded.get(key))}, not {_shown_setting(settings.get(key))}" for key in different
        )
        raise InvalidSettingError(f"{path} was begun with {differences}; give the same, or choose another file")


def _shown_setting(value: Any) -> str:
    return "none" if value is None else json.dumps(value)
