"""`kr egdb build`: builds a database pair by pair on all cores, and resumes a build that was stopped.

The values that later pairs look up are in files of two bits a position, and in memory as far as there is room. They are
in a directory `.values` of the database, and removed when no pair needs them, unless they are to be kept elsewhere. A
pair that takes long has a checkpoint beside them.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kr import storage, system
from kr.cluster.address import cluster_option
from kr.cluster.pool import work_pool
from kr.egdb import files, scheduling, slices, values
from kr.egdb.database import default_directory
from kr.egdb.scheduling import Plan
from kr.egdb.slices import Shape, shape_named
from kr.egdb.solving import (
    TAKEN_UP,
    VALUES_NEED,
    SlicePairs,
    files_of,
    solved_path,
    values_key,
    values_of,
    values_path,
)
from kr.egdb.values import ValuesRoom
from kr.errors import InvalidSettingError
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit
from kr.settings import Settings, option, workers_option
from kr.threads import start_all, worker_count
from kr.units import format_shortage, parse_size

VALUES_FOLDER = ".values"
JOURNAL_NAME = "build.jsonl"
FILE_BYTES = 1024
"""Size of a file apart from its entries, for the estimate before the build."""
FREE_SHARE = 0.9
"""Part of the free memory that a build takes unless it is told how much it may take."""
MAPPED_SHARE = 1 / 8
"""Part of the memory that is left to pages of mapped values, which come faster than the process looks at its size."""
DROP_SHARE = 15 / 16
"""Part of the memory from which such pages are given back."""
MEMORY_LOOK_SECONDS = 0.05
"""Seconds between two looks at the size of the process."""
CORE_RATE = 7e6
"""Positions a second of one core, for the estimate before the build, unless the journal has a better one."""


@dataclass(frozen=True)
class BuildSettings(Settings):
    """Extent of a database, its directory, and the threads and memory for building it."""

    pieces: int = option(4, "Most pieces of the positions, {allowed}.", low=2, high=slices.EGDB_MAX_PIECES)
    classes: str = option(
        "", "Classes with that many pieces, such as 4v4 or 7v1,6v2, and what they lead to.  [default: all]"
    )
    dir: Path | None = option(
        None, "Directory of the database, where an earlier build is resumed.  [default: in the user's data directory]"
    )
    workers: int = workers_option()
    cluster: str = cluster_option()
    distances: int = option(4, "Most pieces of positions with distances to win: {allowed}.", low=2, high=6, zero="none")
    memory: int = option(
        0, "Most memory that the process may hold; 0: most of the machine's free memory.", parse=parse_size
    )
    keep_values: Path | None = option(
        None, "Directory in which the values stay, so that later builds start with them.  [default: they are removed]"
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
    expected_seconds: float = 0.0
    """Estimate made before the build."""
    memory: int = 0
    """Bytes that the process may hold."""
    peak_memory: int = 0
    """Most bytes that the process was seen to hold, mapped files included; 0 if the system can't say."""
    disk: int = 0
    """Bytes on the disk that the rest of the build takes, values included: estimate made before the build."""
    directory: Path = Path()
    written: list[dict[str, Any]] = field(default_factory=list)
    """Name, positions, seconds and bytes of each pair finished by this run."""


def wanted_pairs(settings: BuildSettings) -> list[Shape]:
    """The pairs of a database with these settings, the fewest pieces first. Raises InvalidSettingError."""
    if not settings.classes:
        return list(slices.pairs_up_to(settings.pieces))
    try:
        classes = slices.parse_classes(settings.classes)
    except ValueError as error:
        raise InvalidSettingError(f"--classes {settings.classes}: {error}") from None
    for each in classes:
        if sum(each) != settings.pieces:
            raise InvalidSettingError(
                f"--classes {settings.classes}: {slices.class_name(each)} has {sum(each)} pieces, "
                f"but --pieces is {settings.pieces}"
            )
    whole = set(classes).union(*map(slices.smaller_classes, classes))
    return [pair for pair in slices.pairs_up_to(settings.pieces) if slices.class_of(pair) in whole]


def known_rate(directory: Path) -> float:
    """Positions a second of one core, by the journal of a directory."""
    positions = seconds = 0.0
    with suppress(OSError, ValueError, KeyError, TypeError):
        for line in (directory / JOURNAL_NAME).read_text().splitlines():
            entry = json.loads(line)
            positions += entry["positions"] - entry.get("earlier", 0)
            seconds += entry["seconds"] * entry["workers"]
    return max(CORE_RATE, positions / seconds) if seconds else CORE_RATE


def build_database(
    settings: BuildSettings, on_progress: Callable[[BuildProgress], None] | None = None
) -> BuildProgress:
    """Build the part of the database that the directory lacks.

    Raises InvalidSettingError if there is too little memory or disk space, OutputBusyError if another build runs in the
    directory, InvalidDatabaseError if a file there is damaged or of another version, and OSError.
    """
    directory = settings.dir or default_directory()
    # the values of a pair are freed while those of others stay
    system.give_back_freed()
    with ExitStack() as locks:
        locks.enter_context(storage.lock_directory(directory))
        if settings.keep_values is not None:
            locks.enter_context(storage.lock(settings.keep_values))
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
        self.values_folder = settings.keep_values or directory / VALUES_FOLDER
        self.on_progress = on_progress
        self.workers = worker_count(settings.workers)
        base = system.resident_memory()
        self.limit = settings.memory or base + int(FREE_SHARE * system.free_memory())
        self.spare = self.limit - base
        """Bytes beside those that the interpreter and its libraries take."""
        self.room = ValuesRoom(int((1 - MAPPED_SHARE) * self.spare))
        # of a cluster the workers have other folders
        self.kind = SlicePairs(self.room, None if settings.cluster else self.values_folder)
        self.needs = Needs()
        self.keys: dict[Shape, str] = {}
        """Identity of the available values, by pair."""
        self.under_way: set[Shape] = set()
        self.taken_up: dict[str, float] = {}
        """Positions of the checkpoint that a pair was resumed from, by unit."""
        pairs = wanted_pairs(settings)
        self.missing = {pair: kinds for pair in pairs if (kinds := self._missing_files(pair))}
        todo = self._with_lost_values()
        self.plan = Plan(todo)
        self.unbuilt = len(todo)
        total = sum(map(slices.pair_size, pairs))
        size = sum(map(slices.pair_size, todo))
        self.progress = BuildProgress(
            total, total - size, pairs=len(pairs), pairs_done=len(pairs) - len(todo), memory=self.limit,
            disk=self._disk_needed(todo), expected_seconds=size / (known_rate(directory) * self.workers),
            directory=directory,
        )  # fmt: skip
        self._admit(todo)
        for pair, key in self.keys.items():
            self.needs.put(key, str(self.values_path(pair)))

    # State of the directory

    def path(self, kind: str, pair: Shape) -> Path:
        return self.directory / files.file_name(kind, pair)

    def values_path(self, pair: Shape) -> Path:
        return values_path(self.values_folder, pair)

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
                if successor not in todo and successor not in self.keys and not self._has_values(successor):
                    todo.add(successor)
                    unseen.append(successor)
        return sorted(todo, key=lambda pair: (slices.pieces(pair), pair[0] + pair[2], pair))

    def _has_values(self, pair: Shape) -> bool:
        """True if the pair's values are available, complete and undamaged."""
        path, distances = self.values_path(pair), self._with_distances(pair)
        record = values.stated(path, pair, distances)
        if record is None or record[0] != values.COMPLETE or not values.is_good(path, pair, distances):
            return False
        self.keys[pair] = values_key(pair, record[1])
        return True

    # Memory and disk

    def _disk_needed(self, todo: list[Shape]) -> int:
        file_bytes = sum(self._file_bytes(pair) for pair in todo if pair in self.missing)
        return int(file_bytes) + scheduling.peak_disk(todo, kept=self.settings.keep_values is not None)

    def _file_bytes(self, pair: Shape) -> float:
        distances = self._with_distances(pair)
        return 2 * FILE_BYTES + scheduling.FILE_SHARE * values.file_bytes(pair, distances)

    def _own_memory(self, pair: Shape) -> int:
        return scheduling.own_memory(pair, self._with_distances(pair), self.workers)

    def _admit(self, todo: list[Shape]) -> None:
        """Refuse a build for which there is too little memory or disk space here."""
        largest = max(todo, key=self._own_memory, default=None)
        need = self._own_memory(largest) if largest is not None else 0
        if largest is not None and need > self.spare and not self.settings.cluster:
            needed, limit = format_shortage(need + self.limit - self.spare, self.limit)
            raise InvalidSettingError(
                f"slices {slices.name(largest)} need about {needed} of memory with {self.workers} workers, {limit} may "
                "be used; try fewer --workers or --pieces"
            )
        self._check_disk(self.progress.disk)

    def _check_disk(self, need: float) -> None:
        free = shutil.disk_usage(self.directory).free
        if need > free:
            needed, there = format_shortage(need, free)
            raise InvalidSettingError(
                f"{self.directory}: the build needs about {needed} of disk space, {there} is free; choose another "
                "--dir or fewer --pieces"
            )

    def _fits(self, pair: Shape) -> bool:
        """True if a pair may begin beside those under way."""
        open_pairs = {*self.under_way, pair}
        need = sum(map(self._own_memory, open_pairs)) + scheduling.looked_up(open_pairs)
        return len(open_pairs) == 1 or bool(self.settings.cluster) or need <= self.spare

    # Solving

    def run(self) -> BuildProgress:
        began = time.monotonic()
        if self.on_progress is not None:
            self.on_progress(self.progress)
        self.values_folder.mkdir(parents=True, exist_ok=True)
        chunks: dict[str, dict[int, Chunk]] = {}
        pool = work_pool(self.kind, self.needs, self.workers if self.unbuilt else 0, cluster=self.settings.cluster)
        ended = threading.Event()
        start_all([threading.Thread(target=self._watch, args=(ended,), daemon=True)], lambda: None)
        try:
            with closing(pool.run(self._units())) as parts:
                for part in parts:
                    if part.value == TAKEN_UP:
                        self.progress.earlier += round(part.weight)
                        self.taken_up[part.unit.key] = part.weight
                        continue
                    self.progress.solved += part.weight
                    if part.value is not None:
                        chunks.setdefault(part.unit.key, {})[part.number] = part.value
                    if part.last:
                        self._enter(part.unit, _in_order(chunks.pop(part.unit.key, {})), part.seconds)
                    # otherwise it would stay in memory along with the next part
                    del part
                    self._advance(began)
        except KeyboardInterrupt:
            self.kind.save()
            raise
        finally:
            ended.set()
        self._advance(began)
        if self.settings.keep_values is None:
            shutil.rmtree(self.values_folder, ignore_errors=True)
        return self.progress

    def _advance(self, began: float) -> None:
        self.progress.seconds = time.monotonic() - began
        if self.on_progress is not None:
            self.on_progress(self.progress)

    def _watch(self, ended: threading.Event) -> None:
        """Keep the process within its memory. Body of a thread: pages of mapped values come while others solve."""
        while not ended.wait(MEMORY_LOOK_SECONDS):
            resident = system.resident_memory()
            self.progress.peak_memory = max(self.progress.peak_memory, resident)
            if resident > DROP_SHARE * self.limit:
                self.room.drop()

    def _units(self) -> Iterator[Unit | None]:
        """Units of the pairs in the order of the plan; None while all the remaining ones wait for others."""
        while self.unbuilt:
            pair = self.plan.next(self._fits)
            if pair is None:
                yield None
                continue
            kinds = self.missing.get(pair, [])
            self._check_disk(2 * values.file_bytes(pair, self._with_distances(pair)) + self._file_bytes(pair))
            self.under_way.add(pair)
            needs = {slices.name(successor): self.keys[successor] for successor in sorted(slices.successors(pair))}
            name = slices.name(pair)
            unit_values = {
                "pair": name, "distances": self._with_distances(pair), "files": kinds,
                "values": self._are_needed(pair), "memory": self._own_memory(pair),
            }  # fmt: skip
            yield Unit(SlicePairs.name(), name, needs, {}, unit_values)

    def _are_needed(self, pair: Shape) -> bool:
        """True if pairs look up the values of this one, or somebody may later."""
        return bool(self.plan.users.get(pair)) or self.settings.keep_values is not None

    def _enter(self, unit: Unit, chunks: Sequence[Chunk], seconds: float) -> None:
        """Write the files of a solved pair, and note its values for the pairs that look them up."""
        pair = shape_named(unit.values["pair"])
        contents = files_of(unit, chunks)
        for kind, content in contents.items():
            storage.write_atomic(self.path(kind, pair), content)
        if unit.values["values"]:
            if self.settings.cluster:
                crc = values.write_values(self.values_path(pair), pair, values_of(unit, chunks))
            else:
                crc = int.from_bytes(chunks[0], "little")
            self.keys[pair] = values_key(pair, crc)
            self.needs.put(self.keys[pair], str(self.values_path(pair)))
        solved_path(self.values_folder, pair).unlink(missing_ok=True)
        self.under_way.discard(pair)
        size = sum(map(len, contents.values()))
        self._note(pair, seconds, size)
        for free in self.plan.finish(pair):
            self._release(free)
        self.unbuilt -= 1

    def _note(self, pair: Shape, seconds: float, size: int) -> None:
        """Enter a finished pair in the progress and in the journal."""
        progress = self.progress
        progress.pair = pair
        progress.pairs_done += 1
        progress.bytes += size
        entry = {"pair": slices.name(pair), "positions": slices.pair_size(pair), "seconds": seconds, "bytes": size}
        progress.written.append(entry)
        if earlier := round(self.taken_up.pop(slices.name(pair), 0)):
            entry = {**entry, "earlier": earlier}
        on_disk = [path.stat().st_size for path in self.values_folder.glob("*.bin")]
        facts = {
            "workers": self.workers, "resident": system.resident_memory(), "peak": progress.peak_memory,
            "values": sum(on_disk), "kr": storage.provenance()["kr"],
        }  # fmt: skip
        with open(self.directory / JOURNAL_NAME, "a", encoding="utf-8") as journal:
            journal.write(json.dumps({**entry, "seconds": round(seconds, 3), **facts}) + "\n")

    def _release(self, pair: Shape) -> None:
        """Forget the values that no pair needs any more."""
        self.room.forget(pair)
        if key := self.keys.pop(pair, None):
            self.needs.drop(VALUES_NEED, key)
        if self.settings.keep_values is None:
            # Windows keeps a file that is mapped; the end of the build removes it
            with suppress(PermissionError):
                self.values_path(pair).unlink(missing_ok=True)


def _in_order(chunks: Mapping[int, Chunk]) -> list[Chunk]:
    return [chunks[number] for number in sorted(chunks)]
