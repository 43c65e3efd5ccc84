"""A journal: what long work has finished, one JSON object a line, so that the same command goes on after any end.

The first line holds the settings that shape the work and where it comes from, each other one a finished piece. A last
line that was cut off while it was written is removed, and its piece done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from kr.errors import InvalidGamesError, InvalidSettingError
from kr.storage import append, check_output, lock, naming, parse_json

T = TypeVar("T")
BEGINNING = b'{"settings": '


class Journal(Generic[T]):
    """An open journal; `entries` are those found in it."""

    def __init__(self, file: FileIO, path: Path, entries: list[T]) -> None:
        self.entries = entries
        self._file = file
        self._path = path

    def append(self, values: Mapping[str, Any]) -> None:
        """Add the line of a finished piece. Raises OSError."""
        append(self._file, f"{json.dumps(values)}\n".encode(), self._path)


@contextmanager
def open_journal(
    path: str | Path,
    settings: Mapping[str, Any],
    provenance: Mapping[str, str],
    read: Callable[[dict[str, Any]], T],
    whole: Callable[[T], bool] = lambda entry: True,
) -> Iterator[Journal[T]]:
    """Begin, or go on with, the journal of work with these settings.

    settings: all that shapes the work, as JSON types; read: an entry from the values of its line, raising ValueError,
    LookupError or TypeError where they are none; whole: whether the piece is all there; from the first that is not,
    entries are removed. Raises InvalidSettingError where the file is something else or of work with other settings,
    InvalidGamesError where it is damaged, OutputBusyError, OSError.
    """
    check_output(path)
    path = Path(path)
    with lock(path), open(path, "a+b", buffering=0) as file:
        entries = _resume(file, path, settings, read, whole)
        journal = Journal(file, path, entries)
        if file.tell() == 0:
            journal.append({"settings": settings, "provenance": provenance})
        yield journal
        with naming(path):
            os.fsync(file.fileno())


def check_journal(path: Path, settings: Mapping[str, Any]) -> None:
    """Refuse a journal that is there already, and was begun with other values of these settings.

    Raises InvalidSettingError, InvalidGamesError where its first line is damaged, OSError.
    """
    with open(path, "rb") as file:
        line = file.readline()
    _check_beginning(path, line)
    if line.endswith(b"\n"):
        begun_with = _settings(path, line)
        _check_settings(path, {key: begun_with.get(key) for key in settings}, settings)


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
    whole: Callable[[T], bool],
) -> list[T]:
    """The entries; the file is cut back to the last that is whole."""
    file.seek(0)
    _check_beginning(path, file.read(len(BEGINNING)))
    kept = 0
    entries: list[T] = []
    for number, line in enumerate(_whole_lines(path), start=1):
        if number == 1:
            _check_settings(path, _settings(path, line), settings)
        else:
            try:
                entry = read(_object(line))
            except (ValueError, LookupError, TypeError):
                raise _damaged(path, number) from None
            if not whole(entry):
                break
            entries.append(entry)
        kept += len(line)
    file.truncate(kept)
    file.seek(0, os.SEEK_END)
    return entries


def _whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file one by one, but for a last one that was cut off."""
    with open(path, "rb") as file:
        yield from (line for line in file if line.endswith(b"\n"))


def _check_beginning(path: Path, content: bytes) -> None:
    if content[: len(BEGINNING)] != BEGINNING[: len(content)]:
        raise InvalidSettingError(f"{path} is no journal of such work; choose another file")


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
