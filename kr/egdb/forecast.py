"""What there is of an endgame database, what is missing, and what a build of more takes: `kr egdb info`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kr import storage
from kr.egdb import files, scheduling, slices
from kr.egdb.build import BuildSettings, known_rate, wanted_pairs
from kr.egdb.database import Database, default_directory
from kr.egdb.slices import Class, Shape
from kr.game.board import position_of
from kr.threads import worker_count
from kr.units import counted

if TYPE_CHECKING:
    from kr.game.board import PositionLike

_SHIPPED = storage.data_path("egdb")
FILE_BITS = {2: 3.26, 3: 0.111, 4: 0.104, 5: 0.031, 6: 0.062, 7: 0.042, 8: 0.186}
"""Bits a position of files of values, by pieces: docs/lab/databases.md."""
MOST_PIECES_WHOLE = 6
"""Pieces up to which a build of all classes is offered for a position, and not that of its class alone."""


@dataclass(frozen=True)
class BuildForecast:
    """A build, and what it takes at most: values of earlier builds that were kept make it shorter."""

    pieces: int
    classes: str
    """Those that are built with what they lead to; "" for all."""
    directory: Path
    positions: int
    seconds: float
    bytes: int
    """Of the files of values that the build adds."""
    disk: int
    """Most of the disk while it goes on, files included."""
    memory: int
    """Least memory, without that of the interpreter."""

    @property
    def command(self) -> str:
        """The command that builds it."""
        classes = f" --classes {self.classes}" if self.classes else ""
        place = f" --dir {shlex.quote(str(self.directory))}" if self.directory != default_directory() else ""
        return f"kr egdb build --pieces {self.pieces}{classes}{place}"

    @property
    def cost(self) -> str:
        """Time and size, in words."""
        return f"{rough_time(self.seconds)}, {rough_size(self.bytes)}"


@dataclass(frozen=True)
class ClassFiles:
    """The files of a class in a directory."""

    name: str
    pieces: int
    pairs: int
    files: int
    """Pairs that have a file of values."""
    bytes: int
    distance_bytes: int
    usable: bool
    """Its values can be looked up: they and those of all classes that captures lead to are there."""


@dataclass(frozen=True)
class DatabaseInfo:
    """What a directory has."""

    directory: Path
    origin: str
    reach: str
    distance_pieces: int
    signature: str
    """As `Database.signature`."""
    classes: tuple[ClassFiles, ...]
    missing: tuple[BuildForecast, ...]
    """Builds of more, the smaller ones first."""


def survey_database(directory: Path) -> DatabaseInfo:
    """What a directory has, by the headers of its files. Raises InvalidDatabaseError."""
    listing = files.listing(directory)
    if not any(listing.paths.values()):
        raise files.no_database(directory)
    usable = listing.classes("wld")
    # of a build that has hardly begun nothing is whole
    opened = Database.open(directory, unpack_bytes=0) if usable else None
    return DatabaseInfo(
        directory,
        _origin(directory),
        opened.reach if opened else "",
        opened.distance_pieces if opened else 1,
        opened.signature if opened else "",
        tuple(_classes(listing, usable)),
        tuple(_builds_beyond(listing.complete("wld"), usable, None if directory == _SHIPPED else directory)),
    )


def _origin(directory: Path) -> str:
    if directory == default_directory():
        return "the user's"
    return "comes with kr" if directory == _SHIPPED else ""


def _classes(listing: files.Listing, usable: tuple[Class, ...]) -> Iterator[ClassFiles]:
    for count in range(2, slices.EGDB_MAX_PIECES + 1):
        for cls in slices.classes(count):
            paths = {
                kind: [listing.paths[kind][pair] for pair in slices.class_pairs(cls) if pair in listing.paths[kind]]
                for kind in files.FILE_KINDS
            }
            if paths["wld"]:
                size = {kind: sum(path.stat().st_size for path in each) for kind, each in paths.items()}
                yield ClassFiles(
                    slices.class_name(cls), count, len(slices.class_pairs(cls)), len(paths["wld"]), size["wld"],
                    size["dtw"], cls in usable,
                )  # fmt: skip


def _builds_beyond(complete: int, usable: tuple[Class, ...], directory: Path | None) -> Iterator[BuildForecast]:
    """Builds of what a database lacks: all of each number of pieces, of eight class by class."""
    for count in range(complete + 1, slices.EGDB_MAX_PIECES):
        yield build_forecast(count, directory=directory)
    for cls in slices.classes(slices.EGDB_MAX_PIECES):
        if cls not in usable:
            yield build_forecast(slices.EGDB_MAX_PIECES, slices.class_name(cls), directory)


def build_for(position: PositionLike) -> BuildForecast | None:
    """The build that would give the value of a position; None for one with more pieces than databases have."""
    position = position_of(position)
    own, other = position.black.bit_count(), position.white.bit_count()
    count = own + other
    if not own or not other or count > slices.EGDB_MAX_PIECES:
        return None
    return build_of((max(own, other), min(own, other)))


def build_of(cls: Class) -> BuildForecast:
    """The build that would give the values of a class, of few pieces with all others."""
    return build_forecast(sum(cls), "" if sum(cls) <= MOST_PIECES_WHOLE else slices.class_name(cls))


def build_forecast(pieces: int, classes: str = "", directory: Path | None = None) -> BuildForecast:
    """What a build takes here, with all cores; directory: the user's by default."""
    settings = BuildSettings(pieces=pieces, classes=classes, distances=0)
    directory = directory or default_directory()
    todo = _unsolved(wanted_pairs(settings), directory)
    workers = worker_count(0)
    positions = sum(map(slices.pair_size, todo))
    missing = [pair for pair in todo if not (directory / files.file_name("wld", pair)).exists()]
    size = sum(FILE_BITS[slices.pieces(pair)] * slices.pair_size(pair) for pair in missing) / 8
    return BuildForecast(
        pieces, classes, directory, positions, positions / (known_rate(directory) * workers), round(size),
        round(size) + scheduling.peak_disk(todo, kept=False),
        max((scheduling.own_memory(pair, False, workers) for pair in todo), default=0),
    )  # fmt: skip


def _unsolved(pairs: list[Shape], directory: Path) -> list[Shape]:
    """Pairs without a file, and all that they look up, whose values a finished build has removed."""
    todo = {pair for pair in pairs if not (directory / files.file_name("wld", pair)).exists()}
    waiting = list(todo)
    while waiting:
        fresh = slices.successors(waiting.pop()) - todo
        todo |= fresh
        waiting += fresh
    return [pair for pair in pairs if pair in todo]


def rough_time(seconds: float) -> str:
    """A time in words, of one digit or two: "about 3 minutes"."""
    for unit, scale in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= 1.5 * scale:
            return f"about {counted(round(seconds / scale), unit)}"
    return "a minute" if seconds > 20 else "seconds"


def rough_size(size: float) -> str:
    """A size in words: "20 MB"."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(1, round(size / 1e6))} MB"
