"""Units of a proof: a file whose checksums are compared, or a range of positions that is compared with its successors.

Results are objects of JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from kr import _egdb, storage
from kr.egdb import files, slices, stats
from kr.egdb.database import Database
from kr.egdb.sample import survival, taken
from kr.egdb.slices import Shape, shape_named
from kr.errors import InvalidDatabaseError
from kr.jobs.kinds import Kind, Piece, Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit

DATABASE = "endgame database to check"

Finding = tuple[int, tuple[int, int, int, int], int, int]
"""What the core found wrong: kind, position, what is stated and what would be right."""


@dataclass(frozen=True)
class Opened:
    """A database to check, with its distances unpacked as far as they fit into memory."""

    database: Database
    known: _egdb.KnownDistances | None


@dataclass(frozen=True)
class CheckedFile:
    """What is wrong with a file, or the digest of a good one."""

    path: str
    problem: str | None = None
    digest: str = ""


@dataclass(frozen=True)
class Checked:
    """What one call of the core found."""

    shape: Shape
    gone_through: int
    """Positions, those included that were passed over."""
    positions: int
    wrong: int
    findings: list[Finding]
    arrangements: tuple[int, int] | None = None
    """First of men and the one behind the last; None where only a sample was checked."""
    counts: dict[Shape, tuple[int, int, int]] = field(default_factory=dict)
    """Losses, draws, wins."""

    def to_json(self) -> str:
        counts = {slices.name(shape): counts for shape, counts in self.counts.items()}
        return json.dumps({**asdict(self), "shape": slices.name(self.shape), "counts": counts})

    @classmethod
    def from_json(cls, chunk: Chunk) -> Checked:
        found = storage.parse_json(bytes(chunk))
        return cls(
            shape_named(found["shape"]),
            found["gone_through"],
            found["positions"],
            found["wrong"],
            [(kind, tuple(position), stated, right) for kind, position, stated, right in found["findings"]],
            None if found["arrangements"] is None else tuple(found["arrangements"]),
            {shape_named(name): tuple(counts) for name, counts in found["counts"].items()},
        )


class Files(Kind[None]):
    """values: path. What it needs is what is to be found out."""

    def open(self, unit: Unit, needs: Needs) -> None:
        return None

    def steps(self, unit: Unit, needs: Needs) -> Iterator[Sequence[Piece[None]]]:
        yield [Piece(partial(self._check, Path(unit.values["path"])))]

    def _check(self, path: Path, tools: None, stop: Stop) -> bytes:
        return json.dumps(asdict(_checked_file(path))).encode()


class Ranges(Kind[Opened]):
    """needs: egdb (database_key); tools: pieces, memory (bytes).

    values: pair, first and last arrangement of men (last is the one behind), for a proof; or shape, first and last
    position, sample and seed.
    """

    def open(self, unit: Unit, needs: Needs) -> Opened:
        pieces, memory = unit.tools["pieces"], unit.tools["memory"]
        return needs.load(DATABASE, unit.needs["egdb"], lambda place: _loaded(Path(place), pieces, memory))

    def steps(self, unit: Unit, needs: Needs) -> Iterator[Sequence[Piece[Opened]]]:
        check = _proved if "pair" in unit.values else _sampled
        yield [Piece(partial(check, unit.values))]


def database_key(digests: Mapping[str, str], pieces: int) -> str:
    """What identifies the files of a database with up to so many pieces, by the digests of files by their names."""
    names = (files.file_name(kind, pair) for pair in slices.pairs_up_to(pieces) for kind in files.KINDS)
    return storage.checksum(str({name: digests[name] for name in names if name in digests}).encode())


def distance_pieces(database: Database, memory: int) -> int:
    """Up to how many pieces the distances fit into so much memory."""
    pieces, positions = 1, 0
    while pieces < database.distance_pieces:
        positions += sum(map(slices.size, slices.pairs(pieces + 1)))
        if positions > memory:
            break
        pieces += 1
    return pieces


def _loaded(directory: Path, pieces: int, memory: int) -> tuple[str, Opened]:
    database = Database.open(directory, unpack_bytes=memory, max_pieces=pieces)
    known = _egdb.KnownDistances(database.core, distance_pieces(database, memory))
    known.unpack(0, 1)
    digests = {path.name: digest(path) for path in directory.glob(f"*{files.SUFFIX}")}
    return database_key(digests, pieces), Opened(database, known)


_chances = cache(survival)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checked_file(path: Path) -> CheckedFile:
    try:
        found = files.open_slice(path)
        right = files.file_name(found.header.kind, found.header.pair)
        if path.name != right:
            return CheckedFile(str(path), f"{path}: holds what belongs into {right}")
        if found.header.kind == "wld":
            for shape in slices.views(found.header.pair):
                stats.counts_of(found.header, shape)
        found.check()
    except InvalidDatabaseError as error:
        return CheckedFile(str(path), str(error))
    return CheckedFile(str(path), digest=digest(path))


def _proved(values: Mapping[str, Any], tools: Opened, stop: Stop) -> bytes | None:
    """The positions of a pair with some arrangements of men, their distances too where these are known."""
    pair, first, last = shape_named(values["pair"]), values["first"], values["last"]
    known = tools.known if sum(pair) <= tools.database.distance_pieces else None
    own, other, wrong, findings = _egdb.egdb_check_units(tools.database.core, pair, first, last, known, stop.flag)
    if stop.is_set():
        return None
    counts = {pair: own} if slices.is_symmetric(pair) else {slices.twin(pair): other, pair: own}
    positions = sum(map(sum, counts.values()))
    done = gone_through(pair, first, last)
    return Checked(pair, done, positions, wrong, findings, (first, last), counts).to_json().encode()


def gone_through(pair: Shape, first: int, last: int) -> int:
    """Positions with these arrangements; those of a slice's own twin are passed over where their flips are checked."""
    return (last - first) * slices.block(pair) * len(slices.views(pair))


def _sampled(values: Mapping[str, Any], tools: Opened, stop: Stop) -> bytes:
    """Some positions of a slice with indices from `first` to `last` - 1."""
    shape, first, last = shape_named(values["shape"]), values["first"], values["last"]
    sampler = _egdb.EndgameSampler(None, shape, first, last, _chances(values["sample"]), values["seed"], False)
    distances = sum(shape) <= tools.database.distance_pieces
    positions = wrong = 0
    findings: list[Finding] = []
    for boards, _, _ in taken(sampler):
        positions += len(boards)
        more, found = _egdb.egdb_check_boards(tools.database.core, boards, distances)
        wrong += more
        findings += found
    return Checked(shape, last - first, positions, wrong, findings).to_json().encode()
