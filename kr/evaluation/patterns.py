"""The one definition of the regions: which squares each table entry looks at, and how its index is computed.

**Frame.** A position is always seen from the side to move: when White is to move, the board is rotated by 180
degrees and the colours are swapped, so that the mover's men move up the numbers and one table serves both colours.
There is no left-right mirror: the dark squares of a draughts board have none.

**Regions.** A window of some rows and columns on the board of 8 rows by 4 dark squares (row r holds the squares
4r..4r+3). Without a king on the board regions of 12 squares are used, each square empty or a man of either side
(3^12 = 531,441 entries); with a king regions of 8 squares, with kings of either side as well (5^8 = 390,625).
The index of a region is the sum over its squares in ascending order, i = 0, 1, ...: digit_i * base^i.

**Phases.** Every entry holds two weights, opening and ending, interpolated by the number of pieces n on the board:
(opening * n + ending * (24 - n)) / 24.

A layout is a choice of regions. Its numbers of regions, men / kings: small 6 / 9, tall 9 / 15, broad 12 / 16,
base 12 / 16, wide 16 / 22, full 25 / 26 (the default).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kr.errors import InvalidSettingError
from kr.notation import MAX_SIDE_PIECES, SQUARES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BOARD_ROWS, BOARD_COLUMNS = 8, 4
MEN_REGION_SQUARES, MEN_BASE = 12, 3
KINGS_REGION_SQUARES, KINGS_BASE = 8, 5
MEN_ENTRIES = MEN_BASE**MEN_REGION_SQUARES
KINGS_ENTRIES = KINGS_BASE**KINGS_REGION_SQUARES
MAX_BOARD_PIECES = 2 * MAX_SIDE_PIECES
PHASES = 2
TABLE_UNITS = 16
"""Table units in a centi-man."""
GROUPS = {False: "men", True: "kings"}
"""Names of the two groups of regions, by whether a king is on the board."""
MAX_REGIONS = 32
"""Of either group, as many as the core adds up."""
MOST_NAME = 100

Region = tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """The regions of one set of tables.

    Raises InvalidSettingError unless every region has distinct ascending squares of 0-31, 12 of them in `men`
    and 8 in `kings`, no region is listed twice, there are at most 32 and either group covers the whole board.
    """

    name: str
    men: tuple[Region, ...]
    """Regions of 12 squares, used when there is no king on the board."""
    kings: tuple[Region, ...]
    """Regions of 8 squares, used when there is a king on the board."""

    def __post_init__(self) -> None:
        sizes = (MEN_REGION_SQUARES, KINGS_REGION_SQUARES)
        for group, regions, size in zip(("men", "kings"), (self.men, self.kings), sizes, strict=True):
            _check_regions(f"layout {self.name}, {group}", regions, size)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Layout:
        """The layout that `as_dict` described. Raises InvalidSettingError when it is not one."""
        names = ("name", "men", "kings")
        if not isinstance(fields, dict) or not set(names) <= set(fields):
            raise InvalidSettingError(f"not a layout: expected {', '.join(names)}")
        name, men, kings = (fields[each] for each in names)
        if not isinstance(name, str) or not 0 < len(name) <= MOST_NAME or not name.isprintable():
            raise InvalidSettingError(f"not a layout: its name is not a text of 1 to {MOST_NAME} characters")
        try:
            regions = [tuple(map(parse_region, _short_list(group, MAX_REGIONS))) for group in (men, kings)]
        except InvalidSettingError as error:
            raise InvalidSettingError(f"not a layout: {error}") from error
        return cls(name, *regions)

    def as_dict(self) -> dict[str, Any]:
        """Name and regions as plain lists, for JSON."""
        return {"name": self.name, "men": [list(r) for r in self.men], "kings": [list(r) for r in self.kings]}


def parse_region(found: object) -> Region:
    """The squares of a window as JSON gives them. Raises InvalidSettingError where they are none."""
    squares = _short_list(found, SQUARES)
    if not all(type(square) is int and 0 <= square < SQUARES for square in squares):
        raise InvalidSettingError("a window is not a list of ascending squares of 0-31")
    return tuple(squares)


def _short_list(found: object, most: int) -> list[Any]:
    if not isinstance(found, list) or len(found) > most:
        raise InvalidSettingError(f"not a list of at most {most}")
    return found


def _check_regions(where: str, regions: tuple[Region, ...], size: int) -> None:
    if len(regions) > MAX_REGIONS:
        raise InvalidSettingError(f"{where}: {len(regions)} regions, more than {MAX_REGIONS}")
    for region in regions:
        ascending = all(a < b for a, b in itertools.pairwise(region))
        if len(region) != size or not ascending or region[0] < 0 or region[-1] >= SQUARES:
            raise InvalidSettingError(f"{where}: {region} is not {size} ascending squares of 0-31")
    if len(set(regions)) != len(regions):
        raise InvalidSettingError(f"{where}: a region is listed twice")
    missing = set(range(SQUARES)) - {s for region in regions for s in region}
    if missing:
        raise InvalidSettingError(f"{where}: no region covers the squares {sorted(missing)}")


def windows(rows: int, columns: int, row_offsets: Iterable[int], column_offsets: Iterable[int]) -> tuple[Region, ...]:
    """The windows of `rows` x `columns` dark squares whose lower corners stand at the given rows and columns."""
    lefts = tuple(column_offsets)
    return tuple(
        tuple(BOARD_COLUMNS * (bottom + r) + left + c for r in range(rows) for c in range(columns))
        for bottom in row_offsets
        for left in lefts
    )


_MEN_4X3 = windows(4, 3, (0, 2, 4), (0, 1))
_MEN_6X2 = windows(6, 2, (0, 2), (0, 1, 2))
_MEN_4X3_ALL = windows(4, 3, range(5), (0, 1))
_MEN_6X2_ALL = windows(6, 2, range(3), (0, 1, 2))
_MEN_3X4 = windows(3, 4, range(6), (0,))
_KINGS_4X2 = windows(4, 2, (0, 2, 4), (0, 1, 2))
_KINGS_4X2_ALL = windows(4, 2, range(5), (0, 1, 2))
_KINGS_2X4 = windows(2, 4, range(7), (0,))
_KINGS_8X1 = windows(8, 1, (0,), range(4))

DEFAULT_LAYOUT = "full"
LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("small", _MEN_4X3, _KINGS_4X2),
        Layout("tall", _MEN_6X2_ALL, _KINGS_4X2_ALL),
        Layout("broad", _MEN_4X3 + _MEN_3X4, _KINGS_4X2 + _KINGS_2X4),
        Layout("base", _MEN_4X3 + _MEN_6X2, _KINGS_4X2 + _KINGS_2X4),
        Layout("wide", _MEN_4X3_ALL + _MEN_6X2, _KINGS_4X2_ALL + _KINGS_2X4),
        Layout("full", _MEN_4X3_ALL + _MEN_6X2_ALL + _MEN_3X4, _KINGS_4X2_ALL + _KINGS_2X4 + _KINGS_8X1),
    )
}


def layout_named(name: str) -> Layout:
    """The layout of that name. Raises InvalidSettingError, naming the known ones."""
    if name not in LAYOUTS:
        raise InvalidSettingError(f"unknown layout {name!r}; known: {', '.join(LAYOUTS)}")
    return LAYOUTS[name]


def mover_frame(positions: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Positions (n, 4) of black, white, kings, side -> (n, 4) of own men, opponent's men, own kings, opponent's kings.

    The result is in the mover's frame (see above), as bitboards with bit s for square s.
    """
    import numpy as np

    black, white, kings, side = np.ascontiguousarray(positions, dtype=np.uint32).T
    turned = side == 1
    own = np.where(turned, _rotated(white), black)
    opponent = np.where(turned, _rotated(black), white)
    crowned = np.where(turned, _rotated(kings), kings)
    return np.stack([own & ~crowned, opponent & ~crowned, own & crowned, opponent & crowned], axis=1)


def _rotated(boards: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Every bitboard rotated by 180 degrees: square s becomes 31 - s."""
    import numpy as np

    out = np.zeros_like(boards)
    for s in range(SQUARES):
        out |= (boards >> np.uint32(s) & np.uint32(1)) << np.uint32(SQUARES - 1 - s)
    return out


def region_indices(boards: NDArray[np.uint32], layout: Layout, kings: bool) -> NDArray[np.uint32]:
    """The table indices of positions in the mover's frame: (n, 4) as `mover_frame` gives them -> (regions, n).

    `kings` chooses the group of regions. This is the plain statement of the index; the core computes the same faster.
    """
    import numpy as np

    regions, base = (layout.kings, KINGS_BASE) if kings else (layout.men, MEN_BASE)
    digits = np.zeros((SQUARES, len(boards)), dtype=np.uint32)
    for digit in range(1, base):
        board = boards[:, digit - 1]
        for s in range(SQUARES):
            digits[s] += np.uint32(digit) * (board >> np.uint32(s) & np.uint32(1))
    out = np.zeros((len(regions), len(boards)), dtype=np.uint32)
    for r, region in enumerate(regions):
        for i, s in enumerate(region):
            out[r] += np.uint32(base**i) * digits[s]
    return out
