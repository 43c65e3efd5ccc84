"""Making the index of an archive, and updating it when the file changes.

Games are read in order and written segment by segment, each in one transaction. After a kill, and when games were added
to the file, the full segments stay if the text before their end has not changed; the rest is read again.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr.archives.archive import year_of
from kr.archives.index_file import (
    GAME_COLUMNS,
    GAMES_A_SEGMENT,
    MOST_SEGMENTS,
    ROWS_A_CHUNK,
    TEXTS_A_BLOCK,
    Archived,
    Columns,
    Segment,
    open_for_reading,
    open_for_writing,
    packed_positions,
    packed_texts,
    read_archived,
    read_ends,
    remove_segments,
    telling_damage,
    write_archived,
    write_segment,
)
from kr.errors import InvalidIndexError, InvalidPdnError
from kr.game.position import Position
from kr.language.sentences import as_json, told_by
from kr.pdn.scan import MovedError, Place, Scanned, Scanner
from kr.sqlite import SqliteFile
from kr.storage import can_write, lock
from kr.system import cache_folder

INDEX_SUFFIX = ".kr-index"
MOST_COMPLAINTS = 20
"""Most errors stored of a segment."""
PROGRESS_GAMES = 500
"""Games between two reports of progress; one also comes with each block of text."""
MOST_ARCHIVE_CHARACTERS = 1 << 33
"""Characters of an archive, which has ten million games then: of a packed file they may be endless."""
JUST_NOW_NS = 2_000_000_000
"""A file changed this shortly before it was read may have been changed again without another time stamp."""

OnShare = Callable[[float], None]
"""Called with the share of the file that has been read, 0 to 1. Its exceptions end the work, which can be resumed."""


def index_path(source: Path) -> Path:
    """Path of the index of an archive: beside it, or in the user's cache if no file can be written there."""
    beside = source.with_name(source.name + INDEX_SUFFIX)
    if beside.exists() and (can_write(beside) or is_current(beside, source)):
        return beside
    if can_write(source.absolute().parent):
        return beside
    place = hashlib.sha256(os.fsencode(source.absolute())).hexdigest()[:16]
    return cache_folder() / "indexes" / f"{place}-{source.name}{INDEX_SUFFIX}"


def is_current(path: Path, source: Path) -> bool:
    """True if an index has all games of the archive as it is now. Raises OSError if the archive can't be read."""
    status = source.stat()
    if not path.exists():
        return False
    try:
        with closing(open_for_reading(path)) as file, telling_damage(path):
            archived = read_archived(file)
    except InvalidIndexError:
        return False
    if archived is None or not archived.complete or archived.size != status.st_size:
        return False
    if archived.mtime_ns == status.st_mtime_ns and archived.read_ns - archived.mtime_ns > JUST_NOW_NS:
        return True
    return archived.checksum == file_checksum(source)


def file_checksum(path: Path) -> str:
    """SHA-256 of the bytes of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def update_index(source: Path, on_share: OnShare = lambda share: None) -> Path:
    """Make the index of an archive, or bring it up to date; returns its path.

    Raises OutputBusyError if another process is writing it, InvalidPdnError for a damaged archive or one that changes
    meanwhile, and OSError.
    """
    path = index_path(source)
    if is_current(path, source):
        return path
    with lock(path):
        # another process may just have made it
        if not is_current(path, source):
            try:
                _update(source, path, on_share)
            except InvalidIndexError:
                remove_index(path)
                _update(source, path, on_share)
    return path


def remove_index(path: Path) -> None:
    """Remove an index and SQLite's journal beside it."""
    for name in (path, path.with_name(path.name + "-journal")):
        name.unlink(missing_ok=True)


def _update(source: Path, path: Path, on_share: OnShare) -> None:
    with closing(open_for_writing(path)) as file:
        status = source.stat()
        archived = Archived(
            source.name, status.st_size, status.st_mtime_ns, time.time_ns(), file_checksum(source), complete=False
        )
        with telling_damage(path):
            ends = [(games, end) for games, full, end in read_ends(file) if full]
        builder = _Builder(file, path, source, ends, on_share)
        with _transaction(file, path):
            write_archived(file, archived)
            remove_segments(file, builder.number)
        builder.run()
        now = source.stat()
        if (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns):
            raise InvalidPdnError(f"{source} changed while it was being read; try again")
        with _transaction(file, path):
            write_archived(file, replace(archived, complete=True))


@contextmanager
def _transaction(file: SqliteFile, path: Path) -> Iterator[None]:
    """A block done as a whole or not at all. Raises InvalidIndexError for damage, OSError for a full disk."""
    try:
        with file.transaction():
            yield
    except sqlite3.OperationalError as error:
        raise OSError(errno.EIO, str(error), str(path)) from error
    except sqlite3.DatabaseError as error:
        raise InvalidIndexError(f"{path} is damaged: {error}") from error


class _Builder:
    """Games on their way into an index."""

    def __init__(
        self,
        file: SqliteFile,
        path: Path,
        source: Path,
        ends: list[tuple[int, Place]],
        on_share: OnShare,
    ) -> None:
        self._file, self._path, self._on_share = file, path, on_share
        self._errors: list[InvalidPdnError] = []
        self._size = max(1, source.stat().st_size)
        try:
            self._scanner = self._scan(source, ends[-1][1] if ends else None)
        except MovedError:
            ends = []
            self._scanner = self._scan(source, None)
        self.number = len(ends)
        """Number of the next segment."""
        self._first = sum(games for games, _ in ends)
        with telling_damage(path):
            self._names: dict[str, int] = dict(file.rows("SELECT text, id FROM names"))
        self._new_names: list[tuple[int, str]] = []

    def _scan(self, source: Path, begin: Place | None) -> Scanner:
        return Scanner(source, begin=begin, on_error=self._errors.append, on_text=self._report)

    def _report(self) -> None:
        scanner = self._scanner
        if scanner.characters > MOST_ARCHIVE_CHARACTERS:
            raise InvalidPdnError(f"{scanner.name} has more than {MOST_ARCHIVE_CHARACTERS:,} characters")
        self._on_share(min(1.0, scanner.position / self._size))

    def run(self) -> None:
        """Read all games and write them."""
        with closing(self._scanner) as scanner:
            games: list[Scanned] = []
            while True:
                if len(games) % PROGRESS_GAMES == 0:
                    self._report()
                if len(games) < GAMES_A_SEGMENT:
                    game = scanner.scan()
                    if game is None:
                        break
                    games.append(game)
                    continue
                # the end of a game is certain only if another one follows
                end, used, left_out = scanner.place(), scanner.used, len(self._errors)
                following = scanner.scan()
                if following is None:
                    break
                self._write(games, used, end, left_out, full=True)
                scanner.drop(used)
                games = [following]
            self._write(games, scanner.used, Place(), len(self._errors), full=False)

    def _write(self, games: list[Scanned], used: int, end: Place, left_out: int, full: bool) -> None:
        if self.number == MOST_SEGMENTS:
            raise InvalidPdnError(f"{self._scanner.name} has more than {MOST_SEGMENTS * GAMES_A_SEGMENT:,} games")
        columns = self._columns(games)
        positions = self._positions(columns["plies"] + np.uint32(1), used)
        cuts = range(0, used, ROWS_A_CHUNK)
        texts = [game.text for game in games]
        blocks = [texts[at : at + TEXTS_A_BLOCK] for at in range(0, len(texts), TEXTS_A_BLOCK)]
        # zlib lets other threads work meanwhile
        with ThreadPoolExecutor() as pool:
            chunks = pool.map(
                lambda at: packed_positions({name: each[at : at + ROWS_A_CHUNK] for name, each in positions.items()}),
                cuts,
            )
            packed_blocks = list(pool.map(packed_texts, blocks))
            rows = [(min(ROWS_A_CHUNK, used - at), chunk) for at, chunk in zip(cuts, chunks, strict=True)]
        complaints = tuple(as_json(told_by(error)) for error in self._errors[: min(left_out, MOST_COMPLAINTS)])
        segment = Segment(
            self.number, len(games), full, end, left_out, complaints, columns, positions["key"][::ROWS_A_CHUNK]
        )
        del self._errors[:left_out]
        with _transaction(self._file, self._path):
            self._file.insert("INSERT INTO names VALUES (?, ?)", self._new_names)
            write_segment(self._file, segment, rows, packed_blocks)
        self._new_names.clear()
        self.number += 1
        self._first += len(games)

    def _columns(self, games: list[Scanned]) -> Columns:
        start = Position().bits
        values = {
            "black": [self._name(game.headers.get("Black", "")) for game in games],
            "white": [self._name(game.headers.get("White", "")) for game in games],
            "event": [self._name(game.headers.get("Event", "")) for game in games],
            "year": [year_of(game.headers) or 0 for game in games],
            "result": [game.result for game in games],
            "set_up": [game.start != start for game in games],
            "plies": [game.plies for game in games],
            "line": [game.line for game in games],
        }
        return {name: np.array(values[name], kind) for name, kind in GAME_COLUMNS.items()}

    def _name(self, text: str) -> int:
        number = self._names.get(text)
        if number is None:
            number = self._names[text] = len(self._names)
            self._new_names.append((number, text))
        return number

    def _positions(self, counts: NDArray[np.uint32], used: int) -> Columns:
        """The positions of games, `counts` of each, by key, then game, then ply."""
        games = np.repeat(np.arange(self._first, self._first + len(counts), dtype=np.uint32), counts)
        starts = np.repeat(np.cumsum(counts, dtype=np.int64) - counts, counts)
        plies = (np.arange(used) - starts).astype(np.uint32)
        keys, codes = self._scanner.keys[:used], self._scanner.codes[:used]
        order = np.argsort(keys, kind="stable")
        return {"key": keys[order], "game": games[order], "ply": plies[order], "code": codes[order]}
