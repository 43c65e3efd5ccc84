"""Endgame databases: found, opened once for all that share them, probed; and the rule by which they decide games."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from kr import _egdb, storage
from kr.egdb import files, slices
from kr.egdb.files import SliceFile
from kr.egdb.slices import Class, Shape
from kr.errors import InvalidDatabaseError, InvalidSettingError, ThreadError
from kr.game.board import position_of
from kr.game.position import Position
from kr.game.value import Value
from kr.settings import EGDB_MEMORY
from kr.system import core_count, data_folder
from kr.threads import THREADS, join, results, start_all, thread_pool, worker_count
from kr.units import Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from kr.game.board import PositionLike

NONE = "none"
WORKERS = Range(THREADS.low, THREADS.high, zero="one per core")
ENVIRONMENT = "KR_EGDB"
UNKNOWN_VALUE = 255
"""Value in arrays of a position that the database does not have."""
ROWS_AT_ONCE = 1 << 15
"""Positions that a thread looks up at a time."""
VALUES = (Value.LOSS, Value.DRAW, Value.WIN)
"""Values by their numbers in the core and in files."""


def default_directory() -> Path:
    """The user's database, in the user's data directory: the default of `kr egdb build`."""
    return data_folder() / "egdb"


def find(setting: str = "") -> Path | None:
    """Directory of the database that an `--egdb` setting selects, or several, see `files.folders_of`; None for none.

    An empty setting selects the environment variable KR_EGDB, or else the user's database or the one that comes with
    kr, whichever is complete up to more pieces, or has more classes if equal. Raises InvalidSettingError if a directory
    that was named doesn't exist.
    """
    named = setting or os.environ.get(ENVIRONMENT, "")
    if named == NONE:
        return None
    if named:
        for folder in files.folders_of(named):
            # unlike Path.is_dir, it never raises
            if not os.path.isdir(folder):
                where = "" if setting else f"{ENVIRONMENT}="
                raise InvalidSettingError(
                    f"{where}{folder}: not a directory; expected that of an endgame database, or none"
                )
        return Path(named)
    # a user's build under way may have fewer pieces than the shipped database; of equals, the user's is taken
    places = [place for place in (default_directory(), storage.data_path("egdb")) if place.is_dir()]
    listings = {place: files.listing(place) for place in places}
    reach = {place: (each.complete("wld"), len(each.classes("wld"))) for place, each in listings.items()}
    best = max(reach, key=reach.__getitem__, default=None)
    return best if best is not None and reach[best][0] > 1 else None


def directory_for(chosen: Path | None) -> Path:
    """The chosen directory, or the one that `find` selects. Raises InvalidDatabaseError if there is none."""
    directory = chosen or find()
    if directory is None:
        raise InvalidDatabaseError("no endgame database found; give its directory, or build one with `kr egdb build`")
    if len(files.folders_of(directory)) > 1:
        raise InvalidDatabaseError(f"{directory}: several directories; give the one that is meant")
    return directory


class Database:
    """An open database; threads may share it."""

    def __init__(
        self, directory: Path, core: _egdb.EndgameDatabase, opened: list[SliceFile], unpack_bytes: int = EGDB_MEMORY
    ) -> None:
        self.directory = directory
        self.core = core
        self.files = opened
        self._unpack_bytes = unpack_bytes
        self._unpacked = _unpacked({file.header.stored for file in opened if file.header.kind == "wld"}, unpack_bytes)
        self._distances: _egdb.KnownDistances | None = None
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls,
        directory: Path | str,
        *,
        unpack_bytes: int = EGDB_MEMORY,
        max_pieces: int = slices.EGDB_MAX_PIECES,
        max_distances: int = slices.EGDB_MAX_PIECES,
    ) -> Database:
        """Open the files of a directory up to the number of pieces up to which it is complete, and classes of more.

        unpack_bytes: memory in which to unpack values, the fewest pieces first; max_pieces, max_distances: upper bounds
        on the pieces of values and distances. Raises InvalidDatabaseError if the directory has no database, or a file
        of it is damaged or of another kind.
        """
        slice_files = list(map(files.open_slice, files.listing(directory).usable(max_pieces, max_distances)))
        values = {file.header.stored: file.coded for file in slice_files if file.header.kind == "wld"}
        distances = {file.header.stored: file.coded for file in slice_files if file.header.kind == "dtw"}
        core = _egdb.EndgameDatabase(values, distances, unpacked=_unpacked(values, unpack_bytes))
        _unpack(core)
        database = cls(Path(directory), core, slice_files, unpack_bytes)
        database.raise_damage()
        return database

    @property
    def pieces(self) -> int:
        """Every position with this many pieces or fewer has a value; with more pieces, those of `classes`."""
        return int(self.core.pieces)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes with more pieces than `pieces` that are there too, such as "4v4"."""
        return tuple(map(slices.class_name, self.core.classes))

    @property
    def reach(self) -> str:
        """What has values, in words: "up to 7 pieces, and 4v4"."""
        return slices.reach_in_words(self.pieces, self.classes)

    @property
    def distance_pieces(self) -> int:
        """Every position with this many pieces or fewer has a distance, if not drawn; 1 if there are no distances."""
        return int(self.core.distance_pieces)

    @property
    def signature(self) -> str:
        """Identity of the values in short: pieces, further classes, and a checksum of the counts of each slice."""
        counts = sorted(f"{name}{count}" for file in self.files for name, count in file.header.facts["counts"].items())
        return " ".join([f"{self.pieces} pieces", *self.classes, storage.checksum(" ".join(counts).encode())])

    def has(self, position: PositionLike) -> bool:
        """True if the database has the value of a position: by the pieces of the two sides."""
        position = position_of(position)
        return self.core.has(position.black.bit_count(), position.white.bit_count())

    def has_class(self, cls: Class) -> bool:
        """True if the database has the values of a class."""
        return self.core.has(*cls)

    def value(self, position: PositionLike) -> Value | None:
        """Value for the side to move; None if the database doesn't have the position. Raises InvalidDatabaseError."""
        try:
            value = self.core.probe(position.black, position.white, position.kings, int(position.side))  # type: ignore[union-attr]
        except AttributeError:
            # asking first takes 6% of the time of a call
            return self.value(position_of(position))
        if value == _egdb.VALUE_UNKNOWN:
            self.raise_damage()
            return None
        return VALUES[value]

    def distance(self, position: PositionLike) -> int | None:
        """Plies to the end under best play; None for a draw or a position without a distance.

        Raises InvalidDatabaseError.
        """
        try:
            plies = self.core.distance(position.black, position.white, position.kings, int(position.side))  # type: ignore[union-attr]
        except AttributeError:
            return self.distance(position_of(position))
        if plies < 0:
            self.raise_damage()
            return None
        return int(plies)

    def values(self, boards: ArrayLike, *, workers: int = 0) -> NDArray[np.uint8]:
        """Values (n,) for the side to move: 0 loss, 1 draw, 2 win, 255 for those that the database doesn't have.

        boards: whole numbers (n, 3): black, white, kings, bit s for square s (0-31), Black to move; or (n, 4), and the
        side to move, 0 Black or 1 White. workers: threads, 0 for one per core. Raises InvalidSettingError, which names
        a row that is not a position, and InvalidDatabaseError.
        """
        values: NDArray[np.uint8] = self._for_all(boards, "uint8", self.core.probe_batch, workers, self._unpacked)
        values[values == _egdb.VALUE_UNKNOWN] = UNKNOWN_VALUE
        return values

    def distances(self, boards: ArrayLike, *, workers: int = 0) -> NDArray[np.int16]:
        """Plies (n,) to the end under best play; -1 for a draw or a position without a distance.

        boards, workers and errors: as for `values`. The first call unpacks distances into as much memory as values.
        """
        with self._lock:
            if self._distances is None:
                unpacked = _egdb.KnownDistances(self.core, distance_pieces(self, self._unpack_bytes))
                unpacked.unpack(0, 1)
                self._distances = unpacked
        return self._for_all(boards, "int16", self._distances.distance_batch, workers)

    def _for_all(
        self,
        boards: ArrayLike,
        dtype: str,
        look_up: Callable[[NDArray[np.uint32], Any], None],
        workers: int,
        unpacked: int = slices.EGDB_MAX_PIECES,
    ) -> NDArray[Any]:
        """Results of the core for each board, by several threads; unpacked: pieces up to which all is in memory."""
        import numpy as np

        from kr.egdb.boards import as_rows, order_of_entries

        WORKERS.check("workers", workers, whole=True)
        rows = as_rows(boards)
        # from memory they come faster than they could be sorted
        sorts = len(rows) > ROWS_AT_ONCE and np.bitwise_count(rows[:, 0] | rows[:, 1]).mean() > unpacked
        order = order_of_entries(rows) if sorts else None
        if order is not None:
            rows = rows[order]
        out = np.empty(len(rows), dtype=dtype)
        parts = [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(rows), ROWS_AT_ONCE)]
        threads = min(worker_count(workers), len(parts))
        if threads <= 1:
            for part in parts:
                look_up(rows[part], out[part])
        else:
            with thread_pool(threads) as pool:
                list(results(pool, lambda part: look_up(rows[part], out[part]), parts))
        self.raise_damage()
        if order is None:
            return out
        placed = np.empty_like(out)
        placed[order] = out
        return placed

    def raise_damage(self) -> None:
        """Raise InvalidDatabaseError, naming file and chunk, if a chunk read so far is damaged."""
        for file in self.files:
            file.raise_damage()


_databases: WeakValueDictionary[tuple[str, int], Database] = WeakValueDictionary()
_opening = threading.Lock()


def load_database(setting: str = "", memory: int = EGDB_MEMORY) -> Database | None:
    """Open the endgame database of an `--egdb` setting; None for "none", and for "" if there is none.

    setting: a directory, "none", or "" for the usual places. memory: bytes in which to unpack it, as far as it fits.
    Equal arguments give the same shared object. Raises InvalidSettingError and InvalidDatabaseError.
    """
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


def distance_pieces(database: Database, memory: int) -> int:
    """Most pieces up to which all distances fit into `memory` bytes, one byte each."""
    pieces, positions = 1, 0
    while pieces < database.distance_pieces:
        positions += sum(map(slices.size, slices.pairs(pieces + 1)))
        if positions > memory:
            break
        pieces += 1
    return pieces


def _unpacked(values: Collection[Shape], limit: int) -> int:
    """Most pieces up to which all values fit into `limit` bytes, at two bits a position."""
    total = 0
    for count in range(2, slices.EGDB_MAX_PIECES + 1):
        total += sum(slices.size(shape) for shape in values if slices.pieces(shape) == count) // 4
        if total > limit:
            return count - 1
    return slices.EGDB_MAX_PIECES


def _unpack(core: _egdb.EndgameDatabase) -> None:
    threads = [threading.Thread(target=core.unpack) for _ in range(core_count() - 1)]
    # if the system can't start them, this thread unpacks everything
    with suppress(ThreadError):
        start_all(threads, lambda: None)
    core.unpack()
    for thread in threads:
        join(thread)
