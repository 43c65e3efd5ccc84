"""Endgame databases for use: where they are found, opening and probing them."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kr import _egdb, storage
from kr.egdb import files, slices
from kr.egdb.files import SliceFile
from kr.egdb.slices import Shape
from kr.errors import InvalidDatabaseError, InvalidSettingError, ThreadError
from kr.game.value import Value
from kr.settings import EGDB_MEMORY
from kr.threads import start_all

if TYPE_CHECKING:
    from kr.game.position import Position

NONE = "none"
ENVIRONMENT = "KR_EGDB"
VALUES = (Value.LOSS, Value.DRAW, Value.WIN)
"""Values by their numbers in the core."""


def default_directory() -> Path:
    """Where `kr egdb build` puts databases, and where they are found: in the user's data directory."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "kr" / "egdb"


def find(setting: str = "") -> Path | None:
    """The directory that a `--egdb` text means, None for none.

    Without a setting: the environment variable KR_EGDB, else the user's database or the one that comes with kr,
    whichever is complete up to more pieces, else none. Raises InvalidSettingError where a directory that was named
    isn't there.
    """
    named = setting or os.environ.get(ENVIRONMENT, "")
    if named == NONE:
        return None
    if named:
        # unlike Path.is_dir, it raises nothing
        if not os.path.isdir(named):
            where = "" if setting else f"{ENVIRONMENT}="
            raise InvalidSettingError(f"{where}{named}: no directory with an endgame database; give one, or none")
        return Path(named)
    # a user's build under way may not have come as far as the shipped one; of equals the user's is taken
    places = [place for place in (default_directory(), storage.data_path("egdb")) if place.is_dir()]
    reach = {place: listing(place).complete("wld") for place in places}
    best = max(reach, key=reach.__getitem__, default=None)
    return best if best is not None and reach[best] > 1 else None


def directory_for(given: Path | None) -> Path:
    """The directory given, or the one that `find` finds. Raises InvalidDatabaseError where there is none."""
    directory = given or find()
    if directory is None:
        raise InvalidDatabaseError("no endgame database found; name its directory, or make one with kr egdb build")
    return directory


@dataclass(frozen=True)
class Listing:
    """The files of a directory, by kind and pair."""

    directory: Path
    paths: Mapping[str, Mapping[Shape, Path]]

    def complete(self, kind: str) -> int:
        """The most pieces with which every pair has its file of this kind, and with all fewer ones; 1 for none."""
        count = 1
        while count < slices.EGDB_MAX_PIECES and all(pair in self.paths[kind] for pair in slices.pairs(count + 1)):
            count += 1
        return count


def listing(directory: Path) -> Listing:
    """What a directory holds. Raises InvalidDatabaseError where it can't be read."""
    try:
        names = set(os.listdir(directory))
    except OSError as error:
        raise InvalidDatabaseError(f"{directory}: can't read this endgame database: {error.strerror}") from error
    every = [pair for count in range(2, slices.EGDB_MAX_PIECES + 1) for pair in slices.pairs(count)]
    return Listing(
        directory,
        {
            kind: {
                pair: directory / files.file_name(kind, pair) for pair in every if files.file_name(kind, pair) in names
            }
            for kind in files.KINDS
        },
    )


class Database:
    """An open database; threads may share it."""

    def __init__(self, directory: Path, core: _egdb.EndgameDatabase, opened: list[SliceFile]) -> None:
        self.directory = directory
        self.core = core
        self.files = opened

    @classmethod
    def open(
        cls,
        directory: Path | str,
        *,
        unpack_bytes: int = EGDB_MEMORY,
        max_pieces: int = slices.EGDB_MAX_PIECES,
        max_distances: int = slices.EGDB_MAX_PIECES,
    ) -> Database:
        """Open the files of a directory, as far as it is complete, and at most up to so many pieces.

        unpack_bytes: the smaller piece counts are unpacked into memory as long as they fit into this. Raises
        InvalidDatabaseError for a directory without a database, a damaged or foreign file.
        """
        found = listing(Path(directory))
        pieces = min(found.complete("wld"), max_pieces)
        if pieces < 2:
            raise InvalidDatabaseError(
                f"{directory}: no endgame database here: files wld-*{files.SUFFIX} of all pairs with 2 pieces at "
                "least; kr egdb build makes them"
            )
        reach = {"wld": pieces, "dtw": min(pieces, found.complete("dtw"), max_distances)}
        opened = [
            _open_named(path, kind, pair)
            for kind in files.KINDS
            for pair, path in found.paths[kind].items()
            if slices.pieces(pair) <= reach[kind]
        ]
        values = {file.header.stored: file.coded for file in opened if file.header.kind == "wld"}
        distances = {file.header.stored: file.coded for file in opened if file.header.kind == "dtw"}
        core = _egdb.EndgameDatabase(values, distances, unpacked=_unpacked(values, unpack_bytes))
        _unpack(core)
        database = cls(Path(directory), core, opened)
        database.raise_damage()
        return database

    @property
    def pieces(self) -> int:
        """Every position with so many pieces or fewer has its value."""
        return int(self.core.pieces)

    @property
    def distance_pieces(self) -> int:
        """Every position with so many pieces or fewer has its distance; 1 where there are none."""
        return int(self.core.distance_pieces)

    @property
    def signature(self) -> str:
        """What the values are, in short: a checksum of how often each slice has which, and the number of pieces."""
        counts = sorted(f"{name}{count}" for file in self.files for name, count in file.header.facts["counts"].items())
        return f"{self.pieces} pieces {storage.checksum(' '.join(counts).encode())}"

    def value(self, position: Position) -> Value | None:
        """Value for the side to move; None with too many pieces. Raises InvalidDatabaseError."""
        value = self.core.probe(position.black, position.white, position.kings, int(position.side))
        if value == _egdb.VALUE_UNKNOWN:
            self.raise_damage()
            return None
        return VALUES[value]

    def distance(self, position: Position) -> int | None:
        """Plies to the end under best play; None for a draw and where the database doesn't tell.

        Raises InvalidDatabaseError.
        """
        plies = self.core.distance(position.black, position.white, position.kings, int(position.side))
        if plies < 0:
            self.raise_damage()
            return None
        return int(plies)

    def raise_damage(self) -> None:
        """Raise InvalidDatabaseError, naming file and chunk, if anything that was read is damaged."""
        for file in self.files:
            file.raise_damage()


def _open_named(path: Path, kind: str, pair: Shape) -> SliceFile:
    """Open a file that must hold what its name says."""
    file = files.open_slice(path)
    if (file.header.kind, file.header.pair) != (kind, pair):
        raise InvalidDatabaseError(
            f"{path}: holds {files.file_name(file.header.kind, file.header.pair)}; give it that name, or build it again"
        )
    return file


def _unpacked(values: Mapping[Shape, object], limit: int) -> int:
    """The most pieces up to which everything fits into so many bytes at two bits a position."""
    total = 0
    for count in range(2, slices.EGDB_MAX_PIECES + 1):
        total += sum(slices.size(shape) for shape in values if slices.pieces(shape) == count) // 4
        if total > limit:
            return count - 1
    return slices.EGDB_MAX_PIECES


def _unpack(core: _egdb.EndgameDatabase) -> None:
    threads = [threading.Thread(target=core.unpack) for _ in range(len(os.sched_getaffinity(0)) - 1)]
    # where the system starts none, this one unpacks it all
    with suppress(ThreadError):
        start_all(threads, lambda: None)
    core.unpack()
    for thread in threads:
        if thread.is_alive():
            thread.join()
