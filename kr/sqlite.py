"""SQLite files, read with suspicion: one may come from a stranger. All of kr opens them here.

A file is accepted only with exactly the tables that kr writes: a view or a trigger of the same name runs what its
author likes. SQLite checks its pages as it reads them, but a few pages that name each other again and again can stand
for any number of rows: no query takes more steps, or gives more, than the size of the file explains. Ctrl-C and SIGTERM
end a query.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath
from typing import Any, Literal

from kr.errors import KrError

Mode = Literal["ro", "rw", "rwc"]
"""Opened to read; to read and write; or made if there is none."""

STEPS_AT_ONCE = 10_000
"""Instructions of SQLite between two looks at signals and at the bound."""
STEPS_OF_ANY_FILE = 1_000_000
STEPS_A_BYTE = 4
"""Most instructions of a query for each byte of the file; a row takes one or two for each of its columns."""
BYTES_A_ROW = 4
"""What a row takes in a file besides its columns, at least."""
_LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 2,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}


@dataclass(frozen=True)
class FileKind:
    """A kind of SQLite files of kr."""

    name: str
    """With its article, such as "a book of kr"."""
    application_id: int
    version: int
    tables: str
    """Statements that make its tables."""
    error: type[KrError]
    """Raised for a file of another kind or version."""


class SqliteFile:
    """An open file. One thread at a time uses it."""

    def __init__(self, connection: sqlite3.Connection, size: int = 0) -> None:
        """size: bytes of the file."""
        self._connection = connection
        self._steps_left = 0.0
        self._raised: BaseException | None = None
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        connection.set_progress_handler(self._ends, STEPS_AT_ONCE)
        self._do("PRAGMA trusted_schema = 0")
        self._do("PRAGMA cell_size_check = 1")
        # reads all of the schema, before anything asks for it without a bound
        with self._watched(size):
            connection.execute("PRAGMA schema_version").close()

    def close(self) -> None:
        """Close the file; again if it is closed does nothing."""
        self._connection.close()

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query that takes each row of a table at most once. Raises sqlite3.Error, and ValueError.

        At once, since a builder can't write while a query is open, and an error would leave it open.
        """
        size = self._size()
        rows: list[tuple[Any, ...]] = []
        with self._watched(size), closing(self._connection.execute(query, parameters)) as cursor:
            for row in cursor:
                size -= BYTES_A_ROW + sum(len(each) if isinstance(each, str | bytes) else 1 for each in row)
                if size < 0:
                    raise ValueError("its pages hold more than its size explains")
                rows.append(row)
        return rows

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """A statement that gives no rows. Raises sqlite3.Error, and ValueError."""
        with self._watched(self._size()):
            self._connection.execute(statement, parameters).close()

    def insert(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """A statement for each of many rows. Raises sqlite3.Error."""
        with self._watched(None):
            self._connection.executemany(statement, rows).close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A block done as a whole or not at all. Raises sqlite3.Error."""
        self._do("BEGIN IMMEDIATE")
        try:
            yield
            self._do("COMMIT")
        except BaseException:
            # SQLite may have done so itself
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _do(self, statement: str) -> None:
        with self._watched(None):
            self._connection.execute(statement).close()

    def _size(self) -> int:
        with self._watched(None):
            ((pages,),) = self._connection.execute("PRAGMA page_count")
            ((bytes_a_page,),) = self._connection.execute("PRAGMA page_size")
        return int(pages * bytes_a_page)

    @contextmanager
    def _watched(self, size: int | None) -> Iterator[None]:
        """A block with one statement, whose steps are bound by the size of the file unless it is None."""
        self._steps_left = float("inf") if size is None else STEPS_OF_ANY_FILE + STEPS_A_BYTE * size
        self._raised = None
        try:
            yield
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_INTERRUPT:
                raise
            if self._steps_left < 0:
                raise ValueError("a query takes more steps than its size explains") from None
            # of a signal that came at the very begin or end of the callback only this is left
            raise (self._raised or KeyboardInterrupt()) from None

    def _ends(self) -> bool:
        """True if SQLite has to stop; Python runs the handlers of signals on the way."""
        try:
            self._steps_left -= STEPS_AT_ONCE
            return self._steps_left < 0
        except BaseException as error:
            # SQLite's module would drop it
            self._raised = error
            return True


def address(path: PurePath, mode: Mode) -> str:
    """Address of a file for SQLite, which takes none with a host, as that of a share of Windows is."""
    return f"{re.sub('^file://(?!/)', 'file:////', path.as_uri())}?mode={mode}"


def open_sqlite(
    path: Path, kind: FileKind, mode: Mode, *, timeout: float = 5.0, read_only: bool = False, threads: bool = False
) -> SqliteFile:
    """Open a file; with the mode "rwc" one that is empty or new gets its tables.

    timeout: seconds to wait for another process; read_only: kr writes nothing, whatever the mode; threads: several use
    it, one at a time. Raises `kind.error` for another kind or version, and sqlite3.Error and ValueError for damage.
    """
    connection = sqlite3.connect(
        address(path.absolute(), mode), uri=True, timeout=timeout, isolation_level=None, check_same_thread=not threads
    )
    try:
        file = SqliteFile(connection, os.path.getsize(path) if path.exists() else 0)
        if mode == "rwc" and not _schema(file):
            # one transaction: a file has all its tables or none
            connection.executescript(
                f"BEGIN; {kind.tables} PRAGMA application_id = {kind.application_id}; "
                f"PRAGMA user_version = {kind.version}; COMMIT;"
            )
        if read_only or mode == "ro":
            connection.execute("PRAGMA query_only = 1")
        _check_kind(file, path, kind)
    except BaseException:
        connection.close()
        raise
    return file


def _check_kind(file: SqliteFile, path: Path, kind: FileKind) -> None:
    ((number,),) = file.rows("PRAGMA application_id")
    ((version,),) = file.rows("PRAGMA user_version")
    if number != kind.application_id:
        raise kind.error(f"{path} is not {kind.name}")
    if version != kind.version:
        raise kind.error(f"{path} has format version {version}, this kr reads {kind.version}")
    there, expected = _schema(file), _expected(kind.tables)
    for object, statement in there.items():
        if object not in expected or statement != expected[object]:
            raise ValueError("its {!s:.20} {!s:.60} is not one that kr writes".format(*object))
    for missing in sorted(expected.keys() - there.keys(), reverse=True):
        raise ValueError("its {} {} is missing".format(*missing))


@cache
def _expected(tables: str) -> dict[tuple[Any, Any], Any]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(tables)
        return _schema(SqliteFile(connection))


def _schema(file: SqliteFile) -> dict[tuple[Any, Any], Any]:
    """Statement of each table, view, index and trigger, by its kind and name; None of an index that SQLite makes."""
    rows = file.rows("SELECT type, name, sql FROM sqlite_schema")
    return {(type, name): sql and " ".join(str(sql).split()) for type, name, sql in rows}
