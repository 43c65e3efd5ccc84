"""`kr egdb build`: builds a database pair by pair on all cores, and resumes a build that was stopped.

During a build, the values that later pairs look up are stored in a directory `.values` of the database, two bits a
position, for a restart. They are removed when no pair needs them.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kr import storage, system
from kr.cluster.address import cluster_option
from kr.cluster.pools import work_pool
from kr.egdb import files, scheduling, slices
from kr.egdb.database import default_directory
from kr.egdb.scheduling import Plan
from kr.egdb.slices import Shape, shape_named
from kr.egdb.solving import (
    CRC_BYTES,
    VALUES_NEED,
    SlicePairs,
    SliceValues,
    read_crc,
    read_values,
    result_of,
    values_crc,
    values_key,
)
from kr.errors import InvalidSettingError
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit
from kr.settings import Settings, option, workers_option
from kr.threads import worker_count
from kr.units import format_size, parse_size

VALUES_FOLDER = ".values"
BYTES_PER_POSITION = 0.02
"""Upper bound on the size of the files, apart from FILE_BYTES each; for the estimate before the build."""
FILE_BYTES = 1024


@dataclass(frozen=True)
class BuildSettings(Settings):
    """Extent of a database, its directory, and the threads and memory for building it."""

    pieces: int = option(4, "Most pieces of the positions, {allowed}.", low=2, high=slices.EGDB_MAX_PIECES)
    dir: Path | None = option(
        None, "Directory of the database, where an earlier build is resumed.  [default: in the user's data directory]"
    )
    workers: int = workers_option()
    cluster: str = cluster_option()
    distances: int = option(4, "Most pieces of positions with distances to win: {allowed}.", low=2, high=6, zero="none")
    memory: int = option(
        0, "Refuse a build that needs more memory than this; 0: the machine's free memory.", parse=parse_size
    )


@dataclass
class BuildProgress:
    """Progress of a build, and its result at the end."""

    positions: int
    """Positions of the whole database."""
    earlier: int = 0
    """Positions solved by earlier runs."""
    solved: float = 0
    """Positions solved by this run."""
    pair: Shape | None = None
    """The pair finished last."""
    pairs: int = 0
    pairs_done: int = 0
    bytes: int = 0
    """Size of the files written by this run."""
    seconds: float = 0.0
    peak_memory: int = 0
    """Estimate in bytes, made before the build."""
    directory: Path = Path()
    written: list[dict[str, Any]] = field(default_factory=list)
    """Name, positions, seconds and bytes of each pair finished by this run."""


def build_database(
    settings: BuildSettings, on_progress: Callable[[BuildProgress], None] | None = None
) -> BuildProgress:
    """Build the part of the database that the directory lacks.

    Raises InvalidSettingError if there is too little memory or disk space, OutputBusyError if another build runs in the
    directory, InvalidDatabaseError if a file there is damaged or of another version, and OSError.
    """
    directory = settings.dir or default_directory()
    directory.mkdir(parents=True, exist_ok=True)
    with storage.lock(directory):
        try:
            return _Builder(settings, directory, on_progress).run()
        except OSError as error:
            # the error of a write to a full disk names no file
            error.filename = error.filename or str(directory)
            raise


class _Builder:
    """One run of a build: solves the missing pairs in an order in which each finds its successors solved."""

    def __init__(
        self, settings: BuildSettings, directory: Path, on_progress: Callable[[BuildProgress], None] | None
    ) -> None:
        self.settings = settings
        self.directory = directory
        self.values_folder = directory / VALUES_FOLDER
        self.on_progress = on_progress
        self.workers = worker_count(settings.workers)
        self.needs = Needs()
        self.keys: dict[Shape, str] = {}
        """Identity of the available values, by pair."""
        pairs = list(slices.pairs_up_to(settings.pieces))
        self.missing = {pair: kinds for pair in pairs if (kinds := self._missing_files(pair))}
        todo = self._with_lost_values()
        self.plan = Plan(todo)
        self.left = len(todo)
        solved = {successor for pair in todo for successor in slices.successors(pair)} - set(todo)
        need = scheduling.peak_memory(todo, sorted(solved), self.workers)
        self._admit(todo, need)
        total = sum(map(slices.pair_size, pairs))
        self.progress = BuildProgress(total, pairs=len(pairs), pairs_done=len(pairs) - len(todo), peak_memory=need)
        self.progress.directory = directory
        self.progress.earlier = total - sum(map(slices.pair_size, todo))
        for pair in sorted(solved):
            self.needs.put(self.keys[pair], str(self.values_path(pair)))
            if not settings.cluster:  # whose workers read the files
                values = read_values(self.values_path(pair), pair, self._with_distances(pair))
                self.needs.keep(VALUES_NEED, self.keys[pair], values)

    # State of the directory

    def path(self, kind: str, pair: Shape) -> Path:
        return self.directory / files.file_name(kind, pair)

    def values_path(self, pair: Shape) -> Path:
        return self.values_folder / f"values-{slices.name(pair)}.bin"

    def _missing_files(self, pair: Shape) -> list[str]:
        """Kinds of files that the pair lacks. Raises InvalidDatabaseError if the header of an existing one is bad."""
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
        """The missing pairs, and those finished ones whose values they need but which are lost."""
        todo = set(self.missing)
        unseen = list(todo)
        while unseen:
            for successor in slices.successors(unseen.pop()):
                if successor not in todo and not self._has_values(successor):
                    todo.add(successor)
                    unseen.append(successor)
        return sorted(todo, key=lambda pair: (slices.pieces(pair), pair[0] + pair[2], pair))

    def _has_values(self, pair: Shape) -> bool:
        """True if the pair's values are available, complete and undamaged."""
        crc = read_crc(self.values_path(pair), pair, self._with_distances(pair))
        if crc is not None:
            self.keys[pair] = values_key(pair, crc)
        return crc is not None

    def _admit(self, todo: list[Shape], need: int) -> None:
        """Refuse a build for which there is too little memory or disk space here."""
        limit = self.settings.memory or system.free_memory()
        if need > limit and not self.settings.cluster:
            raise InvalidSettingError(
                f"{self.settings.pieces} pieces with {self.workers} workers need about {format_size(_rounded(need))} "
                f"of memory, {format_size(_rounded(limit))} may be used; try fewer --workers or --pieces"
            )
        disk = sum(
            slices.pair_size(pair) / scheduling.VALUES_PER_BYTE
            + len(self.missing.get(pair, ())) * (FILE_BYTES + slices.pair_size(pair) * BYTES_PER_POSITION)
            for pair in todo
        )
        free = shutil.disk_usage(self.directory).free
        if disk > free:
            raise InvalidSettingError(
                f"{self.directory}: the build needs about {format_size(_rounded(int(disk)))} of disk space, "
                f"{format_size(_rounded(free))} is free; choose another --dir or fewer --pieces"
            )

    # Solving

    def run(self) -> BuildProgress:
        began = time.monotonic()
        chunks: dict[str, dict[int, Chunk]] = {}
        pool = work_pool(SlicePairs(), self.needs, self.workers if self.left else 0, cluster=self.settings.cluster)
        with closing(pool.run(self._units())) as parts:
            for part in parts:
                self.progress.solved += part.weight
                if part.value is not None:
                    chunks.setdefault(part.unit.key, {})[part.number] = part.value
                if part.last:
                    self._enter(part.unit, _in_order(chunks.pop(part.unit.key)), part.seconds)
                # otherwise it would stay in memory along with the next part
                del part
                self._advance(began)
        self._advance(began)
        shutil.rmtree(self.values_folder, ignore_errors=True)
        return self.progress

    def _advance(self, began: float) -> None:
        self.progress.seconds = time.monotonic() - began
        if self.on_progress is not None:
            self.on_progress(self.progress)

    def _units(self) -> Iterator[Unit | None]:
        """Units of the pairs in the order of the plan; None while all the remaining ones wait for others."""
        while self.left:
            pair = self.plan.next()
            if pair is None:
                yield None
                continue
            needs = {slices.name(successor): self.keys[successor] for successor in sorted(slices.successors(pair))}
            name, kinds = slices.name(pair), self.missing.get(pair, [])
            values = {"pair": name, "distances": self._with_distances(pair), "files": kinds}
            yield Unit(SlicePairs.name(), name, needs, {}, values)

    def _enter(self, unit: Unit, chunks: Sequence[Chunk], seconds: float) -> None:
        """Write the files of a solved pair, and keep its values for the pairs that look them up."""
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

    def _keep_values(self, pair: Shape, values: Mapping[Shape, SliceValues], chunks: Sequence[Chunk]) -> None:
        """Keep a pair's values in memory, and write them for a restart.

        They are not synced to the disk: a restart solves the pair again if their file is damaged.
        """
        self.values_folder.mkdir(exist_ok=True)
        target = self.values_path(pair)
        temporary = target.with_suffix(".tmp")
        crc = values_crc(chunks)
        try:
            with open(temporary, "wb") as file:
                file.writelines(chunks)
                file.write(crc.to_bytes(CRC_BYTES, "little"))
            system.replace_file(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        self.keys[pair] = values_key(pair, crc)
        self.needs.put(self.keys[pair], str(target))
        if not self.settings.cluster:
            self.needs.keep(VALUES_NEED, self.keys[pair], values)

    def _release(self, pair: Shape) -> None:
        if key := self.keys.pop(pair, None):
            self.needs.drop(VALUES_NEED, key)
        self.values_path(pair).unlink(missing_ok=True)


def _in_order(chunks: Mapping[int, Chunk]) -> list[Chunk]:
    return [chunks[number] for number in sorted(chunks)]


def _rounded(size: int) -> int:
    """A size rounded up to whole MiB, for messages."""
    return -(-size // (1 << 20)) << 20
