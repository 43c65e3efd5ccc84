"""`kr egdb build`: databases from nothing, in all cores, pair of slices by pair; killed, they go on where they were.

While a database grows, the values of its positions, two bits each, are kept in a directory `.values` inside it: later
pairs look them up after a restart. They go when nothing needs them any more.
"""

from __future__ import annotations

import os
import queue
import shutil
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _egdb, storage
from kr.egdb import files, scheduling, slices
from kr.egdb.database import default_directory
from kr.egdb.scheduling import Plan, Share
from kr.egdb.slices import Shape
from kr.errors import InvalidSettingError
from kr.settings import option
from kr.threads import start_all
from kr.units import format_size, parse_size

VALUES = ".values"
CHECK_BYTES = 8
READ_BYTES = 1 << 24
EVENTS_WAIT = 0.2
MAX_SPACE_WASTE = 1 << 24
"""Positions of working memory that a thread keeps although its present pair needs much less."""
BYTES_PER_POSITION = 0.02
"""Room on disk that the files take at most, beside less than a kilobyte each; for the estimate before the work."""
FILE_BYTES = 1024


@dataclass(frozen=True)
class BuildSettings:
    """What is built, where, and how much of the machine it may take."""

    pieces: int = option(4, "All positions with so many pieces or fewer.")
    dir: Path | None = option(
        None, "Directory of the database; an earlier build in it goes on. The user's data directory if not given."
    )
    jobs: int = option(0, "Threads; 0: one for each core.")
    distances: int = option(4, "Distances to win too, up to so many pieces (0: none, at most 6).")
    memory: int = option(
        0, "Refuse a build that needs more memory than this; 0: what the machine has free.", parse=parse_size
    )

    def __post_init__(self) -> None:
        if not 2 <= self.pieces <= slices.MAX_PIECES:
            raise InvalidSettingError(f"pieces is {self.pieces}; from 2 to {slices.MAX_PIECES}")
        if not 0 <= self.jobs <= 1024:
            raise InvalidSettingError(f"jobs is {self.jobs}; from 0 to 1024")
        if not 0 <= self.distances <= 6:
            raise InvalidSettingError(f"distances is {self.distances}; from 0 to 6")


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


@dataclass
class _Arrays:
    """What is found out about a slice: see EndgameSolver.add."""

    values: NDArray[np.uint64]
    codes: NDArray[np.uint64] | None = None
    distances: NDArray[np.uint8] | None = None


@dataclass
class _Open:
    """A pair that is being solved."""

    pair: Shape
    began: float
    steps: list[list[Share]]
    """Those to come, the next one last."""
    weight: float
    """Positions in one that the shares count."""
    running: int = 0
    """Shares handed out and not finished."""
    arrays: dict[Shape, _Arrays] = field(default_factory=dict)


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
    """One start of a build: threads that solve, and the main thread that reports."""

    def __init__(
        self, settings: BuildSettings, directory: Path, on_progress: Callable[[Progress], None] | None
    ) -> None:
        self.settings = settings
        self.directory = directory
        self.values = directory / VALUES
        self.on_progress = on_progress
        self.jobs = settings.jobs or len(os.sched_getaffinity(0))
        self.solver = _egdb.EndgameSolver()
        self.stop = np.zeros(1, dtype=np.int32)
        self.events: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self.changed = threading.Condition()
        self.shares: deque[tuple[_Open, Share | None]] = deque()
        self.failed = False
        wanted = [pair for count in range(2, settings.pieces + 1) for pair in slices.pairs(count)]
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
            self._take_values(pair)

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
        path = self.values_path(pair)
        size = 8 * sum(map(_words, slices.views(pair))) + self._with_distances(pair) * slices.pair_size(pair)
        if not path.exists() or path.stat().st_size != size + CHECK_BYTES:
            return False
        check = 0
        with open(path, "rb") as file:
            for begin in range(0, size, READ_BYTES):
                check = zlib.crc32(file.read(min(READ_BYTES, size - begin)), check)
            return int.from_bytes(file.read(), "little") == check

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

    # Values, two bits a position

    def _write_values(self, opened: _Open) -> None:
        """Keep a pair's values for a restart. They are remade where they turn out damaged: no sync to disk."""
        self.values.mkdir(exist_ok=True)
        target = self.values_path(opened.pair)
        temporary = target.with_suffix(".tmp")
        check = 0
        try:
            with open(temporary, "wb") as file:
                for arrays in opened.arrays.values():
                    for array in (arrays.values, arrays.distances):
                        if array is not None:
                            check = zlib.crc32(array.data, check)
                            file.write(array.data)
                file.write(check.to_bytes(CHECK_BYTES, "little"))
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)

    def _take_values(self, pair: Shape) -> None:
        """Hand a finished pair's values to the solver."""
        with open(self.values_path(pair), "rb") as file:
            for view in slices.views(pair):
                values = np.fromfile(file, dtype=np.uint64, count=_words(view))
                distances = None
                if self._with_distances(pair):
                    distances = np.fromfile(file, dtype=np.uint8, count=slices.size(view))
                self.solver.add(view, values, None, distances)

    def _release(self, pair: Shape) -> None:
        for view in slices.views(pair):
            self.solver.remove(view)
        self.values_path(pair).unlink(missing_ok=True)

    # The work

    def run(self) -> Progress:
        began = time.monotonic()
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.jobs if self.left else 0)]
        try:
            start_all(threads, self._give_up)
            while any(thread.is_alive() for thread in threads) or not self.events.empty():
                try:
                    event = self.events.get(timeout=EVENTS_WAIT)
                except queue.Empty:
                    event = None
                if isinstance(event, BaseException):
                    raise event
                self.progress.seconds = time.monotonic() - began
                if self.on_progress is not None:
                    self.on_progress(self.progress)
        finally:
            self._give_up()
            for thread in threads:
                if thread.is_alive():
                    thread.join()
        self.progress.seconds = time.monotonic() - began
        if self.on_progress is not None:
            self.on_progress(self.progress)
        shutil.rmtree(self.values, ignore_errors=True)
        return self.progress

    def _give_up(self) -> None:
        """Let the threads end soon."""
        self.stop[0] = 1
        with self.changed:
            self.failed = True
            self.changed.notify_all()

    def _work(self) -> None:
        """One thread: shares of open pairs, else a new pair, until all are done."""
        space: _egdb.SolverSpace | None = None
        room = 0, False
        try:
            while (found := self._next_share()) is not None:
                opened, share = found
                if share is None:
                    self._finish(opened)
                    continue
                needed = slices.block(opened.pair), self._with_distances(opened.pair)
                if space is None or not needed[0] <= room[0] <= needed[0] + MAX_SPACE_WASTE or room[1] < needed[1]:
                    space = None  # the old one goes before the new one comes
                    space, room = _egdb.SolverSpace(*needed), needed
                self.solver.solve(
                    opened.pair, space, share.own_rows, share.opponent_rows, share.first, share.last, self.stop
                )
                self._finished_share(opened, share)
        except BaseException as error:
            self.events.put(error)

    def _next_share(self) -> tuple[_Open, Share | None] | None:
        """Work for a thread, or None when there is no more; None instead of a share: the pair is solved."""
        with self.changed:
            while True:
                if self.failed or self.left == 0:
                    return None
                if self.shares:
                    return self.shares.popleft()
                pair = self.plan.next()
                if pair is not None:
                    self._go_on(self._open(pair))
                    continue
                self.changed.wait()

    def _open(self, pair: Shape) -> _Open:
        steps = list(scheduling.steps(pair))
        counted = sum(share.positions for step in steps for share in step)
        opened = _Open(pair, time.monotonic(), steps[::-1], slices.pair_size(pair) / counted)
        for view in slices.views(pair):
            arrays = _Arrays(np.zeros(_words(view), dtype=np.uint64))
            if pair in self.missing:
                arrays.codes = np.zeros(_words(view), dtype=np.uint64)
            if self._with_distances(pair):
                arrays.distances = np.empty(slices.size(view), dtype=np.uint8)
            opened.arrays[view] = arrays
            self.solver.add(view, arrays.values, arrays.codes, arrays.distances)
        return opened

    def _go_on(self, opened: _Open) -> None:
        """Hand out the next step of a pair, or its end."""
        if opened.steps:
            shares = opened.steps.pop()
            opened.running = len(shares)
            self.shares.extend((opened, share) for share in shares)
        else:
            self.shares.appendleft((opened, None))
        self.changed.notify_all()

    def _finished_share(self, opened: _Open, share: Share) -> None:
        with self.changed:
            if self.stop[0]:
                return
            self.progress.solved += share.positions * opened.weight
            opened.running -= 1
            if opened.running == 0:
                self._go_on(opened)
        self.events.put(None)

    def _finish(self, opened: _Open) -> None:
        """A pair is solved: its file, then its values for those to come."""
        pair = opened.pair
        size = sum(self._write_file(opened, kind) for kind in self.missing.get(pair, ()))
        if self.plan.users.get(pair):
            self._write_values(opened)
        with self.changed:
            for view in slices.views(pair):
                # the solver lets go of the codes
                self.solver.add(view, opened.arrays[view].values, None, opened.arrays[view].distances)
            for free in self.plan.done(pair):
                self._release(free)
            self.left -= 1
            progress = self.progress
            progress.pair = pair
            progress.pairs_done += 1
            progress.bytes += size
            progress.written.append(
                {
                    "pair": slices.name(pair),
                    "positions": slices.pair_size(pair),
                    "seconds": time.monotonic() - opened.began,
                    "bytes": size,
                }
            )
            opened.arrays.clear()  # the thread may hold on to `opened` while it waits for work
            self.changed.notify_all()
        self.events.put(None)

    def _write_file(self, opened: _Open, kind: str) -> int:
        """Compress the smaller view of a pair into its file; returns the file's bytes."""
        counts = {
            slices.name(view): _egdb.count_values(arrays.values, slices.size(view))[:3]
            for view, arrays in opened.arrays.items()
        }
        if kind == "wld":
            codes = {view: arrays.codes for view, arrays in opened.arrays.items() if arrays.codes is not None}
            return files.write_values(self.path(kind, opened.pair), codes, {"counts": counts})
        longest = {}
        stored = {}
        for view, arrays in opened.arrays.items():
            size = slices.size(view)
            assert arrays.distances is not None
            assert arrays.codes is not None
            longest[slices.name(view)] = _egdb.longest_win(arrays.distances, arrays.values, size)
            stored[view] = np.empty(size, dtype=np.uint8)
            _egdb.stored_distances(arrays.distances, arrays.codes, size, stored[view])
        facts = {"counts": counts, "longest": longest}
        return files.write_distances(self.path(kind, opened.pair), stored, facts)


def _words(shape: Shape) -> int:
    """Words of 32 packed values that a slice fills."""
    return -(-slices.size(shape) // 32)


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
