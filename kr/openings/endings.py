"""Endings to start games from: random positions with few pieces, and kings and men where endings have them.

Games from openings lead to few kinds of endings, most of them decided. They hardly include those of the problem books,
bridges and men held by a king, and tables that never saw such positions score them all alike.
"""

from __future__ import annotations

import random

from kr import _core
from kr.game.position import Position, Side, turned_bits

ENDINGS = 10_000
SEED = 1
PIECES_OF_A_SIDE = range(3, 7)
"""Pieces of each side."""
MOST_KINGS = 2
HOME_SHARE = 0.5
"""Share of positions in which a side has men at home."""
HOME = (0, 2)
"""Squares, seen from Black, from which two men guard the king row: 1 and 3, the bridge."""
SQUARES_FOR_MEN = range(28)
"""Squares, seen from Black, on which its men may be."""


def random_endings() -> list[Position]:
    """ENDINGS different positions, always the same, in which either side could move and neither could capture.

    The numbers of pieces differ by at most one. Each side has up to MOST_KINGS kings.
    """
    chance = random.Random(SEED)
    positions: dict[Position, None] = {}
    while len(positions) < ENDINGS:
        position = _placed(chance)
        if position is not None and _is_quiet(position):
            positions[position] = None
    return list(positions)


def _placed(chance: random.Random) -> Position | None:
    """A random position; None if two pieces got the same square."""
    black = chance.choice(PIECES_OF_A_SIDE)
    white = max(PIECES_OF_A_SIDE[0], min(PIECES_OF_A_SIDE[-1], black + chance.choice((-1, 0, 0, 1))))
    black_men, black_kings = _side(chance, black)
    white_men, white_kings = map(turned_bits, _side(chance, white))
    sets = (black_men, black_kings, white_men, white_kings)
    if sum(squares.bit_count() for squares in sets) != (black_men | black_kings | white_men | white_kings).bit_count():
        return None
    side = chance.choice((Side.BLACK, Side.WHITE))
    return Position(black_men | black_kings, white_men | white_kings, black_kings | white_kings, side)


def _side(chance: random.Random, pieces: int) -> tuple[int, int]:
    """Men and kings of one side, as bitboards seen from Black."""
    kings = chance.randint(0, min(MOST_KINGS, pieces - 1))
    men: set[int] = set()
    if chance.random() < HOME_SHARE:
        men.update(chance.sample(HOME, min(chance.choice((1, 2)), pieces - kings)))
    while len(men) < pieces - kings:
        men.add(chance.choice(SQUARES_FOR_MEN))
    crowned = chance.sample([square for square in range(32) if square not in men], kings)
    return _bits(men), _bits(crowned)


def _bits(squares: set[int] | list[int]) -> int:
    return sum(1 << square for square in squares)


def _is_quiet(position: Position) -> bool:
    """True if either side could move and neither could capture."""
    for side in Side:
        moves = _core.legal_moves(position.black, position.white, position.kings, side)
        # all are captures, or none
        if not moves or moves[0][1]:
            return False
    return True
