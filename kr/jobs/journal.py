"""A journal: what long work has finished, one JSON object a line, so that the same command goes on after any end.

The first line holds the settings that shape the work and where it comes from, each other one a finished piece. Each is
flushed to disk before the work goes on. A last line that was cut off while it was written is removed, and its piece
done again; so are lines that had not come to the disk before a power cut, and are zeros.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BufferedReader, FileIO
from itertools import takewhile
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from kr.errors import InvalidGamesError, InvalidSettingError
from kr.storage import append, check_output, lock, naming, open_regular, parse_json, sync

T = TypeVar("T")
BEGINNING = b'{"settings": '


class Journal(Generic[T]):
    """An open journal; `entries` are those found in it, `removed` is how many more no longer stood."""

    def __init__(self, file: FileIO, path: Path, entries: list[T], removed: int) -> None:
        self.entries = entries
        self.removed = removed
        self._file = file
        self._path = path

    def append(self, values: Mapping[str, Any]) -> None:
        """Add the line of a finished piece, and flush it to disk. Raises OSError."""
        append(self._file, f"{json.dumps(values)}\n".encode(), self._path)


@contextmanager
def open_journal(
    path: str | Path,
    settings: Mapping[str, Any],
    provenance: Mapping[str, str],
    read: Callable[[dict[str, Any]], T],
    standing: Callable[[list[T]], int] = len,
) -> Iterator[Journal[T]]:
    """Begin, or go on with, the journal of work with these settings.

    settings: all that shapes the work, as JSON types; read: an entry from the values of its line, raising ValueError,
    LookupError or TypeError where they are none; standing: of so many entries, from the first, the piece is all there;
    the others are removed. Raises InvalidSettingError where the file is something else or of work with other settings,
    InvalidGamesError where it is damaged, OutputBusyError, OSError.
    """
    check_output(path)
    path = Path(path)
    with lock(path), open(path, "a+b", buffering=0) as file:
        journal = Journal(file, path, *_resume(file, path, settings, read, standing))
        if file.tell() == 0:
            journal.append({"settings": settings, "provenance": provenance})
            with naming(path):
                sync(path.parent)
        yield journal


def check_journal(path: Path, settings: Mapping[str, Any]) -> None:
    """Refuse a journal that is there already, and was begun with other values of these settings.

    Raises InvalidSettingError, InvalidGamesError where its first line is damaged, OSError.
    """
    if (begun_with := begun_settings(path)) is not None:
        _check_settings(path, {key: begun_with.get(key) for key in settings}, settings)


def begun_settings(path: Path) -> dict[str, Any] | None:
    """The settings of a journal; None where its first line never came to the disk whole. Raises as `check_journal`."""
    _check_beginning(path)
    line = next(_whole_lines(path), None)
    return None if line is None else _settings(path, line)


def read_entries(path: Path, read: Callable[[dict[str, Any]], T]) -> list[T]:
    """The entries of a journal, whatever its settings. Raises InvalidGamesError where one is damaged, OSError."""
    return [entry for entry, _ in _entries(path, read)]


def typed(entry: T) -> T:
    """A dataclass made from what a journal held, if its fields have their types. Raises TypeError."""
    for name, hint in get_type_hints(type(entry)).items():
        if not _is_one(getattr(entry, name), hint):
            raise TypeError(f"{name} is {getattr(entry, name)!r}")
    return entry


def _is_one(value: Any, hint: Any) -> bool:
    """Whether a value is of a type. The elements of tuples are not looked at."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    plain = tuple(NoneType if kind is None else get_origin(kind) or kind for kind in kinds)
    if isinstance(value, bool):
        return bool in plain
    return isinstance(value, plain) or (isinstance(value, int) and float in plain)


def _resume(
    file: FileIO,
    path: Path,
    settings: Mapping[str, Any],
    read: Callable[[dict[str, Any]], T],
    standing: Callable[[list[T]], int],
) -> tuple[list[T], int]:
    """The entries that stand, and how many more there were; the file is cut back to the last that stands."""
    begun_with = begun_settings(path)
    kept = removed = 0
    entries: list[T] = []
    if begun_with is not None:
        _check_settings(path, begun_with, settings)
        found = list(_entries(path, read))
        count = standing([entry for entry, _ in found])
        entries = [entry for entry, _ in found[:count]]
        removed = len(found) - count
        kept = found[count - 1][1] if count else len(next(_whole_lines(path)))
    file.truncate(kept)
    file.seek(0, os.SEEK_END)
    return entries, removed


def _entries(path: Path, read: Callable[[dict[str, Any]], T]) -> Iterator[tuple[T, int]]:
    """Each entry, and where its line ends in the file."""
    end = 0
    for number, line in enumerate(_whole_lines(path), start=1):
        end += len(line)
        if number > 1:
            try:
                entry = read(_object(line))
            except (ValueError, LookupError, TypeError):
                raise _damaged(path, number) from None
            yield entry, end


def _whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file one by one, up to one that was cut off, or is zeros as the data of a power cut are."""
    with open_regular(path) as opened, BufferedReader(opened) as file:
        yield from takewhile(lambda line: line.endswith(b"\n") and b"\0" not in line, file)


def _check_beginning(path: Path) -> None:
    """Refuse a file that is something else; one that has nothing but zeros is a journal that never came to the disk."""
    with open_regular(path) as opened, BufferedReader(opened) as file:
        content = file.read(len(BEGINNING))
        written = content.rstrip(b"\0")
        blank = not written and all(not block.strip(b"\0") for block in iter(partial(file.read, 1 << 20), b""))
    if not blank and (not written or written != BEGINNING[: len(written)]) and content:
        raise InvalidSettingError(f"{path} is not a journal of this kind of run; choose another file")


def _settings(path: Path, line: bytes) -> dict[str, Any]:
    """The settings of a first line."""
    try:
        return dict(_object(line)["settings"])
    except (ValueError, LookupError, TypeError):
        raise _damaged(path, 1) from None


def _object(line: bytes) -> dict[str, Any]:
    values = parse_json(line)
    if not isinstance(values, dict):
        raise TypeError
    return values


def _damaged(path: Path, number: int) -> InvalidGamesError:
    return InvalidGamesError(f"{path}, line {number} is damaged; remove it and what it tells of")


def _check_settings(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for key in found.keys() | wanted.keys():
        if found.get(key) != wanted.get(key):
            was, now = json.dumps(found.get(key)), json.dumps(wanted.get(key))
            raise InvalidSettingError(f"{path} was begun with {key} {was}, not {now}; choose another file")
