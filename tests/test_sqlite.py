"""SQLite files of strangers: refused in one line, whatever they hold, and in time."""

from __future__ import annotations

import _thread
import sqlite3
import struct
import threading
import time
import tracemalloc
import zlib
from contextlib import closing
from functools import cache
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest
from archive_games import archive, check_true
from small_graph import reached, searched, write_graph

from kr.archives import index_file
from kr.archives.index import ArchiveIndex, open_index
from kr.archives.index_build import update_index
from kr.archives.index_file import INDEX_FILE
from kr.archives.search import SearchSettings
from kr.cli import main
from kr.errors import InvalidIndexError
from kr.game.position import Position
from kr.sqlite import FileKind, SqliteFile, address, open_sqlite
from kr.theory.store import BOOK_FILE

__all__ = ["archive"]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
PAGE = 512


def made(path: Path, kind: FileKind, *statements: str) -> Path:
    """A file as kr makes it, changed by some statements."""
    open_sqlite(path, kind, "rwc").close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def columns(table: str, kind: FileKind) -> str:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(kind.tables)
        return ", ".join(f"x AS {name}" for _, name, *_ in connection.execute(f"PRAGMA table_info({table})"))


def views(kind: FileKind) -> list[tuple[FileKind, tuple[str, ...]]]:
    """Each table as a view of endless rows, and of endless work before the first."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(kind.tables)
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return [
        (kind, (f"DROP TABLE {table}", f"CREATE VIEW {table} AS {ENDLESS} SELECT {columns(table, kind)} FROM {rows}"))
        for table in tables
        for rows in ("c", "(SELECT count(*) AS x FROM c)")
    ]


HOSTILE = [
    *views(BOOK_FILE),
    *views(INDEX_FILE),
    (BOOK_FILE, ("CREATE TRIGGER t AFTER UPDATE ON settings BEGIN DELETE FROM nodes; END",)),
    (BOOK_FILE, ("ALTER TABLE roots ADD COLUMN more INTEGER",)),
    (BOOK_FILE, ("CREATE INDEX i ON nodes (abs(score))",)),
    (BOOK_FILE, ("DROP TABLE roots", f"CREATE TABLE roots ({', '.join(f'c{each}' for each in range(90))})")),
    (INDEX_FILE, ("ALTER TABLE names ADD COLUMN more AS (length(zeroblob(1000000000)))",)),
    (INDEX_FILE, ("CREATE TABLE more (id INTEGER)",)),
    (INDEX_FILE, ("DROP TABLE texts",)),
]


@pytest.mark.parametrize(("kind", "statements"), HOSTILE)
def test_what_kr_does_not_write_is_refused(tmp_path: Path, kind: FileKind, statements: tuple[str, ...]) -> None:
    path = made(tmp_path / "file", kind, *statements)
    for mode in ("ro", "rwc"):
        with pytest.raises(ValueError, match=r"is not one that kr writes|is missing"):
            open_sqlite(path, kind, mode)  # type: ignore[arg-type]


def endless_pages(path: Path, table: str, row: str) -> None:
    """A table of one row that stands for 40 ** 12 of them: pages of the tree that name the next one again and again."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("VACUUM")
        connection.execute(row)
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,))
    content = bytearray(path.read_bytes())
    last = len(content) // PAGE
    leaf = content[(root - 1) * PAGE : root * PAGE]

    def inner(child: int) -> bytes:
        cells = [struct.pack(">IB", child, 1)] * 40
        pointers = b"".join(struct.pack(">H", PAGE - 5 * (each + 1)) for each in range(len(cells)))
        head = struct.pack(">BHHHBI", 5, 0, len(cells), PAGE - 5 * len(cells), 0, child) + pointers
        return head + bytes(PAGE - len(head) - 5 * len(cells)) + b"".join(cells)

    content[(root - 1) * PAGE : root * PAGE] = inner(last + 1)
    content += b"".join(inner(last + 1 + each) for each in range(1, 12)) + leaf
    content[28:32] = struct.pack(">I", len(content) // PAGE)
    content[92:96] = content[24:28]
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("kind", "table", "row", "query"),
    [
        (BOOK_FILE, "settings", "INSERT INTO settings VALUES ('a', 'b')", "SELECT * FROM settings"),
        (INDEX_FILE, "names", "INSERT INTO names VALUES (1, 'a')", "SELECT text FROM names"),
        (INDEX_FILE, "names", "INSERT INTO names VALUES (1, 'a')", "SELECT text FROM names WHERE text = 'b'"),
    ],
)
def test_pages_that_stand_for_endless_rows(tmp_path: Path, kind: FileKind, table: str, row: str, query: str) -> None:
    path = made(tmp_path / "file", kind)
    endless_pages(path, table, row)
    with closing(open_sqlite(path, kind, "ro")) as file, pytest.raises(ValueError, match="than its size explains"):
        file.rows(query)


def test_an_interrupt_ends_a_query() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (x)")
        file = SqliteFile(connection)
        timer = threading.Timer(0.1, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            file.insert(f"INSERT INTO t {ENDLESS} SELECT x FROM c WHERE x < ?", [(0,)])
        timer.join()
        assert file.rows("SELECT * FROM t") == []


@pytest.mark.parametrize("command", ["show", "check", "coverage", "cooks", "export", "merge", "verify", "build"])
def test_a_hostile_book_is_one_line(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    path, other, games = tmp_path / "book.sqlite", tmp_path / "other", tmp_path / "games.pdn"
    for each in (path, other):
        write_graph(each, [searched(reached(""), {"11-15": 5})], {}, {"start": reached("")})
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in ("DROP TABLE settings", f"CREATE VIEW settings AS {ENDLESS} SELECT 'nodes' AS name, "
                          "count(*) AS value FROM c"):  # fmt: skip
            connection.execute(statement)
    games.write_text("1. 11-15 *\n")
    rest = {
        "coverage": [str(games)], "export": ["--out", str(tmp_path / "b.krb")], "build": ["--time", "1s"],
        "merge": [str(other), "--out", str(tmp_path / "both")],
    }.get(command, [])  # fmt: skip
    where = ["--out", str(path)] if command == "build" else [str(path)]
    began = time.monotonic()
    assert main(["book", command, *where, *rest]) == 1
    assert time.monotonic() - began < 5
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "book.sqlite is damaged: its view settings is not one that kr writes" in told.err


@cache
def bomb(size: int) -> str:
    return f"x'{zlib.compress(bytes(size), 9).hex()}'"


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE segments SET columns = {bomb(1 << 25)}",
        f"UPDATE segments SET first_keys = {bomb(1 << 25)}",
        f"UPDATE texts SET content = {bomb(1 << 25)}",
        f"UPDATE positions SET content = {bomb(1 << 25)}",
        f"UPDATE positions SET rows = 1 << 22, content = {bomb((1 << 22) * 18)}",
        "UPDATE segments SET games = 1 << 40",
        "UPDATE segments SET games = 'many'",
        "UPDATE segments SET left_out = 'many'",
        "UPDATE segments SET complaints = 7",
        "UPDATE names SET text = x'00'",
        "DELETE FROM names WHERE id > 0",
    ],
)
def test_what_an_index_can_not_hold_is_told(archive: Path, statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_BLOCK_BYTES", "MOST_POSITION_CHUNKS"):
        monkeypatch.setattr(index_file, name, 1 << 16)
    path = update_index(archive)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidIndexError, match="is damaged"), ArchiveIndex(path, archive) as index:
            index.text(0)
            index.find(SearchSettings(files=(archive,), position=Position().fen, player=("t",)))
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_a_hostile_index_is_made_again(archive: Path) -> None:
    with closing(sqlite3.connect(update_index(archive), isolation_level=None)) as connection:
        connection.execute("DROP TABLE archive")
        connection.execute(f"CREATE VIEW archive AS {ENDLESS} SELECT {columns('archive', INDEX_FILE)} FROM c")
    with open_index(archive) as index:
        check_true(index)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (PurePosixPath("/a b/x?#%.kr-index"), "file:///a%20b/x%3F%23%25.kr-index?mode=ro"),
        (PureWindowsPath(r"C:\games\ä.kr-index"), "file:///C:/games/%C3%A4.kr-index?mode=ro"),
        # a share of another computer, which SQLite would take for a host
        (PureWindowsPath(r"\\server\share\x.kr-index"), "file:////server/share/x.kr-index?mode=ro"),
    ],
)
def test_the_address_of_a_file(path: PurePath, expected: str) -> None:
    assert address(path, "ro") == expected
