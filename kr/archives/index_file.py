"""The file of an index: SQLite with packed arrays. Its tables are described in docs/reference/formats.md."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr.errors import InvalidIndexError, InvalidPdnError
from kr.file_kinds import INDEX_ID
from kr.pdn import RESULTS
from kr.pdn.scan import MOST_GAME_CHARACTERS, Place
from kr.sqlite import FileKind, SqliteFile, open_sqlite
from kr.storage import inflated
from kr.text import printable

FORMAT_VERSION = 2
"""Incremented also when games are read in another way, so that earlier indexes are made anew."""
GAMES_A_SEGMENT = 1 << 15
"""Games in one segment, which is written and searched by itself."""
ROWS_A_CHUNK = 1 << 12
"""Positions that are packed together."""
TEXTS_A_BLOCK = 1 << 6
"""Games whose texts are packed together."""
MOST_BLOCK_BYTES = TEXTS_A_BLOCK * MOST_GAME_CHARACTERS
MOST_SEGMENTS = 1 << 10
"""Most segments of an index, which are all unpacked at once: 33 million games."""
MOST_POSITION_CHUNKS = 1 << 20
"""Most chunks of positions: four billion of them."""

POSITION_COLUMNS = {"key": np.uint64, "game": np.uint32, "ply": np.uint32, "code": np.uint16}
GAME_COLUMNS = {
    "black": np.uint32, "white": np.uint32, "event": np.uint32, "year": np.uint16, "result": np.uint8,
    "set_up": np.uint8, "plies": np.uint32, "line": np.uint32,
}  # fmt: skip

Columns = dict[str, NDArray[Any]]

_TABLES = """
    CREATE TABLE archive (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, read_ns INTEGER NOT NULL, checksum TEXT NOT NULL, complete INTEGER NOT NULL);
    CREATE TABLE segments (number INTEGER PRIMARY KEY, games INTEGER NOT NULL, full INTEGER NOT NULL,
        char INTEGER NOT NULL, line INTEGER NOT NULL, column INTEGER NOT NULL, digest TEXT NOT NULL,
        left_out INTEGER NOT NULL, complaints TEXT NOT NULL, columns BLOB NOT NULL, first_keys BLOB NOT NULL);
    CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE positions (id INTEGER PRIMARY KEY, rows INTEGER NOT NULL, content BLOB NOT NULL);
    CREATE TABLE texts (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
"""
INDEX_FILE = FileKind("an index of kr", INDEX_ID, FORMAT_VERSION, _TABLES, InvalidIndexError)


@dataclass(frozen=True, slots=True)
class Archived:
    """The PDN file of an index, as it was when it was read."""

    name: str
    size: int
    mtime_ns: int
    read_ns: int
    """Time of reading, in nanoseconds since 1970."""
    checksum: str
    """SHA-256 of its bytes."""
    complete: bool
    """True if all its games are in the index."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Games that were written to an index together."""

    number: int
    games: int
    full: bool
    """True if other games follow."""
    end: Place
    """The place in the text behind the last game."""
    left_out: int
    """Games that could not be read."""
    complaints: tuple[Any, ...]
    """The errors of the first of them, as JSON has what is told; of earlier versions as texts."""
    columns: Columns
    first_keys: NDArray[np.uint64]
    """The first key of each chunk of positions."""


def packed(columns: Columns, types: Mapping[str, Any], level: int = 1) -> bytes:
    """Arrays of the same length, byte by byte of their elements, compressed. zlib adds a checksum."""
    planes = []
    for name, kind in types.items():
        column = np.ascontiguousarray(columns[name], np.dtype(kind).newbyteorder("<"))
        planes.append(column.view(np.uint8).reshape(len(column), kind().itemsize).T.tobytes())
    return zlib.compress(b"".join(planes), level)


def unpacked(content: bytes, types: Mapping[str, Any], rows: int) -> Columns:
    """Arrays from their packed form. Raises ValueError."""
    width = sum(kind().itemsize for kind in types.values())
    plain = np.frombuffer(inflated(content, rows * width), np.uint8)
    if len(plain) != rows * width:
        raise ValueError(f"{len(plain)} bytes in place of {rows * width}")
    columns: Columns = {}
    at = 0
    for name, kind in types.items():
        size = kind().itemsize
        plane = plain[at : at + rows * size].reshape(size, rows)
        columns[name] = np.ascontiguousarray(plane.T).view(np.dtype(kind).newbyteorder("<")).reshape(rows).astype(kind)
        at += rows * size
    return columns


def packed_positions(columns: Columns) -> bytes:
    """A chunk of positions in ascending order of their keys."""
    steps = columns["key"].copy()
    steps[1:] -= columns["key"][:-1]
    return packed({**columns, "key": steps}, POSITION_COLUMNS)


def unpacked_positions(content: bytes, rows: int) -> Columns:
    """A chunk of positions from its packed form. Raises ValueError."""
    _check_count("positions", rows, ROWS_A_CHUNK)
    columns = unpacked(content, POSITION_COLUMNS, rows)
    columns["key"] = np.cumsum(columns["key"], dtype=np.uint64)
    return columns


def packed_texts(texts: Sequence[str]) -> bytes:
    """Texts of games: their number, the bytes of each, then themselves in UTF-8."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    sizes = np.array([len(encoded), *map(len, encoded)], "<u4")
    if int(sizes[1:].sum(dtype=np.int64)) + sizes.nbytes > MOST_BLOCK_BYTES:
        raise InvalidPdnError(f"{len(encoded)} games in a row of more than {MOST_BLOCK_BYTES:,} bytes")
    return zlib.compress(b"".join((sizes.tobytes(), *encoded)), 4)


def unpacked_texts(content: bytes) -> list[str]:
    """Texts of games from their packed form. Raises ValueError."""
    plain = inflated(content, MOST_BLOCK_BYTES)
    sizes = np.frombuffer(plain, "<u4", 1 + int(np.frombuffer(plain, "<u4", 1)[0]))
    ends = np.cumsum(sizes[1:], dtype=np.int64) + 4 * len(sizes)
    if ends[-1] != len(plain):
        raise ValueError("texts are cut off")
    return [plain[end - size : end].decode("utf-8", "surrogatepass") for end, size in zip(ends, sizes[1:], strict=True)]


def _check_count(name: str, count: Any, most: int) -> None:
    if type(count) is not int or not 0 <= count <= most:
        raise ValueError(f"{count!s:.20} {name}")


@contextmanager
def telling_damage(path: Path) -> Iterator[None]:
    """Turn errors caused by damage into InvalidIndexError."""
    try:
        yield
    except InvalidIndexError:
        raise
    except (sqlite3.Error, ValueError, TypeError, KeyError, IndexError) as error:
        raise InvalidIndexError(f"{path} is damaged: {error}") from error


def open_for_writing(path: Path) -> SqliteFile:
    """Open an index for writing, new if there is none. Raises InvalidIndexError for one that can't be used."""
    with telling_damage(path):
        return open_sqlite(path, INDEX_FILE, "rwc", threads=True)


def open_for_reading(path: Path) -> SqliteFile:
    """Open an index for reading. Raises InvalidIndexError."""
    with telling_damage(path):
        return open_sqlite(path, INDEX_FILE, "ro", threads=True)


def read_archived(file: SqliteFile) -> Archived | None:
    """The archive of an index; None before one is named."""
    rows = file.rows("SELECT name, size, mtime_ns, read_ns, checksum, complete FROM archive")
    if not rows:
        return None
    name, size, mtime_ns, read_ns, checksum, complete = rows[0]
    for each in (size, mtime_ns, read_ns):
        if type(each) is not int:
            raise ValueError(f"{each!s:.20} is not a whole number")
    return Archived(name, size, mtime_ns, read_ns, checksum, bool(complete))


def write_archived(file: SqliteFile, archived: Archived) -> None:
    """Name the archive of an index."""
    fields = (printable(archived.name), archived.size, archived.mtime_ns, archived.read_ns, archived.checksum)
    file.execute(
        "INSERT OR REPLACE INTO archive (id, name, size, mtime_ns, read_ns, checksum, complete) "
        "VALUES (1, ?, ?, ?, ?, ?, ?)",
        (*fields, archived.complete),
    )


def read_ends(file: SqliteFile) -> list[tuple[int, bool, Place]]:
    """Number of games of each segment, true if it is full, and its end, in order."""
    rows = file.rows("SELECT games, full, char, line, column, digest FROM segments ORDER BY number")
    return [(games, bool(full), Place(*place)) for games, full, *place in rows]


def read_segments(file: SqliteFile) -> list[Segment]:
    """All segments in order. Raises ValueError and sqlite3.Error."""
    rows = file.rows(
        "SELECT number, games, full, left_out, complaints, columns, first_keys, char, line, column, digest "
        "FROM segments ORDER BY number"
    )
    _check_count("segments", len(rows), MOST_SEGMENTS)
    chunks = MOST_POSITION_CHUNKS
    segments: list[Segment] = []
    for number, games, full, left_out, complaints, columns, first_keys, *place in rows:
        if number != len(segments):
            raise ValueError(f"segment {len(segments)} is missing")
        _check_count("games", games, GAMES_A_SEGMENT)
        keys = np.frombuffer(inflated(first_keys, 8 * chunks), "<u8").astype(np.uint64)
        chunks -= len(keys)
        games_columns = unpacked(columns, GAME_COLUMNS, games)
        if games_columns["result"].max(initial=0) >= len(RESULTS):
            raise ValueError("a result that there is not")
        _check_count("games left out", left_out, 1 << 62)
        errors = tuple(json.loads(complaints))
        segments.append(Segment(number, games, bool(full), Place(*place), left_out, errors, games_columns, keys))
    return segments


def write_segment(
    file: SqliteFile, segment: Segment, chunks: Sequence[tuple[int, bytes]], blocks: Sequence[bytes]
) -> None:
    """Write a segment, its chunks of positions (rows and content) and its blocks of texts."""
    end = segment.end
    file.execute(
        "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            segment.number, segment.games, segment.full, end.char, end.line, end.column, end.digest, segment.left_out,
            json.dumps(segment.complaints), packed(segment.columns, GAME_COLUMNS),
            zlib.compress(segment.first_keys.astype("<u8").tobytes(), 1),
        ),
    )  # fmt: skip
    first = segment.number << 32
    file.insert(
        "INSERT INTO positions VALUES (?, ?, ?)",
        ((first + number, rows, content) for number, (rows, content) in enumerate(chunks)),
    )
    file.insert("INSERT INTO texts VALUES (?, ?)", ((first + number, content) for number, content in enumerate(blocks)))


def remove_segments(file: SqliteFile, first: int) -> None:
    """Remove the segments from a number on."""
    file.execute("DELETE FROM segments WHERE number >= ?", (first,))
    for table in ("positions", "texts"):
        file.execute(f"DELETE FROM {table} WHERE id >= ?", (first << 32,))
