"""Units of work of `kr egdb verify`: a file with its checksums, or a range of positions with their successors.

Their results are JSON objects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from kr import _egdb, storage
from kr.egdb import files, slices, stats
from kr.egdb.database import Database, distance_pieces
from kr.egdb.sample import drawn, survival
from kr.egdb.slices import Class, Shape, shape_named
from kr.errors import InvalidDatabaseError
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit

DATABASE_NEED = "endgame database to check"

Finding = tuple[int, tuple[int, int, int, int], int, int]
"""A wrong position as the core reports it: kind of finding, position, stated value and right value."""


@dataclass(frozen=True)
class CheckedDatabase:
    """A database under verification, its distances unpacked as far as they fit into memory."""

    database: Database
    distances: _egdb.KnownDistances | None


@dataclass(frozen=True)
class CheckedFile:
    """Result of checking a file: the problem with it, or the digest of a good one."""

    path: str
    problem: str | None = None
    digest: str = ""


@dataclass(frozen=True)
class CheckedRange:
    """Result of checking a range of positions."""

    shape: Shape
    gone_through: int
    """Positions of the range, including those that were passed over."""
    positions: int
    """Positions checked."""
    wrong: int
    findings: list[Finding]
    """Some of the wrong positions."""
    arrangements: tuple[int, int] | None = None
    """First arrangement of men and the one after the last; None if only a sample was checked."""
    counts: dict[Shape, tuple[int, int, int]] = field(default_factory=dict)
    """Losses, draws and wins of each slice."""


class FileCheck(Kind[None, CheckedFile]):
    """Checking a file. Values of a unit: its path."""

    def open(self, unit: Unit, needs: Needs) -> None:
        return None

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[None, CheckedFile]:
        yield [Portion(partial(self._check, Path(unit.values["path"])))]

    def _check(self, path: Path, tools: None, stop: Stop) -> CheckedFile:
        return _checked_file(path)


class RangeCheck(Kind[CheckedDatabase, CheckedRange]):
    """Checking a range of positions.

    Values of a unit: pair, first and last arrangement of men, for a proof; or shape, first and last index, sample (the
    fraction) and seed. `last` is the one after the last. Needs: `egdb`, by `database_key`. Tools: classes, memory
    (bytes).
    """

    def open(self, unit: Unit, needs: Needs) -> CheckedDatabase:
        classes, memory = list(map(slices.parse_class, unit.tools["classes"])), unit.tools["memory"]
        return needs.load(DATABASE_NEED, unit.needs["egdb"], lambda place: _loaded(Path(place), classes, memory))

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[CheckedDatabase, CheckedRange]:
        check = _proved if "pair" in unit.values else _sampled
        yield [Portion(partial(check, unit.values))]

    def encode(self, value: CheckedRange) -> Chunk:
        counts = {slices.name(shape): counts for shape, counts in value.counts.items()}
        return json.dumps({**asdict(value), "shape": slices.name(value.shape), "counts": counts}).encode()

    def decode(self, unit: Unit, chunk: Chunk) -> CheckedRange:
        fields = storage.parse_json(bytes(chunk))
        return CheckedRange(
            shape_named(fields["shape"]),
            fields["gone_through"],
            fields["positions"],
            fields["wrong"],
            [(kind, tuple(position), stated, right) for kind, position, stated, right in fields["findings"]],
            None if fields["arrangements"] is None else tuple(fields["arrangements"]),
            {shape_named(name): tuple(counts) for name, counts in fields["counts"].items()},
        )


def database_key(digests: Mapping[str, str], classes: Collection[Class]) -> str:
    """Identity of the files of classes and of those that captures lead to; digests: by file name."""
    every = sorted(set(classes).union(*map(slices.smaller_classes, classes)))
    pairs = chain(*map(slices.class_pairs, every))
    names = (files.file_name(kind, pair) for pair in pairs for kind in files.FILE_KINDS)
    return storage.checksum(str({name: digests[name] for name in names if name in digests}).encode())


def _loaded(directory: Path, classes: Collection[Class], memory: int) -> tuple[str, CheckedDatabase]:
    database = Database.open(directory, unpack_bytes=memory, max_pieces=max(map(sum, classes)))
    distances = _egdb.KnownDistances(database.core, distance_pieces(database, memory))
    distances.unpack(0, 1)
    digests = {path.name: digest(path) for path in directory.glob(f"*{files.SUFFIX}")}
    return database_key(digests, classes), CheckedDatabase(database, distances)


_chances = cache(survival)


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checked_file(path: Path) -> CheckedFile:
    try:
        file = files.open_slice(path)
        if file.header.kind == "wld":
            for shape in slices.members(file.header.pair):
                stats.counts_of(file.header, shape)
        file.check()
    except InvalidDatabaseError as error:
        return CheckedFile(str(path), str(error))
    return CheckedFile(str(path), digest=digest(path))


def _proved(values: Mapping[str, Any], tools: CheckedDatabase, stop: Stop) -> CheckedRange | None:
    """Check the positions of a pair with some arrangements of men, and their distances if these are known."""
    pair, first, last = shape_named(values["pair"]), values["first"], values["last"]
    distances = tools.distances if sum(pair) <= tools.database.distance_pieces else None
    core = tools.database.core
    own, other, wrong, findings = _egdb.egdb_check_arrangements(core, pair, first, last, distances, stop.flag)
    if stop.is_set():
        return None
    counts = {pair: own} if slices.is_symmetric(pair) else {slices.twin(pair): other, pair: own}
    positions = sum(map(sum, counts.values()))
    passed = gone_through(pair, first, last)
    return CheckedRange(pair, passed, positions, wrong, findings, (first, last), counts)


def gone_through(pair: Shape, first: int, last: int) -> int:
    """Positions of a pair with the arrangements `first` to `last` - 1.

    It includes those that are passed over: in a slice that is its own twin, of two colour-flipped positions one.
    """
    return (last - first) * slices.block(pair) * len(slices.members(pair))


def _sampled(values: Mapping[str, Any], tools: CheckedDatabase, stop: Stop) -> CheckedRange:
    """Check some of the positions of a slice with indices from `first` to `last` - 1."""
    shape, first, last = shape_named(values["shape"]), values["first"], values["last"]
    sampler = _egdb.EndgameSampler(None, shape, first, last, _chances(values["sample"]), values["seed"], False)
    distances = sum(shape) <= tools.database.distance_pieces
    positions = wrong = 0
    findings: list[Finding] = []
    for boards, *_ in drawn(sampler):
        positions += len(boards)
        count, more_findings = _egdb.egdb_check_boards(tools.database.core, boards, distances)
        wrong += count
        findings += more_findings
    return CheckedRange(shape, last - first, positions, wrong, findings)
