"""The record of a match: a PDN file, and beside it a log by which the same command goes on after any interruption.

The log (`FILE.log` beside `FILE`) is a journal with one line a finished game. Each of these holds the length of the PDN
file with its game in it, and a checksum of the game's text, so that what was cut off while it was written, or never
came to the disk before a power cut, is known, removed, and played again. A text is flushed to disk before its line.
"""

from __future__ import annotations

import operator
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from kr.errors import InvalidGamesError, InvalidSettingError
from kr.jobs.journal import Journal, begun_settings, open_journal, read_entries, typed
from kr.storage import append, check_output, lock, open_regular, printable


@dataclass(frozen=True, slots=True)
class Effort:
    """What one player's searches in a game amounted to."""

    searches: int = 0
    depth: int = 0
    """Sum of the depths reached."""
    nodes: int = 0
    seconds: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        return Effort(
            self.searches + other.searches,
            self.depth + other.depth,
            self.nodes + other.nodes,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game, as the first player (A) of the match sees it."""

    pair: int
    """Number of the pair, from 0; its two games have the same opening."""
    a_black: bool
    opening: str
    points: int
    """Half points for A: 2 win, 1 draw, 0 loss."""
    reason: str
    detail: str
    plies: int
    """Moves that the players made, without those of the opening."""
    a: Effort
    b: Effort

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> GameRecord:
        """Raises KeyError and TypeError where the values are not those of a game."""
        plain = {field.name: values[field.name] for field in fields(cls)}
        return typed(cls(**plain | {name: typed(Effort(**plain[name])) for name in ("a", "b")}))


class Written(NamedTuple):
    """A game and where its text stands."""

    end: int
    """Length of the PDN file with the game in it."""
    crc: int | None
    """CRC-32 of the game's text; None in a log of kr 0.1."""
    game: GameRecord

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Written:
        """Raises KeyError and TypeError where the values are not those of a game."""
        crc = values.get("crc")
        checked = None if crc is None else operator.index(crc)
        return cls(operator.index(values["end"]), checked, GameRecord.from_json(values))


class MatchLog:
    """An open record; `games` are those found in it, `damaged` is how many more were removed."""

    def __init__(self, pdn: FileIO, path: Path, journal: Journal[Written]) -> None:
        self.games = [written.game for written in journal.entries]
        self.damaged = journal.removed
        self._pdn = pdn
        self._path = path
        self._journal = journal

    def append(self, game: GameRecord, text: str) -> None:
        """Add a game and its PDN. Raises OSError."""
        content = printable(text).encode()
        append(self._pdn, content, self._path)
        self._journal.append({"end": self._pdn.tell(), "crc": zlib.crc32(content), **asdict(game)})


def log_of(pdn: Path) -> Path:
    """The log that belongs to a PDN file."""
    return pdn.with_name(f"{pdn.name}.log")


@contextmanager
def open_log(path: str | Path, settings: Mapping[str, Any], provenance: Mapping[str, str]) -> Iterator[MatchLog]:
    """Begin, or go on with, the record of a match whose PDN file is `path`.

    settings: all that shapes the games, as JSON types. Raises InvalidSettingError where the file is something else or
    belongs to a match with other settings, InvalidGamesError where the log is damaged, OutputBusyError, OSError.
    """
    check_output(path)
    pdn_path = Path(path)
    log_path = log_of(pdn_path)
    with lock(pdn_path):
        if pdn_path.exists() and pdn_path.stat().st_size and not (log_path.exists() and begun_settings(log_path)):
            raise InvalidSettingError(f"{pdn_path} is there but no match log {log_path}; choose another file")
        with (
            open(pdn_path, "ab", buffering=0) as pdn,
            open_journal(log_path, settings, provenance, Written.from_json, partial(_standing, pdn_path)) as journal,
        ):
            pdn.truncate(journal.entries[-1].end if journal.entries else 0)
            pdn.seek(0, os.SEEK_END)
            yield MatchLog(pdn, pdn_path, journal)


def intact_games(pdn: Path) -> int:
    """How many games of a record, from the first, are as they were written. Raises InvalidGamesError, OSError."""
    if not pdn.exists() or not log_of(pdn).exists():
        return 0
    return _standing(pdn, read_entries(log_of(pdn), Written.from_json))


def _standing(pdn: Path, entries: list[Written]) -> int:
    """How many games, from the first, the PDN file has as they were written.

    What comes after may be cut off, or be zeros, by a power cut, or be the last game, half written. Raises
    InvalidGamesError where the file was changed otherwise: then its games are not to be thrown away.
    """
    begin = 0
    with open_regular(pdn) as file:
        size = os.fstat(file.fileno()).st_size
        for number, (end, crc, _) in enumerate(entries):
            if not begin < end <= size:
                return number
            text = file.read(end - begin)
            if b"\0" in text or (crc is None and not text.startswith(b"[")):
                return number
            if crc is not None and zlib.crc32(text) != crc:
                if number == len(entries) - 1:
                    return number
                raise InvalidGamesError(
                    f"{pdn}: game {number + 1} is not as the match wrote it; put the file back, or remove it and "
                    f"{log_of(pdn).name} to begin anew"
                )
            begin = end
    return len(entries)
