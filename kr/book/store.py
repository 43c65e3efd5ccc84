"""The working file of a book: SQLite, written by one builder at a time, a transaction for each node.

Its tables are described in docs/reference/formats.md.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kr.book.graph import BookGraph, BookKey, BookMove, BookNode, BookStep, forward_step, position_of_key, step_of
from kr.book.graph import book_key as key_of
from kr.errors import InvalidBookError, InvalidSettingError
from kr.game.value import Value
from kr.storage import check_output, lock

BOOK_ID = 0x6B72424B
"""Number that identifies books among SQLite files."""
FORMAT_VERSION = 1

_TABLES = """
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE roots (own INTEGER, other INTEGER, kings INTEGER, name TEXT NOT NULL, PRIMARY KEY (own, other, kings));
    CREATE TABLE games (own INTEGER, other INTEGER, kings INTEGER, origin INTEGER, target INTEGER, captured INTEGER,
        games INTEGER NOT NULL, PRIMARY KEY (own, other, kings, origin, target, captured)) WITHOUT ROWID;
    CREATE TABLE nodes (own INTEGER, other INTEGER, kings INTEGER, score INTEGER NOT NULL, nodes INTEGER NOT NULL,
        depth INTEGER NOT NULL, within INTEGER NOT NULL, value TEXT, worth INTEGER NOT NULL, moves TEXT NOT NULL,
        PRIMARY KEY (own, other, kings)) WITHOUT ROWID;
"""


class BookStore:
    """An open working file."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def settings(self) -> dict[str, Any]:
        """Settings of the builder, {} in a new file."""
        return {name: json.loads(value) for name, value in self._connection.execute("SELECT name, value FROM settings")}

    def begin(
        self,
        settings: Mapping[str, Any],
        roots: Mapping[BookKey, str],
        games: Mapping[BookKey, Mapping[BookStep, int]],
    ) -> None:
        """Write what a new book begins with, or nothing of it."""
        with self._transaction():
            self._connection.executemany(
                "INSERT INTO settings VALUES (?, ?)", ((name, json.dumps(value)) for name, value in settings.items())
            )
            self._connection.executemany(
                "INSERT INTO roots VALUES (?, ?, ?, ?)", ((*key, name) for key, name in roots.items())
            )
            rows = ((*key, *step, count) for key, steps in games.items() for step, count in steps.items())
            self._connection.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def put(self, nodes: Iterable[BookNode]) -> None:
        """Write nodes in one transaction."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_row, nodes)
            )

    def put_worths(self, nodes: Iterable[BookNode]) -> None:
        """Write what propagation has changed, in one transaction."""
        with self._transaction():
            self._connection.executemany(
                "UPDATE nodes SET worth = ? WHERE own = ? AND other = ? AND kings = ?",
                ((node.worth, *node.key) for node in nodes),
            )

    def graph(self) -> BookGraph:
        """All of it. Raises InvalidBookError for what can't be."""
        with telling_book_damage(self.path):
            roots = {tuple(row[:3]): row[3] for row in self._connection.execute("SELECT * FROM roots")}
            games: dict[BookKey, dict[BookStep, int]] = {}
            for own, other, kings, origin, target, captured, count in self._connection.execute("SELECT * FROM games"):
                games.setdefault((own, other, kings), {})[origin, target, captured] = count
            nodes = {}
            for row in self._connection.execute("SELECT * FROM nodes"):
                node = _node(row)
                nodes[node.key] = node
        return BookGraph(roots, nodes, games)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with telling_book_damage(self.path), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield


@contextmanager
def telling_book_damage(path: Path) -> Iterator[None]:
    """Turn errors caused by damage into InvalidBookError."""
    try:
        yield
    except InvalidBookError:
        raise
    except (sqlite3.DatabaseError, ValueError, TypeError, LookupError) as error:
        if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
            raise OSError(f"{path}: {error}") from error
        raise InvalidBookError(f"{path} is damaged: {error}") from error


@contextmanager
def book_for_writing(path: Path) -> Iterator[BookStore]:
    """Open a book to build it, new if there is none. Raises InvalidBookError, OutputBusyError, OSError."""
    check_output(path)
    with lock(path):
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            with telling_book_damage(path):
                if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
                    connection.executescript(
                        f"BEGIN; {_TABLES} PRAGMA application_id = {BOOK_ID}; "
                        f"PRAGMA user_version = {FORMAT_VERSION}; COMMIT;"
                    )
                _check_kind(connection, path)
            yield BookStore(connection, path)
        finally:
            connection.close()


@contextmanager
def book_for_reading(path: Path) -> Iterator[BookStore]:
    """Open a book that is there, also while it is built. Raises InvalidBookError, InvalidSettingError."""
    if not path.is_file():
        raise InvalidSettingError(f"{path} is not a file; expected a book that kr book build has written")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    try:
        with telling_book_damage(path):
            _check_kind(connection, path)
        yield BookStore(connection, path)
    finally:
        connection.close()


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    ((kind,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    if kind != BOOK_ID:
        raise InvalidBookError(f"{path} is not a book of kr")
    if version != FORMAT_VERSION:
        raise InvalidBookError(f"{path} has format version {version}, this kr reads {FORMAT_VERSION}")


def _row(node: BookNode) -> tuple[Any, ...]:
    moves = json.dumps([[*move.step, move.score] for move in node.moves], separators=(",", ":"))
    value = None if node.value is None else str(node.value)
    return (*node.key, node.score, node.nodes, node.depth, node.within, value, node.worth, moves)


def _node(row: tuple[Any, ...]) -> BookNode:
    """Node of a row. Raises ValueErrors, TypeErrors and LookupErrors for what can't be."""
    own, other, kings, score, nodes, depth, within, value, worth, moves = row
    key = (own, other, kings)
    scores = [(origin, target, captured, each) for origin, target, captured, each in json.loads(moves)]
    return BookNode(
        key, score, nodes, depth, within, None if value is None else Value(value), book_moves(key, scores), worth
    )


def book_moves(key: BookKey, scores: Iterable[tuple[int, int, int, int]]) -> list[BookMove]:
    """Moves of a node from their steps and scores. Raises ValueError for one that is not legal."""
    position = position_of_key(key)
    legal = {step_of(move): move for move in position.legal_moves()}
    moves = []
    for origin, target, captured, score in scores:
        move = legal.get((origin, target, captured))
        if move is None:
            raise ValueError(f"no legal move {origin + 1}-{target + 1} in {position.fen}")
        child = key_of(position.play(move))
        moves.append(BookMove((origin, target, captured), score, child, forward_step(key, child)))
    return moves
