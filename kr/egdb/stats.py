"""What a database holds: wins, losses and draws by slice and by piece count, sizes, longest wins.

Counts are those that the builder wrote into the files; `kr egdb verify` counts anew and compares. They are of positions
with Black to move: one with White to move is the colour-flipped twin of one of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kr import _egdb
from kr.egdb import files, slices
from kr.egdb.slices import Shape
from kr.errors import InvalidDatabaseError
from kr.game.position import Position

PUBLISHED = {
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
"""Positions by piece count, one-sided ones too: Table I of Wang, Müller and Schaeffer, Deep Dive on Checkers Endgame
Data (2023)."""


@dataclass(frozen=True)
class Counts:
    """How many positions are won, lost and drawn for the side to move."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @property
    def positions(self) -> int:
        """All of them."""
        return self.wins + self.losses + self.draws

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.wins + other.wins, self.losses + other.losses, self.draws + other.draws)


@dataclass(frozen=True)
class Longest:
    """A win that takes as long as any."""

    plies: int
    fen: str


@dataclass(frozen=True)
class SliceStats:
    """One slice, Black to move."""

    shape: Shape
    """Black's men and kings, White's men and kings."""
    counts: Counts
    longest: Longest | None
    """None without distances, or where nothing is won."""


@dataclass(frozen=True)
class PairStats:
    """The files of a slice and its twin."""

    pair: Shape
    slices: tuple[SliceStats, ...]
    bytes: int
    """Of the file of values."""
    distance_bytes: int | None
    """Of the file of distances, None where there is none."""

    @property
    def positions(self) -> int:
        """Of both slices."""
        return sum(each.counts.positions for each in self.slices)


@dataclass(frozen=True)
class PieceStats:
    """All slices with one number of pieces."""

    pieces: int
    complete: bool
    """Whether all slices are there; otherwise the numbers are of those that are."""
    both_sides: Counts
    """Positions with pieces of both sides."""
    all_placements: Counts | None
    """One-sided placements too, as in Table I: lost for a side to move without pieces, won against one."""
    bytes: int
    distance_bytes: int
    longest: Longest | None

    @property
    def bits(self) -> float:
        """Bits a position, of the values."""
        return 8 * self.bytes / max(self.both_sides.positions, 1)


@dataclass(frozen=True)
class Stats:
    """A database."""

    directory: Path
    pairs: tuple[PairStats, ...]
    totals: tuple[PieceStats, ...]


def one_sided(pieces: int) -> Counts:
    """Placements in which only one side has pieces: Black to move has won with them and has lost without."""
    count = sum(slices.placements(men, pieces - men, 0, 0) for men in range(pieces + 1))
    return Counts(wins=count, losses=count)


def read(directory: Path) -> Stats:
    """What the files of a directory say. Raises InvalidDatabaseError where there are none, or one is damaged."""
    pairs = []
    totals = []
    for count in range(2, slices.EGDB_MAX_PIECES + 1):
        found = [read_pair(directory, pair) for pair in slices.pairs(count) if _path(directory, "wld", pair).exists()]
        if found:
            pairs += found
            totals.append(_total(count, found, len(found) == len(slices.pairs(count))))
    if not pairs:
        raise InvalidDatabaseError(f"{directory}: no endgame database in it; `kr egdb build` makes one")
    return Stats(directory, tuple(pairs), tuple(totals))


def read_pair(directory: Path, pair: Shape) -> PairStats:
    """What the files of a pair say. Raises InvalidDatabaseError."""
    values, distances = _path(directory, "wld", pair), _path(directory, "dtw", pair)
    header = files.read_header(values)
    longest = files.read_header(distances).facts.get("longest", {}) if distances.exists() else {}
    found = []
    for shape in slices.views(pair):
        plies, index = longest.get(slices.name(shape), (0, 0))
        win = Longest(plies, Position.from_bits(_egdb.egdb_position(shape, index)).fen) if plies else None
        found.append(SliceStats(shape, counts_of(header, shape), win))
    distance_bytes = distances.stat().st_size if distances.exists() else None
    return PairStats(pair, tuple(found), values.stat().st_size, distance_bytes)


def counts_of(header: files.Header, shape: Shape) -> Counts:
    """The counts of a slice as the file of its pair states them. Raises InvalidDatabaseError where they can't be."""
    try:
        losses, draws, wins = map(int, header.facts["counts"][slices.name(shape)])
    except (KeyError, TypeError, ValueError):
        losses = draws = wins = -1
    counts = Counts(wins, losses, draws)
    if min(losses, draws, wins) < 0 or counts.positions != slices.size(shape):
        name = files.file_name(header.kind, header.pair)
        raise InvalidDatabaseError(
            f"{name}: damaged endgame database: no counts of the {slices.size(shape)} positions of "
            f"{slices.describe(shape)}; build the file again"
        )
    return counts


def _path(directory: Path, kind: str, pair: Shape) -> Path:
    return directory / files.file_name(kind, pair)


def _total(count: int, pairs: Sequence[PairStats], complete: bool) -> PieceStats:
    every = [each for pair in pairs for each in pair.slices]
    both_sides = sum((each.counts for each in every), Counts())
    return PieceStats(
        count,
        complete,
        both_sides,
        both_sides + one_sided(count) if complete else None,
        sum(pair.bytes for pair in pairs),
        sum(pair.distance_bytes or 0 for pair in pairs),
        # of several the one of the first slice
        max((each.longest for each in every if each.longest), key=lambda win: win.plies, default=None),
    )
