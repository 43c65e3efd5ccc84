"""The endgame database of engines and games: opened once and shared, and the rule by which it decides games."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from kr.game.position import Position
from kr.game.value import Value
from kr.settings import EGDB_MEMORY

if TYPE_CHECKING:
    from kr.egdb.database import Database

_databases: WeakValueDictionary[tuple[str, int], Database] = WeakValueDictionary()
_opening = threading.Lock()


def load_database(setting: str = "", memory: int = EGDB_MEMORY) -> Database | None:
    """Open the endgame database of an `--egdb` setting; None for "none", and for "" if there is none.

    setting: a directory, "none", or "" for the usual places. memory: bytes in which to unpack it, as far as it fits.
    Equal arguments give the same shared object. Raises InvalidSettingError and InvalidDatabaseError.
    """
    from kr.egdb.database import Database, find

    directory = find(setting)
    if directory is None:
        return None
    with _opening:
        key = os.path.realpath(directory), memory
        database = _databases.get(key)
        if database is None:
            database = _databases[key] = Database.open(directory, unpack_bytes=memory)
    return database


def decided(database: Database | None, position: Position) -> Value | None:
    """Value, for the side to move, by which the database decides a game here; None if it does not.

    A game continues while a capture is pending, as in self-play. Raises InvalidDatabaseError.
    """
    if database is None or not database.has(position) or position.legal_moves()[0].is_capture:
        return None
    value = database.value(position)
    database.raise_damage()
    return value
