"""The record of a match: a PDN file, and beside it a log with which the same command resumes after any interruption.

The log (`FILE.log` beside `FILE`) is a journal with one line for each finished game. The line holds the length of the
PDN file up to the end of the game, and a checksum of its text. A game that was cut off while it was written, or never
reached the disk before a power cut, is therefore noticed, removed, and played again. Its text is flushed to disk before
its line.
"""

from __future__ import annotations

import operator
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, asdict, dataclass, fields
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from kr.errors import InvalidGamesError, InvalidSettingError
from kr.jobs.journal import Journal, begun_settings, open_journal, typed
from kr.storage import append, check_output, lock, open_regular
from kr.text import printable


@dataclass(frozen=True, slots=True)
class Effort:
    """Totals over one player's searches."""

    searches: int = 0
    depth: int = 0
    """Sum of depths reached."""
    nodes: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    """Seconds of processor time, where they are known."""
    measured: float = 0.0
    """Seconds of the searches of which they are known."""

    @property
    def processor_use(self) -> float | None:
        """Processors that were at work during the searches, on average; None if unknown."""
        return self.processor / self.measured if self.measured else None

    def summary(self) -> dict[str, float | None]:
        """Depth, speed and processor use, for programs."""
        return {
            "mean_depth": self.depth / max(self.searches, 1),
            "nodes_per_second": self.nodes / max(self.seconds, 1e-9),
            "processor_use": self.processor_use,
        }

    def __add__(self, other: Effort) -> Effort:
        # by their names: astuple copies what it finds, fifty times as slowly
        return Effort(
            self.searches + other.searches, self.depth + other.depth, self.nodes + other.nodes,
            self.seconds + other.seconds, self.processor + other.processor, self.measured + other.measured,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class MatchGame:
    """A finished game of a match, as the first player (A) sees it."""

    pair: int
    """Number of the pair, from 0. Its two games have the same opening."""
    a_black: bool
    opening: str
    points: int
    """Half points of A: 2 for a win, 1 for a draw, 0 for a loss."""
    reason: str
    detail: str
    plies: int
    """Moves by the players, without those of the opening."""
    a: Effort
    b: Effort
    worker: str = ""
    """Worker of a cluster that played it; empty for a game played here."""
    pairing: int = 0
    """Number of the pairing, from 0, of a match of more than two players."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> MatchGame:
        """Raises KeyError and TypeError for values that do not describe a game."""
        plain = {
            each.name: values[each.name] if each.default is MISSING else values.get(each.name, each.default)
            for each in fields(cls)
        }
        return typed(cls(**plain | {name: typed(Effort(**plain[name])) for name in ("a", "b")}))


class Written(NamedTuple):
    """A game and the place of its text."""

    end: int
    """Length of the PDN file up to the end of the game."""
    crc: int | None
    """CRC-32 of the game's text; None in a log of kr 0.1."""
    game: MatchGame

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Written:
        """Raises KeyError and TypeError for values that do not describe a game."""
        crc = values.get("crc")
        checked = None if crc is None else operator.index(crc)
        return cls(operator.index(values["end"]), checked, MatchGame.from_json(values))


class MatchLog:
    """An open record. games: the games in it; damaged: number of further games that were removed."""

    def __init__(self, pdn: FileIO, journal: Journal[Written]) -> None:
        self.games = [written.game for written in journal.entries]
        self.damaged = journal.removed
        self._pdn = pdn
        self._journal = journal

    def append(self, game: MatchGame, text: str) -> None:
        """Add a game and its PDN text. Raises OSError."""
        content = printable(text).encode()
        append(self._pdn, content)
        entry = {"end": self._pdn.tell(), "crc": zlib.crc32(content), **asdict(game)}
        for each in fields(MatchGame):
            if entry[each.name] == each.default:
                del entry[each.name]
        self._journal.append(entry)


def log_of(pdn: Path) -> Path:
    """Path of the log of a PDN file."""
    return pdn.with_name(f"{pdn.name}.log")


@contextmanager
def open_log(path: str | Path, settings: Mapping[str, Any], provenance: Mapping[str, str]) -> Iterator[MatchLog]:
    """Begin or resume the record of a match whose PDN file is `path`.

    settings: settings that shape the games, as JSON types. Raises InvalidSettingError if the file is something else or
    belongs to a match with other settings, InvalidGamesError if the log is damaged, OutputBusyError, OSError.
    """
    check_output(path)
    pdn_path = Path(path)
    log_path = log_of(pdn_path)
    with lock(pdn_path):
        if pdn_path.exists() and pdn_path.stat().st_size and not (log_path.exists() and begun_settings(log_path)):
            raise InvalidSettingError(f"{pdn_path} exists, but has no match log {log_path}; choose another file")
        with (
            open(pdn_path, "ab", buffering=0) as pdn,
            open_journal(log_path, settings, provenance, Written.from_json, partial(_standing, pdn_path)) as journal,
        ):
            pdn.truncate(journal.entries[-1].end if journal.entries else 0)
            pdn.seek(0, os.SEEK_END)
            yield MatchLog(pdn, journal)


def _standing(pdn: Path, entries: list[Written]) -> int:
    """Number of intact games at the beginning of the PDN file.

    After a power cut the rest may be missing, zeros, or a last game half written. Raises InvalidGamesError if the file
    was changed in any other way: its games must not be thrown away then.
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
                    f"{pdn}: game {number + 1} has been changed since it was written; restore the file, or remove it "
                    f"and {log_of(pdn).name} to begin anew"
                )
            begin = end
    return len(entries)
