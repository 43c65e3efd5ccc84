"""Statistics of a database: wins, losses and draws by slice and by number of pieces, sizes, longest wins.

The counts are those that the builder wrote into the files; `kr egdb verify` counts again and compares. They are counts
of positions with Black to move: every position with White to move is one of these with colours flipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from kr import _egdb
from kr.egdb import files, slices
from kr.egdb.slices import Class, Shape
from kr.errors import InvalidDatabaseError
from kr.game.position import Position
from kr.storage import parse_json

TABLE_I = {
    1: 120,
    2: 6_972,
    3: 261_224,
    4: 7_092_774,
    5: 148_688_232,
    6: 2_503_611_964,
    7: 34_779_531_480,
    8: 406_309_208_481,
    9: 4_048_627_642_976,
    10: 34_778_882_769_216,
}
"""Positions by number of pieces, one-sided ones included: Table I of Wang, Müller and Schaeffer, Deep Dive on Checkers
Endgame Data (2023)."""


@dataclass(frozen=True)
class Counts:
    """Numbers of positions that are won, lost and drawn for the side to move."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @property
    def positions(self) -> int:
        """Wins, losses and draws together."""
        return self.wins + self.losses + self.draws

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.wins + other.wins, self.losses + other.losses, self.draws + other.draws)


@dataclass(frozen=True)
class LongestWin:
    """A position whose win takes the longest."""

    plies: int
    fen: str


@dataclass(frozen=True)
class SliceStats:
    """Statistics of a slice, Black to move."""

    shape: Shape
    counts: Counts
    longest: LongestWin | None
    """None without distances, or if no position is won."""


@dataclass(frozen=True)
class PairStats:
    """Statistics of a pair and its files."""

    pair: Shape
    slices: tuple[SliceStats, ...]
    bytes: int
    """Size of the file of values."""
    distance_bytes: int | None
    """Size of the file of distances; None if there is none."""

    @property
    def positions(self) -> int:
        """Positions of the pair's slices."""
        return sum(each.counts.positions for each in self.slices)


@dataclass(frozen=True)
class PieceStats:
    """Totals of all slices with the same number of pieces."""

    pieces: int
    complete: bool
    """False if some pairs have no file; the totals are then those of the other pairs."""
    classes: tuple[str, ...]
    """Classes whose values can be looked up: files of their pairs and of all smaller classes are there."""
    idle: int
    """Pairs of the other classes, whose files are of no use yet."""
    both_sides: Counts
    """Positions in which both sides have pieces."""
    all_placements: Counts | None
    """One-sided positions included, as in Table I: a side to move without pieces has lost. None if not complete."""
    bytes: int
    distance_bytes: int
    longest: LongestWin | None

    @property
    def bits(self) -> float:
        """Bits per position in the files of values."""
        return 8 * self.bytes / max(self.both_sides.positions, 1)


@dataclass(frozen=True)
class DatabaseStats:
    """Statistics of a database."""

    directory: Path
    pairs: tuple[PairStats, ...]
    totals: tuple[PieceStats, ...]


def one_sided(pieces: int) -> Counts:
    """Positions in which only one side has pieces: Black to move has won with pieces and lost without."""
    count = sum(slices.placements(men, pieces - men, 0, 0) for men in range(pieces + 1))
    return Counts(wins=count, losses=count)


def read_stats(directory: Path) -> DatabaseStats:
    """Statistics of the files of a directory. Raises InvalidDatabaseError if it has no files, or a damaged one."""
    pairs = []
    totals = []
    usable = files.listing(directory).classes("wld")
    for count in range(2, slices.EGDB_MAX_PIECES + 1):
        present = [read_pair(directory, pair) for pair in slices.pairs(count) if _path(directory, "wld", pair).exists()]
        if present:
            pairs += present
            totals.append(_total(count, present, usable))
    if not pairs:
        raise files.no_database(directory)
    return DatabaseStats(directory, tuple(pairs), tuple(totals))


def read_pair(directory: Path, pair: Shape) -> PairStats:
    """Statistics of the files of a pair. Raises InvalidDatabaseError."""
    values, distances = _path(directory, "wld", pair), _path(directory, "dtw", pair)
    header = files.read_header(values)
    longest = files.read_header(distances).facts.get("longest", {}) if distances.exists() else {}
    slice_stats = []
    for shape in slices.members(pair):
        plies, index = longest.get(slices.name(shape), (0, 0))
        win = LongestWin(plies, Position.from_bits(_egdb.egdb_position(shape, index)).fen) if plies else None
        slice_stats.append(SliceStats(shape, counts_of(header, shape), win))
    distance_bytes = distances.stat().st_size if distances.exists() else None
    return PairStats(pair, tuple(slice_stats), values.stat().st_size, distance_bytes)


@cache
def known_counts() -> dict[Shape, Counts]:
    """Counts of the slices that were built before, by slice: all up to 7 pieces, and 4v4."""
    stated = parse_json((resources.files("kr.egdb") / "counts.json").read_text(encoding="utf-8"))
    return {
        slices.shape_named(name): Counts(wins=wins, draws=draws, losses=losses)
        for name, (wins, draws, losses) in stated.items()
    }


def counts_of(header: files.SliceHeader, shape: Shape) -> Counts:
    """Counts of a slice in the header of its pair's file. Raises InvalidDatabaseError if they can't be right."""
    try:
        losses, draws, wins = map(int, header.facts["counts"][slices.name(shape)])
    except (KeyError, TypeError, ValueError):
        losses = draws = wins = -1
    counts = Counts(wins, losses, draws)
    if min(losses, draws, wins) < 0 or counts.positions != slices.size(shape):
        name = files.file_name(header.kind, header.pair)
        raise InvalidDatabaseError(
            f"{name}: damaged endgame database: no valid counts of the {slices.size(shape)} positions of "
            f"{slices.describe(shape)}; remove the file and build it again"
        )
    return counts


def _path(directory: Path, kind: str, pair: Shape) -> Path:
    return directory / files.file_name(kind, pair)


def _total(count: int, pairs: Sequence[PairStats], usable: Sequence[Class]) -> PieceStats:
    complete = len(pairs) == len(slices.pairs(count))
    every = [each for pair in pairs for each in pair.slices]
    both_sides = sum((each.counts for each in every), Counts())
    return PieceStats(
        count,
        complete,
        tuple(slices.class_name(cls) for cls in usable if sum(cls) == count),
        sum(slices.class_of(pair.pair) not in usable for pair in pairs),
        both_sides,
        both_sides + one_sided(count) if complete else None,
        sum(pair.bytes for pair in pairs),
        sum(pair.distance_bytes or 0 for pair in pairs),
        # of equals, that of the first slice
        max((each.longest for each in every if each.longest), key=lambda win: win.plies, default=None),
    )
