"""The record of a match: a PDN file, and beside it a log by which the same command goes on after any interruption.

The log (`FILE.log` beside `FILE`) is JSON, one object a line: first the settings that shape the games, then one line
a finished game. Each of these holds the length of the PDN file with its game in it, so that what was cut off while it
was written is known, removed, and played again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

from kr.errors import InvalidGamesError, InvalidSettingError
from kr.storage import check_output, lock


@dataclass(frozen=True, slots=True)
class Effort:
    """What one player's searches in a game amounted to."""

    searches: int = 0
    depth: int = 0
    """Sum of the depths reached."""
    nodes: int = 0
    seconds: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        mine, others = asdict(self).values(), asdict(other).values()
        return Effort(*(a + b for a, b in zip(mine, others, strict=True)))


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
    a: Effort
    b: Effort

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> GameRecord:
        """Raises KeyError and TypeError where the values are not those of a game."""
        plain = {field.name: values[field.name] for field in fields(cls)}
        return cls(**plain | {"a": Effort(**plain["a"]), "b": Effort(**plain["b"])})


class MatchLog:
    """An open record; `games` are those found in it."""

    def __init__(self, pdn: BinaryIO, log: BinaryIO, games: list[GameRecord]) -> None:
        self.games = games
        self._pdn = pdn
        self._log = log

    def append(self, game: GameRecord, text: str) -> None:
        """Add a game and its PDN. Raises OSError."""
        self._pdn.write(text.encode())
        self._pdn.flush()
        self._write({"end": self._pdn.tell(), **asdict(game)})

    def _write(self, values: Mapping[str, Any]) -> None:
        self._log.write(f"{json.dumps(values)}\n".encode())
        self._log.flush()


@contextmanager
def open_log(path: str | Path, settings: Mapping[str, Any], provenance: Mapping[str, str]) -> Iterator[MatchLog]:
    """Begin, or go on with, the record of a match whose PDN file is `path`.

    settings: all that shapes the games, as JSON types. Raises InvalidSettingError where the file is something else or
    belongs to a match with other settings, InvalidGamesError where the log is damaged, OutputBusyError, OSError.
    """
    check_output(path)
    pdn_path = Path(path)
    log_path = pdn_path.with_name(f"{pdn_path.name}.log")
    with lock(pdn_path):
        if pdn_path.exists() and pdn_path.stat().st_size and not log_path.exists():
            raise InvalidSettingError(f"{pdn_path} is there but no match log {log_path}; choose another file")
        with open(pdn_path, "ab") as pdn, open(log_path, "a+b") as log:
            games = _resume(log, pdn, log_path, settings)
            record = MatchLog(pdn, log, games)
            if log.tell() == 0:
                record._write({"settings": settings, "provenance": provenance})
            yield record
            for file in (pdn, log):
                os.fsync(file.fileno())


def _resume(log: BinaryIO, pdn: BinaryIO, name: Path, settings: Mapping[str, Any]) -> list[GameRecord]:
    """The games of the log; both files are cut back to the last game that is whole in both."""
    log.seek(0)
    lines = log.read().splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    kept = pdn_end = 0
    games = []
    for number, line in enumerate(lines, start=1):
        try:
            values = json.loads(line)
            if number == 1:
                _check_settings(name, values["settings"], settings)
            elif values["end"] > os.fstat(pdn.fileno()).st_size:
                break
            else:
                games.append(GameRecord.from_json(values))
                pdn_end = values["end"]
        except InvalidSettingError:
            raise
        except (ValueError, KeyError, TypeError):
            raise InvalidGamesError(f"{name}, line {number} is damaged; remove it and its PDN") from None
        kept += len(line)
    for file, size in ((log, kept), (pdn, pdn_end)):
        file.truncate(size)
        file.seek(0, os.SEEK_END)
    return games


def _check_settings(name: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for key in found.keys() | wanted.keys():
        if found.get(key) != wanted.get(key):
            was, now = json.dumps(found.get(key)), json.dumps(wanted.get(key))
            raise InvalidSettingError(f"{name} is of a match with {key} {was}, not {now}; choose another file")
