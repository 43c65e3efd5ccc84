"""The one definition of the regions: the squares of a table entry, and the computation of its index.

**Frame.** A position is always seen from the side to move: when White is to move, the board is rotated by 180
degrees and the colours are swapped, so that the mover's men move up the numbers and one table serves both colours.
There is no left-right mirror: the dark squares of a draughts board have none.

**Regions.** Any squares, most often a window of some rows and columns of the board of 8 rows by 4 dark squares (row r
holds the squares 4r..4r+3). Without a king on the board regions of 12 squares are used, each square empty or a man of
either side (3^12 = 531,441 entries); with a king regions of 8 squares, with kings of either side as well
(5^8 = 390,625). The index of a region is the sum over its squares in ascending order, i = 0, 1, ...: digit_i * base^i.

**Phases.** Every entry holds two weights, opening and ending, interpolated by the number of pieces n on the board:
(opening * n + ending * (24 - n)) / 24.

A layout is a choice of regions (`kr.evaluation.layouts`). The built-in ones have windows only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kr.errors import InvalidSettingError
from kr.notation import MAX_SIDE_PIECES, SQUARES
from kr.units import Range

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
MATERIAL_ROWS = ("man", "king", "move")

MATERIAL_RANGE = Range(-(1 << 20), 1 << 20)
"""Weights of material: the range of the core's sums in 32 bits, 65,536 centi-men."""
GROUPS = {False: "men", True: "kings"}
"""Names of the two groups of regions, by whether a king is on the board."""
MAX_REGIONS = 32
"""Limit of either group: the number that the core adds up."""

Region = tuple[int, ...]


def parse_region(value: object) -> Region:
    """Squares of a window from JSON. Raises InvalidSettingError for other values."""
    squares = _short_list(value, SQUARES)
    if not all(type(square) is int and 0 <= square < SQUARES for square in squares):
        raise InvalidSettingError("a window is not a list of ascending squares of 0-31")
    return tuple(squares)


def _short_list(value: object, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise InvalidSettingError(f"not a list of at most {most}")
    return value


def windows(rows: int, columns: int, row_offsets: Iterable[int], column_offsets: Iterable[int]) -> tuple[Region, ...]:
    """The windows of `rows` x `columns` dark squares whose lower corners stand at the given rows and columns."""
    lefts = tuple(column_offsets)
    return tuple(
        tuple(BOARD_COLUMNS * (bottom + r) + left + c for r in range(rows) for c in range(columns))
        for bottom in row_offsets
        for left in lefts
    )


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


def region_indices(boards: NDArray[np.uint32], regions: tuple[Region, ...], base: int) -> NDArray[np.uint32]:
    """Table indices of positions in the mover's frame: (n, 4) as `mover_frame` gives them -> (regions, n).

    base: digits of a square, 3 without kings and 5 with kings. This is the plain statement of the index; the core
    computes it faster.
    """
    import numpy as np

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
