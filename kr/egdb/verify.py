"""`kr egdb verify`: a database proved right, or what is wrong with it.

First every file: name, header, all checksums. Then every position, with either side to move, against its one-ply
successors: positions are enumerated, moves made and values probed in the core (_egdb/verify.pxi) by a path that shares
nothing with the builder, and each win and loss must follow from others that are proven already, so that what passes is
proven, not just in agreement with itself. Distances are compared with those of the successors. The values are counted,
and the counts compared with those in the files and, in total, with Table I (see stats.py).

A proof can take hours. What is proven so far is kept in the directory, in a file `.verified-7` for 7 pieces, as long as
nothing wrong was found; the next one goes on there, if the database and the code are the same, byte for byte.

With a fraction to sample, only so many positions are compared with their successors, which is no proof.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _egdb, storage
from kr.egdb import checking, files, slices, stats
from kr.egdb.checking import (
    DATABASE,
    Checked,
    CheckedFile,
    Files,
    Finding,
    Opened,
    Ranges,
    database_key,
    digest,
    distance_pieces,
    gone_through,
)
from kr.egdb.database import Database, directory_for
from kr.egdb.sample import BATCH
from kr.egdb.slices import Shape, shape_named
from kr.egdb.stats import Counts
from kr.errors import InvalidDatabaseError, InvalidSettingError
from kr.game.position import Position, Side
from kr.jobs.needs import Needs
from kr.jobs.pool import Pool
from kr.jobs.unit import Unit
from kr.settings import Settings, option, seed_option, workers_option
from kr.threads import thread_pool
from kr.units import counted, format_size, parse_size

SHARE_POSITIONS = 1 << 21
"""About as many positions are checked in one call of the core."""
SHOWN = 20
"""Problems that are named; all are counted."""
PROVEN = ".verified-{}"
"""The file, by the number of pieces: a proof of fewer leaves that of more alone."""
PROVEN_FORMAT = 1
SAVE_SECONDS = 1.0
"""A kill loses the work of so many seconds, and what is under way."""
VALUES = {_egdb.VALUE_LOSS: "lost", _egdb.VALUE_DRAW: "drawn", _egdb.VALUE_WIN: "won", _egdb.VALUE_UNKNOWN: "unknown"}
"""Words for a position's value to the side to move."""


@dataclass(frozen=True)
class VerifySettings(Settings):
    """What is verified, and how thoroughly."""

    dir: Path | None = option(None, "Directory of the database.  [default: the one that kr uses in play]")
    pieces: int = option(
        0, "Most pieces of the positions: {allowed}.", low=2, high=slices.EGDB_MAX_PIECES, zero="all that are there"
    )
    sample: float = option(
        0.0, "Check this fraction of the positions instead of proving all; 0: prove all.", low=0, below=1
    )
    seed: int = seed_option("Seed of the sample.")
    jobs: int = workers_option()
    memory: int = option(
        8 << 30, "Unpack the database, for speed, as far as it fits into this.", parse=parse_size, show=format_size
    )


@dataclass
class Verified:
    """What was looked at with one number of pieces."""

    positions: int = 0
    counts: Counts | None = None
    """None where only a sample was checked."""
    distances: bool = False
    """Whether distances were compared too."""


@dataclass
class Verification:
    """What was found."""

    directory: Path
    files: int = 0
    bytes: int = 0
    pieces: int = 0
    """Positions with so many pieces or fewer were checked."""
    sampled: bool = False
    verified: dict[int, Verified] = field(default_factory=dict)
    """By piece count."""
    wrong: int = 0
    """How many problems there are."""
    problems: list[str] = field(default_factory=list)
    """The first of them, a line each."""
    skipped: list[str] = field(default_factory=list)
    """Files of which only the checksums were compared: more pieces than wanted, or others with as many are missing."""
    seconds: float = 0.0
    """With those of the runs that this one goes on from."""

    def add(self, problem: str, count: int = 1) -> None:
        """Take note of a problem that stands for `count`."""
        self.wrong += count
        if len(self.problems) < SHOWN:
            self.problems.append(problem)


OnProgress = Callable[[str, float, float], None]
"""Called with what is being done, units done and units in all."""


def verify(settings: VerifySettings, on_progress: OnProgress | None = None) -> Verification:
    """Verify a database; what is wrong with it is in the result.

    Raises InvalidDatabaseError where there is none, InvalidSettingError where it has fewer pieces than asked for.
    """
    return _Run(settings, on_progress).run()


class _Run:
    """One verification."""

    def __init__(self, settings: VerifySettings, on_progress: OnProgress | None) -> None:
        self.settings = settings
        self.on_progress = on_progress
        self.directory = directory_for(settings.dir)
        self.found = Verification(self.directory, sampled=settings.sample > 0)
        self.threads = settings.jobs or len(os.sched_getaffinity(0))
        self.digests: dict[str, str] = {}
        """Of the good files, by name."""
        self.began = time.monotonic()

    def run(self) -> Verification:
        """Files first; positions only where those are whole."""
        found = self.found
        headers = self._check_files()
        found.pieces = self._complete(headers)
        self.proof = _Proof(self.directory / PROVEN.format(found.pieces), self.began)
        found.skipped = [name for name, header in headers.items() if sum(header.stored) > found.pieces]
        if not found.wrong:
            self._check_positions()
        if not found.wrong and not found.sampled:
            self._compare_counts(headers)
        found.seconds = self.proof.seconds
        return found

    def _complete(self, headers: dict[str, files.Header]) -> int:
        """Up to how many pieces all files are there and wanted."""
        complete = 1
        while complete < slices.EGDB_MAX_PIECES and all(
            files.file_name("wld", pair) in headers for pair in slices.pairs(complete + 1)
        ):
            complete += 1
        wanted = self.settings.pieces
        if not self.found.wrong and complete < max(wanted, 2):
            missing = next(
                name for pair in slices.pairs(complete + 1) if (name := files.file_name("wld", pair)) not in headers
            )
            raise InvalidSettingError(
                f"{self.directory}: complete up to {complete} pieces, {missing} is missing; `kr egdb build` makes it"
            )
        return min(complete, wanted) if wanted else complete

    # Files

    def _check_files(self) -> dict[str, files.Header]:
        """Names, headers and checksums of all files; returns the headers of the good ones."""
        paths = sorted(self.directory.glob(f"*{files.SUFFIX}"))
        if not paths:
            raise InvalidDatabaseError(f"{self.directory}: no endgame database in it; `kr egdb build` makes one")
        self.found.files = len(paths)
        headers = {}
        units = (Unit(checking.Files.name(), path.name, values={"path": str(path)}) for path in paths)
        with closing(Pool(Files(), Needs(), self.threads).run(units)) as parts:
            for done, part in enumerate(parts, start=1):
                assert part.chunk is not None
                checked = CheckedFile(**storage.parse_json(bytes(part.chunk)))
                path = Path(checked.path)
                if checked.problem:
                    self.found.add(checked.problem)
                else:
                    headers[path.name] = files.read_header(path)
                    self.digests[path.name] = checked.digest
                    self.found.bytes += path.stat().st_size
                self._advance("files", done, len(paths))
        self.found.problems.sort()
        return headers

    # Positions

    def _check_positions(self) -> None:
        pieces, memory = self.found.pieces, self.settings.memory
        shapes = [shape for count in range(2, pieces + 1) for shape in slices.shapes(count)]
        positions = sum(map(slices.size, shapes))
        database = Database.open(self.directory, unpack_bytes=memory, max_pieces=pieces)
        for count in range(2, pieces + 1):
            self.found.verified[count] = Verified(distances=count <= database.distance_pieces)
        key = database_key(self.digests, pieces)
        needs = Needs({key: str(self.directory)})
        done = 0 if self.found.sampled else self._go_on(key)
        values = self._sampled_ranges(shapes) if self.found.sampled else self._unproven_ranges()
        tools = {"pieces": pieces, "memory": memory}
        units = (
            Unit(checking.Ranges.name(), " ".join(map(str, each.values())), {"egdb": key}, tools, each)
            for each in values
        )
        try:
            needs.keep(DATABASE, key, Opened(database, None if self.found.sampled else self._known_distances(database)))
            self._advance("positions", done, positions)
            with closing(Pool(Ranges(), needs, self.threads).run(units)) as parts:
                for part in parts:
                    assert part.chunk is not None
                    checked = Checked.from_json(part.chunk)
                    done += checked.gone_through
                    self._note(checked)
                    self._advance("positions", done, positions)
        except BaseException:
            self._save(at_once=True)
            raise
        database.raise_damage()
        if not self.found.sampled:
            self.proof.forget()

    def _go_on(self, key: str) -> int:
        """Take over what is proven already; returns how many positions were gone through for it."""
        self.proof.load(f"{key} {_code_digest()}")
        for shape, counts in self.proof.counts.items():
            self.found.verified[sum(shape)].positions += int(counts.sum())
        return sum(gone_through(pair, *share) for pair, shares in self.proof.shares.items() for share in shares)

    def _known_distances(self, database: Database) -> _egdb.KnownDistances:
        """The distances, unpacked as far as they fit into memory."""
        known = _egdb.KnownDistances(database.core, distance_pieces(database, self.settings.memory))
        with thread_pool(self.threads) as pool:
            list(pool.map(known.unpack, range(self.threads), [self.threads] * self.threads))
        return known

    def _unproven_ranges(self) -> Iterator[dict[str, Any]]:
        """All arrangements of men that aren't proven, those with the most kings first: they take longest."""
        shares = [
            (pair, first, min(first + step, stop))
            for pair in slices.pairs_up_to(self.found.pieces)
            for step in [max(1, SHARE_POSITIONS // slices.block(pair))]
            for begin, stop in self.proof.missing(pair)
            for first in range(begin, stop, step)
        ]
        shares.sort(key=lambda share: (-slices.block(share[0]), share))
        return ({"pair": slices.name(pair), "first": first, "last": last} for pair, first, last in shares)

    def _sampled_ranges(self, shapes: Sequence[Shape]) -> Iterator[dict[str, Any]]:
        """All positions, in ranges of which about BATCH are taken."""
        length = math.ceil(BATCH / self.settings.sample)
        sampled = {"sample": self.settings.sample, "seed": self.settings.seed}
        return (
            {"shape": slices.name(shape), "first": first, "last": min(first + length, slices.size(shape)), **sampled}
            for shape in shapes
            for first in range(0, slices.size(shape), length)
        )

    def _save(self, at_once: bool = False) -> None:
        """Keep what is proven, unless something is wrong: then all is looked at again."""
        if self.found.wrong:
            self.proof.forget()
        elif not self.found.sampled:
            self.proof.save(at_once)

    def _note(self, checked: Checked) -> None:
        verified = self.found.verified[sum(checked.shape)]
        verified.positions += checked.positions
        if checked.arrangements:
            self.proof.add(checked)
        for number, finding in enumerate(checked.findings):
            # the last one named stands for those that are not
            more = checked.wrong - len(checked.findings) if number == len(checked.findings) - 1 else 0
            self.found.add(_describe(checked.shape, finding), 1 + more)
        self._save()

    def _compare_counts(self, headers: dict[str, files.Header]) -> None:
        """The values counted against what the files say, and all positions against Table I."""
        for count, verified in self.found.verified.items():
            verified.counts = Counts()
            for shape in slices.shapes(count):
                losses, draws, wins = map(int, self.proof.counts[shape])
                counts = Counts(wins, losses, draws)
                name = files.file_name("wld", slices.named_view(shape))
                if counts != (stated := stats.counts_of(headers[name], shape)):
                    self.found.add(
                        f"{self.directory / name}: {_in_words(stated)} are stated for slice {slices.name(shape)}, "
                        f"it has {_in_words(counts)}"
                    )
                verified.counts += counts
            total = verified.counts.positions + stats.one_sided(count).positions
            if total != stats.PUBLISHED[count]:
                self.found.add(f"{total} positions with {count} pieces, {stats.PUBLISHED[count]} by Table I")

    def _advance(self, what: str, done: float, total: float) -> None:
        if self.on_progress:
            self.on_progress(what, done, total)


class _Proof:
    """What is proven so far, in memory and, so that a proof that was ended goes on, in a file.

    What is in the file is true at any time, whoever wrote it: of proofs at the same time one goes on. Where no file can
    be written, there is none.
    """

    def __init__(self, path: Path, began: float) -> None:
        self.path = path
        self.key = ""
        self.shares: dict[Shape, list[tuple[int, int]]] = {}
        """Arrangements of men by pair: the first, and the one behind the last."""
        self.counts: dict[Shape, NDArray[np.int64]] = {}
        """Losses, draws, wins."""
        self._began = self._saved = began

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def load(self, key: str) -> None:
        """Go on from the file, if it is whole and of what `key` stands for."""
        self.key = storage.checksum(key.encode())
        # whatever is wrong with the file, it is just not gone on from
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            check, text = storage.read_regular(self.path).decode().split("\n", 1)
            found = storage.parse_json(text)
            right = storage.checksum(text.encode()), PROVEN_FORMAT, self.key
            if (check, found["format"], found["key"]) == right:
                self.shares = {
                    shape_named(name): [(a, b) for a, b in shares] for name, shares in found["shares"].items()
                }
                self.counts = {shape_named(name): np.array(counts) for name, counts in found["counts"].items()}
                self._began -= found["seconds"]

    def add(self, checked: Checked) -> None:
        """Take over what was counted, and note what was gone through."""
        assert checked.arrangements is not None
        for shape, counts in checked.counts.items():
            self.counts[shape] = self.counts.get(shape, 0) + np.array(counts)
        joined: list[tuple[int, int]] = []
        for first, last in sorted([*self.shares.get(checked.shape, []), checked.arrangements]):
            if joined and joined[-1][1] == first:
                first = joined.pop()[0]
            joined.append((first, last))
        self.shares[checked.shape] = joined

    def missing(self, pair: Shape) -> Iterator[tuple[int, int]]:
        """The arrangements of men that aren't proven: the first, and the one behind the last."""
        proven = self.shares.get(pair, [])
        ends = [0, *(last for _, last in proven)]
        starts = [*(first for first, _ in proven), slices.size(pair) // slices.block(pair)]
        return ((first, last) for first, last in zip(ends, starts, strict=True) if first < last)

    def save(self, at_once: bool = False) -> None:
        """Write the file, now and then or at once."""
        if not at_once and time.monotonic() - self._saved < SAVE_SECONDS:
            return
        self._saved = time.monotonic()
        state = {
            "format": PROVEN_FORMAT,
            "key": self.key,
            "seconds": self.seconds,
            "shares": {slices.name(pair): shares for pair, shares in self.shares.items()},
            "counts": {slices.name(shape): counts.tolist() for shape, counts in self.counts.items()},
        }
        text = json.dumps(state)
        with suppress(OSError):
            storage.write_atomic(self.path, f"{storage.checksum(text.encode())}\n{text}")

    def forget(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self.path.unlink()


def _code_digest() -> str:
    """Of the code that proves."""
    return " ".join(digest(Path(path)) for path in (__file__, checking.__file__, _egdb.__file__))


def _in_words(counts: Counts) -> str:
    return f"{counts.wins} wins, {counts.losses} losses, {counts.draws} draws"


def _describe(shape: Shape, finding: Finding) -> str:
    """A finding in words."""
    kind, position, stated, right = finding
    black, white, kings, side = position
    where = f"wld-{slices.name(slices.named_view(shape))}: {Position(black, white, kings, Side(side)).fen}"
    if kind == _egdb.FINDING_DAMAGED:
        return f"{where} has no value, or a move leads to a position without"
    if kind == _egdb.FINDING_DISTANCE:
        return f"{where.replace('wld', 'dtw', 1)} ends in {counted(stated, 'ply')}, by its moves in {right}"
    if kind == _egdb.FINDING_UNPROVEN:
        return f"{where} is {VALUES[stated]}, but no line of play leads there"
    return f"{where} is {VALUES[stated]}, by its moves it is {VALUES[right]}"
