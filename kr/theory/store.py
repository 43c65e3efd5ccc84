"""The working file of a book: SQLite, written by one builder at a time, a transaction for each node.

Its tables are described in docs/reference/formats.md.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from types import NoneType
from typing import Any

from kr.book.cooks import COOKS_FACT, SearchedCooks
from kr.book.frame import BookKey, BookStep, key_after, legal_steps, position_of_key
from kr.engine.result import SCORE_WIN
from kr.errors import InvalidBookError, InvalidSettingError
from kr.file_kinds import BOOK_ID, EMPTY_FILE, PACKED_BOOK, WORKING_BOOK, file_kind
from kr.game.value import Value
from kr.sqlite import FileKind, SqliteFile, open_sqlite
from kr.storage import check_output, lock, no_file
from kr.theory.graph import BookGraph, BookMove, BookNode, is_forward

BUSY_SECONDS = 60.0
"""How long a reader and the builder wait for each other."""
_DAMAGE = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""Errors of SQLite that the file causes; the others are the disk's, or another process's."""

_SETTING_TYPES: Mapping[str, tuple[type, ...]] = {
    "openings": (str, list), "people": (str, NoneType), "nodes": (int,), "within": (int,), "weights": (str, NoneType),
    "egdb": (str, NoneType), "provenance": (dict,), "trees": (list,), COOKS_FACT: (dict,),
    "exact_games": (bool,),
}  # fmt: skip

_TABLES = """
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE roots (own INTEGER, other INTEGER, kings INTEGER, name TEXT NOT NULL, PRIMARY KEY (own, other, kings));
    CREATE TABLE games (own INTEGER, other INTEGER, kings INTEGER, origin INTEGER, target INTEGER, captured INTEGER,
        games INTEGER NOT NULL, PRIMARY KEY (own, other, kings, origin, target, captured)) WITHOUT ROWID;
    CREATE TABLE nodes (own INTEGER, other INTEGER, kings INTEGER, score INTEGER NOT NULL, nodes INTEGER NOT NULL,
        depth INTEGER NOT NULL, within INTEGER NOT NULL, value TEXT, worth INTEGER NOT NULL, moves TEXT NOT NULL,
        PRIMARY KEY (own, other, kings)) WITHOUT ROWID;
"""
BOOK_FILE = FileKind("a book of kr", BOOK_ID, 1, _TABLES, InvalidBookError)


class BookStore:
    """An open working file."""

    def __init__(self, file: SqliteFile, path: Path) -> None:
        self._file = file
        self.path = path

    def settings(self) -> dict[str, Any]:
        """Settings of the builder, {} in a new file."""
        with telling_book_damage(self.path):
            settings = {name: json.loads(value) for name, value in self._file.rows("SELECT name, value FROM settings")}
            for name in _SETTING_TYPES.keys() & settings.keys():
                if type(settings[name]) not in _SETTING_TYPES[name]:
                    raise ValueError(f"its setting {name} is {json.dumps(settings[name]):.20}")
            return settings

    def trees(self) -> set[BookKey]:
        """Positions of the openings' trees."""
        with telling_book_damage(self.path):
            return set(map(_key, self.settings().get("trees", [])))

    def begin(
        self,
        settings: Mapping[str, Any],
        roots: Mapping[BookKey, str],
        games: Mapping[BookKey, Mapping[BookStep, int]],
    ) -> None:
        """Write what a new book begins with, or nothing of it."""
        with self._transaction():
            self._file.insert(
                "INSERT INTO settings VALUES (?, ?)", ((name, json.dumps(value)) for name, value in settings.items())
            )
            self._file.insert("INSERT INTO roots VALUES (?, ?, ?, ?)", ((*key, name) for key, name in roots.items()))
            rows = ((*key, *step, count) for key, steps in games.items() for step, count in steps.items())
            self._file.insert("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def set_nodes(self, nodes: int) -> None:
        """Write the nodes of searches from now on."""
        with self._transaction():
            self._file.execute("UPDATE settings SET value = ? WHERE name = 'nodes'", (json.dumps(nodes),))

    def set_cooks(self, cooks: SearchedCooks) -> None:
        """Write what searches have found of its cooks, in place of what was there."""
        with self._transaction():
            self._file.insert(
                "INSERT OR REPLACE INTO settings VALUES (?, ?)", [(COOKS_FACT, json.dumps(cooks.as_object()))]
            )

    def put(self, nodes: Iterable[BookNode]) -> None:
        """Write nodes in one transaction."""
        with self._transaction():
            self._file.insert("INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_row, nodes))

    def graph(self) -> BookGraph:
        """All of it. Raises InvalidBookError for what can't be."""
        with telling_book_damage(self.path):
            roots = {_key(row[:3]): str(row[3]) for row in self._rows("roots")}
            games: dict[BookKey, dict[BookStep, int]] = {}
            for row in self._rows("games"):
                *step, count = _whole(row[3:])
                if count < 0:
                    raise ValueError(f"{count} games")
                games.setdefault(_key(row[:3]), {})[step[0], step[1], step[2]] = count
            for key, steps in games.items():
                if not steps.keys() <= legal_steps(key):
                    raise ValueError(f"people play what is not legal in {position_of_key(key).fen}")
            nodes = {}
            for row in self._rows("nodes"):
                node = _node(row)
                nodes[node.key] = node
            facts = self.settings()
            cooks = SearchedCooks.of_facts(facts)
        # of packed books that were merged the games are the least that their weights stand for
        return BookGraph(roots, nodes, games, exact_games=facts.get("exact_games", True), cooks=cooks)

    def _rows(self, table: str) -> list[Any]:
        return self._file.rows(f"SELECT * FROM {table}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with telling_book_damage(self.path), self._file.transaction():
            yield


@contextmanager
def telling_book_damage(path: Path) -> Iterator[None]:
    """Turn errors caused by damage into InvalidBookError, and those of the disk or another process into OSError."""
    try:
        yield
    except InvalidBookError:
        raise
    except (sqlite3.DatabaseError, ValueError, TypeError, LookupError, RecursionError) as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF not in _DAMAGE:
            # with a number and a name, as of the system's own errors: kr.storage puts the target's for a temporary one
            raise OSError(errno.EIO, str(error), str(path)) from error
        raise InvalidBookError(f"{path} is damaged: {error}") from error


@contextmanager
def book_for_writing(path: Path) -> Iterator[BookStore]:
    """Open a book to build it, new if there is none. Raises InvalidBookError, InvalidSettingError, OutputBusyError,
    OSError."""
    check_output(path)
    with lock(path):
        is_new = not path.exists()
        if not is_new:
            _refuse_others(path, WORKING_BOOK, EMPTY_FILE)
        is_begun = False
        try:
            with telling_book_damage(path):
                file = open_sqlite(path, BOOK_FILE, "rwc", timeout=BUSY_SECONDS)
            with closing(file):
                store = BookStore(file, path)
                try:
                    yield store
                finally:
                    is_begun = not is_new or bool(store.settings())
        finally:
            if is_new and not is_begun:
                path.unlink(missing_ok=True)


@contextmanager
def book_for_reading(path: Path) -> Iterator[BookStore]:
    """Open a book that is there, also while it is built. Raises InvalidBookError, InvalidSettingError."""
    if not path.is_file():
        raise InvalidSettingError(no_file(path, "a book that kr book build has written"))
    _refuse_others(path, WORKING_BOOK)
    with telling_book_damage(path):
        # "rw": a transaction that a kill has cut off can only be rolled back by who may write
        file = open_sqlite(path, BOOK_FILE, "rw", read_only=True, timeout=BUSY_SECONDS)
    with closing(file):
        yield BookStore(file, path)


def _refuse_others(path: Path, *allowed: str) -> None:
    """Raise InvalidSettingError or InvalidBookError for a file that is something else."""
    if path.with_name(f"{path.name}-journal").exists():
        # of a kill: the file is to be rolled back first
        return
    kind = file_kind(path)
    if kind == PACKED_BOOK:
        raise InvalidSettingError(f"{path} is packed for play; expected the book of kr book build that it comes from")
    if kind not in allowed:
        raise InvalidBookError(f"{path} is {kind}; expected {WORKING_BOOK}")


def _row(node: BookNode) -> tuple[Any, ...]:
    moves = json.dumps([[*move.step, move.score] for move in node.moves], separators=(",", ":"))
    value = None if node.value is None else str(node.value)
    return (*node.key, node.score, node.nodes, node.depth, node.within, value, node.worth, moves)


def _node(row: tuple[Any, ...]) -> BookNode:
    """Node of a row. Raises ValueErrors, TypeErrors and LookupErrors for what can't be."""
    key, value, moves = _key(row[:3]), row[7], row[9]
    score, nodes, depth, within, worth = _whole((*row[3:7], row[8]))
    if min(nodes, depth, within) < 0:
        raise ValueError(f"a search of {nodes} nodes, depth {depth}, within {within}")
    scores = []
    for each in json.loads(moves):
        origin, target, captured, centi_men = _whole(each)
        scores.append((origin, target, captured, centi_men))
    for centimen in (score, worth, *(each[3] for each in scores)):
        if abs(centimen) > SCORE_WIN:
            raise ValueError(f"{centimen!s:.20} is not a score")
    return BookNode(
        key, score, nodes, depth, within, None if value is None else Value(value), book_moves(key, scores), worth
    )


def _key(row: Iterable[Any]) -> BookKey:
    """Key of a row. Raises ValueError for what is not a position."""
    own, other, kings = _whole(row)
    position_of_key((own, other, kings))
    return own, other, kings


def _whole(values: Iterable[Any]) -> tuple[int, ...]:
    """The values, all of them whole numbers; SQLite keeps others in a column of numbers too. Raises ValueError."""
    values = tuple(values)
    for each in values:
        if type(each) is not int:
            raise ValueError(f"{each!s:.20} is not a whole number")
    return values


def book_moves(key: BookKey, scores: Iterable[tuple[int, int, int, int]]) -> list[BookMove]:
    """Moves of a node from their steps and scores. Raises ValueError for one that is not legal."""
    position, legal = position_of_key(key), legal_steps(key)
    moves = []
    for origin, target, captured, score in scores:
        step = (origin, target, captured)
        if step not in legal:
            raise ValueError(f"no legal move {origin + 1}-{target + 1}, or twice, in {position.fen}")
        legal.remove(step)
        moves.append(BookMove(step, score, key_after(key, step), is_forward(key, step)))
    return moves


def opening_names_of(facts: Mapping[str, Any]) -> list[str]:
    """The openings of a book's settings: one, or those of the books that it was merged of."""
    openings = facts.get("openings")
    return list(map(str, openings if isinstance(openings, list) else [openings]))
