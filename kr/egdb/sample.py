"""`kr egdb sample`: writes random positions of a database with their values as HDF5, for learning.

Every position of the chosen slices is drawn with the same probability, independently of the others. All have Black to
move: every position with White to move is one of these with colours flipped. A hash of seed and position decides to
which share (training, validation, test) a position goes, and gives the order within a share. So the contents of the
file depend on the settings alone, not on the number of threads. docs/reference/formats.md describes the file.
"""

from __future__ import annotations

import math
import random
import re
import shutil
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _egdb, storage
from kr.egdb import slices
from kr.egdb.database import VALUES, Database, directory_for, find
from kr.egdb.sample_choice import STRATIFIED, Drawn, SampleChoice, Strata, choose_sample
from kr.egdb.sample_file import SHARES, SampleWriter, ShareCounts
from kr.egdb.slices import Shape
from kr.errors import InvalidSettingError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.settings import REQUIRED, Settings, check_settings, option, seed_option, workers_option
from kr.threads import awaited, thread_pool, worker_count
from kr.units import format_count, format_shortage, format_size, parse_count, parse_size

USUAL_FRACTION = 0.1
SURVIVAL_LENGTH = 4096
DRAWN_AT_ONCE = 1 << 16
"""Size of a batch that the core fills; also the expected number of positions drawn from one range of a slice."""
MEMORY_PER_POSITION = 38
"""Bytes that a position takes while it is sorted."""
DISK_PER_POSITION = {True: 32, False: 12}
"""Upper bound on the bytes of a position in a compressed file, with and without planes."""
UNPACK_FRACTION = 1e-3
"""Fraction from which unpacking the database first is faster than probing its files."""


def slices_of(text: str) -> list[Shape]:
    """The slices of a choice of pieces, the fewest pieces first. Raises InvalidSettingError.

    The choice is a list of parts with commas: "6", "2-7", or "4v3" for four pieces against three, whichever of them
    moves.
    """
    selection: set[Shape] = set()
    for part in text.split(","):
        numbers = re.fullmatch(r"(\d)(?:([-v])(\d))?", part.strip())
        first, joint, second = numbers.groups() if numbers else ("", "", "")
        if joint == "v":
            low = high = int(first) + int(second)
            sides = {int(first)} - {0, low}
        else:
            low, high = int(first or 0), int(second or first or 0)
            sides = set()
        if not 2 <= low <= high <= slices.EGDB_MAX_PIECES or (joint == "v" and not sides):
            raise InvalidSettingError(
                f'{text!r} is not a number of pieces such as "6", a range such as "2-7", sides such as "4v3", or a '
                f"list of these, from 2 to {slices.EGDB_MAX_PIECES} pieces"
            )
        shapes = [shape for count in range(low, high + 1) for shape in slices.shapes(count)]
        selection |= {shape for shape in shapes if not sides or sides & {sum(shape[:2]), sum(shape[2:])}}
    return [
        shape for count in range(2, most_pieces(selection) + 1) for shape in slices.shapes(count) if shape in selection
    ]


def most_pieces(shapes: Collection[Shape]) -> int:
    """Most pieces of these slices."""
    return max(map(slices.pieces, shapes))


def parse_pieces(text: str) -> str:
    """Check a choice of pieces in the form of `slices_of`. Raises InvalidSettingError."""
    slices_of(text)
    return ",".join(part.strip() for part in text.split(","))


def parse_shares(text: str) -> tuple[float, float, float]:
    """Parse shares of training, validation and test such as "0.7,0.1,0.2". Raises InvalidSettingError."""
    try:
        shares = tuple(float(share) for share in text.split(","))
    except ValueError:
        shares = ()
    if len(shares) != len(SHARES) or not all(0 <= share <= 1 for share in shares) or abs(sum(shares) - 1) > 1e-9:
        raise InvalidSettingError(f'{text!r} is not three shares that add up to 1, such as "0.7,0.1,0.2"')
    return shares[0], shares[1], shares[2]


def format_shares(shares: tuple[float, float, float]) -> str:
    """The text of shares: (0.7, 0.1, 0.2) -> "0.7,0.1,0.2"."""
    return ",".join(f"{share:g}" for share in shares)


@dataclass(frozen=True)
class SampleSettings(Settings):
    """Choice of the positions, and form of the file."""

    out: Path = option(REQUIRED, "HDF5 file to write.")
    pieces: str = option(
        "2-4",
        "Pieces: a number, a range such as 2-7, sides such as 4v3 (either may move), or a list.",
        parse=parse_pieces,
        metavar="PIECES",
    )
    fraction: float | None = option(
        None, "Probability of drawing each position, {allowed}; 0.1 without --count.", low=1e-12, high=1
    )
    count: int | None = option(
        None, "Positions of all shares together, instead of --fraction.", parse=parse_count, show=format_count, low=1
    )
    stratify: str = option(
        "none",
        "With --count: as many of each number of pieces, slice or value, as far as there are enough.",
        choices=STRATIFIED,
    )
    seed: int = seed_option("Seed of the choice of positions.")
    shares: tuple[float, float, float] = option(
        (0.7, 0.1, 0.2),
        "Shares of training, validation and test.",
        parse=parse_shares,
        show=format_shares,
        metavar="A,B,C",
    )
    quiet: bool = option(False, "Leave out positions in which the side to move must capture.")
    distances: bool = option(False, "Write the plies to the end along with the values.")
    shuffle: bool = option(True, "Write in random order instead of slice by slice.")
    planes: bool = option(True, "Write 4 x 8 x 8 planes along with bitboards and piece counts.")
    compression: int = option(1, "gzip level, {allowed}; 0 does not compress.", low=0, high=9)
    dir: Path | None = option(None, "Directory of the database.  [default: the one that kr uses in play]")
    workers: int = workers_option()
    memory: int = option(
        2 << 30, "Memory to use; less makes shuffling slower, not worse.", parse=parse_size, show=format_size
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pieces", parse_pieces(self.pieces))
        if self.count is None and self.fraction is None:
            object.__setattr__(self, "fraction", USUAL_FRACTION)
        if self.count is not None and self.fraction is not None:
            raise InvalidSettingError("count, fraction: both are given; expected one of them")
        if self.stratify != "none" and self.count is None:
            raise InvalidSettingError(f"stratify: {self.stratify} needs a number of positions; give --count")


@dataclass(frozen=True)
class Sample:
    """A sample that was written."""

    out: Path
    shares: dict[str, ShareCounts]
    checksum: str
    """Identity of the positions with their values, order and shares."""
    bytes: int

    @property
    def positions(self) -> int:
        """Positions of all shares."""
        return sum(share.positions for share in self.shares.values())


def write_sample(
    settings: SampleSettings,
    on_progress: Callable[[float, float], None] | None = None,
    on_count: Callable[[float, float], None] | None = None,
) -> Sample:
    """Write a sample.

    on_progress: called with positions passed and positions in all; on_count: likewise, while the positions to choose
    from are counted. Raises InvalidSettingError if the database lacks some of the values or distances, or has fewer
    positions, or the disk too little space; InvalidDatabaseError if the database is damaged; and OSError.
    """
    check_settings(settings, SampleSettings)
    storage.check_output(settings.out)
    shapes = slices_of(settings.pieces)
    pieces = most_pieces(shapes)
    positions = sum(map(slices.size, shapes))
    expected = settings.count or positions * (settings.fraction or 0)
    if expected > positions:
        raise InvalidSettingError(f"count: {settings.count} is out of range; there are {positions} such positions")
    unpack_bytes = settings.memory // 2 if expected / positions >= UNPACK_FRACTION else 0
    opened = Database.open(directory_for(settings.dir), unpack_bytes=unpack_bytes, max_pieces=pieces)
    _check_reach(settings, opened)
    _check_disk(settings, expected)
    threads = worker_count(settings.workers)
    passes = max(1, math.ceil(expected * MEMORY_PER_POSITION / (settings.memory // 2))) if settings.shuffle else 1
    attrs = {
        **storage.provenance(**asdict(settings)),
        "order": "random" if settings.shuffle else "slices by piece count, in each by index",
    }
    with thread_pool(threads) as pool:
        drawing = _Drawing(settings, opened, pool, threads)
        choice = SampleChoice(dict.fromkeys(shapes, settings.fraction or 0))
        if settings.count:
            strata = Strata(shapes, settings.stratify)
            choice = choose_sample(settings.count, strata, settings.quiet, drawing.counting(on_count))
        progress = _Progress(on_progress, positions, passes)
        writer = SampleWriter(
            settings.out, SHARES, attrs, pool, threads, settings.planes, settings.compression, settings.distances
        )
        with writer:
            for number in range(passes):
                hashes = 2**64 * number // passes, 2**64 * (number + 1) // passes - 1
                batches: Iterator[Drawn] = (each for _, each in drawing.batches(choice, progress.advance, hashes))
                if settings.shuffle:
                    batches = _in_order(batches, int(expected / passes), settings.distances)
                for batch in batches:
                    share = np.searchsorted(_cuts(settings.shares), batch.hashes, side="right")
                    for i, name in enumerate(SHARES):
                        writer.add(name, batch.chosen(share == i))
    return Sample(settings.out, writer.counts, writer.checksum, settings.out.stat().st_size)


def survival(fraction: float) -> NDArray[np.uint64]:
    """Probabilities that 1, 2, ... positions in a row are not drawn, in units of 2^-64, the same on every machine."""
    missed = 2**128 - int(fraction * 2.0**64) * 2**64
    chances = np.empty(SURVIVAL_LENGTH, dtype=np.uint64)
    chance = 2**128
    for i in range(SURVIVAL_LENGTH):
        chance = chance * missed >> 128
        chances[i] = chance >> 64
    return chances


def _cuts(shares: tuple[float, float, float]) -> NDArray[np.uint64]:
    """Lowest hashes of the second and the third share."""
    ends = (min(int(end * 2.0**64), 2**64 - 1) for end in (shares[0], shares[0] + shares[1]))
    return np.array(list(ends), dtype=np.uint64)


def _check_reach(settings: SampleSettings, opened: Database) -> None:
    """Refuse pieces for which the database lacks values or distances."""
    shapes = slices_of(settings.pieces)
    where = f"--pieces {settings.pieces}: the database in {settings.dir or find()}"
    if not all(map(opened.has_class, map(slices.class_of, shapes))):
        raise InvalidSettingError(f"{where} has values of positions with {opened.reach}")
    if settings.distances and opened.distance_pieces < most_pieces(shapes):
        reach = slices.reach_in_words(opened.distance_pieces, ())
        has = f"distances of positions with {reach}" if opened.distance_pieces > 1 else "no distances"
        raise InvalidSettingError(f"{where} has {has}")


def _check_disk(settings: SampleSettings, expected: float) -> None:
    """Refuse a sample that doesn't fit on the disk."""
    each = DISK_PER_POSITION[settings.planes]
    if settings.compression == 0:
        each = 17 + 256 * settings.planes
    each += 2 * settings.distances
    folder = settings.out.absolute().parent
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if expected * each > free:
        needed, there = format_shortage(expected * each, free)
        fewer = f"a smaller --{'count' if settings.count else 'fraction'}, or --no-planes"
        raise InvalidSettingError(
            f"{settings.out}: {expected:.3g} positions take about {needed}, {there} is free; try {fewer}"
        )


# Positions


class _Progress:
    """Progress through the positions, in several passes."""

    def __init__(self, tell: Callable[[float, float], None] | None, positions: int, passes: int = 1) -> None:
        self._tell = tell
        self._positions = positions
        self._passes = passes
        self._count = 0.0

    def advance(self, count: float) -> None:
        """Count positions of one pass."""
        self._count += count / self._passes
        if self._tell:
            self._tell(self._count, self._positions)


@dataclass(frozen=True)
class _Drawing:
    """Draws positions by several threads, in the same order with any number of them."""

    settings: SampleSettings
    opened: Database
    pool: ThreadPoolExecutor
    threads: int

    def counting(
        self, tell: Callable[[float, float], None] | None
    ) -> Callable[[Mapping[Shape, float]], Iterator[tuple[Shape, Drawn]]]:
        """A function that draws by probabilities, with values only if they matter for the choice."""

        def draw(fractions: Mapping[Shape, float]) -> Iterator[tuple[Shape, Drawn]]:
            progress = _Progress(tell, sum(map(slices.size, fractions)))
            return self.batches(SampleChoice(fractions), progress.advance, counted=True)

        return draw

    def batches(
        self,
        choice: SampleChoice,
        advance: Callable[[float], None],
        hashes: tuple[int, int] = (0, 2**64 - 1),
        counted: bool = False,
    ) -> Iterator[tuple[Shape, Drawn]]:
        """Positions with a hash from hashes[0] to hashes[1], slice by slice; counted: only to be counted."""
        settings = self.settings
        distances = settings.distances and not counted
        core = None if counted and settings.stratify != "value" else self.opened.core
        waiting: deque[tuple[Shape, int, Future[list[Drawn]]]] = deque()

        def finish() -> Iterator[tuple[Shape, Drawn]]:
            shape, count, future = waiting.popleft()
            yield from ((shape, batch) for batch in awaited(future))
            advance(count)

        def fill(shape: Shape, sampler: Any) -> list[Drawn]:
            parts = [choice.filtered(shape, batch) for batch in drawn(sampler, hashes)]
            if distances:
                parts = [batch._replace(distances=self.opened.distances(batch.boards, workers=1)) for batch in parts]
            return parts

        try:
            for shape, fraction in choice.fractions.items():
                chances = _chances(fraction)
                length = math.ceil(DRAWN_AT_ONCE / fraction)
                for first in range(0, slices.size(shape), length):
                    last = min(first + length, slices.size(shape))
                    sampler = _egdb.EndgameSampler(core, shape, first, last, chances, settings.seed, settings.quiet)
                    waiting.append((shape, last - first, self.pool.submit(fill, shape, sampler)))
                    if len(waiting) > 2 * self.threads:
                        yield from finish()
            while waiting:
                yield from finish()
            self.opened.raise_damage()
        finally:
            for _, _, future in waiting:
                future.cancel()


_chances = cache(survival)


def drawn(sampler: Any, hashes: tuple[int, int] = (0, 2**64 - 1)) -> list[Drawn]:
    """All positions of a sampler with a hash from hashes[0] to hashes[1]."""
    batches: list[Drawn] = []
    size = DRAWN_AT_ONCE
    while True:
        boards, values = np.empty((size, 3), dtype=np.uint32), np.empty(size, dtype=np.uint8)
        batch_hashes = np.empty(size, dtype=np.uint64)
        count = sampler.next(boards, values, batch_hashes, *hashes)
        if count == 0:
            return batches
        batches.append(Drawn(boards[:count].copy(), values[:count].copy(), batch_hashes[:count].copy()))


def positions_with_value(database: Database, shape: Shape, value: Value, count: int, seed: int) -> list[Position]:
    """Random positions of a slice that have a value, with Black to move and no capture, of about so many of any value.

    The same seed gives the same positions. Raises InvalidDatabaseError.
    """
    size = slices.size(shape)
    sampler = _egdb.EndgameSampler(database.core, shape, 0, size, survival(min(1.0, count / size)), seed, quiet=True)
    number = VALUES.index(value)
    boards = [tuple(map(int, board)) for each in drawn(sampler) for board in each.boards[each.values == number]]
    database.raise_damage()
    random.Random(seed).shuffle(boards)
    return [Position(black, white, kings, Side.BLACK) for black, white, kings in boards]


def _in_order(batches: Iterator[Drawn], expected: int, distances: bool) -> Iterator[Drawn]:
    """Positions in the order of their hashes; expected: the expected number of them."""
    # twelve standard deviations more than expected
    room = expected + 12 * math.isqrt(expected) + DRAWN_AT_ONCE
    whole = Drawn(
        np.empty((room, 3), dtype=np.uint32),
        np.empty(room, dtype=np.uint8),
        np.empty(room, dtype=np.uint64),
        np.empty(room, dtype=np.int16) if distances else None,
    )
    used = 0
    for batch in batches:
        end = used + len(batch.values)
        assert end <= room, f"{end} positions drawn, {expected} expected"
        whole.boards[used:end], whole.values[used:end], whole.hashes[used:end] = batch[:3]
        if whole.distances is not None and batch.distances is not None:
            whole.distances[used:end] = batch.distances
        used = end
    order = np.argsort(whole.hashes[:used], kind="stable")
    for first in range(0, used, DRAWN_AT_ONCE):
        yield whole.chosen(order[first : first + DRAWN_AT_ONCE])


def random_positions(shapes: Sequence[Shape], source: random.Random) -> Iterator[Position]:
    """Endless random positions of these slices, with either side to move, each with the same probability."""
    sizes = [slices.size(shape) for shape in shapes]
    while True:
        [shape] = source.choices(shapes, sizes)
        black, white, kings, _ = _egdb.egdb_position(shape, source.randrange(slices.size(shape)))
        position = Position(black, white, kings, Side.BLACK)
        yield position.flipped() if source.random() < 0.5 else position
