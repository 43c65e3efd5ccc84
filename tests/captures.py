"""Positions with captures that are hard to write: a king among men that it can jump one after another.

A path is drawn for the king, with a man under each of its jumps. Paths that cross themselves give circles, captures of
the same men in another order, and captures whose squares are all part of a longer one.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from kr.game.position import Position, Side
from kr.proofs.rules import SQUARE_AT, row_and_column

STEPS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
MOST_TAKEN = 12

# The direct capture of one man is part of the longer one, both from 15 to 6.
PART_OF_ANOTHER = "W:WK15:B10,18,19,26,27"


def along(origin: int, ways: Sequence[int], side: Side, extra: int = 0) -> Position:
    """A king on a square (0-31) that can jump along a path (indices into STEPS), as far as the board allows.

    extra: a bitboard of more opposing men, placed off the path.
    """
    landings, taken = {origin}, set[int]()
    at = origin
    for way in ways:
        row, column = row_and_column(at)
        down, across = STEPS[way]
        over = SQUARE_AT.get((row + down, column + across))
        landing = SQUARE_AT.get((row + 2 * down, column + 2 * across))
        if over is None or landing is None or over in taken | landings or landing in taken or len(taken) == MOST_TAKEN:
            continue
        taken.add(over)
        landings.add(landing)
        at = landing
    for square in range(4, 28):
        if extra >> square & 1 and square not in landings and len(taken) < MOST_TAKEN:
            taken.add(square)
    king, men = 1 << origin, sum(1 << square for square in taken)
    if side == Side.BLACK:
        return Position(king, men, king | men & 0xF, side)
    return Position(men, king, king | men & 0xF0000000, side)


POSITIONS = st.builds(
    along, st.integers(0, 31), st.lists(st.integers(0, 3), min_size=4, max_size=24), st.sampled_from(Side),
    st.integers(0, 2**32 - 1) | st.just(0),
)  # fmt: skip
