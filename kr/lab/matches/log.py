"""The record of a match: a PDN file, and beside it a log by which the same command goes on after any interruption.

The log (`FILE.log` beside `FILE`) is a journal with one line a finished game. Each of these holds the length of the PDN
file with its game in it, so that what was cut off while it was written is known, removed, and played again.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from io import FileIO
from pathlib import Path
from typing import Any

from kr.errors import InvalidSettingError
from kr.lab.journal import Journal, open_journal, typed
from kr.storage import append, check_output, lock, naming, printable


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


class MatchLog:
    """An open record; `games` are those found in it."""

    def __init__(self, pdn: FileIO, path: Path, journal: Journal[tuple[int, GameRecord]]) -> None:
        self.games = [game for _, game in journal.entries]
        self._pdn = pdn
        self._path = path
        self._journal = journal

    def append(self, game: GameRecord, text: str) -> None:
        """Add a game and its PDN. Raises OSError."""
        append(self._pdn, printable(text).encode(), self._path)
        self._journal.append({"end": self._pdn.tell(), **asdict(game)})


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
        if pdn_path.exists() and pdn_path.stat().st_size and not log_path.exists():
            raise InvalidSettingError(f"{pdn_path} is there but no match log {log_path}; choose another file")
        with open(pdn_path, "ab", buffering=0) as pdn:
            size = pdn.tell()
            with open_journal(log_path, settings, provenance, _entry, lambda entry: entry[0] <= size) as journal:
                pdn.truncate(journal.entries[-1][0] if journal.entries else 0)
                pdn.seek(0, os.SEEK_END)
                yield MatchLog(pdn, pdn_path, journal)
            with naming(pdn_path):
                os.fsync(pdn.fileno())


def _entry(values: dict[str, Any]) -> tuple[int, GameRecord]:
    """Length of the PDN file with the game in it, and the game."""
    return operator.index(values["end"]), GameRecord.from_json(values)
