"""`kr egdb build`: databases from nothing, in all cores, pair of slices by pair; killed, they go on where they were.

While a database grows, the values of its positions, two bits each, are kept in a directory `.values` inside it: later
pairs look them up after a restart. They go when nothing needs them any more.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kr import storage
from kr.egdb import files, scheduling, slices
from kr.egdb.database import default_directory
from kr.egdb.scheduling import Plan
from kr.egdb.slices import Shape, shape_named
from kr.egdb.solving import (
    CHECK_BYTES,
    VALUES_NEED,
    SlicePairs,
    Values,
    check_of,
    read_crc,
    read_values,
    result_of,
    values_crc,
)
from kr.errors import InvalidSettingError
from kr.jobs.needs import Needs
from kr.jobs.pool import Pool
from kr.jobs.unit import Chunk, Unit
from kr.settings import Settings, option, workers_option
from kr.units import format_size, parse_size

VALUES = ".values"
BYTES_PER_POSITION = 0.02
"""Room on disk that the files take at most, beside less than a kilobyte each; for the estimate before the work."""
FILE_BYTES = 1024


@dataclass(frozen=True)
class BuildSettings(Settings):
    """What is built, where, and how much of the machine it may take."""

    pieces: int = option(4, "Most pieces of the positions, {allowed}.", low=2, high=slices.EGDB_MAX_PIECES)
    dir: Path | None = option(
        None, "Directory of the database; an earlier build in it goes on. The user's data directory if not given."
    )
    jobs: int = workers_option()
    distances: int = option(4, "Store distances to win for up to this many pieces, {allowed}; 0: none.", low=0, high=6)
    memory: int = option(
        0, "Refuse a build that needs more memory than this; 0: what the machine has free.", parse=parse_size
    )


@dataclass
class Progress:
    """What is done so far, for progress displays and the final report."""

    positions: int
    """To solve in all."""
    earlier: int = 0
    """Found solved already."""
    solved: float = 0
    pair: Shape | None = None
    """The last one that was finished."""
    pairs: int = 0
    pairs_done: int = 0
    bytes: int = 0
    """Written by this start, compressed."""
    seconds: float = 0.0
    peak_memory: int = 0
    """The estimate that the build was admitted with."""
    directory: Path = Path()
    written: list[dict[str, Any]] = field(default_factory=list)
    """Name, positions, seconds and bytes of each pair finished by this start."""


def build(settings: BuildSettings, on_progress: Callable[[Progress], None] | None = None) -> Progress:
    """Build what the directory lacks of the database.

    Raises InvalidSettingError where memory or disk don't suffice, OutputBusyError where another build runs in the
    directory, InvalidDatabaseError where a file there is damaged or of another version, OSError.
    """
    directory = settings.dir or default_directory()
    directory.mkdir(parents=True, exist_ok=True)
    with storage.lock(directory):
        try:
            return _Build(settings, directory, on_progress).run()
        except OSError as error:
            # what a full disk refuses to take has no name
            error.filename = error.filename or str(directory)
            raise


class _Build:
    """One start of a build: what it lacks, in the order in which it can be solved, and what comes of it."""

    def __init__(
        self, settings: BuildSettings, directory: Path, on_progress: Callable[[Progress], None] | None
    ) -> None:
        self.settings = settings
        self.directory = directory
        self.values = directory / VALUES
        self.on_progress = on_progress
        self.jobs = settings.jobs or len(os.sched_getaffinity(0))
        self.needs = Needs()
        self.checks: dict[Shape, str] = {}
        """What identifies the values that are at hand, by pair."""
        wanted = list(slices.pairs_up_to(settings.pieces))
        self.missing = {pair: kinds for pair in wanted if (kinds := self._missing_files(pair))}
        todo = self._with_lost_values()
        self.plan = Plan(todo)
        self.left = len(todo)
        held = {successor for pair in todo for successor in slices.successors(pair)} - set(todo)
        need = scheduling.peak_memory(todo, sorted(held), self.jobs)
        self._admit(todo, need)
        total = sum(map(slices.pair_size, wanted))
        self.progress = Progress(total, pairs=len(wanted), pairs_done=len(wanted) - len(todo), peak_memory=need)
        self.progress.directory = directory
        self.progress.earlier = total - sum(map(slices.pair_size, todo))
        for pair in sorted(held):
            values = read_values(self.values_path(pair), pair, self._with_distances(pair))
            self.needs.keep(VALUES_NEED, self.checks[pair], values)

    # What there is

    def path(self, kind: str, pair: Shape) -> Path:
        return self.directory / files.file_name(kind, pair)

    def values_path(self, pair: Shape) -> Path:
        return self.values / f"values-{slices.name(pair)}.bin"

    def _missing_files(self, pair: Shape) -> list[str]:
        """Kinds of files that the pair lacks; those that are there must be whole, as far as their headers tell."""
        missing = []
        for kind in ("wld", "dtw") if self._with_distances(pair) else ("wld",):
            if self.path(kind, pair).exists():
                files.read_header(self.path(kind, pair))
            else:
                missing.append(kind)
        return missing

    def _with_distances(self, pair: Shape) -> bool:
        return slices.pieces(pair) <= self.settings.distances

    def _with_lost_values(self) -> list[Shape]:
        """The missing pairs, and finished ones whose values they need but that are no longer at hand."""
        todo = set(self.missing)
        unseen = list(todo)
        while unseen:
            for successor in slices.successors(unseen.pop()):
                if successor not in todo and not self._has_values(successor):
                    todo.add(successor)
                    unseen.append(successor)
        return sorted(todo, key=lambda pair: (slices.pieces(pair), pair[0] + pair[2], pair))

    def _has_values(self, pair: Shape) -> bool:
        """Whether the pair's values are at hand, whole and undamaged."""
        crc = read_crc(self.values_path(pair), pair, self._with_distances(pair))
        if crc is not None:
            self.checks[pair] = check_of(pair, crc)
        return crc is not None

    def _admit(self, todo: list[Shape], need: int) -> None:
        """Refuse before the work what can't be finished."""
        limit = self.settings.memory or _free_memory()
        if need > limit:
            raise InvalidSettingError(
                f"{self.settings.pieces} pieces with {self.jobs} jobs take about {format_size(_rounded(need))}, "
                f"and {format_size(_rounded(limit))} of memory may be used; try fewer --jobs or --pieces"
            )
        disk = sum(
            slices.pair_size(pair) / scheduling.PACKED
            + len(self.missing.get(pair, ())) * (FILE_BYTES + slices.pair_size(pair) * BYTES_PER_POSITION)
            for pair in todo
        )
        free = shutil.disk_usage(self.directory).free
        if disk > free:
            raise InvalidSettingError(
                f"{self.directory}: the build takes about {format_size(_rounded(int(disk)))} of disk, "
                f"{format_size(_rounded(free))} are free"
            )

    # The work

    def run(self) -> Progress:
        began = time.monotonic()
        chunks: dict[str, dict[int, Chunk]] = {}
        pool = Pool(SlicePairs(), self.needs, self.jobs if self.left else 0)
        with closing(pool.run(self._units())) as parts:
            for part in parts:
                self.progress.solved += part.weight
                if part.chunk is not None:
                    chunks.setdefault(part.unit.key, {})[part.number] = part.chunk
                if part.last:
                    self._enter(part.unit, _in_order(chunks.pop(part.unit.key)), part.seconds)
                # whatever is held here while the next part is waited for stays in memory beside its successors
                del part
                self._advance(began)
        self._advance(began)
        shutil.rmtree(self.values, ignore_errors=True)
        return self.progress

    def _advance(self, began: float) -> None:
        self.progress.seconds = time.monotonic() - began
        if self.on_progress is not None:
            self.on_progress(self.progress)

    def _units(self) -> Iterator[Unit | None]:
        """Pairs as they can be solved; None while all that are left wait for others."""
        while self.left:
            pair = self.plan.next()
            if pair is None:
                yield None
                continue
            needs = {slices.name(successor): self.checks[successor] for successor in sorted(slices.successors(pair))}
            name, kinds = slices.name(pair), self.missing.get(pair, [])
            values = {"pair": name, "distances": self._with_distances(pair), "files": kinds}
            yield Unit(SlicePairs.name(), name, needs, {}, values)

    def _enter(self, unit: Unit, chunks: Sequence[Chunk], seconds: float) -> None:
        """A pair is solved: its files, then its values for those to come."""
        pair = shape_named(unit.values["pair"])
        contents, values = result_of(unit, chunks)
        for kind, content in contents.items():
            storage.write_atomic(self.path(kind, pair), bytes(content))
        if self.plan.users.get(pair):
            self._keep_values(pair, values, chunks[len(contents) :])
        for free in self.plan.done(pair):
            self._release(free)
        self.left -= 1
        progress = self.progress
        progress.pair = pair
        progress.pairs_done += 1
        size = sum(map(len, contents.values()))
        progress.bytes += size
        progress.written.append(
            {"pair": slices.name(pair), "positions": slices.pair_size(pair), "seconds": seconds, "bytes": size}
        )

    def _keep_values(self, pair: Shape, values: Mapping[Shape, Values], chunks: Sequence[Chunk]) -> None:
        """Hold a pair's values, and write them for a restart. They are remade where they turn out damaged: no sync."""
        self.values.mkdir(exist_ok=True)
        target = self.values_path(pair)
        temporary = target.with_suffix(".tmp")
        crc = values_crc(chunks)
        try:
            with open(temporary, "wb") as file:
                file.writelines(chunks)
                file.write(crc.to_bytes(CHECK_BYTES, "little"))
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        self.checks[pair] = check_of(pair, crc)
        self.needs.keep(VALUES_NEED, self.checks[pair], values)

    def _release(self, pair: Shape) -> None:
        if check := self.checks.pop(pair, None):
            self.needs.drop(VALUES_NEED, check)
        self.values_path(pair).unlink(missing_ok=True)


def _in_order(chunks: Mapping[int, Chunk]) -> list[Chunk]:
    return [chunks[number] for number in sorted(chunks)]


def _rounded(size: int) -> int:
    """A size for people: whole MiB."""
    return -(-size // (1 << 20)) << 20


def _free_memory() -> int:
    """Bytes that programs can still have, as the system says."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
