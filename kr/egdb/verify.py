"""`kr egdb verify`: proves that a database is right, or lists the problems with it.

Files come first: name, header and all checksums. Then every position, with either side to move, is compared with the
positions that its moves lead to. The core (_egdb/verify.pxi) enumerates positions, makes moves and probes values in a
way that shares nothing with the builder. Each win and loss must follow from values that are proven already: a database
that passes is proven, not merely consistent. Distances are compared with those of the successors. Finally the values
are counted, and the counts compared with those in the files and, in total, with Table I (see stats.py); those of a
class whose number of pieces is not complete, with a closed formula. Counts of slices that were built before are known
(counts.json): so even a sample notices a file of right checksums whose values are not the right ones.

A proof can take hours. Its progress is stored in a file of the directory (`.verified-7` for 7 pieces, `.verified-7-4v4`
with a class of more) as long as there is no problem. The next run resumes there if database and code are unchanged,
byte for byte.

With a sample, only that part of the positions is compared with its successors, which is not a proof. With classes, only
their positions are, and the values that captures lead to are taken as they are.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from kr import _egdb
from kr.cluster.address import cluster_option
from kr.cluster.pool import work_pool
from kr.egdb import checking, files, proof_record, slices, stats
from kr.egdb.checking import (
    DATABASE_NEED,
    CheckedDatabase,
    CheckedRange,
    FileCheck,
    Finding,
    RangeCheck,
    database_key,
    digest,
    gone_through,
)
from kr.egdb.database import Database, directory_for, distance_pieces
from kr.egdb.proof_record import ProofRecord
from kr.egdb.sample import DRAWN_AT_ONCE
from kr.egdb.slices import Class, Shape
from kr.egdb.stats import Counts
from kr.errors import InvalidSettingError
from kr.game.position import Position, Side
from kr.jobs.needs import Needs
from kr.jobs.pool import Pool
from kr.jobs.unit import Unit
from kr.settings import Settings, option, seed_option, workers_option
from kr.threads import results, thread_pool, worker_count
from kr.units import counted, format_size, parse_count, parse_size

CHECKED_AT_ONCE = 1 << 21
"""Approximate number of positions checked by one call of the core."""
PROBLEMS_LISTED = 20
"""Problems described in the result; all are counted."""
PROOF_NAME = ".verified-{}"
"""File of a proof, by what it is of: one of fewer pieces must not replace one of more."""
VALUE_ADJECTIVES = {
    _egdb.VALUE_LOSS: "lost",
    _egdb.VALUE_DRAW: "drawn",
    _egdb.VALUE_WIN: "won",
    _egdb.VALUE_UNKNOWN: "unknown",
}


def _parse_classes(text: str) -> str:
    """Check a list of classes. Raises InvalidSettingError."""
    try:
        return ",".join(map(slices.class_name, slices.parse_classes(text)))
    except ValueError as error:
        raise InvalidSettingError(str(error)) from None


def _parse_sample(text: str) -> float:
    """A fraction, or a count in the form of other counts. Raises InvalidSettingError."""
    with suppress(ValueError):
        return float(text)
    return parse_count(text)


@dataclass(frozen=True)
class VerifySettings(Settings):
    """Extent and thoroughness of a verification."""

    dir: Path | None = option(None, "Directory of the database.  [default: the one that kr uses in play]")
    pieces: int = option(
        0, "Most pieces of the positions: {allowed}.", low=2, high=slices.EGDB_MAX_PIECES, zero="the whole database"
    )
    classes: str = option(
        "", "Only these classes, such as 4v4 or a list with commas.", parse=_parse_classes, metavar="CLASSES"
    )
    sample: float = option(
        0.0,
        "Check a random sample: a fraction of the positions, or from 1 on a number of each slice; 0: prove all.",
        parse=_parse_sample, metavar="NUMBER", low=0,
    )  # fmt: skip
    seed: int = seed_option("Seed of the sample.")
    workers: int = workers_option()
    cluster: str = cluster_option()
    memory: int = option(
        8 << 30, "Memory in which to unpack the database for speed.", parse=parse_size, show=format_size
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "classes", _parse_classes(self.classes))
        if self.classes and self.pieces:
            raise InvalidSettingError("classes, pieces: both are given; expected one of them")
        if self.sample > 1 and self.sample != int(self.sample):
            raise InvalidSettingError(f"sample: {self.sample} is neither a fraction nor a whole number of positions")


@dataclass
class VerifiedPieces:
    """Positions with one number of pieces, or of one class, as far as they were checked."""

    positions: int = 0
    counts: Counts | None = None
    """None if only a sample was checked."""
    distances: bool = False
    """True if distances were compared too."""


@dataclass
class Verification:
    """Result of a verification."""

    directory: Path
    files: int = 0
    bytes: int = 0
    pieces: int = 0
    """Positions with this many pieces or fewer were checked; 0 if only classes were wanted."""
    classes: tuple[str, ...] = ()
    """Classes that were checked too, as far as they have more pieces."""
    sampled: bool = False
    verified: dict[str, VerifiedPieces] = field(default_factory=dict)
    """By number of pieces, such as "7", and for `classes` by their names."""
    wrong: int = 0
    """Number of problems."""
    problems: list[str] = field(default_factory=list)
    """Descriptions of the first problems, a line each."""
    skipped: list[str] = field(default_factory=list)
    """Files of which only the checksums were compared: their class is not wanted, or files of it or of a smaller one
    are missing; or they have distances, and others with as many pieces or fewer are missing."""
    seconds: float = 0.0
    """Including those of earlier runs that this one resumed."""

    @property
    def reach(self) -> str:
        """What was checked, in words: "up to 7 pieces, and 4v4", or classes alone."""
        return slices.reach_in_words(self.pieces, self.classes) if self.pieces else ", ".join(self.classes)

    def add(self, problem: str, count: int = 1) -> None:
        """Note a problem whose description stands for `count` problems."""
        self.wrong += count
        if len(self.problems) < PROBLEMS_LISTED:
            self.problems.append(problem)


OnProgress = Callable[[str, float, float], None]
"""Called with the stage ("files" or "positions"), units done and units in all."""


def verify_database(settings: VerifySettings, on_progress: OnProgress | None = None) -> Verification:
    """Verify a database; the problems with it are part of the result.

    Raises InvalidDatabaseError if there is no database, InvalidSettingError if it has fewer pieces than the settings.
    """
    return _Verifier(settings, on_progress).run()


class _Verifier:
    """One run of a verification."""

    def __init__(self, settings: VerifySettings, on_progress: OnProgress | None) -> None:
        self.settings = settings
        self.on_progress = on_progress
        self.directory = directory_for(settings.dir)
        self.result = Verification(self.directory, sampled=settings.sample > 0)
        self.threads = worker_count(settings.workers)
        self.groups: dict[str, tuple[Class, ...]] = {}
        """Classes to check, as they are named in the result."""
        self.checked: dict[Class, VerifiedPieces] = {}
        """What was checked of a class."""
        self.digests: dict[str, str] = {}
        """Digests of the good files, by name."""
        self.began = time.monotonic()

    def run(self) -> Verification:
        """Check files, then, if all are good, positions and counts."""
        result = self.result
        headers = self._check_files()
        self.groups = self._groups_of(headers)
        result.pieces = max((int(name) for name in self.groups if name.isdigit()), default=0)
        result.classes = tuple(name for name in self.groups if not name.isdigit())
        what = "-".join([*[str(result.pieces)] * bool(result.pieces), *result.classes])
        self.proof = ProofRecord(self.directory / PROOF_NAME.format(what), self.began)
        result.skipped = self._skipped(headers)
        if not result.wrong:
            self._check_positions()
        if not result.wrong and not result.sampled:
            self._compare_counts(headers)
        if not result.wrong:
            self._compare_known(headers)
        result.seconds = self.proof.seconds
        return result

    def _groups_of(self, headers: dict[str, files.SliceHeader]) -> dict[str, tuple[Class, ...]]:
        """The classes to check, by name: all with a number of pieces that is complete together, others one by one.

        Raises InvalidSettingError if those that the settings ask for are not there.
        """
        present = _pairs_of(headers, "wld")
        usable, complete = slices.usable_classes(present), slices.complete_pieces(present)
        chosen = slices.parse_classes(self.settings.classes)
        for cls in chosen:
            if cls not in usable:
                needed = (*sorted(slices.smaller_classes(cls), key=lambda each: (sum(each), each)), cls)
                self._refuse(headers, needed, f"{slices.class_name(cls)} needs it")
        if chosen:
            return {slices.class_name(cls): (cls,) for cls in chosen}
        least = max(self.settings.pieces, 2)
        if least not in map(sum, usable):
            self._refuse(headers, slices.classes(complete + 1), f"`kr egdb build --pieces {least}` makes it")
        most = self.settings.pieces or slices.EGDB_MAX_PIECES
        groups = {str(count): slices.classes(count) for count in range(2, min(complete, most) + 1)}
        return groups | {slices.class_name(cls): (cls,) for cls in usable if complete < sum(cls) <= most}

    def _refuse(self, headers: dict[str, files.SliceHeader], needed: Sequence[Class], why: str) -> None:
        """Raise InvalidSettingError, naming the first missing file, unless it may be a damaged one."""
        names = (files.file_name("wld", pair) for cls in needed for pair in slices.class_pairs(cls))
        if not self.result.wrong:
            missing = next(name for name in names if name not in headers)
            raise InvalidSettingError(f"{self.directory}: {missing} is missing; {why}")

    def _skipped(self, headers: dict[str, files.SliceHeader]) -> list[str]:
        """Files whose entries are not checked."""
        checked = set(chain(*self.groups.values()))
        reach = min(slices.complete_pieces(_pairs_of(headers, kind)) for kind in files.FILE_KINDS)
        return sorted(
            name
            for name, header in headers.items()
            if slices.class_of(header.pair) not in checked or (header.kind == "dtw" and sum(header.pair) > reach)
        )

    # Files

    def _check_files(self) -> dict[str, files.SliceHeader]:
        """Check names, headers and checksums of all files; returns the headers of the good ones by file name."""
        paths = sorted(self.directory.glob(f"*{files.SUFFIX}"))
        if not paths:
            raise files.no_database(self.directory)
        self.result.files = len(paths)
        headers = {}
        units = (Unit(FileCheck.name(), path.name, values={"path": str(path)}) for path in paths)
        with closing(Pool(FileCheck(), Needs(), self.threads).run(units)) as parts:
            for number, part in enumerate(parts, start=1):
                checked = part.value
                path = Path(checked.path)
                if checked.problem:
                    self.result.add(checked.problem)
                else:
                    headers[path.name] = files.read_header(path)
                    self.digests[path.name] = checked.digest
                    self.result.bytes += path.stat().st_size
                self._advance("files", number, len(paths))
        self.result.problems.sort()
        return headers

    # Positions

    def _check_positions(self) -> None:
        memory = self.settings.memory
        classes = list(chain(*self.groups.values()))
        database = Database.open(self.directory, unpack_bytes=memory, max_pieces=max(map(sum, classes)))
        for name, group in self.groups.items():
            self.result.verified[name] = VerifiedPieces(distances=sum(group[0]) <= database.distance_pieces)
        self.checked = {cls: self.result.verified[name] for name, group in self.groups.items() for cls in group}
        shapes = [shape for group in self.groups.values() for shape in _slices_of(group)]
        positions = sum(map(slices.size, shapes))
        key = database_key(self.digests, classes)
        needs = Needs({key: str(self.directory)})
        count = 0 if self.result.sampled else self._resume(key)
        values = self._sampled_ranges(shapes) if self.result.sampled else self._unproven_ranges()
        tools = {"classes": list(map(slices.class_name, classes)), "memory": memory}
        units = (
            Unit(RangeCheck.name(), " ".join(map(str, each.values())), {"egdb": key}, tools, each) for each in values
        )
        try:
            distances = None if self.result.sampled else self._known_distances(database)
            needs.keep(DATABASE_NEED, key, CheckedDatabase(database, distances))
            self._advance("positions", count, positions)
            pool = work_pool(RangeCheck(), needs, self.threads, cluster=self.settings.cluster)
            with closing(pool.run(units)) as parts:
                for part in parts:
                    checked = part.value
                    count += checked.gone_through
                    self._note(checked)
                    self._advance("positions", count, positions)
        except BaseException:
            self._save(at_once=True)
            raise
        database.raise_damage()
        if not self.result.sampled:
            self.proof.forget()

    def _resume(self, key: str) -> int:
        """Load the proof of an earlier run; returns the number of positions it has passed."""
        self.proof.load(f"{key} {_code_digest()}")
        for shape, counts in self.proof.counts.items():
            self.checked[slices.class_of(shape)].positions += int(counts.sum())
        return sum(gone_through(pair, *each) for pair, ranges in self.proof.ranges.items() for each in ranges)

    def _known_distances(self, database: Database) -> _egdb.KnownDistances:
        """Distances, unpacked as far as they fit into memory."""
        distances = _egdb.KnownDistances(database.core, distance_pieces(database, self.settings.memory))
        with thread_pool(self.threads) as pool:
            list(results(pool, lambda number: distances.unpack(number, self.threads), range(self.threads)))
        return distances

    def _unproven_ranges(self) -> Iterator[dict[str, Any]]:
        """Ranges of the unproven arrangements of men, those with the most kings first: they take longest."""
        ranges = [
            (pair, first, min(first + step, stop))
            for pair in chain(*map(slices.class_pairs, self.checked))
            for step in [max(1, CHECKED_AT_ONCE // slices.block(pair))]
            for begin, stop in self.proof.missing(pair)
            for first in range(begin, stop, step)
        ]
        ranges.sort(key=lambda each: (-slices.block(each[0]), each))
        return ({"pair": slices.name(pair), "first": first, "last": last} for pair, first, last in ranges)

    def _sampled_ranges(self, shapes: Sequence[Shape]) -> Iterator[dict[str, Any]]:
        """Ranges of all positions, of each of which about DRAWN_AT_ONCE are checked."""
        sample = self.settings.sample
        for shape in shapes:
            size = slices.size(shape)
            share = sample if sample < 1 else min(1.0, sample / size)
            length = math.ceil(DRAWN_AT_ONCE / share)
            for first in range(0, size, length):
                last = min(first + length, size)
                yield {
                    "shape": slices.name(shape), "first": first, "last": last, "sample": share,
                    "seed": self.settings.seed,
                }  # fmt: skip

    def _save(self, at_once: bool = False) -> None:
        """Save the proof; once there is a problem, remove it, so that the next run checks everything again."""
        if self.result.wrong:
            self.proof.forget()
        elif not self.result.sampled:
            self.proof.save(at_once)

    def _note(self, checked: CheckedRange) -> None:
        verified = self.checked[slices.class_of(checked.shape)]
        verified.positions += checked.positions
        if checked.arrangements:
            self.proof.add(checked)
        for number, finding in enumerate(checked.findings):
            # the last finding represents those that the core left out
            more = checked.wrong - len(checked.findings) if number == len(checked.findings) - 1 else 0
            self.result.add(_describe(checked.shape, finding), 1 + more)
        self._save()

    def _compare_counts(self, headers: dict[str, files.SliceHeader]) -> None:
        """Compare the counts of values with those in the files, and the numbers of positions with the right ones."""
        for name, verified in self.result.verified.items():
            verified.counts = Counts()
            shapes = _slices_of(self.groups[name])
            for shape in shapes:
                losses, draws, wins = map(int, self.proof.counts[shape])
                counts = Counts(wins, losses, draws)
                file = files.file_name("wld", slices.pair_of(shape))
                if counts != (stated := stats.counts_of(headers[file], shape)):
                    self.result.add(
                        f"{self.directory / file}: states {_in_words(stated)} for slice {slices.name(shape)}, "
                        f"which has {_in_words(counts)}"
                    )
                verified.counts += counts
            total = verified.counts.positions
            if name.isdigit():
                total += stats.one_sided(int(name)).positions
                if total != stats.TABLE_I[int(name)]:
                    self.result.add(f"{total} positions with {name} pieces; Table I has {stats.TABLE_I[int(name)]}")
            elif total != (right := sum(slices.placements(*shape) for shape in shapes)):
                self.result.add(f"{total} positions of {name}; there are {right}")

    def _compare_known(self, headers: dict[str, files.SliceHeader]) -> None:
        """Compare the counts in the files with those of earlier builds."""
        earlier = stats.known_counts()
        for name, header in headers.items():
            for shape in slices.members(header.pair) if header.kind == "wld" else ():
                stated = stats.counts_of(header, shape)
                if stated != earlier.get(shape, stated):
                    self.result.add(
                        f"{self.directory / name}: states {_in_words(stated)} for slice {slices.name(shape)}; "
                        f"earlier builds had {_in_words(earlier[shape])}"
                    )

    def _advance(self, stage: str, count: float, total: float) -> None:
        if self.on_progress:
            self.on_progress(stage, count, total)


def _code_digest() -> str:
    """Digests of the code that verifies: a proof counts only for the code that made it."""
    return " ".join(digest(Path(path)) for path in (__file__, proof_record.__file__, checking.__file__, _egdb.__file__))


def _pairs_of(headers: dict[str, files.SliceHeader], kind: str) -> set[Shape]:
    """Pairs that have a good file of this kind."""
    return {header.pair for header in headers.values() if header.kind == kind}


def _slices_of(classes: Sequence[Class]) -> list[Shape]:
    """The slices of classes with the same number of pieces."""
    return [shape for shape in slices.shapes(sum(classes[0])) if slices.class_of(shape) in classes]


def _in_words(counts: Counts) -> str:
    return f"{counts.wins} wins, {counts.losses} losses, {counts.draws} draws"


def _describe(shape: Shape, finding: Finding) -> str:
    """A finding in words."""
    kind, position, stated, right = finding
    black, white, kings, side = position
    fen = Position(black, white, kings, Side(side)).fen
    file = files.file_name("dtw" if kind == _egdb.FINDING_DISTANCE else "wld", slices.pair_of(shape))
    if kind == _egdb.FINDING_DAMAGED:
        return f"{file}: {fen} or a position after one of its moves has no value"
    if kind == _egdb.FINDING_DISTANCE:
        return f"{file}: {fen} ends in {counted(stated, 'ply')}; by its moves, in {right}"
    if kind == _egdb.FINDING_UNPROVEN:
        return f"{file}: {fen} is {VALUE_ADJECTIVES[stated]}, but no line of play proves it"
    return f"{file}: {fen} is {VALUE_ADJECTIVES[stated]}; by its moves it is {VALUE_ADJECTIVES[right]}"
